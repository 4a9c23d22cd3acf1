"""What people say about rollouts: one file per annotator in the run's folder, format maniguard-annotations/1."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from maniguard.errors import alternatives
from maniguard.evaluate import Run
from maniguard.files import readable_json, write_atomic
from maniguard.studies.errors import StudyError
from maniguard.trace import CodecError
from maniguard.trace.codec import record_from_dict

FORMAT = "maniguard-annotations/1"
FOLDER = "annotations"
Answer = Literal["violated", "kept", "unclear"]
ANSWERS: tuple[str, ...] = get_args(Answer)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Said:
    """What a person says about one rule in one rollout.

    `answer` is their own verdict; `times_s` are moments at which they saw a violation, in seconds from the start.
    """

    answer: Answer
    times_s: tuple[float, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Annotations:
    """All that one annotator said about a run: rollout id -> rule -> what was said.

    `blind` tells that the verdicts of the monitor were not shown; `variant` is the spec variant whose rules were asked.
    """

    annotator: str
    blind: bool
    variant: str
    said: Mapping[str, Mapping[str, Said]]

    def with_answer(self, rollout_id: str, rule: str, said: Said) -> Annotations:
        """Return them with one more, or another, answer."""
        rules = {**self.said.get(rollout_id, {}), rule: said}
        return replace(self, said={**self.said, rollout_id: rules})

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON values."""
        return {"format": FORMAT, **asdict(self)}


def annotations_path(run: Run, annotator: str) -> Path:
    """Return where an annotator's file is; StudyError for a name that is no file name."""
    if not _NAME.fullmatch(annotator):
        raise StudyError(f"annotator {annotator!r}: use up to 40 lower-case letters, digits, '-' and '_'")
    return run.path / FOLDER / f"{annotator}.json"


def read_annotations(run: Run, annotator: str) -> Annotations:
    """Read what an annotator said about a run; StudyError where there is none or the file is damaged."""
    path = annotations_path(run, annotator)
    if not path.is_file():
        known = annotators(run)
        there = alternatives(known) if known else "nobody"
        raise StudyError(f"{run.path} has no annotations of {annotator!r}; it has those of {there}")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise StudyError(f"{path}: its format is not {FORMAT}")
        found = record_from_dict(Annotations, value, str(path))
    except (json.JSONDecodeError, UnicodeDecodeError, CodecError) as error:
        raise StudyError(f"{path} is damaged: {error}") from error
    for rollout_id in found.said:
        run.item(rollout_id)
    return found


def annotators(run: Run) -> tuple[str, ...]:
    """Return who has annotated a run, sorted."""
    return tuple(sorted(path.stem for path in (run.path / FOLDER).glob("*.json")))


def write_annotations(run: Run, annotations: Annotations) -> Path:
    """Write an annotator's file whole or not at all."""
    path = annotations_path(run, annotations.annotator)
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, readable_json(annotations.to_dict()))
    return path
