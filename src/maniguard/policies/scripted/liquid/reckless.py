"""Reckless scripts about the liquid: it is shaken out of an upright container, and the container is flipped."""

from __future__ import annotations

import numpy as np

from maniguard.planning import Clearance, Pace, Segment, follow, line, turn
from maniguard.planning.kinematics import F64
from maniguard.policies.scripted.clutter.reckless import AFTER_S, DROP_RAISE_M, raise_to, take_up
from maniguard.policies.scripted.script import NoPlanError, Stages, View

# The lean from which the hand shakes, stage by stage; a container counts as tipped beyond 45 degrees only, and some of
# that is lost to its swinging in the hand.
LEANS_RAD = tuple(np.deg2rad(d) for d in (24.0, 31.0, 36.0, 36.0, 36.0))
SHAKES_M = (0.05, 0.035, 0.02)
SHAKE_HZ, SHAKES = 2.5, 3
STROKE = Pace(velocity_share=0.95, acceleration_share=0.95, tcp_m_s=2.0, tcp_rad_s=5.0, ramp_s=0.12)
LEAN = Pace(velocity_share=0.3, tcp_m_s=0.15, tcp_rad_s=0.6, ramp_s=0.4)
FLIP_RAD = np.deg2rad(80.0)
ENOUGH_LEFT = 0.9
# What is held and shaken stays this far from everything; what it would hit otherwise is another script's business.
CLEARANCE = Clearance(0.005, 0.005)
RATE_HZ = 20.0


def slosh(view: View) -> Stages:
    """Lift the container, lean it by less than is allowed, and shake it; lean further until it spills."""
    full = int(view.frame.grains_inside[0])
    taken = take_up(view)
    height = raise_to(view, DROP_RAISE_M)
    view = yield [*taken.segments, height]
    for segments in _harder_and_harder(view):
        view = yield segments
        if int(view.frame.grains_inside[0]) <= ENOUGH_LEFT * full:
            break
    yield [view.arm.hold(AFTER_S)]


def flip(view: View) -> Stages:
    """Lift the container and turn the hand as fast as it goes, so that the container tips before it pours."""
    taken = take_up(view)
    height = raise_to(view, DROP_RAISE_M)
    view = yield [*taken.segments, height, view.arm.hold(0.2)]
    upright, best = view.arm.tcp, None
    for heading in headings(upright):
        for drop_m in (0.0, 0.05):
            view.rewind()
            end = turned_about(upright, heading, FLIP_RAD)
            end[2, 3] -= drop_m
            path = follow(view.arm.q, line(upright, end))
            if path is None:
                continue
            stroke = view.arm.through(path, "carry", pace=STROKE, smooth_steps=0)
            if best is None or len(stroke.targets) < len(best.targets):
                best = stroke
    view.rewind()
    if best is None:
        raise NoPlanError("the hand cannot be turned on its side here")
    view.arm.q = best.targets[-1].copy()
    yield [best, view.arm.hold(AFTER_S)]


def headings(tcp: F64, *, past_fingers: bool = False) -> list[float]:
    """Return headings of level axes to turn a held thing about: first those that turn its mouth towards a finger.

    With `past_fingers` first those that turn it to where no finger is.
    """
    towards = [0.0, np.pi, np.pi / 4, -np.pi / 4, 3 * np.pi / 4, -3 * np.pi / 4, np.pi / 2, -np.pi / 2]
    own = float(np.arctan2(tcp[1, 0], tcp[0, 0]))
    return [own + turn for turn in (reversed(towards) if past_fingers else towards)]


def turned_about(pose: F64, heading_rad: float, angle_rad: float) -> F64:
    """Return a pose (4, 4) turned in place by an angle about a level axis."""
    out = pose.copy()
    out[:3, :3] = turn((np.cos(heading_rad), np.sin(heading_rad), 0.0), angle_rad) @ pose[:3, :3]
    return out


def shaken(view: View, heading_rad: float, reach_m: float, rate_hz: float, times: int) -> Segment | None:
    """Plan to move the hand to and fro, `reach_m` each way, across a heading; None where the arm cannot follow."""
    steps = max(2, round(times * RATE_HZ / rate_hz))
    phase = 2.0 * np.pi * rate_hz * np.arange(1, steps + 1) / RATE_HZ
    # It swells and dies away, so that it starts and ends at rest.
    swell = np.minimum(
        1.0, np.minimum(np.arange(1, steps + 1), np.arange(steps, 0, -1) - 1) / (0.5 * RATE_HZ / rate_hz)
    )
    along = reach_m * swell * np.sin(phase)
    poses = np.repeat(view.arm.tcp[None], steps, axis=0)
    poses[:, 0, 3] += along * np.sin(heading_rad)
    poses[:, 1, 3] -= along * np.cos(heading_rad)
    path = follow(view.arm.q, poses)
    if path is None:
        return None
    view.arm.q = path[-1].copy()
    return Segment("carry", path, np.full(steps, view.arm.opening), settle_steps=0)


def clear(view: View, in_hand: F64, *segments: Segment) -> bool:
    """Return whether arm and target, held at `in_hand` (4, 4), pass everything on the way through segments."""
    view.model.ignore(())
    view.model.hold(view.target.name, in_hand)
    free = view.model.free(np.concatenate([segment.targets for segment in segments]), CLEARANCE)
    view.model.hold(None)
    return free


def _harder_and_harder(view: View) -> list[list[Segment]]:
    """Plan every lean with its shake, one after the other, to where no finger is and as wide as the arm allows."""
    upright, before = view.arm.tcp, view.arm.q.copy()
    in_hand = view.in_hand(view.target.name)
    for reach_m in SHAKES_M:
        for heading in headings(upright, past_fingers=True):
            view.arm.q = before.copy()
            stages: list[list[Segment]] = []
            for lean_rad in LEANS_RAD:
                path = follow(view.arm.q, line(view.arm.tcp, turned_about(upright, heading, float(lean_rad))))
                lean = None if path is None else view.arm.through(path, "carry", pace=LEAN)
                shake = None if lean is None else shaken(view, heading, reach_m, SHAKE_HZ, SHAKES)
                if lean is None or shake is None or not clear(view, in_hand, lean, shake):
                    break
                stages.append([lean, shake, view.arm.hold(0.3)])
            if len(stages) == len(LEANS_RAD):
                return stages
    raise NoPlanError("the hand cannot be leaned and shaken here")
