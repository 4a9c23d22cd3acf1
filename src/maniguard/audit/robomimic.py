"""robomimic and LIBERO HDF5: data/demo_N with flattened MuJoCo states and the model's XML; robosuite's own folders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from maniguard.audit.bddl import ONTOLOGY, meanings_of_bddl
from maniguard.audit.epmeta import ONTOLOGY as ROBOCASA
from maniguard.audit.epmeta import meanings_of_meta
from maniguard.audit.errors import DAMAGED, AuditError
from maniguard.audit.meaning import Meaning
from maniguard.audit.recording import Context, Recording, digest_of, digest_of_file, file_name, meta_of, success_events
from maniguard.audit.replay import replay
from maniguard.audit.samples import F64
from maniguard.audit.uniform import uniform_trace
from maniguard.trace import Trace

SOURCE = "robomimic-hdf5"
FOLDER_SOURCE = "robosuite-folder"
_DIGITS = re.compile(r"(\d+)")
_WRITTEN = re.compile(r"state_(\d+)_(\d+)\.npz$")


def find_in_file(path: Path, context: Context) -> Iterator[Recording]:
    """Find the demonstrations of one file; a file that HDF5 cannot read is one recording with a fault."""
    family = context.mapping.dataset or path.resolve().parent.name
    task = file_name(path.stem)
    try:
        with h5py.File(path, "r") as file:
            data = file["data"]
            problem, bddl = _json(data.attrs, "problem_info"), str(data.attrs.get("bddl_file_name", ""))
            instruction = problem.get("language_instruction", "")
            if isinstance(instruction, list):
                instruction = " ".join(map(str, instruction))
            suite = re.search(r"libero_[a-z0-9]+", bddl)
            if suite is not None and context.mapping.dataset is None:
                family = suite[0]
            names = sorted(data, key=natural)
            if not names:
                raise AuditError("it holds no demonstration")
            facts = {"instruction": str(instruction), "index": bddl.rpartition("/")[2] or 0}
            found = [_demo(data, path, name, place, family, task, facts) for place, name in enumerate(names)]
    except (*DAMAGED, AuditError) as error:
        fault = f"{path}: truncated, damaged or no robomimic file: {one_line(error)}"
        found = [Recording(SOURCE, str(path), "", family, task, 0, digest_of(path.name.encode()), fault=fault)]
    yield from found


def _demo(
    data: h5py.Group, path: Path, name: str, place: int, family: str, task: str, facts: dict[str, Any]
) -> Recording:
    number = _DIGITS.search(name)
    seed = int(number[1]) if number else place
    try:
        digest = _digest(data[name])
        facts = {
            **facts,
            "instruction": facts["instruction"] or str(_json(data[name].attrs, "ep_meta").get("lang", "")),
        }
    except (*DAMAGED, AttributeError) as error:
        fault = f"{path}:{name}: damaged or no demonstration: {one_line(error)}"
        return Recording(SOURCE, str(path), name, family, task, seed, digest_of(name.encode()), fault=fault, **facts)
    return Recording(SOURCE, str(path), name, family, task, seed, digest, **facts)


def _digest(demo: h5py.Group) -> str:
    try:
        states, model = demo["states"][()], str(demo.attrs.get("model_file", ""))
    except DAMAGED:
        # Whatever is wrong is said when it is read.
        return digest_of(demo.name.encode())
    return digest_of(states, model.encode(errors="surrogatepass"))


def load_demo(recording: Recording, context: Context) -> Trace:
    """Read one demonstration."""
    try:
        with h5py.File(recording.path, "r") as file:
            data = file["data"]
            demo = data[recording.item]
            states = np.asarray(demo["states"][()], np.float64)
            model = demo.attrs.get("model_file", data.attrs.get("model_file"))
            bddl = str(data.attrs.get("bddl_file_content", ""))
            episode = _json(demo.attrs, "ep_meta")
            source = ONTOLOGY if "bddl_file_name" in data.attrs else ROBOCASA if episode else None
            flags = _flags(demo, context, len(states))
    except (*DAMAGED, TypeError) as error:
        raise AuditError(f"truncated or damaged: {one_line(error)}") from error
    if model is None:
        raise AuditError("it has no attribute 'model_file': without the model, states mean nothing")
    meanings = {**meanings_of_bddl(bddl), **meanings_of_meta(episode)}
    return _trace(recording, context, str(model), states, flags, meanings, None, source)


def _trace(
    recording: Recording,
    context: Context,
    model: str,
    states: F64,
    flags: F64 | None,
    meanings: dict[str, Meaning],
    folder: Path | None,
    ontology: str | None = None,
) -> Trace:
    mapping = replace(context.mapping, ontology=context.mapping.ontology or ontology)
    samples = replay(context.model(model, folder), states, mapping, meanings)
    events = success_events(samples.time_s, flags)
    return uniform_trace(replace(samples, events=events), meta_of(recording, context))


def _flags(demo: h5py.Group, context: Context, count: int) -> F64 | None:
    """Return the success flag of each state, None where the recording has none.

    The reward follows the action, so it belongs to the state after. Rewards other than 0 and 1 are shaped and no flag,
    whatever the environment's arguments say: LIBERO's say that they are shaped, and they are not.
    """
    wanted = context.mapping.success
    if wanted is not None:
        if wanted.column is None:
            return np.full(count, float(bool(wanted.constant)))
        name = wanted.column.names[0]
        if name not in demo:
            raise AuditError(f"{wanted.column.where}: the demonstration has no {name!r}; it has {', '.join(demo)}")
    elif "rewards" in demo and np.isin(demo["rewards"][()], (0, 1)).all():
        name = "rewards"
    else:
        return None
    values = np.asarray(demo[name][()], np.float64).reshape(-1)
    if len(values) != count:
        raise AuditError(f"{name} has {len(values)} samples, the states {count}")
    return np.concatenate([[0.0], values[:-2], [values[-2:].max()]]) if count > 1 else values


def find_folder(path: Path, context: Context) -> Recording:
    """Describe one folder that robosuite's data collection wrote: model.xml and state_*.npz."""
    files = sorted(path.glob("state_*.npz"), key=lambda file: _written(file.name))
    pieces = [digest_of_file(file).encode() for file in (path / "model.xml", *files) if file.is_file()]
    return Recording(
        FOLDER_SOURCE,
        str(path),
        "",
        context.mapping.dataset or path.resolve().parent.name,
        file_name(path.name),
        0,
        digest_of(*pieces),
    )


