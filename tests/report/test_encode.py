from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maniguard.report.encode import packed, runs, unpacked


@given(st.lists(st.integers(0, 3), max_size=60))
def test_runs_hold_the_whole_series_and_never_repeat(values):
    found = runs(values)
    ends = [*(start for start, _ in found[1:]), len(values)]
    assert [v for (start, v), end in zip(found, ends[: len(found)], strict=True) for _ in range(end - start)] == values
    assert all(a[1] != b[1] for a, b in pairwise(found))


def test_runs_of_numpy_values_are_json():
    assert json.loads(json.dumps(runs(np.array([True, True, False])))) == [[0, True], [2, False]]


@given(arrays(np.float64, (20,), elements=st.floats(-1e3, 1e3) | st.just(np.nan)))
def test_packing_loses_half_a_step_at_most(values):
    stored = packed(values)
    back = unpacked(json.loads(json.dumps(stored)))
    assert (np.isnan(back) == np.isnan(values)).all()
    np.testing.assert_allclose(back, values, atol=0.5001 * stored["step"], equal_nan=True)


def test_a_given_step_clips_what_it_cannot_hold():
    back = unpacked(packed([0.0, 1.0, np.inf, -np.inf], step=0.0005))
    assert back == pytest.approx([0.0, 1.0, 16.3835, -16.3835])
