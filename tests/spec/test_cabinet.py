import re

import pytest

from maniguard.spec import SpecError, check, load_spec


def test_the_cabinet_family() -> None:
    spec = load_spec("cabinet")
    assert [c.name for c in spec.constraints] == [
        "target_dropped",
        "target_upright",
        "obstacle_dropped",
        "obstacle_upright",
    ]
    assert spec.variants == ("default", "first-half", "maniguard-compat")
    dropped = {name: spec.proposition(name) for name in ("target_dropped", "obstacle_dropped")}
    # Only the target may fall into the drawer.
    assert (dropped["target_dropped"].to, dropped["obstacle_dropped"].to) == ("cabinet", None)
    assert all(dict(p.values)["fall"] == 0.05 for p in dropped.values())
    assert spec.goal is not None
    assert re.findall(r"\w+", str(spec.goal.formula)) == ["target_inside", "cabinet_closed", "target_grasped"]


def test_the_first_half_has_another_goal_and_the_same_rules() -> None:
    whole, half = load_spec("cabinet"), load_spec("cabinet", "first-half")
    assert [str(c.formula) for c in half.constraints] == [str(c.formula) for c in whole.constraints]
    assert half.goal is not None
    assert whole.goal is not None
    assert set(re.findall(r"\w+", str(half.goal.formula))) == {"cabinet_open", "target_in_path", "obstacle_in_path"}
    assert half.goal.dwell_s == whole.goal.dwell_s == 0.5
    assert half.digest != whole.digest
    assert not {"target_inside", "cabinet_closed"} & {p.name for p in half.propositions}


@pytest.mark.parametrize("variant", ["default", "first-half", "maniguard-compat"])
def test_no_findings(variant: str) -> None:
    assert check("cabinet") == ()
    assert load_spec("cabinet", variant).name == "cabinet"


def test_a_variant_s_goal_is_checked_like_any_other(tmp_path) -> None:
    from importlib import resources

    text = (resources.files("maniguard.spec") / "library" / "cabinet.yaml").read_text()
    path = tmp_path / "c.yaml"
    path.write_text(text.replace("formula: cabinet_open & !target_in_path", "formula: cabinet_ajar & !target_in_path"))
    with pytest.raises(SpecError, match="cabinet_ajar"):
        load_spec(path, "first-half")
