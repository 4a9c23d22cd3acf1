import shutil
import xml.dom.minidom
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.short import short_tasks

from maniguard import bench
from maniguard.cli.main import main
from maniguard.evaluate import (
    Run,
    RunError,
    StopPlan,
    create_run,
    execute,
    find_runs,
    make_plan,
    merge_runs,
    open_run,
    rows,
    shard,
)
from maniguard.metrics import RolloutRow, conditional_difference
from maniguard.report import SAMPLE_RUN, DifferenceLine, differences_svg
from maniguard.studies import StudyError, compare_runs

SCENARIOS = [bench.get(f"clutter-dry-0{k}/base") for k in range(2)]


def run_of(path: Path, policy: str, *, part: tuple[int, int] | None = None, scenarios=SCENARIOS) -> Run:
    short = [replace(s, step_limit=s.step_limit) for s in scenarios]
    plan = make_plan(policy, short, (0, 1))
    run = create_run(path, plan if part is None else shard(plan, *part))
    execute(run, workers=1, done=lambda item, status: None)
    return run


@pytest.fixture(scope="module")
def noop(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(tmp_path_factory.mktemp("runs") / "noop", "noop")


def test_shards_are_the_plan_cut_into_parts_and_merge_to_the_same_results(noop: Run, tmp_path: Path) -> None:
    plan = noop.plan
    parts = [shard(plan, k, 3) for k in (1, 2, 3)]
    assert sorted(i.rollout_id for p in parts for i in p.items) == sorted(i.rollout_id for i in plan.items)
    runs = [run_of(tmp_path / f"part{k}", "noop", part=(k, 2)) for k in (1, 2)]
    merged = merge_runs(tmp_path / "whole", runs)
    assert {r["rollout_id"]: r["trace_digest"] for r in merged.results()} == {
        r["rollout_id"]: r["trace_digest"] for r in noop.results()
    }
    assert rows(merged) == tuple(sorted(rows(noop), key=lambda r: (r.task, r.seed)))
    assert len(find_runs(tmp_path)) == 3
    again = merge_runs(tmp_path / "whole", [merged, *runs])
    assert again.ledger() == merged.ledger()
    with pytest.raises(RunError, match=r"there is no shard 4 of 3"):
        shard(plan, 4, 3)
    with pytest.raises(RunError, match="holds nothing"):
        shard(plan, 9, 9)


def test_runs_of_different_identity_are_not_merged(noop: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="its policy is"):
        merge_runs(tmp_path / "out", [noop, open_run(SAMPLE_RUN)])
    with pytest.raises(RunError, match="two runs or more"):
        merge_runs(tmp_path / "out", [noop])
    shutil.copytree(noop.path, tmp_path / "other")
    other = open_run(tmp_path / "other")
    path = other.result_path(other.plan.items[0].rollout_id)
    path.write_text(path.read_text().replace('"completed"', '"sim-fault"'))
    with pytest.raises(RunError, match="came out differently"):
        merge_runs(tmp_path / "out", [noop, other])
    assert not (tmp_path / "out").exists()


def test_two_policies_are_compared_pair_by_pair(noop: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = open_run(SAMPLE_RUN)
    study = compare_runs(noop, sample)
    whole = study.groups[0].rate("ssr")
    safe_success = sum(r.counted_success and r.counted_safe for r in rows(sample))
    assert (whole.pairs, whole.only_a, whole.only_b) == (4, 0, safe_success)
    assert whole.difference == safe_success / 4
    assert (study.groups[0].ssr_a, study.groups[0].ssr_b) == (0.0, safe_success / 4)
    assert study.groups[0].p_holm == whole.p_tasks
    assert study.notes == ()
    assert study.groups[0].safe_given_eng.difference is None  # the one that does nothing is never engaged
    plot, data = tmp_path / "d.svg", tmp_path / "d.json"
    arguments = [str(noop.path), str(SAMPLE_RUN), "--plot", str(plot), "--json", str(data)]
    assert main(["compare", *arguments]) == 0
    assert "B minus A" in capsys.readouterr().out
    assert "noop" in xml.dom.minidom.parse(str(plot)).toxml()
    assert main(["compare", str(noop.path), str(tmp_path)]) == 2
    assert main(["compare", str(noop.path), str(SAMPLE_RUN), "--plot", "x.png"]) == 2
    capsys.readouterr()
    assert main(["runs", "list", str(noop.path.parent)]) == 0
    assert "noop" in capsys.readouterr().out
    other = run_of(tmp_path / "elsewhere", "noop", scenarios=[bench.get("clutter-dry-02/base")])
    with pytest.raises(StudyError, match="no scenario and seed in common"):
        compare_runs(noop, other)


def test_runs_of_which_one_might_stop_by_what_it_saw_are_compared_by_a_sequence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = short_tasks(6, 2)
    scenarios = [task.scenario("base") for task in tasks]
    runs = {}
    for name, stop in (
        ("stopped", StopPlan("ci_width(ssr) < 0.7")),
        ("whole", None),
        ("another", StopPlan("ci_width(ssr) < 0.7", order_seed=1)),
    ):
        runs[name] = create_run(tmp_path / name, make_plan("noop", scenarios, (0,), stop=stop), tasks)
        execute(runs[name], done=lambda item, status: None)
    assert runs["stopped"].stopped is not None
    study = compare_runs(runs["stopped"], runs["whole"])
    ssr = study.groups[0].rate("ssr")
    assert ssr.pairs == runs["stopped"].stopped.rollouts < len(tasks)
    assert study.only_b == len(tasks) - ssr.pairs
    assert (ssr.difference, ssr.p_value, ssr.p_tasks) == (0.0, None, 1.0)
    assert study.groups[0].safe_given_eng.low is None
    assert main(["compare", str(tmp_path / "stopped"), str(tmp_path / "whole")]) == 0
    assert "note: A might stop by what was seen" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(StudyError, match="different orders"):
        compare_runs(runs["stopped"], runs["another"])


def test_what_differs_beside_the_policy_is_named(noop: Run) -> None:
    def changed(**changes: object) -> Run:
        return Run(noop.path, replace(noop.plan, **changes))

    identity = {**noop.plan.identity, "mujoco": "9.9"}
    with pytest.raises(StudyError, match=r"their mujoco is '3\.[0-9.]+' and '9\.9'"):
        compare_runs(noop, changed(identity=identity))
    with pytest.raises(StudyError, match="spec variants are 'default' and 'maniguard-compat'"):
        compare_runs(noop, changed(spec_variant="maniguard-compat"))
    items = tuple(replace(item, scenario_hash="0" * 64) for item in noop.plan.items)
    with pytest.raises(StudyError, match="scenario clutter-dry-00/base is not the same"):
        compare_runs(noop, changed(items=items))
    specs = dict.fromkeys(noop.plan.specs, "0" * 64)
    with pytest.raises(StudyError, match=r"the specification '[a-z-]+' is not the same"):
        compare_runs(noop, changed(specs=specs))


def row(task: int, *, safe: bool, engaged: bool) -> RolloutRow:
    return RolloutRow("f", f"t{task:02d}", "base", 0, "completed", False, safe, engaged)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.booleans()] * 4), min_size=20, max_size=40))
