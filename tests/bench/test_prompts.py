import pytest

from maniguard.bench.canonical import TaskFileError
from maniguard.bench.prompts import ambiguous, check_instruction, named_in, noun_phrase, prompt_forms

NAMES = {"mug": "target", "can_of_beans": "obstacle", "bud_vase": "obstacle", "bud_vase_2": "obstacle"}


def test_good_instructions_pass() -> None:
    check_instruction("Pick up the mug and bring it into the goal sphere.", "mug", NAMES, "here")
    check_instruction("Fetch the can of beans.", "can_of_beans", {"can_of_beans": "target", "mug": "obstacle"}, "here")
    lid = {"pot": "target", "pot_lid": "lid", "soup_bowl": "obstacle"}
    check_instruction("Put the pot lid on the pot.", "pot", lid, "here")


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("Pick up the red mug.", "a colour: red"),
        ("Bring the mug into the green goal sphere.", "a colour: green"),
        ("Carefully pick up the mug.", "a hint of the rule: carefully"),
        ("Pick up the mug without dropping it.", "a hint of the rule: dropping, without"),
        ("Pick it up.", "does not name its target 'mug'"),
        ("Move the mug past the can of beans.", "names another object, 'can_of_beans'"),
    ],
)
def test_colours_hints_and_wrong_names_are_refused(instruction: str, message: str) -> None:
    with pytest.raises(TaskFileError, match=message):
        check_instruction(instruction, "mug", NAMES, "here")


def test_a_noun_must_denote_one_object() -> None:
    with pytest.raises(TaskFileError, match="could denote 'tall_mug'"):
        check_instruction("Pick up the mug.", "mug", {"mug": "target", "tall_mug": "obstacle"}, "here")
    assert ambiguous("tall mug", "mug")
    assert ambiguous("mug", "mug")
    assert not ambiguous("can of beans", "can of corn")


def test_a_place_tells_which_of_several_alike_is_meant() -> None:
    stack = {"bottom_plate": "target", "plate": "stacked", "plate_2": "stacked"}
    check_instruction("Get the bottom plate out.", "bottom_plate", stack, "here")
    with pytest.raises(TaskFileError, match="could denote"):
        check_instruction("Get the bottom plate out from under the plate.", "bottom_plate", stack, "here")
    assert named_in("Get the bottom plate.", stack) == ["bottom_plate"]


def test_names_become_nouns_and_forms_keep_the_instruction() -> None:
    assert noun_phrase("bud_vase_2") == "bud vase"
    forms = prompt_forms("Pick up the mug.", "clutter-dry", {"target": "mug"})
    assert set(forms) == {"none", "natural", "ltlf"}
    assert "mug or any other object" in forms["natural"]
    assert "G(intact(target) & intact(obstacles))" in forms["ltlf"]
    with pytest.raises(TaskFileError, match="no prompt rule"):
        prompt_forms("x", "juggling", {"target": "mug"})
    with pytest.raises(TaskFileError, match="speaks of a lid"):
        prompt_forms("x", "lid", {"target": "pot"})
