"""A recording that was found: where it is, what it is called, and nothing read of it yet that is large."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from maniguard.audit.errors import AuditError
from maniguard.audit.mapping import Mapping
from maniguard.audit.modelfile import compile_model, xml_digest
from maniguard.trace import TraceMeta

IMPORTER = "maniguard-audit/1"
POLICY = "recorded"
CONDITION = "recorded"
# Events that carry the recording's own word on success.
SUCCESS_EVENT, FAILURE_EVENT = "recorded-success", "recorded-failure"

_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Recording:
    """One recorded rollout.

    `source` names the format, `path` the file or folder and `item` what in it. `task` and `seed` tell it apart within
    its `family`: recordings of one task are repeats of each other. `digest` is over what will be read. `fault` says why
    it cannot be read at all; `status` is how the rollout ended, where a run of ours says so.
    """

    source: str
    path: str
    item: str
    family: str
    task: str
    seed: int
    digest: str
    instruction: str = ""
    condition: str = CONDITION
    variant: str = ""
    index: int | str = 0
    step_limit: int | None = None
    status: str = "completed"
    fault: str | None = None

    @property
    def scenario_id(self) -> str:
        """The name of what was recorded, in the form of a scenario's: TASK/CONDITION."""
        return f"{self.task}/{self.condition}"

    @property
    def where(self) -> str:
        """The file and the place in it, for messages."""
        return f"{self.path}:{self.item}" if self.item else self.path


@dataclass
class Context:
    """What importing needs beside the recording. Models are kept from one recording to the next of the same scene."""

    mapping: Mapping = field(default_factory=Mapping)
    assets: Path | None = None
    _model: tuple[str, mujoco.MjModel] | None = None

    def model(self, text: str, folder: Path | None = None) -> mujoco.MjModel:
        """Return the compiled model of an XML."""
        key = xml_digest(text)
        if self._model is None or self._model[0] != key:
            self._model = (key, compile_model(text, assets=self.assets, folder=folder))
        return self._model[1]


def recording_of_file(source: str, path: Path, context: Context) -> Recording:
    """Describe a file that holds one rollout; its family is the mapping's dataset, or the folder that it lies in."""
    family = context.mapping.dataset or path.resolve().parent.name
    return Recording(source, str(path), "", family, file_name(path.stem), 0, digest_of_file(path))


def meta_of(recording: Recording, context: Context) -> TraceMeta:
    """Return what a trace says of where it comes from; its rate is the mapping's, 0 for the recording's own."""
    identity: dict[str, str | int | float] = {
        "importer": IMPORTER,
        "source_format": recording.source,
        "mapping_hash": context.mapping.digest,
        "mujoco": mujoco.__version__,
    }
    return TraceMeta(
        control_rate_hz=context.mapping.rate_hz or 0.0,
        scenario_id=recording.scenario_id,
        scenario_hash=recording.digest,
        family=recording.family,
        variant=recording.variant,
        task=recording.index,
        condition=recording.condition,
        instruction=recording.instruction or context.mapping.instruction or "",
        seed=recording.seed,
        policy=POLICY,
        step_limit=recording.step_limit,
        identity=identity,
    )


def success_events(time_s: np.ndarray, flags: np.ndarray | None) -> tuple[tuple[float, str, str], ...]:
    """Return the event that says when success was first recorded, or that it was not; none without flags (S,)."""
    if flags is None:
        return ()
    if not np.isfinite(flags).all():
        raise AuditError(f"the success flag is no number at sample {int(np.argmax(~np.isfinite(flags)))}")
    hits = np.flatnonzero(flags >= 1.0 - 1e-6)
    if len(hits):
        return ((float(time_s[hits[0]]), SUCCESS_EVENT, "as the recording says"),)
    return ((float(time_s[-1]), FAILURE_EVENT, "as the recording says"),)


def file_name(text: str) -> str:
    """Return a name that can be part of a file name."""
    return _OTHER.sub("-", text).strip("-.")[:_LONGEST_NAME] or "recording"


def digest_of(*pieces: bytes | np.ndarray) -> str:
    """Return the sha256 over bytes and arrays."""
    sha = hashlib.sha256(b"maniguard-recording/1\n")
    for piece in pieces:
        content = piece if isinstance(piece, bytes) else np.ascontiguousarray(piece).tobytes()
        sha.update(f"{len(content)}\n".encode())
        sha.update(content)
    return sha.hexdigest()


def digest_of_file(path: Path) -> str:
    """Return the sha256 of a file's content."""
    sha = hashlib.sha256()
    with open(path, "rb") as handle:
        while block := handle.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()
