"""Running code that is not ours: what it raises becomes one of our errors, in one line that says where."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from maniguard.errors import ManiguardError


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
            last = traceback.extract_tb(where)[-1]
            said = " ".join(str(error).split())
            raise self._failure(
                f"{self._subject} raised {type(error).__name__} in {self._method}{f': {said}' if said else ''} "
                f"({Path(last.filename).name} line {last.lineno})"
            ) from error
