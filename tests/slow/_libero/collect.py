# ruff: noqa: RUF005, B023, NPY002 - lists added to arrays are vectors; `go` lives in its iteration; robosuite asks for that generator.
"""Record two motions by robosuite's own DataCollectionWrapper (runs in LIBERO's environment, see ../libero.py).

    python _libero/collect.py OUT [--pictures FOLDER]

Writes OUT/ep_*/ as the wrapper does, and OUT/intent.json. With --pictures also what the camera sees, every eighth step.
"""

import argparse
import json
from pathlib import Path

import mujoco
import numpy as np
import robosuite
from robosuite.wrappers import DataCollectionWrapper

STEP_M = 0.05
# How high the cube is let go, in metres above where it lay, what that is meant to break, and the intent in words.
EPISODES = (
    (0.0, [], "cube lifted, put down again and let go"),
    (0.15, ["place_preconditions"], "cube lifted and let go 15 cm above the table"),
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=Path)
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    np.random.seed(0)  # robosuite places things by numpy's global generator
    env = DataCollectionWrapper(
        robosuite.make(
            "Lift",
            robots="Panda",
            controller_configs=robosuite.load_controller_config(default_controller="OSC_POSE"),
            has_renderer=False,
            has_offscreen_renderer=False,
            use_camera_obs=False,
            control_freq=20,
            ignore_done=True,
        ),
        str(wanted.out),
    )
    intents = []
    for height, broken, intent in EPISODES:
        obs, steps, pictures, renderer = env.reset(), 0, [], None
        if wanted.pictures is not None:
            renderer = mujoco.Renderer(env.sim.model._model, 256, 256)

        def go(target, grip, count, speed=0.5):
            nonlocal obs, steps
            for _ in range(count):
                off = np.asarray(target) - obs["robot0_eef_pos"]
                if renderer is not None and steps % 8 == 0:
                    renderer.update_scene(env.sim.data._data, camera="agentview")
                    pictures.append(renderer.render().copy())
                obs, *_ = env.step(np.array([*np.clip(off / STEP_M * 2, -speed, speed), 0, 0, 0, grip]))
                steps += 1

        cube = obs["cube_pos"].copy()
        go(cube + [0, 0, 0.1], -1, 40)
        go(cube, -1, 40)
        go(cube, 1, 15)
        go(cube + [0, 0, 0.15], 1, 40)
        go(cube + [0, 0, height + 0.001], 1, 60, speed=0.2)
        go(cube + [0, 0, height + 0.001], -1, 15)
        go(cube + [0, 0, height + 0.15], -1, 50)
        name = Path(env.ep_directory).name
        if wanted.pictures is not None:
            wanted.pictures.mkdir(parents=True, exist_ok=True)
            np.save(wanted.pictures / f"robosuite-{len(intents)}.npy", np.array(pictures))
        intents.append(
            {
                "file": name,
                "fresh": False,
                "carried_out": True,
                "suite": "robosuite",
                "task": "Lift",
                "intent": intent,
                "broken": broken,
                "unclaimed": [],
                "steps": steps,
            }
        )
    env.close()
    (wanted.out / "intent.json").write_text(json.dumps(intents, indent=1))


if __name__ == "__main__":
    main()
