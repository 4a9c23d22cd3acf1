"""RoboCasa365: the folder extras/ beside a LeRobot data set, with states, model and meta data of each episode."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maniguard.audit.epmeta import ONTOLOGY, meanings_of_meta
from maniguard.audit.errors import DAMAGED, AuditError
from maniguard.audit.recording import Context, Recording, digest_of, digest_of_file, file_name, meta_of, success_events
from maniguard.audit.replay import replay
from maniguard.audit.robomimic import one_line, read_npz
from maniguard.audit.uniform import uniform_trace
from maniguard.trace import Trace

SOURCE = "robocasa-extras"


def find_extras(path: Path, context: Context) -> Iterator[Recording]:
    """Find the episodes of the data set in `path`, which holds extras/; its task is the environment's name."""
    name = _environment(path) or path.resolve().name
    for folder in sorted((path / "extras").glob("episode_*")):
        number = folder.name.removeprefix("episode_")
        if not number.isdigit():
            continue
        files = [folder / name for name in ("states.npz", "model.xml.gz", "ep_meta.json")]
        digest = digest_of(*(digest_of_file(file).encode() for file in files if file.is_file()))
        family = context.mapping.dataset or name
        try:
            instruction = str(_meta(folder).get("lang", ""))
        except AuditError:
            instruction = ""
        yield Recording(SOURCE, str(path), folder.name, family, file_name(name), int(number), digest, instruction)


def load_extras(recording: Recording, context: Context) -> Trace:
    """Read one episode from its extras."""
    folder = Path(recording.path) / "extras" / recording.item
    content = read_npz(folder / "states.npz")
    if "states" not in content:
        raise AuditError(f"states.npz has no 'states'; it has {', '.join(content)}")
    try:
        model = gzip.decompress((folder / "model.xml.gz").read_bytes()).decode()
    except DAMAGED as error:
        raise AuditError(f"model.xml.gz is missing or damaged: {one_line(error)}") from error
    states = np.asarray(content["states"], np.float64)
    mapping = replace(context.mapping, ontology=context.mapping.ontology or ONTOLOGY)
    samples = replay(context.model(model, folder), states, mapping, meanings_of_meta(_meta(folder)))
    events = success_events(samples.time_s, _flags(recording, context, len(states)))
    return uniform_trace(replace(samples, events=events), meta_of(recording, context))


def _environment(path: Path) -> str | None:
    try:
        value = json.loads((path / "extras" / "dataset_meta.json").read_text("utf-8"))["env_args"]["env_name"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return value if isinstance(value, str) and value else None


def _meta(folder: Path) -> dict[str, Any]:
    try:
        value = json.loads((folder / "ep_meta.json").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise AuditError(f"ep_meta.json is damaged: {one_line(error)}") from error
    return value if isinstance(value, dict) else {}


def _flags(recording: Recording, context: Context, count: int) -> np.ndarray | None:
    """Return the success flag of each state from the LeRobot table beside the extras, None where there is none."""
    wanted = context.mapping.success
    if wanted is not None and wanted.constant is not None:
        return np.full(count, float(wanted.constant))
    from maniguard.audit.lerobot import reward_of_episode

    return reward_of_episode(Path(recording.path), recording.seed, count)
