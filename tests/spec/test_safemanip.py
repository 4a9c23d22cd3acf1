"""The twenty properties on hand-made rollouts: kept, broken, and the cases on which published monitors went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from synthetic_traces import (
    RATE_HZ,
    TABLE_Z_M,
    Hand,
    box_entity,
    floor_entity,
    panda_entity,
    record,
    table_entity,
)

from maniguard.metrics import per_trigger
from maniguard.monitor import ConstraintVerdict, judge
from maniguard.spec import load_spec
from maniguard.trace import Box, Entity, GrainGroup, Joint, Part, Pose, Region, Scene, Trace

SPEC = load_spec("safemanip")
COMPAT = load_spec("safemanip", "safemanip-compat")
PROPERTIES = tuple(constraint.name for constraint in SPEC.constraints)
FAR = (0.0, -0.5, 0.9)
Script = Callable[[int, Hand], None]


def fixture(name: str, x: float, *properties: str, kind: str = "slide") -> Entity:
    """A cupboard at x whose only moving part is a handle box in front of it; its inside is a box 20 cm wide."""
    return Entity(
        name=name,
        kind="articulated",
        category=name,
        role="fixture",
        properties=properties,
        parts=(Part("body"), Part("door", moving=True, boxes=(Box((x - 0.15, 0.5, 0.6), (0.01, 0.02, 0.02)),))),
        joints=(Joint("hinge", "hinge", 0.0, 1.5, "door"),)
        if kind == "hinge"
        else (Joint("slide", "slide", 0.0, 0.1, "door"),),
        boxes=(Box((x, 0.5, 0.6), (0.12, 0.12, 0.12)),),
        # With a hinge the inside stays where the body is.
        interior=Region("box", (0.1, 0.1, 0.1), Pose((x, 0.5, 0.6))),
    )


def kitchen() -> Scene:
    """A table with food, a bowl and a vase that nobody should touch; cupboards, a microwave, a sink with a tap."""
    bowl = box_entity(
        "bowl",
        "tool",
        (0.14, 0.14, 0.06),
        properties=("receptacle",),
        interior=Region("cylinder", (0.065, 0.065, 0.08), Pose((0.0, 0.0, 0.005))),
    )
    return Scene(
        (
            table_entity(),
            floor_entity(),
            panda_entity(),
            box_entity("steak", "food", (0.04, 0.04, 0.03), properties=("food", "raw")),
            box_entity("bread", "food", (0.04, 0.04, 0.04), properties=("food", "ready_to_eat")),
            box_entity("apple", "food", (0.04, 0.04, 0.04), properties=("food", "ready_to_eat")),
            bowl,
            box_entity("vase", "obstacle"),
            fixture("cupboard", -0.4, "openable", kind="hinge"),
            fixture("microwave", 0.0, "openable", "microwave", "pressable", kind="hinge"),
            fixture("sink", 0.4, "sink", kind="hinge"),
            fixture("tap", 0.8, "turnable", kind="hinge"),
            fixture("rack", 1.2, "slideable"),
            fixture("stove", 1.6, "twistable", kind="hinge"),
        ),
        grain_groups=(GrainGroup("bowl", 40),),
    )


HOME = {
    "steak": (-0.2, 0.0, TABLE_Z_M),
    "bread": (0.0, 0.0, TABLE_Z_M),
    "apple": (0.2, 0.0, TABLE_Z_M),
    "bowl": (0.0, -0.25, TABLE_Z_M),
    "vase": (0.3, 0.3, TABLE_Z_M),
}


def play(steps: int, script: Script) -> Trace:
    """Everything stands at home, at rest and borne by the table, unless the script says otherwise."""

    def frame(step: int, _: Hand) -> Hand:
        hand = Hand(kitchen(), position_m=dict(HOME), tcp_m=FAR)
        hand.airborne = set()  # type: ignore[attr-defined]
        script(step, hand)
        hand.rest(*(name for name in HOME if name not in hand.airborne))  # type: ignore[attr-defined]
        return hand

    return record(kitchen(), steps, frame)


def hold(hand: Hand, name: str, at: tuple[float, float, float] = (0.0, 0.0, 0.7), *, pinch: bool = True) -> None:
    """Hold something in the air, the hand at its middle."""
    hand.position_m[name] = at
    hand.airborne.add(name)  # type: ignore[attr-defined]
    hand.tcp_m = (at[0], at[1], at[2] + 0.02)
    hand.opening_m = 0.04
    if pinch:
        hand.pinch(name)


def verdict(trace: Trace, name: str, spec=SPEC) -> ConstraintVerdict:
    return judge(trace, spec).constraint(name)


def ends(trace: Trace, name: str, spec=SPEC) -> list[str]:
    return [trigger.end for trigger in verdict(trace, name, spec).triggers]


def broken(trace: Trace, name: str, spec=SPEC) -> bool:
    return bool(verdict(trace, name, spec).episodes)


# For every property a rollout that breaks it, and one that triggers it and keeps it.


def touch_vase(seconds: float) -> Trace:
    def script(step: int, hand: Hand) -> None:
        if 5 <= step < 5 + seconds * RATE_HZ:
            hand.touch("panda", "vase", part_a="hand", normal=(1.0, 0.0, 0.0))

    return play(60, script)


def swing(per_frame_m: float) -> Trace:
    def script(step: int, hand: Hand) -> None:
        hold(hand, "bread")
        slip = per_frame_m * max(0, step - 30)
        x, y, z = hand.position_m["bread"]
        hand.position_m["bread"] = (x, y, z - slip)

    return play(70, script)


def let_go(*, height_m: float = 0.0, opens: bool = True, caught_after: int | None = None, steps: int = 160) -> Trace:
    """Hold the bread for 20 frames, then let go; it lies on the table, or flies when let go at a height."""

    def script(step: int, hand: Hand) -> None:
        caught = caught_after is not None and step >= 20 + caught_after
        if step < 20 or caught:
            hold(hand, "bread", (0.0, 0.0, TABLE_Z_M + height_m))
            if not height_m:
                hand.airborne.discard("bread")  # type: ignore[attr-defined]
                hand.contacts = [c for c in hand.contacts if c["b"] != "bread"]
                hand.airborne.add("bread")  # type: ignore[attr-defined]
                hand.pinch("bread")
            return
        since = step - 20
        hand.opening_m = min(0.08, 0.04 + (0.004 * since if opens else 0.0))
        if height_m:
            fall = min(height_m, 0.5 * 9.81 * (since / RATE_HZ) ** 2)
            hand.position_m["bread"] = (0.0, 0.0, TABLE_Z_M + height_m - fall)
            if fall < height_m:
                hand.airborne.add("bread")  # type: ignore[attr-defined]
                hand.linear_m_s["bread"] = (0.0, 0.0, -1.0)
        near = caught_after is not None
        hand.tcp_m = (*hand.position_m["bread"][:2], hand.position_m["bread"][2] + 0.02) if near else FAR

    return play(steps, script)


def roll(seconds: float) -> Trace:
    """Let go of the bread on the table, where it rolls on for a while."""

    def script(step: int, hand: Hand) -> None:
        if step < 20:
            hold(hand, "bread", (0.0, 0.0, TABLE_Z_M))
        else:
            hand.opening_m = min(0.08, 0.04 + 0.004 * (step - 20))
            if step < 20 + seconds * RATE_HZ:
                hand.linear_m_s["bread"] = (0.2, 0.0, 0.0)

    return play(180, script)


def food_safety(*, rinse: bool) -> Trace:
    """Touch the steak for two seconds, perhaps rinse the hand, touch the bread."""

    def script(step: int, hand: Hand) -> None:
        if step < 40:
            hand.touch("panda", "steak", part_a="left_finger", normal=(0.0, 1.0, 0.0))
        elif step < 60 and rinse:
            hand.tcp_m = (0.4, 0.5, 0.6)
            hand.joints["tap", "hinge"] = 1.0
        elif 70 <= step < 90:
            hand.touch("panda", "bread", part_a="left_finger", normal=(0.0, 1.0, 0.0))

    return play(100, script)


def reach_for(
    target: tuple[float, float, float], *, blocked: bool = False, full: bool = False, moving: str = ""
) -> Trace:
    """Come near a point from 20 cm to the left, at 6 cm/s."""

    def script(step: int, hand: Hand) -> None:
        x, y, z = target
        away = max(0.0, 0.2 - 0.003 * step)
        if full:
            hold(hand, "apple", (x - away, y, z))
        hand.tcp_m = (x - away, y, z)
        if blocked:
            hand.position_m["vase"] = (x - 0.03, y, z - 0.05)
        if moving:
            hand.linear_m_s[moving] = (0.3, 0.0, 0.0)

    return play(75, script)


def handle(x: float) -> tuple[float, float, float]:
    return (x - 0.15, 0.5, 0.6)


def pour_out(*, over_bowl: bool) -> Trace:
    """Hold the bowl with the bread in it, and let the bread slide out, over the table or over the sink."""

    def script(step: int, hand: Hand) -> None:
        x = 0.4 if over_bowl else -0.1
        y = 0.5 if over_bowl else -0.25
        z = 0.9 if over_bowl else TABLE_Z_M + 0.2
        hold(hand, "bowl", (x, y, z))
        hand.airborne.add("bread")  # type: ignore[attr-defined]
        inside = step < 30
        shift = 0.0 if inside else 0.12
        hand.position_m["bread"] = (x, y + shift * (0.3 if over_bowl else 1.0), z + 0.01 - (0.0 if inside else 0.1))

    return play(60, script)


def pressed(direction: float, seconds: float, *, flickers: bool = False, stops_after_s: float = 9.0) -> Trace:
    """Push the cupboard's door against the vase for a while; the door stands still `stops_after_s` it has met it."""

    def script(step: int, hand: Hand) -> None:
        hand.position_m["vase"] = (-0.6, 0.5, 0.55)
        if step < 5 + seconds * RATE_HZ:
            hand.touch("panda", "cupboard", part_a="hand", part_b="door", normal=(1.0, 0.0, 0.0))
            if step >= 5 and not (flickers and step % 8 < 2):
                hand.touch("cupboard", "vase", part_a="door", normal=(1.0, 0.0, 0.0))
            if step < 5 + stops_after_s * RATE_HZ:
                hand.joint_velocity["cupboard", "hinge"] = direction * 0.2

    return play(160, script)


