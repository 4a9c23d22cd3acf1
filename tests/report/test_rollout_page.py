from __future__ import annotations

import dataclasses

import pytest

from maniguard.report.html import write_pages

from .samples import RATE_HZ, detail, rollout, run_view


@pytest.fixture(scope="module")
def report(tmp_path_factory, video):
    view = run_view(tasks=7, families=("clutter",))
    rollouts = tuple(dataclasses.replace(r, video=video if r.row.seed == 1 else None) for r in view.rollouts)
    out = tmp_path_factory.mktemp("report")
    write_pages(dataclasses.replace(view, rollouts=rollouts), out, detail)
    return rollouts, out


def address(report, pick):
    rollouts, out = report
    chosen = next(r for r in rollouts if pick(r))
    return chosen, (out / "rollouts" / f"{chosen.rollout_id}.html").as_uri()


def broken(r):
    return bool(r.violated) and r.video is None


def step(page) -> int:
    return page.run("MG.place.clock.step")


def test_it_draws_itself_and_asks_for_nothing(report, page):
    chosen, where = address(report, broken)
    page.open(where)
    assert page.requests == [where]
    text = page.texts("main")[0]
    assert chosen.instruction in text
    assert chosen.episodes[0].evidence in text
    verdicts = "[...document.querySelectorAll('.verdicts li')]"
    marks = dict(page.run(f"{verdicts}.map(n => [n.dataset.rule, n.querySelector('.mark').innerText])"))
    assert {name for name, mark in marks.items() if mark == "✕ violated"} == set(chosen.violated)
    assert set(marks) == set(chosen.row.constraints)


def test_the_time_line_starts_at_the_first_violation_and_reads_off_what_held_then(report, page):
    chosen, where = address(report, broken)
    page.open(where)
    assert step(page) == round(chosen.violated_s * RATE_HZ)
    readings = page.texts("text.value")
    assert sum("violated · q1" in text for text in readings) == 1
    assert sum("satisfied · q0" in text for text in readings) == 3
    page.run("MG.place.clock.seek(0)")
    assert "not engaged" in page.texts("text.value")
    assert not any("violated" in text for text in page.texts("text.value"))


def test_bands_stand_where_the_automaton_changed(report, page):
    chosen, where = address(report, broken)
    page.open(where)
    edges = page.run(
        "(() => { const line = document.querySelector('.timeline svg');"
        " const lane = line.querySelector('.lane').getBBox();"
        " const bad = line.querySelector('.v3').getBBox();"
        " return [bad.x, bad.x + bad.width].map(x => (x - lane.x) / lane.width); })()"
    )
    assert edges[0] == pytest.approx(chosen.violated_s * RATE_HZ / 159, abs=0.005)
    assert edges[1] == pytest.approx(1.0, abs=0.005)


def test_keys_step_zoom_and_play(report, page):
    _, where = address(report, broken)
    page.open(where)
    page.run("MG.place.clock.seek(40)")
    page.press("ArrowRight", ".timeline")
    assert step(page) == 41
    page.press("Home", ".timeline")
    assert step(page) == 0
    page.press("+", ".timeline")
    assert page.run("MG.place.timeline.view.to - MG.place.timeline.view.from") == pytest.approx(0.6 * 159)
    page.press("0", ".timeline")
    assert page.run("[MG.place.timeline.view.from, MG.place.timeline.view.to]") == [0, 159]
    page.run("document.getElementById('play').click()")
    page.wait_for("MG.place.clock.step > 5")
    page.run("document.getElementById('play').click()")
    assert page.run("MG.place.clock.running") is False


def test_dragging_zooms_and_clicking_seeks(report, page):
    _, where = address(report, broken)
    page.open(where)
    box = page.run(
        "(() => { const svg = document.querySelector('.timeline svg');"
        " svg.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const lane = svg.querySelector('.lane').getBoundingClientRect();"
        " return [lane.left, lane.width, lane.top + 4]; })()"
    )
    left, width, y = box

    def mouse(kind: str, share: float) -> None:
        page.call(
            "Input.dispatchMouseEvent", type=kind, x=left + share * width, y=y, button="left", buttons=1, clickCount=1
        )

    mouse("mousePressed", 0.25)
    mouse("mouseReleased", 0.25)
    assert step(page) == pytest.approx(0.25 * 159, abs=1)
    mouse("mousePressed", 0.5)
    mouse("mouseMoved", 0.6)
    mouse("mouseMoved", 0.75)
    mouse("mouseReleased", 0.75)
    assert page.run("[MG.place.timeline.view.from, MG.place.timeline.view.to]") == pytest.approx(
        [0.5 * 159, 0.75 * 159], abs=1
    )


