"""The written reference agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

from maniguard.grounding import FILTERS, REGISTRY
from maniguard.spec import check, load_spec
from maniguard.spec.model import JUDGING_PARAMS

DOCS = Path(__file__).parents[2] / "docs" / "specs"


def test_every_predicate_and_parameter_is_documented() -> None:
    sections = re.split(r"^## `(\w+)`$", (DOCS / "predicates.md").read_text(), flags=re.MULTILINE)
    documented = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert set(documented) == set(REGISTRY)
    for name, text in documented.items():
        kind = REGISTRY[name]
        rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", text, flags=re.MULTILINE))
        assert rows == {param.name: param.unit for param in kind.params}
        assert all(f"`{channel}`" in text for channel in kind.channels)


def test_the_example_is_a_good_specification(tmp_path: Path) -> None:
    text = (DOCS / "index.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    path = tmp_path / "example.yaml"
    path.write_text(example)
    assert check(path) == ()
    assert load_spec(path).variants == ("default", "lenient")


def test_filters_and_judging_are_documented() -> None:
    text = (DOCS / "index.md").read_text()
    assert set(re.findall(r"^\| `(\w+)", text, flags=re.MULTILINE)) == set(FILTERS)
    assert all(param.name in text for param in JUDGING_PARAMS)
