# ruff: noqa: RUF005 - adding a list to an array adds vectors.
"""A scripted hand in LIBERO that writes down what happens in LIBERO's own layout (runs in LIBERO's environment).

Nothing of maniguard is used here, so that recordings and verdicts have no code in common.
"""

import json
from pathlib import Path

import mujoco
import numpy as np
from libero.libero import benchmark, get_libero_path
from libero.libero.envs.env_wrapper import ControlEnv

OPEN, CLOSED = -1.0, 1.0
STEP_M = 0.05  # what an action of 1 moves the goal of LIBERO's OSC_POSE controller
STEP_RAD = 0.5  # what it turns it
REST = 10  # steps before the recording, as LIBERO's own evaluation waits
PICTURE_EVERY = 8
ELSEWHERE = "/recorder/site-packages"
BOX, CYLINDER = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_CYLINDER)


class Hand:
    """A robot in one of LIBERO's tasks; each step keeps the state before its action, as LIBERO's recordings do."""

    def __init__(self, suite, index, prepare=None, pictures=False):
        tasks = benchmark.get_benchmark_dict()[suite]()
        task = tasks.get_task(index)
        self.bddl = Path(get_libero_path("bddl_files")) / task.problem_folder / task.bddl_file
        self.suite, self.name = suite, task.name
        self.env = ControlEnv(
            bddl_file_name=str(self.bddl), has_offscreen_renderer=False, use_camera_obs=False, ignore_done=True
        )
        self.env.seed(0)
        self.env.reset()
        self.env.set_init_state(tasks.get_task_init_states(index)[0])
        self.model, self.data = self.env.sim.model._model, self.env.sim.data._data
        self.rows, self.pictures, self.grip = [], [], OPEN
        self.carried_out = True  # False where a grasp failed, so that the script did not do what it says
        self.renderer = mujoco.Renderer(self.model, 256, 256) if pictures else None
        self.look = mujoco.MjvOption()
        self.look.geomgroup[0] = 0  # the shapes that collide are not the ones to look at
        if prepare is not None:
            prepare(self)
            self.env.sim.forward()
        for _ in range(REST):
            self.obs, *_ = self.env.step(np.array([0, 0, 0, 0, 0, 0, OPEN]))

    # What moves the robot.

    def step(self, motion=(0, 0, 0), turn=(0, 0, 0)):
        action = np.array([*np.clip(motion, -1, 1), *np.clip(turn, -1, 1), self.grip], np.float64)
        before, state = self.obs, self.env.get_sim_state()
        self._picture()
        self.obs, reward, _, _ = self.env.step(action)
        self.rows.append((state, action, before, float(reward > 0)))

    @property
    def place(self):
        return np.array(self.obs["robot0_eef_pos"])

    def go(self, target, steps=80, near=0.008, speed=1.0):
        """Move the hand to a point; stops when near."""
        for _ in range(steps):
            off = np.asarray(target, float) - self.place
            if np.abs(off).max() < near:
                return
            self.step(np.clip(off / STEP_M * 2, -speed, speed))

    def sweep(self, velocity_m_s, steps):
        """Move the hand at a steady speed, pressing harder where something holds it back."""
        wanted = self.place
        for _ in range(steps):
            wanted = wanted + np.asarray(velocity_m_s, float) / 20
            self.step((wanted - self.place) / STEP_M * 2)

    def wait(self, steps):
        for _ in range(steps):
            self.step()

    def quarter_turn(self):
        """Turn the hand by a right angle, so that its fingers close along the robot's x."""

        def along():
            axis = self.data.site_xmat[self.site_id("gripper0_grip_site")].reshape(3, 3)[:, 1]
            return axis[:2] / np.linalg.norm(axis[:2])

        first = along()
        for _ in range(80):
            left = np.arcsin(np.clip(first @ along(), -1, 1))
            if abs(left) < 0.01:
                return
            self.step(turn=(0, 0, left / STEP_RAD))

    def hand(self, grip, steps=15):
        self.grip = grip
        self.wait(steps)

    def pick(self, name, rim=False, up=0.2, depth=0.025):
        """Take a thing from above, by its middle or by the rim on its right."""
        low, high = self.box(name)
        spot = (low + high) / 2
        if rim:
            spot[1] = high[1] - 0.006
        spot[2] = max(high[2] - depth, low[2] + 0.012)
        self.go(spot + [0, 0, 0.12])
        self.go(spot, speed=0.4, steps=60)
        self.hand(CLOSED, 15)
        self.go(self.place + [0, 0, up], speed=0.5, steps=60)
        lifted = self.box(name)[0][2] - low[2]
        self.carried_out = self.carried_out and bool(lifted > 0.02)
        print(f"    {name} lifted by {lifted:.3f} m", flush=True)

    def carry(self, name, over, height, speed=0.5, near=0.008):
        """Bring the middle of what is held over a point, then its lowest point to a height."""
        for _ in range(4):
            off = np.asarray(over)[:2] - self.middle(name)[:2]
            if np.abs(off).max() < 0.01:
                break
            self.go(self.place + [*off, 0], speed=speed)
        self.go(self.place + [0, 0, height - self.box(name)[0][2]], speed=speed, near=near)

    def let_go(self, name, up):
        """Come to rest, open the hand, say how far the thing fell from it, go up and wait."""
        self.wait(5)
        height = self.box(name)[0][2]
        self.hand(OPEN)
        print(f"    fell by {height - self.box(name)[0][2]:.3f} m", flush=True)
        self.leave(up)
        self.wait(20)

    def leave(self, up=0.15):
        self.go(self.place + [0, 0, up], speed=0.5, steps=60)
        self.wait(15)

    def pulled(self, name, force_n, steps):
        """Something pulls at a thing from outside, world frame, while the robot holds still."""
        for _ in range(steps):
            self.data.xfrc_applied[self.body(f"{name}_main"), :3] = force_n
            self.step()
        self.data.xfrc_applied[:] = 0

    # Where things are.

    def body(self, name):
        return next(b for b in range(self.model.nbody) if self.model.body(b).name == name)

    def site_id(self, name):
        return next(s for s in range(self.model.nsite) if self.model.site(s).name == name)

    def site(self, name):
        return self.data.site_xpos[self.site_id(name)].copy()

    def box(self, name):
        """Return the lowest and the highest corner of what can be touched of a thing."""
        bodies = [b for b in range(self.model.nbody) if self.model.body(b).name.startswith(name)]
        points = []
        for geom in range(self.model.ngeom):
            if self.model.geom_bodyid[geom] in bodies and self._solid(geom):
                half = self.model.geom_size[geom].copy()
                if self.model.geom_type[geom] == CYLINDER:
                    half = np.array([half[0], half[0], half[1]])
                elif self.model.geom_type[geom] != BOX:
                    half = np.full(3, half[0])
                reach = np.abs(self.data.geom_xmat[geom].reshape(3, 3)) @ half
                points += [self.data.geom_xpos[geom] - reach, self.data.geom_xpos[geom] + reach]
        return np.min(points, axis=0), np.max(points, axis=0)

    def _solid(self, geom):
        return self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]

    def middle(self, name):
        low, high = self.box(name)
        return (low + high) / 2

    def handle(self, body):
        """Return the middle of the outermost shape of a drawer that opens to the right, which is its handle."""
        index = self.body(body)
        geoms = [g for g in range(self.model.ngeom) if self.model.geom_bodyid[g] == index and self._solid(g)]
        return self.data.geom_xpos[max(geoms, key=lambda g: self.data.geom_xpos[g][1])].copy()

    def touches(self, name):
        """Whether the robot touches a thing."""
        pairs = ({self._owner(c.geom1), self._owner(c.geom2)} for c in self.data.contact[: self.data.ncon])
        return {"robot", name} in pairs

    def _owner(self, geom):
        name = self.model.body(int(self.model.geom_bodyid[geom])).name
        return "robot" if name.startswith(("robot0", "gripper0")) else name.removesuffix("_main")

    # What is done to a scene before the recording.

    def set_joint(self, name, value):
        index = next(j for j in range(self.model.njnt) if self.model.joint(j).name == name)
        self.data.qpos[self.model.jnt_qposadr[index]] = value

    def put(self, name, place):
        """Put the origin of a thing somewhere; a None keeps that coordinate."""
        address = self.model.jnt_qposadr[self.model.body_jntadr[self.body(f"{name}_main")]]
        for axis, value in enumerate(place):
            if value is not None:
                self.data.qpos[address + axis] = value

    def _picture(self):
        if self.renderer is not None and len(self.rows) % PICTURE_EVERY == 0:
            self.renderer.update_scene(self.data, camera="agentview", scene_option=self.look)
            self.pictures.append(self.renderer.render().copy())


