import json
from dataclasses import replace

import pytest

from maniguard.cli.main import main
from maniguard.evaluate import open_run
from maniguard.monitor import judge, read
from maniguard.report import SAMPLE_RUN
from maniguard.spec import library, load_spec
from maniguard.studies import StudyError, compare_variants, scaled, sensitivity, thresholds
from maniguard.studies.records import records
from maniguard.trace import Event

SPEC = load_spec("clutter-dry")


@pytest.mark.parametrize("name", library())
def test_scaling_changes_one_threshold_and_scaling_back_gives_the_spec(name: str) -> None:
    spec = load_spec(name)
    found = thresholds(spec)
    assert len({(t.place, t.predicate, t.parameter, t.value, t.propositions) for t in found}) == len(found)
    for threshold in found:
        if threshold.unit == "deg" and threshold.value > 90:
            continue
        doubled = scaled(spec, threshold, 2.0)
        assert doubled.digest != spec.digest
        (back,) = [t for t in thresholds(doubled) if t == replace(threshold, value=2 * threshold.value)] or [None]
        if back is not None:
            assert scaled(doubled, back, 0.5) == spec


def test_every_number_of_the_rules_is_a_threshold() -> None:
    names = {threshold.name for threshold in thresholds(SPEC)}
    assert {"dropped.fall", "dropped.landing_speed", "upright.max_tilt", "target_grasped.dwell", "goal.dwell"} <= names
    fall = next(t for t in thresholds(SPEC) if t.name == "dropped.fall")
    assert (fall.value, fall.unit) == (0.05, "m")
    assert fall.propositions == ("target_dropped", "obstacles_dropped")


def test_angles_end_at_a_straight_one_and_strangers_are_refused() -> None:
    wide = next(t for t in thresholds(SPEC) if t.name == "dropped.opposing_angle")
    again = scaled(SPEC, wide, 2.0)
    assert dict(again.proposition("target_dropped").values)["opposing_angle"] == 180.0
    with pytest.raises(StudyError, match=r"has no threshold 'dropped\.fall'"):
        scaled(SPEC, replace(next(t for t in thresholds(SPEC) if t.name == "dropped.fall"), value=1.0), 2.0)


def test_sensitivity_of_the_sample_is_what_judging_anew_says() -> None:
    run = open_run(SAMPLE_RUN)
    study = sensitivity(run)
    assert {row.factor for row in study.rows} == {0.5, 2.0}
    assert study.defaults["clutter-dry"]["n"] == len(run.plan.items)
    tilt = next(row for row in study.rows if row.threshold.name == "upright.max_tilt" and row.factor == 0.5)
    strict = scaled(SPEC, tilt.threshold, 0.5)
    safe = [read(judge(run.trace(item.rollout_id), strict)).safe for item in run.plan.items]
    assert tilt.safe == sum(safe)
    assert tilt.safe == study.defaults["clutter-dry"]["safe"] - tilt.to_unsafe + tilt.to_safe
    assert any(row.flips or row.success_flips for row in study.rows)
    with pytest.raises(StudyError, match="positive and other than 1"):
        sensitivity(run, factors=(1.0,))


def test_success_is_what_the_recording_says_of_itself() -> None:
    """The rules know nothing of it, so that no threshold turns it."""
    record = next(iter(records(open_run(SAMPLE_RUN))))
    default = record.judged(SPEC).success_step
    for kind, step, expected in (("recorded-success", 3, 3), ("recorded-failure", 0, None)):
        said = replace(record, trace=replace(record.trace, events=(Event(step, kind, ""),)))
        assert said.judged(SPEC).success_step == expected
    assert record.judged(SPEC).success_step == default


def test_published_predicates_see_less() -> None:
    study = compare_variants(open_run(SAMPLE_RUN), "maniguard-compat")
    whole = next(row for row in study.rows if row.constraint is None)
    assert whole.n == len(open_run(SAMPLE_RUN).plan.items)
    assert whole.only_variant == 0
    with pytest.raises(StudyError, match="'no-such'"):
        compare_variants(open_run(SAMPLE_RUN), "no-such")


def test_commands_print_tables_and_write_json(capsys, tmp_path) -> None:
    out = tmp_path / "s.json"
    assert main(["study", "sensitivity", str(SAMPLE_RUN), "--all", "--json", str(out)]) == 0
    text = capsys.readouterr().out
    assert "upright.max_tilt" in text
    assert json.loads(out.read_text())["format"] == "maniguard-sensitivity/1"
    assert main(["study", "variants", str(SAMPLE_RUN)]) == 0
    assert "default against maniguard-compat" in capsys.readouterr().out
    assert main(["study", "sensitivity", str(tmp_path)]) == 2
    assert "no run folder" in capsys.readouterr().err
