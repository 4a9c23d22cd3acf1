"""Which lid fits which container: a plug that goes into the mouth with a little room, a flange wider than it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import Asset, AssetError, Value

# Less room jams when a lid comes down askew by a few millimetres, more does not centre it.
CLEARANCE_M = (0.0012, 0.0028)
WANTED_CLEARANCE_M = 0.0018
LEAST_OVERLAP_M = 0.001
SKIRT_M = 0.006


def mouth_radius_m(container: Asset) -> float:
    """Return how far from the axis a round mouth's wall is at the least, as it is touched; AssetError without one."""
    rim = container.rim
    if rim is None or rim.shape != "disc":
        raise AssetError(f"asset kind {container.kind!r} has no round mouth that a lid could close")
    top = rim.pose.position_m[2]
    nearest = rim.size_m[0]
    for piece in container.pieces:
        points = piece.points()
        high = points[points[:, 2] > top - 0.006]
        if len(high) < 2 or piece.part != "body":
            continue
        nearest = min(nearest, _distance_from_axis(high[:, :2]))
    return float(nearest)


def _distance_from_axis(points: np.ndarray) -> float:
    # The least support over all directions in which the whole piece lies beyond the axis.
    turn = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    directions = np.stack([np.cos(turn), np.sin(turn)])
    best = float((points @ directions).min(axis=0).max())
    return best if best > 0.004 else np.inf


def lid_measures(container: Asset) -> dict[str, Value]:
    """Return the measures of a lid's flange, plug and skirt that fit `container`; AssetError without a round mouth."""
    mouth = mouth_radius_m(container)
    assert container.rim is not None
    top = container.rim.pose.position_m[2]
    outer = max(float(np.hypot(p[:, 0], p[:, 1]).max()) for p in _high_points(container, top))
    return {
        "plug_radius": round(mouth - WANTED_CLEARANCE_M, 4),
        "flange_radius": round(min(outer + 0.0005, 0.0775), 4),
        "skirt": SKIRT_M,
    }


def _high_points(container: Asset, top: float) -> list[np.ndarray]:
    out = []
    for piece in container.pieces:
        points = piece.points()
        if piece.part == "body" and points[:, 2].max() > top - 0.004 and piece.shape == "mesh":
            out.append(points[points[:, 2] > top - 0.006])
    return out


def misfit(lid: Asset, container: Asset) -> str | None:
    """Return why a lid does not fit a container; None when it does. AssetError when `lid` is no lid."""
    if lid.plug is None:
        raise AssetError(f"asset kind {lid.kind!r} is no lid: it has no plug")
    if container.rim is None or container.rim.shape != "disc":
        return "it has no round mouth"
    mouth, plug = mouth_radius_m(container), lid.plug.size_m[0]
    if plug > mouth - CLEARANCE_M[0] + 1e-6:
        return f"the plug's radius of {plug * 1000:.1f} mm is too large for a mouth of {mouth * 1000:.1f} mm"
    if plug < mouth - CLEARANCE_M[1] - 1e-6:
        return f"the plug's radius of {plug * 1000:.1f} mm is too small for a mouth of {mouth * 1000:.1f} mm"
    skirt = lid.plug.size_m[2]
    if container.interior is not None and skirt > container.interior.size_m[2] - 0.002:
        return f"the plug of {skirt * 1000:.1f} mm is as deep as the inside"
    flange = max(float(np.hypot(*vertex[:2])) for vertex in lid.hull.vertices_m if vertex[2] > skirt - 1e-4)
    if flange < mouth + LEAST_OVERLAP_M:
        return f"the flange's radius of {flange * 1000:.1f} mm does not reach over a mouth of {mouth * 1000:.1f} mm"
    return None


def fitting(lid: Asset, containers: Mapping[str, Asset]) -> tuple[str, ...]:
    """Return the names of the containers that a lid fits, in order; AssetError when it fits none of them."""
    reasons = {name: misfit(lid, container) for name, container in containers.items()}
    found = tuple(name for name, reason in reasons.items() if reason is None)
    if not found:
        told = "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or "there are none"
        raise AssetError(f"the lid fits no container ({told})")
    return found


def require_fit(lid: Asset, name: str, container: Asset, among: Iterable[str] = ()) -> None:
    """Raise an AssetError unless a lid fits the container called `name`; the message lists `among`, which it fits."""
    reason = misfit(lid, container)
    if reason is not None:
        hint = f"; it fits {alternatives(among)}" if tuple(among) else ""
        raise AssetError(f"the lid does not fit {name!r}: {reason}{hint}")
