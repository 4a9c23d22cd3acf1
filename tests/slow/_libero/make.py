# ruff: noqa: RUF005 - adding a list to an array adds vectors.
"""Record scripted motions in LIBERO itself, in its own HDF5 layout (runs in LIBERO's environment, see ../libero.py).

    python _libero/make.py OUT [--pictures FOLDER] [--only NUMBER ...]

Writes OUT/TASK_demo.hdf5, one file a task, and OUT/intent.json: for each demonstration what was meant to happen, and
which properties its motion was meant to break. Every property that is neither in `broken` nor in `unclaimed` is meant
to be kept. With --pictures also what LIBERO's camera sees, every eighth step, for people to look at.
"""

import argparse
import json
from pathlib import Path

import h5py
import numpy as np
from hand import CLOSED, OPEN, Hand, describe, write

BOWL, SOUP, MUG = "akita_black_bowl_1", "alphabet_soup_1", "porcelain_mug_1"
DRAWER = "white_cabinet_1_bottom_region"
DOOR_RADIUS_M = 0.20


def bowl_on_plate(h):
    h.pick(BOWL, rim=True)
    h.carry(BOWL, h.middle("plate_1"), h.box("plate_1")[0][2] + 0.012)
    h.hand(OPEN)
    h.leave()


def bowl_from_height(h):
    h.pick(BOWL, rim=True, up=0.22)
    h.hand(OPEN)
    h.leave()
    h.wait(40)


def shove(name, speed_m_s, steps):
    """Push a thing away with closed fingers, to the right."""

    def script(h):
        low, high = h.box(name)
        spot = (low + high) / 2
        h.hand(CLOSED, 5)
        h.go([spot[0], low[1] - 0.06, high[2] + 0.1])
        h.go([spot[0], low[1] - 0.045, spot[2]], speed=0.5)
        h.sweep((0, speed_m_s, 0), steps)
        h.leave()

    return script


def tap(name):
    def script(h):
        spot = h.middle(name)
        h.hand(CLOSED, 5)
        h.go(spot + [0, 0, 0.12])
        for _ in range(80):
            if h.touches(name):
                break
            h.step((0, 0, -0.2))
        print(f"    touched: {h.touches(name)}", flush=True)
        h.leave()

    return script


def knock_over(name):
    """Run into the upper end of a bottle and go on."""

    def script(h):
        low, high = h.box(name)
        spot = (low + high) / 2
        h.hand(CLOSED, 5)
        h.go([spot[0], low[1] - 0.12, high[2] + 0.1])
        h.go([spot[0], low[1] - 0.12, high[2] - 0.02], speed=0.6)
        for _ in range(14):
            h.step((0, 1, 0))
        h.leave()
        h.wait(30)

    return script


def in_basket(name, gap):
    def script(h):
        low, high = h.box("basket_1")
        h.pick(name, up=0.3)
        h.carry(name, (low + high) / 2, low[2] + gap)
        h.let_go(name, up=0.25)

    return script


def put_back(name):
    def script(h):
        floor = h.box(name)[0][2]
        h.pick(name, up=0.15)
        h.carry(name, h.middle(name) + [0.05, 0.0, 0.0], floor + 0.03)
        h.carry(name, h.middle(name), floor + 0.001, speed=0.15, near=0.001)
        h.let_go(name, up=0.25)

    return script


def drag_along(name, other):
    """What is held presses sideways on a bystander and pushes it along."""

    def script(h):
        h.pick(name, up=0.12)
        low, high = h.box(other)
        own_low, own_high = h.box(name)
        h.carry(name, [(low[0] + high[0]) / 2, low[1] - (own_high[1] - own_low[1]) / 2 - 0.03], low[2] + 0.02)
        h.sweep((0, 0.05, 0), 80)
        h.leave(0.2)
        h.wait(10)

    return script


