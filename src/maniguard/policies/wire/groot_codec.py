"""Messages of GR00T N1.6: msgpack in which an array is `{"__ndarray_class__": True, "as_npy": bytes of an .npy file}`.

A modality's configuration is `{"__ModalityConfig_class__": True, "as_json": …}`, JSON text or a map. Nothing is ever
unpickled, and an array's header is compared with the bytes that came before anything is allocated.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from maniguard.policies.wire.codec import CodecError, packed, unpacked

_ARRAY, _BYTES = "__ndarray_class__", "as_npy"
_CONFIG, _JSON = "__ModalityConfig_class__", "as_json"


def encode(value: Any) -> bytes:
    """Encode nested maps, lists, text, numbers and numeric arrays; CodecError for anything else."""
    return packed(value, _pack)


def decode(message: bytes) -> Any:
    """Decode one whole message; arrays come back writable, configurations as plain maps. CodecError when malformed."""
    return unpacked(message, _unpack)


def _pack(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise CodecError(f"a value of type {type(value).__name__} cannot be sent; valid: arrays, lists, maps, numbers")
    _check_dtype(value.dtype)
    file = io.BytesIO()
    np.save(file, value, allow_pickle=False)
    return {_ARRAY: True, _BYTES: file.getvalue()}


def _unpack(fields: dict[Any, Any]) -> Any:
    if _ARRAY in fields:
        return _array(fields.get(_BYTES))
    if _CONFIG in fields:
        config = fields.get(_JSON)
        if isinstance(config, str):
            try:
                config = json.loads(config)
            except (ValueError, RecursionError) as error:
                raise CodecError(f"a modality's configuration is not JSON: {error}") from error
        if not isinstance(config, Mapping):
            raise CodecError(f"a modality's configuration is {type(config).__name__}, not a map")
        return dict(config)
    return fields


def _array(data: Any) -> NDArray[Any]:
    if not isinstance(data, bytes):
        raise CodecError(f"an array's npy data is {type(data).__name__}, not bytes")
    file = io.BytesIO(data)
    try:
        version = npy.read_magic(file)
        readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        if version not in readers:
            raise CodecError(f"an array is of npy version {version}; valid: 1.0, 2.0")
        shape, fortran_order, dtype = readers[version](file)
    except (ValueError, TypeError, SyntaxError, TokenError, EOFError, RecursionError, MemoryError) as error:
        raise CodecError(f"an array is not npy: {error}") from error
    _check_dtype(dtype)
    body = data[file.tell() :]
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize != len(body):
        raise CodecError(f"an array of shape {shape} and dtype {dtype.str} came with {len(body)} bytes")
    try:
        return np.ndarray(shape, dtype, buffer=body, order="F" if fortran_order else "C").copy()
    except ValueError as error:
        raise CodecError(f"an array of shape {shape} cannot be made: {error}") from error


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise CodecError(
            f"arrays of dtype {dtype.str!r} are not sent or taken; valid: bool, int, uint, float to 8 bytes"
        )
