"""Anything turned on a lathe: its silhouette is written out in the description."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maniguard.sim.assets import grasps as holds
from maniguard.sim.assets.asset import AssetError, Blueprint, Kind, Params
from maniguard.sim.assets.form import Form
from maniguard.sim.assets.hollow import flat_top
from maniguard.sim.assets.kinds.closed import label_band
from maniguard.sim.assets.kinds.painting import PRINTED_PART_LOOKS, paint_printed_parts
from maniguard.sim.assets.profile import cone_volume, smooth

Array = NDArray[np.float64]


def silhouette_of(p: Params, name: str) -> Array | None:
    """Read a silhouette "r,z r,z …" in millimetres, walked upwards; None where it is empty. AssetError names it."""
    text = p.text(name)
    if not text:
        return None
    try:
        points = np.array([[float(v) for v in point.split(",")] for point in text.split()]) / 1000.0
    except ValueError:
        points = np.zeros((0, 2))
    if points.ndim != 2 or len(points) < 2 or points.shape[1] != 2:
        raise AssetError(f"asset kind {p.kind!r}: parameter {name!r} must be points 'r,z r,z …' in mm, got {text!r}")
    if points.min() < 0.0 or np.diff(points[:, 1]).min() < 0.0:
        raise AssetError(
            f"asset kind {p.kind!r}: parameter {name!r} must run upwards with r of 0 or more, got {text!r}"
        )
    return points


def make_spindle(p: Params) -> Blueprint:
    """Make a turned body out of up to three silhouettes, one above the other or one around the other.

    `curve` says whether the first is a smooth curve through its points or a line. A label goes around between
    `label_low` and `label_high` (shares of the first silhouette's height).
    """
    form, walked = Form(), []
    for slot, name in (("main", "profile"), ("second", "above"), ("third", "top")):
        points = silhouette_of(p, name)
        if points is None:
            continue
        curved = slot == "main" and p.choice("curve", ("line", "smooth")) == "smooth"
        outer = smooth([(float(r), float(z)) for r, z in points], count=14) if curved else points
        form.turned(slot, outer, None, segments=28, limit=6)
        walked.append(outer)
    if not walked:
        raise AssetError(f"asset kind {p.kind!r}: parameter 'profile' must not be empty")
    volume = sum(cone_volume(outer) for outer in walked)
    form.weigh(volume * p.number("solid"), p.text("substance"))
    form.weigh(volume * p.number("filled"), p.text("contents"))
    outer = np.concatenate(walked)
    # A silhouette for the gripper: where one shape stands on a wider one the step must not count twice.
    outer[:, 1] += np.arange(len(outer)) * 1e-7
    body = walked[0]
    height = float(body[-1, 1])
    if p.number("label_high") > p.number("label_low"):
        form.see(label_band(body, p.number("label_low") * height, p.number("label_high") * height))
    top_r, top = float(walked[-1][-1, 0]), float(walked[-1][-1, 1])
    return form.blueprint(
        support_regions=(flat_top(top_r, top),) if top_r > 0.012 else (),
        grasps=(*holds.top_of_body(outer), *holds.side_of_body(outer)),
    )


KINDS = (
    Kind(
        "spindle",
        {
            "profile": "20,0 20,40",
            "above": "",
            "top": "",
            "curve": "line",
            "solid": 1.0,
            "filled": 0.0,
            "substance": "wood",
            "contents": "water",
            "label_low": 0.0,
            "label_high": 0.0,
        },
        PRINTED_PART_LOOKS,
        make_spindle,
        paint_printed_parts,
    ),
)