def torn_out(h):
    """A growing force from outside draws the can out between the fingers, which stay closed."""
    h.pick(SOUP, up=0.25)
    h.wait(20)
    held = h.middle(SOUP) - h.place
    body = h.body(f"{SOUP}_main")
    dofs = slice(h.model.body_dofadr[body], h.model.body_dofadr[body] + 3)
    # What draws is slow: it does not throw the can away when the fingers lose it.
    usual = h.model.dof_damping[dofs].copy()
    h.model.dof_damping[dofs] = 100.0
    for step in range(40):
        if np.linalg.norm(h.middle(SOUP) - h.place - held) > 0.05:
            break
        h.data.xfrc_applied[body, :3] = 8.0 * step * np.array([0.8, 0.0, -0.6])
        h.step()
    h.model.dof_damping[dofs] = usual
    h.data.xfrc_applied[:] = 0
    h.wait(50)
    print(f"    the can is {np.linalg.norm(h.middle(SOUP) - h.place - held):.3f} m from where it was in the hand")


def reach_for_sliding(name):
    """Reach for a thing that something draws along the table, faster than anything stands still."""

    def script(h):
        h.go(h.middle(name) + [0, 0, 0.13])
        body = h.body(f"{name}_main")
        weight, share, sliding = 9.81 * h.model.body_subtreemass[body], 0.4, False
        before = h.middle(name)
        for step in range(70):
            speed = np.linalg.norm((h.middle(name) - before)[:2]) * 20
            before = h.middle(name)
            # The force grows until friction gives way; from then on it is a little more or less than friction.
            sliding = sliding or speed > 0.02
            share += 0.0 if sliding else 0.03
            h.data.xfrc_applied[body, 0] = share * weight * ((1.03 if speed < 0.10 else 0.9) if sliding else 1.0)
            target = h.middle(name) + [0.005, 0, max(0.13 - 0.0025 * step, 0.0)]
            h.step((target - h.place) / 0.05 * 2)
        h.data.xfrc_applied[:] = 0
        h.leave()

    return script


def touch_handle(h):
    handle = h.handle("wooden_cabinet_1_cabinet_middle")
    h.hand(CLOSED, 5)
    h.go(handle + [0, 0.10, 0.12])
    h.go(handle + [0, 0.09, 0.0], speed=0.5)
    h.wait(5)
    for _ in range(40):
        h.step((0, -0.5, 0))
    h.leave(0.2)


def knob_with_full_hand(h):
    h.pick(BOWL, rim=True, up=0.1)
    spot = h.data.xpos[h.body("flat_stove_1_button")].copy()
    h.go(spot + [0, 0, 0.2], speed=0.6)
    h.go(spot + [0, 0, 0.045], speed=0.12, steps=60)
    h.wait(20)
    h.go(spot + [0.25, 0, 0.2], speed=0.5)
    h.wait(10)


def push_plate(h):
    """Push the plate towards the robot, from its far side."""
    low, high = h.box("plate_1")
    middle = (low + high) / 2
    h.hand(CLOSED, 5)
    h.go([high[0] + 0.05, middle[1], high[2] + 0.1])
    h.go([high[0] + 0.05, middle[1], high[2] - 0.005], speed=0.4)
    h.sweep((-0.04, 0, 0), 45)
    print(f"    plate moved by {np.linalg.norm(h.middle('plate_1') - middle):.3f} m", flush=True)
    h.leave()


def reach_into(region, before=0.0):
    """Reach into a drawer that opens to the right, `before` the middle of its room."""

    def script(h):
        h.hand(CLOSED, 5)
        h.quarter_turn()
        spot = h.site(region) + [0, before, 0]
        h.go(spot + [0, 0, 0.2])
        h.go(spot, speed=0.4, steps=60)
        h.wait(10)
        print(f"    the hand is {np.round(h.place - spot, 3)} from where it should be", flush=True)
        h.leave(0.2)

    return script


def bowl_over_drawer(h):
    """Let the bowl go above the drawer, clear of the cabinet above it."""
    h.pick(BOWL, rim=True, up=0.25)
    spot = h.site(DRAWER) - [0, 0.05, 0]
    h.carry(BOWL, spot, spot[2] + 0.16)
    h.let_go(BOWL, up=0.2)


