"""Attributes that are computed when they are first asked for, without the lock of `functools.cached_property`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Lazy(Generic[T]):
    """A method as an attribute that is computed once per object; for objects that stay within one thread."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Lazy[T]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object, kind: type) -> T | Lazy[T]:
        if owner is None:
            return self
        # What stands in the object's own dictionary is found before this is asked again.
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
