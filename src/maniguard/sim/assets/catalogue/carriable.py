"""Which designs are not carried, though they have stored grasps: with none of them does the gripper hold them well."""

from __future__ import annotations

NOT_CARRIABLE: frozenset[str] = frozenset()
"""Names of designs."""
