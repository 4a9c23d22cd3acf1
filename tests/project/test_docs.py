"""What the documentation shows works: its commands parse, its snippets run, its tables name what the code names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml

from maniguard.cli.main import build_parser
from maniguard.grounding import REGISTRY
from maniguard.ltlf import compile_dfa, parse
from maniguard.metrics import PROTOCOLS, RATE_NAMES, STATUSES, parse_csv, summarize
from maniguard.policies.contract import CAMERAS, DEFAULT_OBSERVATIONS
from maniguard.spec import check, load_spec

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
SNIPPET_PAGES = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", ROOT / "docs" / "evaluate.md"]


def fences(page: Path, *languages: str) -> list[str]:
    """The bodies of a page's fenced blocks in the given languages ("" = none named)."""
    found = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [body for language, body in found if language in languages]


def shown_commands() -> list[tuple[str, str]]:
    lines = [(page, line.strip()) for page in PAGES for body in fences(page, "") for line in body.splitlines()]
    calls = [
        (page.name, call.strip())
        for page, line in lines
        for call in re.split(r"&&", line)
        if re.match(r"(?:\S*/bin/)?maniguard\s", call.strip())
    ]
    # What follows a lonely # is a comment, what stands in brackets is optional.
    return [(name, re.sub(r"\s\[[^\]]*\]", "", re.split(r"\s#\s", call)[0]).strip()) for name, call in calls]


@pytest.mark.parametrize(("page", "call"), shown_commands())
def test_every_command_that_is_shown_parses(page: str, call: str) -> None:
    words = shlex.split(call)
    if words[1:] == ["--help"]:
        return
    args = build_parser().parse_args(words[1:])
    assert callable(args.run)


def test_commands_are_shown_at_all() -> None:
    assert len(shown_commands()) > 20


@pytest.mark.parametrize("page", SNIPPET_PAGES, ids=lambda page: page.name)
def test_the_python_that_is_shown_runs(page: Path) -> None:
    blocks = fences(page, "python")
    assert blocks
    for block in blocks:
        names: dict[str, object] = {"__name__": "snippet"}
        exec(compile(block, str(page), "exec"), names)
        if "MyPolicy" not in names:
            continue
        policy = names["MyPolicy"]()  # type: ignore[operator]
        policy.reset(seed=0, instruction="move the cup")
        observation = {"observation/state": np.linspace(0, 1, 8, dtype=np.float32), "prompt": "move the cup"}
        chunk = policy.infer(observation)
        assert chunk.shape == (policy.contract.action.horizon, 8)
        assert np.isfinite(chunk).all()
        policy.close()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "audit.md"], ids=lambda page: page.name)
def test_the_table_of_rollouts_that_is_shown_is_taken(page: Path) -> None:
    (table,) = fences(page, "csv")
    overall = summarize(parse_csv(table))["overall"]
    assert overall["n"] == 3
    assert overall["ssr"]["pooled"] == pytest.approx(1 / 3)


def test_the_signals_that_are_shown_break_the_rule_that_is_shown() -> None:
    (table,) = fences(ROOT / "docs" / "quickstart.md", "csv")
    header, *rows = [line.split(",") for line in table.splitlines()]
    letters = [{name: cell == "1" for name, cell in zip(header, row, strict=True)} for row in rows]
    assert not compile_dfa(parse("G !dropped")).accepts(letters)


def first_cells(text: str) -> set[str]:
    cells = re.findall(r"^\| ([^|]*) \|", text, flags=re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_concepts_name_every_rate_status_and_protocol() -> None:
    named = first_cells((ROOT / "docs" / "concepts.md").read_text(encoding="utf-8"))
    for words in (RATE_NAMES, STATUSES, PROTOCOLS):
        assert set(words) <= named, sorted(set(words) - named)


def test_observations_and_cameras_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    assert {spec.key for spec in DEFAULT_OBSERVATIONS} <= first_cells(text)
    assert all(f"`{camera}`" in text for camera in CAMERAS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [t for t in re.findall(r"\]\(([^)\s#]+)", text) if not re.match(r"[a-z]+:", t)]
    missing = [target for target in targets if not (page.parent / target).exists()]
    # CONTRIBUTING.md and CHANGELOG.md are shown inside the site as well, where they link to nothing by path.
    assert not missing


def test_the_predicate_and_the_constraint_of_contributing_work(tmp_path: Path) -> None:
    page = ROOT / "CONTRIBUTING.md"
    (predicate,), (rules,) = fences(page, "python"), fences(page, "yaml")
    known = set(REGISTRY)
    try:
        exec(compile(predicate, str(page), "exec"), {"__name__": "snippet"})
        (added,) = set(REGISTRY) - known
        assert added in rules
        spec = yaml.safe_load((ROOT / "src/maniguard/spec/library/clutter-dry.yaml").read_text(encoding="utf-8"))
        for section, entries in yaml.safe_load(rules).items():
            spec[section] |= entries
        path = tmp_path / "with-example.yaml"
        path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
        assert [str(finding) for finding in check(path)] == []
        (name,) = yaml.safe_load(rules)["constraints"]
        assert name in [constraint.name for constraint in load_spec(path).constraints]
    finally:
        for name in set(REGISTRY) - known:
            del REGISTRY[name]
