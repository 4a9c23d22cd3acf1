from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_traces import Hand, clutter_scene, furnished_scene, random_trace, record, without

from maniguard.grounding import REGISTRY, Atom, Grounder, GroundingError, predicate_named
from maniguard.trace import simulation_channels

DROPPED = (("fall", 0.05), ("landing_speed", 1.0), ("support_angle", 60.0), ("opposing_angle", 120.0))
GRASPED = (("min_force", 0.5), ("opposing_angle", 120.0), ("support_angle", 60.0))
INSIDE = (("max_protrusion", 0.2), ("min_depth", 0.0))
LIMIT = (("max_angle", 40.0), ("max_distance", 0.06))
SEATED = (("max_offset", 0.3), ("max_tilt", 60.0), ("max_gap", 0.2), ("min_force", 0.0), ("memory", 0.2))
OBJECTS = ("cup", "glass", "vase")

ATOMS = [
    Atom("any_dropped", "dropped", OBJECTS, (), DROPPED, "any"),
    Atom("cup_dropped", "dropped", ("cup",), (), DROPPED),
    Atom("scattered_dropped", "dropped", ("cup", "vase"), (), DROPPED, "any"),
    Atom("moved_into_glass", "dropped", ("cup", "vase"), ("glass",), DROPPED, "any"),
    Atom("all_upright", "upright", OBJECTS, (), (("max_tilt", 20.0),)),
    Atom("upright_for_long", "upright", OBJECTS, (), (("max_tilt", 20.0),), "all", (("debounce", 0.2),)),
    Atom("grasped", "grasped", OBJECTS, (), GRASPED, "any", (("dwell", 0.1),)),
    Atom("at_rest", "at_rest", OBJECTS, (), (("max_speed", 0.05),), "any", (("hysteresis", 0.02), ("dwell", 0.1))),
    Atom("moved", "displaced", OBJECTS, (), (("distance", 0.05),), "any", (("latch", 0.0),)),
    Atom("on_table", "on", OBJECTS, ("table",), (("max_gap", 0.01), ("min_force", 0.0), ("memory", 0.2)), "any"),
    Atom("on_each_other", "on", ("cup",), ("vase", "glass"), (("max_gap", 0.05), ("min_force", 0.0), ("memory", 0.2))),
    Atom("supported", "supported", OBJECTS, (), (("min_force", 0.1), ("support_angle", 60.0), ("memory", 0.2))),
    Atom("in_goal", "in_goal_sphere", OBJECTS, (), (("grow", 0.3),), "any"),
    Atom("reached", "near_hand", OBJECTS, (), (("distance", 0.12),), "any"),
    Atom("below", "below", OBJECTS, ("floor",), (("height", 0.3),), "any"),
    Atom("engaged", "engaged", OBJECTS, (), (("min_force", 0.0),), "any"),
    Atom("touched", "touched_by_robot", ("cup",), (), (("min_force", 0.0),)),
    Atom("contact", "contact", ("cup",), ("glass", "vase"), (("min_force", 0.0),)),
    Atom("touching", "touching", ("cup",), ("glass", "table"), (("max_gap", 0.001),), "any", (("recent", 0.15),)),
    Atom("in_cup", "inside", ("glass", "vase"), ("cup", "vase"), INSIDE, "any"),
    Atom("in_drawer", "inside", ("glass",), ("vase",), INSIDE),
    Atom("closed", "closed", ("cup", "vase"), (), LIMIT, "any", (("dwell", 0.1),)),
    Atom("open", "open", ("cup", "vase"), (), LIMIT),
    Atom("spilled", "spilled", ("cup",), (), (("share", 0.15),)),
    Atom("over_brim", "over_brim", ("cup",), (), (("allowance", 10.0),)),
    Atom("clean", "clean", ("cup",), (), (("share", 0.6),)),
    Atom("dusty", "dusty", ("cup",), (), (("share", 0.6),)),
    Atom("hit", "hit_by_held", OBJECTS, ("glass", "cup"), (("min_force", 0.0), ("opposing_angle", 120.0)), "any"),
    Atom("active_upright", "upright", OBJECTS, (), (("max_tilt", 20.0),), "active"),
    Atom("active_falls", "dropped", ("glass", "vase"), (), DROPPED, "active", (("recent", 0.2),)),
    Atom("approached", "approached", OBJECTS, (), (("distance", 0.3), ("min_speed", 0.1)), "any"),
    Atom("gripper_opens", "gripper_opens", ("panda",), (), (("min_speed", 0.1),)),
    Atom("slipped", "slipped", ("cup", "glass"), (), (("max_shift", 0.3), ("max_turn", 20.0), ("window", 0.2)), "all"),
    Atom("reached_into", "reached_into", ("cup", "vase"), (), (("min_depth", 0.01),), "any"),
    Atom("still", "still", OBJECTS, (), (("max_speed", 0.05), ("max_spin", 10.0)), "any"),
    Atom("way_blocked", "way_blocked", OBJECTS, ("cup", "vase"), (("clearance", 0.05),), "any"),
    Atom("above", "above", ("cup", "glass"), ("vase", "cup"), (("margin", 0.05),), "any"),
    Atom("opening", "opening", ("cup", "vase"), (), (("min_spin", 10.0), ("min_speed", 0.1)), "all"),
    Atom("closing", "closing", ("vase",), (), (("min_spin", 10.0), ("min_speed", 0.1))),
    Atom("opened_by", "opened_by", ("cup",), (), (("share", 0.6),)),
    Atom("in_air", "in_air", ("cup",), (), (("share", 0.1),)),
    Atom("in_path", "in_drawer_path", ("cup", "glass"), ("vase",), (("clearance", 0.02),), "any"),
    Atom("unclean", "inside_unclean", ("glass", "vase"), ("cup",), (("share", 0.6), ("min_depth", 0.0)), "any"),
    Atom("lidded", "seated_on", ("glass", "vase"), ("cup",), SEATED, "any"),
]