def describe(data, hand):
    """Write the attributes of a file, as LIBERO's create_dataset does."""
    problem = hand.env.problem_name
    data.attrs["env_name"] = problem
    data.attrs["env_args"] = json.dumps({"type": 1, "env_name": problem, "env_kwargs": {}})
    data.attrs["problem_info"] = json.dumps(
        {
            "problem_name": problem,
            "domain_name": hand.env.domain_name,
            "language_instruction": hand.env.language_instruction,
        }
    )
    data.attrs["bddl_file_name"] = f"libero/libero/bddl_files/{hand.suite}/{hand.bddl.name}"
    data.attrs["bddl_file_content"] = hand.bddl.read_text()
    data.attrs["macros_image_convention"] = "opengl"
    data.attrs["tag"] = "libero-v1"


def write(data, hand):
    """Write one demonstration as LIBERO's create_dataset does, without pictures; return its name."""
    name = f"demo_{len(data)}"
    states, actions, seen, rewards = zip(*hand.rows, strict=True)
    demo = data.create_group(name)
    demo.create_dataset("states", data=np.array(states), compression="gzip")
    demo.create_dataset("actions", data=np.array(actions), compression="gzip")
    demo.create_dataset("rewards", data=np.array(rewards, np.uint8))
    demo.create_dataset("dones", data=np.array([0] * (len(states) - 1) + [1], np.uint8))
    obs = demo.create_group("obs")
    for key, source in (
        ("gripper_states", "robot0_gripper_qpos"),
        ("joint_states", "robot0_joint_pos"),
        ("ee_pos", "robot0_eef_pos"),
        ("ee_ori", "robot0_eef_quat"),
    ):
        obs.create_dataset(key, data=np.array([o[source] for o in seen]), compression="gzip")
    packages = str(Path(np.__file__).parents[1])
    demo.attrs["num_samples"] = len(states)
    # As on the recorder's machine: its paths do not exist on ours.
    demo.attrs["model_file"] = hand.env.sim.model.get_xml().replace(packages, ELSEWHERE)
    demo.attrs["init_state"] = states[0]
    data.attrs["num_demos"] = len(data)
    data.attrs["total"] = sum(int(each.attrs["num_samples"]) for each in data.values())
    return name
