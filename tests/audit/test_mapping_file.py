from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from logs import mapping_values

from maniguard.audit import AuditError, load_mapping
from maniguard.audit.mapping_file import read_mapping


def changed(path: str, value: Any) -> dict[str, Any]:
    values = mapping_values()
    place: Any = values
    *folders, last = path.split(".")
    for folder in folders:
        place = place[folder]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return values


def test_a_mapping_file_is_read_and_told_apart_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(yaml.safe_dump(mapping_values()))
    first = load_mapping(path)
    assert [item.name for item in first.entities] == ["mug", "table"]
    assert first.entities[0].pose is not None
    path.write_text(path.read_text() + "# a remark\n")
    assert load_mapping(path).digest != first.digest


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "maniguard-mapping/2", "format is 'maniguard-mapping/2'; this version reads 'maniguard-mapping/1'"),
        ("colour", "red", "unknown key 'colour'; valid are"),
        ("entities.mug.kind", "thing", r"entities\.mug\.kind: 'thing' is not one of articulated, fixture, object"),
        ("entities.mug.pose.orientation.order", ..., "'order' is missing"),
        ("entities.mug.pose.orientation.order", "xywz", "'xywz' is not one of wxyz, xyzw"),
        ("entities.mug.pose.position.unit", ..., "'unit' is missing: nothing is guessed"),
        ("entities.mug.pose.position.unit", "inch", "'inch' is no unit of length; units are cm, m, mm"),
        ("entities.mug.pose.fixed", {"position_m": [0, 0, 0]}, "cannot stand beside columns"),
        ("entities.mug.shapes", [{"cone": {}}], "unknown key 'cone'"),
        ("entities.mug.shapes", [{"box": {"size_m": [1, -1, 1]}}], "sizes must be positive"),
        ("robot.joints", {"column": "q", "columns": ["a"], "unit": "rad"}, "either 'column' or 'columns'"),
        ("robot.joints", {"column": "q", "index": [3, 3], "unit": "rad"}, "is empty or negative"),
        ("contact", {"surrogate": "guess", "max": "1 mm"}, "'guess' is not one of distance"),
        ("contact", {"surrogate": "distance", "max": "1"}, "expected a length such as '1 m'"),
        ("contact_force", {"surrogate": "nominal", "force": "1 N"}, "needs the surrogate 'contact"),
        ("rate_hz", 0, "must be positive"),
        ("success", {"column": "done", "unit": "m"}, "'m' is no unit of none"),
    ],
)
def test_a_mistake_is_named_with_its_place(path: str, value: Any, message: str) -> None:
    with pytest.raises(AuditError, match=message):
        read_mapping(changed(path, value), "m.yaml", "")


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("format: maniguard-mapping/1\nentities:\n  mug: {role: a}\n  mug: {role: b}\n")
    with pytest.raises(AuditError, match="key 'mug' stands twice"):
        load_mapping(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"nowhere.yaml: cannot be read"):
        load_mapping(tmp_path / "nowhere.yaml")


DOCS = Path(__file__).parents[2] / "docs" / "audit.md"


@pytest.mark.parametrize("block", re.findall(r"^```yaml\n(.*?)^```", DOCS.read_text("utf-8"), re.DOTALL | re.MULTILINE))
def test_every_mapping_that_is_shown_can_be_read(block: str) -> None:
    mapping = read_mapping(yaml.safe_load(block), "docs", "")
    assert mapping.entities
