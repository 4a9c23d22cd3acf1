"""What a run is about to do, printed before it does it; and where everything is, printed after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from maniguard.bench import Scenario
    from maniguard.evaluate import Estimate, Run


def preview(out: Console, run: Run, scenarios: Sequence[Scenario], *, workers: int, where: str) -> None:
    """Print the policy's contract, the rules that will be watched, scenarios, seeds, and how long it will take.

    `where` says in words on what the workers run.
    """
    from maniguard.evaluate import NOT_RUN, estimate
    from maniguard.policies import PolicyContract

    plan = run.plan
    contract = PolicyContract.from_dict(plan.contract)
    out.print(contract.describe(), markup=False, soft_wrap=True)
    out.print()
    out.print(_rules(run))
    out.print()
    pending = len(run.pending())
    done = len(plan.items) - pending - run.ledger().get(NOT_RUN, 0)
    counted = f"{len(plan.items)} ({done} done already)" if done else f"{len(plan.items)}"
    facts: list[tuple[str, str]] = [
        ("scenarios", _selection(scenarios)),
        ("seeds", _seeds(run)),
        ("rollouts", f"{counted}, on {where}"),
        ("longest", f"{max(s.step_limit for s in scenarios) / 20:.0f} s of simulated time, and 1 s after"),
    ]
    if plan.stop is not None:
        facts.append(("stops", f"when {plan.stop.condition}; tasks in drawn order, order seed {plan.stop.order_seed}"))
    if pending:
        facts.append(("estimate", _time(estimate(run, scenarios, workers=workers), workers)))
    for name, value in facts:
        out.print(f"{name:<10} {value}", markup=False, soft_wrap=True)
    out.print()


def print_places(out: Console, run: Run) -> None:
    """Print where everything of a run is."""
    places = [
        ("results", f"{run.path / 'results'}  one JSON a rollout: status, verdicts, identity"),
        ("table", f'{run.path / "rollouts"}  the same as Parquet; maniguard runs query {run.path} "SELECT …"'),
        ("traces", f"{run.path / 'traces'}  one HDF5 a rollout"),
    ]
    if run.plan.video:
        places.append(("videos", f"{run.path / 'videos'}"))
    if (run.path / "faults").is_dir():
        places.append(("faults", f"{run.path / 'faults'}  every failed attempt"))
    places.append(("report", f"maniguard report {run.path}"))
    for name, value in places:
        out.print(f"{name:<10} {value}", markup=False, soft_wrap=True)


def print_faults(out: Console, run: Run) -> None:
    """Print every fault of a run: its kind, how often, the first rollout that it befell, and what became of them."""
    from rich.table import Table
    from rich.text import Text

    from maniguard.evaluate import fault_groups

    groups = fault_groups(run)
    if not groups:
        out.print("faults          none", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("faults", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("first", overflow="fold")
    table.add_column("their rollouts", overflow="fold")
    for group in groups:
        ended = ", ".join(f"{count} {status}" for status, count in sorted(group.ended.items()))
        first = Text(f"{group.first.rollout_id}: {group.first.detail}")
        table.add_row(group.kind, str(group.count), first, ended)
    out.print(table)


def _rules(run: Run) -> object:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("spec", "rule", "formula", "in words"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "spec")
    for name in sorted(run.plan.specs):
        spec = run.spec(name, run.plan.spec_variant)
        for number, constraint in enumerate(spec.constraints):
            label = "" if number else name
            table.add_row(label, constraint.name, constraint.formula, constraint.sentence)
    return table


def _selection(scenarios: Sequence[Scenario]) -> str:
    families = list(dict.fromkeys(s.family for s in scenarios))
    conditions = list(dict.fromkeys(s.condition for s in scenarios))
    tasks = len({s.task_id for s in scenarios})
    text = f"{len(scenarios)}: {tasks} task{'s' if tasks > 1 else ''} of {', '.join(families)}"
    return f"{text} under {', '.join(conditions)}"


def _seeds(run: Run) -> str:
    seeds = sorted({item.seed for item in run.plan.items})
    text = ", ".join(str(seed) for seed in seeds[:10])
    return text if len(seeds) <= 10 else f"{text}, … {seeds[-1]} ({len(seeds)} in all)"


def _time(found: Estimate | None, workers: int) -> str:
    if found is None:
        return "none: the physics of the first scene blew up in a trial"
    shared = f" on {workers} workers" if workers > 1 else ""
    if found.measured:
        return f"about {_span(found.seconds)}{shared}, as long as the rollouts that are done took"
    each_s = 0.1 * found.requests / workers
    return (
        f"at most {_span(found.seconds)}{shared} without the policy, which is asked up to {found.requests} times: "
        f"every 100 ms of its answer add {_span(each_s)}"
    )


def _span(seconds: float) -> str:
    """Return a duration as people say it, to two figures."""
    for limit, unit, size in ((90.0, "s", 1.0), (5400.0, "min", 60.0), (129600.0, "h", 3600.0)):
        if seconds < limit:
            return f"{max(seconds / size, 1.0 if unit == 's' else 0.0):.{0 if seconds / size >= 10 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"
