from __future__ import annotations

import re
from pathlib import Path

import pytest

from maniguard.grounding import REGISTRY, Geometry, parse_quantity
from maniguard.ltlf import compile_bad_prefix, parse
from maniguard.spec import SpecError, bind, check, explain, library, load_spec, show

SMALL = """\
format: maniguard-spec/1
name: small
title: Small
summary: One rule.
bindings:
  cup: {entity: cup, count: 1}
defaults:
  upright: {max_tilt: 45 deg}
propositions:
  cup_upright: {predicate: upright, of: cup}
judging:
  post_success: 1 s
  episode_clear: 0.5 s
  evidence_window: 0.5 s
  settled_distance: 2 mm
  settled_angle: 1 deg
constraints:
  upright: {role: cup, severity: high, sentence: Stays upright., formula: G cup_upright}
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(*changes: tuple[str, str], text: str = SMALL) -> Path:
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "s.yaml"
        path.write_text(text)
        return path

    return write


def every_shipped() -> list[tuple[str, str]]:
    return [(name, variant) for name in library() for variant in load_spec(name).variants]


class TestLibrary:
    def test_the_clutter_family(self) -> None:
        spec = load_spec("clutter-dry")
        assert [c.name for c in spec.constraints] == [
            "target_dropped", "target_upright", "obstacles_dropped", "obstacles_upright",
        ]  # fmt: skip
        assert spec.variants == ("default", "maniguard-compat")
        assert dict(spec.proposition("target_dropped").values)["fall"] == 0.05
        assert dict(spec.proposition("obstacles_upright").values) == {"max_tilt": 45.0}
        assert spec.goal is not None
        assert spec.goal.dwell_s == 0.5

    def test_the_liquid_family_reports_the_brim_and_rules_on_it_in_a_variant(self) -> None:
        spec = load_spec("clutter-liquid")
        assert [c.name for c in spec.constraints] == [
            "liquid_spilled", "target_dropped", "target_upright", "obstacles_dropped", "obstacles_upright",
        ]  # fmt: skip
        assert dict(spec.proposition("liquid_spilled").values) == {"share": 0.05}
        assert not any("liquid_over_brim" in c.formula for c in spec.constraints)
        assert spec.proposition("liquid_over_brim").predicate == "over_brim"
        published = load_spec("clutter-liquid", "maniguard-compat")
        assert dict(published.proposition("liquid_spilled").values) == {"share": 0.15}
        assert published.proposition("target_dropped").predicate == "below"
        strict = load_spec("clutter-liquid", "strict-brim")
        assert strict.constraint("liquid_spilled").formula == "G !(liquid_spilled | liquid_over_brim)"

    @pytest.mark.parametrize("name", library())
    def test_no_findings(self, name: str) -> None:
        assert check(name) == ()

    @pytest.mark.parametrize(("name", "variant"), every_shipped())
    def test_show_reads_back_to_the_same(self, name: str, variant: str, tmp_path: Path) -> None:
        spec = load_spec(name, variant)
        path = tmp_path / "shown.yaml"
        path.write_text(show(spec))
        again = load_spec(path)
        assert again.propositions == spec.propositions
        assert again.constraints == spec.constraints
        assert (again.bindings, again.goal, again.ladder, again.judging) == (
            spec.bindings, spec.goal, spec.ladder, spec.judging,
        )  # fmt: skip
        assert check(path) == ()

    @pytest.mark.parametrize(("name", "variant"), every_shipped())
    def test_explain_names_every_rule_and_threshold(self, name: str, variant: str) -> None:
        spec = load_spec(name, variant)
        text = explain(spec)
        for constraint in spec.constraints:
            assert constraint.sentence in text
            assert constraint.formula in text
        for proposition in spec.propositions:
            assert proposition.name in text

    @pytest.mark.parametrize("name", library())
    def test_every_rule_can_be_kept_and_broken(self, name: str) -> None:
        for constraint in load_spec(name).constraints:
            dfa = compile_bad_prefix(parse(constraint.formula, rate_hz=20.0))
            assert set(dfa.accept) == {True, False}

    def test_unknown_names_list_the_valid_ones(self) -> None:
        with pytest.raises(
            SpecError, match=r"no specification is called 'cluter'; shipped are .*clutter-dry.*or give a file"
        ):
            load_spec("cluter")
        with pytest.raises(SpecError, match="no variant 'strictest'; it has default, maniguard-compat"):
            load_spec("clutter-dry", "strictest")
        with pytest.raises(SpecError, match="no proposition 'spilled'; it has obstacles_dropped"):
            load_spec("clutter-dry").proposition("spilled")


class TestDigest:
    def test_thresholds_count_and_words_do_not(self, write) -> None:
        base = load_spec(write()).digest
        assert load_spec(write(("One rule.", "A rule."), ("Stays upright.", "Never tips."))).digest == base
        assert load_spec(write(("45 deg", "44 deg"))).digest != base
        assert load_spec(write(("0.5 s\n  evidence", "0.6 s\n  evidence"))).digest != base
        assert load_spec(write(("G cup_upright", "G G cup_upright"))).digest != base

    def test_units_do_not_matter(self, write) -> None:
        assert load_spec(write(("2 mm", "0.2 cm"))).digest == load_spec(write()).digest

    def test_variants_differ(self) -> None:
        assert load_spec("clutter-dry").digest != load_spec("clutter-dry", "maniguard-compat").digest


class TestMistakes:
    @pytest.mark.parametrize(
        ("old", "new", "rule", "message"),
        [
            (
                "predicate: upright",
                "predicate: uprite",
                "unknown-predicate",
                r"unknown predicate 'uprite'; the .* upright",
            ),
            (
                "max_tilt: 45 deg",
                "tilt: 45 deg",
                "unknown-parameter",
                r"'upright' has no parameter 'tilt'; it has max_tilt",
            ),
            ("max_tilt: 45 deg", "max_tilt: 45", "unit", r"45 has no unit; write it as a number with one of deg, rad"),
            ("max_tilt: 45 deg", "max_tilt: 45 cm", "unit", r"'45 cm' is not a quantity in deg"),
            ("max_tilt: 45 deg", "max_tilt: 450 deg", "range", r"'450 deg' is beyond every angle"),
            ("max_tilt: 45 deg", "max_tilt: -1 deg", "range", r"'-1 deg' is below the least value 0 deg"),
            (
                "upright: {max_tilt: 45 deg}",
                "at_rest: {max_speed: 1 m/s}",
                "missing-parameter",
                r"needs 'max_tilt' in deg",
            ),
            ("of: cup", "of: mug", "unknown-binding", r"unknown role 'mug'; bound are cup"),
            ("of: cup", "of: cup, to: cup", "unknown-key", r"predicate 'upright' takes no 'to'"),
            (
                "G cup_upright",
                "G cup_upwrong",
                "unknown-proposition",
                r"unknown proposition 'cup_upwrong'; there are cup_",
            ),
            ("G cup_upright", "X cup_upright", "formula", r"X"),
            ("G cup_upright", "'G (cup_upright'", "formula", r""),
            ("count: 1}", "count: some}", "count", r"count is 'some'; write 1, 2-4, 1\+ or 0\+"),
            ("count: 1}", "count: 3-2}", "count", r"allows no number"),
            (
                "{entity: cup, count: 1}",
                "{entity: cup, count: 1+}",
                "missing-key",
                r"may be several entities; say quantifier",
            ),
            (
                "{entity: cup, count: 1}",
                "{count: 1}",
                "missing-key",
                r"no selector; use one or more of category, entity",
            ),
            ("severity: high", "severity: dire", "type", r"found 'dire', valid are high, low, medium"),
            ("severity: high, ", "", "missing-key", r"'severity' is missing"),
            ("  settled_angle: 1 deg\n", "", "missing-key", r"'settled_angle' is missing, in deg"),
            (
                "format: maniguard-spec/1",
                "format: maniguard-spec/2",
                "format",
                r"this version reads 'maniguard-spec/1'",
            ),
            ("title: Small", "titel: Small", "unknown-key", r"unknown key 'titel'"),
            ("of: cup}", "of: cup, filters: [{dwel: 1 s}]}", "filter", r"is no filter; valid are ago, debounce, dwell"),
            ("of: cup}", "of: cup, filters: [{dwell: 1 m}]}", "unit", r"'1 m' is not a quantity in s"),
            ("sentence: Stays upright., ", "", "missing-key", r"'sentence' is missing"),
            (
                "formula: G cup_upright",
                "trigger: cup_upright",
                "missing-key",
                r"'trigger' and 'obligation' belong together",
            ),
            ("  upright: {role", "  Up Right: {role", "name", r"'Up Right' is no name"),
        ],
    )
    def test_each_is_found_and_refused(self, write, old: str, new: str, rule: str, message: str) -> None:
        path = write((old, new))
        findings = check(path)
        assert any(f.rule == rule and re.search(message, f.message) for f in findings), [str(f) for f in findings]
        assert len({str(f) for f in findings}) == len(findings)
        with pytest.raises(SpecError) as caught:
            load_spec(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)

    def test_all_mistakes_are_told_at_once(self, write) -> None:
        findings = check(write(("45 deg", "45"), ("2 mm", "2"), ("severity: high", "severity: dire")))
        assert {f.rule for f in findings} == {"unit", "type"}
        assert len(findings) == 3

    def test_a_mistake_in_a_variant_is_told_as_such(self, write) -> None:
        path = write(text=SMALL + "variants:\n  loose:\n    defaults:\n      upright: {max_tilt: 60}\n")
        (finding,) = check(path)
        assert str(path) + " (loose)" in finding.where
        assert load_spec(path).variant == "default"
        with pytest.raises(SpecError, match=r"\(loose\)"):
            load_spec(path, "loose")

    def test_not_yaml_and_not_there(self, tmp_path: Path, write) -> None:
        with pytest.raises(SpecError, match="cannot be read: No such file"):
            check(tmp_path / "none.yaml")
        with pytest.raises(SpecError, match="not YAML"):
            check(write(("bindings:", "bindings: {")))
        with pytest.raises(SpecError, match="key 'cup' stands twice"):
            check(
                write(("  cup: {entity: cup, count: 1}", "  cup: {entity: cup, count: 1}\n  cup: {role: x, count: 1}"))
            )
        path = tmp_path / "list.yaml"
        path.write_text("- 1\n")
        with pytest.raises(SpecError, match="a specification is a mapping, not list"):
            check(path)

    def test_on_is_a_word(self, write) -> None:
        path = write(
            ("propositions:", "  table: {entity: table, count: 1}\npropositions:"),
            ("defaults:\n  upright: {max_tilt: 45 deg}\n  table", "  table"),
            (
                "predicate: upright, of: cup",
                "predicate: on, of: cup, to: table, max_gap: 1 cm, min_force: 0 N, memory: 0.2 s",
            ),
        )
        assert load_spec(path).proposition("cup_upright").predicate == "on"


class TestLints:
    @pytest.mark.parametrize(
        ("formula", "rule"),
        [
            ("G cup_upright & F !cup_upright", "unsatisfiable"),
            ("G (cup_upright | !cup_upright)", "valid"),
            ("F cup_upright", "never-violated"),
            ("G (cup_upright -> F !cup_upright)", "never-violated"),
        ],
    )
    def test_formulas_that_say_nothing(self, write, formula: str, rule: str) -> None:
        findings = check(write(("G cup_upright", f"'{formula}'")))
        assert [f.rule for f in findings] == [rule]

    def test_a_proposition_that_makes_no_difference(self, write) -> None:
        more = "  cup_slow: {predicate: at_rest, of: cup, max_speed: 1 m/s}\njudging:"
        path = write(("judging:", more), ("G cup_upright", "'G (cup_upright & (cup_slow | !cup_slow))'"))
        assert [f.rule for f in check(path)] == ["vacuous"]

    def test_unused(self, write) -> None:
        more = "  cup_slow: {predicate: at_rest, of: cup, max_speed: 1 m/s}\njudging:"
        path = write(("judging:", more), ("defaults:", "  glass: {entity: glass, count: 1}\ndefaults:"))
        assert sorted(f.where.split(": ")[1] for f in check(path)) == ["bindings.glass", "propositions.cup_slow"]

    @pytest.mark.parametrize(
        ("recovery", "empty"),
        [("F cup_upright", False), ("F (cup_upright | !cup_upright)", True), ("F !cup_upright", True), ("true", True)],
    )
    def test_a_recovery_must_be_news(self, write, recovery: str, empty: bool) -> None:
        path = write(("formula: G cup_upright", f"formula: G cup_upright, recovery: '{recovery}'"))
        assert ("empty-recovery" in [f.rule for f in check(path)]) == empty

    def test_a_trigger_and_its_obligation_make_the_formula(self, write) -> None:
        path = write(
            ("judging:", "  cup_slow: {predicate: at_rest, of: cup, max_speed: 1 m/s}\njudging:"),
            ("formula: G cup_upright", "trigger: '!cup_upright', obligation: 'F[0,5s] cup_slow'"),
        )
        assert check(path) == ()
        assert load_spec(path).constraint("upright").formula == "G((!cup_upright) -> (F[0,5s] cup_slow))"


class TestVariants:
    def test_entries_are_replaced_removed_and_added(self, write) -> None:
        text = SMALL + (
            "variants:\n"
            "  loose:\n"
            "    summary: Looser.\n"
            "    defaults:\n"
            "      upright: {max_tilt: 60 deg}\n"
            "    constraints:\n"
            "      upright: null\n"
            "      level: {role: cup, severity: low, sentence: Level., formula: G cup_upright}\n"
        )
        path = write(text=text)
        loose = load_spec(path, "loose")
        assert (loose.summary, loose.variant, loose.variants) == ("Looser.", "loose", ("default", "loose"))
        assert [c.name for c in loose.constraints] == ["level"]
        assert loose.proposition("cup_upright").values == (("max_tilt", 60.0),)
        assert load_spec(path).proposition("cup_upright").values == (("max_tilt", 45.0),)

    def test_nothing_to_remove_is_a_mistake(self, write) -> None:
        path = write(text=SMALL + "variants:\n  loose:\n    constraints: {tilted: null}\n")
        assert [f.message for f in check(path)] == ["there is no 'tilted' to remove"]


class TestRegistry:
    @pytest.mark.parametrize("name", sorted(REGISTRY))
    def test_parameters_are_documented_in_units_that_parse(self, name: str) -> None:
        kind = REGISTRY[name]
        assert kind.summary
        assert kind.__doc__
        for param in kind.params:
            assert param.summary
            assert parse_quantity(f"1 {param.unit}", param.unit, name) == 1.0

    @pytest.mark.parametrize("name", sorted(REGISTRY))
    def test_every_threshold_is_a_parameter(self, name: str) -> None:
        """No threshold stands in code: whatever a specification says is what is held against the measurement."""
        from synthetic_traces import furnished_scene

        kind = REGISTRY[name]
        # Some are about what has an inside, a rim or a drawer: the cup, and the vase.
        special = {"inside": (3,), "seated_on": (3,), "inside_unclean": (3,), "in_drawer_path": (5,)}
        to = () if kind.takes_to == "no" else special.get(name, (1,))
        for value in (3.0, 7.0):
            values = {param.name: value for param in kind.params}
            # The fingers are the robot's; everything else is measured on the cup.
            of = (2,) if name == "gripper_opens" else (3,)
            made = kind(Geometry(furnished_scene()), of, to, values, 20.0)
            goal_radius = 0.05 if name == "in_goal_sphere" else 0.0
            assert [quantity.threshold for quantity in made.quantities] == [value + goal_radius] * len(made.quantities)


class TestBind:
    def test_roles(self) -> None:
        from synthetic_traces import box_entity, clutter_scene

        spec = load_spec("clutter-dry")
        bound = bind(spec, clutter_scene())
        assert bound.roles["target"] == ("cup",)
        assert bound.roles["obstacles"] == ("glass", "vase")
        assert bound.roles["task"] == ("cup", "glass", "vase")
        assert not bound.empty
        assert {atom.name for atom in bound.atoms} == {p.name for p in spec.propositions}
        with pytest.raises(SpecError, match="role 'target'"):
            bind(spec, clutter_scene(box_entity("a", "obstacle"), box_entity("b", "obstacle")))

    def test_the_variant_binds_the_floor(self) -> None:
        from synthetic_traces import clutter_scene

        bound = bind(load_spec("clutter-dry", "maniguard-compat"), clutter_scene())
        dropped = next(atom for atom in bound.atoms if atom.name == "target_dropped")
        assert (dropped.predicate, dropped.to) == ("below", ("floor",))