def test_all_propositions_can_be_shown(report, page):
    _, where = address(report, broken)
    page.open(where)
    names = "[...document.querySelectorAll('.timeline .label.soft')].map(n => n.lastChild.textContent)"
    few = page.run(names)
    page.run(
        "[...document.querySelectorAll('.transport button')].find(n => n.innerText === 'All propositions').click()"
    )
    everything = page.run(names)
    assert len(everything) > len(few)
    assert {"in_goal(target)", "upright(obstacles)", "dropped(target)"} <= set(everything)


def test_the_replay_draws_and_moves(report, page):
    _, where = address(report, broken)
    page.open(where)
    picture = "document.querySelector('canvas').toDataURL()"
    page.run("MG.place.clock.seek(0)")
    start = page.run(picture)
    page.run("MG.place.clock.seek(150)")
    later = page.run(picture)
    page.run("MG.place.clock.seek(0)")
    assert start != later
    assert page.run(picture) == start
    colours = page.run(
        "(() => { const c = document.querySelector('canvas');"
        " const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
        " return new Set(d).size; })()"
    )
    assert colours > 20


def test_video_and_time_line_follow_each_other(report, page):
    _, where = address(report, lambda r: r.video is not None and r.trace_digest)
    page.open(where)
    page.wait_for("document.querySelector('video').readyState >= 2")
    page.run("MG.place.clock.seek(50)")
    page.wait_for("!document.querySelector('video').seeking")
    assert page.run("document.querySelector('video').currentTime") == pytest.approx(50.25 / RATE_HZ, abs=0.01)
    page.run("document.querySelector('video').currentTime = 100.3 / 20")
    page.wait_for("MG.place.clock.step === 100")
    page.run("MG.place.clock.play()")
    page.wait_for("MG.place.clock.step > 104")
    page.run("MG.place.clock.pause()")
    assert page.run("document.querySelector('video').paused") is True


def test_a_rollout_without_a_trace_says_why(page, tmp_path):
    view = run_view(tasks=1)
    lost = rollout(0, "base", 0, "infra-error")
    write_pages(dataclasses.replace(view, rollouts=(lost,)), tmp_path, detail)
    page.open((tmp_path / "rollouts" / f"{lost.rollout_id}.html").as_uri())
    assert "the worker process died 3 times" in page.texts("main")[0]
    assert "No trace was kept" in page.texts("main")[0]
    assert page.texts("h1 .badge")[0].endswith("Outside n")


@pytest.mark.parametrize("frames", [1, 2])
def test_a_trace_of_a_moment_can_be_shown(page, tmp_path, frames):
    view = run_view(tasks=1)
    short = rollout(0, "base", 0, "policy-fault")
    write_pages(dataclasses.replace(view, rollouts=(short,)), tmp_path, lambda item: detail(item, frames=frames))
    page.open((tmp_path / "rollouts" / f"{short.rollout_id}.html").as_uri())
    page.run("document.getElementById('play').click()")
    assert "NaN" not in page.texts("main")[0]


def test_a_single_file_holds_index_and_rollouts(page, tmp_path, video):
    view = run_view(tasks=2, families=("clutter",), conditions=("base",), video=video)
    where = write_pages(view, tmp_path, detail, single_file=True).as_uri()
    page.open(where)
    page.run("document.querySelector('#rollouts tbody a').click()")
    page.wait_for("document.querySelector('.timeline svg')")
    assert page.texts("h1")[0].startswith(view.rollouts[0].rollout_id)
    page.wait_for("document.querySelector('video').readyState >= 2")
    page.run("document.querySelector('a[rel=next]').click()")
    page.wait_for(f"document.querySelector('h1').innerText.startsWith('{view.rollouts[1].rollout_id}')")
    page.run("document.querySelector('.crumbs a').click()")
    page.wait_for("document.querySelector('.figures')")
    assert page.requests[0] == where
    assert all(address.startswith("data:") for address in page.requests[1:])


def test_a_narrow_window_does_not_scroll_sideways(report, page):
    _, where = address(report, broken)
    page.open(where, width=420)
    assert page.run("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_replay_shows_in_red_what_breaks_a_rule(report, page):
    chosen, where = address(report, lambda r: r.outcome == "unsucc_unsafe" and "obstacles_upright" in r.violated)
    page.open(where)
    red = (
        "(() => { const c = document.querySelector('canvas'); const k = document.createElement('canvas');"
        " k.width = c.width; k.height = c.height; const x = k.getContext('2d', {willReadFrequently: true});"
        " x.drawImage(c, 0, 0); const d = x.getImageData(0, 0, c.width, c.height).data; let n = 0;"
        " for (let i = 0; i < d.length; i += 4) n += d[i] > d[i + 1] + 60 && d[i] > d[i + 2] + 60; return n; })()"
    )
    start = round(chosen.violated_s * RATE_HZ)
    page.run(f"MG.place.clock.seek({start - 1})")
    assert page.run(red) == 0
    page.run(f"MG.place.clock.seek({start})")
    assert page.run(red) > 100
