"""Serves a LeRobot checkpoint to maniguard. Runs in LeRobot's own environment and imports nothing of maniguard.

    pip install msgpack websockets
    python lerobot_server.py --checkpoint DIR [--camera observation.images.top=overview] [--port 8000]
    maniguard eval --policy openpi://127.0.0.1:8000 --out RUN

It speaks openpi's websocket format and announces a maniguard contract. The checkpoint's own processors are applied, and
a feature that they should normalise without having statistics for it is refused. Rows are those that `lerobot-eval`
would execute: `select_action` is asked `n_action_steps` times for one observation, or once per observation where the
policy looks at every one (several observation steps, temporal ensembling). At the start of a rollout the queues are
emptied and the random generators seeded. One client at a time is taken, because policies remember; one that forgets
everything between chunks may be `--shared`. Nothing is unpickled; it listens on loopback unless told otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import os
import random
import re
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.exceptions import ConnectionClosed

CONTRACT_FORMAT = "maniguard-policy/1"
CAMERAS = ("overview", "front", "left", "right", "wrist")
RESET_KEY, PROMPT_KEY = "maniguard/reset", "prompt"
STATE_KEY, IMAGE_PREFIX = "observation.state", "observation.image"
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_DTYPE = re.compile(r"(\|b1|\|[iu]1|[<>][iu][248]|[<>]f[248])")

logger = logging.getLogger("lerobot_server")


class ServerError(Exception):
    """A checkpoint that cannot be served, or a request that is none; the message is one line."""


# --- the wire: msgpack, arrays as maps with byte-string keys ---


def encode(value: Any) -> bytes:
    """Encode maps, lists, text, numbers and arrays of numbers."""

    def pack(array: Any) -> Any:
        if not isinstance(array, np.ndarray) or _DTYPE.fullmatch(array.dtype.str) is None:
            raise TypeError(f"a value of type {type(array).__name__} cannot be sent")
        return {
            b"__ndarray__": True,
            b"data": array.tobytes(),
            b"dtype": array.dtype.str,
            b"shape": list(array.shape),
        }

    encoded: bytes = msgpack.packb(value, default=pack)
    return encoded


def decode(message: bytes) -> Any:
    """Decode a message; ServerError when it is malformed. Only arrays of numbers are made."""

    def unpack(fields: dict[Any, Any]) -> Any:
        if b"__ndarray__" not in fields:
            return fields
        dtype, data, shape = fields.get(b"dtype"), fields.get(b"data"), fields.get(b"shape")
        if not isinstance(dtype, str) or _DTYPE.fullmatch(dtype) is None or not isinstance(data, bytes):
            raise ServerError(f"an array of dtype {str(dtype)[:20]!r} is not taken")
        if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
            raise ServerError("an array's shape is not a list of sizes")
        if math.prod(shape) * np.dtype(dtype).itemsize != len(data):
            raise ServerError(f"an array of shape {shape} and dtype {dtype} came with {len(data)} bytes")
        return np.ndarray(shape, dtype, buffer=data).copy()

    try:
        return msgpack.unpackb(message, object_hook=unpack)
    except ServerError:
        raise
    except (ValueError, TypeError, msgpack.exceptions.UnpackException) as error:
        raise ServerError(f"not a msgpack message: {error}") from error


# --- the contract ---


def cameras_of(images: list[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the camera of every image feature: the given one, or that of the same name; ServerError names the rest."""
    chosen: dict[str, str] = {}
    for feature in images:
        camera = given.get(feature, feature.rpartition(".")[2])
        if camera not in CAMERAS:
            raise ServerError(
                f"which camera is {feature!r}? Say it with --camera {feature}=CAMERA; cameras: {', '.join(CAMERAS)}"
            )
        chosen[feature] = camera
    unknown = sorted(set(given) - set(images))
    if unknown:
        raise ServerError(f"the checkpoint has no image {unknown[0]!r}; it has {', '.join(images) or 'none'}")
    return chosen


