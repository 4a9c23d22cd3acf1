"""The vla-eval wire format: laws first, then the letter of the layout, then what must be refused."""

import io
import struct
import zlib
from contextlib import suppress

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from maniguard.policies.wire.codec import CodecError
from maniguard.policies.wire.vla_eval_codec import (
    MAX_IMAGE_PX,
    Message,
    MessageType,
    decode_message,
    encode_message,
)

DTYPES = st.sampled_from(["<f2", ">f4", "<f8", "|b1", "|i1", "|u1", "<i8", ">u2"]).map(np.dtype)
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
)
IMAGES = st.sampled_from([1, 3, 4]).flatmap(
    lambda channels: hnp.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(channels)))
)


def round_trip(payload, **options):
    return decode_message(encode_message(Message(MessageType.ACTION, payload, 3, 1.5), **options)).payload


def raw(payload, **changes):
    return msgpack.packb({"type": "action", "payload": payload, "seq": 1, "timestamp": 0.0} | changes)


def png(pixels, kind="PNG"):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format=kind)
    return file.getvalue()


@settings(deadline=None, max_examples=200)
@given(ARRAYS, st.sampled_from(["png", "raw"]))
def test_any_array_comes_back_bit_for_bit_and_writable(array, images):
    back = round_trip({"a": array}, images=images)["a"]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert back.flags.writeable


@settings(deadline=None)
@given(IMAGES, st.sampled_from(["png", "raw"]))
def test_images_are_lossless_both_ways_and_views_are_sent_as_what_they_show(pixels, images):
    for view in (pixels, pixels[::-1, ::-1]):
        back = round_trip({"a": view}, images=images)["a"]
        assert back.dtype == np.uint8
        np.testing.assert_array_equal(back, view)


@given(st.integers(0, 2**31), st.floats(0, 1e9), st.sampled_from(list(MessageType)))
def test_the_envelope_comes_back(seq, timestamp, kind):
    back = decode_message(encode_message(Message(kind, {"task": {"name": "x", "seed": 5}}, seq, timestamp)))
    assert back == Message(kind, {"task": {"name": "x", "seed": 5}}, seq, timestamp)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_do_worse_than_a_codec_error(noise):
    outcome = ""
    try:
        decode_message(noise)
    except CodecError as error:
        outcome = str(error)
    assert "\n" not in outcome


def test_the_layout_is_the_documented_one():
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    message = Message(MessageType.OBSERVATION, {"images": {"a": pixels}, "state": np.float32([1, 2])}, 7, 0.5)
    sent = msgpack.unpackb(encode_message(message))
    assert (sent["type"], sent["seq"], sent["timestamp"]) == ("observation", 7, 0.5)
    assert sent["payload"]["state"] == {
        "__ndarray__": True,
        "data": np.float32([1, 2]).tobytes(),
        "dtype": "<f4",
        "shape": [2],
    }
    image = sent["payload"]["images"]["a"]
    assert (image["__image__"], image["format"], image["shape"]) == (True, "png", [2, 4, 3])
    np.testing.assert_array_equal(np.array(Image.open(io.BytesIO(image["data"]))), pixels)
    plain = msgpack.unpackb(encode_message(message, images="raw"))["payload"]["images"]["a"]
    assert plain == {"__ndarray__": True, "data": pixels.tobytes(), "dtype": "|u1", "shape": [2, 4, 3]}


def test_scalars_travel_as_plain_numbers():
    assert round_trip({"a": np.float32(0.5), "b": np.int64(3), "c": np.bool_(True)}) == {"a": 0.5, "b": 3, "c": True}


def test_small_files_that_claim_many_pixels_are_not_decoded_one_after_the_other():
    pixels = np.zeros((2048, 2048, 1), np.uint8)
    image = {"__image__": True, "format": "png", "data": png(pixels[..., 0]), "shape": [2048, 2048, 1]}
    assert 4 * pixels.size == MAX_IMAGE_PX
    assert len(decode_message(raw({"images": [image] * 4})).payload["images"]) == 4
    with pytest.raises(CodecError, match="images of a message have 16777216 pixels at most"):
        decode_message(raw({"images": [image] * 5}))


