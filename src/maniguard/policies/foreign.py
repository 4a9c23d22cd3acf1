"""Running code that is not ours: what it raises becomes one of our errors, in one line that says where."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import maniguard
from maniguard.errors import ManiguardError

_OURS = Path(maniguard.__file__).parent


class ForeignCode:
    """A context in which a user's code runs: what it raises, or its wish to exit, is raised again as `failure(text)`.

    The text is "SUBJECT raised TYPE in METHOD: message (file line n)". Our own errors pass: they say what they are; so
    does an interrupt.
    """

    def __init__(self, failure: Callable[[str], ManiguardError], subject: str, method: str) -> None:
        self._failure, self._subject, self._method = failure, subject, method

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if isinstance(error, Exception | SystemExit) and not isinstance(error, ManiguardError):
            frames = traceback.extract_tb(where)
            # Generated code, such as a dataclass's constructor, has no file.
            files = [frame for frame in frames if not frame.filename.startswith("<")]
            theirs = [frame for frame in files if not Path(frame.filename).is_relative_to(_OURS)]
            last = (theirs or frames)[-1]
            said = " ".join(str(error).split())
            raise self._failure(
                f"{self._subject} raised {type(error).__name__} in {self._method}{f': {said}' if said else ''} "
                f"({Path(last.filename).name} line {last.lineno})"
            ) from error