def contract_of(
    name: str,
    inputs: Mapping[str, tuple[str, tuple[int, ...]]],
    columns: int,
    rows: int,
    cameras: Mapping[str, str],
    *,
    state: str = "joints+opening",
    action: Mapping[str, Any] | None = None,
    image_size_px: int | None = None,
) -> dict[str, Any]:
    """Return the contract for features `inputs` (name -> kind and shape, images channels first).

    ServerError for a feature that maniguard cannot offer, and for images that are not square unless a size is given.
    """
    observations: list[dict[str, Any]] = []
    for feature, (kind, shape) in inputs.items():
        entry: dict[str, Any] = {"key": feature, "camera": None, "content": None}
        if kind == "VISUAL":
            channels, height, width = shape
            if image_size_px is None and (height != width or channels != 3):
                raise ServerError(
                    f"{feature} is {shape}; maniguard renders square RGB images: choose the size that is sent with "
                    f"--image-size-px N, if the policy takes any"
                )
            size = image_size_px or height
            observations.append({**entry, "shape": [size, size, 3], "dtype": "uint8", "camera": cameras[feature]})
        elif kind == "STATE" and feature == STATE_KEY:
            observations.append({**entry, "shape": list(shape), "dtype": "float32", "content": state})
        else:
            raise ServerError(f"the checkpoint wants {feature} ({kind}); maniguard offers {STATE_KEY} and images")
    prompt: dict[str, Any] = {"key": PROMPT_KEY, "shape": [], "dtype": "str", "camera": None, "content": None}
    meaning = {"convention": "joint_position", **(action or {}), "horizon": rows, "dims": columns}
    return {
        "format": CONTRACT_FORMAT,
        "name": name,
        "observations": [*observations, prompt],
        "action": meaning,
        "executed_steps": rows,
        "deterministic": False,
        "privileged": False,
        "stateless": False,
    }


# --- the policy ---


class Randomness:
    """The state of every generator that a policy may draw from, one for each client."""

    def __init__(self, seed: int) -> None:
        import torch

        self._torch = torch
        torch.manual_seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002 (policies draw from the global one)
        random.seed(seed)
        self.keep()

    def keep(self) -> None:
        """Remember where the generators are."""
        cuda = self._torch.cuda.get_rng_state_all() if self._torch.cuda.is_available() else []
        self._kept = (self._torch.get_rng_state(), cuda, np.random.get_state(), random.getstate())  # noqa: NPY002

    def take(self) -> None:
        """Go on from where they were."""
        self._torch.set_rng_state(self._kept[0])
        if self._kept[1]:
            self._torch.cuda.set_rng_state_all(self._kept[1])
        np.random.set_state(self._kept[2])  # noqa: NPY002
        random.setstate(self._kept[3])


