"""The openpi wire format: laws first, then the letter of the layout, then what must be refused."""

import math

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maniguard.policies.wire.codec import CodecError, decode, encode

NUMBERS = [
    code for kind in "iuf" for code in [f"<{kind}2", f">{kind}2", f"<{kind}4", f">{kind}4", f"<{kind}8", f">{kind}8"]
]
DTYPES = st.sampled_from([*NUMBERS, "|b1", "|i1", "|u1", "<U3", ">U2", "|S4"]).map(np.dtype)
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
)


def outcome_of(message):
    """Return None when the message decodes and the error's text when it is refused; anything else is let through."""
    try:
        decode(message)
    except CodecError as error:
        return str(error)
    return None


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@settings(deadline=None, max_examples=300)
@given(ARRAYS)
def test_any_array_comes_back_bit_for_bit_and_writable(array):
    back = decode(encode({"a": array}))["a"]
    assert same(back, array)
    assert back.flags.writeable
    assert back.flags.c_contiguous


@settings(deadline=None)
@given(ARRAYS.filter(lambda array: array.ndim >= 1), st.data())
def test_views_are_sent_as_what_they_show(array, data):
    view = array[:: data.draw(st.sampled_from([-1, 2, -2]))].T
    assert same(decode(encode(view)), np.ascontiguousarray(view) if view.ndim else view)


@settings(deadline=None)
@given(st.sampled_from([np.float16, np.float32, np.int8, np.uint64, np.bool_]), st.integers(0, 1))
def test_scalars_keep_their_dtype(kind, value):
    back = decode(encode([kind(value)]))[0]
    assert type(back) is kind
    assert back == kind(value)


LEAVES = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
)
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@settings(deadline=None)
@given(TREES)
def test_plain_values_come_back(tree):
    assert decode(encode(tree)) == tree


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
def test_no_bytes_do_worse_than_a_codec_error(noise):
    outcome = outcome_of(noise)
    assert outcome is None or "\n" not in outcome


@settings(deadline=None)
@given(ARRAYS, st.integers(0, 10**6), st.integers(0, 255))
def test_a_changed_byte_gives_a_value_or_a_codec_error(array, position, byte):
    message = bytearray(encode({"a": array}))
    message[position % len(message)] = byte
    outcome = outcome_of(bytes(message))
    assert outcome is None or "protocol" in outcome or "array" in outcome


def test_layout_of_an_array_to_the_letter():
    raw = msgpack.unpackb(encode(np.array([[1, 2, 3]], "<i2")))
    assert raw == {b"__ndarray__": True, b"data": b"\1\0\2\0\3\0", b"dtype": "<i2", b"shape": [1, 3]}
    assert list(raw) == [b"__ndarray__", b"data", b"dtype", b"shape"]


def test_layout_of_a_scalar_to_the_letter():
    assert msgpack.unpackb(encode(np.float32(0.5))) == {b"__npgeneric__": True, b"data": 0.5, b"dtype": "<f4"}


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]),
        np.array([{"a": 1}, None], dtype=object),
        np.zeros(2, "i4,f4"),
        np.zeros(1, "V8"),
        np.zeros(1, complex),
        np.complex64(1),
        np.zeros(1, "M8[s]"),
        np.zeros(1, np.longdouble) if np.dtype(np.longdouble).itemsize > 8 else np.array([object()]),
        object(),
        {1, 2},
        2**70,
    ],
)
def test_refuses_to_send_what_the_format_cannot_say(value):
    with pytest.raises(CodecError, match="sent"):
        encode({"nested": [value]})


def array_message(**changes):
    fields = {b"__ndarray__": True, b"data": bytes(8), b"dtype": "<f4", b"shape": [2]}
    return msgpack.packb(fields | {key.encode(): value for key, value in changes.items()})


def test_the_unchanged_message_is_taken():
    assert same(decode(array_message()), np.zeros(2, "<f4"))


@pytest.mark.parametrize(
    "changes",
    [
        {"dtype": "|O"},
        {"dtype": "O"},
        {"dtype": "object"},
        {"dtype": "|V8"},
        {"dtype": "i4,i4"},
        {"dtype": "(2,)f4"},
        {"dtype": "<c8"},
        {"dtype": "<M8[s]"},
        {"dtype": b"<f4"},
        {"dtype": None},
        {"dtype": "<f4\n"},
        {"shape": [3]},
        {"shape": [-2]},
        {"shape": [2.0]},
        {"shape": [True, 2]},
        {"shape": 2},
        {"shape": [1] * 40 + [2]},
        {"shape": [0, 2**62, 2**62], "data": b""},
        {"data": "12345678"},
        {"data": [1.0, 2.0]},
    ],
    ids=str,
)
def test_refuses_arrays_that_lie(changes):
    with pytest.raises(CodecError):
        decode(array_message(**changes))


@pytest.mark.parametrize(
    "fields",
    [
        {b"__npgeneric__": True, b"data": [1], b"dtype": "<f4"},
        {b"__npgeneric__": True, b"data": "x", b"dtype": "<f4"},
        {b"__npgeneric__": True, b"data": 300, b"dtype": "|u1"},
        {b"__npgeneric__": True, b"data": 1, b"dtype": "|O"},
    ],
)
def test_refuses_scalars_that_lie(fields):
    with pytest.raises(CodecError):
        decode(msgpack.packb(fields))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        encode([1, 2])[:-1],
        encode(1) + encode(2),
        msgpack.packb({1: 2}),
        msgpack.packb(msgpack.ExtType(4, b"x")),
        b"\x91" * 5000,
        b"\xdd\xff\xff\xff\xff",
    ],
    ids=["empty", "cut", "two", "integer key", "extension", "too deep", "list that claims 4 G entries"],
)
def test_refuses_malformed_messages(message):
    with pytest.raises(CodecError, match="protocol"):
        decode(message)


def test_nan_and_signed_zero_survive():
    back = decode(encode(np.array([math.nan, -0.0])))
    assert math.isnan(back[0])
    assert math.copysign(1, back[1]) == -1
