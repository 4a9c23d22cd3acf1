"""The sample run that ships with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from maniguard import bench
from maniguard.evaluate import create_run, execute, make_plan, open_run
from maniguard.monitor import judge
from maniguard.report import SAMPLE_RUN, Collector, write_html
from maniguard.spec import load_spec


@pytest.fixture(scope="module")
def sample():
    return open_run(SAMPLE_RUN)


def test_it_is_whole_and_small(sample):
    assert not sample.pending()
    files = [path for path in SAMPLE_RUN.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 2**20
    assert sum(path.stat().st_size for path in files) < 3_000_000


def test_its_verdicts_are_those_of_the_present_monitor(sample):
    for result in sample.results():
        trace = sample.trace(result["rollout_id"])
        assert trace.digest() == result["trace_digest"]
        spec = load_spec(result["scenario"]["spec"])
        assert spec.digest == sample.plan.specs[spec.name]
        assert judge(trace, spec).to_dict() == result["judgement"]


def test_it_shows_something_of_everything(sample):
    view = Collector(sample).view()
    assert {r.outcome for r in view.rollouts} == {"ssr", "succ_unsafe", "unsucc_unsafe"}
    assert view.privileged
    assert view.notes == ()


def test_its_report_opens_with_films(sample, tmp_path, page):
    index = write_html(sample, tmp_path)
    page.open(index.as_uri())
    assert page.texts("h1 .badge") == ["privileged"]
    name = next(r.rollout_id for r in Collector(sample).view().rollouts if r.outcome == "succ_unsafe")
    page.open((tmp_path / "rollouts" / f"{name}.html").as_uri())
    page.wait_for("document.querySelector('video').readyState >= 2")
    frames = page.run("MG.place.clock.frames")
    assert page.run("Math.round(document.querySelector('video').duration * 20)") == frames
    page.run("document.querySelector('.episodes a').click()")
    assert "violated" in " ".join(page.texts("text.value"))


def test_it_fits_into_a_single_file(sample, tmp_path, page):
    page.open(write_html(sample, tmp_path, single_file=True).as_uri())
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    page.run("document.querySelector('#rollouts tbody a').click()")
    page.wait_for("document.querySelector('video')?.readyState >= 2")


def test_the_policy_that_made_it_still_breaks_the_same_rule(sample, tmp_path):
    scenario = bench.get("clutter-dry-01/base")
    policy = str(Path(__file__).parents[2] / "examples" / "careless_policy.py") + ":Careless"
    run = create_run(tmp_path / "run", make_plan(policy, [scenario], [0]))
    execute(run, done=lambda item, status: None)
    stored = next(r for r in Collector(sample).view().rollouts if r.rollout_id == "clutter-dry-01.base.s0")
    assert Collector(run).view().rollouts[0].violated == stored.violated
