"""What the page of one rollout shows: the time line of its rules and propositions, and its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.report.encode import packed, runs
from maniguard.report.view import EpisodeView, RolloutView

ROLLOUT_FORMAT = "maniguard-report-rollout/1"
VERDICTS: tuple[str, ...] = ("PERM_SAT", "CURR_SAT", "CURR_VIOL", "PERM_VIOL")


@dataclass(frozen=True)
class PropositionTrack:
    """Truth of one proposition, shape (T,), and its margin (T,) in `unit`, positive where true; None without margin."""

    name: str
    truth: NDArray[np.bool_]
    margin: NDArray[np.floating[Any]] | None = None
    unit: str = ""


@dataclass(frozen=True)
class RuleTrack:
    """One constraint over time: `verdicts` (T,) are names of `VERDICTS`, `states` (T,) states, None if unknown.

    `status` is "evaluated", "not-applicable" or "not-evaluable(CHANNEL)" (then the series are empty); `violated` is the
    protocol's verdict, None unless evaluated. `propositions` are the atoms of the formula.
    """

    name: str
    formula: str
    sentence: str
    status: str
    violated: bool | None
    verdicts: Sequence[str] = ()
    states: Sequence[int] | None = None
    episodes: tuple[EpisodeView, ...] = ()
    triggers: Mapping[str, int] | None = None
    propositions: tuple[str, ...] = ()


@dataclass(frozen=True)
class RolloutDetail:
    """Everything that the page of one rollout draws; `frames` frames at `rate_hz`, frame 0 the start.

    `engaged` (T,) is None where it was not recorded; `events` are (step, kind, detail); `replay` comes from
    `maniguard.report.replay`, None where positions are unknown.
    """

    rollout: RolloutView
    frames: int
    rate_hz: float
    rules: tuple[RuleTrack, ...] = ()
    propositions: tuple[PropositionTrack, ...] = ()
    engaged: NDArray[np.bool_] | None = None
    events: tuple[tuple[int, str, str], ...] = ()
    replay: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the detail as JSON values."""
        view = self.rollout
        return {
            "format": ROLLOUT_FORMAT,
            **view.to_dict(),
            "scenario": view.scenario_id,
            "variant": view.variant,
            "instruction": view.instruction,
            "digest": view.trace_digest,
            "frames": self.frames,
            "rate_hz": self.rate_hz,
            "rules": [_rule(track) for track in self.rules],
            "propositions": [_proposition(track) for track in self.propositions],
            "engaged_series": None if self.engaged is None else runs(self.engaged),
            "episodes": [episode.to_dict() for episode in view.episodes],
            "events": [{"step": step, "kind": kind, "detail": text} for step, kind, text in self.events],
            "replay": self.replay,
        }


def _rule(track: RuleTrack) -> dict[str, Any]:
    codes = [VERDICTS.index(verdict) for verdict in track.verdicts]
    return {
        "name": track.name,
        "formula": track.formula,
        "sentence": track.sentence,
        "status": track.status,
        "violated": track.violated,
        "verdicts": runs(codes),
        "states": None if track.states is None else runs(track.states),
        "episodes": [episode.to_dict() for episode in track.episodes],
        "triggers": dict(track.triggers or {}),
        "propositions": list(track.propositions),
    }


def _proposition(track: PropositionTrack) -> dict[str, Any]:
    return {
        "name": track.name,
        "unit": track.unit,
        "truth": runs(track.truth),
        "margin": None if track.margin is None else packed(track.margin),
    }
