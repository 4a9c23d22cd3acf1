"""What can go wrong in the logic, as types that callers can tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maniguard.errors import ManiguardError


class LtlfError(ManiguardError):
    """Base of the errors of `maniguard.ltlf`."""


class ParseError(LtlfError):
    """A text that is no formula of its dialect.

    `position` is the offset of the offending character (0-based), `text` the whole input.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        shown = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(f"{message}, at column {position + 1} of {shown!r}")
        self.text = text
        self.position = position


class FormulaError(LtlfError):
    """An ill-formed formula: a bad bound, an empty name, too deep a nesting."""


class MissingAtomError(LtlfError):
    """A letter that does not say whether an atom of the formula holds."""


class TraceError(LtlfError):
    """A trace, a position in it or a table of truth values of the wrong shape."""


class BudgetError(LtlfError):
    """A compilation that would have outgrown its budget.

    `culprit` is the text of the subformula that is to blame, `limit` the name of the exhausted limit.
    """

    def __init__(self, message: str, culprit: str, limit: str) -> None:
        super().__init__(message)
        self.culprit = culprit
        self.limit = limit


def over_budget(message: str, culprit: str, limit: str) -> BudgetError:
    """Return the error whose message, with the culprit at its end, keeps to one readable line."""
    shown = culprit if len(culprit) <= 200 else culprit[:197] + "..."
    return BudgetError(f"{message} {shown}", culprit, limit)


@contextmanager
def stack_limit() -> Iterator[None]:
    """Turn a `RecursionError` into a `FormulaError`: how deep is too deep depends on the caller's own depth."""
    try:
        yield
    except RecursionError:
        raise FormulaError("the formula is nested too deeply for what is left of this program's stack") from None


class DialectWarning(UserWarning):
    """A text whose meaning in its dialect is probably not what its author meant."""
