"""Collision-free paths between joint configurations: RRT-Connect with an iteration budget, and shortcuts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from maniguard.planning.kinematics import F64, LOWER_RAD, UPPER_RAD
from maniguard.planning.timing import densify

Free = Callable[[F64], bool]
"""Says whether every joint vector of a batch (N, 7) is free."""


def connect(
    start: F64,
    goal: F64,
    free: Free,
    rng: np.random.Generator,
    *,
    iterations: int = 600,
    extend_rad: float = 0.35,
    resolution_rad: float = 0.03,
) -> F64 | None:
    """Return a path (W, 7) from `start` to `goal` with free edges, or None when the budget of iterations is used up.

    After LaValle and Kuffner's RRT-Connect: two trees grow towards random samples and, greedily, towards each other.
    All randomness is from `rng`; no clock is read. `resolution_rad` is the spacing of the checks on an edge.
    """

    def edge_free(a: F64, b: F64) -> bool:
        return free(densify(np.stack([a, b]), step_rad=resolution_rad)[1:])

    if not (free(start[None]) and free(goal[None])):
        return None
    if edge_free(start, goal):
        return np.stack([start, goal])
    trees = (_Tree(start), _Tree(goal))
    for iteration in range(iterations):
        grow, meet = trees[iteration % 2], trees[1 - iteration % 2]
        sample = rng.uniform(LOWER_RAD, UPPER_RAD)
        reached = grow.extend(sample, edge_free, extend_rad)
        if reached is None:
            continue
        aim = grow.nodes[reached]
        while True:
            step = meet.extend(aim, edge_free, extend_rad)
            if step is None:
                break
            if np.max(np.abs(meet.nodes[step] - aim)) < 1e-9:
                ends = (grow.trail(reached), meet.trail(step))
                first, second = ends if iteration % 2 == 0 else ends[::-1]
                return np.concatenate([first, second[::-1][1:]])
    return None


def shorten(path: F64, free: Free, rng: np.random.Generator, *, rounds: int = 60, resolution_rad: float = 0.03) -> F64:
    """Return `path` (W, 7) with detours cut out: `rounds` random pairs of points are joined where the line is free."""
    points = densify(path, step_rad=0.15)
    for _ in range(rounds):
        if len(points) < 3:
            break
        first, last = sorted(rng.integers(0, len(points), size=2))
        if last - first < 2:
            continue
        line = densify(np.stack([points[first], points[last]]), step_rad=resolution_rad)
        if free(line):
            joined = densify(np.stack([points[first], points[last]]), step_rad=0.15)
            points = np.concatenate([points[:first], joined, points[last + 1 :]])
    return points


class _Tree:
    def __init__(self, root: F64) -> None:
        self.nodes = np.empty((64, 7))
        self.nodes[0] = root
        self.parents = [-1]

    def extend(self, aim: F64, edge_free: Callable[[F64, F64], bool], reach_rad: float) -> int | None:
        count = len(self.parents)
        near = int(np.argmin(np.sum((self.nodes[:count] - aim) ** 2, axis=1)))
        delta = aim - self.nodes[near]
        length = float(np.linalg.norm(delta))
        if length < 1e-12:
            return near
        new = aim.copy() if length <= reach_rad else self.nodes[near] + delta * (reach_rad / length)
        if not edge_free(self.nodes[near], new):
            return None
        if count == len(self.nodes):
            self.nodes = np.concatenate([self.nodes, np.empty_like(self.nodes)])
        self.nodes[count] = new
        self.parents.append(near)
        return count

    def trail(self, node: int) -> F64:
        out = []
        while node >= 0:
            out.append(self.nodes[node])
            node = self.parents[node]
        return np.array(out[::-1])
