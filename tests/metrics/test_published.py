"""Published figures as data: counts in, printed digits out."""

from __future__ import annotations

import random

import pytest

from maniguard.metrics import ConstraintOutcome, RolloutRow, cell, dashed, per_trigger, percent

from .builders import from_counts, row

# One policy, 600 rollouts in distribution (200 tasks, 3 seeds): rates as printed.
MAIN = {
    "success": "31.83",
    "safe": "82.50",
    "ssr": "29.83",
    "succ_unsafe": "2.00",
    "unsucc_safe": "52.67",
    "eng": "83.67",
    "eng_safe": "66.17",
}
# What the printed rates imply by the identities, of the same 600.
IMPLIED = {"svr": "17.50", "unsucc_unsafe": "15.50", "vacuous_safe": "16.33"}

# Clutter, base condition, 55 tasks x 3 seeds: success-safe, success-unsafe, unsuccess-safe, unsuccess-unsafe, engaged.
CLUTTER = {
    "zero-shot": ((0, 0, 165, 0), 30, {"ssr": "0.00", "evr": "0.00", "eng": "18.18", "safe_given_eng": "100.00"}),
    "pi0": ((134, 0, 31, 0), 165, {"ssr": "81.21", "evr": "0.00", "eng": "100.00", "success": "81.21"}),
    "pi0.5": ((132, 0, 33, 0), 145, {"ssr": "80.00", "evr": "0.00", "eng": "87.88", "success": "80.00"}),
    "gr00t": ((85, 0, 80, 0), 156, {"ssr": "51.52", "evr": "0.00", "eng": "94.55", "success": "51.52"}),
}

# Per occasion, one policy and one property over tasks: occasions and violations summed before dividing.
OCCASIONS = [(48, 183, 3.8125), (208, 391, 1.880)]


@pytest.mark.parametrize("name", CLUTTER)
def test_counts_of_the_clutter_table(name):
    (succ_safe, succ_unsafe, unsucc_safe, unsucc_unsafe), engaged, printed = CLUTTER[name]
    broken = succ_unsafe + unsucc_unsafe
    rows = from_counts(
        {
            (True, True, True): succ_safe,
            (True, False, True): succ_unsafe,
            (False, False, True): unsucc_unsafe,
            (False, True, True): engaged - succ_safe - broken,
            (False, True, False): unsucc_safe - (engaged - succ_safe - broken),
        },
        tasks=55,
    )
    random.Random(name).shuffle(rows)
    found = cell(rows)
    assert found["n"] == 165
    for rate, digits in printed.items():
        assert percent(found[rate]["pooled"]) == digits
    assert percent(found["ssr"]["value"]) == printed["ssr"]
    assert percent(found["safe"]["value"]) == "100.00"
    assert found["ladder"]["success"] == succ_safe
    assert found["ladder"].get("unknown", 0) == 165 - succ_safe
    assert [round(found[k]["pooled"] * 165) for k in ("ssr", "succ_unsafe", "unsucc_safe", "unsucc_unsafe")] == list(
        CLUTTER[name][0]
    )
    assert round(found["eng"]["pooled"] * 165) == engaged


def test_the_main_row_has_one_table_of_counts_and_gives_back_every_printed_digit():
    counts = {name: round(float(text) * 6) for name, text in MAIN.items()}
    assert counts == {
        "success": 191, "safe": 495, "ssr": 179, "succ_unsafe": 12, "unsucc_safe": 316, "eng": 502, "eng_safe": 397,
    }  # fmt: skip
    rows = from_counts(
        {
            (True, True, True): counts["ssr"],
            (True, False, True): counts["succ_unsafe"],
            (False, True, True): counts["eng_safe"] - counts["ssr"],
            (False, True, False): counts["safe"] - counts["eng_safe"],
            (False, False, True): counts["eng"] - counts["eng_safe"] - counts["succ_unsafe"],
        },
        tasks=200,
    )
    found = cell(rows)
    assert {name: percent(found[name]["pooled"]) for name in (*MAIN, *IMPLIED)} == {**MAIN, **IMPLIED}
    # Of the successes, 6.28 % are unsafe: the lower end of the published 6 to 21 %.
    assert percent(counts["succ_unsafe"] / counts["success"]) == "6.28"


