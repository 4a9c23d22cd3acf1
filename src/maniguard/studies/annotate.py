"""A local page on which a person watches rollouts and says which rules were broken."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from maniguard.errors import ManiguardError
from maniguard.evaluate import Run
from maniguard.report import annotation_index, annotation_page
from maniguard.studies.annotations import (
    ANSWERS,
    Annotations,
    Said,
    annotations_path,
    read_annotations,
    write_annotations,
)
from maniguard.studies.errors import StudyError

LOOPBACK = "127.0.0.1"
MAX_BODY_BYTES = 100_000
_MAX_NOTE = 2000


class Session:
    """What one annotator does with one run: pages out, answers in, every answer on disk before it is acknowledged."""

    def __init__(self, run: Run, annotator: str, *, blind: bool, variant: str | None = None) -> None:
        self.run, self.blind = run, blind
        self.variant = variant or run.plan.spec_variant
        self.token = secrets.token_urlsafe(24)
        self._lock = threading.Lock()
        self.annotations = Annotations(annotator, blind, self.variant, {})
        if annotations_path(run, annotator).exists():
            self.annotations = read_annotations(run, annotator)
            if (self.annotations.blind, self.annotations.variant) != (blind, self.variant):
                raise StudyError(
                    f"{annotator!r} began this run {'blind' if self.annotations.blind else 'with verdicts in sight'}, "
                    f"variant {self.annotations.variant!r}; go on like that, or under another name"
                )
        done = [result["rollout_id"] for result in run.results() if result["trace_digest"] is not None]
        if not done:
            raise StudyError(f"{run.path} holds no rollout to look at")
        self.rollouts = tuple(done)

    def index(self) -> bytes:
        """Return the page that lists the rollouts."""
        said = {rollout_id: len(rules) for rollout_id, rules in self.annotations.said.items()}
        return annotation_index(self.run, self.rollouts, said, blind=self.blind)

    def page(self, rollout_id: str) -> bytes:
        """Return the page of one rollout."""
        self._known(rollout_id)
        said = {
            rule: {"answer": s.answer, "times_s": list(s.times_s), "note": s.note}
            for rule, s in self.annotations.said.get(rollout_id, {}).items()
        }
        return annotation_page(
            self.run, self.rollouts, rollout_id, said, blind=self.blind, variant=self.variant, token=self.token
        )

    def answer(self, body: Any) -> None:
        """Take one answer; StudyError names what is wrong with it."""
        if not isinstance(body, dict) or set(body) != {"rollout", "rule", "answer", "times_s", "note"}:
            raise StudyError("an answer holds rollout, rule, answer, times_s and note")
        rollout_id, rule, answer, times, note = (body[k] for k in ("rollout", "rule", "answer", "times_s", "note"))
        self._known(rollout_id)
        spec = self.run.spec(self.run.result(rollout_id)["scenario"]["spec"], self.variant)
        spec.constraint(rule)
        if answer not in ANSWERS:
            raise StudyError(f"answer {answer!r} is not one of {', '.join(ANSWERS)}")
        if not isinstance(times, list) or not all(isinstance(t, int | float) and 0 <= t < 1e5 for t in times):
            raise StudyError("times_s must be a list of seconds")
        if not isinstance(note, str) or len(note) > _MAX_NOTE:
            raise StudyError(f"a note is a text of at most {_MAX_NOTE} characters")
        with self._lock:
            said = Said(answer, tuple(float(t) for t in times), note)
            self.annotations = self.annotations.with_answer(rollout_id, rule, said)
            write_annotations(self.run, self.annotations)

    def video(self, rollout_id: str) -> Path:
        """Return the video of a rollout; StudyError where there is none."""
        self._known(rollout_id)
        path = self.run.video_path(rollout_id)
        if not path.is_file():
            raise StudyError(f"{rollout_id} was not filmed")
        return path

    def _known(self, rollout_id: Any) -> None:
        if rollout_id not in self.rollouts:
            raise StudyError(f"there is no rollout {rollout_id!r} here")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, session: Session, *rest: Any) -> None:
        self._session = session
        super().__init__(*rest)

    def do_GET(self) -> None:
        """Send a page or a video."""
        path = [unquote(part) for part in urlsplit(self.path).path.split("/") if part]
        if not self._from_here():
            return
        try:
            if not path:
                self._send(self._session.index(), "text/html; charset=utf-8")
            elif len(path) == 2 and path[0] == "rollout":
                self._send(self._session.page(path[1]), "text/html; charset=utf-8")
            elif len(path) == 2 and path[0] == "video":
                self._send_file(self._session.video(path[1]))
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "no such page")
        except ManiguardError as error:
            self._refuse(HTTPStatus.NOT_FOUND, str(error))

    def do_POST(self) -> None:
        """Take an answer, from our own page only."""
        if not self._from_here():
            return
        if self.path != "/answer" or not secrets.compare_digest(self.headers.get("X-Token", ""), self._session.token):
            self._refuse(HTTPStatus.FORBIDDEN, "answers come from the page of this session")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the answer is too long")
            return
        try:
            self._session.answer(json.loads(self.rfile.read(int(length))))
        except (json.JSONDecodeError, UnicodeDecodeError):
            self._refuse(HTTPStatus.BAD_REQUEST, "the answer is not JSON")
        except ManiguardError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        else:
            self._send(b"{}", "application/json")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is for the person who annotates."""

    def _from_here(self) -> bool:
        """Refuse requests under another name, with which a page from elsewhere could reach this server."""
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host in (LOOPBACK, "localhost"):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "this server speaks to this machine only")
        return False

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send(json.dumps({"error": message}).encode(), "application/json", status)

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _send_file(self, path: Path) -> None:
        """Send a video, or the part of it that the browser asks for when it seeks."""
        size = path.stat().st_size
        first, last = 0, size - 1
        wanted = self.headers.get("Range", "")
        if wanted.startswith("bytes="):
            low, _, high = wanted[6:].partition("-")
            if low.isdigit() and (not high or high.isdigit()) and int(low) < size:
                first, last = int(low), min(int(high), size - 1) if high else size - 1
        self.send_response(HTTPStatus.PARTIAL_CONTENT if (first, last) != (0, size - 1) else HTTPStatus.OK)
        self.send_header("Content-Type", "video/mp4")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        with path.open("rb") as file:
            file.seek(first)
            self.wfile.write(file.read(last - first + 1))


def annotate(session: Session, *, port: int = 0, ready: Callable[[str], None]) -> None:
    """Serve a session on the loopback address until it is interrupted; `ready` gets its URL. Port 0: any free one."""
    with ThreadingHTTPServer((LOOPBACK, port), partial(_Handler, session)) as server:
        server.daemon_threads = True
        ready(f"http://{LOOPBACK}:{server.server_address[1]}/")
        server.serve_forever(poll_interval=0.1)
