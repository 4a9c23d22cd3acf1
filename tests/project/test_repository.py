"""The repository's own rules: sizes, pictures, and words that say more about a workplace than about the project."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "src" / "maniguard" / "bench" / "tasks"

# Put together from pieces so that this file passes its own check.
FORBIDDEN = {
    "a registry's host": r"(?:py" + r"pi\.org|pythonhos" + r"ted\.org|registry\.npm" + r"js\.|deb\.deb" + r"ian\.org)",
    "a folder of a workplace": r"(?<![\w.-])/(?:wo"
    + r"rk|ro"
    + r"ot|ho"
    + r"me/\w+)/|bash_"
    + r"jobs|\.\./sha"
    + r"red/",
    "a numbered work item": r"\bis" + r"sues?\s+#?\d+\b",
    "a working period": r"\b(?:previous|earlier|last|other|another|developer|working)\s+ses" + r"sions?\b",
}


def committed_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    files = [ROOT / name.decode() for name in listing.split(b"\0") if name]
    return [path for path in files if path.is_file()]


def offences(text: str) -> list[str]:
    """Every forbidden word of a text as `line: kind: word`."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        for kind, pattern in FORBIDDEN.items():
            found += [f"{number}: {kind}: {match.group()}" for match in re.finditer(pattern, line, flags=re.IGNORECASE)]
    return found


def test_committed_text_speaks_of_the_project_alone() -> None:
    bad = []
    for path in committed_files():
        data = path.read_bytes()
        if b"\0" in data[:4096]:
            continue
        bad += [f"{path.relative_to(ROOT)}:{offence}" for offence in offences(data.decode("utf-8", errors="replace"))]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(
    "line",
    [
        "see is" + "sue 12",
        "https://py" + "pi.org/simple",
        "wrote /wo" + "rk/main/file",
        "in the last ses" + "sion",
        "../sha" + "red/notes.md",
    ],
)
def test_the_word_check_finds_what_it_should(line: str) -> None:
    assert offences(line)


@pytest.mark.parametrize(
    "line",
    [
        '@pytest.fixture(scope="session")',
        'post("/session")',
        "a network of workers",
        "https://arxiv.org/abs/2608.17386",
        "the rollout's session ends",
    ],
)
def test_the_word_check_leaves_ordinary_text_alone(line: str) -> None:
    assert not offences(line)


def test_no_file_is_over_one_mebibyte() -> None:
    large = {str(p.relative_to(ROOT)): p.stat().st_size for p in committed_files() if p.stat().st_size > 1024 * 1024}
    assert not large


def test_the_scenarios_of_each_kind_are_under_one_megabyte() -> None:
    total: dict[str, int] = defaultdict(int)
    for path in TASKS.rglob("*.json"):
        # clutter-dry and clutter-liquid are two kinds of one family.
        total[path.stem.rpartition("-")[0]] += path.stat().st_size
    assert total, f"no task files under {TASKS}"
    assert all(size < 1_000_000 for size in total.values()), dict(total)


def test_pictures_of_the_documentation_are_small() -> None:
    folder = ROOT / "docs"
    raster, drawn = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"}, {".svg"}
    pictures = [p for p in committed_files() if p.is_relative_to(folder) and p.suffix.lower() in raster | drawn]
    assert pictures
    assert not [p.name for p in pictures if p.suffix in raster and p.suffix != ".webp"]
    assert not [p.name for p in pictures if p.stat().st_size >= 150_000]


def test_evidence_was_written_by_a_group_that_exists_and_says_what_from() -> None:
    for path in sorted((ROOT / "docs" / "evidence").glob("*.json")):
        evidence = json.loads(path.read_text(encoding="utf-8"))
        assert (ROOT / "tests" / "slow" / f"{path.stem}.py").is_file(), f"{path.name}: no group writes it"
        missing = {"commit", "versions", "counts", "date"} - set(evidence)
        assert not missing, f"{path.name} does not say {sorted(missing)}"
        assert re.fullmatch(r"[0-9a-f]{7,40}", evidence["commit"]), path.name


def test_constraints_are_exact_pins_without_addresses() -> None:
    files = sorted((ROOT / "constraints").glob("py3*.txt"))
    assert [p.name for p in files] == ["py311.txt", "py312.txt", "py313.txt"]
    for path in files:
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        assert len(lines) > 40
        bad = [line for line in lines if not re.fullmatch(r"[A-Za-z0-9][\w.-]*==[\w.!+]+", line)]
        assert not bad, f"{path.name}: {bad}"
        assert any(line.startswith("mujoco==3.17.") for line in lines)
