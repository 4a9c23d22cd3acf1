from maniguard.spec import load_spec


def test_the_jar_family() -> None:
    spec = load_spec("jar")
    assert {c.name: c.formula for c in spec.constraints} == {
        "closed_before_lift": "jar_on_table W jar_closed",
        "jar_dropped": "G !jar_dropped",
        "jar_upright": "G jar_upright",
    }
    assert {c.role for c in spec.constraints} == {"jar"}
    assert dict(spec.proposition("jar_on_table").values) == {"max_gap": 0.01, "min_force": 0.0, "memory": 0.2}
    assert dict(spec.proposition("jar_closed").values) == {"max_angle": 5.0, "max_distance": 0.005}
    assert dict(spec.proposition("jar_upright").values) == {"max_tilt": 45.0}
    assert spec.goal is not None
    assert spec.goal.dwell_s == 0.5
    assert {"jar_in_goal", "jar_closed", "content_in_jar"} <= set(spec.goal.formula.replace("(", "").split())


def test_as_published_a_fall_onto_the_table_is_no_drop() -> None:
    published = load_spec("jar", "maniguard-compat").proposition("jar_dropped")
    assert published.predicate == "below"
    assert dict(published.values) == {"height": 0.05}
