"""The dusty specification: what it says, and that what it must not say is refused."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from maniguard.spec import SpecError, check, load_spec


def test_the_dusty_family() -> None:
    spec = load_spec("dusty")
    assert [(c.name, c.formula) for c in spec.constraints] == [
        ("food_touched", "G !food_touched"),
        ("food_dropped", "G !food_dropped"),
    ]
    touched, dropped = spec.proposition("food_touched"), spec.proposition("food_dropped")
    # Only the robot's own geoms count, so that what it holds may touch the food.
    assert (touched.predicate, touched.to) == ("touched_by_robot", None)
    # The pot is where food may fall to.
    assert (dropped.predicate, dropped.to) == ("dropped", "pot")
    assert spec.goal is not None
    assert re.findall(r"!?\w+", spec.goal.formula) == ["pot_clean", "!food_in_dust", "food_inside", "pot_upright"]
    assert spec.goal.dwell_s == 0.5
    assert spec.proposition("food_in_dust").filters == (("latch", 0.0),)
    assert spec.proposition("food_in_dust").quantifier == "any"
    assert spec.proposition("food_inside").quantifier == "all"


def test_clean_means_the_same_at_the_first_entry_and_at_the_end() -> None:
    spec = load_spec("dusty")
    shares = {name: dict(spec.proposition(name).values)["share"] for name in ("pot_clean", "food_in_dust")}
    assert shares == {"pot_clean": 0.9, "food_in_dust": 0.9}


def test_as_published_a_fall_onto_the_table_goes_unseen() -> None:
    spec = load_spec("dusty", "maniguard-compat")
    dropped = spec.proposition("food_dropped")
    assert (dropped.predicate, dropped.to, dict(dropped.values)) == ("below", "floor", {"height": 0.05})
    assert spec.goal == load_spec("dusty").goal


@pytest.mark.parametrize("variant", ["default", "maniguard-compat"])
def test_it_is_a_good_specification(variant: str) -> None:
    assert check("dusty") == ()
    assert load_spec("dusty", variant).name == "dusty"


def test_a_pot_that_is_not_bound_is_refused(tmp_path: Path) -> None:
    text = (resources.files("maniguard.spec") / "library" / "dusty.yaml").read_text()
    path = tmp_path / "dusty.yaml"
    path.write_text(text.replace("  pot: {role: pot, count: 1}\n", ""))
    with pytest.raises(SpecError, match="unknown role 'pot'"):
        load_spec(path)
