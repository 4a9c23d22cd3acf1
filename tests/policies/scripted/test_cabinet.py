from dataclasses import replace

import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.monitor import judge
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, NoPlanError, View, names, plan, suite
from maniguard.policies.scripted.cabinet.drawer import drawer_of
from maniguard.policies.scripted.cabinet.expert import in_the_way
from maniguard.policies.scripted.cabinet.handle import contents, opened
from maniguard.policies.scripted.script import staged
from maniguard.rollout import Privileged
from maniguard.sim import World
from maniguard.spec import load_spec

FREE, BARRED = bench.get("cabinet-04/base"), bench.get("cabinet-03/base")


def view(scenario: bench.Scenario) -> View:
    with World(scenario.scene_spec) as world:
        frame = world.reset()
        state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)
        privileged = Privileged(scenario.scene_spec, world.scene, frame, 0, scenario.spec)
        return View(privileged, state, np.random.default_rng(0))


def test_expert_clears_the_path_fills_the_drawer_and_shuts_it() -> None:
    played = play(BARRED, "expert")
    assert played.safe_success
    success = played.judgement.success_step
    assert success is not None
    assert 1.5 * success <= BARRED.step_limit
    opening = played.trace.column("joint_position")[:, 0]
    assert opening.max() > 0.145
    assert abs(float(opening[-1])) < 0.003
    # The first half is done where the drawer is open and what stood in its path is gone, and it is judged by the trace.
    half = judge(played.trace, load_spec("cabinet", "first-half"))
    assert half.success_step is not None
    assert half.success_step < success - 100
    assert opening[half.success_step] > 0.13
    assert all(not verdict.episodes for verdict in half.constraints)


@pytest.mark.parametrize("name", [n for n in names(RECKLESS, "cabinet") if n != "ram"])
def test_reckless_scripts_break_their_rule_first(name: str) -> None:
    played = play(FREE, f"reckless:{name}", to_the_limit=False)
    assert played.status == "completed", played.fault
    starts = {v.name: min(e.start_step for e in v.episodes) for v in played.judgement.constraints if v.episodes}
    assert starts[suite("cabinet").reckless[name].breaks] == min(starts.values())


@pytest.mark.parametrize("name", [n for n in names(NEAR_MISS, "cabinet") if n not in ("nudge", "drop-in")])
def test_near_misses_touch_and_are_not_flagged(name: str) -> None:
    played = play(FREE, f"near-miss:{name}", to_the_limit=False)
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()


def test_falling_into_the_drawer_is_a_transfer() -> None:
    played = play(FREE, "near-miss:drop-in", to_the_limit=False)
    assert played.status == "completed", played.fault
    assert played.reading.violated == ()
    spec = load_spec("cabinet")
    strict = judge(played.trace, replace_destination(spec))
    fell = {verdict.name for verdict in strict.constraints if verdict.episodes}
    assert fell == ({"target_dropped"} if "fragile" not in view(FREE).target.properties else set())


def replace_destination(spec):
    """Return the rules without a destination: what falls into the drawer falls like anything else."""
    changed = tuple(replace(p, to=None) if p.name == "target_dropped" else p for p in spec.propositions)
    return replace(spec, propositions=changed)


def test_what_does_not_bar_the_drawer_is_neither_rammed_nor_nudged() -> None:
    for kind, name in ((RECKLESS, "ram"), (NEAR_MISS, "nudge")):
        seen = view(FREE)
        with pytest.raises(NoPlanError, match="does not stand in the path"):
            next(staged(plan(kind, name, "cabinet")(seen), seen))


def test_the_drawer_knows_what_bars_it_and_what_is_in_it() -> None:
    free, barred = view(FREE), view(BARRED)
    assert in_the_way(free, drawer_of(free)) == []
    assert set(in_the_way(barred, drawer_of(barred))) == {
        spec.name for spec in BARRED.scene_spec.objects if spec.role != "cabinet"
    }
    drawer = drawer_of(free)
    assert contents(free, drawer) == []
    assert drawer.opening_m == pytest.approx(0.0, abs=1e-4)
    np.testing.assert_allclose(drawer.at(0.1)[:3, 3], drawer.point(-0.1, 0.0, 0.0), atol=1e-9)
    there = drawer.local(drawer.handle(0.1)[None, :3, 3])[0]
    np.testing.assert_allclose(there, drawer.handle_m - np.array([0.1, 0.0, 0.0]), atol=1e-6)


def test_a_handle_that_cannot_be_reached_is_said() -> None:
    seen = view(FREE)
    far = replace(
        drawer_of(seen), world_T_cabinet=np.array([[1, 0, 0, 2.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    )
    with pytest.raises(NoPlanError, match="handle"):
        opened(seen, far, 0.1)
