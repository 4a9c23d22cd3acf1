"""Where a parallel gripper can hold an object: grasps derived from its measures, in its own frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.scene import Grasp, GraspKind
from maniguard.trace.scene import Pose

Array = NDArray[np.float64]

# Panda hand: 80 mm stroke; a fingertip ends 11 mm beyond the tcp, the palm lies 45 mm behind it, pads are 17 mm square.
MAX_OPENING_M = 0.08
MAX_WIDTH_M = 0.070
TIP_BEYOND_TCP_M = 0.011
PALM_BEHIND_TCP_M = 0.045
PAD_HALF_M = 0.0085
FINGER_DEPTH_M = 0.016
ROOM_M = 0.024
# As low as a fingertip may come to the table.
LOWEST_TCP_M = 0.0138
# A wall that leans more than this over the height of a pad slides out of the pinch sideways.
MAX_RIM_LEAN_M = 0.0028
YAWS_DEG = (0.0, 30.0, 60.0, 90.0, 120.0, 150.0)


def quaternion(rotation: Array) -> tuple[float, float, float, float]:
    """Return the unit quaternion wxyz (w >= 0) of a rotation matrix (3, 3)."""
    m = rotation
    # The 4 × 4 symmetric form has the quaternion as its leading eigenvector; stable for every rotation.
    k = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    _, vectors = np.linalg.eigh(k)
    q = vectors[:, -1]
    leading = q[np.argmax(np.abs(q) > 1e-6)]
    q = q * np.sign(leading)
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])


def pointing(
    name: str,
    kind: GraspKind,
    tcp_m: Sequence[float],
    approach: Sequence[float],
    closing: Sequence[float],
    width_m: float,
    *,
    room_m: float = ROOM_M,
) -> Grasp:
    """Return a grasp from the tcp's position and the (perpendicular, unit) directions of approach and closing."""
    z, y = np.asarray(approach, dtype=float), np.asarray(closing, dtype=float)
    rotation = np.stack([np.cross(y, z), y, z], axis=1)
    px, py, pz = (float(v) for v in tcp_m)
    return Grasp(name, Pose((px, py, pz), quaternion(rotation)), min(MAX_OPENING_M, width_m + room_m), width_m, kind)


def top_of_body(outer: Array, *, blocked_deg: Iterable[float] = (), deepest_m: float = 0.038) -> tuple[Grasp, ...]:
    """Return top-down grasps around a body of revolution, one for each free yaw; none where it is too wide.

    `outer` (P, 2) is the silhouette (r, z) walked upwards. The depth is the one whose pads meet the straightest wall;
    deeper wins among equals. `blocked_deg` are azimuths where something (a handle) sticks out.
    """
    top = float(outer[:, 1].max())
    best: tuple[float, float, float] | None = None
    for depth in np.arange(0.010, deepest_m + 1e-9, 0.002):
        tcp_z = top - depth
        if tcp_z < TIP_BEYOND_TCP_M + 0.004:
            break
        pad = _radii(outer, max(tcp_z - PAD_HALF_M, 0.0), tcp_z + PAD_HALF_M)
        width = 2.0 * float(pad.max())
        passing = 2.0 * float(_radii(outer, max(tcp_z - TIP_BEYOND_TCP_M, 0.0), top).max())
        opening = min(MAX_OPENING_M, width + ROOM_M)
        if width > MAX_WIDTH_M or width < 0.006 or passing > opening - 0.008:
            continue
        score = float(np.ptp(pad)) * 1000.0 - 30.0 * depth
        if best is None or score < best[0] - 1e-9:
            best = (score, tcp_z, width)
    if best is None:
        return ()
    _, tcp_z, width = best
    return tuple(
        pointing(f"top-{yaw:.0f}", "top", (0.0, 0.0, tcp_z), (0, 0, -1), _direction(yaw), width)
        for yaw in YAWS_DEG
        if _free(yaw, blocked_deg, 42.0) and _free(yaw + 180.0, blocked_deg, 42.0)
    )


def rim_of_vessel(
    outer: Array, inner: Array, floor_m: float, *, blocked_deg: Iterable[float] = (), depth_m: float = 0.009
) -> tuple[Grasp, ...]:
    """Return pinches of a vessel's wall from above, one finger inside, where wall and mouth allow it.

    `outer` and `inner` are the silhouettes of the touched wall.
    """
    top = float(outer[:, 1].max())
    tcp_z = top - depth_m
    outside, inside = _radii(outer, tcp_z - PAD_HALF_M, top), _radii(inner, tcp_z - PAD_HALF_M, top)
    far, near = float(outside.max()), float(inside.min())
    width, middle = far - near, (far + near) / 2.0
    if (
        float(np.ptp(outside)) > MAX_RIM_LEAN_M
        or width > 0.012
        or middle < 0.015 + FINGER_DEPTH_M
        or tcp_z - TIP_BEYOND_TCP_M < floor_m + 0.003
    ):
        return ()
    grasps = []
    for azimuth in range(0, 360, 45):
        if _free(azimuth, blocked_deg, 40.0):
            y = _direction(float(azimuth))
            tcp = (middle * y[0], middle * y[1], tcp_z)
            grasps.append(pointing(f"rim-{azimuth}", "rim", tcp, (0, 0, -1), y, width))
    return tuple(grasps)


