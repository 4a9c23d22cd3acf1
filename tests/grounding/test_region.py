"""The exact distance of a point from a convex body, against an independent way to find it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from synthetic_traces import box_entity, box_hull

from maniguard.grounding import GroundingError, convex_body
from maniguard.trace import Entity


def random_entity(seed: int) -> tuple[Entity, np.ndarray]:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(4, 24)), 3)) * rng.uniform(0.02, 0.1, 3)
    body = box_entity("thing", "target", hull=None, boxes=())
    from maniguard.grounding.region import _hull_of_points

    hull = _hull_of_points(points, "thing")
    return Entity(name="thing", kind="object", category="x", role="target", hull=hull, boxes=body.boxes), points


def distance_by_projection(points: np.ndarray, query: np.ndarray) -> float:
    """Least squares over convex combinations of the vertices; the row of 1e4 makes the weights sum to one."""
    system = np.vstack([(points - query).T, np.full(len(points), 1e4)])
    weights, _ = nnls(system, np.array([0.0, 0.0, 0.0, 1e4]))
    return float(np.linalg.norm(weights @ points / weights.sum() - query))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31))
def test_distance_is_that_of_the_nearest_convex_combination(seed: int) -> None:
    entity, points = random_entity(seed)
    body = convex_body(entity)
    queries = np.random.default_rng(seed + 1).normal(size=(3, 12)) * 0.15
    for index in range(queries.shape[1]):
        query = queries[:, index : index + 1]
        expected = distance_by_projection(points, query[:, 0])
        gap = body.sphere_gap(query, 10.0)[0]
        if gap <= 0:
            assert expected < 1e-5
        else:
            assert gap == pytest.approx(expected, abs=1e-6)
        beyond = body.sphere_gap(query, 1e-6)[0]
        assert beyond <= gap + 1e-12
        assert (beyond <= 0) == (gap <= 0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.01, 0.1))
def test_sphere_gap_decides_exactly_and_row_by_row(seed: int, radius: float) -> None:
    entity, _ = random_entity(seed)
    body = convex_body(entity)
    queries = np.random.default_rng(seed).normal(size=(3, 30)) * 0.12
    gaps = body.sphere_gap(queries, radius)
    for index in range(30):
        query = queries[:, index : index + 1]
        assert body.sphere_gap(query, radius).tobytes() == gaps[index : index + 1].tobytes()
        assert body.sphere_gap_now(*queries[:, index].tolist(), radius) == gaps[index]
        assert (gaps[index] < radius) == (body.sphere_gap(query, 10.0)[0] < radius)


def test_a_hull_must_be_convex_and_face_outwards() -> None:
    hull = box_hull(0.1, 0.1, 0.1)
    inside_out = box_entity("cup", "target", hull=type(hull)(hull.vertices_m, tuple(f[::-1] for f in hull.faces)))
    with pytest.raises(GroundingError, match="not convex with outward faces"):
        convex_body(inside_out)


def test_boxes_stand_in_for_a_hull_and_nothing_for_neither() -> None:
    body = convex_body(box_entity("cup", "target", hull=None))
    assert body.sphere_gap(np.array([[0.13], [0.0], [0.05]]), 1.0)[0] == pytest.approx(0.1)
    with pytest.raises(GroundingError, match="neither a hull nor boxes"):
        convex_body(box_entity("cup", "target", hull=None, boxes=()))
