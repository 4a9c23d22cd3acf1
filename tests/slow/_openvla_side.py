"""The other side of the group openvla_peer: runs in the peer's environment and knows json-numpy, not maniguard."""

import json
import pathlib
import socket
import sys

import json_numpy
import numpy as np

DTYPES = ("<f2", "<f4", ">f8", "|b1", "|u1", "<i8", ">i4", "<u2")


def codec(folder: pathlib.Path) -> None:
    """Re-encode every message of `ours`, and write messages of its own to `theirs`."""
    for path in sorted((folder / "ours").iterdir()):
        (folder / "back" / path.name).write_text(json_numpy.dumps(json_numpy.loads(path.read_text())))
    generator = np.random.default_rng(1)
    for index in range(200):
        shape = tuple(int(size) for size in generator.integers(0, 5, generator.integers(0, 4)))
        array = np.asarray(generator.integers(0, 2, shape)).astype(DTYPES[index % 8])
        (folder / "theirs" / f"{index:04d}").write_text(json_numpy.dumps({"a": array, "b": [array, 1, "x"]}))


def serve() -> None:
    """Answer POST /act as the published server does: patched JSON, one row, the text "error" for whatever fails."""
    json_numpy.patch()
    import uvicorn
    from fastapi import FastAPI, Request
    from fastapi.responses import JSONResponse

    app = FastAPI()

    @app.post("/act")
    async def act(request: Request):
        try:
            payload = json.loads(await request.body())
            image, instruction = payload["image"], payload["instruction"]
            if "fail" in instruction:
                raise ValueError(instruction)
            assert image.dtype == np.uint8
            weighted = (image * np.arange(image.shape[1])[None, :, None]).sum()
            told = [
                image.sum() / 1e9,
                weighted / 1e12,
                len(instruction) / 1e3,
                len(payload.get("unnorm_key") or "") / 1e3,
            ]
            return JSONResponse(np.array([*told, 0.0, 0.0, 1.0]))
        except Exception:  # noqa: BLE001 (so does the published one)
            return "error"

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        print(*listener.getsockname(), flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    serve() if sys.argv[1] == "serve" else codec(pathlib.Path(sys.argv[2]))
