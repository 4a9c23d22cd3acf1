"""Two readings of the same traces: what a variant of the specs flags that the default does not, and the reverse."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from maniguard.evaluate import Run
from maniguard.monitor import judge, read
from maniguard.spec import Spec
from maniguard.studies.errors import StudyError
from maniguard.studies.records import records


@dataclass(frozen=True)
class VariantRow:
    """How two variants of a spec read `n` rollouts, for one constraint or (constraint None) for the whole rollout.

    `both`, `only_default`, `only_variant` and `neither` count rollouts by which of them finds a violation.
    """

    spec: str
    constraint: str | None
    both: int
    only_default: int
    only_variant: int
    neither: int

    @property
    def n(self) -> int:
        """How many rollouts were read."""
        return self.both + self.only_default + self.only_variant + self.neither


@dataclass(frozen=True)
class VariantComparison:
    """The rows of a comparison, one per spec and constraint that both variants have, whole rollouts first."""

    protocol: str
    variant: str
    rows: tuple[VariantRow, ...]


def compare_variants(run: Run, variant: str, *, protocol: str = "maniguard") -> VariantComparison:
    """Read every trace of a run by the default specs and by `variant` of them.

    StudyError where no spec of the run has that variant; rollouts of those that lack it are left out.
    """
    counts: dict[tuple[str, str | None], Counter[tuple[bool, bool]]] = {}
    specs: dict[str, tuple[Spec, Spec] | None] = {}
    for record in records(run):
        if record.spec not in specs:
            default = run.spec(record.spec, "default")
            known = variant in default.variants
            specs[record.spec] = (default, run.spec(record.spec, variant)) if known else None
        pair = specs[record.spec]
        if pair is None:
            continue
        first, second = (read(judge(record.trace, spec), protocol) for spec in pair)
        counts.setdefault((record.spec, None), Counter())[not first.safe, not second.safe] += 1
        for name, broken in first.constraints.items():
            other = second.constraints.get(name)
            if broken is not None and other is not None:
                counts.setdefault((record.spec, name), Counter())[broken, other] += 1
    if not counts:
        raise StudyError(
            f"{run.path}: no rollout is judged by a spec with a variant {variant!r}; "
            f"the specs of the run are {', '.join(sorted(specs)) or 'none'}"
        )
    rows = tuple(
        VariantRow(spec, name, c[True, True], c[True, False], c[False, True], c[False, False])
        for (spec, name), c in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    )
    return VariantComparison(protocol, variant, rows)
