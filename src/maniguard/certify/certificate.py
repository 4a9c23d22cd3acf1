"""Certificates: for every base task who solved it, who broke which rule and by what, and who came near and did not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from maniguard import bench
from maniguard.bench import BASE, Scenario
from maniguard.bench.canonical import pretty
from maniguard.certify.play import Played, each, play
from maniguard.certify.report import ProofReport
from maniguard.files import write_atomic
from maniguard.policies.scripted import NEAR_MISS, RECKLESS, names, suite
from maniguard.spec import load_spec
from maniguard.spec.model import DEFAULT_VARIANT

FORMAT = "maniguard-certificate/1"
CERTIFICATES_DIR = Path(bench.__file__).parent / "certificates"
EXPERT_CONDITIONS = (BASE, "location")
# Which share of a family the expert must finish safely, in base and in location.
REQUIRED_SHARE = 0.85
# What breaks beside the intended rule within this time is a consequence of the same event.
CONSEQUENCE_S = 0.5
MIN_NEAR_MISSES = 3


def certify(scenarios: Sequence[Scenario], *, workers: int = 1, out: Path | None = None) -> ProofReport:
    """Run the scripts over base (and location) scenarios and write the evidence as JSON and as a Markdown table.

    The expert plays base and location, every reckless and near-miss script plays the base; conditions that are not
    among `scenarios` are left out. `out` defaults to the shipped certificate of the spec, in which the entries of other
    tasks stay. Findings: a rule that nothing breaks, a near miss that is flagged, an expert below what is required.
    """
    chosen = [s for s in scenarios if s.condition in EXPERT_CONDITIONS]
    jobs = [(s, "expert") for s in chosen]
    for scenario in chosen:
        if scenario.condition == BASE:
            kinds = (RECKLESS, NEAR_MISS)
            jobs += [(scenario, f"{kind}:{name}") for kind in kinds for name in names(kind, scenario.spec)]
    rows = {(s.id, script): row for (s, script), row in zip(jobs, each(_run, jobs, workers), strict=True)}
    entries = [_entry(task, chosen, rows) for task in dict.fromkeys(s.task_id for s in chosen)]
    findings, notes = _judge(entries)
    for path, found in _by_file(entries, chosen, out).items():
        group = found if out is not None else _with_others(path, found)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, pretty({"format": FORMAT, "tasks": group}).encode())
        write_atomic(path.with_suffix(".md"), table(group).encode())
    solved = sum(row["safe_success"] for entry in entries for row in entry["expert"].values())
    played = sum(len(entry["expert"]) for entry in entries)
    broken = sum(len(entry["broken_by"]) for entry in entries)
    rules = sum(len(entry["rules"]) for entry in entries)
    summary = (
        f"expert: {solved} of {played} safe successes; rules broken on purpose: {broken} of {rules}; "
        f"{len(findings)} findings"
    )
    return ProofReport(tuple(findings), tuple(notes), summary)


def stale(scenarios: Sequence[Scenario]) -> list[str]:
    """Return what shipped certificates say about other scenarios or specs than the present ones."""
    known = {entry["task"]: entry for entry in shipped()}
    findings = []
    for scenario in scenarios:
        entry = known.get(scenario.task_id)
        if entry is None or scenario.condition not in entry["expert"]:
            continue
        if entry["expert"][scenario.condition]["hash"] != scenario.hash:
            findings.append(f"{scenario.id}: its certificate is about another version of it; run bench certify again")
        if entry["spec_hash"] != load_spec(scenario.spec).digest:
            findings.append(f"{scenario.id}: its certificate was judged by another spec; run bench certify again")
        for variant, digest in entry.get("variant_hashes", {}).items():
            if digest != load_spec(scenario.spec, variant).digest:
                findings.append(f"{scenario.id}: its certificate was judged by another {variant}; certify again")
    return findings


def shipped() -> list[dict[str, Any]]:
    """Return the entries of all certificates that ship with the package."""
    if not CERTIFICATES_DIR.is_dir():
        return []
    return [
        entry
        for path in sorted(CERTIFICATES_DIR.glob("*.json"))
        for entry in json.loads(path.read_text(encoding="utf-8"))["tasks"]
    ]


def table(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the certificates as a Markdown table, one line per task."""
    rules = list(dict.fromkeys(rule for entry in entries for rule in entry["rules"]))
    head = [
        "task",
        "target",
        "obstacles",
        *(f"expert, {c}" for c in EXPERT_CONDITIONS),
        *rules,
        "near misses unflagged",
    ]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for entry in entries:
        expert = [_expert_cell(entry["expert"].get(condition)) for condition in EXPERT_CONDITIONS]
        broken = [", ".join(entry["broken_by"].get(rule, ())) or "**nothing**" for rule in rules]
        near = [row for row in entry["near_miss"].values() if row["status"] == "completed" and row["engaged"]]
        unflagged = f"{sum(not row['violated'] for row in near)} of {len(near)}"
        cells = [entry["task"], entry["target"], str(entry["obstacles"]), *expert, *broken, unflagged]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _with_others(path: Path, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return entries together with those that a shipped certificate has for other tasks, in the order of tasks."""
    if not path.is_file():
        return entries
    known = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    certified = {entry["task"]: entry for entry in (*known, *entries)}
    return [certified[task] for task in sorted(certified)]


def _expert_cell(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "not run"
    if row["safe_success"]:
        return f"safe success at {row['success_step'] / row['rate_hz']:.1f} s"
    return f"**{row['fault'] or ', '.join(row['violated']) or 'no success'}**"


def _run(job: tuple[Scenario, str]) -> dict[str, Any]:
    scenario, script = job
    kind, _, name = script.partition(":")
    reckless = suite(scenario.spec).reckless[name] if kind == RECKLESS else None
    variant = DEFAULT_VARIANT if reckless is None else reckless.variant
    played = play(scenario, script, variant=variant, to_the_limit=kind == "expert")
    row: dict[str, Any] = {
        "hash": scenario.hash,
        "status": played.status,
        "fault": played.fault,
        "steps": played.judgement.frames - 1,
        "violated": list(played.reading.violated),
    }
    if kind == "expert":
        row |= {
            "safe_success": played.safe_success,
            "success_step": played.judgement.success_step,
            "rate_hz": played.judgement.control_rate_hz,
            "trace": played.trace.digest()[:16],
        }
    elif reckless is not None:
        row |= _broken(played, reckless.breaks) | {"intended": reckless.rule, "cause": reckless.cause}
    else:
        row |= {"engaged": played.reading.engaged, "nearest": _nearest(played)}
    return row


def _broken(played: Played, rule: str) -> dict[str, Any]:
    """Say how a reckless script broke the rule that it is for, and what else broke before or with it.

    `first` tells that nothing broke earlier; `consequences` are the rules that broke within `CONSEQUENCE_S` from then.
    """
    episodes = played.judgement.constraint(rule).episodes
    out: dict[str, Any] = {"intended": rule, "broke_it": bool(episodes)}
    if episodes:
        evidence = episodes[0].evidence
        others = {
            verdict.name: min(episode.start_step for episode in verdict.episodes)
            for verdict in played.judgement.constraints
            if verdict.name != rule and verdict.episodes
        }
        soon = episodes[0].start_step + CONSEQUENCE_S * played.judgement.control_rate_hz
        out |= {
            "step": episodes[0].start_step,
            "first": all(step >= episodes[0].start_step for step in others.values()),
            "consequences": sorted(n for n, step in others.items() if episodes[0].start_step <= step <= soon),
            "entity": evidence.entity,
            "quantity": evidence.quantity,
            "value": evidence.value,
            "unit": evidence.unit,
            "touched_last_by": evidence.partner,
        }
    return out


def _nearest(played: Played) -> dict[str, Any] | None:
    """Say how near a near miss came: the proposition that was closest to its threshold."""
    peaks = [p for p in played.judgement.peaks if p.severity < 0]
    if not peaks:
        return None
    peak = max(peaks, key=lambda p: p.severity)
    return {
        "proposition": peak.proposition,
        "entity": peak.entity,
        "quantity": peak.quantity,
        "value": peak.value,
        "threshold": peak.threshold,
        "unit": peak.unit,
    }


def _entry(task_id: str, chosen: Sequence[Scenario], rows: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    mine = [s for s in chosen if s.task_id == task_id]
    spec = load_spec(mine[0].spec)
    base = f"{task_id}/{BASE}"
    reckless, near = (
        {n: rows[base, f"{kind}:{n}"] for n in names(kind, spec.name) if (base, f"{kind}:{n}") in rows}
        for kind in (RECKLESS, NEAR_MISS)
    )
    scripts = suite(spec.name).reckless.values()
    # The rules of the spec, and those of its variants that a script is for.
    rules = list(dict.fromkeys([*(c.name for c in spec.constraints), *(s.rule for s in scripts)])) if reckless else []
    variants = {s.variant: load_spec(spec.name, s.variant).digest for s in scripts if s.variant != DEFAULT_VARIANT}
    broken_by = {
        rule: [n for n, row in reckless.items() if row["intended"] == rule and row["broke_it"] and row["first"]]
        for rule in rules
    }
    return {
        "task": task_id,
        "target": mine[0].target,
        "obstacles": sum(item["role"] == "obstacle" for item in mine[0].scene["objects"]),
        "spec": spec.name,
        "spec_hash": spec.digest,
        **({"variant_hashes": variants} if variants else {}),
        "rules": rules,
        "expert": {s.condition: rows[s.id, "expert"] for s in mine},
        "reckless": reckless,
        "near_miss": near,
        "broken_by": {rule: by for rule, by in broken_by.items() if by},
    }


def _judge(entries: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    findings, notes = [], []
    for entry in entries:
        for rule in entry["rules"]:
            if rule not in entry["broken_by"]:
                findings.append(f"{entry['task']}: no reckless script breaks {rule}")
        for name, row in entry["near_miss"].items():
            if row["violated"]:
                findings.append(f"{entry['task']}: near-miss:{name} is flagged for {', '.join(row['violated'])}")
        near = [row for row in entry["near_miss"].values() if row["status"] == "completed" and row["engaged"]]
        unflagged = sum(not row["violated"] for row in near)
        if entry["near_miss"] and unflagged < MIN_NEAR_MISSES:
            findings.append(f"{entry['task']}: only {unflagged} near misses are played and not flagged")
    for spec in dict.fromkeys(entry["spec"] for entry in entries):
        for condition in EXPERT_CONDITIONS:
            mine = [entry for entry in entries if entry["spec"] == spec and condition in entry["expert"]]
            rows = [(entry["task"], entry["expert"][condition]) for entry in mine]
            failed = [(task, row) for task, row in rows if not row["safe_success"]]
            for task, row in failed:
                reason = row["fault"] or ", ".join(row["violated"]) or "no success within the step limit"
                notes.append(f"{task}/{condition}: the expert has no safe success: {reason}")
            solved = len(rows) - len(failed)
            if solved < REQUIRED_SHARE * len(rows) - 1e-9:
                findings.append(f"{spec}, {condition}: the expert has {solved} safe successes in {len(rows)}")
    return findings, notes


def _by_file(
    entries: Sequence[dict[str, Any]], chosen: Sequence[Scenario], out: Path | None
) -> dict[Path, list[dict[str, Any]]]:
    if out is not None:
        return {out: list(entries)}
    files: dict[Path, list[dict[str, Any]]] = {}
    for entry in entries:
        files.setdefault(CERTIFICATES_DIR / f"{entry['spec']}.json", []).append(entry)
    return files
