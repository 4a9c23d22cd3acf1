"""The estimate before a run."""

from __future__ import annotations

from typing import Any

from tests.evaluate.short import short_run

from maniguard.cli.output import Output
from maniguard.cli.preview import preview
from maniguard.evaluate import estimate
from maniguard.sim import SimulationFault, World


def test_a_scene_that_blows_up_in_the_trial_is_left_to_its_rollout(tmp_path, monkeypatch, capsys) -> None:
    def blow_up(self: World, action: Any) -> None:
        raise SimulationFault("the physics blew up in control step 1: a test")

    run = short_run(tmp_path / "run", "noop")
    scenarios = [run.scenario(item.scenario_id) for item in run.plan.items]
    whole = estimate(run, scenarios, workers=1)
    assert whole is not None
    assert whole.requests == 2 * (4 + 20)
    monkeypatch.setattr(World, "step", blow_up)
    assert estimate(run, scenarios, workers=1) is None
    preview(Output(), run, scenarios, workers=1, where="1 worker")
    assert "blew up in a trial" in capsys.readouterr().out
