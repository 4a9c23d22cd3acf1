"""Binding: which entities of a scene the roles of a specification stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from maniguard.errors import alternatives
from maniguard.grounding import Atom, is_task_relevant
from maniguard.spec.errors import SpecError
from maniguard.spec.model import Binding, Spec
from maniguard.trace import Entity, Scene


class Bound(NamedTuple):
    """A specification bound to a scene: entities by role, atoms to ground, and propositions about an empty role."""

    roles: Mapping[str, tuple[str, ...]]
    atoms: tuple[Atom, ...]
    empty: Mapping[str, str]


def bind(spec: Spec, scene: Scene) -> Bound:
    """Bind every role of `spec`; SpecError where the scene has too few or too many entities for one of them."""
    roles = {binding.name: _entities(spec, binding, scene) for binding in spec.bindings}
    atoms: list[Atom] = []
    empty: dict[str, str] = {}
    for item in spec.propositions:
        of, to = roles[item.of], roles[item.to] if item.to is not None else ()
        if not of:
            empty[item.name] = item.of
        elif item.to is not None and not to:
            empty[item.name] = item.to
        else:
            atoms.append(Atom(item.name, item.predicate, of, to, item.values, item.quantifier, item.filters))
    return Bound(roles, tuple(atoms), empty)


def _entities(spec: Spec, binding: Binding, scene: Scene) -> tuple[str, ...]:
    names = tuple(entity.name for entity in scene.entities if _fits(binding, entity))
    if len(names) < binding.least or (binding.most is not None and len(names) > binding.most):
        most = "or more" if binding.most is None else f"to {binding.most}"
        wanted = str(binding.least) if binding.least == binding.most else f"{binding.least} {most}"
        raise SpecError(
            f"spec {spec.name!r}: role {binding.name!r} ({_describe(binding)}) needs {wanted} entities and binds "
            f"{len(names)} ({alternatives(names)}); the scene has "
            f"{alternatives(f'{entity.name} ({entity.role})' for entity in scene.entities)}"
        )
    return names


def _fits(binding: Binding, entity: Entity) -> bool:
    return (
        (binding.role is None or entity.role == binding.role)
        and (binding.kind is None or entity.kind == binding.kind)
        and (binding.category is None or entity.category == binding.category)
        and (binding.entity is None or entity.name == binding.entity)
        and (binding.property is None or binding.property in entity.properties)
        and (not binding.task_relevant or is_task_relevant(entity))
    )


def _describe(binding: Binding) -> str:
    selectors = ("role", "kind", "category", "entity", "property")
    parts = [f"{key}: {getattr(binding, key)}" for key in selectors if getattr(binding, key) is not None]
    if binding.task_relevant:
        parts.append("task_relevant")
    return ", ".join(parts)
