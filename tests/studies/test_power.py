from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from maniguard.cli.main import main
from maniguard.studies import Design, StudyError, power, stopping_times
from maniguard.studies.power import chances, comparisons


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8, 1.0])
def test_simulated_tasks_have_the_rate_and_the_correlation_that_they_are_said_to_have(correlation) -> None:
    rng = np.random.default_rng(0)
    drawn = chances(rng.random(40_000), 0.3, correlation)
    assert drawn.mean() == pytest.approx(0.3, abs=0.01)
    # Of two rollouts of a task: the covariance is the variance of its probability.
    assert drawn.var() / (0.3 * 0.7) == pytest.approx(correlation, abs=0.015)


def test_simulated_comparisons_have_the_difference_that_they_are_said_to_have() -> None:
    design = Design(tasks=200, seeds=3, base=0.3, difference=0.2, correlation=0.4)
    gains = [(won - lost).mean() / 3 for won, lost in comparisons(design, 200, np.random.default_rng(0))]
    assert np.mean(gains) == pytest.approx(0.2, abs=0.01)


def test_power_grows_with_tasks_with_seeds_and_with_likeness_and_repeats() -> None:
    small, large = (power(Design(t, 1, 0.4, 0.2, 0.3), simulations=200) for t in (20, 120))
    assert small.by_tasks + 0.3 < large.by_tasks
    once, thrice = (power(Design(40, s, 0.4, 0.2, 0.1), simulations=200) for s in (1, 3))
    assert once.by_tasks + 0.1 < thrice.by_tasks
    unlike, alike = (power(Design(60, 3, 0.4, 0.15, 0.8, r), simulations=200) for r in (0.0, 1.0))
    assert unlike.by_tasks + 0.1 < alike.by_tasks
    assert power(Design(20, 1, 0.4, 0.2, 0.3), simulations=200) == small


def test_without_a_difference_the_test_of_tasks_keeps_its_level() -> None:
    found = power(Design(40, 3, 0.5, 0.0, 0.9, 0.0), simulations=300)
    assert found.by_tasks <= 0.09
    assert found.by_pairs > 0.15


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": 0}, "0 tasks"),
        ({"tasks": 10**8}, "at most 10000 tasks"),
        ({"seeds": 10**8}, "at most 10000 tasks and 100000 pairs"),
        ({"base": 0.0}, "base is 0"),
        ({"difference": 0.6}, r"base \+ difference is 1"),
        ({"correlation": 1.5}, "correlation is 1.5"),
        ({"likeness": -0.1}, "likeness is -0.1"),
    ],
)
def test_what_is_no_model_is_refused(changes, message) -> None:
    fields = {"tasks": 10, "seeds": 1, "base": 0.4, "difference": 0.1, "correlation": 0.3, **changes}
    with pytest.raises(StudyError, match=message):
        Design(**fields)


def test_wide_intervals_and_extreme_rates_stop_soon() -> None:
    wide, narrow = stopping_times(40, seeds=3, share=0.5, correlation=0.4, widths=(0.5, 0.2), simulations=15)
    assert wide.median < narrow.median <= 40
    assert wide.q25 <= wide.median <= wide.q75
    assert wide.stopped == 1.0
    (rare,) = stopping_times(40, seeds=3, share=0.02, correlation=0.4, widths=(0.2,), simulations=15)
    assert rare.median < narrow.median


def test_the_command_line_prints_power_and_false_alarms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "power.json"
    arguments = ["study", "power", "--tasks", "30", "--seeds", "2", "--simulations", "20", "--json", str(data)]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "false alarms" in out
    assert "+10 points" in out
    assert json.loads(data.read_text())["no_difference"]["design"]["difference"] == 0.0
    assert main(["study", "power", "--tasks", "0"]) == 2
    assert main(["study", "power", "--tasks", "5", "--simulations", "0"]) == 2


def test_the_tables_of_the_page_are_those_of_the_results() -> None:
    script = Path(__file__).resolve().parents[2] / "benchmarks" / "power.py"
    spec = importlib.util.spec_from_file_location("benchmark_power", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    result = json.loads(module.RESULT.read_text(encoding="utf-8"))
    assert module.page_with(result) == module.PAGE.read_text(encoding="utf-8")
