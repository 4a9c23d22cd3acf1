"""The palette: text must be readable in both schemes, outcomes distinguishable without hue."""

from __future__ import annotations

import re
from importlib import resources

import pytest

CSS = resources.files("maniguard.report").joinpath("static", "report.css").read_text(encoding="utf-8")
LIGHT = dict(re.findall(r"--([\w-]+): (#\w{6});", CSS[: CSS.index("@media (prefers-color-scheme: dark)")]))
DARK = LIGHT | dict(
    re.findall(r"--([\w-]+): (#\w{6});", CSS[CSS.index("@media (prefers-color-scheme: dark)") :].split("}")[0])
)


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: str, b: str) -> float:
    bright, dim = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *((text, ground) for text in ("ink", "soft", "faint", "accent") for ground in ("paper", "card")),
        *((f"{outcome}-ink", outcome) for outcome in ("ssr", "succ-unsafe", "unsucc-safe", "unsucc-unsafe")),
        ("ssr", "card"),
        ("succ-unsafe-ink", "viol"),
        ("ink", "bad-wash"),
        ("soft", "wash"),
    ],
)
def test_text_is_readable(scheme, text, ground):
    assert contrast(scheme[text], scheme[ground]) >= 4.5


def simulated(colour: str, kind: str) -> tuple[float, float, float]:
    """A colour as a dichromat sees it: linear RGB through the matrices of Machado, Oliveira and Fernandes (2009)."""
    matrix = {
        "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
        "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    }[kind]
    c = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in c]
    return tuple(min(1.0, max(0.0, sum(m * v for m, v in zip(row, linear, strict=True)))) for row in matrix)  # type: ignore[return-value]


def lab(linear: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a linear sRGB colour."""
    r, g, b = linear
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
@pytest.mark.parametrize(
    "group",
    [
        ("ssr", "succ-unsafe", "unsucc-safe", "unsucc-unsafe"),
        ("sat-perm", "sat", "viol", "viol-perm"),
        ("true", "false"),
    ],
    ids=["outcomes", "verdicts", "truth"],
)
def test_colours_that_mean_different_things_look_different_to_everyone(scheme, kind, group):
    seen = [lab(simulated(scheme[name], kind)) for name in group]
    for i, a in enumerate(seen):
        for b in seen[i + 1 :]:
            assert sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5 > 18