def test_every_predicate_takes_part_in_the_law() -> None:
    assert {atom.predicate for atom in ATOMS} == set(REGISTRY)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 30))
def test_step_and_batch_agree_to_the_bit(seed: int, steps: int) -> None:
    trace = random_trace(seed, steps, furnished_scene())
    stepped = Grounder(trace.scene, trace.channels, trace.control_rate_hz, ATOMS)
    rows, details = [], []
    for frame in trace.frames():
        _, grounding = stepped.step(frame)
        rows.append(grounding.margins)
        details.append([grounding.detail(index) for index in range(len(ATOMS))])
    _, batch = Grounder(trace.scene, trace.channels, trace.control_rate_hz, ATOMS).run(trace)
    assert np.array(rows).tobytes() == batch.margins.tobytes()
    for t in range(steps):
        assert details[t] == [batch.detail(t, index) for index in range(len(ATOMS))]
    stepped.reset()
    assert np.array(stepped.step(trace.frame(0))[1].margins).tobytes() == batch.margins[:1].tobytes()


def test_the_law_is_about_both_truth_values() -> None:
    """Noise must make each atom true and false at some time, or the law above would be about nothing."""
    traces = [random_trace(seed, 60, furnished_scene()) for seed in range(4)]
    series = np.concatenate([Grounder(t.scene, t.channels, 20.0, ATOMS).run(t)[1].margins > 0 for t in traces])
    for index, atom in enumerate(ATOMS):
        assert series[:, index].any(), atom.name
        assert not series[:, index].all(), atom.name


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.02, 0.05, 0.1]), st.sampled_from([15.0, 30.0, 45.0]))
def test_thresholds_are_monotone(seed: int, fall: float, tilt: float) -> None:
    """A stricter threshold never makes an unsafe frame safe."""
    trace = random_trace(seed, 40)

    def truth(predicate: str, **change: float) -> np.ndarray:
        values = {"dropped": dict(DROPPED), "upright": {}}[predicate] | change
        atom = Atom("p", predicate, OBJECTS, (), tuple(values.items()), "any" if predicate == "dropped" else "all")
        return Grounder(trace.scene, trace.channels, 20.0, [atom]).run(trace)[1].margins[:, 0] > 0

    assert (truth("dropped", fall=fall) >= truth("dropped", fall=fall * 1.5)).all()
    assert (truth("dropped", landing_speed=0.8) >= truth("dropped", landing_speed=1.1)).all()
    assert (truth("upright", max_tilt=tilt) <= truth("upright", max_tilt=tilt + 5.0)).all()


