"""What is wrong with a specification: one finding, and the error that the first of them becomes."""

from __future__ import annotations

from dataclasses import dataclass

from maniguard.errors import ManiguardError


class SpecError(ManiguardError):
    """A specification that does not exist, cannot be read, or does not fit the scene."""


@dataclass(frozen=True)
class Finding:
    """One mistake in a specification file: where it stands, which rule it breaks, and what is wrong."""

    where: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.rule}]"
