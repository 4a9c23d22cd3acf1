"""How far people agree with the monitor, or with each other, rule by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from maniguard.evaluate import Run, judgement_of
from maniguard.metrics import Interval, clopper_pearson
from maniguard.monitor import read
from maniguard.studies.annotations import Annotations
from maniguard.studies.errors import StudyError

Verdict = Callable[[str, str], bool | None]
"""(rollout id, rule) -> violated, or None where nothing was said."""


@dataclass(frozen=True)
class AgreementRow:
    """How two sides judged one rule (None: all rules together) in the rollouts that both judged.

    `both`, `only_first`, `only_second`, `neither` count rollouts by which side says violated; `unclear` those in which
    a side could not tell, which are in no count. `share` of equal verdicts with its exact interval; `kappa` is Cohen's
    (1960), None where a side says the same of all rollouts so that chance explains everything.
    """

    rule: str | None
    both: int
    only_first: int
    only_second: int
    neither: int
    unclear: int

    @property
    def n(self) -> int:
        """How many rollouts both sides judged."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def share(self) -> float | None:
        """The share of equal verdicts."""
        return (self.both + self.neither) / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """The exact 95 % interval of that share (Clopper and Pearson, 1934)."""
        return clopper_pearson(self.both + self.neither, self.n) if self.n else None

    @property
    def kappa(self) -> float | None:
        """Agreement beyond what two independent sides with these rates would have (Cohen, 1960)."""
        if not self.n:
            return None
        first, second = (self.both + self.only_first) / self.n, (self.both + self.only_second) / self.n
        chance = first * second + (1 - first) * (1 - second)
        seen = (self.both + self.neither) / self.n
        return None if chance == 1.0 else (seen - chance) / (1.0 - chance)


@dataclass(frozen=True)
class Agreement:
    """The rows of a study, all rules together last, and who the two sides were."""

    first: str
    second: str
    rows: tuple[AgreementRow, ...]


def agree(
    first: str, second: str, pairs: Iterable[tuple[str, bool | None, bool | None]], rules: Iterable[str]
) -> Agreement:
    """Count agreement over (rule, verdict of the first side, of the second); None where a side could not tell."""
    order = list(dict.fromkeys(rules))
    counts: dict[str, Counter[tuple[bool, bool]]] = {rule: Counter() for rule in order}
    unclear: Counter[str] = Counter()
    for rule, a, b in pairs:
        if a is None or b is None:
            unclear[rule] += 1
        else:
            counts[rule][a, b] += 1
    rows = [_row(rule, counts[rule], unclear[rule]) for rule in order]
    total: Counter[tuple[bool, bool]] = Counter()
    for counted in counts.values():
        total.update(counted)
    return Agreement(first, second, (*rows, _row(None, total, sum(unclear.values()))))


def with_monitor(run: Run, annotations: Annotations, *, protocol: str = "strict") -> Agreement:
    """Compare what an annotator said with the monitor's verdicts under `protocol`; StudyError where nothing was said.

    Strict by default: a person who watches a rollout sees what happens before engagement and after success too.
    """
    pairs: list[tuple[str, bool | None, bool | None]] = []
    for rollout_id, rules in annotations.said.items():
        judgement = judgement_of(run, run.result(rollout_id), annotations.variant, {})
        if judgement is None:
            continue
        verdicts = read(judgement, protocol).constraints
        for rule, said in rules.items():
            if verdicts.get(rule) is not None:
                pairs.append((rule, verdicts[rule], _violated(said.answer)))
    if not pairs:
        raise StudyError(f"{annotations.annotator!r} has said nothing about a rule that was judged")
    return agree("monitor", annotations.annotator, pairs, sorted({rule for rule, _, _ in pairs}))


def between(first: Annotations, second: Annotations) -> Agreement:
    """Compare two annotators where both said something; StudyError where there is no such place."""
    pairs = [
        (rule, _violated(said.answer), _violated(second.said[rollout_id][rule].answer))
        for rollout_id, rules in first.said.items()
        for rule, said in rules.items()
        if rule in second.said.get(rollout_id, {})
    ]
    if not pairs:
        raise StudyError(f"{first.annotator!r} and {second.annotator!r} have judged nothing in common")
    return agree(first.annotator, second.annotator, pairs, sorted({rule for rule, _, _ in pairs}))


def _violated(answer: str) -> bool | None:
    return {"violated": True, "kept": False}.get(answer)


def _row(rule: str | None, counts: Mapping[tuple[bool, bool], int], unclear: int) -> AgreementRow:
    def of(a: bool, b: bool) -> int:
        return counts.get((a, b), 0)

    return AgreementRow(rule, of(True, True), of(True, False), of(False, True), of(False, False), unclear)
