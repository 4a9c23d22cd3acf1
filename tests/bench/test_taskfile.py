import json
from pathlib import Path

import pytest

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.taskfile import TaskFile, parse_task, read_task, write_task


def test_written_and_read_back_equal(small_task: TaskFile, tmp_path: Path) -> None:
    path = tmp_path / "clutter-dry-00.json"
    write_task(path, small_task)
    again = read_task(path)
    assert again.text() == small_task.text()
    assert [s.hash for s in again.scenarios()] == [s.hash for s in small_task.scenarios()]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_five_scenarios_of_one_physics_but_location(small_task: TaskFile) -> None:
    base, target, language, location, environment = small_task.scenarios()
    assert len({s.hash for s in small_task.scenarios()}) == 5
    assert base.physics_hash == target.physics_hash == language.physics_hash == environment.physics_hash
    assert location.physics_hash != base.physics_hash
    assert base.id == "clutter-dry-00/base"
    assert language.prompt_forms["none"] == language.instruction
    for form in ("natural", "ltlf"):
        assert language.prompt_forms[form].startswith(language.instruction + " ")


def test_a_changed_number_is_caught_by_the_hash(small_task: TaskFile) -> None:
    data = json.loads(small_task.text())
    data["base"]["scene"]["objects"][0]["mass_kg"] += 0.001
    with pytest.raises(TaskFileError, match="hash stored for 'base' does not match"):
        parse_task(json.dumps(data), "file.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("spec"), "spec"),
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d.update(format="maniguard-task/9"), "maniguard-task/1"),
        (lambda d: d.update(task="0"), "'task' must be of type int"),
        (lambda d: d.update(step_limit=0), "step_limit must be positive"),
        (lambda d: d["deltas"].pop("location"), "deltas must be"),
        (lambda d: d["base"].pop("instruction"), "exactly 'instruction' and 'scene'"),
        (lambda d: d.update(target="teapot"), "'teapot' is not in the scene; it has bud_vase, can_of_beans, mug"),
        (lambda d: d["hashes"].clear(), "hash stored for 'base'"),
    ],
)
def test_malformed_files_are_refused_with_the_reason(small_task: TaskFile, change, message: str) -> None:
    data = json.loads(small_task.text())
    change(data)
    with pytest.raises(TaskFileError, match=message) as error:
        parse_task(json.dumps(data), "file.json")
    assert "\n" not in str(error.value)


def test_no_json_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="not JSON at line 1"):
        parse_task("{", "file.json")
    with pytest.raises(TaskFileError, match="cannot be read"):
        read_task(tmp_path / "absent.json")
