"""What verdicts rest on where it was not measured: channels worked out afterwards, or looked at only now and then."""

from __future__ import annotations

from collections.abc import Mapping

from maniguard.grounding import REGISTRY
from maniguard.ltlf import parse
from maniguard.spec import Spec
from maniguard.trace import Channel, simulation_channels


def marks_of(spec: Spec, channels: Mapping[str, Channel]) -> dict[str, tuple[str, ...]]:
    """Return by constraint the channels that it needs and that are less than measured, as `NAME (HOW)`."""
    best = simulation_channels()
    needs = {item.name: REGISTRY[item.predicate].channels for item in spec.propositions}
    found: dict[str, tuple[str, ...]] = {}
    for constraint in spec.constraints:
        texts = (constraint.formula, constraint.trigger, constraint.recovery)
        names = {name for text in texts if text for name in parse(text, rate_hz=20.0).atom_order()}
        wanted = sorted({channel for name in names for channel in needs.get(name, ())})
        words = []
        for name in wanted:
            channel = channels[name]
            how: list[str] = [channel.provenance] if channel.provenance == "recomputed" else []
            if channel.sampling == "instantaneous" and best[name].sampling == "latched":
                how.append("instantaneous")
            if how and channel.provenance != "absent":
                words.append(f"{name} ({', '.join(how)})")
        if words:
            found[constraint.name] = tuple(words)
    return found
