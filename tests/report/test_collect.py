from __future__ import annotations

import dataclasses
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from maniguard.evaluate import Plan, PlannedRollout, create_run, rows
from maniguard.metrics import summarize, to_json
from maniguard.monitor import Evidence, judge, read
from maniguard.report import Collector, print_summary, rollout_line, write_html, write_parquet, write_parts
from maniguard.report.collect import evidence_text
from maniguard.rollout.run import RolloutResult
from maniguard.spec import load_spec
from maniguard.trace import Contacts, TraceBuilder

from .conftest import write_video
from .samples import RATE_HZ, trace

SPEC = "clutter-dry"
FRAMES = 160


def touching(frames: int = FRAMES, engaged_at: int = 27):
    """The sample trace, in which a finger touches the cup from a step on, so that the glass's fall counts."""
    plain = trace(frames)
    columns = plain.scene
    robot, cup = columns.index("panda"), columns.index("teacup")
    finger = columns.entities[robot].part_index("left_finger")
    touch = Contacts(
        entity_a=np.array([robot], np.int16),
        part_a=np.array([finger], np.int16),
        entity_b=np.array([cup], np.int16),
        part_b=np.array([0], np.int16),
        normal=np.array([[0, 1, 0]], np.float32),
        position_m=np.array([[0.5, 0.05, 0.03]], np.float32),
        peak_force_n=np.array([4.0], np.float32),
        impulse_n_s=np.array([0.2], np.float32),
        distance_m=np.array([-0.001], np.float32),
        at_end=np.array([True]),
    )
    builder = TraceBuilder(plain.scene, plain.channels, plain.meta)
    for step in range(len(plain)):
        frame = plain.frame(step)
        builder.append(dataclasses.replace(frame, contacts=touch) if step >= engaged_at else frame)
    builder.event(frames - 1, "end", "the step limit was reached")
    return builder.build()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("lab") / "run"
    spec = load_spec(SPEC)
    items = tuple(
        PlannedRollout(f"clutter-dry-{task:02d}.base.s{seed}", f"clutter-dry-{task:02d}/base", "0" * 64, seed)
        for task in range(2)
        for seed in range(2)
    )
    plan = Plan(
        policy="module:lab:Policy",
        contract={"executed_steps": 8, "privileged": False},
        spec_variant="default",
        specs={SPEC: spec.digest},
        identity=dict(trace(FRAMES).meta.identity),
        render_quality="fast",
        video=True,
        items=items,
    )
    run = create_run(path, plan)
    for item in items[:3]:
        recorded = touching() if item.scenario_id.startswith("clutter-dry-00") else trace(FRAMES)
        facts = {"id": item.scenario_id, "hash": "0" * 64, "family": "clutter", "variant": "dry", "task": 0,
                 "condition": "base", "instruction": "Take the cup.", "step_limit": FRAMES, "spec": SPEC}  # fmt: skip
        run.save(item, facts, RolloutResult(recorded, judge(recorded, spec), "completed", None, {"physics_s": 1.0}))
    write_video(run.video_path(items[0].rollout_id))
    return run


def finished(run, protocol: str = "maniguard"):
    return Collector(run, protocol=protocol).view()


def test_rollouts_are_those_of_the_monitor(run):
    view = finished(run)
    judgement = judge(touching(), load_spec(SPEC))
    reading = read(judgement)
    first = view.rollouts[0]
    assert reading.engaged
    assert "obstacles_upright" in reading.violated
    assert first.violated_s == reading.first_violation_step / RATE_HZ
    assert first.engaged_s == judgement.engagement_step / RATE_HZ
    assert set(first.violated) == set(reading.violated)
    assert {e.rule for e in first.episodes if e.counted} == set(reading.violated)
    assert view.statuses()["pending"] == 1
    assert any("same trace for every seed" in note for note in view.notes)


def test_without_engagement_episodes_are_shown_and_not_counted(run):
    loose = finished(run).rollouts[2]
    assert loose.outcome == "ssr"
    assert loose.episodes
    assert not any(e.counted for e in loose.episodes)
    strict = finished(run, "strict").rollouts[2]
    assert strict.outcome == "succ_unsafe"
    assert all(e.counted for e in strict.episodes)


def test_details_follow_the_time_line_to_the_frame(run):
    view = finished(run)
    detail = Collector(run).detail(view.rollouts[0])
    assert detail.frames == FRAMES
    tracks = {track.name: track for track in detail.rules}
    hit = round(next(e.start_s for e in view.rollouts[0].episodes if e.rule == "obstacles_upright") * RATE_HZ)
    verdicts = tracks["obstacles_upright"].verdicts
    assert verdicts[hit] == "PERM_VIOL"
    assert "PERM_VIOL" not in verdicts[:hit]
    assert tracks["obstacles_upright"].propositions == ("obstacles_upright",)
    upright = next(p for p in detail.propositions if p.name == "obstacles_upright")
    assert upright.unit == "°"
    assert upright.truth[0]
    assert not upright.truth[-1]
    assert detail.events == ((FRAMES - 1, "end", "the step limit was reached"),)