@pytest.mark.parametrize("kind", [b"iCCP", b"zTXt", b"pHYs", b"gAMA", b"tRNS", b"IDAT", b"IHDR"])
@pytest.mark.parametrize("size", [0, 1, 3, 9])
def test_a_png_with_a_malformed_chunk_is_decoded_or_refused(kind, size):
    file = png(np.zeros((8, 8, 3), np.uint8))
    body = kind + bytes(size)
    chunk = struct.pack(">I", size) + body + struct.pack(">I", zlib.crc32(body))
    # After the signature and the header, 8 and 25 bytes.
    image = {"__image__": True, "format": "png", "data": file[:33] + chunk + file[33:], "shape": [8, 8, 3]}
    with suppress(CodecError):
        assert decode_message(raw({"image": image})).payload["image"].shape == (8, 8, 3)


def test_jpeg_and_raw_images_of_others_are_read():
    pixels = np.full((8, 8, 3), 90, np.uint8)
    for fields in (
        {"format": "jpeg", "data": png(pixels, "JPEG")},
        {"format": "raw", "data": pixels.tobytes(), "dtype": "|u1"},
    ):
        image = {"__image__": True, "shape": [8, 8, 3], **fields}
        back = decode_message(raw({"a": image})).payload["a"]
        assert np.abs(back.astype(int) - 90).max() <= 2


HUGE = {"__image__": True, "format": "png", "data": png(np.zeros((2, 2, 3), np.uint8)), "shape": [100000, 100000, 3]}


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ("text", "binary"),
        (msgpack.packb([1]), "a map"),
        (msgpack.packb({"type": "action", "payload": {}}), "lacks seq, timestamp"),
        (raw({}, type="shutdown"), "action, episode_end"),
        (raw([]), "payload"),
        (raw({1: 2}), "payload|not a msgpack"),
        (raw({}, seq="1"), "seq"),
        (raw({}, seq=True), "seq"),
        (raw({"a": {"__ndarray__": True, "data": b"12345678", "dtype": "|O8", "shape": [1]}}), "dtype"),
        (raw({"a": {"__ndarray__": True, "data": b"1234", "dtype": "<U1", "shape": [1]}}), "no part of this protocol"),
        (raw({"a": {"__ndarray__": True, "data": b"1234", "dtype": "<f4", "shape": [2]}}), "4 bytes"),
        (raw({"a": {"__ndarray__": True, "data": b"", "dtype": "<f4", "shape": [-1]}}), "shape"),
        (raw({"a": {"__image__": True, "format": "tiff", "data": b"", "shape": [1, 1, 3]}}), "jpeg, png, raw"),
        (raw({"a": {"__image__": True, "format": "png", "data": b"nonsense", "shape": [1, 1, 3]}}), "decoded"),
        (raw({"a": {"__image__": True, "format": "png", "data": 3, "shape": [1, 1, 3]}}), "bytes"),
        (raw({"a": HUGE}), "shape"),
        (raw({"a": HUGE | {"shape": [3, 2, 3]}}), "came as 2 x 2 RGB"),
        (raw({"a": HUGE | {"shape": [2, 2, 4]}}), "came as 2 x 2 RGB"),
        (raw({"a": HUGE | {"shape": [2, 2, 3], "data": HUGE["data"][:-30]}}), "decoded"),
        # A PNG may not hide behind the word jpeg: only what the message says it is is tried.
        (raw({"a": HUGE | {"shape": [2, 2, 3], "format": "jpeg"}}), "decoded"),
        (msgpack.packb(msgpack.ExtType(5, b"x")), "extension"),
    ],
)
def test_what_is_malformed_is_refused_in_one_line(frame, said):
    with pytest.raises(CodecError, match=said) as refused:
        decode_message(frame)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, np.array([object()]), np.array(["a"]), np.datetime64("2026-01-01")]
)
def test_what_the_protocol_cannot_carry_is_not_sent(value):
    with pytest.raises(CodecError):
        encode_message(Message(MessageType.ACTION, {"a": value}, 0))
