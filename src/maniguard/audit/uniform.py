"""From the moments of a recording to a uniform rate, and from there to a trace."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from maniguard.audit.errors import AuditError
from maniguard.audit.samples import F64, Samples, Touches, absent_channels
from maniguard.trace import Channel, Contacts, Event, Trace, TraceMeta
from maniguard.trace.trace import column_types

# A longer silence hides what happened; nothing is made up across it.
MAX_GAP_S = 0.25
# Moments this near to the grid (as a share of the period) are taken to lie on it.
ON_GRID = 0.02
# A quaternion that is further from length one was not rounded but is something else.
UNIT_TOLERANCE = 1e-2

_HELD = frozenset({"action", "action_saturated", "grains_inside", "grains_air", "grains_lost", "dust_left"})
_PEAK = frozenset({"wrench"})
_QUATERNIONS = ("quat_wxyz", "part_quat_wxyz", "tcp_quat_wxyz")


def uniform_trace(samples: Samples, meta: TraceMeta) -> Trace:
    """Make a trace at a uniform rate; `meta.control_rate_hz` of 0 takes the recording's own.

    Poses are interpolated (positions linearly, orientations along the great circle), commands and counts held, contacts
    and wrenches taken at their largest within each step. Samples that lie on the grid stay as they are. Twists that the
    recording lacks are differences over the last step. AuditError for times that run backwards, a gap of more than
    0.25 s, a number that is none, or a quaternion that is not of unit length.
    """
    check_times(samples.time_s, "the recording")
    columns = _checked(samples)
    rate = meta.control_rate_hz or samples.rate_hz or own_rate(samples.time_s)
    grid = grid_of(samples.time_s, rate, ON_GRID)
    on_grid = lies_on(samples.time_s, grid, rate)
    if not on_grid:
        grid = grid_of(samples.time_s, rate)
        columns = {name: resampled(samples.time_s, value, grid, kind_of(name)) for name, value in columns.items()}
    channels = {**absent_channels(), **samples.channels}
    if not on_grid:
        channels = {name: _after_resampling(name, channel) for name, channel in channels.items()}
    _add_twists(columns, channels, rate)
    contacts, offsets = _contacts(samples, grid, on_grid)
    stored = {
        name: _stored(columns.get(name), name, (len(grid), *shape), dtype)
        for name, (shape, dtype) in column_types(samples.scene).items()
        if name != "time_s"
    }
    stored["time_s"] = np.round(np.arange(len(grid)) / rate, 6)
    for array in stored.values():
        array.setflags(write=False)
    events = tuple(
        Event(int(np.clip(round((when - grid[0]) * rate), 0, len(grid) - 1)), kind, detail)
        for when, kind, detail in samples.events
    )
    return Trace(samples.scene, channels, stored, contacts, offsets, events, replace(meta, control_rate_hz=rate))


def check_times(time_s: F64, what: str) -> None:
    """Raise AuditError unless the moments are finite, in order, and without a gap of more than 0.25 s."""
    if len(time_s) < 2:
        raise AuditError(f"{what} has {len(time_s)} samples; a trace needs at least 2")
    if not np.isfinite(time_s).all():
        raise AuditError(f"{what}: the time of sample {int(np.argmin(np.isfinite(time_s)))} is not finite")
    steps = np.diff(time_s)
    if (steps <= 0).any():
        at = int(np.argmax(steps <= 0))
        how = "stands still" if steps[at] == 0 else "runs backwards"
        raise AuditError(f"{what}: time {how} after sample {at}, from {time_s[at]:.6g} s to {time_s[at + 1]:.6g} s")
    if (steps > MAX_GAP_S * (1 + 1e-6)).any():
        at = int(np.argmax(steps))
        raise AuditError(
            f"{what}: {steps[at]:.3g} s without a sample after {time_s[at]:.6g} s; gaps over {MAX_GAP_S} s are refused"
        )


def own_rate(time_s: F64) -> float:
    """Return the recording's rate in Hz: one over the median period, a whole number if it is within 1 % of one."""
    rate = 1.0 / float(np.median(np.diff(time_s)))
    whole = round(rate)
    return float(whole) if whole >= 1 and abs(rate - whole) <= 0.01 * rate else rate


def grid_of(time_s: F64, rate_hz: float, slack: float = 1e-6) -> F64:
    """Return the uniform moments from the first sample to the last, one that is `slack` of a period late included."""
    count = int(np.floor((time_s[-1] - time_s[0]) * rate_hz + slack)) + 1
    grid: F64 = time_s[0] + np.arange(count) / rate_hz
    return grid


def lies_on(time_s: F64, grid: F64, rate_hz: float) -> bool:
    """Whether the samples are the grid's moments, one each."""
    return len(time_s) == len(grid) and bool((np.abs(time_s - grid) * rate_hz <= ON_GRID).all())


