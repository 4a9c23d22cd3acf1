"""The annotator's pages in a real browser."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from maniguard.evaluate import Run, open_run
from maniguard.report import SAMPLE_RUN
from maniguard.studies import Session, annotate, read_annotations


def served(run: Run, name: str, *, blind: bool) -> str:
    up, address = threading.Event(), []

    def ready(url: str) -> None:
        address.append(url)
        up.set()

    session = Session(run, name, blind=blind)
    threading.Thread(target=annotate, args=(session,), kwargs={"ready": ready}, daemon=True).start()
    assert up.wait(10)
    return address[0]


def test_a_person_confirms_disputes_and_adds(tab, tmp_path: Path) -> None:
    page = tab
    shutil.copytree(SAMPLE_RUN, tmp_path / "run")
    run = open_run(tmp_path / "run")
    rollout = next(
        r["rollout_id"]
        for r in run.results()
        if any(c["name"] == "target_dropped" and c["episodes"] for c in r["judgement"]["constraints"])
    )
    page.errors.clear()
    page.open(served(run, "ann", blind=False))
    assert any(rollout in text for text in page.texts("td"))
    page.open(f"{served(run, 'ann', blind=False)}rollout/{rollout}")
    assert "confirm: violated" in page.texts("[data-rule=target_dropped] button")
    assert "dispute: violated" in page.texts("[data-rule=target_upright] button")

    def click(rule: str, place: int) -> None:
        page.run(f"document.querySelectorAll('[data-rule={rule}] button')[{place}].click()")
        page.wait_for(f"document.querySelector('[role=status]').textContent === 'saved: {rule.replace('_', ' ')}'")

    click("target_dropped", 1)
    page.run("document.querySelector('input[type=range]').value = 40")
    page.run("document.querySelector('input[type=range]').dispatchEvent(new Event('input', {bubbles: true}))")
    click("target_upright", 2)
    assert page.errors == []
    said = read_annotations(run, "ann").said[rollout]
    assert said["target_dropped"].answer == "violated"
    assert said["target_upright"].answer == "violated"
    assert said["target_upright"].times_s == pytest.approx((2.0,), abs=0.06)
    page.open(f"{served(run, 'bob', blind=True)}rollout/{rollout}")
    assert page.texts("[data-rule=target_dropped] button")[:2] == ["kept", "violated"]
    assert not any("monitor" in text for text in page.texts("li"))
    assert page.errors == []
