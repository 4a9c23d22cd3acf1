"""`maniguard policies` and `serve --batch`: what a user reads before a policy is plugged in."""

from __future__ import annotations

from maniguard.cli import main
from maniguard.policies.presets import PRESETS
from maniguard.policies.registry import FORMS


def test_the_list_has_every_form_and_every_preset(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["policies"]) == 0
    out = capsys.readouterr().out
    for word in (*FORMS, *PRESETS):
        assert word in out


def test_one_preset_is_shown_whole_with_its_source_and_what_it_was_tried_with(capsys):
    assert main(["policies", "pi05-droid"]) == 0
    out = capsys.readouterr().out
    for part in (
        "(15, 8) 'joint_delta': 1 is 0.2 rad, clipped to ±1",
        "gripper 1 closed, 0 open",
        "15 Hz",
        "executes 8 of each 15 in 10 control steps",
        "sees observation/gripper_position: (1,) float32 of closing",
        "source: openpi, examples/droid/main.py",
        "tried with no genuine server",
    ):
        assert part in out


def test_an_unknown_preset_is_one_line_with_the_known_ones(capsys):
    assert main(["policies", "pi9"]) == 2
    said = capsys.readouterr().err
    assert "pi05-droid" in said
    assert said.count("\n") == 1


def test_a_policy_that_takes_no_batches_is_refused(capsys):
    assert main(["serve", "--policy", "random", "--port", "0", "--batch", "4"]) == 2
    assert "infer_batch" in capsys.readouterr().err
