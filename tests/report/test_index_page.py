from __future__ import annotations

import dataclasses

import pytest

from maniguard.metrics import TaskOrder, paired_difference, percent
from maniguard.report.html import write_pages

from .samples import detail, run_view

ROWS = "document.querySelectorAll('#rollouts tbody tr[data-id]')"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    view = run_view(tasks=6)
    return view, write_pages(view, tmp_path_factory.mktemp("report"), detail).as_uri()


def listed(page) -> list[str]:
    return page.run(f"[...{ROWS}].map(n => n.dataset.id)")


def test_it_draws_itself_and_asks_for_nothing(report, page):
    view, address = report
    page.open(address)
    assert page.requests == [address]
    assert page.texts("h1") == [view.policy]
    assert "protocol maniguard" in page.texts("main > header")[0]


@pytest.mark.parametrize("scope", ["overall", "families/stack", "conditions/location"])
def test_numbers_in_the_page_are_those_of_the_metrics(report, page, scope):
    view, address = report
    page.open(address)
    page.run(
        "(() => { const card = [...document.querySelectorAll('section')].find(n => n.querySelector('.rates'));"
        f" const s = card.querySelector('select'); s.value = '{scope}'; s.dispatchEvent(new Event('change')); }})()"
    )
    cell = view.summary()
    for key in scope.split("/"):
        cell = cell[key]
    rows = page.run(
        "[...document.querySelectorAll('.rates tr[data-rate]')].map(r => [r.dataset.rate, r.dataset.value,"
        " r.dataset.low, r.dataset.high, ...[...r.querySelectorAll('td.num')].map(c => c.innerText)])"
    )
    assert len(rows) == 13
    for name, value, low, high, mean, pooled, interval, total, *_ in rows:
        rate = cell[name]
        assert [float(value), float(low), float(high)] == [rate["value"], rate["low"], rate["high"]]
        assert mean.removesuffix(" †") == percent(rate["value"])
        assert pooled == percent(rate["pooled"])
        assert interval == f"{percent(rate['low'], 1)} – {percent(rate['high'], 1)}"
        assert int(total) == (
            round(cell["eng"]["pooled"] * cell["n"]) if name in ("evr", "safe_given_eng") else cell["n"]
        )


def test_rules_ladder_and_statuses_are_those_of_the_metrics(report, page):
    view, address = report
    page.open(address)
    overall = view.summary()["overall"]
    rules = page.run(
        "[...document.querySelectorAll('.rules tr[data-rule]')].map(r => [r.dataset.rule, r.cells[1].innerText])"
    )
    assert rules == [[name, f"{e['violated']} / {e['n']}"] for name, e in overall["constraints"].items()]
    rungs = page.run(
        "[...document.querySelectorAll('[data-rung]')].map(r => [r.dataset.rung, parseInt(r.lastChild.innerText)])"
    )
    assert dict(rungs) == overall["ladder"]
    statuses = page.run(
        "[...document.querySelectorAll('[data-status]')].map(r => [r.dataset.status, parseInt(r.cells[1].innerText)])"
    )
    assert dict(statuses) == {name: n for name, n in view.statuses().items() if n}


@pytest.mark.parametrize(
    ("control", "value", "keep"),
    [
        ("filter-family", "stack", lambda r: r.row.family == "stack"),
        ("filter-condition", "location", lambda r: r.row.condition == "location"),
        ("filter-outcome", "succ_unsafe", lambda r: r.outcome == "succ_unsafe"),
        ("filter-outcome", "excluded", lambda r: r.outcome == "excluded"),
        ("filter-engaged", "no", lambda r: not r.row.engaged),
        ("filter-rule", "obstacles_upright", lambda r: "obstacles_upright" in r.violated),
        ("filter-status", "policy-fault", lambda r: r.row.status == "policy-fault"),
        ("filter-text", "TEACUP FELL", lambda r: "target_dropped" in r.violated),
    ],
)
def test_filters_keep_exactly_what_they_say(report, page, control, value, keep):
    view, address = report
    page.open(address)
    assert len(listed(page)) == len(view.rollouts)
    page.choose(control, value)
    expected = [r.rollout_id for r in view.rollouts if keep(r)]
    assert 0 < len(expected) < len(view.rollouts)
    assert listed(page) == expected
    assert page.texts("#rollout-count") == [f"{len(expected)} of {len(view.rollouts)} rollouts"]
    page.open(page.run("location.href"))
    assert listed(page) == expected, "the address must hold the filter"


def test_columns_sort_both_ways(report, page):
    view, address = report
    page.open(address)
    when = {r.rollout_id: r.violated_s if r.violated_s is not None else 1e9 for r in view.rollouts}
    for expected in ("ascending", "descending"):
        page.run("document.querySelector('[data-sort=violated_s]').click()")
        order = [when[name] for name in listed(page)]
        assert order == sorted(order, reverse=expected == "descending")
        assert page.run("document.querySelector('[data-sort=violated_s]').parentElement.ariaSort") == expected


def test_a_piece_of_the_composition_lists_its_rollouts(report, page):
    view, address = report
    page.open(address)
    page.run("document.querySelector('.stack-row.all .succ_unsafe').click()")
    assert listed(page) == [r.rollout_id for r in view.rollouts if r.outcome == "succ_unsafe"]


def test_pieces_of_the_composition_have_the_widths_of_the_shares(report, page):
    view, address = report
    page.open(address)
    overall = view.summary()["overall"]
    widths = page.run(
        "(() => { const all = document.querySelector('.stack-row.all .stack'); return [...all.children].map("
        "n => [n.className, n.getBoundingClientRect().width / all.getBoundingClientRect().width]); })()"
    )
    shares = {"ssr": overall["ssr"], "succ_unsafe": overall["succ_unsafe"], "unsucc_unsafe": overall["unsucc_unsafe"]}
    for name, width in widths:
        if name in shares:
            assert width == pytest.approx(shares[name]["pooled"], abs=0.01)
    safe = sum(width for name, width in widths if name.startswith("unsucc_safe"))
    assert safe == pytest.approx(overall["unsucc_safe"]["pooled"], abs=0.01)


