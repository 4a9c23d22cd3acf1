import numpy as np
import pytest

from maniguard.bench.layout import smallest_gap
from maniguard.certify import board as boards
from maniguard.certify import packing
from maniguard.certify.drawing import UnfitError
from maniguard.sim.assets.catalogue import design


def test_food_is_laid_on_the_board_apart_from_lips_and_neighbours() -> None:
    rng = np.random.default_rng(3)
    board = design("slide-oak")
    foods = [design(name) for name in ("cheese-cube", "sushi-tuna")]
    laid = boards.lay_out(board, foods, rng)
    region = board.asset().support_regions[0]
    prints = [packing.put(food.asset().hull, *at).polygon for food, at in zip(foods, laid, strict=True)]
    assert smallest_gap(prints[0], prints[1:]) >= 0.004
    for outline in prints:
        assert np.all(np.abs(outline) < np.array(region.size_m[:2]) + 0.008)


def test_too_much_or_too_heavy_food_is_refused() -> None:
    rng = np.random.default_rng(3)
    with pytest.raises(UnfitError, match="no room"):
        boards.lay_out(design("slide-walnut"), [design("toast"), design("toast")], rng)
    with pytest.raises(UnfitError, match="too heavy"):
        boards.lay_out(design("slide-plastic"), [design("butter")], rng)


def test_food_stands_on_its_board_wherever_that_is() -> None:
    board, food = design("slide-oak"), design("brownie")
    place = packing.upright(0.5, 0.1, 0.7)
    pose = boards.on_board(place, board, food.asset().hull, (0.02, -0.01, 0.3))
    c, s = np.cos(0.7), np.sin(0.7)
    expected = (0.5 + 0.02 * c + 0.01 * s, 0.1 + 0.02 * s - 0.01 * c)
    np.testing.assert_allclose(pose.position_m[:2], expected, atol=2e-6)
    assert pose.position_m[2] == pytest.approx(board.asset().support_regions[0].pose.position_m[2], abs=1e-5)
