"""What a rollout of our own gives live, its states alone must give again."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
import pytest
from worlds import write_demos

from maniguard import bench
from maniguard.audit import Context, find_recordings, load_recording, with_recorded_success
from maniguard.audit.mapping_file import read_mapping
from maniguard.monitor import Judgement, judge, read
from maniguard.policies import ChunkedActor, resolve
from maniguard.rollout import run_rollout
from maniguard.sim import PANDA_XML, SceneSpec, World
from maniguard.spec import load_spec
from maniguard.trace import Trace

SCENARIO = bench.get("clutter-dry-00/base")
SPEC = load_spec(SCENARIO.spec)


class Pair(NamedTuple):
    live: Trace
    live_judgement: Judgement
    recorded: Trace
    recorded_judgement: Judgement


class StateKeeper(World):
    """A world that also keeps what robosuite would write: time, positions, velocities after each control step."""

    states: list[np.ndarray]

    def reset(self):
        frame = super().reset()
        self.states = []
        self._keep()
        return frame

    def step(self, action):
        frame = super().step(action)
        self._keep()
        return frame

    def _keep(self) -> None:
        self.states.append(np.concatenate([[len(self.states) * 0.05], self.data.qpos, self.data.qvel]))


def xml_of(spec: mujoco.MjSpec) -> str:
    for geom in spec.geoms:
        geom.material = ""
    for item in (*spec.materials, *spec.textures):
        spec.delete(item)
    return spec.to_xml()


@pytest.fixture(scope="module", params=["expert", "reckless:knock", "reckless:drop-table"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    made: list[mujoco.MjSpec] = []
    compile_spec = mujoco.MjSpec.compile

    def keep(spec: mujoco.MjSpec) -> mujoco.MjModel:
        made.append(spec)
        return compile_spec(spec)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mujoco.MjSpec, "compile", keep)
        world = StateKeeper(SceneSpec.from_dict(SCENARIO.scene))
    actor = ChunkedActor(resolve(request.param)())
    result = run_rollout(SCENARIO, SPEC, world, actor, seed=0, policy=request.param)
    folder = tmp_path_factory.mktemp("live")
    path = write_demos(folder / "own_demo.hdf5", {"demo_0": (xml_of(made[-1]), np.array(world.states))})
    scene = result.trace.scene
    things = [entity for entity in scene.entities if entity.name not in ("table", "floor", "panda")]
    assert scene.goal is not None
    goal = {"center_m": list(scene.goal.pose.position_m), "radius_m": scene.goal.size_m[0]}
    mapping = read_mapping(
        {
            "format": "maniguard-mapping/1",
            "robot": {"name": "panda"},
            "entities": {entity.name: {"role": entity.role} for entity in things},
            "goal": {"sphere": goal},
        },
        "m.yaml",
        "0",
    )
    context = Context(mapping, PANDA_XML.parent / "meshes")
    (found,) = find_recordings(path, context)
    trace = load_recording(found, context)
    return Pair(result.trace, result.judgement, trace, with_recorded_success(judge(trace, SPEC), trace))


def test_every_pose_and_speed_is_the_live_one_to_the_bit(pair: Pair) -> None:
    assert len(pair.live) == len(pair.recorded)
    for entity in pair.live.scene.entities:
        here, there = pair.live.scene.index(entity.name), pair.recorded.scene.index(entity.name)
        for name in ("position_m", "quat_wxyz"):
            assert np.array_equal(pair.live.column(name)[:, here], pair.recorded.column(name)[:, there]), entity.name
        for name in ("linear_m_s", "angular_rad_s"):
            live, again = pair.live.column(name)[:, here], pair.recorded.column(name)[:, there]
            assert np.allclose(live, again, atol=1e-5), entity.name
    for name in ("robot_qpos_rad", "robot_qvel_rad_s", "gripper_opening_m", "tcp_position_m"):
        assert np.allclose(pair.live.column(name), pair.recorded.column(name), atol=1e-6), name
    assert [p.name for p in pair.recorded.scene.entity("panda").parts] == [
        p.name for p in pair.live.scene.entity("panda").parts
    ]


def test_the_verdicts_are_the_live_ones(pair: Pair) -> None:
    live, again = read(pair.live_judgement), read(pair.recorded_judgement)
    assert live.constraints == again.constraints
    assert (live.success, live.engaged) == (again.success, again.engaged)
    for verdict in pair.live_judgement.constraints:
        other = pair.recorded_judgement.constraint(verdict.name)
        assert other.status == "evaluated"
        starts = [episode.start_step for episode in verdict.engaged_episodes]
        assert np.allclose([episode.start_step for episode in other.engaged_episodes], starts, atol=2)


def test_forces_of_what_is_held_and_carried_are_the_live_ones(pair: Pair) -> None:
    """Contacts that last, which a look at the end of a step can see; knocks within a step it cannot."""
    live, again = _forces(pair.live), _forces(pair.recorded)
    compared = 0
    for key, forces in live.items():
        both = sorted(set(forces) & set(again.get(key, {})))
        if len(both) < 100 or all(name.startswith("panda") for name in key):
            continue
        ratios = np.array([again[key][step] / forces[step] for step in both])
        assert 0.9 < np.median(ratios) < 1.02, key
        compared += 1
    assert compared >= 5


def _forces(trace: Trace) -> dict[tuple[str, str], dict[int, float]]:
    found: dict[tuple[str, str], dict[int, float]] = {}
    entities = trace.scene.entities
    for step in range(len(trace)):
        rows = trace.frame_contacts(step)
        for i in np.flatnonzero(rows.at_end):
            names = sorted(
                f"{entities[e].name}.{entities[e].parts[p].name}"
                for e, p in ((rows.entity_a[i], rows.part_a[i]), (rows.entity_b[i], rows.part_b[i]))
            )
            found.setdefault((names[0], names[1]), {})[step] = float(rows.peak_force_n[i])
    return found
