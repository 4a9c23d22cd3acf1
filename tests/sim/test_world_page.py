"""What docs/world.md says of costs is what was measured."""

import json
import re
from pathlib import Path

from maniguard.sim.room import ROOMS

ROOT = Path(__file__).parents[2]


def test_the_page_quotes_the_results():
    results = json.loads((ROOT / "benchmarks" / "results" / "world_cost.json").read_text())
    page = (ROOT / "docs" / "world.md").read_text()
    rows = re.findall(
        r"^\| (\d+) objects(?: and a beaker with (\d+) grains)? \| .* \| ([\d.]+) ms \| ([\d.]+) × \|$", page, re.M
    )
    told = [(int(objects), grains, float(step), float(factor)) for objects, grains, step, factor in rows]
    measured = [(r["objects"], "", r["control_step_ms"], r["real_time_factor"]) for r in results["by_objects"]]
    measured += [
        (10, str(r["grains"]), r["control_step_ms"], r["real_time_factor"])
        for r in results["by_grains_beside_ten_objects"]
    ]
    assert told == measured
    assert len(told) == 8


def test_the_page_quotes_pictures_and_building():
    page = (ROOT / "docs" / "world.md").read_text()
    pictures = json.loads((ROOT / "benchmarks" / "results" / "render_speed.json").read_text())
    assert f"<!-- render_speed -->{pictures['fast_sets_per_second']}<!-- /render_speed -->" in page
    cost = json.loads((ROOT / "benchmarks" / "results" / "world_cost.json").read_text())
    rows = [*cost["by_objects"], *cost["by_grains_beside_ten_objects"]]
    assert f"<!-- build_s -->{max(row['build_s'] for row in rows):.2f}<!-- /build_s -->" in page


def test_every_room_is_shown():
    page = (ROOT / "docs" / "world.md").read_text()
    for name in ROOMS:
        assert f"(images/rooms-{name}.webp)" in page
        assert (ROOT / "docs" / "images" / f"rooms-{name}.webp").exists()
