"""The journal of what went wrong in a run: every failed attempt by kind, also those that a later attempt made good."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from maniguard.errors import alternatives
from maniguard.evaluate.store import Run, RunError
from maniguard.files import readable_json, write_atomic

FAULTS_FORMAT = "maniguard-faults/1"

_RUNNER = "runner"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_KEYS = ("rollout_id", "kind", "detail")

# Room for the last words of a runner whose disk is full: overwriting takes no new block where appending would.
_LAST_WORDS_BYTES = 1024


class Fault(NamedTuple):
    """One failed attempt at a rollout; or the end of a runner, with the first rollout that it left undone."""

    rollout_id: str
    kind: str
    detail: str


@dataclass(frozen=True)
class FaultGroup:
    """Faults of one kind that say the same but for numbers: how many, the first by plan order, and what became of them.

    `ended` counts the present statuses of the rollouts that they befell, `pending` among them.
    """

    kind: str
    count: int
    first: Fault
    ended: Mapping[str, int]


def record_fault(run: Run, fault: Fault, *, runner: bool = False) -> None:
    """Add a fault to the journal: one file a rollout, written anew as a whole, never part of any result."""
    path = run.faults_path(_RUNNER if runner else fault.rollout_id)
    path.parent.mkdir(exist_ok=True)
    known = [] if not path.exists() else _read(run, path.stem)
    value = {"format": FAULTS_FORMAT, "faults": [entry._asdict() for entry in (*known, fault)]}
    write_atomic(path, readable_json(value))


def faults(run: Run) -> tuple[Fault, ...]:
    """Return every fault of a run: the runner's own, then by plan order and attempt.

    A result that tells of a fault which the journal does not know, as those of an audit do, counts as one.
    """
    found = list(_read(run, _RUNNER))
    for item in run.plan.items:
        known = _read(run, item.rollout_id)
        if not known and run.result_path(item.rollout_id).exists():
            result = run.result(item.rollout_id)
            if result["fault"] is not None:
                known = [Fault(item.rollout_id, result["status"], result["fault"])]
        found.extend(known)
    return tuple(found)


def fault_groups(run: Run) -> tuple[FaultGroup, ...]:
    """Return the faults of a run in groups of one kind and cause, the most frequent first."""
    groups: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults(run):
        groups.setdefault((fault.kind, re.sub(r"\d+(\.\d+)?", "#", fault.detail)), []).append(fault)
    made = []
    for (kind, _), members in groups.items():
        ended: dict[str, int] = {}
        for name in dict.fromkeys(member.rollout_id for member in members):
            status = run.result(name)["status"] if run.result_path(name).exists() else "pending"
            ended[status] = ended.get(status, 0) + 1
        made.append(FaultGroup(kind, len(members), members[0], ended))
    return tuple(sorted(made, key=lambda group: -group.count))


@contextmanager
def journal_of_runner(run: Run) -> Iterator[None]:
    """Mark the run as being executed, and put into the journal how that ended if it did not end well.

    A mark that is found means that its runner was killed. The mark of a runner that cannot write any more takes its
    last words: it is overwritten in place, for which a full disk has room.
    """
    mark = run.path / ".running"
    if mark.exists():
        pending = run.pending()
        said = mark.read_text(encoding="utf-8", errors="replace").strip()
        kind, _, detail = said.partition(": ") if said else ("runner-killed", "", "the runner ended without a word")
        first = (pending or run.plan.items)[0].rollout_id
        record_fault(run, Fault(first, kind, f"{detail}; {len(pending)} rollouts were not done"), runner=True)
        mark.unlink()
    write_atomic(mark, b" " * _LAST_WORDS_BYTES)
    spoken = False
    try:
        yield
    except OSError as error:
        kind = "disk-full" if error.errno in _FULL else "write-error"
        where = f"{error.filename}: " if error.filename else ""
        words = f"{kind}: {where}{error.strerror or error}".encode()[:_LAST_WORDS_BYTES]
        # What went wrong is on its way up; that it could not be noted down matters less.
        with suppress(OSError), open(mark, "r+b") as handle:
            handle.write(words)
        spoken = True
        raise
    finally:
        if not spoken:
            mark.unlink(missing_ok=True)


def _read(run: Run, name: str) -> list[Fault]:
    path = run.faults_path(name)
    if not path.exists():
        return []
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FAULTS_FORMAT:
        raise RunError(f"{path}: this version reads {FAULTS_FORMAT}")
    return [_fault(entry, str(path)) for entry in value.get("faults", ())]


def _fault(entry: Any, where: str) -> Fault:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _KEYS):
        raise RunError(f"{where} is damaged: a fault has {alternatives(_KEYS)}")
    return Fault(*(entry[key] for key in _KEYS))


def copy_faults(source: Run, target: Run, names: Sequence[str]) -> None:
    """Copy the journal of some rollouts into another run; what it knows of one already stays."""
    for name in names:
        path = target.faults_path(name)
        if _read(source, name) and not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_atomic(path, source.faults_path(name).read_bytes())


def copy_faults_of_runner(source: Run, target: Run) -> None:
    """Add what the journal of a run says of its runner to that of another run, once however often it is called."""
    known = set(_read(target, _RUNNER))
    for fault in _read(source, _RUNNER):
        if fault not in known:
            record_fault(target, fault, runner=True)
