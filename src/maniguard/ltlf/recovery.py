"""Repeated violations: episodes that begin with a violation, may be recovered from, and arm the rule again."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal, NamedTuple

from maniguard.ltlf.compile import DEFAULT_BUDGET, Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import FormulaError
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.monitor import Monitor, Reading
from maniguard.ltlf.parser import parse


class EpisodeEnd(Enum):
    """How an episode ended.

    RECOVERED: the recovery formula came true. SUBSIDED: without a recovery formula, the rule restarted on the current
    step stayed unbroken for the quiet time. FAILED: the recovery formula became impossible; the episode then ends as if
    it had none. CENSORED: the trace ended first.
    """

    RECOVERED = "recovered"
    SUBSIDED = "subsided"
    FAILED = "failed"
    CENSORED = "censored"

    __hash__ = object.__hash__


class Episode(NamedTuple):
    """One violation and what came of it; steps count from 0.

    `start`: the step of the violation. `end`: the step at which the episode closed, None if the trace ended first.
    `instant`: the recovery formula held on the violating step alone, so that the recovery tells nothing. `at_rearm`: it
    began at the step that closed the episode before. `repeats`: later violations inside this episode, each by a fresh
    copy of the rule (only with `inside="watch"`).
    """

    start: int
    end: int | None
    how: EpisodeEnd
    instant: bool
    at_rearm: bool
    repeats: tuple[int, ...]


class RecoveryMonitor:
    """Watches a rule φ with a recovery formula ρ.

    A permanent violation of φ opens an episode. ρ is read from the violating step on, and the episode closes at the
    first later step at which ρ is satisfied. Without ρ it closes once φ, restarted on each step anew, has not been
    violated on `quiet_steps` steps in a row.

    * Re-arming: the closing step is also the first step of φ's new run, so nothing goes unwatched.
    * A violation at the re-arm step opens the next episode at that same step (`at_rearm`).
    * Triggers inside an open episode: with `inside="ignore"` φ sleeps; with `"watch"` a fresh copy runs from the step
      after the violation, its violations are `repeats`, and at closing it is the one that goes on, so that what became
      due inside the episode stays due.
    * Truncation: an episode that is open at the end is CENSORED, neither recovered nor not.
    """

    def __init__(
        self,
        formula: Formula | str,
        recovery: Formula | str | None = None,
        *,
        reading: Reading = "ltlf",
        inside: Literal["ignore", "watch"] = "ignore",
        quiet_steps: int = 1,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        if inside not in ("ignore", "watch"):
            raise FormulaError(f"no way {inside!r} to treat triggers inside an episode; there are ignore, watch")
        if quiet_steps < 1:
            raise FormulaError(f"quiet_steps must be at least 1, got {quiet_steps}")
        self.formula = parse(formula) if isinstance(formula, str) else formula
        self.recovery = parse(recovery) if isinstance(recovery, str) else recovery
        self.inside = inside
        self.quiet_steps = quiet_steps
        self._main: Dfa = Monitor(self.formula, reading=reading, budget=budget).dfa
        self._rho = None if self.recovery is None else compile_dfa(self.recovery, budget=budget)
        self.reset()

    def reset(self) -> None:
        """Start again before the first step."""
        self.steps = 0
        self.state = self._main.initial
        self._closed: list[Episode] = []
        self._open: _Open | None = None

    @property
    def in_episode(self) -> bool:
        """Whether a violation is open."""
        return self._open is not None

    @property
    def verdict(self) -> Verdict:
        """The verdict of φ since it was last armed; PERM_VIOL inside an episode."""
        return Verdict.PERM_VIOL if self._open is not None else self._main.verdict(self.state)

    def step(self, letter: Mapping[str, bool]) -> bool:
        """Take one letter; return whether an episode is open after it.

        Raises:
            MissingAtomError: the letter lacks an atom of φ or ρ.
        """
        t, main = self.steps, self._main
        if self._rho is not None and self._open is None:
            # ρ's atoms are checked on every step, not only once something went wrong.
            self._rho.step(self._rho.initial, letter)
        if self._open is None:
            self.state = main.step(self.state, letter)
            if self._is_dead(self.state):
                self._begin(t, letter, at_rearm=False)
        else:
            self._go_on(t, letter, self._open)
        self.steps += 1
        return self._open is not None

    def episodes(self) -> list[Episode]:
        """Return all episodes, judged as if the trace ended here."""
        if self._open is None:
            return list(self._closed)
        return [*self._closed, self._open.episode(None, EpisodeEnd.CENSORED)]

    def _is_dead(self, state: int) -> bool:
        return self._main.verdict(state) is Verdict.PERM_VIOL

    def _begin(self, t: int, letter: Mapping[str, bool], *, at_rearm: bool) -> None:
        episode = _Open(t, at_rearm, self._main.initial)
        if self._rho is not None:
            episode.rho = self._rho.step(self._rho.initial, letter)
            episode.instant = self._rho.accept[episode.rho]
            episode.failed = self._rho.verdict(episode.rho) is Verdict.PERM_VIOL
        self._open = episode

    def _go_on(self, t: int, letter: Mapping[str, bool], episode: _Open) -> None:
        main = self._main
        restarted = main.step(main.initial, letter)
        if self.inside == "watch":
            # A copy that died on the step before gave way to a fresh one.
            episode.copy = main.step(episode.copy, letter)
        how = self._closing(letter, episode, quiet=not self._is_dead(restarted))
        state = episode.copy if self.inside == "watch" else restarted
        if how is None:
            if self.inside == "watch" and self._is_dead(state):
                episode.repeats.append(t)
                episode.copy = main.initial
            return
        self._closed.append(episode.episode(t, how))
        self._open = None
        self.state = state
        if self._is_dead(state):
            self._begin(t, letter, at_rearm=True)

    def _closing(self, letter: Mapping[str, bool], episode: _Open, *, quiet: bool) -> EpisodeEnd | None:
        if self._rho is not None:
            episode.rho = self._rho.step(episode.rho, letter)
            if self._rho.accept[episode.rho]:
                return EpisodeEnd.RECOVERED
            episode.failed = episode.failed or self._rho.verdict(episode.rho) is Verdict.PERM_VIOL
            if not episode.failed:
                return None
        episode.quiet = episode.quiet + 1 if quiet else 0
        if episode.quiet < self.quiet_steps:
            return None
        return EpisodeEnd.FAILED if episode.failed else EpisodeEnd.SUBSIDED


class _Open:
    __slots__ = ("at_rearm", "copy", "failed", "instant", "quiet", "repeats", "rho", "start")

    def __init__(self, start: int, at_rearm: bool, fresh: int) -> None:
        self.start = start
        self.at_rearm = at_rearm
        self.copy = fresh
        self.rho = 0
        self.instant = False
        self.failed = False
        self.quiet = 0
        self.repeats: list[int] = []

    def episode(self, end: int | None, how: EpisodeEnd) -> Episode:
        return Episode(self.start, end, how, self.instant, self.at_rearm, tuple(self.repeats))
