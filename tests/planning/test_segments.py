import numpy as np
import pytest

from maniguard.planning.segments import Executor, Segment


def segment(skill: str, start: float, steps: int, opening: float, **options: float) -> Segment:
    targets = start + np.arange(1, steps + 1)[:, None] * np.ones((1, 7)) * 0.01
    return Segment(skill, targets, np.full(steps, opening), **options)


def test_rows_are_played_in_order_and_the_last_action_is_kept() -> None:
    a, b = segment("approach", 0.0, 3, 1.0), segment("close", 0.03, 2, 0.0)
    executor = Executor([a, b])
    rows = np.concatenate([a.targets, b.targets])
    for index, row in enumerate(rows):
        action = executor.act(rows[index - 1] if index else np.zeros(7))
        np.testing.assert_array_equal(action[:7], row)
        assert action[7] == (1.0 if index < 3 else 0.0)
    for _ in range(3):
        np.testing.assert_array_equal(executor.act(rows[-1]), b.action)
    assert executor.done
    assert executor.steps_planned == 5


def test_executor_waits_for_the_arm_but_not_for_ever() -> None:
    a, b = segment("approach", 0.0, 1, 1.0, settle_rad=0.005, settle_steps=4), segment("lift", 0.05, 1, 1.0)
    far = np.zeros(7)
    executor = Executor([a, b])
    played = [executor.act(far)[0] for _ in range(6)]
    assert played == [a.targets[0, 0]] * 5 + [b.targets[0, 0]]
    prompt = Executor([a, b])
    prompt.act(far)
    assert prompt.act(a.targets[0])[0] == b.targets[0, 0]


def test_malformed_segments_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Segment("hold", np.zeros((2, 7)), np.zeros(3))
    with pytest.raises(ValueError, match="empty"):
        Segment("hold", np.zeros((0, 7)), np.zeros(0))
    with pytest.raises(ValueError, match="at least one"):
        Executor([])


def test_segments_must_join() -> None:
    with pytest.raises(ValueError, match=r"'lift' starts 0\.4"):
        Executor([segment("approach", 0.0, 3, 1.0), segment("lift", 0.5, 3, 1.0)])
