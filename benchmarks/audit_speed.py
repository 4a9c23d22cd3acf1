"""How long an audit takes: 100 recordings of 300 states in robomimic's layout, and the same again once imported.

    python benchmarks/audit_speed.py [--out benchmarks/results/audit_speed.json] [--recordings 100] [--workers 2]

The kitchen has a robot with 9 joints, 10 loose objects, a cabinet with two drawers and a microwave; the arm moves at
random among them. `import` puts every state back into the model, judges and writes; `once_imported` judges the written
traces by all properties of `safemanip`. `per_rollout_ms` are processor times of one process; wall times depend on what
else the machine does, which the load tells.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import mujoco
import numpy as np
from machine_facts import busy_cores, machine_facts

from maniguard.audit import Context, find_recordings, load_recording
from maniguard.evaluate import audit_job, create_audit, execute, plan_audit
from maniguard.monitor import judge
from maniguard.spec import load_spec
from maniguard.trace import read_trace, write_trace

SPEC = "safemanip"
STATES = 300
SUBSTEPS = 25
OBJECTS = (
    "akita_black_bowl_1", "plate_1", "cream_cheese_1", "butter_1", "milk_1", "ketchup_1", "cookies_1", "moka_pot_1",
    "wine_bottle_1", "red_coffee_mug_1",
)  # fmt: skip

FURNITURE = """
<body name="white_cabinet_1_main" pos="-0.1 0.45 0.55"><geom type="box" size=".1 .1 .01" pos="0 0 .12"/>
 <body name="white_cabinet_1_cabinet_top" pos="0 0 .06">
  <joint name="white_cabinet_1_top_level" type="slide" axis="0 1 0" range="-.16 .01" damping="5"/>
  <geom type="box" size=".08 .09 .02"/><site name="white_cabinet_1_top_region" type="box" size=".07 .08 .015"/></body>
 <body name="white_cabinet_1_cabinet_bottom" pos="0 0 -.06">
  <joint name="white_cabinet_1_bottom_level" type="slide" axis="0 1 0" range="-.16 .01" damping="5"/>
  <geom type="box" size=".08 .09 .02"/><site name="white_cabinet_1_bottom_region" type="box" size=".07 .08 .01"/></body>
</body>
<body name="microwave_1_main" pos="0 -.5 .46"><geom type="box" size=".1 .1 .01"/>
 <site name="microwave_1_heating_region" type="box" size=".08 .08 .05" pos="0 0 .06"/>
 <body name="microwave_1_door" pos=".1 .1 .06">
  <joint name="microwave_1_microjoint" type="hinge" axis="0 0 1" range="-2.1 0" limited="true" damping="0.1"/>
  <geom type="box" size=".005 .1 .05" pos="0 -.1 0"/></body></body>
"""


def kitchen() -> str:
    """A table with objects, furniture and an arm, in the names that robosuite and LIBERO give them."""
    arm = (
        '<body name="gripper0_right_gripper" pos="0 0 .08"><site name="gripper0_grip_site" pos="0 0 .05"/>'
        '<geom type="box" size=".03 .08 .02"/>'
        '<body name="gripper0_leftfinger" pos="0 0 .03"><joint name="gripper0_finger_joint1" type="slide" axis="0 1 0" '
        'range="0 .04" limited="true" damping="10"/><geom type="box" size=".01 .005 .03" pos="0 .005 .02"/></body>'
        '<body name="gripper0_rightfinger" pos="0 0 .03">'
        '<joint name="gripper0_finger_joint2" type="slide" axis="0 1 0" '
        'range="-.04 0" limited="true" damping="10"/><geom type="box" size=".01 .005 .03" pos="0 -.005 .02"/></body>'
        "</body>"
    )
    for number in range(7, 0, -1):
        axis = "0 0 1" if number % 2 else "0 1 0"
        arm = (
            f'<body name="robot0_link{number}" pos="0 0 .12"><joint name="robot0_joint{number}" axis="{axis}" '
            f'range="-2.5 2.5" limited="true" damping="8" armature="0.5"/><geom type="capsule" size=".03 .03"/>'
            f"{arm}</body>"
        )
    things = "".join(
        f'<body name="{name}_main" pos="{0.14 * (i % 5) - 0.18:.3f} {0.16 * (i // 5) - 0.2:.3f} .48"><freejoint/>'
        f'<geom type="cylinder" size=".03 {0.02 + 0.005 * (i % 4):.3f}" density="400"/></body>'
        for i, name in enumerate(OBJECTS)
    )
    return f"""<mujoco><option timestep="0.002" cone="elliptic" impratio="10"/><worldbody>
      <geom name="floor" type="plane" size="3 3 .1"/>
      <body name="table" pos="0 0 .4"><geom type="box" size=".6 .8 .02"/></body>
      <body name="robot0_base" pos="-.5 0 .43"><geom type="cylinder" size=".06 .01"/>{arm}</body>
      {things}{FURNITURE}</worldbody></mujoco>"""


def record(model: mujoco.MjModel, seed: int) -> np.ndarray:
    """Let the arm swing at random and return flattened states, one each 0.05 s."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    joints = [int(model.joint(f"robot0_joint{i}").dofadr[0]) for i in range(1, 8)]
    addresses = [int(model.joint(f"robot0_joint{i}").qposadr[0]) for i in range(1, 8)]
    states, goal = [], np.zeros(7)
    for step in range(STATES):
        if step % 40 == 0:
            goal = rng.uniform(-1.2, 1.2, 7)
        states.append(np.concatenate([[data.time], data.qpos, data.qvel]))
        for _ in range(SUBSTEPS):
            pull = 40.0 * (goal - data.qpos[addresses])
            data.qfrc_applied[joints] = data.qfrc_bias[joints] + pull
            mujoco.mj_step(model, data)
    return np.array(states)