def test_published_main_row_reproduces_with_its_conditional_rate_averaged_over_seeds():
    # 600 rollouts = 200 tasks x 3 seeds; per seed (ssr, succ unsafe, engaged safe unsuccessful, unengaged, the rest).
    # Pooled, 397 of 502 engaged are safe: 79.08. The printed 79.07 is the mean over seeds, so both must be kept apart.
    per_seed = [(60, 4, 77, 30, 29), (60, 4, 70, 34, 32), (59, 4, 71, 34, 32)]
    rows = []
    for seed, (ssr, succ_unsafe, eng_safe, vacuous, unsafe) in enumerate(per_seed):
        outcomes = (
            [(True, True, True)] * ssr
            + [(True, False, True)] * succ_unsafe
            + [(False, True, True)] * eng_safe
            + [(False, True, False)] * vacuous
            + [(False, False, True)] * unsafe
        )
        assert len(outcomes) == 200
        rows += [row(f"t{k}", seed, success=s, safe=v, engaged=e) for k, (s, v, e) in enumerate(outcomes)]
    c = cell(rows)
    assert {key: percent(c[key]["value"]) for key in MAIN} == MAIN
    assert percent(c["safe_given_eng"]["pooled"]) == "79.08"
    assert percent(c["safe_given_eng"]["value"]) == "79.07"


@pytest.mark.parametrize(
    ("tasks", "successes", "ssr"),
    [
        (55, 105, "63.64"),
        (55, 111, "67.27"),
        (55, 129, "78.18"),
        (55, 132, "80.00"),
        (26, 21, "26.92"),
        (26, 19, "24.36"),
        (26, 11, "14.10"),
    ],
)
def test_published_study_rates_reproduce(tasks, successes, ssr):
    rows = from_counts({(True, True, True): successes, (False, True, True): 3 * tasks - successes}, tasks=tasks)
    assert percent(cell(rows)["ssr"]["value"]) == ssr


@pytest.mark.parametrize(("occasions", "violations", "ratio"), OCCASIONS)
def test_rates_per_occasion_are_ratios_of_sums_and_may_exceed_one(occasions, violations, ratio):
    half = occasions // 2
    rows = [
        RolloutRow(
            "f", f"t{k}", "base", 0, "completed", False, False, True,
            constraints={
                "hygiene": ConstraintOutcome(
                    True, episodes=broken, triggers={"violated": triggers}, triggered=True, category="contamination"
                )
            },
        )
        for k, (triggers, broken) in enumerate([(half, 1), (occasions - half, violations - 1)])
    ]  # fmt: skip
    table = per_trigger(rows)
    for entry in (table["constraints"]["hygiene"], table["categories"]["contamination"], table["overall"]):
        assert (entry["triggers"], entry["violations"]) == (occasions, violations)
        assert entry["violations_per_trigger"]["value"] == pytest.approx(ratio, abs=0.0005)


def test_degenerate_cells_are_dashed_and_their_means_are_over_the_seeds_that_define_them():
    # Nobody engaged: not defined. One seed without any: the mean is over the other two, and the cell is dashed.
    none = [row(f"t{k}", s) for k in range(20) for s in range(3)]
    assert cell(none)["evr"] == {"value": None, "pooled": None, "low": None, "high": None}
    assert dashed(none) == {"evr", "safe_given_eng"}
    some = [row(f"t{k}", s, engaged=s > 0, safe=s != 2 or k > 4) for k in range(20) for s in range(3)]
    found = cell(some)
    assert found["evr"]["value"] == pytest.approx((0 + 5 / 20) / 2)
    assert found["evr"]["pooled"] == pytest.approx(5 / 40)
    assert found["dashed"] == ["evr", "safe_given_eng"]
    # One seed: both versions agree, and the interval is the exact one.
    one = cell([row(f"t{k}", engaged=True, safe=k > 2) for k in range(12)])
    assert one["evr"]["value"] == one["evr"]["pooled"] == 0.25
    assert "dashed" not in one
    nine = cell([row(f"t{k}", engaged=True) for k in range(9)])
    assert nine["dashed"] == ["evr", "safe_given_eng"]
    assert nine["evr"]["pooled"] == 0.0
    assert nine["evr"]["high"] > 0.3
