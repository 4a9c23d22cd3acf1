"""How well the Panda holds every design of the catalogue that has a stored grasp, and every container that it can fill.

    python benchmarks/grasp_hold.py [--only mug-classic,tumbler] [--missing] [--check] [--pin]

Each design is lifted by 15 cm, carried by 25 cm, turned by 60° either way and held, 20 s in all, by the best of its
grasps (`maniguard.certify.grasping`). The results are figures of physics, not of speed: they are the same wherever
MuJoCo computes the same. `--only` measures some designs anew and keeps the rest, `--missing` those without results;
`--check` compares docs/world.md with the results and writes nothing. `--pin` measures nothing and writes what the
results say of each design, and of its best grasp, into the catalogue (src/maniguard/sim/assets/catalogue/carriable.py).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from machine_facts import machine_facts

from maniguard.certify.grasping import (
    HOLD_S,
    MOST_FILLED_TILT_RAD,
    MOST_SLIP_M,
    MOST_TILT_RAD,
    GraspReport,
    ranked,
    validate_grasp,
)
from maniguard.sim import BuildError
from maniguard.sim.assets import CATALOGUE

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "world.md"
OUT = ROOT / "benchmarks" / "results" / "grasp_hold.json"
BEGIN, END = "<!-- figures: grasp_hold -->\n", "<!-- end of figures -->\n"
TABLES = ROOT / "src" / "maniguard" / "sim" / "assets" / "catalogue" / "carriable.py"
SLIP_BINS_MM = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, math.inf)
TILT_BINS_DEG = (0.0, 1.0, 2.0, 5.0, 10.0, 15.0, math.inf)
KEYS = {"empty": False, "filled": True}
PERCENTILES = (50, 75, 90, 95)


def row(report: GraspReport) -> dict[str, Any]:
    """Return what is kept of a report."""
    return {
        "design": report.design,
        "grasp": report.grasp,
        "kind": report.kind,
        "held_s": report.held_s,
        "slip_mm": round(1e3 * report.slip_m, 2),
        "shift_mm": round(1e3 * report.shift_m, 2),
        "tilt_deg": round(math.degrees(report.tilt_rad), 2),
        "turn_deg": round(math.degrees(report.turn_rad)),
        **({"grains_lost": report.grains_lost} if report.filled else {}),
        **({"touched": list(report.touched)} if report.touched else {}),
        "passed": report.passed,
    }


def measure(rows: dict[str, Any], names: dict[str, list[str]]) -> None:
    """Measure designs, one after the other, first empty and then filled, and write what there is after each ten."""
    for key, filled in KEYS.items():
        for count, name in enumerate(names[key], 1):
            try:
                rows[key][name] = row(validate_grasp(CATALOGUE[name], filled=filled))
            except BuildError as error:
                rows[key][name] = {"design": name, "not_filled": str(error)}
            print(json.dumps(rows[key][name]), file=sys.stderr, flush=True)
            if count % 10 == 0 or count == len(names[key]):
                write(rows)


def share(rows: list[dict[str, Any]], key: str, most: float) -> float:
    good = [r for r in rows if r["held_s"] >= HOLD_S and r[key] < most]
    return round(len(good) / len(rows), 4)


def summary(rows: list[dict[str, Any]], most_tilt_deg: float) -> dict[str, Any]:
    """Return counts, shares, percentiles and the distribution; what was lost counts as infinitely bad."""
    if not rows:
        return {"measured": 0}
    out: dict[str, Any] = {
        "measured": len(rows),
        "passed": sum(r["passed"] for r in rows),
        "slip_below_most": share(rows, "slip_mm", 1e3 * MOST_SLIP_M),
        "tilt_below_most": share(rows, "tilt_deg", most_tilt_deg),
        "lost": sum(r["held_s"] < HOLD_S for r in rows),
    }
    for key, bins in (("slip_mm", SLIP_BINS_MM), ("tilt_deg", TILT_BINS_DEG)):
        values = np.array([r[key] if r["held_s"] >= HOLD_S else 1e6 for r in rows])
        out[key] = {
            "percentiles": {str(p): round(float(np.percentile(values, p, method="higher")), 2) for p in PERCENTILES},
            "counts": [int(np.sum((values >= a) & (values < b))) for a, b in pairwise(bins)],
        }
    return out


def result(rows: dict[str, Any]) -> dict[str, Any]:
    order = list(CATALOGUE)
    lists = {key: sorted(rows[key].values(), key=lambda r: order.index(r["design"])) for key in ("empty", "filled")}
    facts = machine_facts()
    filled = [r for r in lists["filled"] if "not_filled" not in r]
    return {
        "benchmark": "grasp_hold",
        "most": {
            "slip_mm": 1e3 * MOST_SLIP_M,
            "tilt_deg": round(math.degrees(MOST_TILT_RAD), 3),
            "filled_tilt_deg": round(math.degrees(MOST_FILLED_TILT_RAD), 3),
        },
        "empty": summary(lists["empty"], math.degrees(MOST_TILT_RAD)),
        "filled": summary(filled, math.degrees(MOST_FILLED_TILT_RAD)),
        "versions": facts["versions"],
        "machine": facts["machine"],
        "instances": lists["empty"],
        "filled_instances": filled,
        "not_filled_instances": [r for r in lists["filled"] if "not_filled" in r],
    }


def text(data: dict[str, Any]) -> str:
    """Return JSON with one line for each instance."""
    heads = {key: value for key, value in data.items() if not key.endswith("instances")}
    body = json.dumps(heads, indent=2)[:-2]
    for key in ("instances", "filled_instances", "not_filled_instances"):
        lines = ",\n".join("    " + json.dumps(r) for r in data[key])
        body += f',\n  "{key}": [\n{lines}\n  ]'
    return body + "\n}\n"


def write(rows: dict[str, Any]) -> None:
    fresh = OUT.with_suffix(".tmp")
    fresh.write_text(text(result(rows)))
    os.replace(fresh, OUT)


def table(data: dict[str, Any]) -> str:
    """Return the figures as they stand in the page."""
    lines = []
    for key, name in (("empty", "alone"), ("filled", "filled")):
        most = data["most"]["tilt_deg" if key == "empty" else "filled_tilt_deg"]
        part = data[key]
        lines.append(
            f"| {name} | {part['measured']} | {100 * part['slip_below_most']:.1f} % "
            f"| {100 * part['tilt_below_most']:.1f} % below {most:g}° | {part['lost']} | {part['passed']} |"
        )
    head = "| | measured | slip below 5 mm | tilt | lost | both well |\n|---|---|---|---|---|---|\n"
    out = head + "\n".join(lines) + "\n\n"
    for key, unit, bins in (("slip_mm", "mm", SLIP_BINS_MM), ("tilt_deg", "°", TILT_BINS_DEG)):
        names = [f"{a:g}–{b:g}" if b < math.inf else f"{a:g} and more" for a, b in pairwise(bins)]
        what = f"{key.partition('_')[0]}, {unit}" if unit == "mm" else "tilt, °"
        out += f"| {what} | {' | '.join(names)} | {' | '.join(f'{p} % below' for p in PERCENTILES)} |\n"
        out += "|---" * (1 + len(names) + len(PERCENTILES)) + "|\n"
        for part, name in (("empty", "alone"), ("filled", "filled")):
            entry = data[part][key]
            values = [f"{v:g}" if v < 1e5 else "lost" for v in entry["percentiles"].values()]
            out += f"| {name} | {' | '.join(map(str, entry['counts']))} | {' | '.join(values)} |\n"
        out += "\n"
    return out.rstrip("\n") + "\n"


def updated(page: str, data: dict[str, Any]) -> str:
    """Return the page with the tables of these results."""
    before, found, rest = page.partition(BEGIN)
    if not found:
        raise SystemExit(f"{PAGE.name} has no block {BEGIN.strip()!r}")
    return before + BEGIN + table(data) + END + rest.partition(END)[2]


def pinned(module: str, data: dict[str, Any]) -> str:
    """Return the source of the catalogue's tables with these results."""
    failed = [r["design"] for r in data["instances"] if not r["passed"]]
    good = [r for r in data["instances"] if r["passed"]]
    best = {r["design"]: r["grasp"] for r in good if r["grasp"] != CATALOGUE[r["design"]].grasps[0].name}
    names = "".join(f'        "{name}",\n' for name in failed)
    pairs = "".join(f'        "{name}": "{grasp}",\n' for name, grasp in best.items())
    head = module.partition("NOT_CARRIABLE:")[0]
    return (
        f"{head}NOT_CARRIABLE: frozenset[str] = frozenset(\n    (\n{names}    )\n)\n"
        '"""Designs that are not carried: the gripper holds them well with none of their grasps."""\n\n'
        f"BEST_GRASP: Mapping[str, str] = MappingProxyType(\n    {{\n{pairs}    }}\n)\n"
        '"""The grasp that holds a design well, where that is not the first stored."""\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names of designs, with commas between")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pin", action="store_true")
    options = parser.parse_args()
    if options.pin:
        TABLES.write_text(pinned(TABLES.read_text(), json.loads(OUT.read_text())))
        return 0
    rows: dict[str, Any] = {"empty": {}, "filled": {}}
    if OUT.exists() and (options.only or options.missing or options.check):
        data = json.loads(OUT.read_text())
        if options.check:
            page = PAGE.read_text()
            return int(updated(page, data) != page)
        for key, lists in (("empty", ("instances",)), ("filled", ("filled_instances", "not_filled_instances"))):
            rows[key] = {r["design"]: r for name in lists for r in data[name] if r["design"] in CATALOGUE}
    chosen = options.only.split(",") if options.only else list(CATALOGUE)
    names = {
        key: [n for n in chosen if ranked(CATALOGUE[n], filled=f) and not (options.missing and n in rows[key])]
        for key, f in KEYS.items()
    }
    measure(rows, names)
    write(rows)
    page = updated(PAGE.read_text(), json.loads(OUT.read_text()))
    PAGE.write_text(page)
    print(table(json.loads(OUT.read_text())), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
