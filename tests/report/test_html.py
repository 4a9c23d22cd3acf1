from __future__ import annotations

import dataclasses
import json
import re

import pytest

from maniguard.metrics import to_json
from maniguard.report import html
from maniguard.report.html import ReportError, write_pages

from .samples import detail, rollout, run_view


def inlined(page: str, name: str):
    return json.loads(re.search(rf'id="{re.escape(name)}">(.*?)</script>', page, re.S).group(1))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    view = run_view(tasks=4)
    return view, write_pages(view, tmp_path_factory.mktemp("report"), detail)


def test_every_rollout_has_a_page_below_300_kb(report):
    view, index = report
    pages = {path.stem: path for path in (index.parent / "rollouts").iterdir()}
    assert set(pages) == {r.rollout_id for r in view.rollouts}
    assert max(path.stat().st_size for path in pages.values()) < 300_000


def test_a_long_rollout_with_many_propositions_stays_below_300_kb(tmp_path):
    view = dataclasses.replace(run_view(tasks=1), rollouts=(rollout(0, "base", 0, "tip"),))

    def long(item):
        made = detail(item, frames=700)
        tracks = [dataclasses.replace(t, name=f"{t.name}#{k}") for k in range(4) for t in made.propositions]
        return dataclasses.replace(made, propositions=tuple(tracks))

    write_pages(view, tmp_path, long)
    assert next((tmp_path / "rollouts").iterdir()).stat().st_size < 300_000


def test_metrics_json_beside_the_index_is_the_one_of_the_command_line(report):
    view, index = report
    assert (index.parent / "metrics.json").read_text() == to_json(view.summary())
    assert inlined(index.read_text(), "run")["metrics"] == view.summary()


def test_pages_name_no_host_and_hold_no_foreign_address(report):
    _, index = report
    for path in (index, *(index.parent / "rollouts").iterdir()):
        addresses = set(re.findall(r"\b(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", path.read_text()))
        assert addresses <= {"http://www.w3.org/2000/svg"}
        assert str(index.parent) not in path.read_text()


def test_the_same_run_gives_the_same_bytes(report, tmp_path):
    view, index = report
    again = write_pages(view, tmp_path, detail)
    assert again.read_bytes() == index.read_bytes()


def test_text_cannot_leave_its_element(tmp_path):
    view = run_view(tasks=1, families=("clutter",))
    evil = "</script><script>document.title='owned'</script><!--"
    rollouts = tuple(dataclasses.replace(r, instruction=evil, fault=evil) for r in view.rollouts)
    index = write_pages(dataclasses.replace(view, policy=evil, rollouts=rollouts), tmp_path, detail)
    for path in (index, *(tmp_path / "rollouts").iterdir()):
        text = path.read_text()
        assert "</script><script>document" not in text
        assert "<!--" not in text
    assert inlined(index.read_text(), "run")["policy"] == evil


def test_a_single_file_is_all_there_is(tmp_path, video):
    view = run_view(tasks=1, video=video)
    index = write_pages(view, tmp_path, detail, single_file=True)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    text = index.read_text()
    first = view.rollouts[0].rollout_id
    assert inlined(text, f"rollout:{first}")["id"] == first
    assert inlined(text, f"video:{first}").startswith("data:video/mp4;base64,")


def test_a_single_file_that_no_browser_could_open_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(html, "SINGLE_FILE_LIMIT_BYTES", 100_000)
    with pytest.raises(ReportError, match="without --single-file"):
        write_pages(run_view(tasks=2), tmp_path, detail, single_file=True)
    assert not (tmp_path / "index.html").exists()


def test_videos_of_the_run_are_linked_and_others_copied(tmp_path, video):
    view = run_view(tasks=1, families=("clutter",), video=video)
    run_folder = video.parent.parent
    name = view.rollouts[0].rollout_id
    write_pages(view, run_folder / "report", detail)
    place = inlined((run_folder / "report" / "rollouts" / f"{name}.html").read_text(), "place")
    assert place["video"] == "../../videos/clip.mp4"
    write_pages(view, tmp_path / "elsewhere", detail)
    place = inlined((tmp_path / "elsewhere" / "rollouts" / f"{name}.html").read_text(), "place")
    assert place["video"] == "../videos/clip.mp4"
    assert (tmp_path / "elsewhere" / "videos" / "clip.mp4").read_bytes() == video.read_bytes()
