"""Which bodies of somebody else's model belong together, and which of them are a robot's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import mujoco

from maniguard.audit.errors import AuditError
from maniguard.audit.interiors import has_region
from maniguard.audit.mapping import Mapping
from maniguard.errors import alternatives

# Bodies whose name starts like this are a robot's; the number that follows tells robots apart.
_ROBOT = re.compile(
    r"^(?:(?:robot|panda|franka|fr3|ur5e)(\d*)|(?:gripper|fixed_mount|mount|mobilebase|base)(\d+))(?=[_/]|$)"
)
_LEFT = re.compile(r"left_?(?:inner_)?finger$")
_RIGHT = re.compile(r"right_?(?:inner_)?finger$")
_HAND = re.compile(r"(?:^|[_/])(?:hand|gripper)$")
FREE, HINGE, SLIDE = (
    int(kind) for kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
)


@dataclass
class Group:
    """The bodies that make one entity, in the order of the model; `frame` is the body whose frame is the entity's.

    `tree` is the name of the whole, of which a drawer is a piece; else it is `name`.
    """

    name: str
    tree: str
    robot: bool
    frame: int
    bodies: list[int] = field(default_factory=list)


class Bodies:
    """The bodies of a model by name, joint and owner."""

    def __init__(self, model: mujoco.MjModel, mapping: Mapping) -> None:
        self.model, self.mapping = model, mapping
        self.names = [str(model.body(i).name) or f"body{i}" for i in range(model.nbody)]
        self.touchable = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self._joints: dict[int, list[int]] = {}
        for joint in range(model.njnt):
            self._joints.setdefault(int(model.jnt_bodyid[joint]), []).append(joint)

    def joints(self, body: int, *kinds: int) -> list[int]:
        """Return the joints of a body, of these kinds."""
        return [joint for joint in self._joints.get(body, ()) if int(self.model.jnt_type[joint]) in kinds]

    def groups(self) -> list[Group]:
        """Return the entities-to-be: one for each tree of bodies that matters, more for a cabinet of several drawers.

        AuditError for a body or an entity that a mapping names and the model does not have.
        """
        stated = self._stated_robot()
        groups: dict[str, Group] = {}
        owner: dict[int, str] = {}
        for body in range(1, self.model.nbody):
            root = int(self.model.body_rootid[body])
            if body == root:
                name = self.names[body]
                match = _ROBOT.match(name)
                robot = name in stated if stated else match is not None
                key = self._robot_name(match) if robot else name.removesuffix("_main").removesuffix("_root")
                if key in groups and not (robot and groups[key].robot):
                    key = name if name not in groups else f"{name}#{body}"
                groups.setdefault(key, Group(key, key, robot, body))
                owner[root] = key
            groups[owner[root]].bodies.append(body)
        found = [part for group in groups.values() if self._matters(group) for part in self._parted(group)]
        if any(self.touchable[g] and self.model.geom_bodyid[g] == 0 for g in range(self.model.ngeom)):
            ground = "floor" if "floor" not in groups else "world"
            found.insert(0, Group(ground, ground, False, 0, [0]))
        ignored = set(self.mapping.ignore)
        for name in sorted(ignored - {group.name for group in found}):
            known = alternatives((group.name for group in found), limit=40)
            raise AuditError(f"{self.mapping.path}.ignore: the recording has no {name!r}; it has {known}")
        return [group for group in found if group.name not in ignored]

    def fingers(self, bodies: list[int]) -> list[int]:
        """Return the bodies of the left and the right finger among a robot's, or none."""
        stated = None if self.mapping.robot is None else self.mapping.robot.fingers
        if stated is not None:
            return [self.named(name, "fingers") for name in stated]
        left = [body for body in bodies if _LEFT.search(self.names[body])]
        right = [body for body in bodies if _RIGHT.search(self.names[body])]
        return [left[0], right[0]] if left and right else []

    def is_hand(self, body: int) -> bool:
        """Whether a body is called a hand or a gripper."""
        return _HAND.search(self.names[body]) is not None

    def without_robot(self, body: int) -> str:
        """Return the name of a robot's body without the robot's own."""
        return _ROBOT.sub("", self.names[body]).lstrip("_/") or self.names[body]

    def named(self, name: str, what: str) -> int:
        """Return the body of that name; AuditError lists the valid ones."""
        if name not in self.names[1:]:
            where = "" if self.mapping.robot is None else f"{self.mapping.robot.where}.{what}"
            known = alternatives(self.names[1:], limit=40)
            raise AuditError(f"{where}: the model has no body {name!r}; it has {known}")
        return self.names.index(name)

    def _stated_robot(self) -> set[str]:
        names = () if self.mapping.robot is None else self.mapping.robot.bodies
        return {self.names[int(self.model.body_rootid[self.named(name, "bodies")])] for name in names}

    def _robot_name(self, match: re.Match[str] | None) -> str:
        if self.mapping.robot is not None:
            return self.mapping.robot.name
        return f"robot{match[1] or match[2] or ''}" if match is not None else "robot"

    def _matters(self, group: Group) -> bool:
        """Whether a tree can be touched or is a robot; markers and lamps are nothing."""
        return group.robot or any(
            self.touchable[g] and int(self.model.geom_bodyid[g]) in group.bodies for g in range(self.model.ngeom)
        )

    def _parted(self, group: Group) -> list[Group]:
        """Return a cabinet's body and each of its drawers by itself, where two or more have a room of their own."""
        if group.robot or self.joints(group.frame, FREE):
            return [group]
        rooms = [
            body for body in group.bodies[1:] if self.joints(body, HINGE, SLIDE) and has_region(self.model, [body])
        ]
        if len(rooms) < 2:
            return [group]
        drawers = [Group(f"{group.name}_{self._short(body, group)}", group.name, False, group.frame) for body in rooms]
        rest = Group(group.name, group.name, False, group.frame)
        for body in group.bodies:
            above = body
            while above not in rooms and above != 0:
                above = int(self.model.body_parentid[above])
            (drawers[rooms.index(above)] if above in rooms else rest).bodies.append(body)
        return [rest, *drawers]

    def _short(self, body: int, group: Group) -> str:
        return without(self.names[body], group.name)


def without(name: str, entity: str) -> str:
    """Return a name without the entity's in front."""
    for separator in ("_", "/"):
        if name.startswith(entity + separator):
            return name[len(entity) + 1 :]
    return name
