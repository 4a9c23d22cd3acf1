from dataclasses import replace

import numpy as np
import pytest
from tests.planning.scenes import HOME, TABLE, at, block

from maniguard.planning.collision import Clearance, CollisionModel, PlanningError
from maniguard.planning.frames import inverted, line, matrix_of, pose_of, top_down
from maniguard.planning.kinematics import forward, solutions
from maniguard.trace.scene import Box, Joint, Part, Scene

SCENE = Scene((TABLE, block("low", (0.03, 0.03, 0.03)), block("tall", (0.02, 0.02, 0.1))))


@pytest.fixture
def model() -> CollisionModel:
    model = CollisionModel(SCENE)
    model.place({"low": at(0.5, 0.0), "tall": at(0.5, 0.3)})
    return model


def hand_at(x: float, y: float, z: float, yaw: float = 0.0) -> np.ndarray:
    q = solutions(top_down((x, y, z), yaw))
    return q[np.argmin(np.abs(q - HOME).max(axis=1))][None]


def test_hand_hits_what_is_under_it_and_only_that(model: CollisionModel) -> None:
    assert model.free(hand_at(0.5, 0.0, 0.15))
    hit = model.first_hit(np.concatenate([hand_at(0.5, 0.0, 0.15), hand_at(0.5, 0.0, 0.03)]))
    assert hit is not None
    assert hit[0] == 1
    assert "low" in hit[1:]
    model.ignore(("low",))
    assert model.free(hand_at(0.5, 0.0, 0.03))


def test_clearance_is_a_distance(model: CollisionModel) -> None:
    # The cube's top is at 6 cm and a fingertip ends 11 mm below the tcp, give or take its rounding.
    model.opening_m = 0.03
    assert model.free(hand_at(0.5, 0.0, 0.06 + 0.011 + 0.014), Clearance(0.012, 0.0))
    assert not model.free(hand_at(0.5, 0.0, 0.06 + 0.011 + 0.008), Clearance(0.012, 0.0))
    assert model.free(hand_at(0.5, 0.0, 0.06 + 0.011 + 0.008), Clearance(0.003, 0.0))
    gap = model.gap(hand_at(0.5, 0.0, 0.06 + 0.011 + 0.008)[0])
    assert 0.004 < gap < 0.012


def test_table_is_an_obstacle_with_its_own_clearance(model: CollisionModel) -> None:
    assert model.free(hand_at(0.4, -0.3, 0.011 + 0.01), Clearance(0.02, 0.005))
    assert not model.free(hand_at(0.4, -0.3, 0.005), Clearance(0.0, 0.0))


def test_held_object_moves_with_the_hand_and_meets_the_others(model: CollisionModel) -> None:
    grasp = hand_at(0.5, 0.0, 0.05)
    model.hold("low", inverted(forward(grasp[0])) @ at(0.5, 0.0))
    assert model.free(grasp, Clearance(0.0, -1.0)), "the hand does not collide with what it holds"
    assert model.first_hit(hand_at(0.5, 0.265, 0.08), Clearance(0.0, 0.0)) is not None
    over = hand_at(0.5, 0.3, 0.25 + 0.1)
    assert model.free(over)
    model.hold(None)
    model.place({"low": at(0.5, 0.0)})
    assert model.free(over)
    assert not model.free(grasp)


def test_unknown_names_are_errors(model: CollisionModel) -> None:
    with pytest.raises(PlanningError, match=r"'mug'.*low, table, tall"):
        model.place({"mug": np.eye(4)})
    with pytest.raises(PlanningError, match="'mug'"):
        model.hold("mug", np.eye(4))


def test_poses_and_matrices_are_inverse_to_each_other() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        quat = rng.normal(size=4)
        quat /= np.linalg.norm(quat)
        position, back = pose_of(matrix_of((1.0, 2.0, 3.0), quat))
        np.testing.assert_allclose(position, (1.0, 2.0, 3.0))
        assert abs(abs(float(back @ quat)) - 1.0) < 1e-12
        pose = matrix_of((1.0, 2.0, 3.0), quat)
        np.testing.assert_allclose(inverted(pose) @ pose, np.eye(4), atol=1e-12)


def test_line_ends_at_its_end_in_even_steps() -> None:
    start, end = top_down((0.4, 0.1, 0.3), 0.2), top_down((0.5, -0.1, 0.2), 1.4)
    poses = line(start, end)
    np.testing.assert_allclose(poses[-1], end, atol=1e-12)
    steps = np.linalg.norm(np.diff(np.concatenate([start[None], poses])[:, :3, 3], axis=0), axis=1)
    np.testing.assert_allclose(steps, steps[0], atol=1e-12)
    assert steps[0] <= 0.006
    for pose in poses:
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)


