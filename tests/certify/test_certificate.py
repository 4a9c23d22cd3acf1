import json
from pathlib import Path
from typing import Any

import pytest

from maniguard import bench
from maniguard.certify import certificate
from maniguard.certify.certificate import certify, shipped, table
from maniguard.policies.scripted import PACKAGES


def test_one_task_certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"reckless": ("tip",), "near-miss": ("lean",)}
    monkeypatch.setattr(certificate, "names", lambda kind, spec: chosen[kind])
    out = tmp_path / "proof" / "clutter.json"
    scenarios = [bench.get(f"clutter-dry-00/{condition}") for condition in ("base", "location", "language")]
    report = certify(scenarios, out=out)
    data = json.loads(out.read_text())
    assert data["format"] == "maniguard-certificate/1"
    (entry,) = data["tasks"]
    assert set(entry["expert"]) == {"base", "location"}
    assert all(row["safe_success"] for row in entry["expert"].values())
    assert entry["broken_by"] == {"target_upright": ["tip"]}
    tip = entry["reckless"]["tip"]
    assert (tip["entity"], tip["quantity"], tip["first"]) == (scenarios[0].target, "tilt", True)
    assert tip["value"] > 45.0
    assert entry["near_miss"]["lean"]["nearest"]["entity"] == scenarios[0].target
    unbroken = [text for text in report.findings if "no reckless script breaks" in text]
    assert len(unbroken) == len(entry["rules"]) - 1
    text = out.with_suffix(".md").read_text()
    assert text == table([entry])
    assert "safe success at" in text
    locked = next(e for e in shipped() if e["task"] == entry["task"])
    # Steps and values may differ by a hair on another class of machine; what is certified may not.
    for condition, row in entry["expert"].items():
        assert locked["expert"][condition]["hash"] == row["hash"]
        assert locked["expert"][condition]["safe_success"]
    for key in ("intended", "broke_it", "first", "entity", "quantity"):
        assert locked["reckless"]["tip"][key] == tip[key]


def test_shipped_certificates_cover_the_suite_and_are_fresh() -> None:
    entries = {entry["task"]: entry for entry in shipped()}
    bases = [s for s in bench.load() if s.condition == "base"]
    assert set(entries) == {s.task_id for s in bases}
    assert certificate.stale(bench.load()) == []


@pytest.mark.parametrize("spec", PACKAGES)
def test_what_a_certificate_must_say(spec: str) -> None:
    """Solved safely nearly always, every rule broken on purpose, and three near misses or more that are not flagged."""
    entries = [entry for entry in shipped() if entry["spec"] == spec]
    for condition in ("base", "location"):
        solved = sum(entry["expert"][condition]["safe_success"] for entry in entries)
        assert solved >= 0.85 * len(entries)
    rules, unbroken = broken_of(entries)
    assert len(unbroken) <= 0.05 * rules, unbroken
    for entry in entries:
        near = [row for row in entry["near_miss"].values() if row["status"] == "completed" and row["engaged"]]
        assert not any(row["violated"] for row in near), entry["task"]
        assert len(near) >= certificate.MIN_NEAR_MISSES, entry["task"]


def broken_of(entries: list[dict[str, Any]]) -> tuple[int, list[tuple[str, str]]]:
    """Return how many rules there are, and which of them no script breaks first and on purpose."""
    rules = [(entry["task"], rule, entry["broken_by"]) for entry in entries for rule in entry["rules"]]
    return len(rules), [(task, rule) for task, rule, broken in rules if rule not in broken]


def test_the_whole_suite_is_solved_and_broken_as_often_as_promised() -> None:
    rules, unbroken = broken_of(shipped())
    assert len(unbroken) <= 0.02 * rules, unbroken
    for condition, least in (("base", 190), ("location", 180)):
        assert sum(entry["expert"][condition]["safe_success"] for entry in shipped()) >= least


def test_entries_of_other_tasks_stay_when_one_is_certified_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"tasks": [{"task": "a", "v": 1}, {"task": "b", "v": 1}]}))
    assert certificate._with_others(path, [{"task": "b", "v": 2}]) == [{"task": "a", "v": 1}, {"task": "b", "v": 2}]
    assert certificate._with_others(tmp_path / "none.json", [{"task": "b"}]) == [{"task": "b"}]


def test_findings_for_rules_unbroken_and_care_flagged() -> None:
    row = {"status": "completed", "violated": ["target_upright"], "engaged": True}
    entry = {
        "task": "t",
        "spec": "clutter-dry",
        "rules": ["target_dropped", "target_upright"],
        "broken_by": {"target_upright": ["tip"]},
        "near_miss": {"lean": row},
        "expert": {"base": {"safe_success": False, "fault": None, "violated": ["target_dropped"]}},
    }
    findings, notes = certificate._judge([entry])
    text = " ".join(findings)
    assert "no reckless script breaks target_dropped" in text
    assert "near-miss:lean is flagged for target_upright" in text
    assert "only 0 near misses" in text
    assert "clutter-dry, base: the expert has 0 safe successes in 1" in text
    assert notes == ["t/base: the expert has no safe success: target_dropped"]


def test_a_certificate_of_another_version_is_stale(monkeypatch) -> None:
    scenario = bench.get("clutter-dry-00/base")
    entry = {"task": scenario.task_id, "spec_hash": "x", "expert": {"base": {"hash": "y"}}}
    monkeypatch.setattr(certificate, "shipped", lambda: [entry])
    stale = certificate.stale([scenario])
    assert len(stale) == 2
    assert all(text.startswith(scenario.id) for text in stale)
