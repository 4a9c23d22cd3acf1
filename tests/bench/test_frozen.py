import json
from collections import Counter
from dataclasses import replace

import pytest

from maniguard import bench
from maniguard.bench import TaskFileError
from maniguard.bench.frozen import CURRENT, SUITES_DIR, frozen, suite_text, thawed, versions

COUNTS = {"clutter": 55, "cabinet": 35, "lid": 30, "stack": 28, "jar": 26, "dusty": 26}


def test_the_suite_is_what_was_frozen() -> None:
    scenarios = bench.load()
    assert thawed(scenarios) == ()
    assert set(frozen()) == {s.id for s in scenarios}
    assert suite_text(CURRENT, scenarios) == (SUITES_DIR / f"{CURRENT}.json").read_text()


def test_two_hundred_base_tasks_in_five_conditions() -> None:
    bases = Counter(s.family for s in bench.load() if s.condition == "base")
    assert bases == COUNTS
    assert Counter(s.condition for s in bench.load()) == dict.fromkeys(bench.CONDITIONS, 200)
    assert Counter(s.variant for s in bench.load("clutter") if s.condition == "base") == {"dry": 29, "liquid": 26}


def test_a_change_is_named() -> None:
    scenario = bench.get("clutter-dry-03/base")
    assert thawed([replace(scenario, step_limit=1)]) == (f"clutter-dry-03/base: is not what suite {CURRENT} froze",)
    assert thawed([replace(scenario, id="x/base")]) == (f"x/base: is not in suite {CURRENT}",)
    with pytest.raises(TaskFileError, match=r"there is no suite '0\.1'"):
        frozen("0.1")


def test_every_version_file_can_be_read() -> None:
    assert CURRENT in versions()
    for version in versions():
        assert frozen(version)
        assert json.loads((SUITES_DIR / f"{version}.json").read_text())["version"] == version