class Checkpoint:
    """A LeRobot policy with its processors. One thread, one call at a time."""

    def __init__(self, path: str, device: str | None, arguments: argparse.Namespace) -> None:
        import torch
        from lerobot.configs import PreTrainedConfig
        from lerobot.policies.factory import get_policy_class, make_pre_post_processors

        self._torch = torch
        config = PreTrainedConfig.from_pretrained(path)
        config.device = device or config.device
        # Weights come from the checkpoint: a backbone must not be fetched just to be overwritten.
        if hasattr(config, "pretrained_backbone_weights"):
            config.pretrained_backbone_weights = None
        self._policy = get_policy_class(config.type).from_pretrained(path, config=config)
        self._policy.eval()
        self._before, self._after = make_pre_post_processors(
            config, pretrained_path=path, preprocessor_overrides={"device_processor": {"device": str(config.device)}}
        )
        refuse_missing_statistics([*self._before.steps, *self._after.steps])
        every_step = bool(
            arguments.every_step
            or getattr(config, "n_obs_steps", 1) > 1
            or getattr(config, "temporal_ensemble_coeff", None) is not None
        )
        self.rows = 1 if every_step else int(getattr(config, "n_action_steps", 1))
        if every_step and arguments.shared:
            raise ServerError(f"a {config.type} policy remembers its observations; it cannot be --shared")
        inputs = {key: (feature.type.name, tuple(feature.shape)) for key, feature in config.input_features.items()}
        self._images = [key for key, (kind, _) in inputs.items() if kind == "VISUAL"]
        if "action" not in config.output_features:
            raise ServerError(f"the checkpoint gives {', '.join(config.output_features)} and no 'action'")
        self.contract = contract_of(
            f"lerobot {config.type}",
            inputs,
            int(config.output_features["action"].shape[0]),
            self.rows,
            cameras_of(self._images, dict(arguments.camera)),
            state=arguments.state,
            action=json.loads(arguments.action),
            image_size_px=arguments.image_size_px,
        )

    def reset(self) -> None:
        """Empty every queue."""
        for part in (self._policy, self._before, self._after):
            part.reset()

    def infer(self, observation: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Return rows (rows, columns) float32 for one observation."""
        torch = self._torch
        batch: dict[str, Any] = {"task": [str(observation[PROMPT_KEY])]}
        for key, value in observation.items():
            if key in self._images:
                pixels = torch.from_numpy(value).permute(2, 0, 1).contiguous()
                batch[key] = (pixels.to(torch.float32) / 255.0)[None]
            elif key != PROMPT_KEY:
                batch[key] = torch.from_numpy(value)[None]
        batch = self._before(batch)
        rows = []
        with torch.inference_mode():
            # As many as the policy queues: the next observation finds the queue empty.
            for _ in range(self.rows):
                # The postprocessor may work in place, and the queue hands out views.
                action = self._after(self._policy.select_action(dict(batch)).clone())
                rows.append(np.asarray(action.detach().to("cpu", torch.float32).numpy())[0])
        return np.stack(rows)


def refuse_missing_statistics(steps: list[Any]) -> None:
    """Refuse processors that would silently pass a feature through unnormalised; ServerError names the feature."""
    for step in steps:
        features, modes = getattr(step, "features", None), getattr(step, "norm_map", None)
        if not features or not modes:
            continue
        statistics = getattr(step, "_tensor_stats", None) or getattr(step, "stats", None) or {}
        inverse = "Unnormalizer" in type(step).__name__
        for key, feature in features.items():
            # Inputs are normalised on the way in, actions brought back on the way out.
            if (feature.type.name == "ACTION") is not inverse:
                continue
            mode = modes.get(feature.type)
            if mode is not None and mode.name != "IDENTITY" and key not in statistics:
                raise ServerError(
                    f"the checkpoint's {type(step).__name__} has no statistics of {key!r}, which it should treat by "
                    f"{mode.name}: LeRobot would pass it through as it is, and the policy would see or give wrong units"
                )


# --- the server ---


class Server:
    """Answers openpi clients, one at a time or, if the policy is `shared`, many."""

    def __init__(self, checkpoint: Any, *, shared: bool = False, randomness: Callable[[int], Any] = Randomness) -> None:
        self._checkpoint, self._shared, self._randomness = checkpoint, shared, randomness
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")
        self._clients = 0
        announced = {"contract": checkpoint.contract, "reset": True, "max_message_bytes": MAX_MESSAGE_BYTES}
        self._metadata = encode({"maniguard": announced, "lerobot": True})

    async def converse(self, connection: ServerConnection) -> None:
        """Send the metadata, then answer one observation after the other."""
        if self._clients and not self._shared:
            said = "this server takes one client at a time; --shared takes more, for a policy that remembers nothing"
            await self._refuse(connection, said, 1013)
            return
        self._clients += 1
        seat: dict[str, Any] = {"randomness": None}
        try:
            await connection.send(self._metadata)
            async for message in connection:
                answering = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, seat, message)
                await asyncio.wait([answering])
                error = answering.exception()
                if error is not None:
                    if not isinstance(error, ServerError):
                        logger.error("the policy failed", exc_info=error)
                    said = " ".join(f"{type(error).__name__}: {error}".split())
                    await self._refuse(connection, said, 1011)
                    return
                await connection.send(answering.result())
        except ConnectionClosed as closed:
            logger.info("client hung up: %s", closed)
        finally:
            self._clients -= 1

    async def _refuse(self, connection: ServerConnection, text: str, code: int) -> None:
        await connection.send(text)
        await connection.close(code, "the reason is in the text frame before this")

    def _answer(self, seat: dict[str, Any], message: str | bytes) -> bytes:
        if isinstance(message, str):
            raise ServerError("a request is a binary msgpack frame, not text")
        request = decode(message)
        if not isinstance(request, dict):
            raise ServerError(f"a request is a map of observation keys, not {type(request).__name__}")
        reset = request.pop(RESET_KEY, None)
        observation = {}
        for spec in self._checkpoint.contract["observations"]:
            value, key = request.get(spec["key"]), spec["key"]
            if spec["dtype"] == "str":
                right = isinstance(value, str)
            else:
                right = isinstance(value, np.ndarray) and (list(value.shape), value.dtype.name) == (
                    spec["shape"],
                    spec["dtype"],
                )
            if not right:
                got = f"{value.shape} {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
                raise ServerError(f"{key!r} must be {spec['shape']} {spec['dtype']}, got {got}")
            observation[key] = value
        if reset is not None or seat["randomness"] is None:
            seed = reset.get("seed") if isinstance(reset, dict) else 0
            if type(seed) is not int or seed < 0:
                raise ServerError(f"{RESET_KEY!r} must hold a seed, 0 or more; got {reset!r}")
            # Where the policy is shared, queues are empty between requests, and others are in their rollouts.
            self._checkpoint.reset()
            seat["randomness"] = self._randomness(seed)
        seat["randomness"].take()
        actions = self._checkpoint.infer(observation)
        seat["randomness"].keep()
        return encode({"actions": actions})


async def run(server: Server, host: str, port: int) -> None:
    """Listen until SIGINT or SIGTERM."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)

    def health(connection: ServerConnection, request: Any) -> Any:
        return connection.respond(HTTPStatus.OK, "OK\n") if request.path == "/healthz" else None

    async with listen(
        server.converse,
        host,
        port,
        compression=None,
        max_size=MAX_MESSAGE_BYTES,
        ping_interval=20,
        ping_timeout=None,
        origins=[None],
        process_request=health,
    ) as listening:
        bound = next(iter(listening.sockets)).getsockname()
        sys.stdout.write(f"serving at openpi://{bound[0]}:{bound[1]} (Ctrl-C ends it)\n")
        sys.stdout.flush()
        await stop.wait()


def _pair(text: str) -> tuple[str, str]:
    feature, equals, camera = text.rpartition("=")
    if not equals or not feature or not camera:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form FEATURE=CAMERA")
    return feature, camera


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--checkpoint", required=True, help="folder with config.json, weights and processors")
    parser.add_argument("--device", help="cpu, cuda, mps; the checkpoint's own by default")
    parser.add_argument(
        "--camera", type=_pair, action="append", default=[], metavar="FEATURE=CAMERA",
        help=f"which camera an image is; needed where its name is none of {', '.join(CAMERAS)}",
    )  # fmt: skip
    parser.add_argument(
        "--state", default="joints+opening", help="what observation.state is, in the words of `maniguard` contracts"
    )
    parser.add_argument(
        "--action", default="{}", metavar="JSON", help='what an action is, such as \'{"convention": "ee_delta"}\''
    )
    parser.add_argument("--image-size-px", type=int, metavar="N", help="size of the images that are sent")
    parser.add_argument("--every-step", action="store_true", help="ask the policy about every observation")
    parser.add_argument("--shared", action="store_true", help="take many clients: the policy forgets between chunks")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of torch on the processor")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    return parser


def main() -> int:
    """Load, announce, serve."""
    parser = build_parser()
    arguments = parser.parse_args()
    if not arguments.host.strip():
        # To the system an empty host is every interface of the machine.
        parser.error("--host is empty; give 127.0.0.1, or 0.0.0.0 for every network there is")
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    if Path(arguments.checkpoint).is_dir():
        # Everything is in the folder, and nothing may be looked for elsewhere.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        if arguments.threads is not None:
            import torch

            torch.set_num_threads(arguments.threads)
        checkpoint = Checkpoint(arguments.checkpoint, arguments.device, arguments)
    except (ServerError, ValueError, FileNotFoundError) as error:
        sys.stderr.write(f"lerobot_server: {' '.join(str(error).split())}\n")
        return 2
    try:
        asyncio.run(run(Server(checkpoint, shared=arguments.shared), arguments.host, arguments.port))
    except (OSError, OverflowError, UnicodeError) as error:
        sys.stderr.write(f"lerobot_server: cannot listen on {arguments.host}:{arguments.port}: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
