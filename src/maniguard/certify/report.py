"""What a proof found: findings are defects, notes are what a reader should know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProofReport:
    """The outcome of a proof: `findings` (none means proven), `notes`, and one line that sums it up."""

    findings: tuple[str, ...]
    notes: tuple[str, ...]
    summary: str
