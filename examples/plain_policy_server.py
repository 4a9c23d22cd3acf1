"""A server in openpi's wire format with nothing of maniguard in it: `python examples/plain_policy_server.py 8000`."""

import asyncio
import sys

import msgpack
import numpy as np
from websockets.asyncio.server import serve


def unpack(fields):
    return np.ndarray(fields[b"shape"], fields[b"dtype"], fields[b"data"]) if b"__ndarray__" in fields else fields


async def converse(connection):
    await connection.send(msgpack.packb({}))  # metadata come first; what is announced in them would be believed
    async for message in connection:
        seen = msgpack.unpackb(message, object_hook=unpack)  # "observation/state", two images, "prompt"
        actions = np.repeat(seen["observation/state"][None], 16, axis=0)  # hold still; your model's chunk goes here
        array = {b"__ndarray__": True, b"data": actions.tobytes(), b"dtype": actions.dtype.str, b"shape": actions.shape}
        await connection.send(msgpack.packb({"actions": array}))


async def main():
    async with serve(converse, "127.0.0.1", int(sys.argv[1]), compression=None, max_size=2**26) as server:
        print(*server.sockets[0].getsockname(), flush=True)
        await server.serve_forever()


asyncio.run(main())
