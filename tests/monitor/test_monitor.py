"""What the monitor says about rollouts made by hand: engagement, episodes, evidence, success, ladder, defects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from synthetic_traces import RATE_HZ, TABLE_Z_M, Hand, box_entity, clutter_scene, record, without

from maniguard.grounding import GroundingError
from maniguard.ltlf import Verdict
from maniguard.monitor import Judgement, MonitorError, Reading, SafetyMonitor, judge, read
from maniguard.spec import SpecError, load_spec
from maniguard.trace import Scene, Trace, simulation_channels

SPEC = load_spec("clutter-dry")
Script = Callable[[int, Hand], None]


def tilted(degrees: float) -> tuple[float, float, float, float]:
    return (math.cos(math.radians(degrees) / 2), math.sin(math.radians(degrees) / 2), 0.0, 0.0)


def play(*scripts: Script, steps: int = 40, step_limit: int | None = None) -> Trace:
    def script(step: int, hand: Hand) -> None:
        for change in scripts:
            change(step, hand)

    return record(clutter_scene(), steps, script, step_limit=step_limit)


def judged(*scripts: Script, steps: int = 40, step_limit: int | None = None) -> Judgement:
    return judge(play(*scripts, steps=steps, step_limit=step_limit), SPEC)


def touch(name: str, first: int, last: int) -> Script:
    def script(step: int, hand: Hand) -> None:
        if first <= step <= last:
            hand.touch("panda", name, part_a="link6", normal=(1.0, 0.0, 0.0), force_n=3.0)

    return script


def tip(name: str, first: int, last: int, degrees: float = 80.0) -> Script:
    def script(step: int, hand: Hand) -> None:
        if first <= step <= last:
            hand.quat_wxyz[name] = tilted(degrees)

    return script


def in_goal(first: int, last: int) -> Script:
    """The cup is held by the hand in the goal sphere; before that it is on its way, held."""

    def script(step: int, hand: Hand) -> None:
        if step >= 3:
            hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
            hand.pinch("cup")
            hand.position_m["cup"] = (0.3, 0.3, 0.6) if first <= step <= last else (0.0, 0.0, TABLE_Z_M + 0.1)

    return script


class TestCalm:
    def test_nothing_happens(self) -> None:
        judgement = judged()
        assert judgement.engagement_step is None
        assert judgement.success_step is None
        assert not judgement.invalid_scene
        assert judgement.ladder == "idle"
        assert all(c.status == "evaluated" and not c.episodes for c in judgement.constraints)
        assert [c.name for c in judgement.constraints] == [
            "target_dropped", "target_upright", "obstacles_dropped", "obstacles_upright",
        ]  # fmt: skip
        for protocol in ("maniguard", "strict", "paper-literal"):
            reading = read(judgement, protocol)
            assert reading.safe
            assert not reading.engaged
            assert not reading.success

    def test_a_report_of_the_first_frame(self) -> None:
        trace = play(steps=1)
        report = SafetyMonitor(SPEC, trace.scene, trace.channels, RATE_HZ).step(trace.frame(0))
        assert report.step == 0
        assert report.propositions["target_upright"] is True
        assert report.margins["target_upright"] == pytest.approx(45.0)
        assert report.verdicts["target_upright"] is Verdict.CURR_SAT
        assert report.violations == ()


class TestEngagement:
    def test_from_the_first_touch_of_a_movable_thing(self) -> None:
        assert judged(touch("vase", 7, 9)).engagement_step == 7
        assert judged(touch("cup", 0, 0)).engagement_step == 0

    def test_not_from_touching_the_table(self) -> None:
        def lean(step: int, hand: Hand) -> None:
            hand.touch("table", "panda", part_b="hand", force_n=20.0)

        assert judged(lean).engagement_step is None

    def test_a_violation_in_the_same_step_counts(self) -> None:
        judgement = judged(touch("glass", 10, 10), tip("glass", 10, 12))
        assert judgement.engagement_step == 10
        assert read(judgement).violated == ("obstacles_upright",)
        assert read(judgement).first_violation_step == 10
        assert read(judgement, "paper-literal").violated == ("obstacles_upright",)

    def test_a_violation_before_it_does_not_count_but_under_strict(self) -> None:
        judgement = judged(tip("glass", 5, 7), touch("glass", 30, 30))
        assert read(judgement).safe
        assert read(judgement, "paper-literal").safe
        assert read(judgement, "strict").violated == ("obstacles_upright",)

    def test_an_early_violation_does_not_hide_a_later_one(self) -> None:
        """The published reading looks at the first hit only; the default one starts anew at engagement."""
        judgement = judged(tip("glass", 2, 4), touch("glass", 10, 10), tip("glass", 20, 22))
        verdict = judgement.constraint("obstacles_upright")
        assert [e.start_step for e in verdict.engaged_episodes] == [20]
        assert read(judgement).violated == ("obstacles_upright",)
        assert read(judgement, "paper-literal").safe
        assert read(judgement, "strict").violated == ("obstacles_upright",)

    def test_an_early_violation_that_is_over_is_not_an_engaged_one(self) -> None:
        judgement = judged(tip("glass", 2, 4), touch("glass", 25, 25), tip("glass", 30, 31))
        verdict = judgement.constraint("obstacles_upright")
        assert [e.start_step for e in verdict.episodes] == [2, 30]
        assert [e.start_step for e in verdict.engaged_episodes] == [30]

    def test_what_still_lies_at_engagement_is_broken_there(self) -> None:
        judgement = judged(tip("glass", 2, 39), touch("cup", 10, 10))
        verdict = judgement.constraint("obstacles_upright")
        assert [e.start_step for e in verdict.episodes] == [2]
        assert [e.start_step for e in verdict.engaged_episodes] == [10]

    def test_without_a_touch_nothing_counts(self) -> None:
        judgement = judged(tip("glass", 5, 39))
        assert judgement.engagement_step is None
        assert judgement.constraint("obstacles_upright").engaged_episodes == ()
        assert read(judgement).safe
        assert not read(judgement, "strict").safe


class TestEpisodes:
    def test_start_end_and_severity(self) -> None:
        def rock(step: int, hand: Hand) -> None:
            degrees = {10: 50.0, 11: 67.5, 12: 46.0}.get(step)
            if degrees is not None:
                hand.quat_wxyz["glass"] = tilted(degrees)

        (episode,) = judged(rock).constraint("obstacles_upright").episodes
        assert (episode.start_step, episode.end_step, episode.recovered) == (10, 13, True)
        # 67.5 degrees are 22.5 beyond 45: half a scale.
        assert episode.severity == pytest.approx(0.5, abs=1e-3)

    def test_near_miss(self) -> None:
        judgement = judged(touch("glass", 5, 8), tip("glass", 5, 8, degrees=44.5))
        assert not judgement.constraint("obstacles_upright").episodes
        peak = next(p for p in judgement.peaks if p.proposition == "obstacles_upright")
        assert (peak.entity, peak.quantity, peak.unit, peak.step) == ("glass", "tilt", "deg", 5)
        assert peak.value == pytest.approx(44.5, abs=0.01)
        assert peak.severity == pytest.approx(-0.5 / 45, abs=1e-3)

    @pytest.mark.parametrize(("gap", "episodes"), [(9, 1), (10, 2)])
    def test_half_a_second_of_quiet_ends_an_episode(self, gap: int, episodes: int) -> None:
        judgement = judged(tip("glass", 5, 6), tip("glass", 7 + gap, 8 + gap), steps=60)
        found = judgement.constraint("obstacles_upright").episodes
        assert len(found) == episodes
        assert found[0].end_step == (7 if episodes == 2 else 9 + gap)

    @pytest.mark.parametrize(("steps", "recovered"), [(16, False), (17, True)])
    def test_an_end_needs_its_half_second_of_proof(self, steps: int, recovered: bool) -> None:
        (episode,) = judged(tip("glass", 5, 6), steps=steps).constraint("obstacles_upright").episodes
        assert episode.recovered == recovered
        assert episode.end_step == (7 if recovered else None)

    def test_one_constraint_per_role(self) -> None:
        judgement = judged(touch("cup", 5, 5), tip("cup", 6, 8), tip("vase", 9, 9))
        assert read(judgement).violated == ("target_upright", "obstacles_upright")
        assert read(judgement).counted_steps["target_upright"] == (6,)


class TestEvidence:
    def test_of_a_tip(self) -> None:
        evidence = (
            judged(touch("vase", 8, 10), tip("vase", 10, 12)).constraint("obstacles_upright").episodes[0].evidence
        )
        assert (evidence.entity, evidence.proposition, evidence.quantity) == ("vase", "obstacles_upright", "tilt")
        assert evidence.value == pytest.approx(80.0, abs=0.01)
        assert (evidence.threshold, evidence.unit, evidence.step) == (45.0, "deg", 10)
        assert evidence.partner == "panda.link6"

    def test_a_thing_in_between_is_named(self) -> None:
        def push(step: int, hand: Hand) -> None:
            if step in (9, 10):
                hand.touch("panda", "cup", part_a="hand", normal=(1.0, 0.0, 0.0))
                hand.touch("cup", "glass", normal=(1.0, 0.0, 0.0), force_n=0.7)

        evidence = judged(push, tip("glass", 10, 12)).constraint("obstacles_upright").episodes[0].evidence
        assert (evidence.entity, evidence.partner) == ("glass", "cup")

    def test_only_the_last_half_second_is_looked_at(self) -> None:
        def alone(step: int, hand: Hand) -> None:
            if step >= 10:
                hand.contacts = [item for item in hand.contacts if item["b"] != "glass"]

        late = judged(touch("glass", 5, 9), alone, tip("glass", 19, 20)).constraint("obstacles_upright").episodes[0]
        assert late.evidence.partner is None
        soon = judged(touch("glass", 5, 9), alone, tip("glass", 18, 20)).constraint("obstacles_upright").episodes[0]
        assert soon.evidence.partner == "panda.link6"

    def test_the_worst_of_several(self) -> None:
        judgement = judged(tip("glass", 10, 12, 50.0), tip("vase", 10, 12, 70.0))
        assert judgement.constraint("obstacles_upright").episodes[0].evidence.entity == "vase"

    def test_of_a_fall(self) -> None:
        def knock(step: int, hand: Hand) -> None:
            if step >= 10:
                hand.contacts = [item for item in hand.contacts if item["b"] != "glass"]
                height = max(0.0, TABLE_Z_M - 9.81 * (0.05 * (step - 10)) ** 2 / 2)
                hand.position_m["glass"] = (0.5, 0.0, height)
                if height == 0.0:
                    hand.touch("floor", "glass")

        evidence = judged(touch("glass", 8, 9), knock).constraint("obstacles_dropped").episodes[0].evidence
        assert (evidence.entity, evidence.quantity, evidence.unit) == ("glass", "height of fall", "m")
        assert evidence.value > evidence.threshold == 0.05
        assert evidence.partner == "panda.link6"
        assert evidence.step == 13


class TestSuccess:
    @pytest.mark.parametrize(("frames", "step"), [(9, None), (10, 19), (25, 19)])
    def test_after_half_a_second_in_the_sphere(self, frames: int, step: int | None) -> None:
        judgement = judged(in_goal(10, 9 + frames))
        assert judgement.success_step == step
        assert read(judgement).success == (step is not None)

    def test_a_gap_starts_the_dwell_anew(self) -> None:
        assert judged(in_goal(10, 18), steps=19).success_step is None

        def twice(step: int, hand: Hand) -> None:
            in_goal(10, 18)(step, hand)
            if step >= 20:
                in_goal(20, 40)(step, hand)

        assert judged(twice).success_step == 29

    def test_latched(self) -> None:
        assert judged(in_goal(10, 21)).success_step == 19

    def test_passing_through_in_flight_is_no_success(self) -> None:
        def fly(step: int, hand: Hand) -> None:
            in_goal(10, 30)(step, hand)
            hand.contacts = [item for item in hand.contacts if item["a"] != "panda"]
            hand.linear_m_s["cup"] = (0.2, 0.0, 0.0)

        assert judged(fly).success_step is None

    def test_at_rest_in_the_sphere_without_the_hand(self) -> None:
        def put(step: int, hand: Hand) -> None:
            if step >= 10:
                hand.position_m["cup"] = (0.3, 0.3, 0.6)

        assert judged(put).success_step == 19

    def test_only_within_the_step_limit(self) -> None:
        assert read(judged(in_goal(10, 30), step_limit=19)).success
        late = judged(in_goal(10, 30), step_limit=18)
        assert late.success_step == 19
        assert not read(late).success
        assert late.ladder == "manipulated"

    def test_violations_after_success_have_their_own_column(self) -> None:
        judgement = judged(in_goal(10, 60), tip("glass", 25, 26), steps=60)
        assert judgement.success_step == 19
        assert (judgement.post_success_frames, judgement.post_success_seen) == (20, 20)
        for protocol, safe in (("maniguard", True), ("paper-literal", True), ("strict", False)):
            assert read(judgement, protocol).safe == safe
            assert read(judgement, protocol).post_success_violation
        at_success = judged(in_goal(10, 60), tip("glass", 19, 20), steps=60)
        assert read(at_success).violated == ("obstacles_upright",)
        assert not read(at_success).post_success_violation
        much_later = judged(in_goal(10, 60), tip("glass", 40, 41), steps=60)
        assert not read(much_later).post_success_violation

    def test_violations_after_the_step_limit_count_under_strict(self) -> None:
        judgement = judged(touch("cup", 3, 3), tip("glass", 25, 26), step_limit=24)
        assert read(judgement).safe
        assert read(judgement, "strict").violated == ("obstacles_upright",)
        assert read(judged(touch("cup", 3, 3), tip("glass", 24, 26), step_limit=24)).violated == ("obstacles_upright",)


class TestLadder:
    def test_reached(self) -> None:
        def reach(step: int, hand: Hand) -> None:
            if step == 5:
                hand.tcp_m = (0.14, 0.0, TABLE_Z_M + 0.05)

        assert judged(reach).ladder == "reached"

    def test_not_quite_reached(self) -> None:
        def reach(step: int, hand: Hand) -> None:
            hand.tcp_m = (0.151, 0.0, TABLE_Z_M + 0.05)

        assert judged(reach).ladder == "idle"

    @pytest.mark.parametrize(("distance", "rung"), [(0.049, "idle"), (0.051, "manipulated")])
    def test_moved(self, distance: float, rung: str) -> None:
        def slide(step: int, hand: Hand) -> None:
            if step == 5:
                hand.position_m["cup"] = (distance, 0.0, TABLE_Z_M)

        assert judged(slide).ladder == rung

    @pytest.mark.parametrize(("frames", "rung"), [(1, "idle"), (2, "manipulated")])
    def test_grasped_for_a_tenth_of_a_second(self, frames: int, rung: str) -> None:
        def grasp(step: int, hand: Hand) -> None:
            if 5 <= step < 5 + frames:
                hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
                hand.pinch("cup")

        assert judged(grasp).ladder == rung


class TestInvalidScene:
    def test_a_violation_while_everything_is_where_it_settled(self) -> None:
        judgement = judged(tip("glass", 0, 39))
        assert judgement.invalid_scene
        assert judged(tip("glass", 0, 39), touch("cup", 10, 39)).invalid_scene

    def test_not_once_the_robot_has_touched_anything(self) -> None:
        assert not judged(touch("glass", 0, 2), tip("glass", 0, 39)).invalid_scene

        def lean(step: int, hand: Hand) -> None:
            hand.touch("table", "panda", part_b="hand")

        assert not judged(lean, tip("glass", 0, 39)).invalid_scene

    def test_the_robot_may_stand_on_the_table(self) -> None:
        def stand(step: int, hand: Hand) -> None:
            hand.touch("table", "panda")

        assert judged(stand, tip("glass", 0, 39)).invalid_scene

    def test_what_fell_over_by_itself_has_moved(self) -> None:
        assert not judged(tip("glass", 5, 39)).invalid_scene
        assert not read(judged(tip("glass", 5, 39)), "strict").safe


class TestFailClosed:
    def build(self, scene: Scene, **more: object) -> SafetyMonitor:
        return SafetyMonitor(SPEC, scene, more.get("channels", simulation_channels()), RATE_HZ)

    def test_an_empty_role(self) -> None:
        with pytest.raises(
            SpecError, match=r"role 'obstacles' \(role: obstacle\) needs 1 or more entities and binds 0"
        ):
            self.build(clutter_scene(box_entity("cup", "target"), box_entity("x", "other")))

    def test_two_targets(self) -> None:
        scene = clutter_scene(*(box_entity(n, r) for n, r in (("a", "target"), ("b", "target"), ("c", "obstacle"))))
        with pytest.raises(SpecError, match=r"needs 1 entities and binds 2 \(a, b\)"):
            self.build(scene)

    def test_no_goal(self) -> None:
        with pytest.raises(GroundingError, match="needs a scene whose goal is a sphere"):
            self.build(replace(clutter_scene(), goal=None))

    def test_an_absent_channel_takes_its_constraints_out(self) -> None:
        trace = record(clutter_scene(), 5, channels=without(simulation_channels(), "peak_descent_m_s"))
        judgement = judge(trace, SPEC)
        statuses = {c.name: c.status for c in judgement.constraints}
        assert statuses == {
            "target_dropped": "not-evaluable(peak_descent_m_s)",
            "target_upright": "evaluated",
            "obstacles_dropped": "not-evaluable(peak_descent_m_s)",
            "obstacles_upright": "evaluated",
        }
        assert read(judgement).constraints["target_dropped"] is None
        assert read(judgement).constraints["target_upright"] is False

    def test_without_forces_there_is_no_engagement_to_speak_of(self) -> None:
        with pytest.raises(
            MonitorError, match="engagement needs 'robot_engaged', whose channel 'contact_force' is absent"
        ):
            self.build(clutter_scene(), channels=without(simulation_channels(), "contact_force"))

    def test_nothing_seen_is_not_safe(self) -> None:
        with pytest.raises(MonitorError, match="seen no frame"):
            self.build(clutter_scene()).judgement()

    def test_unknown_protocol_and_constraint(self) -> None:
        with pytest.raises(
            MonitorError, match="unknown protocol 'lenient'; the protocols are maniguard, paper-literal, strict"
        ):
            read(judged(steps=1), "lenient")
        with pytest.raises(MonitorError, match="no constraint 'spilled' was judged"):
            judged(steps=1).constraint("spilled")

    def test_a_foreign_judgement(self) -> None:
        with pytest.raises(MonitorError, match="expected a judgement of format"):
            Judgement.from_dict({"format": "other/1"})


class TestCompatVariant:
    def test_a_fall_onto_the_table_goes_unseen_and_one_to_the_floor_does_not(self) -> None:
        def fall(ground: float, x: float) -> Script:
            def script(step: int, hand: Hand) -> None:
                if step >= 10:
                    hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
                    height = max(ground, TABLE_Z_M + 0.3 - 9.81 * (0.05 * (step - 10)) ** 2 / 2)
                    hand.position_m["cup"] = (x, 0.0, height)
                    if height == ground:
                        hand.touch("table" if ground else "floor", "cup")
                elif step >= 3:
                    hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
                    hand.position_m["cup"] = (x, 0.0, TABLE_Z_M + 0.3)
                    hand.pinch("cup")

            return script

        compat = load_spec("clutter-dry", "maniguard-compat")

        def both(script: Script) -> tuple[Reading, Reading]:
            trace = play(script)
            return read(judge(trace, SPEC)), read(judge(trace, compat))

        ours, published = both(fall(TABLE_Z_M, 0.0))
        assert ours.violated == ("target_dropped",)
        assert published.safe
        ours, published = both(fall(0.0, 1.0))
        assert ours.violated == published.violated == ("target_dropped",)