def side_of_body(
    outer: Array, *, blocked_deg: Iterable[float] = (), azimuths_deg: Iterable[int] = (0, 90, 180, 270)
) -> tuple[Grasp, ...]:
    """Return level grasps from several sides at about half height, where the body is tall and slim enough."""
    top = float(outer[:, 1].max())
    tcp_z = min(max(0.055, 0.5 * top), 0.09)
    if tcp_z > top - 0.012:
        return ()
    width = 2.0 * float(_radii(outer, tcp_z - PAD_HALF_M, tcp_z + PAD_HALF_M).max())
    # Finger thickness and hand height along z: nothing within 35 mm of the grasp may be wider than the palm's distance.
    reach = 2.0 * float(_radii(outer, max(tcp_z - 0.035, 0.0), min(tcp_z + 0.035, top)).max())
    if width > 0.066 or width < 0.012 or reach > 2.0 * (PALM_BEHIND_TCP_M - 0.008):
        return ()
    grasps = []
    for azimuth in azimuths_deg:
        sides = (azimuth, azimuth + 90, azimuth - 90)
        if all(_free(a, blocked_deg, 42.0) for a in sides):
            out = _direction(float(azimuth))
            closing = (-out[1], out[0], 0.0)
            grasps.append(pointing(f"side-{azimuth}", "side", (0, 0, tcp_z), (-out[0], -out[1], 0.0), closing, width))
    return tuple(grasps)


def top_of_box(half_size_m: Sequence[float], top_m: float, *, depth_m: float = 0.036) -> tuple[Grasp, ...]:
    """Return top-down grasps across each side of an upright box that is narrow enough, centred and off-centre."""
    grasps = []
    depth = min(depth_m, top_m - TIP_BEYOND_TCP_M - 0.005)
    if depth < 0.010:
        return ()
    for axis in np.argsort(np.asarray(half_size_m[:2])):
        width = 2.0 * float(half_size_m[axis])
        if width > MAX_WIDTH_M:
            continue
        along = 1 - int(axis)
        closing = [0.0, 0.0, 0.0]
        closing[axis] = 1.0
        shift = float(half_size_m[along]) - 0.022
        places = [0.0] if shift < 0.012 else [0.0, min(shift, 0.03), -min(shift, 0.03)]
        for k, place in enumerate(places):
            tcp = [0.0, 0.0, top_m - depth]
            tcp[along] = place
            name = f"top-{'xy'[axis]}" + ("", "-left", "-right")[k]
            grasps.append(pointing(name, "top", tcp, (0, 0, -1), closing, width))
    return tuple(grasps)


def top_of_low_box(half_size_m: Sequence[float], top_m: float) -> tuple[Grasp, ...]:
    """Return top-down grasps across the sides of a flat box, as low as the table lets the fingertips go."""
    tcp_z = max(LOWEST_TCP_M, top_m - 0.012)
    if top_m - (tcp_z - PAD_HALF_M) < 0.010:
        return ()
    grasps = []
    for axis in np.argsort(np.asarray(half_size_m[:2])):
        width = 2.0 * float(half_size_m[axis])
        if width <= MAX_WIDTH_M:
            closing = (1.0, 0.0, 0.0) if axis == 0 else (0.0, 1.0, 0.0)
            grasps.append(pointing(f"top-{'xy'[axis]}", "top", (0.0, 0.0, tcp_z), (0, 0, -1), closing, width))
    return tuple(grasps)


def around_knob(radius_m: float, tcp_z_m: float) -> tuple[Grasp, ...]:
    """Return top-down grasps around a round knob on the z axis, one for each yaw."""
    return tuple(
        pointing(f"top-{yaw:.0f}", "top", (0.0, 0.0, tcp_z_m), (0, 0, -1), _direction(yaw), 2.0 * radius_m)
        for yaw in YAWS_DEG
    )


def level(degrees: float) -> tuple[float, float, float]:
    """Return the level unit vector at an azimuth."""
    return _direction(degrees)


def _radii(outer: Array, low: float, high: float) -> Array:
    heights = np.linspace(low, min(high, float(outer[-1, 1])), 15)
    return np.interp(heights, outer[:, 1], outer[:, 0])


def _direction(degrees: float) -> tuple[float, float, float]:
    return float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees))), 0.0


def _free(azimuth: float, blocked: Iterable[float], margin: float) -> bool:
    return all(abs((azimuth - b + 180.0) % 360.0 - 180.0) >= margin for b in blocked)
