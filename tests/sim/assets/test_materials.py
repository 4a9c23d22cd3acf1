from __future__ import annotations

import numpy as np
import pytest

from maniguard.sim.assets.materials import FINISHES, PALETTES, PATTERNS, AppearanceError, finish, printed, rgb
from maniguard.sim.assets.textures import LABELS, PAINTERS, noise


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p != "plain"])
def test_patterns_are_deterministic_small_and_follow_colour_and_seed(pattern):
    first = finish("glaze", "#4080c0", accent="#f0e0d0", pattern=pattern, seed=3).texture
    same = finish("glaze", "#4080c0", accent="#f0e0d0", pattern=pattern, seed=3).texture
    other = finish("glaze", "#c04040", accent="#f0e0d0", pattern=pattern, seed=3).texture
    assert first is not None
    assert same is not None
    assert other is not None
    pixels = first.pixels()
    assert pixels.dtype == np.uint8
    assert pixels.ndim == 3
    assert pixels.shape[2] == 3
    assert pixels.size <= 256 * 256 * 3
    assert first == same
    assert hash(first) == hash(same)
    assert np.array_equal(pixels, same.pixels())
    assert first != other
    assert not np.array_equal(pixels, other.pixels())
    assert pixels.std() > 2


@pytest.mark.parametrize("style", list(LABELS))
def test_labels_carry_colour_and_title(style):
    one = printed(style, "#b23a48", "#e9c46a", "Harvest").texture
    two = printed(style, "#b23a48", "#e9c46a", "Orchard").texture
    three = printed(style, "#1d3557", "#e9c46a", "Harvest").texture
    assert one is not None
    assert two is not None
    assert three is not None
    assert np.array_equal(one.pixels(), printed(style, "#b23a48", "#e9c46a", "Harvest").texture.pixels())  # type: ignore[union-attr]
    assert not np.array_equal(one.pixels(), two.pixels())
    assert not np.array_equal(one.pixels(), three.pixels())


def test_noise_fills_its_range_and_repeats_at_its_edges():
    field = noise((64, 96), (4, 6), np.random.default_rng(1))
    assert field.min() == 0
    assert field.max() == 1
    inner = np.abs(np.diff(field, axis=0)).max()
    assert np.abs(field[0] - field[-1]).max() <= inner + 1e-9


def test_only_glass_lets_light_through():
    for name in FINISHES:
        alpha = finish(name, "#808080").rgba[3]
        assert (alpha < 0.7) == ("glass" in name)


def test_colours_are_read_and_refused():
    assert rgb("#ff8000") == pytest.approx((1.0, 128 / 255, 0.0))
    for bad in ("ff8000", "#ff80", "#ggggggg", "#gg0000"):
        with pytest.raises(AppearanceError, match="not of the form #rrggbb"):
            rgb(bad)
    with pytest.raises(AppearanceError, match="label 'baroque' is not known; valid are band"):
        printed("baroque", "#ffffff", "#ffffff", "x")


def test_every_painter_is_a_pattern_and_every_palette_colour_is_readable():
    assert set(PAINTERS) == set(PATTERNS) - {"plain"}
    for colours in PALETTES.values():
        assert all(len(rgb(c)) == 3 for c in colours)
