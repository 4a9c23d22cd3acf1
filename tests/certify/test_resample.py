from pathlib import Path

import pytest

from maniguard import bench
from maniguard.bench import TaskFileError
from maniguard.bench.load import TASKS_DIR
from maniguard.certify import resample, write_resampled
from maniguard.certify.makers import MODULES, maker
from maniguard.cli.main import main
from maniguard.evaluate import create_run, execute, make_plan, open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("resampled")
    (path,) = write_resampled(out, resample("clutter", 1, 11))
    assert path.parent == out / "clutter"
    return out


def test_a_new_task_is_in_the_same_format_and_another_one(folder: Path) -> None:
    (task,) = bench.read_suite(folder)
    assert task.id.startswith("clutter-")
    assert task.id.endswith("-s11-000")
    locked = {s.hash for s in bench.load("clutter")}
    assert not locked & {s.hash for s in task.scenarios()}
    with pytest.raises(TaskFileError, match="unknown scenario"):
        bench.get(f"{task.id}/base")


def test_equal_arguments_give_equal_tasks(folder: Path) -> None:
    (again,) = resample("clutter", 1, 11)
    assert again.text() == next((folder / "clutter").glob("*.json")).read_text()


def test_a_run_of_new_tasks_carries_them_along(folder: Path, tmp_path: Path) -> None:
    tasks = bench.read_suite(folder)
    scenarios = bench.choose(tasks, "clutter", conditions=("base",))
    run = create_run(tmp_path / "run", make_plan("noop", scenarios, (0,)), tasks)
    execute(run, workers=1, done=lambda item, status: None)
    found = open_run(tmp_path / "run")
    assert found.ledger()["completed"] == 1
    assert found.scenario(scenarios[0].id).hash == scenarios[0].hash


def test_the_command_refuses_what_it_cannot_make(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, message in (
        (["--family", "juggling"], "unknown family 'juggling'"),
        (["--family", "clutter", "--n", "0"], "cannot make 0 tasks"),
        (["--family", "clutter", "--n", "1", "--out", str(TASKS_DIR / "x")], "kept apart"),
    ):
        assert main(["bench", "resample", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert main(["bench", "list", "--suite", str(tmp_path)]) == 2
    assert "holds no task files" in capsys.readouterr().err


def test_ids_of_the_locked_suite_are_refused(tmp_path: Path) -> None:
    (tmp_path / "copy.json").write_text((TASKS_DIR / "clutter" / "clutter-dry-00.json").read_text())
    with pytest.raises(TaskFileError, match="has the id of a task of the locked suite"):
        bench.read_suite(tmp_path)


@pytest.mark.parametrize("spec", MODULES)
def test_every_spec_has_a_maker_that_makes_for_it(spec: str) -> None:
    assert spec == maker(spec).SPEC
    assert sum(s.spec == spec and s.condition == "base" for s in bench.load(maker(spec).FAMILY)) == maker(spec).TASKS
