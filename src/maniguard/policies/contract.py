"""What a policy wants to see and what its numbers mean, declared by the policy and checked before the first rollout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maniguard.errors import alternatives
from maniguard.policies import contents
from maniguard.policies.action import CONTROL_RATE_HZ, ActionSpec, ContractError
from maniguard.policies.contents import DEFAULT_CONTENT, PROMPT_KEY, QUANTITIES, STATE_KEY

CONTRACT_FORMAT = "maniguard-policy/1"

# The cameras of a maniguard world; `sim.CAMERAS` is the same tuple, and a test says so. It stands here as well
# because a policy server must not need a simulator.
CAMERAS = ("overview", "front", "left", "right", "wrist")
IMAGE_SIZES_PX = (16, 1024)
IMAGE_KEY, WRIST_KEY, PRIVILEGED_KEY = "observation/image", "observation/wrist_image", "privileged"


@dataclass(frozen=True)
class ObservationSpec:
    """One key of an observation: its shape, its dtype ("str" for text), and what is in it.

    An image names the camera that makes it. Anything else names its `content`: "prompt", or quantities of
    `contents.QUANTITIES` joined by "+". The two default keys need not say theirs.
    """

    key: str
    shape: tuple[int, ...]
    dtype: str
    camera: str | None = None
    content: str | None = None

    @property
    def holds(self) -> str | None:
        """The content, also where the key says it; None for an image and for a key that says nothing."""
        return self.content or {STATE_KEY: DEFAULT_CONTENT, PROMPT_KEY: contents.PROMPT}.get(self.key)

    def __str__(self) -> str:
        if self.dtype == "str":
            return "text"
        source = f" from camera {self.camera!r}" if self.camera else f" of {self.holds}" if self.holds else ""
        return f"{self.shape} {self.dtype}{source}"


STATE = ObservationSpec(STATE_KEY, (8,), "float32")
PROMPT = ObservationSpec(PROMPT_KEY, (), "str")


def image(key: str, camera: str, size_px: int = 256) -> ObservationSpec:
    """Return the spec of a square uint8 RGB image of `camera` under `key`."""
    return ObservationSpec(key, (size_px, size_px, 3), "uint8", camera)


def numbers(key: str, content: str) -> ObservationSpec:
    """Return the spec of the float32 numbers of `content` under `key`; ContractError for an unknown quantity."""
    return ObservationSpec(key, (contents.size_of(content),), "float32", content=content)


def text(key: str) -> ObservationSpec:
    """Return the spec of the instruction under `key`."""
    return ObservationSpec(key, (), "str", content=contents.PROMPT)


#: What a policy sees unless it says otherwise: state, overview image, wrist image and prompt.
DEFAULT_OBSERVATIONS = (STATE, image(IMAGE_KEY, "overview"), image(WRIST_KEY, "wrist"), PROMPT)


@dataclass(frozen=True)
class PolicyContract:
    """The declaration of a policy.

    `executed_steps` rows of every chunk are executed before the policy is asked again. `deterministic`: the same
    seed, instruction and observations give the same chunks to the bit. `privileged`: it reads the simulator's state,
    reports mark it and it is never served. `stateless`: `infer` depends on its observation alone, so that one
    instance may serve many rollouts at once. `batch`: how many requests of different rollouts a server answers together
    at most; which ones they are depends on who asks when.
    """

    name: str
    observations: tuple[ObservationSpec, ...]
    action: ActionSpec
    executed_steps: int
    deterministic: bool
    privileged: bool = False
    stateless: bool = False
    batch: int = 1

    def __post_init__(self) -> None:
        keys = [spec.key for spec in self.observations]
        if len(set(keys)) != len(keys):
            raise ContractError(f"policy {self.name!r} declares an observation key twice: {', '.join(keys)}")
        if self.action.horizon < 1 or not 1 <= self.executed_steps <= self.action.horizon:
            raise ContractError(
                f"policy {self.name!r} executes {self.executed_steps} steps of a chunk of {self.action.horizon} rows; "
                f"valid: 1 to the number of rows"
            )
        if self.batch < 1:
            raise ContractError(f"policy {self.name!r} answers {self.batch} requests together; valid: 1 or more")

    @property
    def control_steps(self) -> int:
        """For how many control steps the executed rows of one chunk last."""
        return self.action.control_steps(self.executed_steps)

    @property
    def cameras(self) -> Mapping[str, str]:
        """Observation key -> camera, for every image."""
        return {spec.key: spec.camera for spec in self.observations if spec.camera is not None}

    @property
    def image_size_px(self) -> int:
        """Edge length of the images; 256 when there is none."""
        return next((spec.shape[0] for spec in self.observations if spec.camera is not None), 256)

    def to_dict(self) -> dict[str, Any]:
        """Return the contract as JSON values; `from_dict` reads it back."""
        return {
            "format": CONTRACT_FORMAT,
            "name": self.name,
            "observations": [
                {
                    "key": spec.key,
                    "shape": list(spec.shape),
                    "dtype": spec.dtype,
                    "camera": spec.camera,
                    "content": spec.content,
                }
                for spec in self.observations
            ],
            "action": self.action.to_dict(),
            "executed_steps": self.executed_steps,
            "deterministic": self.deterministic,
            "privileged": self.privileged,
            "stateless": self.stateless,
            "batch": self.batch,
        }

    @staticmethod
    def from_dict(values: Any) -> PolicyContract:
        """Read a contract that came from a file or a server; ContractError when it is none or of another format."""
        fields = _object(values, "the contract")
        if fields.get("format") != CONTRACT_FORMAT:
            raise ContractError(
                f"a policy contract has format {fields.get('format')!r}; this version reads {CONTRACT_FORMAT!r}"
            )
        listed = _field(fields, "observations", list | tuple)
        action = _object(_field(fields, "action", Mapping), "'action'")
        return PolicyContract(
            name=_field(fields, "name", str),
            observations=tuple(_observation(_object(entry, "an observation")) for entry in listed),
            action=ActionSpec.from_dict(action),
            executed_steps=_field(fields, "executed_steps", int),
            deterministic=_field(fields, "deterministic", bool),
            privileged=_field(fields, "privileged", bool),
            stateless=_field(fields, "stateless", bool),
            batch=_field({"batch": 1, **fields}, "batch", int),
        )

    def describe(self) -> str:
        """Return the contract as a few lines of text, to be shown before a run starts."""
        traits = [
            "deterministic" if self.deterministic else "not declared deterministic",
            *(["privileged"] if self.privileged else []),
        ]
        lines = [f"policy {self.name} ({', '.join(traits)})"]
        lines += [f"  sees {spec.key}: {spec}" for spec in self.observations]
        rows = f"executes {self.executed_steps} of each {self.action.horizon}"
        if self.action.rate_hz != CONTROL_RATE_HZ:
            rows += f" in {self.control_steps} control steps"
        lines.append(f"  gives actions {self.action}; {rows}")
        if not self.action.native:
            lines.append(
                "  which are converted to joint targets in rad and a gripper opening, 0 closed, 1 open, at 20 Hz"
            )
        if self.batch > 1:
            lines.append(f"  is served in batches of up to {self.batch}, so that answers may depend on who asks when")
        return "\n".join(lines)


def check_contract(contract: PolicyContract) -> None:
    """Refuse a contract that no rollout of maniguard can honour; ContractError shows what each side has.

    Offered are quantities of the state, the prompt, and square uint8 images of the five cameras, all of one size.
    """
    name, sizes = contract.name, set()
    for spec in contract.observations:
        if spec.camera is None:
            _check_content(name, spec)
            continue
        if spec.camera not in CAMERAS:
            raise ContractError(
                f"policy {name!r} expects {spec.key!r} from camera {spec.camera!r}; the cameras of maniguard are "
                f"{alternatives(CAMERAS)}"
            )
        low, high = IMAGE_SIZES_PX
        square = len(spec.shape) == 3 and spec.shape[0] == spec.shape[1] and spec.shape[2] == 3
        if not square or spec.dtype != "uint8" or not low <= spec.shape[0] <= high or spec.content is not None:
            raise ContractError(
                f"policy {name!r} expects {spec.key!r} as {spec}; maniguard offers images (S, S, 3) uint8 with S from "
                f"{low} to {high}"
            )
        sizes.add(spec.shape[0])
    if len(sizes) > 1:
        listed = " and ".join(str(size) for size in sorted(sizes))
        raise ContractError(f"policy {name!r} expects images of {listed} px; maniguard renders one size per rollout")
    contract.action.check(name)
    if contract.control_steps < 1:
        raise ContractError(
            f"policy {name!r} executes {contract.executed_steps} rows at {contract.action.rate_hz:g} Hz; "
            f"that is less than one control step of {1 / CONTROL_RATE_HZ:g} s"
        )


def _check_content(name: str, spec: ObservationSpec) -> None:
    if spec.holds is None:
        raise ContractError(
            f"policy {name!r} expects {spec.key!r} as {spec}; maniguard offers {STATE_KEY} {STATE}, {PROMPT_KEY}, "
            f"images for keys that name a camera: {alternatives(CAMERAS)}, and numbers for keys that name a content: "
            f"{alternatives(QUANTITIES, limit=20)}"
        )
    if spec.holds == contents.PROMPT:
        offered = replace(PROMPT, key=spec.key, content=spec.content)
    else:
        offered = replace(numbers(spec.key, spec.holds), content=spec.content)
    if spec != offered:
        raise ContractError(f"policy {name!r} expects {spec.key!r} as {spec}; maniguard offers it as {offered}")


def view(contract: PolicyContract, observation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the policy is to see of a rollout's observation: with every quantity that its contract names.

    `observation` has the state and the instruction under the default keys, and the images under the contract's.
    """
    made: dict[str, Any] = {}
    for spec in contract.observations:
        if spec.content == contents.PROMPT:
            made[spec.key] = observation[PROMPT_KEY]
        elif spec.content is not None:
            made[spec.key] = contents.values_of(spec.content, observation[STATE_KEY])
    return {**observation, **made} if made else observation


