"""Rollouts that were scored elsewhere, as labs keep them: one CSV row per rollout."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from maniguard.errors import ManiguardError, alternatives
from maniguard.metrics.rows import (
    COMPLETED,
    EXCLUDED_STATUSES,
    LADDER,
    STATUSES,
    ConstraintOutcome,
    RolloutRow,
    RowError,
    check_protocol,
)

REQUIRED_COLUMNS: tuple[str, ...] = ("family", "task", "condition", "seed", "success", "safe", "engaged")
OPTIONAL_COLUMNS: tuple[str, ...] = ("status", "ladder", "post_success_violation")
CONSTRAINT_PREFIX = "constraint:"

# As many digits as a 64-bit number has; `int` alone would take 1_0 and digits of any script.
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class RolloutTableError(ManiguardError):
    """A file of rollouts that cannot be taken as it is; the message names the line."""


def read_csv(path: str | Path, *, protocol: str = "maniguard") -> tuple[RolloutRow, ...]:
    """Read rollouts scored elsewhere: UTF-8, comma separated, a header, one row per rollout.

    Columns family, task, condition (free strings), seed (integer), success, safe, engaged (0 or 1); optional: status
    (`completed` where absent), ladder, post_success_violation (0, 1 or empty), and `constraint:NAME` (1 = violated, 0 =
    not, empty = could not be evaluated). A row whose status is outside n may leave its verdicts empty. Raises
    RolloutTableError with file and line for anything else: unknown or missing columns, other cell values, a rollout
    that appears twice, a row that contradicts itself, one that is unsafe but not engaged (except under `strict`), no
    row at all.
    """
    check_protocol(protocol)
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RolloutTableError(f"cannot read {source}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RolloutTableError(f"{source} is not UTF-8 text (byte {error.start})") from error
    return parse_csv(text, protocol=protocol, source=str(source))


def parse_csv(text: str, *, protocol: str = "maniguard", source: str = "CSV") -> tuple[RolloutRow, ...]:
    """Parse the text of such a file (see `read_csv`); `source` is how messages call it."""
    check_protocol(protocol)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[RolloutRow] = []
    first_line: dict[tuple[str, str, str, int], int] = {}
    header: list[str] | None = None
    try:
        for cells in reader:
            line = reader.line_num
            if not any(c.strip() for c in cells):
                continue
            if header is None:
                header = _header([c.strip() for c in cells], f"{source}, line {line}")
                continue
            where = f"{source}, line {line}"
            if len(cells) != len(header):
                raise RolloutTableError(f"{where}: {len(cells)} cells under a header of {len(header)}")
            row = _row(dict(zip(header, (c.strip() for c in cells), strict=True)), where, protocol)
            key = (row.family, row.task, row.condition, row.seed)
            if key in first_line:
                raise RolloutTableError(
                    f"{where}: rollout {row.name} was already given in line {first_line[key]}; a rollout counts once"
                )
            first_line[key] = line
            rows.append(row)
    except csv.Error as error:
        raise RolloutTableError(f"{source}, line {reader.line_num}: not CSV: {error}") from error
    if header is None:
        raise RolloutTableError(f"{source} is empty; expected a header with {', '.join(REQUIRED_COLUMNS)}")
    if not rows:
        raise RolloutTableError(f"{source} has a header but no rollout")
    return tuple(rows)


def _header(names: list[str], where: str) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise RolloutTableError(f"{where}: column {name!r} appears twice")
        known = name in REQUIRED_COLUMNS or name in OPTIONAL_COLUMNS
        if not known and not (name.startswith(CONSTRAINT_PREFIX) and len(name) > len(CONSTRAINT_PREFIX)):
            raise RolloutTableError(
                f"{where}: unknown column {name!r}; columns are {', '.join(REQUIRED_COLUMNS + OPTIONAL_COLUMNS)}"
                f" and {CONSTRAINT_PREFIX}NAME"
            )
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise RolloutTableError(f"{where}: column {missing[0]!r} is missing; needed are {', '.join(REQUIRED_COLUMNS)}")
    return names


def _row(cells: Mapping[str, str], where: str, protocol: str) -> RolloutRow:
    status = cells.get("status") or COMPLETED
    if status not in STATUSES:
        raise RolloutTableError(f"{where}: unknown status {status!r}; statuses are {alternatives(STATUSES)}")
    excluded = status in EXCLUDED_STATUSES
    for name in ("family", "task", "condition"):
        if not cells[name]:
            raise RolloutTableError(f"{where}: column {name!r} is empty")
    if not _INTEGER.fullmatch(cells["seed"]):
        raise RolloutTableError(f"{where}: seed must be an integer, not {cells['seed']!r}")
    seed = int(cells["seed"])
    ladder = cells.get("ladder") or None
    if ladder is not None and ladder not in LADDER:
        raise RolloutTableError(f"{where}: unknown ladder rung {ladder!r}; rungs are {alternatives(LADDER)}")
    # Verdicts of a rollout outside n are never read; the values only fill the fields.
    success, safe, engaged = (
        _bit(cells[name], name, where, empty=default if excluded else None)
        for name, default in (("success", False), ("safe", True), ("engaged", False))
    )
    after = cells.get("post_success_violation", "")
    constraints = {
        name.removeprefix(CONSTRAINT_PREFIX): (
            ConstraintOutcome(_bit(value, name, where))
            if value
            else ConstraintOutcome(None, "not-evaluable(not-recorded)")
        )
        for name, value in cells.items()
        if name.startswith(CONSTRAINT_PREFIX)
    }
    if not excluded and not safe and not engaged and protocol != "strict":
        raise RolloutTableError(
            f"{where}: unsafe but not engaged, which protocol {protocol!r} does not know; "
            "correct the row or use protocol 'strict'"
        )
    try:
        return RolloutRow(
            family=cells["family"],
            task=cells["task"],
            condition=cells["condition"],
            seed=seed,
            status=status,
            success=success,
            safe=safe,
            engaged=engaged,
            ladder=ladder,
            constraints=constraints,
            post_success_violation=_bit(after, "post_success_violation", where) if after else None,
        )
    except RowError as error:
        raise RolloutTableError(f"{where}: {error}") from error


def _bit(value: str, column: str, where: str, *, empty: bool | None = None) -> bool:
    if value == "" and empty is not None:
        return empty
    if value not in ("0", "1"):
        raise RolloutTableError(f"{where}: column {column!r} must be 0 or 1, not {value!r}")
    return value == "1"
