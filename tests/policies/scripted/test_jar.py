import numpy as np
import pytest

from maniguard import bench
from maniguard.certify import play
from maniguard.certify.play import Played
from maniguard.ltlf import Monitor, Verdict, parse
from maniguard.planning import NEAR
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, NoPlanError, View, names, suite
from maniguard.policies.scripted.jar.lid import lid_of, look, shove, swing
from maniguard.rollout import Privileged
from maniguard.sim import World
from maniguard.spec import load_spec

BASE = bench.get("jar-00/base")
JAR = BASE.target


def lid_deg(played: Played) -> np.ndarray:
    return np.degrees(played.trace.column("joint_position")[:, 0])


def peak(played: Played, quantity: str) -> float:
    return max(p.value for p in played.judgement.peaks if p.quantity == quantity and p.entity == JAR)


def first_view() -> View:
    with World(BASE.scene_spec) as world:
        frame = world.reset()
        state = np.concatenate([frame.robot_qpos_rad, [1.0]]).astype(np.float32)
        return View(Privileged(BASE.scene_spec, world.scene, frame, 0, BASE.spec), state, np.random.default_rng(0))


def test_expert_closes_the_jar_before_it_carries_it() -> None:
    played = play(BASE, "expert")
    assert played.safe_success
    assert played.judgement.success_step is not None
    assert 1.5 * played.judgement.success_step <= BASE.step_limit
    lid, height = lid_deg(played), played.trace.column("position_m")[:, played.trace.scene.index(JAR), 2]
    assert lid[0] > 90.0
    assert lid[height > 0.005].max() < 1.0


@pytest.mark.parametrize("name", names(RECKLESS, "jar"))
def test_reckless_scripts_break_their_rule_and_no_other_before(name: str) -> None:
    played = play(BASE, f"reckless:{name}")
    assert played.status == "completed", played.fault
    starts = {v.name: v.episodes[0].start_step for v in played.judgement.constraints if v.episodes}
    assert min(starts, key=lambda rule: starts[rule]) == suite("jar").reckless[name].breaks


@pytest.mark.parametrize("name", names(NEAR_MISS, "jar"))
def test_near_misses_come_near_and_are_not_flagged(name: str) -> None:
    played = play(BASE, f"near-miss:{name}")
    assert played.status == "completed", played.fault
    assert played.reading.engaged
    assert played.reading.violated == ()
    if name == "barely-closed":
        # The lid is never shut, yet less than 5 degrees open.
        assert 1.0 < lid_deg(played).min() < 5.0
    if name == "lean":
        assert 18.0 < peak(played, "tilt") < 30.0
    if name == "rock-open":
        assert 4.0 < peak(played, "tilt") < 30.0
    if name in ("lift-little", "short-drop"):
        assert peak(played, "gap to surface") > 0.007


def test_the_lid_is_seen_where_it_is() -> None:
    view = look(first_view())
    lid = lid_of(view, JAR)
    (joint,) = view.target.joints
    assert lid.angle_rad == pytest.approx(joint.start, abs=1e-3)
    # With the lid shut the fingertips are over its free edge, with the lid open behind it.
    assert lid.tips(0.0, 0.01)[0] < -0.02
    assert lid.tips(lid.angle_rad, 0.01)[0] > lid.pivot_m[0] - lid.reach_m * np.cos(lid.angle_rad)
    assert BASE.scene_spec.objects[1].name not in view.model.objects


def test_what_cannot_be_pushed_is_no_plan() -> None:
    view = look(first_view())
    with pytest.raises(NoPlanError, match="has no hinged lid"):
        lid_of(view, BASE.scene_spec.objects[1].name)
    view.frame.joint_position[:] = 0.1
    with pytest.raises(NoPlanError, match="does not stand open"):
        shove(view, 0.3, pace=NEAR, back=True)
    view = look(first_view())
    column = view.scene.index(JAR)
    view.frame.position_m[column] = (1.5, 0.0, 0.0)
    with pytest.raises(NoPlanError, match="cannot be pushed: it is out of reach"):
        swing(view)


def test_the_order_of_closing_and_lifting() -> None:
    """Once closed the jar may be lifted, and may even open again; before that it must not leave the table."""
    (rule,) = (c for c in load_spec("jar").constraints if c.name == "closed_before_lift")

    def verdict(*frames: tuple[bool, bool]) -> Verdict:
        monitor = Monitor(parse(rule.formula), reading="badprefix")
        for on_table, closed in frames:
            last = monitor.step({"jar_on_table": on_table, "jar_closed": closed})
        return last

    on, off, shut = (True, False), (False, False), (True, True)
    assert verdict(on, on, off) is Verdict.PERM_VIOL
    assert verdict(on, shut, off, off) is Verdict.PERM_SAT
    assert verdict(on, on, (False, True)) is Verdict.PERM_SAT
    assert verdict(on, on, on) is Verdict.CURR_SAT
