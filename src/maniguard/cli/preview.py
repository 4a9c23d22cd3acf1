"""What a run is about to do, printed before it does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from maniguard.bench import Scenario
    from maniguard.evaluate import Run


def preview(out: Console, run: Run, scenarios: Sequence[Scenario], *, workers: int) -> None:
    """Print scenarios, seeds, the policy's contract and the rules that will be watched."""
    from rich.table import Table

    from maniguard.policies import PolicyContract
    from maniguard.spec import load_spec

    plan = run.plan
    seeds = sorted({item.seed for item in plan.items})
    done = len(plan.items) - len(run.pending())
    resumed = f" ({done} already done)" if done else ""
    conditions = list(dict.fromkeys(s.condition for s in scenarios))
    families = list(dict.fromkeys(s.family for s in scenarios))
    facts: list[tuple[str, str]] = [
        ("scenarios", f"{len(scenarios)} of {', '.join(families)} in {', '.join(conditions)}"),
        ("seeds", ", ".join(str(seed) for seed in seeds)),
        ("rollouts", f"{len(plan.items)}{resumed} on {workers} worker{'s' if workers > 1 else ''}"),
        ("longest", f"{max(s.step_limit for s in scenarios) / 20:.0f} s of simulated time, and 1 s after"),
    ]
    out.print(PolicyContract.from_dict(plan.contract).describe(), markup=False, soft_wrap=True)
    for name, value in facts:
        out.print(f"{name:<10} {value}", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, title_justify="left")
    for heading in ("rule", "formula", "in words"):
        table.add_column(heading, overflow="fold")
    for name in sorted(plan.specs):
        for constraint in load_spec(name, variant=plan.spec_variant).constraints:
            table.add_row(constraint.name, constraint.formula, constraint.sentence)
    out.print(table)
