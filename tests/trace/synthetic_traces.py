"""Scenes and traces made by hand, with geometry that can be checked on paper; shared by the tests of what judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from maniguard.trace import (
    Box,
    Channel,
    Contacts,
    DustGroup,
    Entity,
    Frame,
    GrainGroup,
    Hull,
    Joint,
    Part,
    Pose,
    Region,
    Scene,
    Trace,
    TraceBuilder,
    TraceMeta,
    simulation_channels,
)
from maniguard.trace.trace import column_types

RATE_HZ = 20.0
TABLE_Z_M = 0.4
PANDA_PARTS = ("body", *(f"link{i}" for i in range(1, 8)), "hand", "left_finger", "right_finger")

_CUBE_FACES = (
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
    (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
)  # fmt: skip


def box_hull(width_m: float, depth_m: float, height_m: float) -> Hull:
    """A box standing on its origin."""
    x, y = width_m / 2, depth_m / 2
    vertices = tuple((sx * x, sy * y, z) for z in (0.0, height_m) for sy in (-1, 1) for sx in (-1, 1))
    return Hull(vertices, _CUBE_FACES)


def box_entity(name: str, role: str, size_m: tuple[float, float, float] = (0.06, 0.06, 0.1), **more: object) -> Entity:
    half = (size_m[0] / 2, size_m[1] / 2, size_m[2] / 2)
    entity = Entity(
        name=name,
        kind="object",
        category="box",
        role=role,
        movable=True,
        boxes=(Box((0.0, 0.0, half[2]), half),),
        hull=box_hull(*size_m),
        support_regions=(Region("rectangle", (half[0], half[1], 0.0), Pose((0.0, 0.0, size_m[2]))),),
        mass_kg=0.2,
    )
    return replace(entity, **more)


def table_entity() -> Entity:
    return Entity(
        name="table",
        kind="support",
        category="table",
        role="support",
        boxes=(Box((0.0, 0.0, TABLE_Z_M - 0.02), (0.4, 0.6, 0.02)),),
        support_regions=(Region("rectangle", (0.4, 0.6, 0.0), Pose((0.0, 0.0, TABLE_Z_M))),),
    )


def floor_entity() -> Entity:
    return Entity(
        name="floor",
        kind="support",
        category="floor",
        role="room",
        support_regions=(Region("rectangle", (5.0, 5.0, 0.0)),),
    )


def panda_entity() -> Entity:
    return Entity(
        name="panda",
        kind="robot",
        category="panda",
        role="robot",
        parts=tuple(Part(name, moving=name != "body") for name in PANDA_PARTS),
        joints=tuple(Joint(f"joint{i}", "hinge", -3.0, 3.0, f"link{i}") for i in range(1, 8)),
    )


def clutter_scene(*extra: Entity, goal: Region | None = None) -> Scene:
    """Table, floor, panda, a target and two obstacles (boxes of 6 x 6 x 10 cm), and whatever is added."""
    objects = extra or (box_entity("cup", "target"), box_entity("glass", "obstacle"), box_entity("vase", "obstacle"))
    sphere = Region("sphere", (0.05, 0.0, 0.0), Pose((0.3, 0.3, 0.6))) if goal is None else goal
    return Scene((table_entity(), floor_entity(), panda_entity(), *objects), goal=sphere)


def furnished_scene() -> Scene:
    """The clutter scene with a cup that has a lid, a rim, an inside, liquid and dust, and a vase that has a drawer."""
    cup = box_entity(
        "cup",
        "target",
        parts=(Part("body"), Part("lid", moving=True)),
        joints=(Joint("hinge", "hinge", 0.0, 1.5, "lid"),),
        rim=Region("disc", (0.03, 0.03, 0.0), Pose((0.0, 0.0, 0.1))),
        interior=Region("cylinder", (0.25, 0.25, 0.2), Pose((0.0, 0.0, -0.05))),
    )
    vase = box_entity(
        "vase",
        "obstacle",
        parts=(Part("body"), Part("drawer", moving=True, boxes=(Box((0.0, 0.0, 0.05), (0.1, 0.1, 0.05)),))),
        joints=(Joint("slide", "slide", 0.0, 0.1, "drawer"), Joint("lock", "hinge", 0.0, 1.0, "drawer")),
        interior=Region("box", (0.3, 0.3, 0.1), Pose((0.0, 0.0, 0.05))),
    )
    scene = clutter_scene(cup, box_entity("glass", "obstacle"), vase)
    return replace(scene, grain_groups=(GrainGroup("cup", 40, 0.08),), dust_groups=(DustGroup("cup", 20),))


@dataclass
class Hand:
    """A frame in the making: poses by name, contacts by name, everything else at rest."""

    scene: Scene
    position_m: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    quat_wxyz: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    linear_m_s: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    descent_m_s: dict[str, float] = field(default_factory=dict)
    contacts: list[dict[str, object]] = field(default_factory=list)
    angular_rad_s: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    tcp_m: tuple[float, float, float] = (0.0, -0.5, 0.9)
    tcp_quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    opening_m: float = 0.08
    joint_velocity: dict[tuple[str, str], float] = field(default_factory=dict)
    grains_air: dict[str, int] = field(default_factory=dict)
    joints: dict[tuple[str, str], float] = field(default_factory=dict)
    part_position_m: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)
    grains_inside: dict[str, int] = field(default_factory=dict)
    dust_left: dict[str, int] = field(default_factory=dict)

    def touch(
        self,
        a: str,
        b: str,
        *,
        normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
        force_n: float = 2.0,
        part_a: str = "body",
        part_b: str = "body",
        at_end: bool = True,
        gap_m: float = -0.0001,
    ) -> None:
        """Add a contact; `normal` points from a to b."""
        self.contacts.append(
            {
                "a": a,
                "b": b,
                "normal": normal,
                "force": force_n,
                "pa": part_a,
                "pb": part_b,
                "end": at_end,
                "gap": gap_m,
            }
        )

    def rest(self, *names: str) -> None:
        for name in names:
            self.touch("table", name)

    def pinch(self, name: str, force_n: float = 5.0, at_end: bool = True) -> None:
        self.touch("panda", name, part_a="left_finger", normal=(0.0, 1.0, 0.0), force_n=force_n, at_end=at_end)
        self.touch("panda", name, part_a="right_finger", normal=(0.0, -1.0, 0.0), force_n=force_n, at_end=at_end)

    def frame(self, step: int) -> Frame:
        scene = self.scene
        values: dict[str, object] = {
            name: np.zeros(shape, dtype) for name, (shape, dtype) in column_types(scene).items()
        }
        values["time_s"] = step / RATE_HZ
        values["gripper_opening_m"] = np.float32(self.opening_m)
        values["action_saturated"] = 0
        values["wrench"] = np.full(6, np.nan, np.float32)
        values["tcp_position_m"] = np.array(self.tcp_m, np.float32)
        for name in ("quat_wxyz", "part_quat_wxyz"):
            values[name][:, 0] = 1.0
        values["tcp_quat_wxyz"][:] = self.tcp_quat
        for column, entity in enumerate(scene.entities):
            values["position_m"][column] = self.position_m.get(entity.name, (0.0, 0.0, 0.0))
            values["quat_wxyz"][column] = self.quat_wxyz.get(entity.name, (1.0, 0.0, 0.0, 0.0))
            values["linear_m_s"][column] = self.linear_m_s.get(entity.name, (0.0, 0.0, 0.0))
            values["angular_rad_s"][column] = self.angular_rad_s.get(entity.name, (0.0, 0.0, 0.0))
            values["peak_descent_m_s"][column] = self.descent_m_s.get(entity.name, 0.0)
        for column, key in enumerate(scene.joint_columns):
            values["joint_position"][column] = self.joints.get(key, 0.0)
            values["joint_velocity"][column] = self.joint_velocity.get(key, 0.0)
        for column, key in enumerate(scene.moving_parts):
            values["part_position_m"][column] = self.part_position_m.get(key, (0.0, 0.0, 0.0))
        for column, group in enumerate(scene.grain_groups):
            inside = self.grains_inside.get(group.container, group.count)
            air = self.grains_air.get(group.container, 0)
            values["grains_inside"][column], values["grains_air"][column] = inside, air
            values["grains_lost"][column] = group.count - inside - air
        for column, dust in enumerate(scene.dust_groups):
            values["dust_left"][column] = self.dust_left.get(dust.surface, dust.count)
        return Frame(contacts=self._contacts(), **values)

    def _contacts(self) -> Contacts:
        rows = []
        for item in self.contacts:
            a, b = self.scene.index(item["a"]), self.scene.index(item["b"])
            pa = self.scene.entities[a].part_index(item["pa"])
            pb = self.scene.entities[b].part_index(item["pb"])
            normal = np.array(item["normal"], np.float32)
            if a > b:
                a, b, pa, pb, normal = b, a, pb, pa, -normal
            rows.append(((a, pa, b, pb), normal, item["force"], item["gap"], item["end"]))
        rows.sort(key=lambda row: row[0])
        if not rows:
            return Contacts.empty()
        index = np.array([row[0] for row in rows], np.int16)
        force = np.array([row[2] for row in rows], np.float32)
        return Contacts(
            entity_a=index[:, 0].copy(),
            part_a=index[:, 1].copy(),
            entity_b=index[:, 2].copy(),
            part_b=index[:, 3].copy(),
            normal=np.stack([row[1] for row in rows]),
            position_m=np.zeros((len(rows), 3), np.float32),
            peak_force_n=force,
            impulse_n_s=force * np.float32(0.05),
            distance_m=np.array([row[3] for row in rows], np.float32),
            at_end=np.array([row[4] for row in rows], np.bool_),
        )


START_M: Mapping[str, tuple[float, float, float]] = {
    "cup": (0.0, 0.0, TABLE_Z_M),
    "glass": (0.15, 0.0, TABLE_Z_M),
    "vase": (-0.15, 0.0, TABLE_Z_M),
}


def calm_hand(scene: Scene) -> Hand:
    """Everything stands on the table and nobody touches anything."""
    hand = Hand(scene, position_m=dict(START_M))
    hand.rest(*(entity.name for entity in scene.entities if entity.movable))
    return hand


def record(
    scene: Scene,
    steps: int,
    script: Callable[[int, Hand], Hand | None] | None = None,
    *,
    channels: Mapping[str, Channel] | None = None,
    step_limit: int | None = None,
) -> Trace:
    """A trace of `steps` frames; `script` changes (or replaces) the calm hand of each step."""
    meta = TraceMeta(RATE_HZ, scenario_id="hand-made", step_limit=step_limit)
    builder = TraceBuilder(scene, simulation_channels() if channels is None else channels, meta)
    for step in range(steps):
        hand = calm_hand(scene)
        if script is not None:
            hand = script(step, hand) or hand
        builder.append(hand.frame(step))
    return builder.build()


def without(channels: Mapping[str, Channel], *names: str) -> dict[str, Channel]:
    """`channels` with some of them absent."""
    return {n: Channel("absent", c.sampling) if n in names else c for n, c in channels.items()}


def random_trace(seed: int, steps: int, scene: Scene | None = None) -> Trace:
    """A trace full of noise: for laws that hold whatever the numbers are."""
    scene = clutter_scene() if scene is None else scene
    rng, contents, motion = (np.random.default_rng(s) for s in (seed, [seed, 1], [seed, 2]))
    builder = TraceBuilder(scene, simulation_channels(), TraceMeta(RATE_HZ, scenario_id="noise", seed=seed))
    objects = [entity.name for entity in scene.entities if entity.movable]
    height = {name: TABLE_Z_M for name in objects}
    tilt = {name: 0.0 for name in objects}
    for step in range(steps):
        hand = Hand(scene, tcp_m=tuple(rng.uniform(-0.3, 0.6, 3)))
        for number, name in enumerate(objects):
            height[name] = max(height[name] + rng.choice([0.0, 0.0, -0.03, -0.06, 0.04]), 0.0)
            tilt[name] += rng.choice([0.0, 0.0, 0.2, -0.2])
            axis = np.array([np.cos(number), np.sin(number), 0.0])
            hand.position_m[name] = (0.12 * number + rng.choice([0.0, 0.06]), rng.choice([0.0, 0.3]), height[name])
            hand.quat_wxyz[name] = (np.cos(tilt[name] / 2), *(np.sin(tilt[name] / 2) * axis))
            hand.linear_m_s[name] = tuple(rng.choice([0.0, 0.02, 0.2, -1.2], 3))
            hand.descent_m_s[name] = float(rng.choice([0.0, 0.5, 0.99, 1.2]))
            roll = rng.uniform()
            if roll < 0.6:
                hand.touch("table", name, at_end=bool(rng.uniform() < 0.8), force_n=float(rng.choice([0.0, 0.5, 3.0])))
            if roll > 0.7:
                hand.pinch(name, at_end=bool(rng.uniform() < 0.7))
            elif roll > 0.65:
                hand.touch("panda", name, part_a="link6", normal=(1.0, 0.0, 0.0))
            if number and rng.uniform() < 0.3:
                hand.touch(objects[number - 1], name, normal=tuple(rng.choice([-0.6, 0.0, 0.8], 3)))
        _disturb_contents(hand, contents, step)
        _disturb_hand(hand, motion)
        builder.append(hand.frame(step))
    return builder.build()


def _disturb_hand(hand: Hand, rng: np.random.Generator) -> None:
    """Turn the hand and what stands about, move the fingers, let joints and grains fly."""
    angle = float(rng.choice([0.0, 0.0, 0.1, 0.6]))
    hand.tcp_quat = (float(np.cos(angle / 2)), 0.0, float(np.sin(angle / 2)), 0.0)
    hand.opening_m = float(rng.choice([0.0, 0.02, 0.021, 0.08]))
    for entity in hand.scene.entities:
        if entity.movable:
            hand.angular_rad_s[entity.name] = tuple(rng.choice([0.0, 0.0, 0.1, 2.0], 3))
            for joint in entity.joints:
                hand.joint_velocity[entity.name, joint.name] = float(rng.choice([-0.5, 0.0, 0.5]))
    for group in hand.scene.grain_groups:
        missing = group.count - hand.grains_inside.get(group.container, group.count)
        hand.grains_air[group.container] = int(rng.integers(0, missing + 1))


def _disturb_contents(hand: Hand, rng: np.random.Generator, step: int) -> None:
    """Move joints, moving parts, grains and dust of whatever has them."""
    scene = hand.scene
    for group in scene.grain_groups:
        hand.grains_inside[group.container] = group.count if step == 0 else int(rng.integers(30, group.count + 1))
    for dust in scene.dust_groups:
        hand.dust_left[dust.surface] = int(rng.integers(0, dust.count + 1))
    for entity in scene.entities:
        if not entity.movable:
            continue
        for joint in entity.joints:
            hand.joints[entity.name, joint.name] = float(rng.uniform(joint.lower, joint.upper))
        for part in entity.parts:
            if part.moving:
                hand.part_position_m[entity.name, part.name] = tuple(rng.choice([0.0, 0.1, 0.3], 3))