def write_recordings(path: Path, count: int) -> None:
    """Write `count` demonstrations, of ten different runs."""
    xml = kitchen()
    model = mujoco.MjModel.from_xml_string(xml)
    runs = [record(model, seed) for seed in range(min(10, count))]
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["bddl_file_name"] = "libero_goal/kitchen.bddl"
        data.attrs["env_args"] = json.dumps({"env_name": "kitchen", "env_kwargs": {}})
        for number in range(count):
            demo = data.create_group(f"demo_{number}")
            demo.attrs["model_file"] = xml
            demo["states"] = runs[number % len(runs)]
            demo["rewards"] = np.zeros(STATES)


def audit(source: Path, out: Path, workers: int) -> tuple[float, float]:
    """Audit everything at `source` and return wall and processor time in seconds, those of the workers included."""
    context = Context()
    started, before = time.perf_counter(), sum(os.times()[:4])
    recordings = find_recordings(source, context)
    run = create_audit(out, plan_audit(recordings, load_spec(SPEC), context))
    execute(run, workers=workers, job=audit_job(run, recordings), done=lambda item, status: None)
    elapsed, spent = time.perf_counter() - started, sum(os.times()[:4]) - before
    ledger = run.ledger()
    assert ledger["infra-error"] == ledger["pending"] == 0, ledger
    return elapsed, spent


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """Return what `action` gives and its processor time in ms."""
    started = time.process_time()
    value = action()
    return value, (time.process_time() - started) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "audit_speed.json")
    parser.add_argument("--recordings", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    spec = load_spec(SPEC)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "data").mkdir()
        write_recordings(base / "data" / "kitchen_demo.hdf5", args.recordings)
        context = Context()
        recordings = find_recordings(base / "data", context)
        load_recording(recordings[0], context)
        parts: dict[str, list[float]] = {"import": [], "write": [], "read": [], "judge": []}
        for recording in recordings[:5]:
            trace, spent = timed(lambda recording=recording: load_recording(recording, context))
            parts["import"].append(spent)
            file = base / "one.h5"
            parts["write"].append(timed(lambda file=file, trace=trace: write_trace(file, trace))[1])
            parts["read"].append(timed(lambda file=file: read_trace(file))[1])
            parts["judge"].append(timed(lambda trace=trace: judge(trace, spec))[1])
        busy = busy_cores()
        imported = audit(base / "data", base / "imported", args.workers)
        again = audit(base / "imported", base / "again", args.workers)
        sizes = [file.stat().st_size for file in (base / "imported" / "traces").glob("*.h5")]
        judged = sum(c.status == "evaluated" for c in judge(trace, spec).constraints)
    result = {
        **machine_facts(),
        "busy_cores_of_others": round(busy, 2),
        "recordings": args.recordings,
        "frames": STATES,
        "entities": len(trace.scene.entities),
        "contacts_per_frame": round(len(trace.contacts) / len(trace), 1),
        "properties": len(spec.constraints),
        "properties_judged": judged,
        "workers": args.workers,
        "import_and_judge": {"wall_s": round(imported[0], 1), "processor_s": round(imported[1], 1)},
        "once_imported": {"wall_s": round(again[0], 1), "processor_s": round(again[1], 1)},
        "per_rollout_ms": {name: round(float(np.median(values)), 1) for name, values in parts.items()},
        "trace_bytes_largest": max(sizes),
    }
    args.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
