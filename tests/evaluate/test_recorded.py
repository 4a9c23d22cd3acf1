from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "audit"))

from logs import mapping_values, mug_columns
from worlds import kitchen_xml, simulate, write_demos

from maniguard import report
from maniguard.audit import AuditError, Context, find_recordings
from maniguard.evaluate import PlanError, Run, audit_job, create_audit, execute, open_run, plan_audit, rows
from maniguard.metrics import summarize
from maniguard.spec import load_spec
from maniguard.studies import sensitivity

SPEC = """
format: maniguard-spec/1
name: bowl-care
title: Care for the bowl
summary: The bowl is not dropped, not tipped, and nothing is wiped.
bindings:
  bowl: {category: akita_black_bowl, count: 1}
  glasses: {category: glass, count: 0+}
defaults:
  dropped: {fall: 5 cm, landing_speed: 1 m/s, support_angle: 60 deg, opposing_angle: 120 deg}
propositions:
  bowl_dropped: {predicate: dropped, of: bowl}
  bowl_upright: {predicate: upright, of: bowl, max_tilt: 45 deg}
  glasses_upright: {predicate: upright, of: glasses, quantifier: all, max_tilt: 45 deg}
  bowl_clean: {predicate: clean, of: bowl, share: 90 %}
judging: {post_success: 1 s, episode_clear: 0.5 s, evidence_window: 0.5 s, settled_distance: 2 mm, settled_angle: 1 deg}
constraints:
  not_dropped: {role: bowl, sentence: The bowl is not dropped., formula: G !bowl_dropped, severity: high}
  upright: {role: bowl, sentence: The bowl stays upright., formula: G bowl_upright, severity: medium}
  glasses: {role: glasses, sentence: Glasses stay upright., formula: G glasses_upright, severity: medium}
  cleaned: {role: bowl, sentence: The bowl is clean., formula: F bowl_clean, severity: low}
"""


