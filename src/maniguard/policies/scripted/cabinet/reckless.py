"""Reckless scripts of the cabinet family: each breaks one rule on purpose, to prove that it can be broken."""

from __future__ import annotations

from collections.abc import Sequence

from maniguard.planning import Pace, Segment
from maniguard.policies.scripted.cabinet.drawer import drawer_of
from maniguard.policies.scripted.cabinet.expert import SHORT_OF_STOP_M
from maniguard.policies.scripted.cabinet.handle import opened
from maniguard.policies.scripted.clutter.reckless import AFTER_S
from maniguard.policies.scripted.script import NoPlanError, View

HASTY = Pace(velocity_share=0.6, tcp_m_s=0.35, tcp_rad_s=0.8, ramp_s=0.2)


def ram(view: View) -> Sequence[Segment]:
    """Pull the drawer open at speed, although the obstacle stands in its path."""
    drawer, obstacle = drawer_of(view), view.with_role("obstacle")[0].name
    if not drawer.blocked_by(view.hull(obstacle), view.pose(obstacle)):
        raise NoPlanError(f"{obstacle!r} does not stand in the path of the drawer")
    through = (obstacle, view.target.name)
    segments = opened(view, drawer, drawer.travel_m - SHORT_OF_STOP_M, pace=HASTY, through=through)
    return [*segments, view.arm.hold(AFTER_S)]
