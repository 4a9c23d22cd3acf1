import numpy as np
import pytest

from maniguard.bench import TaskFileError, task_files
from maniguard.certify import hinged, jar
from maniguard.planning import inverted, matrix
from maniguard.sim.assets.catalogue import design


def test_generation_reproduces_the_locked_file() -> None:
    assert jar.make_task(0).text() == task_files("jar")[0].text()


def test_every_lot_is_another_one_and_its_lid_closes_over_its_content() -> None:
    assert len(jar.LOTS) == len(set(jar.LOTS)) == jar.TASKS
    assert len({name for name, _ in jar.LOTS}) == 14
    for name, content in jar.LOTS:
        hinged.check_fit(design(name), design(content))


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(TaskFileError, match="'apple-small' does not fit into jar 'hinged-honey': its radius is 24 mm"):
        hinged.check_fit(design("hinged-honey"), design("apple-small"))
    with pytest.raises(TaskFileError, match="'chess-king' does not fit into jar 'hinged-salt'"):
        hinged.check_fit(design("hinged-salt"), design("chess-king"))
    with pytest.raises(TaskFileError, match="'mug-classic' is no jar with a hinged lid"):
        hinged.check_fit(design("mug-classic"), design("die-white"))


def test_the_suite_runs_from_a_lone_jar_to_a_crowd_and_from_loose_hinges_to_stiff_ones() -> None:
    asked = [jar.difficulty(index) for index in range(jar.TASKS)]
    assert {a.obstacles for a in asked} == {0, 1, 2, 3, 4, 5}
    assert {a.side for a in asked} == set(jar.SIDES)
    assert {a.level_m for a in asked} == set(jar.LEVELS_M)
    assert min(a.stiffness for a in asked) == 0.0
    assert max(a.stiffness for a in asked) == 1.0
    # Sorted by where they point, neighbouring hinges are never more than a twelfth of a turn apart.
    bearings = np.sort([a.bearing_rad for a in asked])
    assert np.diff([*bearings, bearings[0] + 2 * np.pi]).max() < np.pi / 6


def test_a_hinge_holds_its_lid_and_gives_way_before_the_jar_does() -> None:
    for name, content in jar.LOTS:
        holder, thing = design(name), design(content)
        loose, middle, stiff = (hinged.hinge_friction_nm(holder, thing, share) for share in (0.0, 0.5, 1.0))
        assert loose < middle < stiff
        lid = next(part for part in holder.asset().rigid_parts if part.part == "lid")
        assert loose > lid.mass_kg * 9.81 * (holder.asset().joints[0].anchor_m[0] - lid.center_of_mass_m[0])
        weight_nm = (holder.mass_kg + thing.mass_kg) * 9.81 * holder.asset().size_m[0] / 2
        assert stiff < 0.5 * weight_nm


def test_an_open_lid_rises_above_the_rim_and_leans_out_behind_the_hinge() -> None:
    holder = design("hinged-tall")
    closed, upright, back = (np.asarray(hinged.opened(holder, np.radians(a)).vertices_m) for a in (0.0, 90.0, 110.0))
    assert closed[:, 2].max() == pytest.approx(holder.asset().height_m, abs=1e-4)
    rim = holder.asset().rim
    assert rim is not None
    assert upright[:, 2].max() - rim.pose.position_m[2] > 0.06
    assert back[:, 0].max() > upright[:, 0].max() + 0.015


@pytest.mark.parametrize("index", range(jar.TASKS))
def test_locked_tasks_start_open_with_something_in_the_jar_that_moves_along_with_it(index: int) -> None:
    task = task_files("jar")[index]
    name, content = jar.LOTS[index]
    base, there = (task.scenario(condition).scene_spec for condition in ("base", "location"))
    assert [spec.role for spec in base.objects[:2]] == ["target", "content"]
    assert {spec.role for spec in base.objects[2:]} <= {"obstacle"}
    assert base.objects[0].asset == design(name).spec
    assert base.objects[1].asset == design(content).spec
    (joint,) = base.objects[0].joints
    assert joint.start == joint.upper
    assert 95.0 <= np.degrees(joint.upper) <= 115.0
    relative = [
        inverted(matrix(scene.objects[0].world_T_object)) @ matrix(scene.objects[1].world_T_object)
        for scene in (base, there)
    ]
    np.testing.assert_allclose(relative[0], relative[1], atol=1e-5)
    shift = np.subtract(there.objects[0].world_T_object.position_m, base.objects[0].world_T_object.position_m)
    assert 0.25 < np.linalg.norm(shift) < 0.31
    assert task.base["instruction"].count("goal sphere") == 1
