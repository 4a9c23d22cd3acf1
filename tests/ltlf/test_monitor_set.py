from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from maniguard.ltlf import Final, FormulaError, MissingAtomError, Monitor, MonitorSet, TraceError, Verdict
from maniguard.ltlf.frames import FrameRunner

REFERENCE = json.loads((Path(__file__).parent / "reference_formulas.json").read_text(encoding="utf-8"))


def random_words(rng: np.random.Generator, channels: int, steps: int, rate: float) -> np.ndarray:
    bits = rng.random((steps, channels)) < rate
    return (bits.astype(np.uint64) << np.arange(channels, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)


@pytest.mark.parametrize("reading", ["ltlf", "badprefix"])
def test_a_set_says_what_its_monitors_say(reading) -> None:
    formulas = {**REFERENCE["safemanip"], **{k: f"G(t{k} -> F[0,20] r{k})" for k in "abc"}}
    together = MonitorSet(formulas, reading=reading)
    alone = {name: Monitor(f, reading=reading) for name, f in formulas.items()}
    rng = np.random.default_rng(7)
    for word in random_words(rng, len(together.channels), 200, 0.1).tolist():
        letter = {name: bool(word >> i & 1) for i, name in enumerate(together.channels)}
        assert together.pack(letter) == word
        assert together.step(letter) == {name: m.step(letter) for name, m in alone.items()}
    assert together.finish() == {name: m.finish() for name, m in alone.items()}
    together.reset()
    assert together.verdicts() == {name: Monitor(f, reading=reading).verdict for name, f in formulas.items()}


def engines() -> list[str]:
    import importlib.util

    return ["python", "numba"] if importlib.util.find_spec("numba") else ["python"]


@pytest.mark.parametrize("engine", engines())
def test_recorded_frames_give_the_states_of_stepping(engine: str) -> None:
    formulas = {**REFERENCE["safemanip"], "timeout": "G(t -> F[0,30] r)", "constant": "true"}
    monitors = MonitorSet(formulas)
    words = random_words(np.random.default_rng(3), len(monitors.channels), 300, 0.2)
    states = FrameRunner(monitors, engine=engine).run(words)
    assert states.tolist() == [monitors.step_packed(word) for word in words.tolist()]


def test_more_than_64_channels_run_in_python() -> None:
    monitors = MonitorSet({f"r{i}": f"G(a{i} -> F b{i})" for i in range(40)})
    assert FrameRunner(monitors).engine == "python"
    with pytest.raises(FormulaError, match="64 channels"):
        FrameRunner(monitors, engine="numba")


def test_frames_must_be_packed() -> None:
    runner = FrameRunner(MonitorSet({"x": "a"}), engine="python")
    with pytest.raises(TraceError, match="uint64"):
        runner.run(np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(FormulaError, match="no engine"):
        FrameRunner(MonitorSet({"x": "a"}), engine="cuda")


def test_given_channels_are_kept_and_checked() -> None:
    monitors = MonitorSet({"x": "G(a -> b)"}, channels=["z", "b", "a"])
    assert monitors.channels == ("z", "b", "a")
    assert monitors.step({"z": True, "b": False, "a": True}) == {"x": Verdict.PERM_VIOL}
    assert monitors.finish() == {"x": Final.VIOLATED}
    with pytest.raises(MissingAtomError, match="no channel 'z'"):
        monitors.step({"b": False, "a": True})
    for wrong in ("no", None, 2, 0.5, []):
        with pytest.raises(TraceError, match="'a' must be true or false"):
            monitors.step({"z": True, "b": False, "a": wrong})
    assert monitors.pack({"z": 1, "b": np.False_, "a": np.True_}) == 0b101
    with pytest.raises(MissingAtomError, match="atom 'b' of 'x'"):
        MonitorSet({"x": "G(a -> b)"}, channels=["a"])
    with pytest.raises(FormulaError, match="twice"):
        MonitorSet({"x": "a"}, channels=["a", "a"])
    with pytest.raises(FormulaError, match="at least one"):
        MonitorSet({})