# A box open towards -x with a tray in it that slides out by 15 cm.
CABINET = replace(
    block("cabinet", (0.12, 0.1, 0.1)),
    kind="articulated",
    movable=False,
    parts=(
        Part("body", boxes=(Box((0.0, 0.0, 0.195), (0.12, 0.1, 0.005)), Box((0.115, 0.0, 0.1), (0.005, 0.1, 0.1)))),
        Part(
            "drawer", True, (Box((0.0, 0.0, 0.055), (0.11, 0.09, 0.005)), Box((-0.115, 0.0, 0.1), (0.005, 0.09, 0.05)))
        ),
    ),
    joints=(Joint("slide", "slide", 0.0, 0.15, "drawer"),),
)


@pytest.fixture
def furnished() -> CollisionModel:
    model = CollisionModel(Scene((TABLE, CABINET, block("low", (0.03, 0.03, 0.03)))))
    model.place({"cabinet": at(0.7, 0.0), "low": at(0.4, 0.3)})
    return model


def test_hand_may_reach_into_an_open_drawer_but_not_through_a_closed_one(furnished: CollisionModel) -> None:
    inside = hand_at(0.51, 0.0, 0.09)
    assert furnished.free(inside), "nothing is there while the drawer is shut"
    furnished.place({"cabinet/drawer": at(0.55, 0.0)})
    assert furnished.free(inside), "between the tray's front and the box"
    hit = furnished.first_hit(hand_at(0.51, 0.0, 0.065))
    assert hit is not None
    assert "cabinet/drawer" in hit[1:]
    assert not furnished.free(hand_at(0.44, 0.0, 0.15)), "the hand hits the front"
    furnished.ignore(("cabinet/drawer",))
    assert furnished.free(hand_at(0.44, 0.0, 0.15))
    assert not furnished.free(hand_at(0.65, 0.0, 0.19)), "the body is not ignored with its drawer"
    furnished.ignore(("cabinet",))
    assert furnished.free(hand_at(0.65, 0.0, 0.19))
    furnished.ignore(())
    assert not furnished.free(hand_at(0.65, 0.0, 0.19))


def test_parts_go_along_with_their_entity_and_come_from_a_frame(furnished: CollisionModel) -> None:
    front = hand_at(0.44, 0.0, 0.15)
    furnished.place({"cabinet/drawer": at(0.55, 0.0)})
    furnished.place({"cabinet": at(0.7, 0.4)})
    assert furnished.free(front)
    assert not furnished.free(hand_at(0.44, 0.4, 0.15)), "the drawer is as far open as before"
    position = np.array([(0.0, 0.0, 0.0), (0.7, 0.0, 0.0), (0.4, 0.3, 0.0)], np.float32)
    quat = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (3, 1))
    furnished.place_from(position, quat, np.array([(0.7, 0.0, 0.0)], np.float32), quat[:1])
    assert furnished.free(front), "shut again"
    furnished.place_from(position, quat, np.array([(0.55, 0.0, 0.0)], np.float32), quat[:1])
    assert not furnished.free(front)


def test_what_is_held_meets_the_drawer(furnished: CollisionModel) -> None:
    furnished.place({"cabinet/drawer": at(0.55, 0.0)})
    grasp = hand_at(0.4, 0.3, 0.05)
    furnished.hold("low", inverted(forward(grasp[0])) @ at(0.4, 0.3))
    hit = furnished.first_hit(hand_at(0.51, 0.0, 0.07), Clearance(0.0, 0.0))
    assert hit is not None
    assert set(hit[1:]) >= {"low"}
    assert furnished.free(hand_at(0.51, 0.0, 0.12), Clearance(0.005, 0.0))


def test_an_articulated_thing_is_held_with_its_parts() -> None:
    box = replace(CABINET, name="case", movable=True)
    model = CollisionModel(Scene((TABLE, box, block("low", (0.03, 0.03, 0.03)))))
    model.place({"case": at(0.6, 0.0), "low": at(0.45, -0.3)})
    model.place({"case/drawer": at(0.45, 0.0)})
    grasp = hand_at(0.6, 0.0, 0.22)
    model.hold("case", inverted(forward(grasp[0])) @ at(0.6, 0.0))
    hit = model.first_hit(hand_at(0.6, -0.3, 0.22), Clearance(0.0, -1.0))
    assert hit is not None
    assert set(hit[1:]) == {"low", "case/drawer"}, "the open drawer goes with the case"


def test_a_hollow_thing_can_be_reached_into() -> None:
    sides = (Box((0.1, 0.0, 0.05), (0.005, 0.15, 0.05)), Box((-0.1, 0.0, 0.05), (0.005, 0.15, 0.05)))
    crate = replace(block("crate", (0.105, 0.15, 0.05)), boxes=sides)
    inside, beside = hand_at(0.5, 0.0, 0.06), hand_at(0.6, 0.0, 0.06)
    for hollow in ((), ("crate",)):
        model = CollisionModel(Scene((TABLE, crate)), hollow)
        model.place({"crate": at(0.5, 0.0)})
        model.opening_m = 0.04
        assert model.free(inside, Clearance(0.0, 0.0)) == bool(hollow)
        assert not model.free(beside, Clearance(0.0, 0.0))
