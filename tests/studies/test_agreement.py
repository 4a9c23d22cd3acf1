import json
import shutil
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maniguard.cli.main import main
from maniguard.evaluate import Run, open_run
from maniguard.report import SAMPLE_RUN
from maniguard.studies import Said, Session, StudyError, agree, annotate, read_annotations, with_monitor

RULE = "target_dropped"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    shutil.copytree(SAMPLE_RUN, tmp_path / "run")
    return open_run(tmp_path / "run")


class Page:
    """A session being served, as a browser would speak to it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        up = threading.Event()
        self.address = ""

        def ready(address: str) -> None:
            self.address = address
            up.set()

        threading.Thread(target=annotate, args=(session,), kwargs={"ready": ready}, daemon=True).start()
        assert up.wait(10)

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        return self._send(urllib.request.Request(self.address + path, headers=headers))

    def post(self, body: object, token: str | None = None) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"X-Token": self.session.token if token is None else token}
        return self._send(urllib.request.Request(self.address + "answer", data, headers))

    def _send(self, request: urllib.request.Request) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def answer(run: Run, *, said: str = "violated", rule: str = RULE, number: int = 0) -> dict[str, object]:
    rollout = run.plan.items[number].rollout_id
    return {"rollout": rollout, "rule": rule, "answer": said, "times_s": [1.5], "note": "fell"}


def test_an_answer_is_on_disk_before_it_is_acknowledged_and_survives_a_restart(run: Run) -> None:
    page = Page(Session(run, "ann", blind=True))
    assert page.post(answer(run))[0] == 200
    stored = read_annotations(run, "ann")
    assert stored.said[run.plan.items[0].rollout_id][RULE] == Said("violated", (1.5,), "fell")
    assert stored.blind
    again = Session(run, "ann", blind=True)
    assert again.annotations == stored
    with pytest.raises(StudyError, match="began this run blind"):
        Session(run, "ann", blind=False)


def test_a_blind_page_does_not_tell_what_the_monitor_found(run: Run) -> None:
    broken = next(r for r in run.results() if any(c["episodes"] for c in r["judgement"]["constraints"]))
    blind = Page(Session(run, "ann", blind=True)).get(f"rollout/{broken['rollout_id']}")[1].decode()
    seen = Page(Session(run, "bob", blind=False)).get(f"rollout/{broken['rollout_id']}")[1].decode()
    for word in ("PERM_VIOL", '"violated":true', '"machine":true', '"outcome"', "(limit "):
        assert word not in blind
    assert '"machine":true' in seen
    assert "(limit " in seen


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer": "maybe"}, 400),
        ({"rule": "no_such_rule"}, 400),
        ({"rollout": "../../etc"}, 400),
        ({"times_s": "soon"}, 400),
        ({"times_s": [-1]}, 400),
        ({"note": 3}, 400),
        ({"extra": 1}, 400),
    ],
)
def test_bad_answers_are_refused_and_change_nothing(run: Run, change: dict[str, object], status: int) -> None:
    page = Page(Session(run, "ann", blind=False))
    assert page.post(answer(run) | change)[0] == status
    assert not (run.path / "annotations").exists()


def test_strangers_are_refused(run: Run) -> None:
    page = Page(Session(run, "ann", blind=False))
    assert page.post(answer(run), token="guessed")[0] == 403
    assert page.post(b"x" * 200_000)[0] == 413
    assert page.post(b"{")[0] == 400
    assert page.get("", Host="evil.example:80")[0] == 403
    assert page.get("rollout/none")[0] == 404
    assert page.get("plan.json")[0] == 404
    rollout = run.plan.items[0].rollout_id
    whole = page.get(f"video/{rollout}")[1]
    assert whole == run.video_path(rollout).read_bytes()
    status, part = page.get(f"video/{rollout}", Range="bytes=10-19")
    assert (status, part) == (206, whole[10:20])


def test_agreement_with_the_monitor_rule_by_rule(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(run, "ann", blind=True)
    for number in range(len(run.plan.items)):
        session.answer(answer(run, said="kept", number=number))
    study = with_monitor(run, read_annotations(run, "ann"))
    row = study.rows[0]
    assert (row.rule, row.both, row.only_first, row.neither) == (RULE, 0, 1, 3)
    assert row.kappa == 0.0
    assert main(["study", "agreement", str(run.path)]) == 0
    assert "75.0" in capsys.readouterr().out
    assert main(["study", "agreement", str(run.path), "--name", "bob"]) == 2
    assert "it has those of ann" in capsys.readouterr().err
    assert main(["study", "agreement", str(run.path), "--with", "ann"]) == 0
    assert "100.0" in capsys.readouterr().out


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_kappa_is_one_for_equal_sides_and_symmetric(pairs: list[tuple[bool, bool]]) -> None:
    forth = agree("a", "b", [("r", x, y) for x, y in pairs], ["r"]).rows[0]
    back = agree("b", "a", [("r", y, x) for x, y in pairs], ["r"]).rows[0]
    assert forth.kappa == back.kappa
    assert forth.share == back.share
    same = agree("a", "a", [("r", x, x) for x, _ in pairs], ["r"]).rows[0]
    assert same.share == 1.0
    assert same.kappa == (1.0 if len({x for x, _ in pairs}) == 2 else None)
    if forth.kappa is not None:
        assert -1.0 <= forth.kappa <= 1.0


def test_kappa_of_a_published_table() -> None:
    # Cohen's coefficient for 20 and 15 agreements among 50 with margins of 25 and 30 is 0.4.
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    row = agree("a", "b", [("r", x, y) for x, y in pairs], ["r"]).rows[0]
    assert row.kappa == pytest.approx(0.4)
    assert row.share == 0.7


def test_what_cannot_be_told_is_in_no_count() -> None:
    row = agree("a", "b", [("r", True, None), ("r", True, True)], ["r"]).rows[0]
    assert (row.n, row.unclear) == (1, 1)


def test_a_damaged_file_is_an_error_that_names_it(run: Run) -> None:
    folder = run.path / "annotations"
    folder.mkdir()
    for text, message in (("{", "is damaged"), ('{"format": "x"}', "its format is not")):
        (folder / "ann.json").write_text(text)
        with pytest.raises(StudyError, match=message):
            read_annotations(run, "ann")
    with pytest.raises(StudyError, match="lower-case letters"):
        read_annotations(run, "../ann")
