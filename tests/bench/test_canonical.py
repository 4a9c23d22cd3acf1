import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.bench.canonical import TaskFileError, digest, dumps, normal, pretty

leaves = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e3, 1e3) | st.text(max_size=5)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)


@given(values)
def test_canonical_text_survives_reading_and_writing(value: object) -> None:
    text = dumps(value)
    assert dumps(json.loads(text)) == text
    assert dumps(json.loads(pretty(value))) == text
    assert digest(json.loads(pretty(value))) == digest(value)


def test_rounding_and_whole_numbers_do_not_depend_on_the_writer() -> None:
    assert dumps({"b": 1.0, "a": -0.0, "c": 0.12345649}) == '{"a":0,"b":1,"c":0.123456}'
    assert dumps({"b": 1, "a": 0, "c": 0.1234561}) == '{"a":0,"b":1,"c":0.123456}'
    assert digest([1.0000001]) == digest([1])


def test_what_json_cannot_hold_is_refused() -> None:
    for bad in (float("nan"), float("inf"), object(), {1, 2}):
        with pytest.raises(TaskFileError):
            normal({"x": bad})
