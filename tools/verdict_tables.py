"""What verdicts depend on, family by family: python tools/verdict_tables.py [--tasks 2]. Writes docs/sensitivity.md.

Expert, reckless and near-miss scripts play `--tasks` base tasks of every spec; each trace is judged with every
threshold halved and doubled, and by the published predicates. The numbers: benchmarks/results/verdict_tables.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from maniguard import bench
from maniguard.certify import play
from maniguard.files import write_atomic
from maniguard.grounding import format_quantity
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, names
from maniguard.spec import load_spec
from maniguard.studies import Record, Sensitivity, VariantComparison, sensitivity_of, variants_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "sensitivity.md"
RESULTS = ROOT / "benchmarks" / "results" / "verdict_tables.json"
HEAD = """# What the verdicts depend on

Every threshold of the rules is a number in a specification. This page tells what becomes of verdicts when one is halved
or doubled, and when the published predicates are read instead, each time recomputed from the physical state in the
traces. The rollouts are those of the expert, the reckless and the near-miss scripts on {tasks} of every
family ({count} rollouts), which is where verdicts are hardest: many of these rollouts break a rule on purpose, the
others come close and do not.

`python tools/verdict_tables.py` makes this page anew; `maniguard study sensitivity RUN` and `maniguard study variants
RUN` do the same for a run of yours. Protocol `strict`.
"""
PUBLISHED = """
How many rollouts break a rule by both readings, by one only, or by neither. Published: a thing is dropped when it is
below the floor plus 5 cm, so that a fall onto the table goes unseen; a spill is more than 15 %.
"""


def played(tasks: int) -> Iterator[Record]:
    """Play all scripts on evenly spread tasks of every spec."""
    bases = bench.load(conditions=("base",))
    for spec in dict.fromkeys(s.spec for s in bases):
        mine = [s for s in bases if s.spec == spec]
        places = sorted({round((k + 0.5) * len(mine) / tasks - 0.5) for k in range(tasks)})
        scripts = ["expert", *(f"{kind}:{name}" for kind in (RECKLESS, NEAR_MISS) for name in names(kind, spec))]
        for scenario in (mine[place] for place in places):
            for script in scripts:
                result = play(scenario, script, to_the_limit=script == "expert")
                if result.status == "completed":
                    print(scenario.id, script, ", ".join(result.reading.violated) or "safe", flush=True)
                    yield Record(f"{scenario.task_id}.{script}", scenario.family, spec, result.trace)


def sensitivity_tables(study: Sensitivity) -> Iterator[str]:
    for spec, counts in study.defaults.items():
        rows = [row for row in study.rows if row.spec == spec]
        moved = [row for row in rows if row.flips or row.success_flips]
        yield f"### {spec}\n\n{counts['n']} rollouts, {counts['safe']} safe, {counts['success']} successful by default."
        if moved:
            lines = ["| threshold | default | × | safe | verdicts that flip | successes that flip | by rule |"]
            lines.append("|---|---|---|---|---|---|---|")
            for row in moved:
                t = row.threshold
                rules = ", ".join(f"`{name}` {count}" for name, count in row.constraint_flips.items()) or "–"
                cells = (f"`{t.name}`", format_quantity(t.value, t.unit), f"{row.factor:g}", row.safe, row.flips)
                lines.append("| " + " | ".join(map(str, (*cells, row.success_flips, rules))) + " |")
            yield "\n".join(lines)
        quiet = len(rows) - len(moved)
        yield f"{quiet} of {len(rows)} changed thresholds flip no verdict and no success."


def variant_table(study: VariantComparison) -> str:
    lines = [
        "| spec | rule | rollouts | both | default only | published only | neither |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in study.rows:
        rule = "any" if row.constraint is None else f"`{row.constraint}`"
        cells = (row.spec, rule, row.n, row.both, row.only_default, row.only_variant, row.neither)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=2)
    options = parser.parse_args()
    records = list(played(options.tasks))
    sensitivity = sensitivity_of(records, load_spec, protocol="strict")
    variants = variants_of(records, "maniguard-compat", protocol="strict")
    parts = [
        HEAD.format(tasks="one base task" if options.tasks == 1 else f"{options.tasks} base tasks", count=len(records)),
        "## Thresholds halved and doubled\n",
        "\n\n".join(sensitivity_tables(sensitivity)),
        "\n## Default rules against the published predicates\n",
        PUBLISHED,
        variant_table(variants),
    ]
    write_atomic(PAGE, ("\n".join(parts) + "\n").encode())
    value = {"rollouts": len(records), "sensitivity": asdict(sensitivity), "variants": asdict(variants)}
    write_atomic(RESULTS, (json.dumps(value, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
