"""What a policy's numbers mean: joints or end effector, absolute or difference, units, frame, gripper sign, rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maniguard.errors import ManiguardError, alternatives

CONTROL_RATE_HZ = 20.0

#: Convention -> what the columns before the gripper are. The gripper is always the last column.
CONVENTIONS: Mapping[str, str] = {
    "joint_position": "seven absolute joint targets",
    "joint_delta": "seven joint differences",
    "ee_pose": "the tcp's position and rotation",
    "ee_delta": "the tcp's shift and turn",
}
#: How a rotation is written -> its columns. "axis-angle" is a rotation vector; "rpy" turns about x, then y, then z of
#: the fixed axes; "quat-wxyz" is a unit quaternion, for poses alone.
ROTATIONS: Mapping[str, int] = {"axis-angle": 3, "rpy": 3, "quat-wxyz": 4}
#: "base": the axes of the robot's base, x forward, y left, z up; "tool": those of the tcp, for differences.
FRAMES = ("base", "tool")

ARM_JOINTS = 7
# Beyond these a rate is a mistake: a row of a minute, or one of a millisecond.
_RATES_HZ = (1 / 60, 1000.0)


class ContractError(ManiguardError):
    """A policy and maniguard do not agree on observations or actions; the message shows both sides."""


@dataclass(frozen=True)
class GripperRange:
    """The two numbers that mean closed and open: linear between them and clipped beyond.

    If `binary`, there is nothing between: a number past the middle is open, one at the middle or before it closed.
    """

    closed: float = 0.0
    open: float = 1.0
    binary: bool = False

    def opening(self, value: Any) -> NDArray[np.float64]:
        """Return the opening, 0 (closed) to 1 (open), for a policy's numbers; NaN stays NaN."""
        share = np.clip((np.asarray(value, np.float64) - self.closed) / (self.open - self.closed), 0.0, 1.0)
        return np.where(np.isnan(share), share, (share > 0.5).astype(np.float64)) if self.binary else share

    def value(self, opening: Any) -> NDArray[np.float64]:
        """Return a policy's numbers for openings 0 (closed) to 1 (open)."""
        return self.closed + np.asarray(opening, np.float64) * (self.open - self.closed)

    def __str__(self) -> str:
        return f"gripper {self.closed:g} closed, {self.open:g} open{', nothing between' if self.binary else ''}"


