"""From the named entries of a specification file to bindings and propositions, noting every mistake on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, cast

from maniguard.errors import alternatives
from maniguard.grounding import FILTERS, REGISTRY, Predicate
from maniguard.spec.fields import FieldReader
from maniguard.spec.model import Binding, Proposition

T = TypeVar("T")
_Quantifier = Literal["any", "all", "each", "active"]

_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_COUNT = re.compile(r"^(\d+)(?:(\+)|-(\d+))?$")
_PROPOSITION_KEYS = frozenset({"predicate", "of", "to", "quantifier", "to_quantifier", "filters", "when_empty"})


class PropositionReader(FieldReader):
    """Reads what formulas are about: the roles, and the propositions over them."""

    def each(
        self, data: Mapping[str, Any], section: str, build: Callable[[str, Mapping[str, Any], str], T]
    ) -> tuple[T, ...]:
        """Build every entry of a section, in its order."""
        built = []
        for name, item in self.mapping(data.get(section), section).items():
            place = f"{section}.{name}"
            if not isinstance(name, str) or not _NAME.match(name):
                self.note(place, "name", f"{name!r} is no name; use lower-case letters, digits and underscores")
            built.append(build(str(name), self.mapping(item, place), place))
        return tuple(built)

    def binding(self, name: str, item: Mapping[str, Any], place: str) -> Binding:
        """Read a role: what selects its entities, and how many there must be."""
        named = ("role", "kind", "category", "entity", "property", "lacks")
        truths = ("movable", "interior", "liquid")
        selectors = (*named, *truths, "task_relevant")
        self.keys(item, (*selectors, "count"), place)
        if not any(key in item for key in selectors):
            self.note(place, "missing-key", f"no selector; use one or more of {alternatives(selectors)}")
        match = _COUNT.match(str(item.get("count", "")))
        if match is None:
            self.note(place, "count", f"count is {item.get('count')!r}; write 1, 2-4, 1+ or 0+")
            least, most = 1, None
        else:
            least = int(match[1])
            most = None if match[2] else int(match[3] or match[1])
        if most is not None and (most < least or most == 0):
            self.note(place, "count", f"count {item.get('count')!r} allows no number")
        relevant = item.get("task_relevant", False)
        if not isinstance(relevant, bool):
            self.note(f"{place}.task_relevant", "type", f"expected true or false, found {relevant!r}")
        chosen: dict[str, Any] = {key: self.optional(item, key, place) for key in named}
        for key in truths:
            chosen[key] = item.get(key)
            if chosen[key] is not None and not isinstance(chosen[key], bool):
                self.note(f"{place}.{key}", "type", f"expected true or false, found {chosen[key]!r}")
                chosen[key] = None
        return Binding(name, **chosen, task_relevant=relevant is True, least=least, most=most)

    def unknown_predicate(self, name: object, place: str) -> None:
        """Note that there is no such predicate."""
        known = alternatives(REGISTRY, limit=40)
        self.note(place, "unknown-predicate", f"unknown predicate {name!r}; the predicates are {known}")

    def proposition(
        self,
        name: str,
        item: Mapping[str, Any],
        place: str,
        bindings: Mapping[str, Binding],
        defaults: Mapping[str, Any],
    ) -> Proposition:
        """Read a proposition over the roles `bindings`; parameters it does not give are those of `defaults`."""
        predicate = self.text(item, "predicate", place)
        of, to = self.text(item, "of", place), self.optional(item, "to", place)
        for key, role in (("of", of), ("to", to)):
            if role and role not in bindings:
                self.note(
                    f"{place}.{key}", "unknown-binding", f"unknown role {role!r}; bound are {alternatives(bindings)}"
                )
        quantifier = self._quantifier(item, place, bindings.get(of))
        to_quantifier = item.get("to_quantifier", "any")
        if to_quantifier not in ("any", "each") or (to is None and "to_quantifier" in item):
            self.note(f"{place}.to_quantifier", "type", f"found {to_quantifier!r}; valid are any, each, with a 'to'")
            to_quantifier = "any"
        kind = REGISTRY.get(predicate)
        values: tuple[tuple[str, float], ...] = ()
        unit = ""
        if kind is None:
            if predicate:
                self.unknown_predicate(predicate, f"{place}.predicate")
        else:
            unit = kind.unit
            values = self._values(kind, item, place, self.mapping(defaults.get(predicate), f"defaults.{predicate}"))
            if kind.takes_to == "required" and to is None:
                self.note(place, "missing-key", f"predicate {predicate!r} needs a role as 'to'")
            if kind.takes_to == "no" and to is not None:
                self.note(f"{place}.to", "unknown-key", f"predicate {predicate!r} takes no 'to'")
        if quantifier == to_quantifier == "each" and of == to:
            message = f"each of {of!r} with each of {of!r}; bind a second role to the same entities for the other side"
            self.note(place, "each", message)
        filters = self._filters(item.get("filters"), place, unit)
        when_empty = item.get("when_empty")
        if when_empty is not None and not isinstance(when_empty, bool):
            self.note(f"{place}.when_empty", "type", f"expected true or false, found {when_empty!r}")
            when_empty = None
        return Proposition(name, predicate, of, to, quantifier, values, filters, to_quantifier, when_empty)

    def _quantifier(self, item: Mapping[str, Any], place: str, binding: Binding | None) -> _Quantifier:
        value = item.get("quantifier")
        if value is None:
            if binding is not None and binding.most != 1:
                message = f"role {binding.name!r} may be several entities; say quantifier: any, all, each or active"
                self.note(place, "missing-key", message)
            return "all"
        if value not in ("any", "all", "each", "active"):
            self.note(f"{place}.quantifier", "type", f"found {value!r}, valid are active, all, any, each")
            return "all"
        return cast(_Quantifier, value)

    def _values(
        self, kind: type[Predicate], item: Mapping[str, Any], place: str, defaults: Mapping[str, Any]
    ) -> tuple[tuple[str, float], ...]:
        params = {param.name: param for param in kind.params}
        given = {key: value for key, value in item.items() if key not in _PROPOSITION_KEYS}
        for source, where in ((given, place), (defaults, f"defaults.{kind.name}")):
            for key in source:
                if key not in params:
                    known = alternatives(params)
                    self.note(where, "unknown-parameter", f"{kind.name!r} has no parameter {key!r}; it has {known}")
        values = []
        for name, param in params.items():
            if name in given:
                values.append((name, self.quantity(given[name], param.unit, f"{place}.{name}", param.minimum)))
            elif name in defaults:
                place_of_default = f"defaults.{kind.name}.{name}"
                values.append((name, self.quantity(defaults[name], param.unit, place_of_default, param.minimum)))
            else:
                self.note(place, "missing-parameter", f"{kind.name!r} needs {name!r} in {param.unit}: {param.summary}")
        return tuple(values)

    def _filters(self, value: object, place: str, unit: str) -> tuple[tuple[str, float], ...]:
        if value is None:
            return ()
        if not isinstance(value, list):
            self.note(f"{place}.filters", "type", f"expected a list, found {type(value).__name__}")
            return ()
        filters = []
        for index, item in enumerate(value):
            where = f"{place}.filters[{index}]"
            if item == "latch":
                filters.append(("latch", 0.0))
            elif isinstance(item, dict) and len(item) == 1 and next(iter(item)) in FILTERS and "latch" not in item:
                ((name, argument),) = item.items()
                filters.append((name, self.quantity(argument, FILTERS[name] or unit, f"{where}.{name}", 0.0)))
            else:
                self.note(
                    where,
                    "filter",
                    f"{item!r} is no filter; valid are {alternatives(FILTERS)}, with a duration or band",
                )
        return tuple(filters)
