from __future__ import annotations

import json
from dataclasses import replace

import pytest

from maniguard import bench
from maniguard.evaluate import Plan, PlanError, difference, make_plan, rollout_id


def plan(**changes):
    scenarios = bench.load("clutter", tasks=range(2), conditions=("base",))
    return make_plan("noop", **{"scenarios": scenarios, "seeds": (0, 1), **changes})


def test_every_scenario_meets_every_seed_once():
    made = plan()
    assert [item.rollout_id for item in made.items] == [
        "clutter-dry-00.base.s0",
        "clutter-dry-00.base.s1",
        "clutter-dry-01.base.s0",
        "clutter-dry-01.base.s1",
    ]
    assert {item.rollout_id for item in made.items} == {rollout_id(i.scenario_id, i.seed) for i in made.items}


def test_a_plan_survives_its_file():
    made = plan()
    assert Plan.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert difference(made, Plan.from_dict(json.loads(json.dumps(made.to_dict())))) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scenarios": ()}, "no scenario"),
        ({"seeds": ()}, "no seed"),
        ({"seeds": (0, 0)}, "seed 0 is given twice"),
        ({"seeds": (-1,)}, "seed -1 is out of range"),
        ({"seeds": (2**63,)}, "out of range"),
        ({"scenarios": (bench.get("clutter-dry-00/base"),) * 2}, "clutter-dry-00/base is chosen twice"),
    ],
)
def test_an_empty_or_contradictory_plan_is_refused(changes, said):
    with pytest.raises(PlanError, match=said):
        plan(**changes)


def test_a_difference_is_named():
    assert "seeds" not in str(difference(plan(), plan()))
    assert "rollouts" in str(difference(plan(), plan(seeds=(0,))))
    assert "video" in str(difference(plan(), plan(video=True)))
    fewer = plan(scenarios=bench.load("clutter", tasks=range(1), conditions=("base",)))
    assert "clutter-dry-01.base.s0 is only among its" in str(difference(fewer, plan()))
    assert "clutter-dry-01.base.s0 is not among its" in str(difference(plan(), fewer))
    moved = replace(plan(), identity={**plan().identity, "mujoco": "1.0"})
    assert "its identity has mujoco '1.0'" in str(difference(plan(), moved))
    assert len(str(difference(plan(), moved))) < 100


@pytest.mark.parametrize("damage", ["format", "policy", "items"])
def test_a_damaged_plan_is_refused(damage):
    value = plan().to_dict()
    del value[damage]
    with pytest.raises(PlanError):
        Plan.from_dict(value)


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("items", 5),
        ("items", [3]),
        ("items", []),
        ("specs", [1]),
        ("contract", 3),
        ("contract", {}),
        ("policy", None),
        ("render_quality", "best"),
    ],
)
def test_a_plan_of_wrong_types_is_refused_by_name(key, content):
    with pytest.raises(PlanError, match=r"run/plan\.json"):
        Plan.from_dict({**plan().to_dict(), key: content}, "run/plan.json")


def test_a_plan_whose_ids_lead_elsewhere_or_repeat_is_refused():
    value = plan().to_dict()
    elsewhere = {**value["items"][0], "rollout_id": "../../x"}
    for items in ([elsewhere], value["items"] * 2):
        with pytest.raises(PlanError):
            Plan.from_dict({**value, "items": items})
