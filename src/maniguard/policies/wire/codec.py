"""Messages of the openpi protocol: msgpack in which an array is a map with four byte-string keys.

An array is `{b"__ndarray__": True, b"data": C-order bytes, b"dtype": "<f4", b"shape": [2, 3]}`, a NumPy scalar
`{b"__npgeneric__": True, b"data": value, b"dtype": "<f4"}`. Nothing is ever unpickled: dtypes are checked against a
list before NumPy sees them, and sizes against the bytes that came.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError

#: The largest message either side takes, unless told otherwise: five RGB images of 1024 px fit four times.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024

# bool, integers and floats of up to 8 bytes, fixed-width text and bytes; no object, void, structured, complex, date or
# extended-precision dtype.
_DTYPE = re.compile(r"(\|b1|\|[iu]1|[<>][iu][248]|[<>]f[248]|[<>]U\d{1,7}|\|S\d{1,7})")
_VALID = "bool, int, uint, float of 1 to 8 bytes, str, bytes"


class CodecError(ManiguardError):
    """A value that cannot be sent, or a message that is not one of this protocol."""


def encode(value: Any) -> bytes:
    """Encode nested maps, lists, text, numbers and arrays; CodecError for anything else, object arrays included."""
    return packed(value, _pack)


def decode(message: bytes) -> Any:
    """Decode one whole message; arrays come back writable, with the dtype sent. CodecError when malformed."""
    return unpacked(message, _unpack)


def packed(value: Any, pack: Callable[[Any], Any]) -> bytes:
    """Return `value` as msgpack; `pack` makes plain values of what it has no form for. CodecError where that fails."""
    try:
        encoded: bytes = msgpack.packb(value, default=pack)
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"this value cannot be sent: {error}") from error
    return encoded


def unpacked(message: bytes, unpack: Callable[[dict[Any, Any]], Any]) -> Any:
    """Return what one whole msgpack message says; `unpack` sees every map of it, the innermost first.

    CodecError when it is malformed, goes on behind its end, or has an extension type.
    """
    try:
        return msgpack.unpackb(message, object_hook=unpack, ext_hook=_refuse_extension)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
        raise CodecError(f"not a msgpack message of this protocol: {str(error) or type(error).__name__}") from error


def _pack(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {
            b"__ndarray__": True,
            b"data": value.tobytes(),
            b"dtype": checked_dtype(value.dtype.str).str,
            b"shape": value.shape,
        }
    if isinstance(value, np.generic):
        return {b"__npgeneric__": True, b"data": value.item(), b"dtype": checked_dtype(value.dtype.str).str}
    raise CodecError(f"a value of type {type(value).__name__} cannot be sent; valid: {_VALID}, arrays, lists, maps")


def _unpack(fields: dict[Any, Any]) -> Any:
    if b"__ndarray__" in fields:
        return array_from(fields.get(b"dtype"), fields.get(b"data"), fields.get(b"shape"))
    if b"__npgeneric__" in fields:
        return _scalar(fields)
    return fields


def array_from(dtype_text: Any, data: Any, shape: Any) -> NDArray[Any]:
    """Make an array of what a message says of one; CodecError where the three do not fit, or the dtype is not taken."""
    dtype = checked_dtype(dtype_text)
    if not isinstance(data, bytes):
        raise CodecError(f"an array's data is {type(data).__name__}, not bytes")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape) or len(shape) > 32:
        raise CodecError(f"an array's shape is {str(shape)[:80]}, not a list of at most 32 sizes")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise CodecError(f"an array of shape {tuple(shape)} and dtype {dtype.str} came with {len(data)} bytes")
    try:
        return np.ndarray(shape, dtype, buffer=data).copy()
    except ValueError as error:  # an empty array whose other sizes are beyond what NumPy can index
        raise CodecError(f"an array of shape {tuple(shape)} cannot be made: {error}") from error


def _scalar(fields: Mapping[bytes, Any]) -> Any:
    dtype, value = checked_dtype(fields.get(b"dtype")), fields.get(b"data")
    if not isinstance(value, bool | int | float | str | bytes):
        raise CodecError(f"a scalar's data is {type(value).__name__}, not a number, text or bytes")
    try:
        return dtype.type(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise CodecError(f"{value!r} is no scalar of dtype {dtype.str}: {error}") from error


def checked_dtype(text: Any) -> np.dtype[Any]:
    """Return the dtype that `text` such as "<f4" names; CodecError where it is not one that is sent or taken."""
    if not isinstance(text, str) or _DTYPE.fullmatch(text) is None:
        raise CodecError(f"arrays of dtype {str(text)[:80]!r} are not sent or taken; valid: {_VALID}")
    return np.dtype(text)


def _refuse_extension(code: int, data: bytes) -> Any:
    raise CodecError(f"msgpack extension type {code} is no part of this protocol")
