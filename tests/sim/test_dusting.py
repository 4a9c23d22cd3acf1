import numpy as np
import pytest

from maniguard.sim import SceneSpec, World, spread_dust
from maniguard.sim.assets import design
from maniguard.sim.bodies import BuildError
from maniguard.trace.scene import Pose, Region

from ._scenes import block, make_asset


def pot():
    return design("pot-steel").object_spec("pot", "container", Pose((0.5, 0.0, 0.0)))


def nearest(points: np.ndarray) -> np.ndarray:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return np.where(np.eye(len(points), dtype=bool), np.inf, apart).min(axis=1)


@pytest.mark.parametrize("count", [1, 7, 60, 150])
@pytest.mark.parametrize(
    "patch",
    [
        Region("disc", (0.1, 0.1, 0.0), Pose((0.01, 0.02, 0.03))),
        Region("rectangle", (0.08, 0.05, 0.0), Pose((0.01, 0.02, 0.03))),
    ],
)
def test_particles_lie_evenly_in_the_patch(patch, count):
    dust = spread_dust(pot(), ("sponge",), rng=np.random.default_rng(3), count=count, patch=patch)
    away = np.array(dust.positions_m) - patch.pose.position_m
    assert len(dust.positions_m) == count
    assert np.abs(away[:, 2]).max() < 1e-6
    if patch.shape == "disc":
        assert np.hypot(away[:, 0], away[:, 1]).max() <= 0.1 + 1e-6
        assert dust.area_m2 == pytest.approx(np.pi * 0.01, abs=1e-6)
    else:
        assert (np.abs(away[:, :2]).max(axis=0) <= np.array([0.08, 0.05]) + 1e-6).all()
        assert dust.area_m2 == pytest.approx(0.016)
    if count > 1:
        spacing = np.sqrt(dust.area_m2 / count)
        assert nearest(away).min() > 0.25 * spacing
        assert nearest(away).max() < 1.6 * spacing


def test_a_patch_on_a_wall_faces_out_of_it():
    half = np.sqrt(0.5)
    patch = Region("rectangle", (0.03, 0.02, 0.0), Pose((0.0, 0.1, 0.05), (half, -half, 0.0, 0.0)))
    dust = spread_dust(pot(), ("sponge",), rng=np.random.default_rng(3), count=20, patch=patch)
    np.testing.assert_allclose(dust.normals[0], (0.0, 1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(np.array(dust.positions_m)[:, 1], 0.1, atol=1e-6)
    assert np.ptp(np.array(dust.positions_m)[:, 2]) > 0.02


def test_the_floor_of_a_pot_is_its_default_and_the_same_seed_gives_the_same_dust():
    one, other = (spread_dust(pot(), ("sponge",), rng=np.random.default_rng(8)) for _ in range(2))
    assert one == other
    assert [p[2] for p in one.positions_m] == [pytest.approx(pot_floor())] * 60
    sponge = design("mug-slim").object_spec("sponge", "tool", Pose((0.5, 0.3, 0.0)))
    world = World(SceneSpec((pot(), sponge), dust=(one,)))
    assert world.reset().dust_left.tolist() == [60]


def pot_floor() -> float:
    return design("pot-steel").asset().support_regions[0].pose.position_m[2]


def test_what_cannot_be_dusted_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(BuildError, match=r"'block'.*no support region"):
        spread_dust(block(), ("x",), rng=rng, make_asset=make_asset)
    with pytest.raises(BuildError, match=r"'pot'.*sphere"):
        spread_dust(pot(), ("x",), rng=rng, patch=Region("sphere", (0.1, 0.1, 0.1)))
    with pytest.raises(BuildError, match="at least 1"):
        spread_dust(pot(), ("x",), rng=rng, count=0)