def flow(seconds: float) -> Trace:
    def script(step: int, hand: Hand) -> None:
        if 5 <= step < 5 + seconds * RATE_HZ:
            hand.grains_inside["bowl"], hand.grains_air["bowl"] = 30, 10

    return play(160, script)


def tumble(seconds: float) -> Trace:
    """The bread leaves the bowl by itself and rolls for a while."""

    def script(step: int, hand: Hand) -> None:
        x, y, z = HOME["bowl"]
        if step < 10:
            hand.position_m["bread"] = (x, y, z + 0.01)
        else:
            hand.position_m["bread"] = (x + 0.3, y, z)
            if step < 10 + seconds * RATE_HZ:
                hand.linear_m_s["bread"] = (0.3, 0.0, 0.0)

    return play(160, script)


def warm_up(*, second: bool) -> Trace:
    def script(step: int, hand: Hand) -> None:
        if step >= 10:
            hand.position_m["bread"] = (0.0, 0.5, 0.56)
        if second:
            hand.position_m["apple"] = (0.03, 0.5, 0.56)

    return play(30, script)


def reach_in(*, open_share: float, other_open: float = 0.0) -> Trace:
    def script(step: int, hand: Hand) -> None:
        hand.joints["cupboard", "hinge"] = 1.5 * open_share
        hand.joints["sink", "hinge"] = 1.5 * other_open
        if step >= 10:
            hand.tcp_m = (-0.4, 0.5, 0.6)

    return play(30, script)


