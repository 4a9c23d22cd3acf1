"""Known-true, known-false and near-miss cases of every predicate, on geometry that can be checked on paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import (
    TABLE_Z_M,
    Hand,
    box_entity,
    calm_hand,
    clutter_scene,
    floor_entity,
    panda_entity,
    record,
    table_entity,
)

from maniguard.grounding import Atom, Grounder, GroundingError
from maniguard.trace import Joint, Part, Pose, Region, Scene, Trace

DROPPED = (("fall", 0.05), ("landing_speed", 1.0), ("support_angle", 60.0), ("opposing_angle", 120.0))


def margins(
    trace: Trace, predicate: str, *values: tuple[str, float], of: str = "cup", to: str | None = None
) -> np.ndarray:
    atom = Atom("p", predicate, (of,), (to,) if to else (), values)
    stepped = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom])
    rows = np.array([stepped.step(frame)[1].margins[0] for frame in trace.frames()])
    batch = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom]).run(trace)[1].margins[:, 0]
    assert rows.tobytes() == batch.tobytes()
    return rows


def one(change: Callable[[Hand], None], predicate: str, *values: tuple[str, float], **more: str) -> float:
    scene = clutter_scene()
    return float(margins(record(scene, 1, lambda _, hand: change(hand)), predicate, *values, **more)[0])


def turned(degrees: float, axis: tuple[float, float, float] = (1.0, 0.0, 0.0)) -> tuple[float, float, float, float]:
    half = math.radians(degrees) / 2
    return (math.cos(half), *(math.sin(half) * a for a in axis))


class TestUpright:
    @pytest.mark.parametrize("degrees", [0.0, 10.0, 44.9, 45.1, 90.0, 135.0, 180.0])
    def test_margin_is_the_angle_left(self, degrees: float) -> None:
        def tip(hand: Hand) -> None:
            hand.quat_wxyz["cup"] = turned(degrees, (0.6, 0.8, 0.0))

        assert one(tip, "upright", ("max_tilt", 45.0)) == pytest.approx(45.0 - degrees, abs=2e-2)

    def test_turning_about_the_vertical_is_no_tilt(self) -> None:
        def turn(hand: Hand) -> None:
            hand.quat_wxyz["cup"] = turned(170.0, (0.0, 0.0, 1.0))

        assert one(turn, "upright", ("max_tilt", 45.0)) == pytest.approx(45.0, abs=2e-2)

    def test_the_rest_axis_counts(self) -> None:
        lying = box_entity("cup", "target", rest_axis=(0.0, 3.0, 0.0))
        trace = record(clutter_scene(lying), 1)
        assert margins(trace, "upright", ("max_tilt", 45.0))[0] == pytest.approx(-45.0)


class TestAtRest:
    @pytest.mark.parametrize(("speed", "expected"), [(0.0, True), (0.049, True), (0.051, False), (1.0, False)])
    def test_speed(self, speed: float, expected: bool) -> None:
        def move(hand: Hand) -> None:
            hand.linear_m_s["cup"] = (0.6 * speed, 0.0, -0.8 * speed)

        margin = one(move, "at_rest", ("max_speed", 0.05))
        assert (margin > 0) == expected
        assert margin == pytest.approx(0.05 - speed, abs=1e-6)


class TestDisplaced:
    def test_measured_from_the_settled_place(self) -> None:
        def slide(step: int, hand: Hand) -> None:
            hand.position_m["cup"] = (0.03 * step, 0.0, TABLE_Z_M)

        series = margins(record(clutter_scene(), 4, slide), "displaced", ("distance", 0.05))
        assert series == pytest.approx([-0.05, -0.02, 0.01, 0.04], abs=1e-6)


class TestBelow:
    @pytest.mark.parametrize(("height", "expected"), [(0.4, False), (0.051, False), (0.049, True), (0.0, True)])
    def test_lowest_point_above_the_floor(self, height: float, expected: bool) -> None:
        def put(hand: Hand) -> None:
            hand.position_m["cup"] = (1.0, 0.0, height)

        assert (one(put, "below", ("height", 0.05), to="floor") > 0) == expected

    def test_a_lying_box_has_its_side_lowest(self) -> None:
        def lay(hand: Hand) -> None:
            hand.position_m["cup"] = (1.0, 0.0, 0.1)
            hand.quat_wxyz["cup"] = turned(90.0)

        # The box is 6 cm wide, so its lowest point is 3 cm below its axis: 7 cm up.
        assert one(lay, "below", ("height", 0.05), to="floor") == pytest.approx(0.05 - 0.07, abs=1e-6)


class TestNearHand:
    @pytest.mark.parametrize(
        ("tcp", "distance"),
        [
            ((0.0, 0.0, TABLE_Z_M + 0.05), 0.0),
            ((0.13, 0.0, TABLE_Z_M + 0.05), 0.10),
            ((0.03 + 0.03, 0.03 + 0.04, TABLE_Z_M + 0.1 + 0.12), 0.13),
        ],
    )
    def test_distance_to_the_box(self, tcp: tuple[float, float, float], distance: float) -> None:
        def reach(hand: Hand) -> None:
            hand.tcp_m = tcp

        assert one(reach, "near_hand", ("distance", 0.12)) == pytest.approx(0.12 - distance, abs=1e-6)

    def test_the_box_turns_with_its_entity(self) -> None:
        def reach(hand: Hand) -> None:
            hand.quat_wxyz["cup"] = turned(90.0, (0.0, 1.0, 0.0))  # its long side now points along +x
            hand.tcp_m = (0.15, 0.0, TABLE_Z_M)

        assert one(reach, "near_hand", ("distance", 0.12)) == pytest.approx(0.12 - 0.05, abs=1e-6)


class TestContact:
    @pytest.mark.parametrize(("force", "expected"), [(0.0, False), (0.001, True), (7.0, True)])
    def test_needs_force_not_a_listed_pair(self, force: float, expected: bool) -> None:
        def touch(hand: Hand) -> None:
            hand.touch("glass", "cup", normal=(1.0, 0.0, 0.0), force_n=force)

        assert (one(touch, "contact", ("min_force", 0.0), to="glass") > 0) == expected
        assert (one(touch, "contact", ("min_force", 0.0), of="glass", to="cup") > 0) == expected

    def test_another_pair_is_not_this_one(self) -> None:
        assert one(lambda hand: None, "contact", ("min_force", 0.0), to="glass") <= 0
        assert one(lambda hand: None, "contact", ("min_force", 0.0), to="table") == pytest.approx(2.0)

    @pytest.mark.parametrize(("gap", "expected"), [(0.0005, True), (0.0011, False), (-0.001, True)])
    def test_touching_goes_by_distance(self, gap: float, expected: bool) -> None:
        def touch(hand: Hand) -> None:
            hand.touch("glass", "cup", gap_m=gap, force_n=math.nan)

        assert (one(touch, "touching", ("max_gap", 0.001), to="glass") > 0) == expected
        assert one(touch, "touching", ("max_gap", 0.001), to="vase") < 0

    def test_robot_touch_is_the_whole_arm_and_no_held_tool(self) -> None:
        def elbow(hand: Hand) -> None:
            hand.touch("panda", "cup", part_a="link4", normal=(1.0, 0.0, 0.0))

        def tool(hand: Hand) -> None:
            hand.pinch("glass")
            hand.touch("glass", "cup", normal=(1.0, 0.0, 0.0))

        assert one(elbow, "touched_by_robot", ("min_force", 0.0)) > 0
        assert one(tool, "touched_by_robot", ("min_force", 0.0)) <= 0
        assert one(tool, "touched_by_robot", ("min_force", 0.0), of="glass") > 0


class TestEngaged:
    def test_moving_parts_of_a_fixture_and_not_its_body(self) -> None:
        cabinet = box_entity(
            "cabinet",
            "container",
            kind="articulated",
            movable=False,
            parts=(Part("body"), Part("drawer", moving=True), Part("handle")),
            joints=(Joint("slide", "slide", 0.0, 0.2, "drawer"),),
        )
        scene = clutter_scene(box_entity("cup", "target"), cabinet)

        def touch(part: str) -> float:
            def script(_: int, hand: Hand) -> None:
                hand.touch("panda", "cabinet", part_a="hand", part_b=part)

            return float(margins(record(scene, 1, script), "engaged", ("min_force", 0.0), of="cabinet")[0])

        assert touch("body") <= 0
        assert touch("drawer") > 0
        assert touch("handle") > 0

    def test_the_table_does_not_engage(self) -> None:
        def lean(hand: Hand) -> None:
            hand.touch("table", "panda", part_b="link7")

        assert one(lean, "engaged", ("min_force", 0.0), of="table") <= 0
        assert one(lambda hand: hand.touch("panda", "cup", part_a="link7"), "engaged", ("min_force", 0.0)) > 0


class TestGrasped:
    VALUES = (("min_force", 0.5), ("opposing_angle", 120.0), ("support_angle", 60.0))

    @staticmethod
    def lifted(hand: Hand) -> None:
        hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]

    def test_two_fingers_that_carry(self) -> None:
        def grasp(hand: Hand) -> None:
            self.lifted(hand)
            hand.pinch("cup", 5.0)

        assert one(grasp, "grasped", *self.VALUES) == pytest.approx(4.5)

    def test_held_but_standing_on_the_table(self) -> None:
        assert one(lambda hand: hand.pinch("cup"), "grasped", *self.VALUES) <= 0

    def test_one_finger_pushes(self) -> None:
        def push(hand: Hand) -> None:
            self.lifted(hand)
            hand.touch("panda", "cup", part_a="left_finger", normal=(0.0, 1.0, 0.0))

        assert one(push, "grasped", *self.VALUES) <= 0

    @pytest.mark.parametrize(("degrees", "expected"), [(180.0, True), (125.0, True), (115.0, False), (0.0, False)])
    def test_fingers_must_oppose(self, degrees: float, expected: bool) -> None:
        def touch(hand: Hand) -> None:
            self.lifted(hand)
            angle = math.radians(degrees)
            hand.touch("panda", "cup", part_a="left_finger", normal=(1.0, 0.0, 0.0), force_n=3.0)
            hand.touch(
                "panda", "cup", part_a="right_finger", normal=(math.cos(angle), math.sin(angle), 0.0), force_n=3.0
            )

        assert (one(touch, "grasped", *self.VALUES) > 0) == expected

    def test_a_hand_is_no_finger(self) -> None:
        def squeeze(hand: Hand) -> None:
            self.lifted(hand)
            hand.touch("panda", "cup", part_a="left_finger", normal=(0.0, 1.0, 0.0))
            hand.touch("panda", "cup", part_a="hand", normal=(0.0, -1.0, 0.0))

        assert one(squeeze, "grasped", *self.VALUES) <= 0

    def test_a_robot_without_fingers_cannot_grasp(self) -> None:
        scene = clutter_scene()
        stump = replace(panda_entity(), parts=(Part("body"),), joints=())
        scene = Scene((table_entity(), floor_entity(), stump, *scene.entities[3:]))
        with pytest.raises(GroundingError, match="no robot of the scene has parts left_finger and right_finger"):
            Grounder(
                scene, record(clutter_scene(), 1).channels, 20.0, [Atom("p", "grasped", ("cup",), (), self.VALUES)]
            )


class TestSupported:
    VALUES = (("min_force", 0.0), ("support_angle", 60.0), ("memory", 0.2))

    def test_a_contact_is_remembered_for_two_tenths(self) -> None:
        def lift(step: int, hand: Hand) -> None:
            if step >= 2:
                hand.contacts.clear()

        series = margins(record(clutter_scene(), 8, lift), "supported", *self.VALUES) > 0
        # Frames 2, 3, 4 still hold the contact of frame 1 within their last four frames.
        assert series.tolist() == [True] * 5 + [False] * 3

    @pytest.mark.parametrize(("degrees", "expected"), [(0.0, True), (59.0, True), (61.0, False), (180.0, False)])
    def test_a_push_must_be_upwards(self, degrees: float, expected: bool) -> None:
        def lean(hand: Hand) -> None:
            hand.contacts.clear()
            angle = math.radians(degrees)
            hand.touch("glass", "cup", normal=(math.sin(angle), 0.0, math.cos(angle)))

        # The contact goes from the cup (first column) to the glass once sorted; the push on the cup is what counts.
        assert (one(lean, "supported", *self.VALUES) > 0) == expected

    def test_what_lies_on_top_does_not_support(self) -> None:
        def stack(hand: Hand) -> None:
            hand.contacts.clear()
            hand.touch("cup", "glass", normal=(0.0, 0.0, 1.0))

        assert one(stack, "supported", *self.VALUES) <= 0
        assert one(stack, "supported", *self.VALUES, of="glass") > 0


class TestOn:
    VALUES = (("max_gap", 0.01), ("min_force", 0.0), ("memory", 0.2))

    @pytest.mark.parametrize(
        ("place", "expected"),
        [
            ((0.0, 0.0, TABLE_Z_M), True),
            ((0.0, 0.0, TABLE_Z_M + 0.009), True),
            ((0.0, 0.0, TABLE_Z_M + 0.011), False),
            ((0.0, 0.0, TABLE_Z_M - 0.011), False),
            ((0.39, 0.59, TABLE_Z_M), True),
            ((0.41, 0.0, TABLE_Z_M), False),
            ((0.0, -0.61, TABLE_Z_M), False),
        ],
    )
    def test_height_and_footprint(self, place: tuple[float, float, float], expected: bool) -> None:
        def put(hand: Hand) -> None:
            hand.position_m["cup"] = place

        assert (one(put, "on", *self.VALUES, to="table") > 0) == expected

    def test_hovering_without_contact_is_not_on(self) -> None:
        def hover(hand: Hand) -> None:
            hand.contacts.clear()

        assert one(hover, "on", *self.VALUES, to="table") <= 0

    def test_on_a_thing_that_is_turned_and_moved(self) -> None:
        def stack(hand: Hand) -> None:
            hand.position_m["glass"] = (0.2, 0.1, TABLE_Z_M)
            hand.quat_wxyz["glass"] = turned(30.0, (0.0, 0.0, 1.0))
            hand.position_m["cup"] = (0.2 + 0.029 * math.cos(math.pi / 6), 0.1 + 0.029 * 0.5, TABLE_Z_M + 0.1)
            hand.touch("glass", "cup")

        def beside(hand: Hand) -> None:
            stack(hand)
            hand.position_m["cup"] = (0.2 + 0.031 * math.cos(math.pi / 6), 0.1 + 0.031 * 0.5, TABLE_Z_M + 0.1)

        assert one(stack, "on", *self.VALUES, to="glass") > 0
        assert one(beside, "on", *self.VALUES, to="glass") <= 0

    def test_a_tilted_surface_is_followed(self) -> None:
        tray = box_entity("tray", "obstacle", (0.4, 0.4, 0.02))
        scene = clutter_scene(box_entity("cup", "target"), tray)
        tilt = math.radians(20.0)

        def tip(_: int, hand: Hand) -> None:
            hand.quat_wxyz["tray"] = hand.quat_wxyz["cup"] = turned(20.0, (0.0, 1.0, 0.0))
            hand.position_m["tray"] = (0.0, 0.0, TABLE_Z_M)
            # 10 cm along the tray and 2 cm along its normal.
            x = 0.1 * math.cos(tilt) + 0.02 * math.sin(tilt)
            hand.position_m["cup"] = (x, 0.0, TABLE_Z_M - 0.1 * math.sin(tilt) + 0.02 * math.cos(tilt))
            hand.touch("tray", "cup")

        measured = Grounder(
            scene, record(scene, 1).channels, 20.0, [Atom("p", "on", ("cup",), ("tray",), self.VALUES)]
        ).run(record(scene, 1, tip))[1]
        # The middle of the cup is 5 cm up its axis, its lowest corner 3 cm down the slope from its foot.
        middle = 0.1 * math.cos(tilt) + 0.07 * math.sin(tilt)
        corner = (TABLE_Z_M - 0.1 * math.sin(tilt) + 0.02 * math.cos(tilt)) - 0.03 * math.sin(tilt)
        plane = TABLE_Z_M + 0.02 * math.cos(tilt) - math.tan(tilt) * (middle - 0.02 * math.sin(tilt))
        assert measured.detail(0, 0).value == pytest.approx(abs(corner - plane), abs=1e-6)


class TestDropped:
    """A cup is held by the hand 30 cm above the table, let go, and falls as the laws of motion say."""

    @staticmethod
    def fall(
        height: float, *, release: float = 0.0, speed: float = 0.0, landing: str = "table", to: str | None = None
    ) -> np.ndarray:
        """Let go after two frames plus `release` of a third; it moves at `speed` downwards before that."""
        scene = clutter_scene()
        ground = TABLE_Z_M
        released_s = (2 + release) * 0.05
        start = ground + height + speed * released_s
        flight = (-speed + math.sqrt(speed**2 + 2 * 9.81 * height)) / 9.81
        landed_s = released_s + flight

        def state(t: float) -> tuple[float, float]:
            if t <= released_s:
                return start - speed * t, speed
            if t >= landed_s:
                return ground, 0.0
            tau = t - released_s
            return start - speed * released_s - speed * tau - 9.81 * tau * tau / 2, speed + 9.81 * tau

        def script(step: int, hand: Hand) -> None:
            hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
            now, before = step * 0.05, (step - 1) * 0.05
            height_now, down = state(now)
            hand.position_m["cup"] = (0.0, 0.0, height_now)
            hand.linear_m_s["cup"] = (0.0, 0.0, -down)
            last_moving = min(now, landed_s - 1e-9)
            hand.descent_m_s["cup"] = max(down, state(last_moving)[1] if before < landed_s else 0.0)
            if before < released_s:
                hand.pinch("cup", at_end=now <= released_s)
            if now >= landed_s:
                hand.touch(landing, "cup", force_n=3.0)

        steps = math.ceil(landed_s / 0.05) + 8
        return margins(record(scene, steps, script), "dropped", *DROPPED, to=to)

    @pytest.mark.parametrize("release", [0.0, 0.1, 0.35, 0.5, 0.75, 0.99])
    def test_a_fall_from_a_height(self, release: float) -> None:
        assert (self.fall(0.30, release=release) > 0).any()
        assert self.fall(0.30, release=release).max() == pytest.approx(0.25, abs=2e-3)

    @pytest.mark.parametrize("release", [0.0, 0.1, 0.35, 0.5, 0.75, 0.99])
    def test_the_threshold_is_sharp_wherever_the_release_falls_in_the_step(self, release: float) -> None:
        assert not (self.fall(0.047, release=release) > 0).any()
        assert (self.fall(0.053, release=release) > 0).any()

    def test_a_low_release_is_no_drop(self) -> None:
        for height in (0.002, 0.01, 0.03):
            assert not (self.fall(height, release=0.5) > 0).any()

    def test_the_truth_ends_with_the_landing(self) -> None:
        truth = self.fall(0.30) > 0
        assert truth.sum() <= 4
        assert not truth[-6:].any()

    def test_a_hard_landing_from_a_low_height(self) -> None:
        assert (self.fall(0.03, speed=1.2) > 0).any()
        assert not (self.fall(0.03, speed=0.4) > 0).any()

    def test_a_fast_descent_in_the_hand_is_no_drop(self) -> None:
        def lower(step: int, hand: Hand) -> None:
            hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
            height = max(TABLE_Z_M, TABLE_Z_M + 0.5 - 0.08 * step)
            hand.position_m["cup"] = (0.0, 0.0, height)
            hand.linear_m_s["cup"] = (0.0, 0.0, -1.6 if height > TABLE_Z_M else 0.0)
            hand.descent_m_s["cup"] = 1.6 if height > TABLE_Z_M else 0.0
            hand.pinch("cup")
            if height == TABLE_Z_M:
                hand.touch("table", "cup")

        assert not (margins(record(clutter_scene(), 12, lower), "dropped", *DROPPED) > 0).any()

    def test_swept_off_the_table(self) -> None:
        def sweep(step: int, hand: Hand) -> None:
            if step < 3:
                return
            hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
            tau = (step - 3) * 0.05
            height = max(0.0, TABLE_Z_M - 9.81 * tau * tau / 2)
            hand.position_m["cup"] = (0.5, 0.0, height)
            hand.linear_m_s["cup"] = (0.0, 0.0, -9.81 * tau if height else 0.0)
            hand.descent_m_s["cup"] = 9.81 * tau if height else 2.8
            if height == 0.0:
                hand.touch("floor", "cup")

        series = margins(record(clutter_scene(), 16, sweep), "dropped", *DROPPED)
        assert (series > 0).any()
        assert series.max() == pytest.approx(0.35, abs=1e-3)

    def test_toppling_on_the_spot_is_no_drop(self) -> None:
        def topple(step: int, hand: Hand) -> None:
            degrees = min(90.0, 15.0 * step)
            hand.quat_wxyz["cup"] = turned(degrees)
            hand.linear_m_s["cup"] = (0.0, 0.0, -0.3)
            hand.descent_m_s["cup"] = 0.6

        assert not (margins(record(clutter_scene(), 12, topple), "dropped", *DROPPED) > 0).any()

    def test_a_bounce_is_measured_from_where_it_left(self) -> None:
        heights = [0.0, 0.03, 0.045, 0.04, 0.015, 0.0, 0.0]

        def bounce(step: int, hand: Hand) -> None:
            hand.position_m["cup"] = (0.0, 0.0, TABLE_Z_M + heights[step])
            if heights[step] > 0:
                hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
            hand.descent_m_s["cup"] = 0.6

        assert not (margins(record(clutter_scene(), len(heights), bounce), "dropped", *DROPPED) > 0).any()

    def test_a_hanging_start_is_settled(self) -> None:
        """Whatever holds a thing in frame 0, it is held there; only its fall from there counts."""

        def hang(_: int, hand: Hand) -> None:
            hand.contacts.clear()
            hand.position_m["cup"] = (0.0, 0.0, 0.8)

        assert not (margins(record(clutter_scene(), 4, hang), "dropped", *DROPPED) > 0).any()

    def test_a_fall_into_the_destination_is_a_transfer(self) -> None:
        assert (self.fall(0.10, landing="glass") > 0).any()
        assert not (self.fall(0.10, landing="glass", to="glass") > 0).any()
        assert (self.fall(0.10, landing="table", to="glass") > 0).any()

    def test_a_fall_past_the_destination_needs_no_landing(self) -> None:
        def vanish(step: int, hand: Hand) -> None:
            if step:
                hand.contacts = [item for item in hand.contacts if item["b"] != "cup"]
                hand.position_m["cup"] = (0.5, 0.0, TABLE_Z_M - 0.09 * step)

        series = margins(record(clutter_scene(), 6, vanish), "dropped", *DROPPED, to="glass")
        assert (series > 0).any()

    def test_a_fragile_thing_may_not_land_hard_in_the_destination(self) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.contacts = [item for item in hand.contacts if item["b"] != "egg"]
            height = (0.2, 0.15, 0.08, 0.0, 0.0)[step]
            hand.position_m["egg"] = (0.0, 0.0, TABLE_Z_M + height)
            hand.descent_m_s["egg"] = 1.9 if 0 < step < 4 else 0.0
            if step == 0:
                hand.pinch("egg")
            if height == 0.0:
                hand.touch("pot", "egg")

        for properties, expected in (((), False), (("fragile",), True)):
            scene = clutter_scene(box_entity("egg", "food", properties=properties), box_entity("pot", "destination"))
            series = margins(record(scene, 5, script), "dropped", *DROPPED, of="egg", to="pot")
            assert (series > 0).any() == expected


class TestInGoalSphere:
    """The goal sphere has radius 5 cm; the box is 6 x 6 x 10 cm and stands on its origin."""

    @pytest.mark.parametrize(
        ("offset", "distance"),
        [
            ((0.0, 0.0, -0.05), -0.03),  # centre in the middle of the box: 3 cm to the nearest side
            ((-0.07, 0.0, -0.05), 0.04),  # face
            ((-0.081, 0.0, -0.05), 0.051),
            ((-0.03 - 0.03, -0.03 - 0.04, -0.05), 0.05),  # vertical edge at 3-4-5
            ((-0.06, -0.0695, -0.05), math.hypot(0.03, 0.0395)),
            ((-0.05, -0.05, -0.1 - 0.041), math.sqrt(0.0004 + 0.0004 + 0.041**2)),  # corner
            ((-0.05, -0.05, 0.04), math.sqrt(0.0004 + 0.0004 + 0.04**2)),
        ],
    )
    def test_exact_distance(self, offset: tuple[float, float, float], distance: float) -> None:
        def put(hand: Hand) -> None:
            hand.position_m["cup"] = tuple(a + b for a, b in zip((0.3, 0.3, 0.6), offset, strict=True))

        margin = one(put, "in_goal_sphere", ("grow", 0.0))
        assert margin == pytest.approx(0.05 - distance, abs=1e-6)

    def test_needs_a_sphere(self) -> None:
        scene = clutter_scene()
        channels = record(scene, 1).channels
        atom = Atom("p", "in_goal_sphere", ("cup",), (), (("grow", 0.0),))
        with pytest.raises(GroundingError, match="no goal region"):
            Grounder(replace(scene, goal=None), channels, 20.0, [atom])
        box = Region("box", (0.1, 0.1, 0.1), Pose((0.3, 0.3, 0.6)))
        with pytest.raises(GroundingError, match="of shape 'box'"):
            Grounder(replace(scene, goal=box), channels, 20.0, [atom])


def test_nan_is_an_error_and_not_false() -> None:
    def lose(hand: Hand) -> None:
        hand.linear_m_s["cup"] = (math.nan, 0.0, 0.0)

    with pytest.raises(GroundingError, match="channel 'linear_m_s' is declared present, but is not finite at frame 0"):
        one(lose, "at_rest", ("max_speed", 0.05))


@pytest.mark.parametrize("quat", [(0.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 0.0), (0.9, 0.0, 0.0, 0.0)])
def test_a_broken_pose_is_an_error(quat: tuple[float, float, float, float]) -> None:
    def lose(hand: Hand) -> None:
        hand.quat_wxyz["vase"] = quat

    with pytest.raises(GroundingError, match="pose of 'vase'"):
        one(lose, "upright", ("max_tilt", 45.0))


def test_the_calm_scene_is_calm() -> None:
    trace = record(clutter_scene(), 3, lambda _, hand: calm_hand(hand.scene))
    assert not (margins(trace, "dropped", *DROPPED) > 0).any()
    assert (margins(trace, "upright", ("max_tilt", 45.0)) > 0).all()
