"""JSON forms of the static records: scene, channels, events and meta data, to Python values and back."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from maniguard.errors import ManiguardError, alternatives
from maniguard.trace.scene import Scene

T = TypeVar("T")


class CodecError(ManiguardError):
    """A JSON value that does not describe the record that it should."""


# Nearly all of a scene is numbers, which are dealt with first.
_SCALARS = (float, int, str, bool, type(None))


def record_to_dict(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that its constructor takes, as JSON values; tuples become lists."""
    return {item.name: _plain(getattr(record, item.name)) for item in dataclasses.fields(record) if item.init}


def _plain(value: Any) -> Any:
    if type(value) in _SCALARS:
        return value
    if dataclasses.is_dataclass(value):
        return record_to_dict(value)
    if isinstance(value, tuple | list):
        if all(type(item) is float for item in value):
            return list(value)
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


def record_from_dict(kind: type[T], data: object, where: str) -> T:
    """Build a dataclass `kind` from its JSON values.

    Fields that this version does not know are passed over, so that files of a later minor version stay readable;
    CodecError names a field that is missing or has the wrong type, and `where` it stands.
    """
    return cast(T, _build(kind, data, where))


def _build(kind: Any, data: object, where: str) -> Any:
    if kind is float and type(data) is float:
        return data
    if kind is Any:
        return data
    if dataclasses.is_dataclass(kind):
        return _build_record(cast(type[Any], kind), data, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _build_union(arguments, data, where)
    if origin is typing.Literal:
        if data not in arguments:
            raise CodecError(f"{where}: {data!r} is not one of {alternatives(map(str, arguments))}")
        return data
    if origin is tuple:
        return _build_tuple(arguments, data, where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise CodecError(f"{where}: expected an object, found {type(data).__name__}")
        return {key: _build(arguments[1], item, f"{where}.{key}") for key, item in data.items()}
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool):
        return float(data)
    if isinstance(kind, type) and isinstance(data, kind) and not (isinstance(data, bool) and kind is not bool):
        return data
    raise CodecError(f"{where}: expected {getattr(kind, '__name__', kind)}, found {type(data).__name__}")


def _build_record(kind: type[Any], data: object, where: str) -> Any:
    if not isinstance(data, dict):
        raise CodecError(f"{where}: expected an object, found {type(data).__name__}")
    hints = _hints(kind)  # type: ignore[arg-type]  # a class is hashable
    values: dict[str, Any] = {}
    for item in dataclasses.fields(kind):
        if not item.init:
            continue
        if item.name in data:
            values[item.name] = _build(hints[item.name], data[item.name], f"{where}.{item.name}")
        elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            raise CodecError(f"{where}: field {item.name!r} is missing")
    return kind(**values)


@functools.cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    # Resolving them anew for every contact box of a scene took most of the time of reading one.
    return typing.get_type_hints(kind)


def _build_union(choices: tuple[Any, ...], data: object, where: str) -> Any:
    if data is None and type(None) in choices:
        return None
    failures: list[str] = []
    exact = [choice for choice in choices if choice is type(data)]
    for choice in (*exact, *(choice for choice in choices if choice is not type(None) and choice not in exact)):
        try:
            return _build(choice, data, where)
        except CodecError as error:
            failures.append(str(error))
    raise CodecError(failures[0] if failures else f"{where}: unexpected {type(data).__name__}")


def _build_tuple(arguments: tuple[Any, ...], data: object, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise CodecError(f"{where}: expected a list, found {type(data).__name__}")
    many = len(arguments) == 2 and arguments[1] is Ellipsis
    if (many or len(data) == len(arguments)) and _only_floats(arguments) and all(type(item) is float for item in data):
        return tuple(data)
    if many:
        return tuple(_build(arguments[0], item, f"{where}[{index}]") for index, item in enumerate(data))
    if len(data) != len(arguments):
        raise CodecError(f"{where}: expected {len(arguments)} values, found {len(data)}")
    return tuple(
        _build(kind, item, f"{where}[{index}]") for index, (kind, item) in enumerate(zip(arguments, data, strict=True))
    )


@functools.cache
def _only_floats(arguments: tuple[Any, ...]) -> bool:
    return all(argument is float or argument is Ellipsis for argument in arguments)


def scene_to_dict(scene: Scene) -> dict[str, Any]:
    """Return `scene` as JSON values, the same for equal scenes: a whole number where a float belongs becomes one."""
    return record_to_dict(scene_from_dict(record_to_dict(scene)))


def scene_from_dict(data: object) -> Scene:
    """Build a scene from its JSON values; CodecError or SceneError where they contradict the definition."""
    return record_from_dict(Scene, data, "scene")