def swing_door(h, last, degrees_s, hold, push=0.6, side=1.0):
    """Push the microwave's door along its arc, on its outer face (side 1) or its inner one (-1).

    `hold`: for how many steps the hand pushes on at the end.
    """
    hinge = h.data.xpos[h.body("microwave_1_microdoorroot")].copy()
    top, first = h.box("microwave_1_microdoorroot")[1][2], h.door

    def spot(angle, height, offset):
        along, out = np.array([np.cos(angle), np.sin(angle)]), np.array([np.sin(angle), -np.cos(angle)])
        return np.array([*(hinge[:2] + DOOR_RADIUS_M * along + side * offset * out), height])

    h.hand(CLOSED, 5)
    h.go(spot(first, top + 0.10, 0.07))
    h.go(spot(first, top - 0.035, 0.07), speed=0.5)
    count = round(abs(np.degrees(last - first)) / degrees_s * 20)
    for angle in [*np.linspace(first, last, count), *[last] * hold]:
        h.step(np.clip((spot(angle, top - 0.035, 0.0) - h.place) / 0.05 * 2, -push, push))
    h.go(spot(last, top - 0.035, 0.12), speed=0.5)
    h.leave()


def close_microwave(h):
    swing_door(h, -0.15, 25, 10)


def jam_door(h):
    swing_door(h, -0.15, 25, 140, push=0.35)


def bump_door(h):
    swing_door(h, -0.75, 20, 5, push=0.4)
    h.wait(20)


def open_on_mug(h):
    swing_door(h, -1.8, 8, 10, side=-1.0)


def press_on_table(h):
    """The held mug is pressed against the table until it slides up between the fingers."""
    h.pick(MUG, rim=True, up=0.08, depth=0.012)
    h.wait(15)
    h.go(h.place - [0, 0, 0.06], speed=0.3, steps=40)
    for _ in range(30):
        h.step((0, 0, -1))
    h.wait(10)
    h.hand(OPEN)
    h.leave()


def twisted_in_hand(h):
    """A growing torque from outside turns the held mug between the fingers, which stay closed."""
    h.pick(MUG, rim=True, up=0.15, depth=0.012)
    h.wait(25)
    body = h.body(f"{MUG}_main")
    before = h.data.xmat[body].reshape(3, 3).copy()
    dofs = slice(h.model.body_dofadr[body] + 3, h.model.body_dofadr[body] + 6)
    usual = h.model.dof_damping[dofs].copy()
    h.model.dof_damping[dofs] = 1.5
    for step in range(60):
        turned = np.degrees(np.arccos(np.clip((np.trace(before.T @ h.data.xmat[body].reshape(3, 3)) - 1) / 2, -1, 1)))
        if turned > 18:
            break
        h.data.xfrc_applied[body, 3:] = (0, 0.06 * step, 0)
        h.step()
    h.model.dof_damping[dofs] = usual
    h.data.xfrc_applied[:] = 0
    h.wait(25)
    print(f"    turned by {turned:.0f} degrees in {step} steps", flush=True)


def hover(h):
    """The can is put down and let go, and the hand stays around it for seven seconds."""
    h.pick(SOUP, up=0.06)
    h.wait(10)
    h.carry(SOUP, h.middle(SOUP), h.floor + 0.001, speed=0.3)
    h.hand(OPEN, 140)
    h.leave()


# What is done to a scene before it is recorded.


def drawer_at(joint, value):
    return lambda h: h.set_joint(joint, value)


def floor_of(name):
    def prepare(h):
        h.floor = h.box(name)[0][2]

    return prepare


