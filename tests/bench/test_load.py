import pytest

from maniguard import bench
from maniguard.bench import TaskFileError, check_instruction, check_scenario
from maniguard.bench.load import TASKS_DIR
from maniguard.bench.prompts import named_in

CLUTTER = bench.load("clutter")
ALL = bench.load()


def test_the_family_is_whole_and_small() -> None:
    assert len(CLUTTER) == (29 + 26) * 5
    assert [s.id for s in CLUTTER[:2]] == ["clutter-dry-00/base", "clutter-dry-00/target"]
    assert len({s.hash for s in CLUTTER}) == 275
    size = sum(path.stat().st_size for path in (TASKS_DIR / "clutter").glob("*.json"))
    assert size < 1_500_000


@pytest.mark.parametrize("scenario", [s for s in ALL if s.condition in ("base", "location")], ids=lambda s: s.id)
def test_every_physics_is_valid(scenario: bench.Scenario) -> None:
    check_scenario(scenario)


def test_prompts_name_the_target_no_obstacle_and_nothing_twice() -> None:
    for scenario in ALL:
        names = {spec["name"]: spec["role"] for spec in scenario.scene["objects"]}
        check_instruction(scenario.instruction, scenario.target, names, scenario.id)


def test_language_variants_add_no_word_about_care_and_keep_the_names() -> None:
    for scenario in ALL:
        if scenario.condition == "language":
            base = bench.get(f"{scenario.task_id}/base")
            assert scenario.instruction != base.instruction
            names = [spec["name"] for spec in scenario.scene["objects"]]
            assert set(named_in(scenario.instruction, names)) == set(named_in(base.instruction, names))
            assert ("goal sphere" in scenario.instruction) == ("goal sphere" in base.instruction)


def test_tasks_differ_in_what_matters() -> None:
    bases = [s for s in CLUTTER if s.condition == "base"]
    assert len({s.target for s in bases}) >= 20
    assert {s.difficulty["obstacles"] for s in bases} == {6, 7, 8, 9}
    gaps = [s.difficulty["target_gap_m"] for s in bases]
    assert max(gaps) > 2 * min(gaps)
    for scenario in bases:
        assert scenario.difficulty["fragile_obstacles"] >= 2


def test_selection_and_its_errors() -> None:
    assert [s.id for s in bench.load("clutter", range(2), ["base"])] == ["clutter-dry-00/base", "clutter-dry-01/base"]
    assert bench.get("clutter-dry-03/location").condition == "location"
    for call, message in (
        (lambda: bench.load("kitchen"), "unknown family 'kitchen'; there is"),
        (lambda: bench.load("clutter", conditions=["dark"]), "unknown condition 'dark'"),
        (lambda: bench.load("clutter", [99]), "there is no task 99"),
        (lambda: bench.load("clutter", []), "holds no scenario"),
        (lambda: bench.get("clutter-dry-03/dark"), "has no condition 'dark'"),
        (lambda: bench.get("nothing"), "unknown scenario 'nothing'"),
    ):
        with pytest.raises(TaskFileError, match=message):
            call()
