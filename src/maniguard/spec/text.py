"""A specification for readers: in sentences, and as YAML with everything resolved."""

from __future__ import annotations

from typing import Any

import yaml

from maniguard.grounding import FILTERS, format_quantity, predicate_named
from maniguard.spec.model import FORMAT, JUDGING_PARAMS, Binding, Proposition, Spec


def explain(spec: Spec) -> str:
    """Return in sentences what a specification demands and how it is measured."""
    lines = [f"{spec.title} ({spec.name}, variant {spec.variant})", spec.summary, ""]
    lines.append("Rules")
    for constraint in spec.constraints:
        lines.append(f"  {constraint.name} [{constraint.severity}] {constraint.sentence}")
        each = f", for each of {' and '.join(constraint.each)}" if constraint.each else ""
        lines.append(f"      {constraint.formula}{each}")
        if constraint.recovery is not None:
            lines.append(f"      an episode is over once: {constraint.recovery}")
    if spec.goal is not None:
        lines += ["", "Goal", f"  {spec.goal.sentence}"]
        lines.append(f"      {spec.goal.formula}, for {format_quantity(spec.goal.dwell_s, 's')}")
    if spec.engagement is not None:
        lines += ["", "Engagement", f"  from the first frame in which {spec.engagement} is true"]
    rungs = [("manipulated", spec.ladder.manipulated), ("reached", spec.ladder.reached)]
    if any(formula for _, formula in rungs):
        lines += ["", "Ladder of unsuccessful rollouts"]
        lines += [f"  {name}: {formula}" for name, formula in rungs if formula]
    lines += ["", "Propositions"]
    for item in spec.propositions:
        lines += [f"  {item.name}: {_sentence(item, spec)}", f"      {_measured(item)}"]
    lines += ["", "Roles"]
    lines += [f"  {binding.name}: {_count(binding)} of {_selectors(binding)}" for binding in spec.bindings]
    return "\n".join(lines)


def _sentence(item: Proposition, spec: Spec) -> str:
    single = any(binding.name == item.of and binding.most == 1 for binding in spec.bindings)
    subject = item.of if single else f"{item.quantifier} of {item.of}"
    return f"{item.predicate}, {subject}: {predicate_named(item.predicate).summary.replace('`to`', item.to or '')}"


def _measured(item: Proposition) -> str:
    kind = predicate_named(item.predicate)
    units = {param.name: param.unit for param in kind.params}
    parts = [f"{name} {format_quantity(value, units[name])}" for name, value in item.values]
    parts += [_filter(name, argument, kind.unit) for name, argument in item.filters]
    return ", ".join(parts) or "no parameters"


def _filter(name: str, argument: float, unit: str) -> str:
    return name if name == "latch" else f"{name} {format_quantity(argument, FILTERS[name] or unit)}"


def _count(binding: Binding) -> str:
    if binding.most is None:
        return f"{binding.least}+"
    return str(binding.least) if binding.least == binding.most else f"{binding.least}-{binding.most}"


def _selectors(binding: Binding) -> str:
    items = {key: value for key, value in _binding(binding).items() if key != "count"}
    return ", ".join("task-relevant" if key == "task_relevant" else f"{key} {value}" for key, value in items.items())


def _binding(binding: Binding) -> dict[str, Any]:
    keys = ("role", "kind", "category", "entity", "property", "lacks", "movable", "interior", "liquid")
    item: dict[str, Any] = {key: getattr(binding, key) for key in keys if getattr(binding, key) is not None}
    if binding.task_relevant:
        item["task_relevant"] = True
    return {**item, "count": _count(binding)}


def show(spec: Spec) -> str:
    """Return a specification as YAML in which defaults and the variant are resolved; it reads back to the same."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "name": spec.name,
        "title": spec.title,
        "summary": spec.summary,
        "bindings": {binding.name: _binding(binding) for binding in spec.bindings},
        "propositions": {item.name: _proposition(item) for item in spec.propositions},
    }
    if spec.engagement is not None:
        data["engagement"] = spec.engagement
    if spec.goal is not None:
        goal = spec.goal
        data["goal"] = {"sentence": goal.sentence, "formula": goal.formula, "dwell": _exact(goal.dwell_s, "s")}
    ladder = {"manipulated": spec.ladder.manipulated, "reached": spec.ladder.reached}
    if any(ladder.values()):
        data["ladder"] = {name: formula for name, formula in ladder.items() if formula}
    suffix = {"s": "_s", "m": "_m", "deg": "_deg"}
    data["judging"] = {
        param.name: _exact(getattr(spec.judging, param.name + suffix[param.unit]), param.unit)
        for param in JUDGING_PARAMS
    }
    data["constraints"] = {}
    for constraint in spec.constraints:
        item: dict[str, Any] = {"role": constraint.role, "sentence": constraint.sentence}
        if constraint.waives:
            item["waives"] = dict(constraint.waives)
        if constraint.category:
            item["category"] = constraint.category
        if constraint.each:
            item["each"] = list(constraint.each)
        if constraint.trigger is None:
            item["formula"] = constraint.formula
        else:
            item |= {"trigger": constraint.trigger, "obligation": constraint.obligation}
        if constraint.recovery is not None:
            item["recovery"] = constraint.recovery
        data["constraints"][constraint.name] = {**item, "severity": constraint.severity}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def _proposition(item: Proposition) -> dict[str, Any]:
    kind = predicate_named(item.predicate)
    units = {param.name: param.unit for param in kind.params}
    data: dict[str, Any] = {"predicate": item.predicate, "of": item.of}
    if item.to is not None:
        data["to"] = item.to
    data["quantifier"] = item.quantifier
    if item.to_quantifier == "each":
        data["to_quantifier"] = item.to_quantifier
    if item.when_empty is not None:
        data["when_empty"] = item.when_empty
    data.update({name: _exact(value, units[name]) for name, value in item.values})
    if item.filters:
        data["filters"] = [
            name if name == "latch" else {name: _exact(argument, FILTERS[name] or kind.unit)}
            for name, argument in item.filters
        ]
    return data


def _exact(value: float, unit: str) -> str:
    return f"{value!r} {unit}"