@dataclass(frozen=True)
class ActionSpec:
    """The chunk that `infer` returns: `horizon` rows of `dims` columns, `rate_hz` rows a second, in `convention`.

    `unit_m` and `unit_rad`: what a 1 stands for. `limit`: the arm's numbers are clipped to ±limit before they are
    scaled, None for no limit. `rotation` and `frame` matter for the end effector alone. What the defaults say is what
    the simulator executes; everything else is converted to it, see `ActionConverter`.
    """

    horizon: int
    dims: int = 8
    convention: str = "joint_position"
    gripper: GripperRange = field(default_factory=GripperRange)
    rate_hz: float = CONTROL_RATE_HZ
    unit_m: float = 1.0
    unit_rad: float = 1.0
    limit: float | None = None
    rotation: str = "axis-angle"
    frame: str = "base"

    @property
    def native(self) -> bool:
        """Whether rows are what the simulator executes, without conversion."""
        return self.same_meaning(ActionSpec(self.horizon))

    @property
    def end_effector(self) -> bool:
        """Whether rows are about the tcp rather than the joints."""
        return self.convention.startswith("ee_")

    def same_meaning(self, other: ActionSpec) -> bool:
        """Whether a row means the same in both, however many rows a chunk has."""
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.name != "horizon")

    def control_steps(self, rows: int) -> int:
        """Return for how many whole control steps `rows` rows last."""
        return math.floor(rows * CONTROL_RATE_HZ / self.rate_hz + 1e-9)

    def check(self, name: str) -> None:
        """Refuse what cannot be executed; ContractError shows what policy `name` has and what is valid."""
        has = f"policy {name!r} gives actions"
        if self.convention not in CONVENTIONS:
            raise ContractError(
                f"{has} in convention {self.convention!r}; maniguard executes {alternatives(CONVENTIONS)}"
            )
        if self.rotation not in ROTATIONS or self.frame not in FRAMES:
            raise ContractError(
                f"{has} with rotation {self.rotation!r} in frame {self.frame!r}; maniguard executes rotations "
                f"{alternatives(ROTATIONS)} in frames {alternatives(FRAMES)}"
            )
        if self.convention == "ee_delta" and self.rotation == "quat-wxyz":
            raise ContractError(f"{has} 'ee_delta' with rotation 'quat-wxyz'; a turn is axis-angle or rpy")
        if self.convention != "ee_delta" and self.frame != "base":
            raise ContractError(f"{has} {self.convention!r} in frame {self.frame!r}; valid for it: base")
        wanted = 3 + ROTATIONS[self.rotation] if self.end_effector else ARM_JOINTS
        if self.dims != wanted + 1:
            raise ContractError(
                f"{has} with {self.dims} columns; maniguard's {self.convention!r} has {wanted + 1}: "
                f"{CONVENTIONS[self.convention]} and the gripper"
            )
        numbers = {"unit_m": self.unit_m, "unit_rad": self.unit_rad, "rate_hz": self.rate_hz, "limit": self.limit}
        for key, value in numbers.items():
            if value is not None and not (np.isfinite(value) and value > 0):
                raise ContractError(f"{has} with {key} {value}; it must be finite and above 0")
        if not _RATES_HZ[0] <= self.rate_hz <= _RATES_HZ[1]:
            raise ContractError(
                f"{has} at {self.rate_hz:g} Hz; maniguard executes {_RATES_HZ[0]:.3g} to {_RATES_HZ[1]:g}"
            )
        ends = (self.gripper.closed, self.gripper.open)
        if not np.isfinite(ends).all() or ends[0] == ends[1]:
            raise ContractError(f"{has} with {self.gripper}; the two numbers must be finite and differ")

    def __str__(self) -> str:
        units = []
        if self.end_effector:
            units += [f"1 is {self.unit_m:g} m and {self.unit_rad:g} rad", self.rotation, f"{self.frame} frame"]
        else:
            units += ["rad"] if self.unit_rad == 1.0 else [f"1 is {self.unit_rad:g} rad"]
        units += [] if self.limit is None else [f"clipped to ±{self.limit:g}"]
        parts = [", ".join(units), str(self.gripper), f"{self.rate_hz:g} Hz"]
        return f"({self.horizon}, {self.dims}) {self.convention!r}: {'; '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as JSON values; `from_dict` reads it back."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> ActionSpec:
        """Read a spec from JSON values, defaults where a key is missing; ContractError when a value is of no use."""
        known = {f.name for f in fields(ActionSpec)}
        gripper = values.get("gripper", {})
        if not isinstance(gripper, Mapping):
            raise ContractError(f"a policy contract is malformed: gripper {gripper!r} is not an object")
        if set(values) - known or set(gripper) - {f.name for f in fields(GripperRange)}:
            # An unknown key could turn the meaning of every other one.
            raise ContractError(
                f"a policy contract has action keys {', '.join(sorted(map(str, {*values, *gripper})))}; this version "
                f"knows {', '.join(sorted(known))}, and of a gripper binary, closed, open"
            )
        if not {"horizon", "dims", "convention"} <= set(values):
            raise ContractError("a policy contract is malformed: an action has horizon, dims and convention at least")
        kinds: dict[str, Any] = {"horizon": int, "dims": int, "convention": str, "rotation": str, "frame": str}
        read: dict[str, Any] = {}
        for key, value in values.items():
            if key == "gripper" or (key == "limit" and value is None):
                continue
            read[key] = _value(key, value, kinds.get(key, float))
        grip = {key: _value(key, value, bool if key == "binary" else float) for key, value in gripper.items()}
        return ActionSpec(**read, gripper=GripperRange(**grip))


def _value(key: str, value: Any, kind: type) -> Any:
    right = isinstance(value, kind) or (kind is float and isinstance(value, int))
    # bool is an int to isinstance, and a horizon of True is a mistake
    if not right or (isinstance(value, bool) and kind is not bool):
        raise ContractError(f"a policy contract is malformed: action field {key!r} is {value!r}, not {kind.__name__}")
    return kind(value)