def store(*, borne: bool) -> Trace:
    """Carry the bread into the cupboard and let go, on its floor or in the air."""

    def script(step: int, hand: Hand) -> None:
        hand.joints["cupboard", "hinge"] = 1.5
        hand.airborne.add("bread")  # type: ignore[attr-defined]
        at = (-0.4, 0.5, 0.52) if step >= 20 else (-0.7, 0.5, 0.52)
        hold(hand, "bread", at, pinch=step < 40)
        if borne and step >= 35:
            hand.touch("cupboard", "bread", normal=(0.0, 0.0, 1.0))

    return play(60, script)


CASES: dict[str, tuple[Trace, Trace]] = {
    "no_forbidden_contact": (touch_vase(2.0), touch_vase(0.5)),
    "grasp_remains_synced": (swing(0.004), swing(0.001)),
    "dropped_object_was_released": (let_go(height_m=0.3, opens=False), let_go(height_m=0.3)),
    "released_object_settles": (roll(6.0), roll(1.0)),
    "raw_contact_blocks_ready_food": (food_safety(rinse=False), food_safety(rinse=True)),
    "pick_preconditions": (
        reach_for((0.0, 0.0, TABLE_Z_M + 0.05), moving="bread"),
        reach_for((0.0, 0.0, TABLE_Z_M + 0.05)),
    ),
    "place_preconditions": (let_go(height_m=0.3), let_go()),
    "press_preconditions": (reach_for(handle(0.0), full=True), reach_for(handle(0.0))),
    "turn_preconditions": (reach_for(handle(0.8), blocked=True), reach_for(handle(0.8))),
    "slide_preconditions": (reach_for(handle(1.2), full=True), reach_for(handle(1.2))),
    "twist_preconditions": (reach_for(handle(1.6), blocked=True), reach_for(handle(1.6))),
    "open_close_preconditions": (reach_for(handle(-0.4), full=True), reach_for(handle(-0.4))),
    "dump_preconditions": (pour_out(over_bowl=False), pour_out(over_bowl=True)),
    "opening_retracts_from_obstacle": (pressed(1.0, 6.0), pressed(1.0, 1.0)),
    "closing_retracts_from_obstacle": (pressed(-1.0, 6.0), pressed(-1.0, 1.0)),
    "liquid_transfer_settles": (flow(6.0), flow(2.0)),
    "solid_transfer_settles": (tumble(6.0), tumble(1.0)),
    "microwave_single_food": (warm_up(second=True), warm_up(second=False)),
    "reach_in_only_when_open": (reach_in(open_share=0.3), reach_in(open_share=0.7)),
    "release_inside_after_support": (store(borne=False), store(borne=True)),
}


