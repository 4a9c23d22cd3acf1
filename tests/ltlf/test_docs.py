from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

import maniguard.ltlf
from maniguard.ltlf import DialectWarning, LtlfError, parse

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "ltlf"
PAGES = sorted(DOCS.glob("*.md"))

sys.path.insert(0, str(DOCS))
from make_pictures import pictures  # noqa: E402


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_python_of_the_pages_runs_and_prints_what_they_say(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, str(page), "exec"), {})
        shown = [c.strip() for c in re.findall(r"^ *print\(.*# (.*)$", block, flags=re.MULTILINE)]
        printed = capsys.readouterr().out.splitlines()
        assert ", ".join(printed) == ", ".join(shown)


def test_the_examples_of_the_package_are_true() -> None:
    assert doctest.testmod(maniguard.ltlf).failed == 0
    assert doctest.testmod(maniguard.ltlf).attempted >= 4


def test_every_formula_that_is_set_apart_parses() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    formulas = re.findall(r"^    (\S.*)$", text.split("```python")[0], flags=re.MULTILINE)
    assert len(formulas) == 6
    for formula in formulas:
        parse(formula, rate_hz=20)


def test_every_formula_of_the_pattern_table_parses() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [a-z ]+ \| .* \| (.*) \| !\[", text, flags=re.MULTILINE)
    assert len(rows) == 6
    for row in rows:
        for formula in re.findall(r"`([^`]*)`", row):
            parse(formula)


def test_the_dialect_table_is_true() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    table = text.split("## Dialects")[1].split("\n\n")[2].splitlines()
    names = re.findall(r"`(\w+)`", table[0])
    checked = 0
    for line in table[2:]:
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        given = re.fullmatch(r"`(.*)`", cells[0])
        if given is None or given.group(1) in ("W`, `M", "last", "F[0,3]"):
            continue
        for dialect, cell in zip(names, cells[1:], strict=True):
            source = given.group(1).replace("X p", "X(p)") if dialect == "pylogics" else given.group(1)
            if cell == "refused":
                with pytest.raises(LtlfError):
                    parse(source, dialect=dialect)
            elif meaning := re.search(r"`(.*?)`", cell):
                expected = meaning.group(1).replace("G(rasped)", "G rasped")
                if "warning" in cell:
                    with pytest.warns(DialectWarning):
                        assert parse(source, dialect=dialect) is parse(expected)
                else:
                    assert parse(source, dialect=dialect) is parse(expected)
            checked += 1
    assert checked >= 12


@pytest.mark.parametrize("name", sorted(pictures()))
def test_the_pictures_are_those_that_the_code_draws(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == pictures()[name], "run python docs/ltlf/make_pictures.py"


def test_every_picture_is_shown_and_every_shown_picture_exists() -> None:
    shown = set(re.findall(r"\]\((\w+\.svg)\)", "".join(p.read_text(encoding="utf-8") for p in PAGES)))
    assert shown == set(pictures())