def door_and_mug(angle, along, out):
    """The door stands open at an angle; the mug stands `along` and `out` of its plane, in metres from the hinge."""

    def prepare(h):
        h.door = angle
        h.set_joint("microwave_1_microjoint", angle)
        x, y, _ = h.data.xpos[h.body("microwave_1_microdoorroot")]
        cos, sin = np.cos(angle), np.sin(angle)
        h.put("white_yellow_mug_1", (x + along * cos + out * sin, y + along * sin - out * cos, None))
        h.put(MUG, (x + 0.35, y - 0.35, None))

    return prepare


# Suite, task, script, what is done to the scene before, what it is meant to break, what nothing is claimed of, intent.
DEMOS = (
    ("libero_spatial", 2, bowl_on_plate, None, [], [], "bowl taken by its rim, lowered on the plate, let go"),
    ("libero_spatial", 2, bowl_from_height, None, ["place_preconditions"], [], "bowl let go 20 cm above the table"),
    (
        "libero_spatial", 2, shove("glazed_rim_porcelain_ramekin_1", 0.05, 70), None, ["no_forbidden_contact"], [],
        "ramekin, which is none of the task's, shoved along for two seconds and more",
    ),
    ("libero_spatial", 0, tap("cookies_1"), None, [], [], "box of cookies touched from above for a moment"),
    (
        "libero_object", 0, in_basket(SOUP, 0.012), None, ["place_preconditions"], [],
        "can lowered into the basket as far as the hand fits, and let go 3.6 cm above its floor",
    ),
    (
        "libero_object", 0, in_basket(SOUP, 0.15), None, ["place_preconditions"], [],
        "can let go high above the basket's floor",
    ),
    ("libero_object", 0, put_back(SOUP), None, [], [], "can lifted, put down again beside its place and let go"),
    (
        "libero_object", 0, torn_out, None, ["dropped_object_was_released", "place_preconditions"],
        ["grasp_remains_synced"], "can torn out of closed fingers in the air by a force from outside",
    ),
    (
        "libero_object", 0, knock_over("salad_dressing_1"), None, [], [],
        "bottle knocked over by a quick blow, much shorter than the second that is allowed",
    ),
    (
        "libero_object", 7, drag_along("milk_1", "tomato_sauce_1"), None, ["no_forbidden_contact"],
        ["grasp_remains_synced"], "a can pushed along by the milk that is held, for two seconds and more",
    ),
    (
        "libero_object", 7, reach_for_sliding("cream_cheese_1"), None, ["pick_preconditions"], [],
        "hand comes down to a box that slides away at 10 cm/s",
    ),
    ("libero_goal", 0, touch_handle, None, [], [], "drawer's handle pushed with the empty hand"),
    (
        "libero_goal", 4, knob_with_full_hand, None, ["twist_preconditions"], [],
        "hand with the bowl still in it goes to the knob of the stove, stays, leaves",
    ),
    ("libero_goal", 5, push_plate, None, [], [], "plate, which the task is about, pushed with closed fingers"),
    (
        "libero_goal", 3, reach_into("wooden_cabinet_1_top_region", 0.05),
        drawer_at("wooden_cabinet_1_top_level", -0.08), ["reach_in_only_when_open"], ["no_forbidden_contact"],
        "hand into a drawer that is open by half",
    ),
    (
        "libero_goal", 3, reach_into("wooden_cabinet_1_top_region"), drawer_at("wooden_cabinet_1_top_level", -0.158),
        [], ["no_forbidden_contact"], "hand into a drawer that is wide open",
    ),
    (
        "libero_10", 3, bowl_over_drawer, None, ["place_preconditions"], [],
        "bowl let go high above the open drawer",
    ),
    (
        "libero_10", 9, close_microwave, door_and_mug(-1.6, 0.09, -0.45), [], [],
        "door of the microwave pushed shut, nothing in its way",
    ),
    (
        "libero_10", 9, jam_door, door_and_mug(-1.6, 0.075, -0.11), ["closing_retracts_from_obstacle"], [],
        "door of the microwave pushed against a mug and held there for seven seconds",
    ),
    (
        "libero_10", 9, bump_door, door_and_mug(-1.6, 0.075, -0.11), [], [],
        "door of the microwave bumps against a mug, and the hand draws back at once",
    ),
    (
        "libero_10", 9, open_on_mug, door_and_mug(-0.8, 0.15, 0.08), ["opening_retracts_from_obstacle"], [],
        "door of the microwave pushed open from inside, which drives a mug along for more than five seconds",
    ),
    (
        "libero_10", 6, twisted_in_hand, None, ["dropped_object_was_released", "place_preconditions"],
        ["grasp_remains_synced"], "mug twisted out of closed fingers by a torque from outside",
    ),
    (
        "libero_10", 6, press_on_table, None, ["grasp_remains_synced"], ["dropped_object_was_released"],
        "mug pressed on the table until it slips",
    ),
    (
        "libero_10", 0, hover, floor_of(SOUP), ["released_object_settles"], [],
        "can put down and let go, the hand stays around it for seven seconds",
    ),
)  # fmt: skip


