"""JSON in which an array is `{"__numpy__": base64 text, "dtype": "<f4", "shape": [2, 3]}`, as json-numpy writes it.

Dtypes are checked before NumPy sees them, and sizes against the bytes that came; there is nothing to unpickle.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.policies.wire.codec import CodecError

_VALID = "bool, int, uint, float to 8 bytes"


def to_json(array: NDArray[Any]) -> dict[str, Any]:
    """Return a numeric array as JSON values; CodecError for any other."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise CodecError(f"arrays of dtype {array.dtype.str!r} are not sent; valid: {_VALID}")
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"__numpy__": data, "dtype": array.dtype.str, "shape": list(array.shape)}


def from_json(body: bytes) -> Any:
    """Read JSON with arrays; CodecError when it is none."""
    try:
        return json.loads(body, object_hook=_unpack)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not JSON: {error}") from error


def _unpack(fields: dict[str, Any]) -> Any:
    if "__numpy__" not in fields:
        return fields
    text, dtype, shape = (fields.get(name) for name in ("__numpy__", "dtype", "shape"))
    try:
        data, kind = base64.b64decode(str(text), validate=True), np.dtype(str(dtype))
    except (binascii.Error, TypeError, ValueError, SyntaxError) as error:
        raise CodecError(f"an array is malformed: {error}") from error
    if kind.kind not in "biuf" or kind.itemsize > 8:
        raise CodecError(f"arrays of dtype {kind.str!r} are not taken; valid: {_VALID}")
    sizes = shape if isinstance(shape, list) and len(shape) <= 32 else [-1]
    if not all(type(size) is int and size >= 0 for size in sizes) or math.prod(sizes) * kind.itemsize != len(data):
        raise CodecError(f"an array of shape {str(shape)[:80]} and dtype {kind.str} came with {len(data)} bytes")
    try:
        return np.frombuffer(data, kind).reshape(sizes).copy()
    except ValueError as error:  # an empty array whose other sizes are beyond what NumPy can index
        raise CodecError(f"an array of shape {sizes} cannot be made: {error}") from error
