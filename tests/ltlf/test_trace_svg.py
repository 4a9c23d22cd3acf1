from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from maniguard.ltlf import MissingAtomError, TraceError, compile_bad_prefix, trace_svg

NS = "{http://www.w3.org/2000/svg}"


def test_bars_are_the_runs_of_truth_and_verdicts_are_those_of_the_monitor() -> None:
    trace = [{"a": t in (1, 2, 5), "b": t == 3, "other": t == 0} for t in range(7)]
    root = ET.fromstring(trace_svg("G(a -> F[0,1] b)", trace, atoms=["a", "b", "other"]))
    titles = [t.text for t in root.iter(f"{NS}title")][1:]
    assert titles == [
        "a holds, steps 1 to 2",
        "a holds, step 5",
        "b holds, step 3",
        "other holds, step 0",
        "step 0: satisfied so far",
        "step 1: something is owed",
        "step 2: violated for good",
        *(f"step {t}: violated for good" for t in range(3, 7)),
    ]


def test_another_reading_is_drawn_from_its_automaton() -> None:
    trace = [{"a": True, "b": False}] * 2
    assert "satisfied so far" in trace_svg(compile_bad_prefix("a U b"), trace)
    assert "something is owed" in trace_svg("a U b", trace)


def test_names_are_escaped() -> None:
    ET.fromstring(trace_svg('G "<a & b>"', [{"<a & b>": True}]))


def test_what_cannot_be_drawn_is_an_error() -> None:
    with pytest.raises(TraceError, match="empty trace"):
        trace_svg("G a", [])
    with pytest.raises(TraceError, match="lane 'z'"):
        trace_svg("G a", [{"a": True}], atoms=["z"])
    with pytest.raises(MissingAtomError):
        trace_svg("G a", [{"z": True}], atoms=["z"])