# Recorded once, after the rules and their code had been mended by what the others showed; nothing was changed for them.
FRESH = (
    ("libero_spatial", 6, bowl_on_plate, None, [], [], "another task's bowl lowered on the plate and let go"),
    ("libero_spatial", 8, bowl_from_height, None, ["place_preconditions"], [], "another bowl let go from high up"),
    (
        "libero_object", 5, put_back("tomato_sauce_1"), None, [], [],
        "tomato sauce lifted, put down again beside its place and let go",
    ),
    (
        "libero_object", 9, in_basket("orange_juice_1", 0.15), None, ["place_preconditions"], [],
        "orange juice let go high above the basket's floor",
    ),
    (
        "libero_goal", 9, shove("cream_cheese_1", 0.05, 70), None, ["no_forbidden_contact"], [],
        "cream cheese, which is none of the task's, shoved along for two seconds and more",
    ),
    (
        "libero_10", 9, jam_door, door_and_mug(-1.3, 0.085, -0.10), ["closing_retracts_from_obstacle"], [],
        "door that is open less pushed against a mug and held there for seven seconds",
    ),
    (
        "libero_10", 9, bump_door, door_and_mug(-1.4, 0.085, -0.10), [], [],
        "door that is open less bumps against a mug, and the hand draws back at once",
    ),
    (
        "libero_10", 7, hover, floor_of(SOUP), ["released_object_settles"], [],
        "another task's can put down and let go, the hand stays around it for seven seconds",
    ),
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", type=int, default=[])
    parser.add_argument("--pictures", type=Path)
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    intents = []
    for number, (suite, index, script, prepare, broken, unclaimed, intent) in enumerate(DEMOS + FRESH):
        if wanted.only and number not in wanted.only:
            continue
        print(f"{number} {suite} {index}: {intent}", flush=True)
        hand = Hand(suite, index, prepare, pictures=wanted.pictures is not None)
        script(hand)
        path = wanted.out / f"{hand.name}_demo.hdf5"
        with h5py.File(path, "a") as file:
            data = file.require_group("data")
            if "env_name" not in data.attrs:
                describe(data, hand)
            name = write(data, hand)
        if wanted.pictures is not None:
            wanted.pictures.mkdir(parents=True, exist_ok=True)
            np.save(wanted.pictures / f"{path.stem}-{name}.npy", np.array(hand.pictures))
        intents.append(
            {
                "number": number,
                "fresh": number >= len(DEMOS),
                "carried_out": hand.carried_out,
                "file": path.name,
                "demo": name,
                "suite": suite,
                "task": hand.name,
                "intent": intent,
                "broken": broken,
                "unclaimed": unclaimed,
                "steps": len(hand.rows),
                "finished": bool(hand.env.check_success()),
            }
        )
        print(f"    {len(hand.rows)} steps, finished: {intents[-1]['finished']}", flush=True)
        hand.env.close()
        (wanted.out / "intent.json").write_text(json.dumps(intents, indent=1))


if __name__ == "__main__":
    main()
