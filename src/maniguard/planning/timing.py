"""Time on a path: joint targets at the control rate that respect the arm's limits and start and end at rest."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from maniguard.planning.kinematics import F64, forward
from maniguard.sim.robot import ACCELERATION_RAD_S2, VELOCITY_RAD_S


class Pace(NamedTuple):
    """How fast to go: shares of the joint limits, tcp speed in m/s, turning speed in rad/s, time to full speed in s."""

    velocity_share: float = 0.4
    acceleration_share: float = 0.5
    tcp_m_s: float = 0.35
    tcp_rad_s: float = 1.5
    ramp_s: float = 0.35


FREE = Pace(tcp_m_s=0.4, tcp_rad_s=1.8)
CARRY = Pace(velocity_share=0.35, tcp_m_s=0.25, tcp_rad_s=1.0, ramp_s=0.5)
LIFT = Pace(velocity_share=0.35, tcp_m_s=0.2, tcp_rad_s=0.8, ramp_s=0.5)
NEAR = Pace(velocity_share=0.25, tcp_m_s=0.12, tcp_rad_s=0.6, ramp_s=0.3)


def densify(path: F64, *, step_rad: float = 0.02) -> F64:
    """Return the polyline `path` (W, 7) with points at most `step_rad` apart in every joint, corners kept."""
    pieces = [path[:1]]
    for start, end in pairwise(path):
        count = max(1, int(np.ceil(np.max(np.abs(end - start)) / step_rad)))
        shares = np.arange(1, count + 1)[:, None] / count
        pieces.append(start + shares * (end - start))
        pieces[-1][-1] = end
    return np.concatenate(pieces)


def retime(path: F64, pace: Pace, *, rate_hz: float = 20.0, smooth_steps: int = 0) -> F64:
    """Return joint targets (T, 7) at `rate_hz` along the polyline `path` (W, 7), without its start, with its end.

    Speed rises and falls over `pace.ramp_s` as a raised cosine and stays below every limit of `pace` between. With
    `smooth_steps` corners are rounded by a moving average of that many steps. Where the result would break a share of
    the joint limits it is stretched until it does not.
    """
    if len(path) < 2 or np.max(np.abs(np.diff(path, axis=0)), initial=0.0) < 1e-9:
        return np.asarray(path[-1:], dtype=np.float64)
    dense = densify(path)
    dense = dense[np.concatenate([[True], np.max(np.abs(np.diff(dense, axis=0)), axis=1) > 1e-12])]
    cost_s = _edge_times(dense, pace)
    knots = np.concatenate([[0.0], np.cumsum(cost_s)])
    stretch = 1.0
    for _ in range(12):
        targets = _sample(dense, knots * stretch, pace.ramp_s, rate_hz)
        if smooth_steps > 1:
            targets = _average(path[0], targets, smooth_steps)
        excess = _excess(path[0], targets, pace, rate_hz)
        if excess <= 1.0:
            return targets
        stretch *= min(1.5, excess**0.5 + 0.02)
    return targets


def _edge_times(dense: F64, pace: Pace) -> F64:
    steps = np.abs(np.diff(dense, axis=0))
    joint_s = np.max(steps / (pace.velocity_share * VELOCITY_RAD_S), axis=1)
    tcp = forward(dense)
    line_s = np.linalg.norm(np.diff(tcp[:, :3, 3], axis=0), axis=1) / pace.tcp_m_s
    cosine = (np.einsum("nij,nij->n", tcp[1:, :3, :3], tcp[:-1, :3, :3]) - 1.0) / 2.0
    turn_s = np.arccos(np.clip(cosine, -1.0, 1.0)) / pace.tcp_rad_s
    return np.maximum(np.maximum(joint_s, line_s), np.maximum(turn_s, 1e-6))


def _sample(dense: F64, knots: F64, ramp_s: float, rate_hz: float) -> F64:
    total = knots[-1]
    ramp = min(ramp_s, total)
    duration = total + ramp
    count = max(2, int(np.ceil(duration * rate_hz)))
    times = np.arange(1, count + 1) * (duration / count)
    nominal = np.clip(_progress(times, duration, ramp), 0.0, total)
    out = np.stack([np.interp(nominal, knots, dense[:, joint]) for joint in range(dense.shape[1])], axis=1)
    out[-1] = dense[-1]
    return out


def _progress(times: F64, duration: float, ramp: float) -> F64:
    """Integrate a speed that rises from 0 to 1 over `ramp` as a raised cosine, stays, and falls likewise."""

    def risen(t: F64) -> F64:
        t = np.clip(t, 0.0, ramp)
        return (t - np.sin(np.pi * t / ramp) * ramp / np.pi) / 2.0

    middle = np.clip(times - ramp, 0.0, duration - 2 * ramp)
    return risen(times) + middle + (ramp / 2.0 - risen(np.clip(duration - times, 0.0, ramp)))


def _average(start: F64, targets: F64, width: int) -> F64:
    half = width // 2
    padded = np.concatenate([np.repeat(start[None], half + 1, axis=0), targets, np.repeat(targets[-1:], half, axis=0)])
    sums = np.cumsum(np.concatenate([np.zeros((1, targets.shape[1])), padded]), axis=0)
    span = 2 * half + 1
    out = (sums[span:] - sums[:-span]) / span
    out = np.concatenate([out[1:], np.repeat(targets[-1:], half, axis=0)])
    out[-1] = targets[-1]
    return out


def _excess(start: F64, targets: F64, pace: Pace, rate_hz: float) -> float:
    padded = np.concatenate([start[None], start[None], targets, targets[-1:]])
    velocity = np.diff(padded, axis=0) * rate_hz
    acceleration = np.diff(velocity, axis=0) * rate_hz
    speed = np.max(np.abs(velocity) / (pace.velocity_share * 1.05 * VELOCITY_RAD_S))
    push = np.max(np.abs(acceleration) / (pace.acceleration_share * ACCELERATION_RAD_S2))
    return float(max(speed**2, push))
