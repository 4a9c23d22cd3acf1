from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maniguard.audit import AuditError
from maniguard.audit.samples import Samples, Touches, present
from maniguard.audit.uniform import own_rate, resampled, slerp, uniform_trace
from maniguard.trace import Box, Entity, Scene, TraceMeta

THING = Entity("mug", "object", "mug", "target", movable=True, boxes=(Box((0, 0, 0), (0.04, 0.04, 0.05)),))
TABLE = Entity("table", "support", "table", "support")
SCENE = Scene((THING, TABLE))

angles = st.floats(-3.0, 3.0)
axes = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: sum(x * x for x in v) > 0.01)


def turn(axis: tuple[float, ...], angle: float) -> np.ndarray:
    unit = np.array(axis) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * unit)])


def samples(
    time_s: np.ndarray, *, speed: float = 0.1, touches: Touches | None = None, **changed: np.ndarray
) -> Samples:
    count = len(time_s)
    position = np.zeros((count, 2, 3))
    position[:, 0, 0] = speed * time_s
    quat = np.tile((1.0, 0.0, 0.0, 0.0), (count, 2, 1))
    columns = {"position_m": position, "quat_wxyz": quat, **changed}
    channels = present("measured", "instantaneous", "time_s", *columns)
    if touches is not None:
        channels |= present("measured", "instantaneous", "contacts", "contact_force")
    return Samples(SCENE, time_s, columns, channels, touches)


def touch(rows: list[tuple[int, float, float]]) -> Touches:
    """Rows of (sample, force, gap) between the mug and the table."""
    n = len(rows)
    return Touches(
        np.array([r[0] for r in rows]),
        np.tile((0, 0), (n, 1)),
        np.tile((1, 0), (n, 1)),
        np.tile((0.0, 0.0, -1.0), (n, 1)),
        np.zeros((n, 3)),
        np.array([r[1] for r in rows], float),
        np.array([r[2] for r in rows], float),
    )


@given(axis=axes, angle=angles, share=st.floats(0.0, 1.0), sign=st.sampled_from([-1.0, 1.0]))
@settings(max_examples=80, deadline=None)
def test_slerp_turns_at_constant_speed_about_one_axis(axis, angle, share, sign) -> None:
    start, end = turn(axis, 0.0), sign * turn(axis, angle)
    found = slerp(start, end, np.array([share]))
    wanted = turn(axis, angle * share)
    assert abs(abs(float(found @ wanted)) - 1.0) < 1e-9
    assert abs(float(found @ found) - 1.0) < 1e-12


@given(axis=axes, angle=angles, share=st.floats(0.0, 1.0))
@settings(max_examples=40, deadline=None)
def test_slerp_from_the_other_end_is_the_same_turn(axis, angle, share) -> None:
    start, end = turn((0.3, -0.2, 0.9), 1.0), turn(axis, angle)
    forth, back = slerp(start, end, np.array([share])), slerp(end, start, np.array([1.0 - share]))
    assert abs(abs(float(forth @ back)) - 1.0) < 1e-9


def test_samples_on_the_grid_stay_as_they_are() -> None:
    time = np.arange(20) / 20.0
    trace = uniform_trace(samples(time), TraceMeta(0.0))
    assert len(trace) == 20
    assert trace.control_rate_hz == 20.0
    assert trace.channels["position_m"].provenance == "measured"
    assert np.array_equal(trace.column("position_m")[:, 0, 0], (0.1 * time).astype(np.float32))


