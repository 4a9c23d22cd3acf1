"""How far verdicts depend on thresholds: every trace judged again with each threshold halved and doubled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from maniguard.evaluate import Run
from maniguard.monitor import Reading, read
from maniguard.spec import Spec
from maniguard.studies.errors import StudyError
from maniguard.studies.records import Record, records
from maniguard.studies.thresholds import Threshold, scaled, thresholds

FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class SensitivityRow:
    """What one threshold times `factor` changes in the `n` rollouts that its spec judges.

    `safe` and `ssr` count rollouts with the changed threshold. `to_unsafe` and `to_safe` count rollouts whose verdict
    flips, `success_flips` those whose success does, `constraint_flips` the flips of each constraint, those without any
    left out.
    """

    spec: str
    threshold: Threshold
    factor: float
    n: int
    safe: int
    ssr: int
    to_unsafe: int
    to_safe: int
    success_flips: int
    constraint_flips: Mapping[str, int]

    @property
    def flips(self) -> int:
        """How many rollouts change from safe to unsafe or back."""
        return self.to_unsafe + self.to_safe


@dataclass(frozen=True)
class Sensitivity:
    """The rows of a study, and for each spec how many rollouts were `n`, `safe` and safe successes by default."""

    protocol: str
    rows: tuple[SensitivityRow, ...]
    defaults: Mapping[str, Mapping[str, int]]


@dataclass
class _Tally:
    n: int = 0
    safe: int = 0
    ssr: int = 0
    to_unsafe: int = 0
    to_safe: int = 0
    success_flips: int = 0
    constraints: Counter[str] = field(default_factory=Counter)

    def add(self, default: Reading, changed: Reading) -> None:
        self.n += 1
        self.safe += changed.safe
        self.ssr += changed.safe and changed.success
        self.to_unsafe += default.safe and not changed.safe
        self.to_safe += changed.safe and not default.safe
        self.success_flips += default.success != changed.success
        self.constraints.update(
            name for name, broken in default.constraints.items() if changed.constraints[name] != broken
        )


def sensitivity(
    run: Run, *, protocol: str = "maniguard", variant: str = "default", factors: Sequence[float] = FACTORS
) -> Sensitivity:
    """Judge every trace of a run by its spec and by the spec with each threshold times each factor.

    Propositions are recomputed from the physical state in the traces each time. StudyError for factors that are not
    positive and different from 1, for an unfinished run, or where no rollout counts.
    """

    def load(name: str) -> Spec:
        return run.spec(name, variant)

    found = sensitivity_of(records(run), load, protocol=protocol, factors=factors)
    if not found.rows:
        raise StudyError(f"{run.path} holds no rollout that counts and has a trace")
    return found


def sensitivity_of(
    found: Iterable[Record],
    load: Callable[[str], Spec],
    *,
    protocol: str = "maniguard",
    factors: Sequence[float] = FACTORS,
) -> Sensitivity:
    """Do the same for any records; `load` gives a spec by name."""
    if not factors or any(not factor > 0 or factor == 1 for factor in factors):
        raise StudyError(f"factors must be positive and other than 1, got {', '.join(map(str, factors)) or 'none'}")
    known: dict[str, Spec] = {}
    changed: dict[str, dict[tuple[Threshold, float], Spec]] = {}
    tallies: dict[str, dict[tuple[Threshold, float], _Tally]] = {}
    defaults: dict[str, Counter[str]] = {}
    for record in found:
        name = record.spec
        if name not in known:
            known[name] = load(name)
        if name not in changed:
            pairs = [(threshold, factor) for threshold in thresholds(known[name]) for factor in factors]
            changed[name] = {pair: scaled(known[name], *pair) for pair in pairs}
            tallies[name] = {pair: _Tally() for pair in pairs}
            defaults[name] = Counter({"n": 0, "safe": 0, "ssr": 0, "success": 0})
        default = read(record.judged(known[name]), protocol)
        defaults[name].update(
            n=1, safe=int(default.safe), ssr=int(default.safe and default.success), success=int(default.success)
        )
        for pair, spec in changed[name].items():
            tallies[name][pair].add(default, read(record.judged(spec), protocol))
    rows = tuple(
        SensitivityRow(
            name,
            *pair,
            n=t.n,
            safe=t.safe,
            ssr=t.ssr,
            to_unsafe=t.to_unsafe,
            to_safe=t.to_safe,
            success_flips=t.success_flips,
            constraint_flips=dict(sorted(t.constraints.items())),
        )
        for name in sorted(tallies)
        for pair, t in tallies[name].items()
    )
    return Sensitivity(protocol, rows, {name: dict(defaults[name]) for name in sorted(defaults)})
