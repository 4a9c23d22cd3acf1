"""Conditions as deltas: value patches on a base scenario, each confined to its own axis."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from maniguard.bench.canonical import TaskFileError
from maniguard.errors import alternatives

BASE = "base"
CONDITIONS = (BASE, "target", "language", "location", "environment")

# What each axis may change, as patterns over JSON pointers into the base. Nothing else can differ, so a difference in
# outcome has one cause.
_AXES: Mapping[str, str] = {
    "target": r"/scene/objects/{target}/appearance",
    "language": r"/instruction",
    "location": r"/scene/objects/\d+/world_T_object/(position_m|quat_wxyz)",
    "environment": r"/scene/(room|table/appearance)",
}


def apply_delta(
    base: Mapping[str, Any], delta: Sequence[Any], condition: str, where: str, target_index: int
) -> dict[str, Any]:
    """Return `base` with the values of `delta` put in; `delta` is a list of {"path": JSON pointer, "value": new value}.

    TaskFileError when a path is not in the base, lies outside the condition's axis, or does not change anything.
    """
    if condition not in _AXES:
        raise TaskFileError(f"{where}: condition {condition!r} is not one of {alternatives(CONDITIONS)}")
    allowed = re.compile(_AXES[condition].format(target=target_index))
    out: dict[str, Any] = copy.deepcopy(dict(base))
    if not delta:
        raise TaskFileError(f"{where}: the delta of condition {condition!r} is empty; it must change its axis")
    for item in delta:
        if not isinstance(item, Mapping) or set(item) != {"path", "value"}:
            raise TaskFileError(f"{where}: an item of delta {condition!r} must have exactly 'path' and 'value'")
        path = item["path"]
        if not isinstance(path, str) or not allowed.fullmatch(path):
            raise TaskFileError(f"{where}: delta {condition!r} may not change {path!r}; its axis is {allowed.pattern}")
        _put(out, path, copy.deepcopy(item["value"]), condition, where)
    return out


def _put(document: Any, path: str, value: Any, condition: str, where: str) -> None:
    holder = document
    *parents, last = path.split("/")[1:]
    for key in parents:
        holder = holder[_key(holder, key, path, condition, where)]
    final = _key(holder, last, path, condition, where)
    if holder[final] == value:
        raise TaskFileError(f"{where}: delta {condition!r} sets {path!r} to the value that the base has")
    holder[final] = value


def _key(holder: Any, key: str, path: str, condition: str, where: str) -> Any:
    if isinstance(holder, list) and key.isdigit() and int(key) < len(holder):
        return int(key)
    if isinstance(holder, dict) and key in holder:
        return key
    valid = holder if isinstance(holder, dict) else map(str, range(len(holder))) if isinstance(holder, list) else ()
    raise TaskFileError(
        f"{where}: delta {condition!r}: no {key!r} in the base at {path!r}; there is {alternatives(valid)}"
    )