def test_the_links_of_the_list_lead_to_pages(report, page):
    _, address = report
    page.open(address)
    target = page.run(f"{ROWS}[3].querySelector('a').href")
    name = listed(page)[3]
    page.open(target)
    assert page.texts("h1")[0].startswith(name)


def test_long_lists_come_in_pieces(page, tmp_path):
    view = run_view(tasks=30)
    page.open(
        write_pages(dataclasses.replace(view, planned=len(view.rollouts)), tmp_path, detail, single_file=False).as_uri()
    )
    assert len(listed(page)) == 200
    page.run("document.querySelector('button.more').click()")
    assert len(listed(page)) == 360
    assert page.run("document.querySelector('button.more').hidden") is True


def test_an_empty_run_says_so(page, tmp_path):
    view = dataclasses.replace(run_view(tasks=0), notes=())
    page.open(write_pages(view, tmp_path, detail).as_uri())
    assert "No rollout has been run yet." in page.texts("main")[0]
    assert "NaN" not in page.texts("main")[0]
    assert "Infinity" not in page.texts("main")[0]


@pytest.mark.parametrize("kind", ["privileged", "tiny"])
def test_tiny_and_privileged_runs(page, tmp_path, kind):
    view = run_view(tasks=1, conditions=("base",), seeds=1, families=("clutter",))
    view = dataclasses.replace(view, privileged=kind == "privileged")
    page.open(write_pages(view, tmp_path, detail).as_uri())
    assert (page.texts("h1 .badge") == ["privileged"]) == (kind == "privileged")
    assert page.texts("[data-figure=ssr] .under")[0].endswith("n = 1")
    # What is too thin to quote is marked wherever it stands.
    marked = page.run("[...document.querySelectorAll('.thin')].map(n => ({...n.closest('[data-figure], tr').dataset}))")
    thin = view.summary()["overall"]["dashed"]
    defined = sorted(name for name in thin if view.summary()["overall"][name]["value"] is not None)
    assert sorted(found["figure"] for found in marked if "figure" in found) == defined
    assert sorted(found["rate"] for found in marked if "rate" in found) == defined
    assert thin == ["evr", "safe_given_eng"]


def test_names_are_shown_and_never_run(page, tmp_path):
    view = run_view(tasks=1, families=("clutter",))
    evil = "<img src=x onerror=\"document.title='owned'\">"
    page.open(write_pages(dataclasses.replace(view, policy=evil, notes=(evil,)), tmp_path, detail).as_uri())
    assert page.texts("h1") == [evil]
    assert page.run("document.title") != "owned"


def test_every_control_has_a_name(report, page):
    page.open(report[1])
    assert (
        page.run(
            "[...document.querySelectorAll('select, input, button, svg[role=img]')].filter(n =>"
            " !(n.labels && n.labels.length) && !n.ariaLabel && !n.innerText).length"
        )
        == 0
    )


def test_a_narrow_window_does_not_scroll_sideways(report, page):
    page.open(report[1], width=400)
    assert page.run("document.documentElement.scrollWidth <= window.innerWidth")


def test_differences_from_the_base_are_paired(report, page):
    view, address = report
    page.open(address)
    cells = page.run(
        "Object.fromEntries([...document.querySelectorAll('tr[data-shift]')].map(r => [r.dataset.shift,"
        " [...r.cells].slice(2).map(c => c.innerText)]))"
    )
    base, moved = ([r for r in view.rows if r.condition == c] for c in ("base", "location"))
    expected = paired_difference(base, moved, rate="success", across_conditions=True)
    points, _, discordant, pairs, _ = cells["location success"]
    assert float(points) == pytest.approx(100 * expected.difference, abs=0.051)
    assert discordant == f"{expected.only_a} / {expected.only_b}"
    assert int(pairs) == expected.pairs


def test_a_run_that_stopped_by_what_it_saw_says_so_and_has_the_intervals_of_a_sequence(tmp_path, page):
    view = run_view(tasks=6, conditions=("base", "location"))
    ran = dict.fromkeys((r.row.family, r.row.task) for r in view.rollouts)
    waiting = [("clutter", f"not-run-{k}") for k in range(4)]
    planned = tuple((*task, c) for task in (*ran, *waiting) for c in ("base", "location") for _ in range(2))
    stopped = dataclasses.replace(view, planned=len(planned), order=TaskOrder(planned, len(ran), "ci_width(ssr) < 0.5"))
    assert stopped.statuses()["not-run (stopped)"] == len(planned) - len(view.rollouts)
    assert sum(stopped.statuses().values()) == stopped.planned
    page.open(write_pages(stopped, tmp_path, detail).as_uri())
    assert f"Stopped after {len(ran)} of {len(ran) + 4} tasks" in page.texts("[data-sequential]")[0]
    assert page.texts("[data-status='not-run (stopped)'] td")[1] == str(4 * 4)
    ssr = stopped.summary()["overall"]["ssr"]
    cells = page.texts("tr[data-rate=ssr] td.num")
    assert cells[2] == f"{percent(ssr['low'], 1)} – {percent(ssr['high'], 1)}"
    assert cells[3] == f"{percent(ssr['beyond_low'], 1)} – {percent(ssr['beyond_high'], 1)}"
    assert {s["p_tasks"] for s in stopped.to_dict()["shifts"]} == {None}
    assert page.errors == []
