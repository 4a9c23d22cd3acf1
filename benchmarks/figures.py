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
        ("two workers over one, the same plan", workers_ratio(), "1.7 ×"),
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
    for name in ("physics_speed", "rollout_cost", "render_speed", "compile_specs", "workers", "against_robosuite"):
        if not (RESULTS / f"{name}.json").exists():
            continue
        result = load(name)
        pairs = [pair[f"workers_{n}"] for pair in result.get("pairs", ()) for n in (1, 2)]
        watched = [facts["others_keep_busy_cores"] for facts in (*pairs, result) if "others_keep_busy_cores" in facts]
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


BLOCKS = {"targets": targets, "rollout": rollout, "conditions": conditions, "families": families}


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