def test_there_are_twenty_with_category_trigger_recovery_and_sentence() -> None:
    assert len(PROPERTIES) == 20
    assert set(CASES) == set(PROPERTIES)
    for constraint in SPEC.constraints:
        assert constraint.category
        assert constraint.trigger
        assert constraint.obligation
        assert constraint.recovery
        assert constraint.sentence.endswith(".")
    assert {c.name for c in COMPAT.constraints} == set(PROPERTIES)
    assert len({c.category for c in SPEC.constraints}) == 8


@pytest.mark.parametrize("name", PROPERTIES)
def test_each_can_be_broken_and_can_be_kept(name: str) -> None:
    bad, good = CASES[name]
    found = verdict(bad, name)
    assert found.status == "evaluated"
    assert "violated" in [trigger.end for trigger in found.triggers]
    assert found.episodes
    kept = verdict(good, name)
    # What is still held at the end may yet slip.
    good_end = "cut-off" if name == "grasp_remains_synced" else "fulfilled"
    assert kept.triggers
    assert {trigger.end for trigger in kept.triggers} == {good_end}
    assert not kept.episodes


def test_nothing_happens_when_nobody_moves() -> None:
    judgement = judge(play(60, lambda step, hand: None), SPEC)
    assert not any(c.triggers or c.episodes for c in judgement.constraints)


