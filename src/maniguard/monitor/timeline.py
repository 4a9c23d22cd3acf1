"""The time line of a record: every proposition and every automaton at every frame, for whoever looks at it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maniguard.ltlf import Verdict
from maniguard.monitor.judgement import Judgement
from maniguard.monitor.monitor import RecordSource, Replay
from maniguard.spec import Spec
from maniguard.trace import Trace


@dataclass(frozen=True)
class PropositionLine:
    """One proposition over T frames: truth, margin in `unit` (positive where true), and margin over `scale`."""

    name: str
    predicate: str
    entities: tuple[str, ...]
    unit: str
    scale: float
    truth: NDArray[np.bool_]
    margin: NDArray[np.float64]


@dataclass(frozen=True)
class ConstraintLine:
    """One evaluated constraint over T frames, or one instance of it: NAME[ENTITY, …].

    `state` of its automaton, which starts anew after each violation; `verdict` per frame, PERM_VIOL where it is broken;
    `in_episode` where an episode is open.
    """

    name: str
    formula: str
    num_states: int
    state: NDArray[np.int32]
    verdict: tuple[Verdict, ...]
    in_episode: NDArray[np.bool_]


@dataclass(frozen=True)
class Timeline:
    """A record at a glance, with its judgement; arrays have one entry per frame."""

    time_s: NDArray[np.float64]
    propositions: tuple[PropositionLine, ...]
    constraints: tuple[ConstraintLine, ...]
    engaged: NDArray[np.bool_]
    in_goal: NDArray[np.bool_]
    success: NDArray[np.bool_]
    judgement: Judgement


def timeline(trace: Trace, spec: Spec) -> Timeline:
    """Judge a record and keep what happened at every frame; raises as `judge` does."""
    replay = Replay(trace, spec)
    engine, grounding = replay.engine, replay.grounding
    frames, watched = len(trace), engine.watched
    state = np.zeros((frames, len(watched)), np.int32)
    flags = np.zeros((frames, 3), np.bool_)
    verdicts: list[list[Verdict]] = [[] for _ in watched]
    for step, margins in enumerate(grounding.margins.tolist()):
        result = engine.advance(margins, RecordSource(replay, step))
        flags[step] = (result.engaged, result.in_goal, result.success)
        for index, item in enumerate(watched):
            state[step, index] = item.tracker.state
            verdicts[index].append(item.tracker.verdict)
    judgement = engine.judgement()
    propositions = tuple(
        PropositionLine(
            atom.name,
            atom.predicate,
            atom.of,
            engine.grounder.units[index],
            float(engine.grounder.scales[index]),
            grounding.margins[:, index] > 0,
            grounding.margins[:, index].copy(),
        )
        for index, atom in enumerate(engine.grounder.atoms)
    )
    constraints = tuple(
        ConstraintLine(
            item.label,
            item.constraint.formula,
            item.rule.dfa.num_states,
            state[:, index].copy(),
            tuple(verdicts[index]),
            _in_episode(judgement, item.constraint.name, item.instance, frames),
        )
        for index, item in enumerate(watched)
    )
    time_s = np.array(trace.column("time_s"), np.float64)
    return Timeline(time_s, propositions, constraints, flags[:, 0], flags[:, 1], flags[:, 2], judgement)


def _in_episode(judgement: Judgement, name: str, instance: tuple[str, ...], frames: int) -> NDArray[np.bool_]:
    out = np.zeros(frames, np.bool_)
    for episode in judgement.constraint(name).episodes:
        if episode.instance == instance:
            out[episode.start_step : episode.end_step] = True
    return out
