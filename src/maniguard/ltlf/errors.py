"""What can go wrong in the logic, as types that callers can tell apart."""

from __future__ import annotations

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


class DialectWarning(UserWarning):
    """A text whose meaning in its dialect is probably not what its author meant."""