def test_quantifiers_and_the_deciding_entity() -> None:
    def tip(_: int, hand: Hand) -> None:
        hand.quat_wxyz["glass"] = (0.9238795, 0.3826834, 0.0, 0.0)  # 45 degrees
        hand.quat_wxyz["vase"] = (0.9659258, 0.2588190, 0.0, 0.0)  # 30 degrees

    trace = record(clutter_scene(), 1, tip)
    both = [
        Atom("all", "upright", OBJECTS, (), (("max_tilt", 40.0),), "all"),
        Atom("any", "upright", OBJECTS, (), (("max_tilt", 40.0),), "any"),
        Atom("of_two", "upright", ("cup", "vase"), (), (("max_tilt", 40.0),), "all"),
    ]
    _, grounding = Grounder(trace.scene, trace.channels, 20.0, both).run(trace)
    assert grounding.margins[0] == pytest.approx([-5.0, 40.0, 10.0], abs=1e-2)
    worst = grounding.detail(0, 0)
    assert (worst.entity, worst.quantity.name, worst.quantity.unit) == ("glass", "tilt", "deg")
    assert worst.value == pytest.approx(45.0, abs=1e-2)
    assert grounding.detail(0, 2).entity == "vase"


def test_the_margin_of_a_drop_says_which_of_its_two_quantities() -> None:
    def slam(step: int, hand: Hand) -> None:
        hand.contacts = [item for item in hand.contacts if item["b"] != "cup" or step != 1]
        hand.descent_m_s["cup"] = 1.5 if step == 2 else 0.0

    trace = record(clutter_scene(), 4, slam)
    _, grounding = Grounder(trace.scene, trace.channels, 20.0, [Atom("p", "dropped", ("cup",), (), DROPPED)]).run(trace)
    assert grounding.margins[2, 0] == pytest.approx((1.5**2 - 1.0) / (2 * 9.81), abs=1e-6)
    assert grounding.detail(2, 0).quantity.name == "landing speed"
    assert grounding.detail(2, 0).value == pytest.approx(1.5)


class TestFailClosed:
    def build(self, *atoms: Atom, **more: object) -> Grounder:
        return Grounder(furnished_scene(), more.get("channels", simulation_channels()), 20.0, atoms)

    def test_unknown_predicate(self) -> None:
        with pytest.raises(
            GroundingError, match="unknown predicate 'shattered'; the predicates are above, approached, at_rest"
        ):
            self.build(Atom("p", "shattered", ("cup",)))
        assert predicate_named("dropped").name == "dropped"

    def test_unknown_entity(self) -> None:
        with pytest.raises(Exception, match="no entity 'mug'; it has cup, floor, glass, panda, table, vase"):
            self.build(Atom("p", "upright", ("mug",), (), (("max_tilt", 45.0),)))

    def test_no_entity(self) -> None:
        with pytest.raises(GroundingError, match="'p' is about no entity"):
            self.build(Atom("p", "upright", (), (), (("max_tilt", 45.0),)))

    def test_missing_and_superfluous_parameters(self) -> None:
        with pytest.raises(GroundingError, match="missing or unknown: max_tilt; 'upright' takes max_tilt"):
            self.build(Atom("p", "upright", ("cup",)))
        with pytest.raises(GroundingError, match="missing or unknown: speed"):
            self.build(Atom("p", "upright", ("cup",), (), (("max_tilt", 45.0), ("speed", 1.0))))

    def test_other_side(self) -> None:
        with pytest.raises(GroundingError, match="'contact' needs entities as `to`"):
            self.build(Atom("p", "contact", ("cup",), (), (("min_force", 0.0),)))
        with pytest.raises(GroundingError, match="'upright' takes no `to`"):
            self.build(Atom("p", "upright", ("cup",), ("glass",), (("max_tilt", 45.0),)))

    @pytest.mark.parametrize("atom", ATOMS, ids=lambda atom: atom.name)
    def test_each_needed_channel(self, atom: Atom) -> None:
        for channel in predicate_named(atom.predicate).channels:
            channels = without(simulation_channels(), channel)
            assert self.build(atom, channels=channels).missing == {atom.name: channel}
        unneeded = set(simulation_channels()) - set(predicate_named(atom.predicate).channels)
        assert self.build(atom, channels=without(simulation_channels(), *unneeded)).missing == {}
