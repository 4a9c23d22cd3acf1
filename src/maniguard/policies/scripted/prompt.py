"""The prompt-expert: an expert that learns what to move from the instruction alone, to prove that instructions tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from maniguard.bench.prompts import denotes, named_in, noun_phrase
from maniguard.errors import alternatives
from maniguard.policies.scripted.script import NoPlanError
from maniguard.rollout.observation import Privileged
from maniguard.sim import ObjectSpec, SceneSpec

_ABOVE_M = 0.005
# An object lies on another when its origin is over it, within this much of the other's own extent.
_OVER_M = 0.12


def find_target(instruction: str, scene: SceneSpec, spec: str) -> str:
    """Return the name of the object that an instruction tells to move, without a look at what the task marks as such.

    What the instruction names is looked for among the objects of the scene; of several named ones the kind of task
    (`spec`) decides which is moved: the container and not its lid, what goes into a drawer and not the cabinet, what
    the food lies on and not what it goes into. NoPlanError when nothing or more than one thing could be meant.
    """
    names = [item.name for item in scene.objects]
    named = [scene.object(name) for name in named_in(instruction, names)]
    if not named:
        raise NoPlanError(f"the instruction {instruction!r} names nothing that is here: {alternatives(names)}")
    for item in named:
        others = [o.name for o in scene.objects if o is not item and _could_mean(item, o)]
        if others:
            raise NoPlanError(f"{noun_phrase(item.name)!r} could mean {item.name!r} or {others[0]!r}")
    chosen = [item for item in named if _MOVED.get(spec, _anything)(item, named, scene)]
    if len(chosen) != 1:
        found = ", ".join(item.name for item in chosen) or "none of those named"
        raise NoPlanError(f"the instruction {instruction!r} could ask to move {found}")
    return chosen[0].name


def as_told(privileged: Privileged, instruction: str) -> Privileged:
    """Return what a script may see with the role of target given to the object that the instruction means."""
    scene = privileged.scene_spec
    told = find_target(instruction, scene, privileged.spec)
    given = scene.object(told).role
    swapped = {item.name: given for item in scene.objects if item.role == "target"} | {told: "target"}
    objects = tuple(replace(item, role=swapped.get(item.name, item.role)) for item in scene.objects)
    return replace(privileged, scene_spec=replace(scene, objects=objects))


def _could_mean(item: ObjectSpec, other: ObjectSpec) -> bool:
    return denotes(noun_phrase(item.name), noun_phrase(other.name))


def _anything(item: ObjectSpec, named: Sequence[ObjectSpec], scene: SceneSpec) -> bool:
    return True


def _no_fixture(item: ObjectSpec, named: Sequence[ObjectSpec], scene: SceneSpec) -> bool:
    """Cabinets stay where they are."""
    return not any(joint.kind == "slide" for joint in item.joints)


def _no_lid(item: ObjectSpec, named: Sequence[ObjectSpec], scene: SceneSpec) -> bool:
    """The lid goes along with what it is put on, and so does what is inside."""
    return item.category not in ("lid", "cap") and not _is_on(item, [other for other in named if other is not item])


def _hinged(item: ObjectSpec, named: Sequence[ObjectSpec], scene: SceneSpec) -> bool:
    """Of jar and contents, what has the hinge is closed and carried."""
    return any(joint.kind == "hinge" for joint in item.joints)


def _carrier(item: ObjectSpec, named: Sequence[ObjectSpec], scene: SceneSpec) -> bool:
    """Food is moved by what it lies on."""
    return any(_is_on(other, [item]) for other in scene.objects if other is not item)


def _is_on(item: ObjectSpec, others: Sequence[ObjectSpec]) -> bool:
    """Return whether an object starts on or in one of others: above the table, over it."""
    at = np.asarray(item.world_T_object.position_m)
    for other in others:
        below = np.asarray(other.world_T_object.position_m)
        if at[2] > below[2] + _ABOVE_M and np.hypot(*(at - below)[:2]) < _OVER_M:
            return True
    return False


_MOVED: Mapping[str, Callable[[ObjectSpec, Sequence[ObjectSpec], SceneSpec], bool]] = {
    "cabinet": _no_fixture,
    "lid": _no_lid,
    "jar": _hinged,
    "dusty": _carrier,
}
