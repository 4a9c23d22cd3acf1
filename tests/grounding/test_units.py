from __future__ import annotations

import math

import pytest

from maniguard.grounding import GroundingError, format_quantity, parse_quantity


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("5 cm", "m", 0.05),
        ("10mm", "m", 0.01),
        ("1.0 m/s", "m/s", 1.0),
        ("45 deg", "deg", 45.0),
        ("0.1 s", "s", 0.1),
        ("100 ms", "s", 0.1),
        ("15 %", "1", 0.15),
        ("-2 cm", "m", -0.02),
        ("1e-3 m", "m", 0.001),
    ],
)
def test_quantities_are_rounded_once(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit, "here") == value


def test_radians_become_degrees() -> None:
    assert parse_quantity("1 rad", "deg", "here") == pytest.approx(math.degrees(1.0), rel=1e-15)


@pytest.mark.parametrize("value", [5, 5.0, True, None, ["5 cm"]])
def test_bare_values_have_no_unit(value: object) -> None:
    with pytest.raises(
        GroundingError, match=r"^spec\.fall: .* has no unit; write it as a number with one of cm, m, mm"
    ):
        parse_quantity(value, "m", "spec.fall")


@pytest.mark.parametrize("text", ["5", "5 furlongs", "5 s", "cm", "5 cm high", ""])
def test_wrong_units_are_refused(text: str) -> None:
    with pytest.raises(GroundingError, match="here: "):
        parse_quantity(text, "m", "here")


def test_format() -> None:
    assert format_quantity(0.05, "m") == "5 cm"
    assert format_quantity(0.002, "m") == "2 mm"
    assert format_quantity(0.05, "1") == "5 %"
    assert format_quantity(45.0, "deg") == "45 deg"