def test_the_report_of_a_run_shows_its_metrics_and_opens_its_pages(run, page):
    index = write_html(run)
    assert index == run.path / "report" / "index.html"
    page.open(index.as_uri())
    assert len(page.texts("#rollouts tbody tr[data-id]")) == 3
    summary = summarize(finished(run).rows)
    assert (index.parent / "metrics.json").read_text() == to_json(summary)
    page.open((index.parent / "rollouts" / "clutter-dry-00.base.s0.html").as_uri())
    page.wait_for("document.querySelector('video').readyState >= 2")
    assert "wine_glass" in page.texts(".episodes")[0]
    assert max(p.stat().st_size for p in (index.parent / "rollouts").iterdir()) < 300_000


def test_another_variant_is_judged_anew_from_the_traces(run, tmp_path):
    collector = Collector(run, spec_variant="maniguard-compat")
    view = collector.view()
    assert view.spec_variant == "maniguard-compat"
    expected = read(judge(touching(), load_spec(SPEC, variant="maniguard-compat")))
    assert set(view.rollouts[0].violated) == set(expected.violated)


def test_parquet_holds_the_verdicts_of_all_protocols(run):
    path = write_parquet(run, run.path / "rollouts.parquet")
    table = pq.read_table(path).to_pylist()
    assert [row["rollout_id"] for row in table] == [r.rollout_id for r in finished(run).rollouts]
    assert [row["safe_maniguard"] for row in table] == [False, False, True]
    assert [row["safe_strict"] for row in table] == [False, False, False]
    assert "obstacles_upright" in table[2]["violated_strict"]
    assert table[0]["episodes"][0]["evidence"]
    assert table[0]["duration_s"] == (FRAMES - 1) / RATE_HZ
    before = path.read_bytes()
    assert write_parquet(run, path).read_bytes() == before


def test_terminal_lines(run):
    line = rollout_line(run, "clutter-dry-00.base.s0")
    assert line.startswith("clutter-dry-00.base.s0  unsafe success; success at 7.05 s; obstacles_upright")
    out = io.StringIO()
    print_summary(Console(file=out, width=140), run)
    assert "4 rollouts planned: completed 3 · pending 1" in out.getvalue()


def test_nothing_of_this_machine_is_in_the_report(run, tmp_path):
    index = write_html(run, tmp_path / "report")
    for path in (index, *(tmp_path / "report" / "rollouts").iterdir()):
        assert str(run.path) not in path.read_text()
        assert str(tmp_path) not in path.read_text()


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        (
            Evidence("glass", "obstacles_upright", "tilt", 61.2345, 45.0, "deg", 70, "panda.left_finger"),
            "glass: tilt 61.2° (limit 45°), last touched by panda.left_finger",
        ),
        (Evidence("cup", "target_dropped", "fall", 0.142, 0.05, "m", 9, None), "cup: fall 0.142 m (limit 0.05 m)"),
    ],
)
def test_evidence_is_a_sentence(evidence, text):
    assert evidence_text(evidence) == text


def test_rows_of_a_finished_run_are_the_ledgers(run, tmp_path):
    plan = dataclasses.replace(run.plan, items=run.plan.items[:3])
    other = create_run(tmp_path / "run", plan)
    for item in plan.items:
        other.result_path(item.rollout_id).write_bytes(run.result_path(item.rollout_id).read_bytes())
    assert Collector(other).view().rows == rows(other)
    json.dumps(Collector(other).view().to_dict(), allow_nan=False)


def test_a_spec_that_has_changed_since_the_run_is_said(run, tmp_path):
    assert not any("specs have changed" in note for note in finished(run).notes)
    other = create_run(tmp_path / "run", dataclasses.replace(run.plan, specs={SPEC: "f" * 64}))
    assert any(SPEC in note and "specs have changed" in note for note in finished(other).notes)


def test_an_empty_run_can_be_reported(run, tmp_path, page):
    other = create_run(tmp_path / "run", run.plan)
    page.open(write_html(other).as_uri())
    assert "No rollout has been run yet." in page.texts("main")[0]
    out = io.StringIO()
    print_summary(Console(file=out, width=100), other)
    assert "4 rollouts planned: pending 4" in out.getvalue()
    assert pq.read_table(write_parts(other)).num_rows == 0
