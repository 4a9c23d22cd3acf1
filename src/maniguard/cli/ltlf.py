"""`maniguard ltlf`: check a formula on a trace, or compile it."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from maniguard.cli.arguments import ArgumentError, Commands
from maniguard.errors import alternatives
from maniguard.ltlf import compile_dfa, explain, parse

DIALECTS = ("maniguard", "spot", "ltlf2dfa", "pylogics")


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("ltlf", help="temporal logic on finite traces: check or compile a formula")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    check = actions.add_parser("check", help="does a recorded trace satisfy a formula? (status 1 if not)")
    check.add_argument("formula", metavar="FORMULA")
    check.add_argument(
        "--trace", required=True, type=Path, metavar="FILE", help="CSV (header = atoms, cells 0/1) or JSON"
    )
    check.add_argument("--dialect", default="maniguard", choices=DIALECTS)
    check.set_defaults(run=_check)

    build = actions.add_parser("compile", help="compile a formula to its minimal automaton")
    build.add_argument("formula", metavar="FORMULA")
    build.add_argument("--dialect", default="maniguard", choices=DIALECTS)
    form = build.add_mutually_exclusive_group(required=True)
    form.add_argument("--json", action="store_true", help="print the automaton as JSON")
    form.add_argument("--dot", action="store_true", help="print the automaton in Graphviz's language")
    form.add_argument("--hoa", action="store_true", help="print the automaton in the Hanoi Omega-Automata format")
    form.add_argument("--svg", action="store_true", help="print a picture of the automaton")
    build.set_defaults(run=_compile)


def _check(args: argparse.Namespace) -> int:
    formula = parse(args.formula, dialect=args.dialect)
    dfa = compile_dfa(formula)
    letters = read_letters(args.trace)
    _check_atoms(args.trace, formula.atom_order(), letters)
    because = explain(dfa, letters)
    if because is None:
        print(f"satisfied over {len(letters)} steps: {args.formula}")
        return 0
    if because.step is None:
        print(f"violated at the end, an obligation is still open after {len(letters)} steps: {args.formula}")
    else:
        print(f"violated at step {because.step}, nothing that follows can mend it: {args.formula}")
    if because.facts:
        print(f"because {because.text()}")
    return 1


def _check_atoms(path: Path, atoms: Sequence[str], letters: Sequence[Mapping[str, bool]]) -> None:
    for step, letter in enumerate(letters):
        for atom in atoms:
            if atom not in letter:
                raise ArgumentError(f"{path} step {step}: there is no atom {atom!r}; there is {alternatives(letter)}")


def _compile(args: argparse.Namespace) -> int:
    dfa = compile_dfa(parse(args.formula, dialect=args.dialect))
    if args.json:
        text = json.dumps(dfa.to_dict(), indent=2)
    elif args.dot:
        text = dfa.to_dot()
    elif args.hoa:
        text = dfa.to_hoa()
    else:
        text = dfa.to_svg()
    sys.stdout.write(text.rstrip("\n") + "\n")
    return 0


def read_letters(path: Path) -> list[Mapping[str, bool]]:
    """Read a trace of letters from CSV or JSON; ArgumentError says where it is wrong."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path} is no text file: {error.reason} at byte {error.start}") from error
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _letters_from_json(path, text)
    if suffix == ".csv":
        return _letters_from_csv(path, text)
    raise ArgumentError(
        f"{path}: a trace is a .csv or a .json file, not {repr(suffix) if suffix else 'a file without suffix'}"
    )


def _letters_from_csv(path: Path, text: str) -> list[Mapping[str, bool]]:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows:
        raise ArgumentError(f"{path} is empty; its first line must name the atoms")
    atoms = [name.strip() for name in rows[0]]
    doubled = [name for name in atoms if atoms.count(name) > 1 or not name]
    if doubled:
        raise ArgumentError(f"{path}: the header names {doubled[0]!r} twice or not at all")
    letters: list[Mapping[str, bool]] = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(atoms):
            raise ArgumentError(f"{path} row {number}: {len(row)} cells, the header has {len(atoms)}")
        letters.append(
            {a: _truth(path, f"row {number}, {a}", cell.strip()) for a, cell in zip(atoms, row, strict=True)}
        )
    return letters


def _letters_from_json(path: Path, text: str) -> list[Mapping[str, bool]]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ArgumentError(f"{path} line {error.lineno}: {error.msg}") from error
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ArgumentError(f"{path}: a JSON trace is a list of objects, one per step")
    return [
        {name: _truth(path, f"step {step}, {name}", cell) for name, cell in item.items()}
        for step, item in enumerate(value)
    ]


def _truth(path: Path, where: str, cell: object) -> bool:
    if cell in ("0", "1", 0, 1):
        return cell in ("1", 1)
    raise ArgumentError(f"{path} {where}: {cell!r} is no truth value; write 0 or 1")