def check_observation(contract: PolicyContract, observation: Mapping[str, Any]) -> None:
    """Refuse an observation that lacks a declared key or has it in another shape or dtype; ContractError shows both."""
    for spec in contract.observations:
        if spec.key not in observation:
            raise ContractError(
                f"policy {contract.name!r} expects {spec.key!r} as {spec}; the observation has "
                f"{alternatives(str(key) for key in observation)}"
            )
        value = observation[spec.key]
        if spec.dtype == "str":
            if not isinstance(value, str):
                raise ContractError(
                    f"policy {contract.name!r} expects {spec.key!r} as text, got {type(value).__name__}"
                )
        elif not isinstance(value, np.ndarray) or value.shape != spec.shape or value.dtype != np.dtype(spec.dtype):
            got = f"{value.shape} {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
            raise ContractError(f"policy {contract.name!r} expects {spec.key!r} as {spec}, got {got}")
    if contract.privileged and PRIVILEGED_KEY not in observation:
        raise ContractError(f"policy {contract.name!r} is privileged; the observation has no {PRIVILEGED_KEY!r}")


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ContractError(f"a policy contract is malformed: {what} is {type(value).__name__}, not an object")
    return value


def _field(values: Mapping[str, Any], name: str, kind: Any) -> Any:
    value = values.get(name)
    # bool is an int to isinstance, and a horizon of True is a mistake
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ContractError(
            f"a policy contract is malformed: field {name!r} is {value!r}; its fields are "
            f"name, observations, action, executed_steps, deterministic, privileged, stateless, batch"
        )
    return value


def _observation(values: Mapping[str, Any]) -> ObservationSpec:
    shape, camera = _field(values, "shape", list | tuple), values.get("camera")
    if not all(isinstance(size, int) and not isinstance(size, bool) and size >= 0 for size in shape):
        raise ContractError(f"a policy contract is malformed: shape {shape!r} is not a list of sizes")
    dtype, content = _field(values, "dtype", str), values.get("content")
    if dtype not in ("str", "uint8", "float32"):
        raise ContractError(f"a policy contract is malformed: dtype {dtype!r}; valid: float32, str, uint8")
    for what, value in (("camera", camera), ("content", content)):
        if value is not None and not isinstance(value, str):
            raise ContractError(f"a policy contract is malformed: {what} {value!r} is not a name")
    return ObservationSpec(_field(values, "key", str), tuple(shape), dtype, camera, content)