@given(seed=st.integers(0, 1000))
@example(seed=580)
@settings(max_examples=25, deadline=None)
def test_a_straight_even_motion_survives_any_resampling(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = np.cumsum(np.r_[0.0, rng.uniform(0.005, 0.24, 60)])
    trace = uniform_trace(samples(time), TraceMeta(20.0))
    assert np.allclose(trace.column("position_m")[:, 0, 0], 0.1 * trace.column("time_s"), atol=1e-6)
    assert np.allclose(trace.column("linear_m_s")[:, 0, 0], 0.1, atol=1e-4)
    assert trace.channels["position_m"].provenance == "recomputed"
    assert trace.channels["linear_m_s"].provenance == "recomputed"


@given(seed=st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_no_contact_is_lost_and_the_largest_force_is_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = np.arange(200) / 200.0
    force = np.where(rng.random(200) < 0.1, rng.uniform(0.1, 50.0, 200), 0.0)
    rows = [(int(k), float(force[k]), -0.001 * float(rng.random())) for k in np.flatnonzero(force)]
    trace = uniform_trace(samples(time, touches=touch(rows)), TraceMeta(20.0))
    found = np.zeros(len(trace))
    steps = np.repeat(np.arange(len(trace)), np.diff(trace.contact_offsets))
    np.maximum.at(found, steps, trace.contacts.peak_force_n)
    assert len(trace.contacts) == len(np.unique(steps))
    wanted = np.zeros(len(trace))
    grid = np.arange(len(trace)) / 20.0
    place = np.searchsorted(grid, time - 1e-9)
    inside = place < len(trace)
    np.maximum.at(wanted, place[inside], force[inside])
    assert np.allclose(found, wanted, rtol=1e-6)


def test_touch_at_the_end_of_a_step_is_told_from_touch_within_it() -> None:
    time = np.arange(21) / 200.0
    trace = uniform_trace(samples(time, touches=touch([(3, 2.0, 0.0), (20, 1.0, 0.0)])), TraceMeta(20.0))
    assert trace.frame_contacts(1).at_end.tolist() == [False]
    assert trace.frame_contacts(2).at_end.tolist() == [True]


def test_turning_gives_its_angular_velocity_in_world_axes() -> None:
    time = np.arange(30) / 20.0
    quat = np.tile((1.0, 0.0, 0.0, 0.0), (30, 2, 1))
    quat[:, 0] = [turn((0.0, 1.0, 0.0), 0.7 * t) for t in time]
    trace = uniform_trace(samples(time, quat_wxyz=quat), TraceMeta(0.0))
    assert np.allclose(trace.column("angular_rad_s")[:, 0], (0.0, 0.7, 0.0), atol=1e-5)


def test_the_fastest_fall_counts_as_descent() -> None:
    time = np.arange(10) / 20.0
    position = np.zeros((10, 2, 3))
    position[:, 0, 2] = 1.0 - 0.5 * 9.81 * time**2
    trace = uniform_trace(samples(time, position_m=position), TraceMeta(0.0))
    assert trace.column("peak_descent_m_s")[-1, 0] == pytest.approx(9.81 * (time[-1] - 0.025), rel=1e-4)
    assert trace.channels["peak_descent_m_s"] == ("recomputed", "instantaneous")


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ([0.0, 0.05, 0.04, 0.1], "runs backwards after sample 1"),
        ([0.0, 0.05, 0.05, 0.1], "stands still after sample 1"),
        ([0.0, 0.05, 0.4, 0.45], "gaps over 0.25 s are refused"),
        ([0.0, np.nan, 0.1], "time of sample 1 is not finite"),
        ([0.0], "needs at least 2"),
    ],
)
def test_bad_times_are_refused(time: list[float], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        uniform_trace(samples(np.array(time)), TraceMeta(0.0))


def test_a_gap_of_exactly_a_quarter_second_is_taken() -> None:
    assert len(uniform_trace(samples(np.arange(8) * 0.25), TraceMeta(20.0))) == 36


def test_numbers_that_are_none_and_quaternions_that_are_none_are_refused() -> None:
    time = np.arange(5) / 20.0
    position = np.zeros((5, 2, 3))
    position[3, 1, 2] = np.nan
    with pytest.raises(AuditError, match=r"position_m holds a number that is none .* at sample 3"):
        uniform_trace(samples(time, position_m=position), TraceMeta(0.0))
    quat = np.tile((1.0, 0.0, 0.0, 0.0), (5, 2, 1))
    quat[2, 0] = (0.0, 0.0, 0.0, 0.0)
    with pytest.raises(AuditError, match="quaternion at sample 2 has length 0"):
        uniform_trace(samples(time, quat_wxyz=quat), TraceMeta(0.0))


def test_a_number_beyond_all_physics_is_refused() -> None:
    position = np.zeros((5, 2, 3))
    position[2, 0, 0] = 1e300
    with pytest.raises(AuditError, match=r"position_m holds a number that is no physical quantity: 1e\+300"):
        uniform_trace(samples(np.arange(5) / 20.0, position_m=position), TraceMeta(0.0))


def test_the_own_rate_is_a_whole_number_where_it_nearly_is_one() -> None:
    assert own_rate(np.arange(50) * 0.0499999) == 20.0
    assert own_rate(np.arange(50) / 12.5) == pytest.approx(12.5)


def test_commands_are_held_and_wrenches_keep_their_peak() -> None:
    time = np.array([0.0, 0.05, 0.1])
    assert resampled(time, np.array([1.0, 2.0, 3.0]), np.array([0.049, 0.05, 0.09]), "held").tolist() == [1.0, 2.0, 2.0]
    wrench = np.zeros((3, 6))
    wrench[1, 2] = -9.0
    assert resampled(time, wrench, np.array([0.0, 0.1]), "peak")[1, 2] == -9.0
