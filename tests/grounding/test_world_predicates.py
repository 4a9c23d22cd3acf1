"""Predicates in simulated scenes: one that is true, one that is false, and one that just misses, for each."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from maniguard.grounding import Atom, Grounder, GroundingError
from maniguard.sim import ObjectSpec, SceneSpec, World
from maniguard.trace import Frame, Pose, Trace, TraceBuilder, TraceMeta
from sim import _jointed, _scenes
from sim._jointed import DRAWER, LID, WALL, chest, dusty_tray, jar, thing
from sim._liquid import Holder, filled, liquid, place_container
from sim._scenes import arm_at, block, move

ON = (("max_gap", 0.01), ("min_force", 0.0), ("memory", 0.2))
SEATED = (("max_offset", 0.005), ("max_tilt", 5.0), ("max_gap", 0.005), ("min_force", 0.0), ("memory", 0.2))
CLOSED = (("max_angle", 5.0), ("max_distance", 0.005))


def make_world(*objects: ObjectSpec, **more: object) -> World:
    return World(SceneSpec(objects, **more), make_asset=_jointed.make_asset)


def rest(world: World, steps: int) -> list[Frame]:
    return [world.step([*world.spec.robot_qpos_rad, 1.0]) for _ in range(steps)]


def settle(*objects: ObjectSpec, steps: int = 10) -> Trace:
    world = make_world(*objects)
    return trace_of(world, [world.reset(), *rest(world, steps)])


def trace_of(world: World, frames: list[Frame]) -> Trace:
    builder = TraceBuilder(world.scene, world.channels, TraceMeta(20.0))
    for frame in frames:
        builder.append(frame)
    return builder.build()


def margins(trace: Trace, predicate: str, of: str, *values: tuple[str, float], to: str = "") -> np.ndarray:
    atom = Atom("p", predicate, (of,), (to,) if to else (), values)
    stepped = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom])
    rows = np.array([stepped.step(frame)[1].margins[0] for frame in trace.frames()])
    batch = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom]).run(trace)[1].margins[:, 0]
    assert rows.tobytes() == batch.tobytes()
    return rows


def last(trace: Trace, predicate: str, of: str, *values: tuple[str, float], to: str = "") -> float:
    return float(margins(trace, predicate, of, *values, to=to)[-1])


def at(item: ObjectSpec, position: tuple[float, float, float], tilt_deg: float = 0.0) -> ObjectSpec:
    half = math.radians(tilt_deg) / 2
    return replace(item, world_T_object=Pose(position, (math.cos(half), 0.0, math.sin(half), 0.0)))


def small(name: str = "block") -> ObjectSpec:
    return block(name, x=0.04, y=0.04, z=0.02, mass_kg=0.05)


class TestInside:
    def test_a_block_in_a_tray_and_one_beside_it(self) -> None:
        tray = thing("tray", (0.45, 0.2), 0.8)
        trace = settle(tray, at(small("in"), (0.45, 0.2, WALL)), at(small("beside"), (0.45, -0.1, 0.0)))
        # It stands 2 cm high on the floor of a tray whose edge is 14 mm above the floor.
        assert last(trace, "inside", "in", ("max_protrusion", 0.007), ("min_depth", 0.0), to="tray") > 0
        assert last(trace, "inside", "in", ("max_protrusion", 0.005), ("min_depth", 0.0), to="tray") < 0
        assert last(trace, "inside", "beside", ("max_protrusion", 0.02), ("min_depth", 0.0), to="tray") < -0.1

    def test_a_block_on_the_rim_just_misses(self) -> None:
        tray = thing("tray", (0.45, 0.2), 0.8)
        trace = settle(tray, at(small(), (0.45 + 0.117, 0.2, 0.02)))
        assert -0.03 < last(trace, "inside", "block", ("max_protrusion", 0.1), ("min_depth", 0.0), to="tray") < 0

    def test_the_interior_of_a_drawer_moves_with_it(self) -> None:
        def drawer(position: float) -> Trace:
            item = at(small(), (0.6 - 0.1, 0.0, 0.03 + WALL))
            return settle(chest(replace(DRAWER, start=position)), item)

        assert last(drawer(0.12), "inside", "block", ("max_protrusion", 0.001), ("min_depth", 0.0), to="chest") > 0
        # Before the closed drawer it is not, at a place that the open one would take in.
        outside = settle(chest(), at(small(), (0.6 - 0.18, 0.0, 0.0)))
        assert last(outside, "inside", "block", ("max_protrusion", 0.01), ("min_depth", 0.0), to="chest") < 0

    def test_a_thing_that_sticks_out_of_a_drawer_just_misses(self) -> None:
        tall = block(x=0.04, y=0.04, z=0.058, mass_kg=0.1)
        trace = settle(chest(replace(DRAWER, start=0.12)), at(tall, (0.5, 0.0, 0.03 + WALL)))
        assert -0.006 < last(trace, "inside", "block", ("max_protrusion", 0.0), ("min_depth", 0.0), to="chest") < 0
        assert last(trace, "inside", "block", ("max_protrusion", 0.006), ("min_depth", 0.0), to="chest") > 0

    def test_what_has_no_interior_is_refused(self) -> None:
        with pytest.raises(GroundingError, match="'block'"):
            margins(
                settle(block(), steps=1), "inside", "block", ("max_protrusion", 0.0), ("min_depth", 0.0), to="block"
            )


class TestClosedAndOpen:
    def test_a_lid_that_falls_shut(self) -> None:
        world = make_world(jar(replace(LID, start=1.0, friction=0.0)))
        series = margins(trace_of(world, [world.reset(), *rest(world, 30)]), "closed", "jar", *CLOSED)
        assert series[-1] > 0.5
        lid_up = settle(jar(replace(LID, start=1.9)))
        assert last(lid_up, "closed", "jar", *CLOSED) < -10
        assert last(lid_up, "open", "jar", *CLOSED) > 0.5

    @pytest.mark.parametrize(("angle_deg", "expected"), [(4.0, True), (6.0, False)])
    def test_a_lid_that_friction_holds_near_the_limit(self, angle_deg: float, expected: bool) -> None:
        trace = settle(jar(replace(LID, start=math.radians(angle_deg), friction=0.03)))
        margin = last(trace, "closed", "jar", *CLOSED)
        assert (margin > 0) == expected
        assert margin == pytest.approx(1 - angle_deg / 5, abs=0.02)
        assert last(trace, "open", "jar", *CLOSED) < 0

    @pytest.mark.parametrize(("gap_m", "expected"), [(0.0, True), (0.004, True), (0.006, False), (0.1, False)])
    def test_a_drawer(self, gap_m: float, expected: bool) -> None:
        closed = last(settle(chest(replace(DRAWER, start=gap_m))), "closed", "chest", *CLOSED)
        opened = last(settle(chest(replace(DRAWER, start=0.15 - gap_m))), "open", "chest", *CLOSED)
        assert (closed > 0) == (opened > 0) == expected
        assert closed == pytest.approx(1 - gap_m / 0.005, abs=0.03)

    def test_what_has_no_joint_is_refused(self) -> None:
        with pytest.raises(GroundingError, match="'block'"):
            margins(settle(block(), steps=1), "closed", "block", *CLOSED)


def drained(grains: int) -> Trace:
    """A filled cup of which some grains are put elsewhere after the start."""
    world = World(filled())
    frames = [world.reset()]
    first = int(world.model.joint("cup/grain0/x").qposadr[0])
    for grain in range(grains):
        place = first + 3 * grain
        world.data.qpos[place : place + 3] = (0.3, 0.2 + 0.03 * grain, 0.01)
    mujoco.mj_step1(world.model, world.data)
    return trace_of(world, frames + rest(world, 4))


class TestSpilled:
    def test_a_pour_and_a_gentle_tilt(self) -> None:
        holder = Holder(World(filled()))
        frames = [holder.world.frame, holder.tilt(20.0)]
        calm = trace_of(holder.world, frames)
        poured = trace_of(holder.world, [*frames, holder.tilt(80.0)])
        assert last(calm, "spilled", "cup", ("share", 0.05)) < 0
        assert last(poured, "spilled", "cup", ("share", 0.05)) > 0.3

    @pytest.mark.parametrize(("grains", "expected"), [(0, False), (2, False), (3, True)])
    def test_the_share_is_reached_by_the_last_grain(self, grains: int, expected: bool) -> None:
        # 5 % of 44 grains are 2.2, so that the third one decides.
        assert len(liquid().radii_m) == 44
        margin = last(drained(grains), "spilled", "cup", ("share", 0.05))
        assert (margin > 0) == expected
        assert margin == pytest.approx((grains - 2.5) / 44)

    def test_a_share_that_whole_grains_reach_exactly_counts(self) -> None:
        assert last(drained(11), "spilled", "cup", ("share", 0.25)) > 0
        assert last(drained(10), "spilled", "cup", ("share", 0.25)) < 0

    def test_what_holds_no_liquid_is_refused(self) -> None:
        with pytest.raises(GroundingError, match="'block'"):
            margins(settle(block(), steps=1), "spilled", "block", ("share", 0.05))


class TestOverBrim:
    def limit_deg(self, world: World) -> float:
        rim = world.scene.entity("cup").rim
        return math.degrees(math.atan(2 * (rim.pose.position_m[2] - liquid().level_m) / (2 * rim.size_m[0])))

    def test_a_cup_at_rest(self) -> None:
        world = World(filled())
        series = margins(trace_of(world, [world.reset(), *rest(world, 3)]), "over_brim", "cup", ("allowance", 0.0))
        assert series == pytest.approx([-self.limit_deg(world)] * 4, abs=0.3)
        assert 5 < self.limit_deg(world) < 15

    @pytest.mark.parametrize("beyond_deg", [-1.0, 1.0, 20.0])
    def test_a_cup_that_is_held_tilted(self, beyond_deg: float) -> None:
        world = World(filled())
        frame = world.reset()
        angle = math.radians(self.limit_deg(world) + beyond_deg)
        quat = np.array([math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0], np.float32)
        turned = frame.quat_wxyz.copy()
        turned[world.scene.index("cup")] = quat
        held = replace(frame, quat_wxyz=turned)
        assert last(trace_of(world, [held]), "over_brim", "cup", ("allowance", 0.0)) == pytest.approx(
            beyond_deg, abs=0.05
        )
        assert last(trace_of(world, [held]), "over_brim", "cup", ("allowance", 2.0)) == pytest.approx(
            beyond_deg - 2.0, abs=0.05
        )

    @pytest.mark.parametrize(("speed_m_s", "expected"), [(0.05, False), (0.12, True)])
    def test_a_cup_that_is_set_in_motion(self, speed_m_s: float, expected: bool) -> None:
        # 0.05 m/s gained in 0.05 s are 1 m/s2, which tilt the surface by 6 degrees; 2.4 m/s2 by 14.
        world = World(filled())
        frame = world.reset()
        moving = frame.linear_m_s.copy()
        moving[world.scene.index("cup"), 0] = speed_m_s
        later = [replace(frame, time_s=0.05 * i, linear_m_s=moving) for i in (1, 2)]
        trace = trace_of(world, [frame, *later])
        series = margins(trace, "over_brim", "cup", ("allowance", 0.0))
        assert (series[1] > 0) == expected
        gained = math.degrees(math.atan2(speed_m_s * 20.0, 9.81))
        assert series[1] == pytest.approx(gained - self.limit_deg(world), abs=0.3)
        assert series[2] == pytest.approx(-self.limit_deg(world), abs=0.3)

    def test_water_is_over_the_brim_before_grains_leave(self) -> None:
        holder = Holder(World(filled()))
        frames = [holder.world.frame, holder.tilt(20.0)]
        trace = trace_of(holder.world, frames)
        assert last(trace, "over_brim", "cup", ("allowance", 0.0)) > 5
        assert last(trace, "spilled", "cup", ("share", 0.05)) < 0


def wiped(rows: int) -> Trace:
    """A dusty tray of which a sponge has wiped that many columns of 10 particles each."""
    tray, sponge, dust = dusty_tray()
    world = make_world(tray, sponge, dust=(dust,))
    frames = [world.reset()]
    joint = world.model.joint("sponge")
    place, body = int(joint.qposadr[0]), int(world.model.body("sponge").id)
    edge = -0.075 + (0.15 / 9) * (rows - 0.5)
    for y in (-0.035, 0.0, 0.035):
        for x in np.arange(edge - 0.045, -0.12, -0.04) if rows else ():
            world.data.qpos[place : place + 7] = (0.45 + max(x, -0.069), 0.2 + y, WALL, 1, 0, 0, 0)
            mujoco.mj_step1(world.model, world.data)
            world.data.xfrc_applied[body, 2] = -4.0
            frames += rest(world, 2)
    return trace_of(world, frames)


class TestDust:
    def test_untouched(self) -> None:
        trace = wiped(0)
        assert last(trace, "clean", "tray", ("share", 0.9)) == pytest.approx((0 - 90 + 0.5) / 100)
        assert last(trace, "dusty", "tray", ("share", 0.1)) > 0

    @pytest.mark.parametrize("left", [0, 10, 11, 50])
    def test_the_last_particle_decides(self, left: int) -> None:
        frame = wiped(0)
        start = next(iter(frame.frames()))
        builder = TraceBuilder(frame.scene, frame.channels, TraceMeta(20.0))
        builder.append(replace(start, dust_left=np.array([left], np.int32)))
        trace = builder.build()
        assert (last(trace, "clean", "tray", ("share", 0.9)) > 0) == (left <= 10)
        assert (last(trace, "dusty", "tray", ("share", 0.11)) > 0) == (left >= 11)

    def test_wiping_cleans(self) -> None:
        trace = wiped(7)
        left = int(trace.column("dust_left")[-1, 0])
        assert 20 <= left <= 50
        share = (100 - left) / 100
        assert last(trace, "clean", "tray", ("share", share)) > 0
        assert last(trace, "clean", "tray", ("share", share + 0.01)) < 0

    def test_what_has_no_dust_is_refused(self) -> None:
        with pytest.raises(GroundingError, match="'block'"):
            margins(settle(block(), steps=1), "clean", "block", ("share", 0.9))


class TestSeatedOn:
    def lidded(self, x_m: float = 0.0, *others: ObjectSpec, tilt_deg: float = 0.0, z_m: float = 0.08) -> Trace:
        beaker = thing("beaker", (0.45, 0.0), 0.3)
        lid = at(thing("lid", (0.0, 0.0), 0.05), (0.45 + x_m, 0.0, z_m), tilt_deg)
        return settle(beaker, lid, *others)

    def test_on_its_container(self) -> None:
        assert last(self.lidded(), "seated_on", "lid", *SEATED, to="beaker") > 0.8

    def test_beside_it_on_the_table(self) -> None:
        assert last(self.lidded(0.12, z_m=0.0), "seated_on", "lid", *SEATED, to="beaker") < -1

    @pytest.mark.parametrize(("x_m", "expected"), [(0.004, True), (0.006, False)])
    def test_a_little_off_centre(self, x_m: float, expected: bool) -> None:
        margin = last(self.lidded(x_m), "seated_on", "lid", *SEATED, to="beaker")
        assert (margin > 0) == expected
        assert margin == pytest.approx(1 - x_m / 0.005, abs=0.06)

    def test_perched_on_something_that_sticks_out(self) -> None:
        # A stick of 95 mm stands in the beaker near one wall, and the lid leans on it.
        stick = at(block("stick", x=0.01, y=0.01, z=0.092, mass_kg=0.05), (0.45 + 0.02, 0.0, WALL))
        trace = self.lidded(0.0, stick, tilt_deg=-16.0, z_m=0.094)
        lid = trace.scene.index("lid")
        tilt = math.degrees(2 * math.asin(float(np.hypot(*trace.column("quat_wxyz")[-1, lid, 1:3]))))
        assert 5 < tilt < 45
        assert last(trace, "seated_on", "lid", *SEATED, to="beaker") < 0
        assert last(trace, "on", "lid", *ON, to="table") < 0

    def test_in_the_air_or_under_a_finger_it_is_not(self) -> None:
        beaker, lid = thing("beaker", (0.45, 0.0), 0.3), at(thing("lid", (0.0, 0.0), 0.05), (0.45, 0.0, 0.08))
        world = make_world(beaker, lid)
        frames = [world.reset()]
        frames += move(world, arm_at(world, (0.45, 0.0, 0.15)), 0.0, 30)
        hovering = last(trace_of(world, frames), "seated_on", "lid", *SEATED, to="beaker")
        frames += move(world, arm_at(world, (0.45, 0.0, 0.101)), 0.0, 20)
        pressed = trace_of(world, frames)
        assert hovering > 0.8
        assert last(pressed, "touched_by_robot", "lid", ("min_force", 0.0)) > 0
        assert last(pressed, "seated_on", "lid", *SEATED, to="beaker") <= 0

    def test_dropped_into_a_wide_container_it_is_not(self) -> None:
        tray = thing("tray", (0.45, 0.0), 0.8)
        flat = at(block("flat", x=0.04, y=0.04, z=0.01, mass_kg=0.05), (0.45, 0.0, WALL))
        assert (
            last(settle(tray, flat), "seated_on", "flat", *SEATED[:2], ("max_gap", 0.003), *SEATED[3:], to="tray") < 0
        )

    def test_what_has_no_rim_is_refused(self) -> None:
        with pytest.raises(GroundingError, match="'other'"):
            margins(settle(block(), block("other", (0.5, 0.2)), steps=1), "seated_on", "block", *SEATED, to="other")


class TestTouchAndSupport:
    """The predicates that were there before, in the same kind of scene."""

    def test_a_finger_on_a_block_above_it_and_beside_it(self) -> None:
        world = make_world(block(at=(0.5, 0.0)))
        frames = [world.reset(), *move(world, arm_at(world, (0.5, 0.0, 0.08)), 0.0, 30)]
        above = trace_of(world, frames)
        assert last(above, "touched_by_robot", "block", ("min_force", 0.0)) == 0
        frames += move(world, arm_at(world, (0.5, 0.0, 0.066)), 0.0, 10)
        assert last(trace_of(world, frames), "touched_by_robot", "block", ("min_force", 0.0)) > 0

    def test_a_block_on_the_table_on_another_and_beside(self) -> None:
        top = at(block("top", mass_kg=0.1), (0.5, 0.0, 0.06))
        trace = settle(block("bottom", (0.5, 0.0)), top, block("aside", (0.5, 0.0515)))
        assert last(trace, "on", "top", *ON, to="bottom") > 0
        assert last(trace, "on", "top", *ON, to="table") < 0
        # It stands a millimetre and a half beside the tower, at its height, and touches neither.
        assert last(trace, "on", "aside", *ON, to="bottom") < 0
        values = (("min_force", 0.0), ("support_angle", 60.0), ("memory", 0.2))
        assert last(trace, "supported", "top", *values) > 0

    @pytest.mark.parametrize(("opening", "holds"), [(0.0, True), (1.0, False)])
    def test_a_grasp_holds_and_open_fingers_do_not(self, opening: float, holds: bool) -> None:
        world = make_world(block(at=(0.5, 0.0)))
        world.reset()
        move(world, arm_at(world, (0.5, 0.0, 0.2)), 1.0, 30)
        move(world, arm_at(world, (0.5, 0.0, 0.035)), 1.0, 25)
        _scenes.wait(world, opening, 14)
        frames = move(world, arm_at(world, (0.5, 0.0, 0.12)), opening, 20)
        values = (("min_force", 0.0), ("opposing_angle", 120.0), ("support_angle", 60.0))
        assert (last(trace_of(world, frames), "grasped", "block", *values) > 0) == holds


def test_a_cup_can_be_moved_with_its_liquid() -> None:
    world = World(filled())
    world.reset()
    place_container(world, Pose((0.4, 0.2, 0.0)))
    trace = trace_of(world, rest(world, 4))
    assert last(trace, "spilled", "cup", ("share", 0.05)) < 0
