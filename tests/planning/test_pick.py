import numpy as np
from tests.planning.scenes import HOME, at, model_of, top_grasps

from maniguard.planning import Clearance, carry_choice, forward, grasp_choices, steady

LOW = (0.025, 0.025, 0.04)
WALL = (0.012, 0.05, 0.045)


def test_the_free_grasp_is_chosen_and_its_way_in_is_clear() -> None:
    # Walls on both sides in x leave no room for fingers that close along x.
    model = model_of(target=(LOW, (0.5, 0.0)), left=(WALL, (0.545, 0.0)), right=(WALL, (0.455, 0.0)))
    choices = grasp_choices(model, "target", at(0.5, 0.0), top_grasps(0.08, 0.05), HOME)
    assert choices
    assert {choice.grasp.name for choice in choices} == {"across-y"}
    best = choices[0]
    np.testing.assert_allclose(forward(best.q_grasp), best.world_T_tcp, atol=1e-9)
    model.ignore(("target",))
    model.opening_m = best.grasp.opening_m
    assert model.free(np.concatenate([best.q_before[None], best.approach]), Clearance(0.003, 0.002))
    model.ignore(())
    assert model.free(best.q_before[None], Clearance(0.01, 0.004)), "the start is clear of the target as well"
    heights = forward(best.approach)[:, 2, 3]
    assert np.all(np.diff(heights) < 0)


def test_nothing_is_chosen_where_nothing_fits() -> None:
    walls = {
        "a": (WALL, (0.545, 0.0)),
        "b": (WALL, (0.455, 0.0)),
        "c": ((0.05, 0.012, 0.045), (0.5, 0.045)),
        "d": ((0.05, 0.012, 0.045), (0.5, -0.045)),
    }
    model = model_of(target=(LOW, (0.5, 0.0)), **walls)
    assert grasp_choices(model, "target", at(0.5, 0.0), top_grasps(0.08, 0.05), HOME) == []


def test_the_carry_goes_over_what_is_in_the_way_and_stays_upright() -> None:
    tall = ((0.1, 0.015, 0.1), (0.5, 0.15))
    model = model_of(target=(LOW, (0.5, 0.0)), wall=tall)
    (best, *_) = grasp_choices(model, "target", at(0.5, 0.0), top_grasps(0.08, 0.05), HOME)
    goal = np.array([0.5, 0.3, 0.1])
    carry = carry_choice(model, "target", best, at(0.5, 0.0), goal)
    assert carry is not None
    assert carry.raise_m > 0.2, "lower than that it would run into the wall"
    way = np.concatenate([carry.lift, carry.over, carry.lower])
    tcp = forward(way)
    held = tcp @ (np.linalg.inv(best.world_T_tcp) @ at(0.5, 0.0))
    assert np.allclose(held[:, 2, 2], 1.0, atol=1e-6), "upright all the way"
    np.testing.assert_allclose(held[-1, :3, 3], goal, atol=1e-6)
    assert np.abs(np.diff(np.concatenate([best.q_grasp[None], way]), axis=0)).max() < 0.3
    over_wall = held[np.abs(held[:, 1, 3] - 0.15) < 0.04]
    assert over_wall[:, 2, 3].min() > 0.2


def test_no_carry_beyond_reach() -> None:
    model = model_of(target=(LOW, (0.5, 0.0)))
    (best, *_) = grasp_choices(model, "target", at(0.5, 0.0), top_grasps(0.08, 0.05), HOME)
    assert carry_choice(model, "target", best, at(0.5, 0.0), np.array([1.4, 0.0, 0.2])) is None


def test_steady_weighs_the_lever() -> None:
    grasps = top_grasps(0.08, 0.05)
    assert steady(grasps, (0.0, 0.0, 0.04), 5.0) == grasps
    assert steady(grasps, (0.06, 0.0, 0.04), 0.3) == grasps
    assert steady(grasps, (0.06, 0.0, 0.04), 0.6) == ()


def test_what_lies_on_something_is_lifted_off_it() -> None:
    model = model_of(target=(LOW, (0.5, 0.0)), under=((0.05, 0.05, 0.02), (0.5, 0.0)))
    # As a cup stands in a cup, a centimetre deep.
    pose, goal = at(0.5, 0.0, 0.03), np.array([0.5, 0.3, 0.1])
    model.place({"target": pose})
    (best, *_) = grasp_choices(model, "target", pose, top_grasps(0.08, 0.05), HOME)
    assert carry_choice(model, "target", best, pose, goal) is None
    model.place({"target": pose})
    carry = carry_choice(model, "target", best, pose, goal, leaving=("under",))
    assert carry is not None
    model.hold("target", np.linalg.inv(best.world_T_tcp) @ pose)
    assert model.free(carry.over, Clearance(0.01, 0.01)), "afterwards it counts again"
