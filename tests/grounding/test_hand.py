"""Known-true, known-false and near-miss cases of the predicates about the hand and about moving joints."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from synthetic_traces import TABLE_Z_M, Hand, box_entity, clutter_scene, furnished_scene, panda_entity, record

from maniguard.grounding import Atom, Grounder, GroundingError
from maniguard.trace import Box, Entity, Joint, Part, Pose, Region, Scene

SPEED = (("min_spin", 5.0), ("min_speed", 0.02))


def series(
    steps: int,
    script: Callable[[int, Hand], None],
    predicate: str,
    *values: tuple[str, float],
    of: str = "cup",
    to: tuple[str, ...] = (),
    scene: Scene | None = None,
) -> np.ndarray:
    trace = record(scene or clutter_scene(), steps, lambda step, hand: script(step, hand))
    atom = Atom("p", predicate, (of,), to, values)
    stepped = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom])
    rows = np.array([stepped.step(frame)[1].margins[0] for frame in trace.frames()])
    batch = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom]).run(trace)[1].margins[:, 0]
    assert rows.tobytes() == batch.tobytes()
    return rows


def cabinet() -> Entity:
    """A cabinet with one drawer of 10 cm travel towards -x, whose handle box is known; nothing moves it about."""
    return Entity(
        name="cabinet",
        kind="articulated",
        category="cabinet",
        role="fixture",
        parts=(Part("body"), Part("drawer", moving=True, boxes=(Box((-0.2, 0.0, 0.1), (0.01, 0.05, 0.01)),))),
        joints=(Joint("slide", "slide", 0.0, 0.1, "drawer"),),
        boxes=(Box((0.0, 0.0, 0.1), (0.15, 0.15, 0.1)),),
        interior=Region("box", (0.1, 0.1, 0.05), Pose((0.0, 0.0, 0.1))),
    )


def furnished() -> Scene:
    return clutter_scene(box_entity("cup", "target"), cabinet())


class TestApproached:
    values = (("distance", 0.05), ("min_speed", 0.02))

    def at(self, *distances_m: float) -> np.ndarray:
        def script(step: int, hand: Hand) -> None:
            # The cup's side is at x = 0.03.
            hand.tcp_m = (0.03 + distances_m[step], 0.0, TABLE_Z_M + 0.05)

        return series(len(distances_m), script, "approached", *self.values)

    def test_coming_near_is_true_from_the_second_frame(self) -> None:
        assert (self.at(0.06, 0.048, 0.03) > 0).tolist() == [False, True, True]

    def test_staying_near_and_drawing_back_are_not(self) -> None:
        assert not (self.at(0.03, 0.03, 0.035) > 0).any()

    def test_just_too_far_and_just_too_slow_are_near_misses(self) -> None:
        assert -0.1 < self.at(0.06, 0.0505)[1] <= 0
        assert -0.2 < self.at(0.04, 0.04 - 0.0009)[1] <= 0

    def test_a_fixture_is_approached_at_what_moves(self) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.part_position_m["cabinet", "drawer"] = (-0.05, 0.0, 0.0)
            hand.tcp_m = (-0.30 + 0.01 * step, 0.0, 0.1)

        assert series(3, script, "approached", *self.values, of="cabinet", scene=furnished())[2] > 0


class TestGripperOpens:
    def at(self, *openings_m: float) -> np.ndarray:
        def script(step: int, hand: Hand) -> None:
            hand.opening_m = openings_m[step]

        return series(len(openings_m), script, "gripper_opens", ("min_speed", 0.02), of="panda")

    def test_apart_together_and_barely(self) -> None:
        found = self.at(0.03, 0.035, 0.02, 0.0209, 0.0211)
        assert (found > 0).tolist() == [False, True, False, False, False]
        assert found[3] == pytest.approx(-0.002, abs=1e-4)

    def test_it_is_about_robots(self) -> None:
        with pytest.raises(GroundingError, match="'cup' is none"):
            series(1, lambda step, hand: None, "gripper_opens", ("min_speed", 0.02))


class TestSlipped:
    values = (("max_shift", 0.03), ("max_turn", 17.0), ("window", 0.5))

    def moved(self, *offsets_m: float) -> np.ndarray:
        """The hand carries the cup along and lets it slip down by these distances."""

        def script(step: int, hand: Hand) -> None:
            hand.tcp_m = (0.01 * step, 0.0, 0.6)
            hand.position_m["cup"] = (0.01 * step, 0.0, 0.55 - offsets_m[step])

        return series(len(offsets_m), script, "slipped", *self.values)

    def test_carrying_is_no_slip(self) -> None:
        assert (self.moved(*[0.0] * 30) == -1.0).all() or (self.moved(*[0.0] * 30) < -0.99).all()

    def test_a_sudden_slip_is_true_for_the_window_and_then_forgotten(self) -> None:
        found = self.moved(*[0.0] * 10, *[0.035] * 20) > 0
        assert not found[:10].any()
        assert found[10:20].all()
        assert not found[20:].any()

    def test_a_slow_slip_is_seen_although_no_frame_moves_much(self) -> None:
        slow = [0.004 * step for step in range(30)]
        assert self.moved(*slow)[20] > 0
        assert max(np.diff(slow)) < 0.005

    def test_a_slower_one_is_a_near_miss(self) -> None:
        found = self.moved(*[0.0029 * step for step in range(30)])
        assert -0.1 < found.max() < 0

    def test_a_slow_swing_of_twenty_degrees_is_seen(self) -> None:
        def script(step: int, hand: Hand) -> None:
            angle = math.radians(2.0 * step)
            hand.tcp_m = (0.0, 0.0, 0.6)
            hand.position_m["cup"] = (0.0, 0.0, 0.55)
            hand.quat_wxyz["cup"] = (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)

        assert series(12, script, "slipped", *self.values)[11] > 0

    def test_turning_the_hand_with_it_is_no_slip(self) -> None:
        def script(step: int, hand: Hand) -> None:
            half = math.radians(3.0 * step) / 2
            turn = (math.cos(half), 0.0, 0.0, math.sin(half))
            hand.tcp_m, hand.tcp_quat = (0.0, 0.0, 0.6), turn
            hand.position_m["cup"], hand.quat_wxyz["cup"] = (0.0, 0.0, 0.55), turn

        assert (series(20, script, "slipped", *self.values) < -0.99).all()


class TestReachedInto:
    @pytest.mark.parametrize(("x", "expected"), [(0.0, True), (0.085, True), (0.0905, False), (0.3, False)])
    def test_depth(self, x: float, expected: bool) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.tcp_m = (x, 0.0, 0.1)

        found = series(1, script, "reached_into", ("min_depth", 0.01), of="cabinet", scene=furnished())[0]
        assert (found > 0) == expected
        assert found == pytest.approx(min(0.1 - x, 0.05) - 0.01, abs=1e-6)

    def test_the_interior_moves_with_the_drawer(self) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.part_position_m["cabinet", "drawer"] = (-0.1, 0.0, 0.0)
            hand.tcp_m = (-0.15, 0.0, 0.1)

        assert series(1, script, "reached_into", ("min_depth", 0.01), of="cabinet", scene=furnished())[0] > 0


class TestStill:
    @pytest.mark.parametrize(
        ("speed", "spin_deg", "expected"),
        [(0.0, 0.0, True), (0.049, 13.0, True), (0.051, 0.0, False), (0.0, 14.5, False)],
    )
    def test_both_must_be_slow(self, speed: float, spin_deg: float, expected: bool) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.linear_m_s["cup"] = (speed, 0.0, 0.0)
            hand.angular_rad_s["cup"] = (0.0, 0.0, math.radians(spin_deg))

        assert (series(1, script, "still", ("max_speed", 0.05), ("max_spin", 14.0))[0] > 0) == expected


class TestWayBlocked:
    def at(self, y: float) -> float:
        def script(step: int, hand: Hand) -> None:
            hand.tcp_m = (0.4, 0.0, TABLE_Z_M + 0.05)
            hand.position_m["glass"] = (0.2, y, TABLE_Z_M)

        return float(series(1, script, "way_blocked", ("clearance", 0.02), to=("cup", "glass"))[0])

    def test_in_the_way_beside_it_and_just_clear(self) -> None:
        assert self.at(0.0) > 0
        assert self.at(0.04) > 0  # its side is 1 cm from the way
        assert -0.005 < self.at(0.053) <= 0
        assert self.at(0.5) < -0.015

    def test_a_thing_does_not_block_the_way_to_itself(self) -> None:
        alone = series(1, lambda step, hand: None, "way_blocked", ("clearance", 0.02), to=("cup",))
        assert alone[0] < 0


class TestAbove:
    def at(self, x: float, z: float = 0.3) -> float:
        def script(step: int, hand: Hand) -> None:
            hand.position_m["cup"] = (0.15 + x, 0.0, TABLE_Z_M + z)

        return float(series(1, script, "above", ("margin", 0.01), to=("glass",))[0])

    def test_over_beside_and_below(self) -> None:
        assert self.at(0.0) > 0
        assert self.at(0.035) > 0  # the edge is at 3 cm, and 1 cm is allowed
        assert -0.005 < self.at(0.042) <= 0
        assert self.at(0.0, -0.3) < 0


class TestJoints:
    def moving(self, speed: float, predicate: str) -> float:
        def script(step: int, hand: Hand) -> None:
            hand.joint_velocity["cabinet", "slide"] = speed

        return float(series(1, script, predicate, *SPEED, of="cabinet", scene=furnished())[0])

    def test_opening_closing_and_too_slow(self) -> None:
        assert self.moving(0.03, "opening") == pytest.approx(0.5, abs=1e-6)
        assert self.moving(0.03, "closing") == -1.0
        assert self.moving(-0.03, "closing") > 0
        assert -0.1 < self.moving(0.019, "opening") <= 0

    @pytest.mark.parametrize(("position", "expected"), [(0.0, -0.6), (0.059, -0.01), (0.061, 0.01), (0.1, 0.4)])
    def test_share_of_the_range(self, position: float, expected: float) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.joints["cabinet", "slide"] = position

        found = series(1, script, "opened_by", ("share", 0.6), of="cabinet", scene=furnished())[0]
        assert found == pytest.approx(expected, abs=1e-6)

    def test_without_joints_it_is_an_error(self) -> None:
        with pytest.raises(GroundingError, match="'opening' needs joints of 'cup'"):
            series(1, lambda step, hand: None, "opening", *SPEED)


class TestInAir:
    @pytest.mark.parametrize(("flying", "expected"), [(0, False), (1, False), (2, True), (20, True)])
    def test_share_of_the_grains(self, flying: int, expected: bool) -> None:
        scene = furnished_scene()
        count = next(group.count for group in scene.grain_groups if group.container == "cup")

        def script(step: int, hand: Hand) -> None:
            hand.grains_inside["cup"], hand.grains_air["cup"] = count - flying, flying

        share = 1.5 / count
        assert (series(1, script, "in_air", ("share", share), scene=scene)[0] > 0) == expected


def test_the_panda_of_these_scenes_has_fingers() -> None:
    assert {"left_finger", "right_finger"} <= {part.name for part in panda_entity().parts}
