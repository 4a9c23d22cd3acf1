from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maniguard.grounding import (
    Ago,
    Debounce,
    Dwell,
    Filter,
    GroundingError,
    Hysteresis,
    Latch,
    Recent,
    frames_of,
    make_filter,
)

VALUES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0])
SERIES = st.integers(0, 14).flatmap(lambda n: arrays(np.float64, (n, 3), elements=VALUES))
FILTERS = st.one_of(
    st.integers(1, 6).map(Dwell),
    st.integers(1, 6).map(Recent),
    st.integers(1, 6).map(Ago),
    st.integers(1, 6).map(Debounce),
    st.sampled_from([0.0, 0.5, 1.0]).map(Hysteresis),
    st.builds(Latch),
)


@given(SERIES, FILTERS)
def test_step_and_series_agree_to_the_bit(series: np.ndarray, kind: Filter) -> None:
    kind.reset()
    stepped = [kind.step(row.tolist()) for row in series]
    kind.reset()
    again = [kind.step(row.tolist()) for row in series]
    expected = np.array(stepped).reshape(series.shape)
    assert np.array(again).reshape(series.shape).tobytes() == expected.tobytes()
    assert kind.run(series).tobytes() == expected.tobytes()


@given(SERIES, st.integers(1, 6))
def test_windows_are_the_filter_of_the_truth(series: np.ndarray, frames: int) -> None:
    truth = series > 0
    for t in range(len(series)):
        window = truth[max(0, t - frames + 1) : t + 1]
        assert ((Recent(frames).run(series)[t] > 0) == window.any(axis=0)).all()
        assert ((Dwell(frames).run(series)[t] > 0) == (window.all(axis=0) & (t + 1 >= frames))).all()
        assert ((Latch().run(series)[t] > 0) == truth[: t + 1].any(axis=0)).all()


@given(SERIES, st.integers(1, 6))
def test_debounce_changes_only_after_enough_frames(series: np.ndarray, frames: int) -> None:
    """A counter per track, written down without windows."""
    out = Debounce(frames).run(series) > 0
    for track in range(series.shape[1]):
        state, against = None, 0
        for t, margin in enumerate(series[:, track]):
            true = margin > 0
            state = true if state is None else state
            against = against + 1 if true != state else 0
            if against >= frames:
                state, against = true, 0
            assert out[t, track] == state


@given(SERIES, st.sampled_from([0.0, 0.5, 1.0]))
def test_hysteresis_holds_inside_its_band(series: np.ndarray, band: float) -> None:
    out = Hysteresis(band).run(series) > 0
    for track in range(series.shape[1]):
        state = False
        for t, margin in enumerate(series[:, track]):
            state = True if margin > 0 else (False if margin <= -band else state)
            assert out[t, track] == state


def test_durations_round_up_to_whole_frames() -> None:
    assert frames_of(0.1, 20.0) == 2
    assert frames_of(0.5, 20.0) == 10
    assert frames_of(0.11, 20.0) == 3
    assert frames_of(0.0, 20.0) == 1
    assert frames_of(0.3, 10.0) == 3


def test_an_unknown_filter_lists_the_known() -> None:
    with pytest.raises(GroundingError, match="unknown filter 'median'; the filters are ago, debounce, dwell"):
        make_filter("median", 1.0, 20.0)
