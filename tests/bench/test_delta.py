import pytest

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.delta import CONDITIONS, apply_delta
from maniguard.bench.taskfile import TaskFile


def patch(small_task: TaskFile, condition: str, path: str, value: object) -> dict:
    return apply_delta(small_task.base, [{"path": path, "value": value}], condition, "here", 0)


def test_a_delta_changes_its_value_and_nothing_else(small_task: TaskFile) -> None:
    changed = patch(small_task, "location", "/scene/objects/1/world_T_object/position_m", [0.6, 0.1, 0.0])
    assert changed["scene"]["objects"][1]["world_T_object"]["position_m"] == [0.6, 0.1, 0.0]
    changed["scene"]["objects"][1]["world_T_object"]["position_m"] = [0.5, 0.12, 0.0]
    assert changed == small_task.base


@pytest.mark.parametrize(
    ("condition", "path"),
    [
        ("target", "/scene/objects/1/appearance"),
        ("target", "/scene/objects/0/mass_kg"),
        ("target", "/instruction"),
        ("language", "/scene/room"),
        ("location", "/scene/objects/0/friction"),
        ("location", "/scene/goal/center_m"),
        ("environment", "/scene/table/friction"),
        ("environment", "/scene/table"),
    ],
)
def test_no_axis_reaches_into_another(small_task: TaskFile, condition: str, path: str) -> None:
    with pytest.raises(TaskFileError, match="may not change"):
        patch(small_task, condition, path, "x")


def test_mistakes_are_named(small_task: TaskFile) -> None:
    with pytest.raises(TaskFileError, match="'9' in the base"):
        patch(small_task, "location", "/scene/objects/9/world_T_object/position_m", [0, 0, 0])
    with pytest.raises(TaskFileError, match="the value that the base has"):
        patch(small_task, "location", "/scene/objects/0/world_T_object/position_m", [0.5, 0.0, 0.0])
    with pytest.raises(TaskFileError, match="is empty"):
        apply_delta(small_task.base, [], "language", "here", 0)
    with pytest.raises(TaskFileError, match="environment, language, location, target"):
        apply_delta(small_task.base, [{}], "lighting", "here", 0)
    assert CONDITIONS[0] == "base"