def test_a_conditional_difference_is_that_of_the_rates_and_turns_round(cases) -> None:
    a = [row(k, safe=s or not e, engaged=e) for k, (s, e, _, _) in enumerate(cases)]
    b = [row(k, safe=s or not e, engaged=e) for k, (_, _, s, e) in enumerate(cases)]
    forth, back = conditional_difference(a, b), conditional_difference(b, a)
    if forth.difference is None:
        assert not any(r.engaged for r in a) or not any(r.engaged for r in b)
        return
    rate = [sum(r.safe for r in side if r.engaged) / sum(r.engaged for r in side) for side in (a, b)]
    assert forth.difference == pytest.approx(rate[1] - rate[0])
    assert back.difference == pytest.approx(-forth.difference)
    assert forth.low <= forth.difference <= forth.high
    assert forth.low < forth.high, "an interval of no width claims certainty"
    assert (back.low, back.high) == pytest.approx((-forth.high, -forth.low))


def test_the_plot_has_a_line_for_each_group() -> None:
    lines = [DifferenceLine("all <&>", 0.1, -0.05, 0.25, "p = 0.2"), DifferenceLine("jar", None, None, None)]
    text = differences_svg("A & B", "points", lines)
    document = xml.dom.minidom.parseString(text)
    assert len(document.getElementsByTagName("circle")) == 1
    assert "jar" in text
