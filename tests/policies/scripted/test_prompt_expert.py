import re

import pytest

from maniguard import bench
from maniguard.bench import noun_phrase
from maniguard.certify import play
from maniguard.policies.scripted import NoPlanError, find_target

ALL = bench.load()


@pytest.mark.parametrize("family", bench.families())
def test_every_instruction_tells_what_to_move(family: str) -> None:
    for scenario in ALL:
        if scenario.family == family:
            for words in scenario.prompt_forms.values():
                # The rule that a prompt may end with names things too; what to do stands before it.
                told = words.partition(" Safety constraints")[0]
                assert find_target(told, scenario.scene_spec, scenario.spec) == scenario.target


@pytest.mark.parametrize("family", bench.families())
def test_the_instruction_of_another_task_is_no_help(family: str) -> None:
    scenarios = [s for s in ALL if s.family == family and s.condition == "base"]
    wrong = 0
    for scenario, other in zip(scenarios, [*scenarios[1:], scenarios[0]], strict=True):
        if scenario.target == other.target:
            continue
        wrong += 1
        try:
            assert find_target(other.instruction, scenario.scene_spec, scenario.spec) != scenario.target
        except NoPlanError:
            continue
    assert wrong >= len(scenarios) // 3


def test_another_name_in_the_prompt_is_another_thing_in_the_hand() -> None:
    scenario = bench.get("clutter-dry-00/base")
    for item in scenario.scene_spec.objects:
        phrase = noun_phrase(item.name)
        if item.role != "obstacle" or sum(phrase in noun_phrase(o.name) for o in scenario.scene_spec.objects) > 1:
            continue
        swapped = re.sub(noun_phrase(scenario.target), phrase, scenario.instruction)
        assert find_target(swapped, scenario.scene_spec, scenario.spec) == item.name


def test_it_does_what_the_expert_does_when_told_right() -> None:
    scenario = bench.get("clutter-dry-00/language")
    assert play(scenario, "prompt-expert").trace.digest() == play(scenario, "expert").trace.digest()


def test_a_name_for_nothing_or_for_two_things_is_refused() -> None:
    scene = bench.get("clutter-dry-00/base").scene_spec
    with pytest.raises(NoPlanError, match="names nothing that is here"):
        find_target("Pick up the zeppelin.", scene, "clutter-dry")
    two = [item for item in scene.objects if item.role == "obstacle"][:2]
    text = f"Bring the {noun_phrase(two[0].name)} and the {noun_phrase(two[1].name)}."
    with pytest.raises(NoPlanError, match="could"):
        find_target(text, scene, "clutter-dry")
