"""Write the tables of docs/scaling.md anew from the results, so that the page says what was measured and no more.

    python benchmarks/figures.py [--check]

With `--check` nothing is written, and the exit status is 1 where the page says something else than the results.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scaling.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- figures: {} -->", "<!-- end of figures -->"
CONTROL_STEP_S = 0.05
# The ratio of workers means something only while others keep fewer cores busy than this.
IDLE_CORES = 0.25


def load(name: str) -> dict[str, Any]:
    return json.loads((RESULTS / f"{name}.json").read_text())


def workers_ratio() -> str:
    """Return the ratio of one worker's time to two workers', or why there is none."""
    if not (RESULTS / "workers.json").exists():
        return "not measured yet"
    result = load("workers")
    busy = max(pair[f"workers_{n}"]["others_keep_busy_cores"] for pair in result["pairs"] for n in (1, 2))
    if busy > IDLE_CORES:
        allowed = f"by processor time at most {result['ratio_by_cpu_median']:.2f} ×"
        return f"not valid, other work kept {busy:.1f} of {result['cores']} cores busy; {allowed}"
    return f"{result['ratio_median']:.2f} ×"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def targets() -> str:
    cost, physics, render = load("rollout_cost"), load("physics_speed"), load("render_speed")
    specs, beside = load("compile_specs"), load("against_robosuite")
    ten = cost["ten_objects_mean"]
    latching_us = physics["latching_us_per_control_step"], physics["latching_us_without_physics_between"]
    rows = [
        ("physics with ten objects, latching included", f"{physics['real_time_factor']:.1f} × real time", "10 ×"),
        (
            "whole rollouts with ten objects: physics, frames, grounding, monitor, planning (`expert`)",
            f"{ten['real_time_factor']:.1f} × real time",
            "7 ×",
        ),
        (
            "latching, grounding and monitor, as a share of the physics, in those rollouts",
            percent(ten["judging_share_of_physics"]),
            "8 %",
        ),
        (
            "latching alone, as a share of the physics, arm sweeping through ten objects",
            percent(physics["latching_share_of_physics"]),
            "",
        ),
        (
            "latching a control step there, and without physics in between",
            f"{latching_us[0]:.0f} and {latching_us[1]:.0f} µs",
            "",
        ),
        ("sets of five 256 × 256 pictures, `fast`", f"{render['fast_sets_per_second']:.1f} a second", "30"),
        ("slowest formula of the shipped specifications compiled", f"{specs['slowest_first_ms']:.2f} ms", "5 ms"),
        ("two workers over one, the same plan", workers_ratio(), "1.8 ×"),
        *runner_rows(),
        (
            "robosuite's time for a control step with two pictures over ours",
            f"{beside['two_cameras']['robosuite_over_maniguard']:.1f} ×",
            "",
        ),
        (
            "the same without pictures",
            f"{beside['no_camera']['robosuite_over_maniguard']:.1f} ×",
            "",
        ),
    ]
    return table(("what", "measured", "target"), rows)


def rollout() -> str:
    tasks = load("rollout_cost")["tasks"]
    names = {
        "physics": "physics",
        "latching": "latching of contacts",
        "reading": "reading the state into frames",
        "grounding": "grounding",
        "monitor": "monitor",
        "record": "checking and keeping the frame",
        "policy": "policy (`expert`: planning and control)",
        "observing": "observations without pictures",
        "rest": "everything else",
    }
    head = ("µs per control step of 50 ms", *tasks)
    rows = [
        (label, *(f"{task['us_per_control_step'][name]:.0f}" for task in tasks.values()))
        for name, label in names.items()
    ]
    rows.append(
        ("two pictures, where a policy asks for them", *(f"{t['two_pictures_us']:.0f}" for t in tasks.values()))
    )
    rows.append(("objects", *(str(task["objects"]) for task in tasks.values())))
    rows.append(("times real time", *(f"{task['real_time_factor']:.1f}" for task in tasks.values())))
    with_pictures = [
        1e6 * CONTROL_STEP_S / (task["us_per_control_step"]["total"] + task["two_pictures_us"])
        for task in tasks.values()
    ]
    rows.append(("times real time with two pictures in every step", *(f"{factor:.1f}" for factor in with_pictures)))
    rows.append(
        ("building and settling the world, once, s", *(f"{t['build_and_settle_s']:.2f}" for t in tasks.values()))
    )
    return table(head, rows)


def conditions() -> str:
    rows = []
    for name in (
        "physics_speed",
        "rollout_cost",
        "render_speed",
        "compile_specs",
        "workers",
        "runner_overhead",
        "ray_vs_pool",
        "against_robosuite",
    ):
        if not (RESULTS / f"{name}.json").exists():
            continue
        result = load(name)
        pairs = [facts for pair in result.get("pairs", ()) for facts in pair.values() if isinstance(facts, dict)]
        keys = ("others_keep_busy_cores", "others_keep_busy_cores_before")
        watched = [facts[key] for facts in (*pairs, result) for key in keys if key in facts]
        busy = f"{max(watched):.1f} of {result['cores']} cores" if watched else ""
        versions = ", ".join(f"{key} {value}" for key, value in result["versions"].items())
        rows.append((f"`{name}`", f"{result['processor']}, {result['machine']}", busy, versions))
    return table(("result", "processor", "busy with other work meanwhile", "versions"), rows)


def families() -> str:
    cost = load("family_cost")
    rows = []
    for spec, entry in cost["families"].items():
        cpu = entry["median_cpu_s"]
        judging = cpu["grounding"] + cpu["monitor"] + cpu["record"]
        parts = (cpu["total"], cpu["physics"], cpu["planning"], judging, cpu["rest"])
        seconds = tuple(f"{value:.2f} s" for value in parts)
        rows.append((spec, f"{entry['simulated_s']:.1f} s", *seconds, f"{entry['real_time_factor']:.1f} ×"))
    head = ("rules", "simulated", "in all", "physics", "planning", "judging and record", "the rest", "real time")
    minutes = cost["all_scenarios_two_workers_s"] / 60
    count = f"{cost['all_scenarios']:,}"
    total = f"All {count} scenarios with the expert: about {minutes:.0f} minutes on two cores, projected."
    return f"{table(head, rows)}\n\n{total}"


# The row of `runner_overhead` that is like a model's evaluation.
_LIKE_A_MODEL = "two pictures, chunks of 8"


def runner_rows() -> list[tuple[str, str, str]]:
    """Return what the runner costs, and how Ray compares with the pool."""
    rows = []
    overhead = load("runner_overhead")["policies"][_LIKE_A_MODEL]
    rows.append(
        ("runner: loop, saving and ledger, as a share of a rollout", percent(overhead["share_of_runner"]), "3 %")
    )
    rows.append(("the same with grounding and monitor", percent(overhead["share_of_runner_with_judging"]), ""))
    rows.append(("Ray on two local nodes over the pool with two workers, wall time", ray_ratio(), "1.1 ×"))
    return rows


def ray_ratio() -> str:
    """Return the ratio of Ray's wall time to the pool's, or why there is none."""
    if not (RESULTS / "ray_vs_pool.json").exists():
        return "not measured yet"
    beside = load("ray_vs_pool")
    busy = beside["others_keep_busy_cores_before"]
    if busy > IDLE_CORES:
        return f"not valid, other work kept {busy:.1f} of {beside['cores']} cores busy"
    return f"{beside['ratio_median']:.2f} ×"


def overhead() -> str:
    policies = load("runner_overhead")["policies"]
    names = list(next(iter(policies.values()))["shares"])
    rows = [(name, *(percent(entry["shares"][name]) for entry in policies.values())) for name in names]
    rows.append(("processor time of a rollout, s", *(f"{entry['cpu_s_each']:.2f}" for entry in policies.values())))
    steps = (f"{entry['control_steps'] / entry['rollouts']:.0f}" for entry in policies.values())
    rows.append(("control steps of a rollout", *steps))
    return table(("share of a rollout", *policies), rows)


ROLLOUTS, ANSWER_S, START_S = 3000, 0.1, 3.0
EXECUTED_ROWS = 8


def projection() -> str:
    """Return the wall time of 1,000 scenarios with three seeds by workers and by how the policy is served."""
    entry = load("runner_overhead")["policies"][_LIKE_A_MODEL]
    efficiency = load("workers")["ratio_median"] / 2
    requests = entry["control_steps"] / entry["rollouts"] / EXECUTED_ROWS
    own_s = entry["cpu_s_each"] / efficiency
    served = {
        "policy costs nothing": (0.0, 1.0),
        "one server, 100 ms an answer, one at a time": (ANSWER_S, 1.0),
        "four such servers": (ANSWER_S, 4.0),
        "one server, batches of 16 in 100 ms": (ANSWER_S, 16.0),
    }
    rows = []
    for name, (answer_s, at_a_time) in served.items():
        cells = []
        for workers in (1, 2, 16, 64, 1000):
            share = -(-ROLLOUTS // workers)
            worker_s = share * ((entry["cpu_s_each"] if workers == 1 else own_s) + requests * answer_s) + START_S
            server_s = ROLLOUTS * requests * answer_s / at_a_time
            cells.append(span(worker_s) if worker_s >= server_s else f"{span(server_s)} (server)")
        rows.append((name, *cells))
    return table(("policy", "1 worker", "2", "16", "64", "1,000"), rows)


def span(seconds: float) -> str:
    for limit, unit, size in ((120.0, "s", 1.0), (7200.0, "min", 60.0), (172800.0, "h", 3600.0)):
        if seconds < limit:
            return f"{seconds / size:.{1 if unit == 'h' and seconds < 36000 else 0}f} {unit}"
    return f"{seconds / 86400:.1f} days"


BLOCKS = {
    "targets": targets,
    "rollout": rollout,
    "conditions": conditions,
    "families": families,
    "overhead": overhead,
    "projection": projection,
}


def renewed(text: str) -> str:
    """Return the page with its tables made anew."""
    for name, make in BLOCKS.items():
        begin = BEGIN.format(name)
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(END)
        if not (found and ended):
            raise SystemExit(f"{PAGE.name} has no block {begin!r} that ends with {END!r}")
        text = f"{before}{begin}\n\n{make()}\n\n{END}{after}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = PAGE.read_text()
    new = renewed(text)
    if options.check:
        if new != text:
            raise SystemExit(f"{PAGE.name} says something else than {RESULTS.name}/: run python {Path(__file__).name}")
        return
    PAGE.write_text(new)
    print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