def load_folder(recording: Recording, context: Context) -> Trace:
    """Read one folder of robosuite's data collection."""
    folder = Path(recording.path)
    model = folder / "model.xml"
    if not model.is_file():
        raise AuditError("it has no model.xml: without the model, states mean nothing")
    pieces, flags = [], []
    files = sorted(folder.glob("state_*.npz"), key=lambda file: _written(file.name))
    if not files:
        raise AuditError("it has no state_*.npz")
    for file in files:
        content = read_npz(file)
        if "states" not in content:
            raise AuditError(f"{file.name} has no 'states'; it has {', '.join(content)}")
        pieces.append(np.atleast_2d(np.asarray(content["states"], np.float64)))
        if "successful" in content:
            flags.append(float(bool(np.asarray(content["successful"]).any())))
    lengths = {piece.shape[1] for piece in pieces}
    if len(lengths) != 1:
        raise AuditError(f"its files hold states of different lengths: {sorted(lengths)}")
    states = np.concatenate(pieces)
    success = context.mapping.success
    flag: F64 | None = None
    if success is not None and success.constant is not None:
        flag = np.full(len(states), float(success.constant))
    elif flags:
        flag = np.zeros(len(states))
        flag[-1] = max(flags)
    try:
        text = model.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise AuditError(f"model.xml is not UTF-8 text: {one_line(error)}") from error
    return _trace(recording, context, text, states, flag, {}, folder)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """Read the arrays of an npz file that need no pickle; AuditError where it is damaged."""
    found: dict[str, np.ndarray] = {}
    try:
        with np.load(path, allow_pickle=False) as archive:
            for name in archive.files:
                try:
                    found[name] = archive[name]
                except ValueError:
                    # An array of Python objects, such as robosuite's action_infos: nothing here needs it.
                    continue
    except DAMAGED as error:
        raise AuditError(f"{path}: truncated, damaged or no npz file: {one_line(error)}") from error
    return found


def _written(name: str) -> tuple[object, ...]:
    """Return a key that sorts robosuite's files by when they were written.

    Their names hold the seconds and, after a `_`, the decimals without the zeros at their end: _5 is after _45.
    """
    match = _WRITTEN.search(name)
    return ((2, int(match[1]), float(f"0.{match[2]}")),) if match else natural(name)


def natural(name: str) -> tuple[object, ...]:
    """Return a key that sorts demo_2 before demo_10."""
    return tuple((1, int(piece), "") if piece.isdigit() else (0, 0, piece) for piece in _DIGITS.split(name))


def one_line(error: BaseException) -> str:
    """Return an error's message in one line."""
    return " ".join(str(error).split())


def _json(attributes: Any, name: str) -> dict[str, Any]:
    try:
        value = json.loads(attributes[name])
    except (KeyError, TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