@pytest.fixture(scope="module")
def spec_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spec") / "care.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three demonstrations, one of them broken, and a file that is no HDF5."""
    path = tmp_path_factory.mktemp("recordings")
    xml = kitchen_xml()
    calm, drop = simulate(xml, 25), simulate(xml, 25, drop_m=0.3)
    demos = {"demo_0": (xml, calm), "demo_1": (xml, drop), "demo_2": (xml, calm[:, :-3])}
    write_demos(path / "bowl_demo.hdf5", demos, rewards={"demo_0": np.eye(25)[20], "demo_1": np.zeros(25)})
    (path / "broken_demo.hdf5").write_bytes(b"\x89HDF\r\n\x1a\n no more")
    return path


def audit(folder: Path, out: Path, spec_file: Path, *, workers: int = 1, require_all: bool = False) -> Run:
    context = Context()
    recordings = find_recordings(folder, context)
    run = create_audit(out, plan_audit(recordings, load_spec(spec_file), context), spec_file)
    job = audit_job(run, recordings, require_all=require_all)
    execute(run, workers=workers, job=job, done=lambda item, status: None)
    return run


@pytest.fixture(scope="module")
def run(folder: Path, spec_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return audit(folder, tmp_path_factory.mktemp("run") / "out", spec_file)


def test_what_cannot_be_read_is_counted_apart_and_the_rest_is_judged(run: Run) -> None:
    assert run.ledger() == {
        "completed": 2, "policy-fault": 0, "sim-fault": 0, "infra-error": 2, "invalid-scene": 0, "pending": 0,
    }  # fmt: skip
    faults = {result["rollout_id"]: result["fault"] for result in run.results() if result["fault"]}
    assert "the states have 44 numbers each" in faults["bowl_demo.recorded.s2"]
    assert "truncated, damaged" in faults["broken_demo.recorded.s0"]


def test_verdicts_success_and_what_could_not_be_judged(run: Run) -> None:
    found = {row.name: row for row in rows(run)}
    calm = next(row for row in found.values() if row.seed == 0 and row.counted)
    dropped = next(row for row in found.values() if row.seed == 1)
    assert (calm.success, calm.safe) == (True, True)
    assert (dropped.success, dropped.safe) == (False, False)
    assert dropped.constraints["not_dropped"].violated
    assert calm.constraints["glasses"].status == "not-applicable"
    assert calm.constraints["cleaned"].status == "not-evaluable(dust_left)"
    overall = summarize(rows(run))["overall"]
    assert overall["n"] == 2
    assert overall["constraints"]["cleaned"]["n"] == 0
    assert overall["constraints"]["cleaned"]["not_evaluable"] == {"not-evaluable(dust_left)": 2}
    assert overall["constraints"]["glasses"]["not_applicable"] == 2


def test_the_result_says_what_a_verdict_rests_on(run: Run) -> None:
    about = run.result("bowl_demo.recorded.s0")["scenario"]["recording"]
    assert about["marks"]["not_dropped"] == [
        "contact_force (recomputed, instantaneous)",
        "contacts (recomputed, instantaneous)",
        "peak_descent_m_s (recomputed, instantaneous)",
    ]
    assert "upright" not in about["marks"]
    assert about["file"] == "bowl_demo.hdf5"
    collector = report.Collector(run)
    view = collector.view()
    assert any("not_dropped rest on channels that nobody measured" in note for note in view.notes)
    page = collector.detail(next(rollout for rollout in view.rollouts if rollout.row.seed == 1))
    sentences = {rule.name: rule.sentence for rule in page.rules}
    assert sentences["not_dropped"].startswith("The bowl is not dropped. Rests on contact_force (recomputed, instant")
    assert sentences["upright"] == "The bowl stays upright."


def test_an_audit_is_an_ordinary_run(run: Run, tmp_path: Path) -> None:
    opened = open_run(run.path)
    assert opened.plan == run.plan
    assert opened.plan.policy == "recorded"
    assert not opened.plan.privileged
    assert report.write_html(opened, tmp_path / "report").is_file()
    assert report.write_parquet(opened, tmp_path / "table.parquet").is_file()
    assert {row.spec for row in sensitivity(opened, factors=(2.0,)).rows} == {"bowl-care"}


def test_workers_and_resuming_change_nothing(folder: Path, run: Run, spec_file: Path, tmp_path: Path) -> None:
    other = audit(folder, tmp_path / "out", spec_file, workers=2)
    other.result_path("bowl_demo.recorded.s1").unlink()
    audit(folder, tmp_path / "out", spec_file)
    for item in run.plan.items:
        assert run.result_path(item.rollout_id).read_bytes() == other.result_path(item.rollout_id).read_bytes()
        if run.trace_path(item.rollout_id).exists():
            assert run.trace_path(item.rollout_id).read_bytes() == other.trace_path(item.rollout_id).read_bytes()


def test_all_required_means_an_error_that_names_them(folder: Path, spec_file: Path, tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"glasses \(not-applicable\), cleaned \(not-evaluable\(dust_left\)\)"):
        audit(folder, tmp_path / "out", spec_file, require_all=True)


def test_a_run_of_ours_is_judged_by_another_specification(run: Run, spec_file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "stricter.yaml"
    changed.write_text(SPEC.replace("fall: 5 cm", "fall: 60 cm").replace("1 m/s", "9 m/s").replace("bowl-care", "lax"))
    again = audit(run.path, tmp_path / "out", changed)
    assert again.ledger()["completed"] == 2
    verdict = next(row for row in rows(again) if row.seed == 1)
    assert verdict.constraints["not_dropped"].violated is False
    first, second = (one.trace("bowl_demo.recorded.s1") for one in (run, again))
    assert first.digest() == second.digest()


def test_two_recordings_of_one_name_are_refused(folder: Path, spec_file: Path) -> None:
    recordings = find_recordings(folder, Context())
    with pytest.raises(PlanError, match=r"two recordings are called bowl_demo\.recorded\.s0"):
        plan_audit([recordings[0], recordings[0]], load_spec(spec_file), Context())


def test_a_surrogate_marks_the_verdict(tmp_path: Path) -> None:
    """Contact by distance with a nominal force makes a drop judgeable, and the verdict says on what."""
    import yaml

    from maniguard.audit import load_mapping, load_recording, marks_of

    np.savez(tmp_path / "pick.npz", **mug_columns())
    surrogates = {
        "contact": {"surrogate": "distance", "max": "1 mm"},
        "contact_force": {"surrogate": "nominal", "force": "1 N"},
    }
    spec = load_spec("clutter-dry")
    for extra, expected in (({}, "not-evaluable(contacts)"), (surrogates, "evaluated")):
        path = tmp_path / "map.yaml"
        path.write_text(yaml.safe_dump(mapping_values(**extra)))
        context = Context(load_mapping(path))
        trace = load_recording(find_recordings(tmp_path / "pick.npz", context)[0], context)
        marks = marks_of(spec, trace.channels)
        absent = trace.channels["contacts"].provenance == "absent"
        assert absent == (expected != "evaluated")
        assert ("contacts (recomputed, instantaneous)" in marks["target_dropped"]) == (not absent)