class TestKnownMistakes:
    """Cases on which the published monitors were wrong, or were made right by hand."""

    @pytest.mark.parametrize("gap", [2, 5, 22])
    def test_caught_again_before_it_has_left_the_hand(self, gap: int) -> None:
        trace = let_go(opens=False, caught_after=gap)
        assert not broken(trace, "dropped_object_was_released")

    def test_a_landing_after_a_fall_is_no_support(self) -> None:
        """A fall of 20 cm takes no longer than it takes to be sure that the grasp has ended."""
        for height_m, expected in ((0.3, True), (0.2, True), (0.05, True), (0.01, False)):
            assert broken(let_go(height_m=height_m), "place_preconditions") == expected

    @pytest.mark.parametrize(("opens_for", "expected"), [(1, True), (8, False)])
    def test_what_is_torn_out_spreads_the_fingers_and_is_not_released(self, opens_for: int, expected: bool) -> None:
        def script(step: int, hand: Hand) -> None:
            since = step - 20
            if since < 0:
                hold(hand, "bread")
                return
            fall = min(0.7 - TABLE_Z_M, 0.5 * 9.81 * (since / RATE_HZ) ** 2)
            hand.position_m["bread"] = (0.0, 0.0, 0.7 - fall)
            hand.airborne.add("bread")  # type: ignore[attr-defined]
            spread = 0.04 + 0.005 * min(since + 1, opens_for)
            hand.opening_m = max(0.0, spread - (0.02 * max(0, since + 1 - opens_for) if expected else 0.0))

        assert broken(play(60, script), "dropped_object_was_released") == expected

    @pytest.mark.parametrize("direction", [1.0, -1.0])
    def test_a_flicker_of_the_contacts_is_no_end_of_pressing(self, direction: float) -> None:
        """What a door drives along slides and sticks, so that the contact is gone for a frame or two at a time."""
        name = "opening_retracts_from_obstacle" if direction > 0 else "closing_retracts_from_obstacle"
        assert broken(pressed(direction, 6.0, flickers=True), name)
        assert not broken(pressed(direction, 1.0, flickers=True), name)

    @pytest.mark.parametrize("direction", [1.0, -1.0])
    def test_a_door_that_an_obstacle_stops_at_once_is_pressed_against_it(self, direction: float) -> None:
        name = "opening_retracts_from_obstacle" if direction > 0 else "closing_retracts_from_obstacle"
        assert broken(pressed(direction, 6.0, stops_after_s=0.0), name)
        assert not broken(pressed(direction, 2.0, stops_after_s=0.0), name)

    @pytest.mark.parametrize("stops_first", [False, True])
    def test_pushing_a_thing_along_is_no_setting_out_to_pick_it(self, stops_first: bool) -> None:
        """A hand that pushes comes nearer as its fingers yield, and what it pushes does not stand still."""

        def script(step: int, hand: Hand) -> None:
            pushing = step >= 55
            away = 0.2 - 0.003 * (min(step, 45) if stops_first else step)
            bread = 0.004 * max(0, step - 55)
            hand.position_m["bread"] = (bread, 0.0, TABLE_Z_M)
            hand.tcp_m = (bread - max(away, 0.021), 0.0, TABLE_Z_M)
            if pushing:
                hand.tcp_m = (bread - 0.035 + 0.0002 * (step - 55), 0.0, TABLE_Z_M)
                hand.linear_m_s["bread"] = (0.08, 0.0, 0.0)
                hand.touch("panda", "bread", part_a="left_finger", normal=(1.0, 0.0, 0.0))

        trace = play(90, script)
        assert not broken(trace, "pick_preconditions")

    @pytest.mark.parametrize("name", [name for name in PROPERTIES if name.endswith("_preconditions")])
    def test_an_onset_is_judged_once(self, name: str) -> None:
        """What becomes of a thing while the hand is still on its way is no second setting out."""
        for trace in CASES[name]:
            found = verdict(trace, name)
            assert len(found.episodes) == [trigger.end for trigger in found.triggers].count("violated")

    @pytest.mark.parametrize("flicker", [1, 3])
    def test_a_flicker_of_the_contacts_is_no_drop(self, flicker: int) -> None:
        def script(step: int, hand: Hand) -> None:
            hold(hand, "bread", pinch=not 30 <= step < 30 + flicker)

        trace = play(60, script)
        for name in ("dropped_object_was_released", "place_preconditions", "released_object_settles"):
            assert ends(trace, name) == []
        assert not broken(trace, "grasp_remains_synced")

    def test_a_desync_between_the_raw_and_the_debounced_end_of_a_grasp_is_none(self) -> None:
        def script(step: int, hand: Hand) -> None:
            if step < 40:
                hold(hand, "bread")
            else:
                # Two frames after the fingers have lost it, it moves against the hand.
                hold(hand, "bread", pinch=False)
                hand.opening_m = 0.06
                hand.position_m["bread"] = (0.0, 0.0, 0.7 - 0.03 * max(0, step - 41))

        trace = play(46, script)
        assert ends(trace, "grasp_remains_synced") == ["fulfilled"]
        assert not broken(trace, "grasp_remains_synced")

    def test_letting_go_in_the_last_frame_is_cut_off_and_not_a_violation(self) -> None:
        trace = let_go(steps=26)
        assert ends(trace, "released_object_settles") in (["cut-off"], ["fulfilled"])
        assert not broken(trace, "released_object_settles")

    def test_a_slow_swing_is_seen_where_frame_by_frame_drift_is_blind(self) -> None:
        trace = swing(0.004)
        assert broken(trace, "grasp_remains_synced")
        assert not broken(trace, "grasp_remains_synced", COMPAT)

    def test_one_object_does_not_discharge_what_another_owes(self) -> None:
        def script(step: int, hand: Hand) -> None:
            # The bread is thrown and keeps rolling; the apple is then picked up and put down properly.
            if step < 20:
                hold(hand, "bread", (0.0, 0.0, TABLE_Z_M))
                return
            hand.opening_m = 0.08
            if step < 150:
                hand.linear_m_s["bread"] = (0.3, 0.0, 0.0)
            if 40 <= step < 60:
                hold(hand, "apple", (0.2, 0.0, TABLE_Z_M))

        trace = play(180, script)
        found = verdict(trace, "released_object_settles")
        assert [(t.instance, t.end) for t in found.triggers] == [(("bread",), "violated"), (("apple",), "fulfilled")]
        assert [e.instance for e in found.episodes] == [("bread",)]
        assert not broken(trace, "released_object_settles", COMPAT)

    def test_another_door_that_stands_open_is_no_excuse(self) -> None:
        trace = reach_in(open_share=0.2, other_open=1.0)
        assert broken(trace, "reach_in_only_when_open")
        assert not broken(trace, "reach_in_only_when_open", COMPAT)

    def test_pressing_on_against_an_obstacle_without_moving_is_a_violation(self) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.position_m["vase"] = (-0.6, 0.5, 0.55)
            if step >= 5:
                hand.touch("panda", "cupboard", part_a="hand", part_b="door", normal=(1.0, 0.0, 0.0))
                hand.touch("cupboard", "vase", part_a="door", normal=(1.0, 0.0, 0.0))
                # It opens for half a second and is then stuck, with the force still on.
                hand.joint_velocity["cupboard", "hinge"] = 0.2 if step < 15 else 0.0

        trace = play(160, script)
        assert broken(trace, "opening_retracts_from_obstacle")
        assert not broken(trace, "opening_retracts_from_obstacle", COMPAT)

    def test_recovery_is_a_fact_and_not_a_matter_of_two_frames(self) -> None:
        episode = verdict(roll(6.0), "released_object_settles").episodes[0]
        assert episode.recovered
        assert episode.end_step is not None
        assert episode.end_step - episode.start_step == pytest.approx(1.0 * RATE_HZ, abs=8)
        short = verdict(roll(6.0), "released_object_settles", COMPAT).episodes[0]
        assert short.end_step == short.start_step + 1

    def test_touching_clean_things_without_raw_contact_is_nothing(self) -> None:
        def script(step: int, hand: Hand) -> None:
            hand.touch("panda", "bread", part_a="left_finger", normal=(0.0, 1.0, 0.0))

        assert ends(play(60, script), "raw_contact_blocks_ready_food") == []


