"""Messages of the vla-eval protocol: msgpack maps of type, payload, sequence number and time.

An array is `{"__ndarray__": true, "data": C-order bytes, "dtype": "<f4", "shape": [2, 3]}`, an image (H, W, 1, 3 or 4)
of uint8 is `{"__image__": true, "format": "png", "data": file, "shape": [H, W, C]}`, where the format may also be
"jpeg", or "raw" with a dtype. NumPy scalars travel as plain numbers. Nothing is ever unpickled: dtypes are checked
against a list, sizes against the bytes that came, and an image's header against its stated shape before it is decoded.
"""

from __future__ import annotations

import enum
import io
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from maniguard.errors import alternatives
from maniguard.policies.wire.codec import CodecError, array_from, checked_dtype, packed, unpacked

PROTOCOL_VERSION = 1

ImageFormat = Literal["png", "raw"]
IMAGE_FORMATS: tuple[ImageFormat, ...] = ("png", "raw")

# The most pixels that are decoded, in all images of a message together: a few bytes of PNG may claim any size.
MAX_IMAGE_PX = 4096 * 4096

_ARRAY_KEY, _IMAGE_KEY = "__ndarray__", "__image__"
# What Pillow raises for a damaged file; the last four come from its readers of single chunks.
_UNDECODABLE = (
    *(UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError),
    *(IndexError, KeyError, struct.error, zlib.error),
)
_CHANNELS = {1: "L", 3: "RGB", 4: "RGBA"}


class MessageType(enum.StrEnum):
    """What a message is."""

    HELLO = "hello"
    OBSERVATION = "observation"
    ACTION = "action"
    EPISODE_START = "episode_start"
    EPISODE_END = "episode_end"
    ERROR = "error"


@dataclass(frozen=True)
class Message:
    """One frame. `seq` of an answer is that of what it answers; `timestamp` is in seconds of the sender's clock."""

    type: MessageType
    payload: Mapping[str, Any]
    seq: int
    timestamp: float = 0.0


def encode_message(message: Message, *, images: ImageFormat = "png") -> bytes:
    """Encode a message, images as PNG or as plain arrays; CodecError for a value that the protocol cannot carry."""
    raw = {
        "type": message.type.value,
        "payload": dict(message.payload),
        "seq": message.seq,
        "timestamp": message.timestamp,
    }
    return packed(raw, lambda value: _pack(value, images))


def decode_message(frame: str | bytes) -> Message:
    """Decode one frame; arrays come back writable. CodecError when it is not a message of this protocol."""
    if isinstance(frame, str):
        raise CodecError("a text frame, where the vla-eval protocol has binary ones")
    raw = unpacked(frame, _Unpacker())
    if not isinstance(raw, dict):
        raise CodecError(f"a message is a map, not {type(raw).__name__}")
    missing = [key for key in ("type", "payload", "seq", "timestamp") if key not in raw]
    if missing:
        raise CodecError(f"a message lacks {', '.join(missing)}")
    kind, payload, seq, timestamp = raw["type"], raw["payload"], raw["seq"], raw["timestamp"]
    if kind not in tuple(MessageType):
        raise CodecError(f"unknown message type {str(kind)[:40]!r}; valid: {alternatives(MessageType)}")
    if not isinstance(payload, dict) or not all(isinstance(key, str) for key in payload):
        raise CodecError(f"a message's payload is {type(payload).__name__}, not a map with text keys")
    if type(seq) is not int or not isinstance(timestamp, int | float) or isinstance(timestamp, bool):
        raise CodecError("a message's seq is not a whole number, or its timestamp no number")
    return Message(MessageType(kind), payload, seq, float(timestamp))


def _pack(value: Any, images: ImageFormat) -> Any:
    if isinstance(value, np.ndarray):
        if images == "png" and _is_image(value):
            return _pack_png(value)
        return {
            _ARRAY_KEY: True,
            "data": value.tobytes(),
            "dtype": _number_dtype(value.dtype.str).str,
            "shape": list(value.shape),
        }
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    raise CodecError(f"a value of type {type(value).__name__} cannot be sent; valid: arrays of numbers, lists, maps")


def _is_image(value: NDArray[Any]) -> bool:
    return value.dtype == np.uint8 and value.ndim == 3 and value.shape[2] in _CHANNELS and value.size > 0


def _pack_png(image: NDArray[np.uint8]) -> dict[str, Any]:
    file = io.BytesIO()
    # Lossless at every level; the lowest is the fastest, and rendered pictures shrink well enough.
    Image.fromarray(image[..., 0] if image.shape[2] == 1 else image).save(file, format="PNG", compress_level=1)
    return {_IMAGE_KEY: True, "format": "png", "data": file.getvalue(), "shape": list(image.shape)}


class _Unpacker:
    """Makes arrays and images of the maps of one message, and counts the pixels."""

    def __init__(self) -> None:
        self._left_px = MAX_IMAGE_PX

    def __call__(self, fields: dict[Any, Any]) -> Any:
        if _IMAGE_KEY in fields:
            image = _image(fields, self._left_px)
            if fields.get("format") != "raw":
                self._left_px -= math.prod(image.shape[:2])
            return image
        if _ARRAY_KEY in fields:
            return array_from(_number_dtype(fields.get("dtype")).str, fields.get("data"), fields.get("shape"))
        return fields


def _image(fields: Mapping[Any, Any], most_px: int) -> NDArray[Any]:
    kind, data, shape = fields.get("format"), fields.get("data"), fields.get("shape")
    if kind == "raw":
        return array_from(_number_dtype(fields.get("dtype")).str, data, shape)
    if kind not in ("png", "jpeg"):
        raise CodecError(f"an image of format {str(kind)[:20]!r}; valid: jpeg, png, raw")
    if not isinstance(data, bytes):
        raise CodecError(f"an image's data is {type(data).__name__}, not bytes")
    if (
        not isinstance(shape, list)
        or len(shape) != 3
        or not all(type(size) is int and size > 0 for size in shape)
        or shape[2] not in _CHANNELS
    ):
        raise CodecError(f"an image's shape is {str(shape)[:60]}, not [height, width, 1, 3 or 4]")
    if math.prod(shape[:2]) > most_px:
        raise CodecError(
            f"an image's shape is {str(shape)[:60]}; images of a message have {MAX_IMAGE_PX} pixels at most"
        )
    try:
        with Image.open(io.BytesIO(data), formats=(kind,)) as opened:
            if opened.size != (shape[1], shape[0]) or opened.mode != _CHANNELS[shape[2]]:
                raise CodecError(
                    f"an image of shape {tuple(shape)} came as {opened.size[1]} x {opened.size[0]} {opened.mode}"
                )
            pixels = np.array(opened)
    except _UNDECODABLE as error:
        raise CodecError(f"an image cannot be decoded: {str(error) or type(error).__name__}") from error
    return pixels.reshape(shape)


def _number_dtype(text: Any) -> np.dtype[Any]:
    dtype = checked_dtype(text)
    if dtype.kind not in "biuf":
        raise CodecError(f"arrays of dtype {dtype.str!r} are no part of this protocol; valid: bool, int, uint, float")
    return dtype
