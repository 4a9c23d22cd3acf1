"""Argument values that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TypeAlias

from maniguard.errors import ManiguardError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

# What a 64-bit column of the results table can hold.
MAX_SEED = 2**63 - 1

PROTOCOLS = ("maniguard", "strict", "paper-literal")


class ArgumentError(ManiguardError):
    """An argument that cannot be understood."""


def names(text: str) -> tuple[str, ...]:
    """Read a comma-separated list of names."""
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing; give names separated by commas")
    doubled = [name for name in found if found.count(name) > 1]
    if doubled:
        raise argparse.ArgumentTypeError(f"{text!r} names {doubled[0]!r} twice")
    return found


def seeds(text: str) -> tuple[int, ...]:
    """Read a comma-separated list of seeds, whole numbers of 0 or more."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of seeds; write 0,1,2") from error
    for seed in found:
        if not 0 <= seed <= MAX_SEED:
            raise argparse.ArgumentTypeError(f"seed {seed} is out of range; seeds are 0 to 2**63 - 1")
    doubled = [seed for seed in found if found.count(seed) > 1]
    if doubled:
        raise argparse.ArgumentTypeError(f"seed {doubled[0]} is given twice")
    return found


def task_range(text: str) -> range:
    """Read a half-open range of task indices, `a:b`, `a:` not allowed so that a plan never grows by itself."""
    first, colon, last = text.partition(":")
    try:
        found = range(int(first), int(last))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no task range; write A:B, for example 0:5") from error
    if not colon or found.start < 0 or not found:
        raise argparse.ArgumentTypeError(f"{text!r} is empty or negative; A:B means A, A+1, …, B-1 with 0 <= A < B")
    return found


def worker_count(text: str) -> int:
    """Read a number of workers, 1 or more."""
    try:
        count = int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of workers") from error
    if count < 1:
        raise argparse.ArgumentTypeError(f"{count} workers cannot work; give 1 or more")
    return count


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select scenarios."""
    parser.add_argument("--family", type=names, metavar="F[,F]", help="task families (default: all)")
    parser.add_argument(
        "--tasks", type=task_range, metavar="A:B", help="half-open range of task indices within each family"
    )
    parser.add_argument(
        "--condition", type=names, metavar="C[,C]", help="base, target, language, location, environment (default: all)"
    )
    parser.add_argument("--suite", type=Path, metavar="DIR", help="task files of your own instead of the locked suite")


def own_tasks(args: argparse.Namespace) -> Any:
    """Return the base tasks in the folder that `--suite` names, none without it."""
    from maniguard import bench

    return () if args.suite is None else bench.read_suite(args.suite)


def select(args: argparse.Namespace) -> Any:
    """Return the scenarios that the options select; TaskFileError where a name is unknown or none remains."""
    from maniguard import bench

    families = (None,) if args.family is None else args.family
    if args.suite is not None:
        tasks = own_tasks(args)
        return tuple(s for f in families for s in bench.choose(tasks, f, args.tasks, args.condition))
    return tuple(s for f in families for s in bench.load(f, tasks=args.tasks, conditions=args.condition))


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose how traces are read."""
    parser.add_argument("--protocol", choices=PROTOCOLS, default="maniguard", help="which violations count")
    parser.add_argument("--spec", metavar="VARIANT", help="judge the stored traces anew by this variant of the specs")
