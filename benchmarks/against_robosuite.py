"""Our world beside robosuite's, which LIBERO is built on: a Panda scene with two cameras, stepped in turn in one run.

    python benchmarks/against_robosuite.py [--blocks 8] [--steps 20] [--venv FOLDER] [--out FILE]

robosuite needs another MuJoCo than this package, so it gets a virtual environment of its own, in a temporary folder
unless `--venv` names one to keep. Each side runs in its own process with one thread, the same renderer and no display;
a block of control steps here, one there, and so on. Both control at 20 Hz with 25 substeps of 2 ms, and both make two
pictures of 256 x 256 per control step, then none. Compared are the medians of the blocks' processor times.

What differs, and cannot be made equal: the scenes (robosuite's PickPlace has 4 objects and two bins, ours the objects
of the named scenario), the controllers (operational space there, joint positions here), the solver's settings, the
pictures (robosuite's as it makes them by default, with shadows and more detailed meshes; ours in `fast`), and what else
each does in a step (robosuite its observables and reward, we the latching of contacts and the frame; with `--judge`
also grounding and monitor).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from machine_facts import busy_cores, machine_facts, results_path, write_result

PINS = (
    "mujoco==3.3.7",
    "numpy==2.2.6",
    "numba==0.61.2",
    "scipy==1.15.3",
    "Pillow==11.3.0",
    "opencv-python-headless==4.12.0.88",
    "termcolor==3.1.0",
    "tqdm==4.67.1",
)
ROBOSUITE = "robosuite==1.5.2"
SIZE_PX = 256

# What both sides speak: a line "STEPS PICTURES" comes in, a line of processor seconds goes out; first a line of facts.
THEIRS = """
import json, sys, time
out = sys.stdout
sys.stdout = sys.stderr
import numpy as np
import mujoco
import robosuite

def make(pictures):
    cameras = dict(camera_names=["agentview", "robot0_eye_in_hand"], camera_heights=SIZE, camera_widths=SIZE)
    return robosuite.make("PickPlace", robots="Panda", has_renderer=False, has_offscreen_renderer=pictures,
        use_camera_obs=pictures, control_freq=20, hard_reset=False, ignore_done=True, **(cameras if pictures else {}))

worlds = {pictures: make(pictures) for pictures in (True, False)}
for world in worlds.values():
    world.reset()
model = worlds[True].sim.model
print(json.dumps({"scene": "PickPlace", "objects": 4, "geoms": int(model.ngeom), "degrees_of_freedom": int(model.nv),
    "timestep_s": float(model.opt.timestep), "mujoco": mujoco.__version__}), file=out, flush=True)
phase = 0.0
for line in sys.stdin:
    steps, pictures = (int(part) for part in line.split())
    world = worlds[bool(pictures)]
    started = time.process_time()
    for _ in range(steps):
        phase += 0.05
        action = np.zeros(world.action_dim)
        action[0] = 0.2 * np.sin(phase)
        seen = world.step(action)[0]
    taken = time.process_time() - started
    if pictures:
        assert seen["agentview_image"].shape == (SIZE, SIZE, 3) and seen["robot0_eye_in_hand_image"].std() > 1
    print(taken, file=out, flush=True)
"""

OURS = """
import json, sys, time
out = sys.stdout
sys.stdout = sys.stderr
import numpy as np
import mujoco
from maniguard import bench
from maniguard.monitor import SafetyMonitor
from maniguard.sim import CONTROL_RATE_HZ, World
from maniguard.spec import load_spec

scenario = bench.get(sys.argv[1])
judge = sys.argv[2] == "1"
world = World(scenario.scene_spec)
world.reset()
monitor = SafetyMonitor(load_spec(scenario.spec), world.scene, world.channels, CONTROL_RATE_HZ)
print(json.dumps({"scene": scenario.id, "objects": len(scenario.scene_spec.objects), "geoms": int(world.model.ngeom),
    "degrees_of_freedom": int(world.model.nv), "timestep_s": float(world.model.opt.timestep),
    "mujoco": mujoco.__version__}), file=out, flush=True)
start = np.array(world.spec.robot_qpos_rad)
phase = 0.0
for line in sys.stdin:
    steps, pictures = (int(part) for part in line.split())
    started = time.process_time()
    for _ in range(steps):
        phase += 0.05
        frame = world.step(np.append(start + 0.1 * np.sin(phase) * np.eye(7)[0], 1.0))
        if judge:
            monitor.step(frame)
        if pictures:
            seen = [world.render(camera, "fast", SIZE) for camera in ("overview", "wrist")]
    taken = time.process_time() - started
    if pictures:
        assert all(picture.shape == (SIZE, SIZE, 3) and picture.std() > 1 for picture in seen)
    print(taken, file=out, flush=True)
"""


class Side:
    """One of the two processes."""

    def __init__(self, python: Path, script: str, *arguments: str) -> None:
        environment = os.environ | {"MUJOCO_GL": "egl", "LP_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [str(python), "-c", script.replace("SIZE", str(SIZE_PX)), *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.facts = json.loads(self._line())

    def _line(self) -> str:
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a side ended early: {self._process.stderr.read()[-2000:]}")
        return line

    def block(self, steps: int, pictures: bool) -> float:
        """Return the processor seconds per control step of a block."""
        self._process.stdin.write(f"{steps} {int(pictures)}\n")
        self._process.stdin.flush()
        return float(self._line()) / steps

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def environment(folder: Path) -> Path:
    """Make robosuite's virtual environment where it is not there yet; return its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        # Without the devices and the whole-body controllers that it also asks for and this does not use.
        subprocess.run([*pip, "--no-deps", ROBOSUITE], check=True)
        subprocess.run([*pip, *PINS], check=True)
    return python


def compare(options: argparse.Namespace, python: Path) -> dict[str, object]:
    theirs = Side(python, THEIRS)
    ours = Side(Path(sys.executable), OURS, options.scenario, str(int(options.judge)))
    busy = busy_cores()
    result: dict[str, object] = {
        "robosuite": {**theirs.facts, "package": ROBOSUITE},
        "maniguard": {**ours.facts, "judged": options.judge},
        "others_keep_busy_cores": busy,
    }
    for name, pictures in (("two_cameras", True), ("no_camera", False)):
        for side in (ours, theirs):
            side.block(options.steps, pictures)
        times: dict[str, list[float]] = {"maniguard": [], "robosuite": []}
        for _ in range(options.blocks):
            times["maniguard"].append(ours.block(options.steps, pictures))
            times["robosuite"].append(theirs.block(options.steps, pictures))
        median = {side: statistics.median(values) for side, values in times.items()}
        ratio = median["robosuite"] / median["maniguard"]
        result[name] = {
            "maniguard_ms_per_control_step": round(1e3 * median["maniguard"], 3),
            "robosuite_ms_per_control_step": round(1e3 * median["robosuite"], 3),
            "robosuite_over_maniguard": round(ratio, 2),
            "block_ratios": [round(t / o, 2) for o, t in zip(times["maniguard"], times["robosuite"], strict=True)],
        }
    ours.close()
    theirs.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--scenario", default="clutter-dry-03/base")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--venv", type=Path)
    parser.add_argument("--out", type=Path, default=results_path(__file__))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = compare(options, environment(options.venv or Path(folder) / "robosuite"))
    write_result(
        options.out,
        {
            "benchmark": "against_robosuite",
            "size_px": SIZE_PX,
            "control_steps_per_block": options.steps,
            "blocks": options.blocks,
            **result,
            **machine_facts(),
        },
    )


if __name__ == "__main__":
    main()