def kind_of(name: str) -> str:
    """Return how a frame field is interpolated: linear, slerp, held or peak."""
    if name in _QUATERNIONS:
        return "slerp"
    return "held" if name in _HELD else "peak" if name in _PEAK else "linear"


def resampled(time_s: F64, value: F64, grid: F64, kind: str) -> F64:
    """Return `value` (S, …) at the moments `grid` (T,), `kind` being linear, slerp, held, max or peak (of wrenches)."""
    right = np.clip(np.searchsorted(time_s, grid, side="left"), 1, len(time_s) - 1)
    left = right - 1
    share = np.clip((grid - time_s[left]) / (time_s[right] - time_s[left]), 0.0, 1.0)
    share = share.reshape(-1, *[1] * (value.ndim - 1))
    if kind == "held":
        return np.where(share < 1.0, value[left], value[right])
    if kind == "peak":
        return np.stack([_largest(value[chosen]) for chosen in _within(time_s, grid)])
    if kind == "max":
        return np.stack([value[chosen].max(axis=0) for chosen in _within(time_s, grid)])
    if kind == "slerp":
        return slerp(value[left], value[right], share)
    return value[left] + (value[right] - value[left]) * share


def slerp(start: F64, end: F64, share: F64) -> F64:
    """Return unit quaternions (…, 4) on the shorter great circle from `start` to `end`, at `share` of the way."""
    cosine = (start * end).sum(axis=-1, keepdims=True)
    end = np.where(cosine < 0.0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1.0 - share, np.sin((1.0 - share) * angle) / safe)
    second = np.where(near, share, np.sin(share * angle) / safe)
    mixed = first * start + second * end
    turned: F64 = mixed / np.sqrt((mixed * mixed).sum(axis=-1, keepdims=True))
    return turned


def _within(time_s: F64, grid: F64) -> list[NDArray[np.int64]]:
    """Return for each moment of the grid the samples since the moment before; the last one where there is none."""
    slack = 1e-9
    ends = np.searchsorted(time_s, grid + slack, side="right")
    found = []
    before = 0
    for end in ends.tolist():
        found.append(np.arange(before, end) if end > before else np.array([max(end - 1, 0)]))
        before = end
    return found


def _largest(values: F64) -> F64:
    """Return the sample with the largest force; the first three numbers are the force."""
    norms = (values[:, :3] ** 2).sum(axis=1)
    largest: F64 = values[int(np.argmax(norms))]
    return largest


def _checked(samples: Samples) -> dict[str, F64]:
    columns = {}
    for name, value in samples.columns.items():
        if len(value) != len(samples.time_s):
            raise AuditError(f"{name} has {len(value)} samples, the recording {len(samples.time_s)}")
        channel = samples.channels.get(name)
        if channel is not None and channel.provenance != "absent" and name != "action":
            wrong = ~np.isfinite(value).reshape(len(value), -1).all(axis=1)
            if wrong.any():
                raise AuditError(
                    f"{name} holds a number that is none (NaN or infinite) at sample {int(wrong.argmax())}"
                )
        columns[name] = unit_quaternions(name, value) if name in _QUATERNIONS else value
    return columns


def unit_quaternions(name: str, value: F64) -> F64:
    """Return quaternions (…, 4) of exactly unit length; AuditError for one that is no rotation."""
    length = np.sqrt((value * value).sum(axis=-1))
    wrong = ~(np.abs(length - 1.0) <= UNIT_TOLERANCE)
    if wrong.any():
        at = np.argwhere(wrong)[0]
        raise AuditError(f"{name}: the quaternion at sample {int(at[0])} has length {length[tuple(at)]:.3g}, not 1")
    unit: F64 = value / length[..., None]
    return unit


def _after_resampling(name: str, channel: Channel) -> Channel:
    """Declare that a number was worked out; a quantity that is held is still the one that was measured."""
    if channel.provenance == "measured" and kind_of(name) in ("linear", "slerp") and name not in ("contacts",):
        return Channel("recomputed", channel.sampling)
    return channel


def _add_twists(columns: dict[str, F64], channels: dict[str, Channel], rate: float) -> None:
    """Work out what motion the poses imply, where nobody recorded it."""
    derived = Channel("recomputed", "instantaneous")
    if "position_m" in columns and "linear_m_s" not in columns:
        columns["linear_m_s"] = _rate_of_change(columns["position_m"], rate)
        channels["linear_m_s"] = derived
    if "quat_wxyz" in columns and "angular_rad_s" not in columns:
        columns["angular_rad_s"] = _angular(columns["quat_wxyz"], rate)
        channels["angular_rad_s"] = derived
    if "joint_position" in columns and "joint_velocity" not in columns:
        columns["joint_velocity"] = _rate_of_change(columns["joint_position"], rate)
        channels["joint_velocity"] = derived
    if "robot_qpos_rad" in columns and "robot_qvel_rad_s" not in columns:
        columns["robot_qvel_rad_s"] = _rate_of_change(columns["robot_qpos_rad"], rate)
        channels["robot_qvel_rad_s"] = derived
    if "linear_m_s" in columns and "peak_descent_m_s" not in columns:
        columns["peak_descent_m_s"] = np.maximum(-columns["linear_m_s"][..., 2], 0.0)
        channels["peak_descent_m_s"] = derived


