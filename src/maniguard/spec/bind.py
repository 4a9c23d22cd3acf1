"""Binding: which entities of a scene the roles of a specification stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from maniguard.errors import alternatives
from maniguard.grounding import Atom, is_task_relevant
from maniguard.spec.errors import SpecError
from maniguard.spec.model import Binding, Proposition, Spec
from maniguard.trace import Entity, Scene


class Bound(NamedTuple):
    """A specification bound to a scene: entities by role, atoms to ground, and propositions about an empty role.

    `names` gives for each grounded proposition the atom that stands for a choice of entities, one per role in `each` of
    the proposition, in that order; for one about no role's each entity the choice is (). `constants` are the
    propositions about an empty role that say what they are then.
    """

    roles: Mapping[str, tuple[str, ...]]
    atoms: tuple[Atom, ...]
    empty: Mapping[str, str]
    names: Mapping[str, Mapping[tuple[str, ...], str]]
    constants: Mapping[str, bool]

    def instances(self, each: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Return every choice of different entities, one per role in `each`; one empty choice for no role."""
        return tuple(c for c in product(*(self.roles[role] for role in each)) if len(set(c)) == len(c))

    def rename(self, spec: Spec, each: tuple[str, ...], instance: tuple[str, ...]) -> dict[str, str]:
        """Return which atom each proposition stands for in one instance of a constraint about `each`."""
        chosen = dict(zip(each, instance, strict=True))
        out = {}
        for item in spec.propositions:
            choice = tuple(chosen[role] for role in item.each if role in chosen)
            known = self.names.get(item.name, {})
            if choice in known:
                out[item.name] = known[choice]
        return out


def bind(spec: Spec, scene: Scene) -> Bound:
    """Bind every role of `spec`; SpecError where the scene has too few or too many entities for one of them."""
    roles = {binding.name: _entities(spec, binding, scene) for binding in spec.bindings}
    atoms: list[Atom] = []
    empty: dict[str, str] = {}
    names: dict[str, dict[tuple[str, ...], str]] = {}
    constants: dict[str, bool] = {}
    for item in spec.propositions:
        of, to = roles[item.of], roles[item.to] if item.to is not None else ()
        lacking = item.of if not of else item.to if item.to is not None and not to else None
        if lacking is not None and item.when_empty is not None:
            constants[item.name] = item.when_empty
        elif lacking is not None:
            empty[item.name] = lacking
        else:
            names[item.name] = {}
            for choice, sides in _sides(item, of, to):
                name = f"{item.name}[{', '.join(choice)}]" if choice else item.name
                names[item.name][choice] = name
                quantifier = "all" if item.quantifier == "each" else item.quantifier
                atoms.append(Atom(name, item.predicate, *sides, item.values, quantifier, item.filters))
    return Bound(roles, tuple(atoms), empty, names, constants)


def _sides(
    item: Proposition, of: tuple[str, ...], to: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Yield each choice of entities of a proposition with the two sides of its atom; none is about itself."""
    first = [(name,) for name in of] if item.quantifier == "each" else [of]
    second = [(name,) for name in to] if item.to_quantifier == "each" else [to]
    for left, right in product(first, second):
        if item.quantifier == "each" and set(left) & set(right):
            # What a thing is beside itself is no question; with several others it is asked of those.
            right = tuple(name for name in right if name not in left)
            if not right:
                continue
        choice = (*(left if item.quantifier == "each" else ()), *(right if item.to_quantifier == "each" else ()))
        yield choice, (left, right)


def _entities(spec: Spec, binding: Binding, scene: Scene) -> tuple[str, ...]:
    names = tuple(entity.name for entity in scene.entities if _fits(binding, entity, scene))
    if len(names) < binding.least or (binding.most is not None and len(names) > binding.most):
        most = "or more" if binding.most is None else f"to {binding.most}"
        wanted = str(binding.least) if binding.least == binding.most else f"{binding.least} {most}"
        raise SpecError(
            f"spec {spec.name!r}: role {binding.name!r} ({_describe(binding)}) needs {wanted} entities and binds "
            f"{len(names)} ({alternatives(names)}); the scene has "
            f"{alternatives(f'{entity.name} ({entity.role})' for entity in scene.entities)}"
        )
    return names


def _fits(binding: Binding, entity: Entity, scene: Scene) -> bool:
    filled = any(group.container == entity.name for group in scene.grain_groups)
    return (
        (binding.role is None or entity.role == binding.role)
        and (binding.kind is None or entity.kind == binding.kind)
        and (binding.category is None or entity.category == binding.category)
        and (binding.entity is None or entity.name == binding.entity)
        and (binding.property is None or binding.property in entity.properties)
        and (binding.lacks is None or binding.lacks not in entity.properties)
        and (binding.movable is None or binding.movable == entity.movable)
        and (binding.interior is None or binding.interior == (entity.interior is not None))
        and (binding.liquid is None or binding.liquid == filled)
        and (not binding.task_relevant or is_task_relevant(entity))
    )


def _describe(binding: Binding) -> str:
    selectors = ("role", "kind", "category", "entity", "property", "lacks", "movable", "interior", "liquid")
    parts = [f"{key}: {getattr(binding, key)}" for key in selectors if getattr(binding, key) is not None]
    if binding.task_relevant:
        parts.append("task_relevant")
    return ", ".join(parts)
