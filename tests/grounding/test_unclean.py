"""The predicate `inside_unclean`: a block in a tray whose dust is wiped, or is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maniguard.grounding import Atom, Grounder, GroundingError
from maniguard.sim import SceneSpec, World
from maniguard.trace import Trace, TraceBuilder, TraceMeta
from sim._jointed import WALL, dusty_tray, make_asset
from sim._scenes import block

TRAY = (0.45, 0.2)
VALUES = (("min_depth", 0.0), ("share", 0.3))


def recorded(item_at: tuple[float, float, float], press_n: float) -> Trace:
    """A block somewhere, and a sponge that lies in the tray and is pressed on it after five steps."""
    tray, sponge, dust = dusty_tray()
    item = block(x=0.02, y=0.02, z=0.01, mass_kg=0.03)
    item = replace(item, world_T_object=replace(item.world_T_object, position_m=item_at))
    with World(SceneSpec((tray, sponge, item), dust=(dust,)), make_asset=make_asset) as world:
        builder = TraceBuilder(world.scene, world.channels, TraceMeta(20.0))
        builder.append(world.reset())
        body = int(world.model.body("sponge").id)
        for step in range(12):
            world.data.xfrc_applied[body, 2] = -press_n if step >= 5 else 0.0
            builder.append(world.step([*world.spec.robot_qpos_rad, 1.0]))
        return builder.build()


def margins(
    trace: Trace, *values: tuple[str, float], latch: bool = False, to: tuple[str, ...] = ("tray",)
) -> list[float]:
    atom = Atom("p", "inside_unclean", ("block",), to, values, filters=(("latch", 0.0),) if latch else ())
    stepped = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom])
    rows = np.array([stepped.step(frame)[1].margins[0] for frame in trace.frames()])
    batch = Grounder(trace.scene, trace.channels, trace.control_rate_hz, [atom]).run(trace)[1].margins[:, 0]
    assert rows.tobytes() == batch.tobytes()
    return rows.tolist()


def test_it_is_true_in_a_dusty_tray_until_enough_is_wiped_and_the_latch_remembers() -> None:
    trace = recorded((TRAY[0] + 0.08, TRAY[1], WALL), 8.0)
    left = trace.column("dust_left")[:, 0]
    few = ("share", round(1.0 - float(left[-1]) / 100 + 0.01, 2))
    enough = ("share", round(1.0 - float(left[-1]) / 100, 2))
    assert left[0] == 100
    assert left[-1] < 90
    plain = margins(trace, ("min_depth", 0.0), enough)
    assert plain[0] > 0
    assert plain[-1] < 0
    assert margins(trace, ("min_depth", 0.0), few)[-1] > 0
    assert margins(trace, ("min_depth", 0.0), enough, latch=True)[-1] > 0


@pytest.mark.parametrize(("place", "inside"), [((0.08, 0.0, WALL), True), ((0.2, 0.0, 0.0), False)])
def test_what_is_beside_the_tray_is_not_in_its_dust(place: tuple[float, float, float], inside: bool) -> None:
    trace = recorded((TRAY[0] + place[0], TRAY[1] + place[1], place[2]), 0.0)
    assert all((margin > 0) == inside for margin in margins(trace, *VALUES, latch=True))


def test_it_is_about_one_thing_with_dust() -> None:
    trace = recorded((TRAY[0] + 0.2, TRAY[1], 0.0), 0.0)
    with pytest.raises(GroundingError, match="one thing"):
        margins(trace, *VALUES, to=("tray", "sponge"))
    with pytest.raises(GroundingError, match="'sponge'"):
        margins(trace, *VALUES, to=("sponge",))