def _rate_of_change(value: F64, rate: float) -> F64:
    steps = np.diff(value, axis=0) * rate
    return np.concatenate([steps[:1], steps])


def _angular(quat: F64, rate: float) -> F64:
    """Return angular velocities (T, N, 3) in world axes from orientations (T, N, 4) over the last step."""
    before, after = quat[:-1], quat[1:]
    w0, v0 = before[..., :1], -before[..., 1:]
    w1, v1 = after[..., :1], after[..., 1:]
    # after = turn * before
    w = w1 * w0 - (v1 * v0).sum(axis=-1, keepdims=True)
    v = w1 * v0 + w0 * v1 + np.cross(v1, v0)
    v = np.where(w < 0, -v, v)
    sine = np.sqrt((v * v).sum(axis=-1, keepdims=True))
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    scale = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    turned = v * scale * rate
    return np.concatenate([turned[:1], turned])


def _stored(value: F64 | None, name: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    if value is None:
        missing = np.full(shape, np.nan) if dtype.kind == "f" else np.zeros(shape)
        if name in _QUATERNIONS:
            # A pose that is unknown is declared absent; arithmetic over all entities still needs a turn there.
            missing[...] = (1.0, 0.0, 0.0, 0.0)
        elif name in ("position_m", "part_position_m"):
            missing[...] = 0.0
        return missing.astype(dtype)
    if value.shape != shape:
        raise AuditError(f"{name} has shape {value.shape}, the scene needs {shape}")
    with np.errstate(over="ignore"):
        stored = value.astype(dtype)
    if (np.isinf(stored) & np.isfinite(value)).any():
        raise AuditError(f"{name} holds a number that is no physical quantity: {np.nanmax(np.abs(value)):.3g}")
    return stored


def _contacts(samples: Samples, grid: F64, on_grid: bool) -> tuple[Contacts, NDArray[np.int64]]:
    touches = samples.touches
    if touches is None or not len(touches):
        return _frozen(Contacts.empty()), np.zeros(len(grid) + 1, np.int64)
    groups = [np.array([k]) for k in range(len(grid))] if on_grid else _within(samples.time_s, grid)
    first = np.searchsorted(touches.sample, np.arange(len(samples.time_s) + 1))
    rows: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.bool_]] = []
    nearest: list[F64] = []
    counts = []
    for group in groups:
        low, high = int(first[group[0]]), int(first[group[-1] + 1])
        picked, at_end, gaps = _per_pair(touches, low, high, int(group[-1]))
        rows.append(picked)
        ends.append(at_end)
        nearest.append(gaps)
        counts.append(len(picked))
    chosen = np.concatenate(rows).astype(np.int64)
    single = np.float32
    contacts = Contacts(
        entity_a=touches.a[chosen, 0].astype(np.int16),
        part_a=touches.a[chosen, 1].astype(np.int16),
        entity_b=touches.b[chosen, 0].astype(np.int16),
        part_b=touches.b[chosen, 1].astype(np.int16),
        normal=touches.normal[chosen].astype(single),
        position_m=touches.position_m[chosen].astype(single),
        peak_force_n=touches.force_n[chosen].astype(single),
        impulse_n_s=np.full(len(chosen), np.nan, single),
        distance_m=np.concatenate(nearest).astype(single),
        at_end=np.concatenate(ends),
    )
    return _frozen(contacts), np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _per_pair(touches: Touches, low: int, high: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], F64]:
    """Return of rows [low, high) one per pair: the one with the largest force (the nearest without forces)."""
    span = np.arange(low, high)
    weight = np.where(np.isnan(touches.force_n[span]), -touches.distance_m[span], touches.force_n[span])
    keys = np.column_stack([touches.a[span], touches.b[span]])
    order = np.lexsort((weight, keys[:, 3], keys[:, 2], keys[:, 1], keys[:, 0]))
    span, keys = span[order], keys[order]
    is_last = np.ones(len(span), np.bool_)
    is_last[:-1] = (keys[1:] != keys[:-1]).any(axis=1)
    picked = span[is_last]
    group = np.cumsum(np.concatenate([[False], is_last[:-1]])) if len(span) else np.zeros(0, np.int64)
    at_end = np.zeros(len(picked), np.bool_)
    np.logical_or.at(at_end, group, touches.sample[span] == last)
    gaps = np.full(len(picked), np.inf)
    np.minimum.at(gaps, group, touches.distance_m[span])
    return picked, at_end, gaps


def _frozen(contacts: Contacts) -> Contacts:
    for item in fields(contacts):
        getattr(contacts, item.name).setflags(write=False)
    return contacts