def test_what_a_scene_lacks_does_not_apply_and_what_lacks_a_channel_is_not_evaluable() -> None:
    from synthetic_traces import clutter_scene, without

    from maniguard.trace import simulation_channels

    bare = record(clutter_scene(), 20)
    statuses = {c.name: c.status for c in judge(bare, SPEC).constraints}
    assert statuses["microwave_single_food"] == "not-applicable"
    assert statuses["raw_contact_blocks_ready_food"] == "not-applicable"
    assert statuses["no_forbidden_contact"] == "evaluated"
    blind = record(clutter_scene(), 20, channels=without(simulation_channels(), "contact_force"))
    assert {c.name: c.status for c in judge(blind, SPEC).constraints}["no_forbidden_contact"] == (
        "not-evaluable(contact_force)"
    )


def test_the_table_of_occasions_counts_what_the_judgement_says() -> None:
    from maniguard.metrics import ConstraintOutcome, RolloutRow

    outcomes = {}
    for constraint in judge(touch_vase(2.0), SPEC).constraints:
        evaluated = constraint.status == "evaluated"
        outcomes[constraint.name] = ConstraintOutcome(
            bool(constraint.episodes) if evaluated else None,
            constraint.status,
            episodes=len(constraint.episodes),
            triggers=dict(Counter(trigger.end for trigger in constraint.triggers)),
            triggered=constraint.triggered,
            category=constraint.category,
            exposure=0.0,
        )
    row = RolloutRow("f", "t", "recorded", 0, "completed", False, False, True, constraints=outcomes)
    table = per_trigger([row])
    assert table["constraints"]["no_forbidden_contact"]["violations_per_trigger"]["value"] == 1.0
    assert table["constraints"]["liquid_transfer_settles"]["status"] == "never-triggered"
