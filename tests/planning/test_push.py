import numpy as np
import pytest
from tests.planning.scenes import HOME, at, block, model_of

from maniguard.planning import base_radius, base_reach, forward, outline, push_choices, room_ahead, section

TALL = (0.03, 0.02, 0.08)


def test_outline_section_and_base() -> None:
    hull = block("b", TALL).hull
    assert hull is not None
    points = outline(hull, at(0.5, 0.1))
    np.testing.assert_allclose(points.min(axis=0), (0.47, 0.08, 0.0), atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), (0.53, 0.12, 0.16), atol=1e-12)
    slab = section(hull, at(0.5, 0.1), 0.05, 0.09)
    np.testing.assert_allclose(np.ptp(slab, axis=0), (0.06, 0.04, 0.04), atol=1e-12)
    assert len(section(hull, at(0.5, 0.1), 0.2, 0.3)) == 0
    assert base_radius(hull) == pytest.approx(0.02, abs=1e-3)
    assert base_reach(points, 0.0) == pytest.approx(0.03)
    assert base_reach(points, np.pi / 2) == pytest.approx(0.02)


def test_room_is_what_lies_ahead_and_beside_nothing_else() -> None:
    hull = block("b", TALL).hull
    assert hull is not None
    points = outline(hull, at(0.5, 0.0))
    ahead, beside = outline(hull, at(0.62, 0.0)), outline(hull, at(0.5, 0.1))
    x = np.array([1.0, 0.0])
    assert room_ahead(points, [ahead, beside], x, 0.3) == pytest.approx(0.06)
    assert room_ahead(points, [ahead, beside], -x, 0.3) == 0.3


def test_a_push_starts_free_and_goes_as_far_as_asked_beyond_first_touch() -> None:
    model = model_of(block=(TALL, (0.5, 0.0)), near=((0.02, 0.02, 0.05), (0.57, 0.0)))
    hull, near = block("b", TALL).hull, block("n", (0.02, 0.02, 0.05)).hull
    assert hull is not None
    assert near is not None
    choices = push_choices(
        model, "block", hull, at(0.5, 0.0), [outline(near, at(0.57, 0.0))], HOME,
        height_m=0.14, distance_m=0.05, directions=(0.0, np.pi / 2, np.pi),
    )  # fmt: skip
    assert choices
    assert choices[0].room_m == 0.05, "a direction with nothing ahead comes first"
    for choice in choices:
        assert model.free(np.concatenate([choice.q_above[None], choice.down]))
        ahead = np.array([*choice.direction, 0.0])
        line = forward(np.concatenate([choice.down[-1:], choice.along]))[:, :3, 3]
        travel = (line - line[0]) @ ahead
        assert np.all(np.diff(travel) > 0)
        np.testing.assert_allclose(line - line[0], np.outer(travel, ahead), atol=1e-6)
        touch = model.first_hit(choice.along)
        assert touch is not None
        assert travel[-1] > 0.05


def test_a_run_up_begins_behind_what_stands_in_the_way() -> None:
    model = model_of(block=(TALL, (0.5, 0.0)), behind=(TALL, (0.44, 0.0)))
    hull = block("b", TALL).hull
    assert hull is not None
    options = {"height_m": 0.1, "distance_m": 0.03, "directions": (0.0,)}
    others = [outline(hull, at(0.44, 0.0))]
    assert push_choices(model, "block", hull, at(0.5, 0.0), others, HOME, **options) == []
    (choice,) = push_choices(model, "block", hull, at(0.5, 0.0), others, HOME, run_ups_m=(0.0, 0.12), **options)
    assert forward(choice.down[-1])[0, 3] < 0.41
