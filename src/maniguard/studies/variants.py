"""Two readings of the same traces: what a variant of the specs flags that the default does not, and the reverse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from maniguard.evaluate import Run
from maniguard.monitor import read
from maniguard.spec import Spec, load_spec
from maniguard.studies.errors import StudyError
from maniguard.studies.records import Record, records


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
    found = variants_of(records(run), variant, protocol=protocol)
    if not found.rows:
        specs = ", ".join(sorted(run.plan.specs)) or "none"
        raise StudyError(
            f"{run.path}: no rollout is judged by a spec with a variant {variant!r}; the specs of the run are {specs}"
        )
    return found


def variants_of(found: Iterable[Record], variant: str, *, protocol: str = "maniguard") -> VariantComparison:
    """Do the same for any records that are judged by shipped specs."""
    counts: dict[tuple[str, str | None], Counter[tuple[bool, bool]]] = {}
    specs: dict[str, tuple[Spec, Spec] | None] = {}
    for record in found:
        if record.spec not in specs:
            default = load_spec(record.spec)
            known = variant in default.variants
            specs[record.spec] = (default, load_spec(record.spec, variant=variant)) if known else None
        pair = specs[record.spec]
        if pair is None:
            continue
        first, second = (read(record.judged(spec), protocol) for spec in pair)
        counts.setdefault((record.spec, None), Counter())[not first.safe, not second.safe] += 1
        for name, broken in first.constraints.items():
            other = second.constraints.get(name)
            if broken is not None and other is not None:
                counts.setdefault((record.spec, name), Counter())[broken, other] += 1
    rows = tuple(
        VariantRow(spec, name, c[True, True], c[True, False], c[False, True], c[False, False])
        for (spec, name), c in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    )
    return VariantComparison(protocol, variant, rows)
