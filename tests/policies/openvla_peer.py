"""A stand-in for an OpenVLA server, written from the layout of its messages: `python openvla_peer.py JSON`.

Nothing of maniguard is in it. It answers POST /act with a row made of what it was asked, and misbehaves when told.
"""

import base64
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

SETTINGS = {
    "port": 0,
    "fault": "",
    "after": 1,  # requests answered well before the fault; the first is the client's blank one
    "rows": 0,  # 0 answers one flat row, as a genuine server does
    "answer": "array",  # array, list, or text: JSON within JSON
    "row": [],  # this row, always
    "unnorm_key": "any",
}


def unpack(fields):
    if "__numpy__" not in fields:
        return fields
    data = base64.b64decode(fields["__numpy__"])
    return np.frombuffer(data, fields["dtype"]).reshape(fields["shape"])


def pack(array):
    return {"__numpy__": base64.b64encode(array.tobytes()).decode(), "dtype": array.dtype.str, "shape": array.shape}


class Server(BaseHTTPRequestHandler):
    settings = SETTINGS
    asked = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])), object_hook=unpack)
        settings, Server.asked = self.settings, Server.asked + 1
        fault = settings["fault"] if Server.asked > settings["after"] else ""
        image, text = request["image"], request["instruction"]
        good = self.path == "/act" and image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3
        if not good or set(request) - {"image", "instruction", "unnorm_key"}:
            return self.reply("error")
        if settings["unnorm_key"] not in ("any", request.get("unnorm_key")):
            return self.reply("error")
        row = np.array(settings["row"] or [image.mean() / 1e4, len(text) / 1e4, 0, 0, 0, Server.asked / 1e4, 1.0])
        rows = row if not settings["rows"] else np.tile(row, (settings["rows"], 1))
        if fault == "error":
            return self.reply("error")
        if fault == "status":
            return self.reply({"detail": "no"}, 500)
        if fault == "gateway":
            return self.reply({"detail": "no healthy upstream"}, 503)
        if fault == "hang":
            time.sleep(3600)
        if fault == "trickle":
            return self.trickle()
        if fault == "exit":
            os._exit(7)
        if fault == "large":
            return self.reply("0" * (2 * 1024 * 1024))
        if fault == "nan":
            rows = rows * np.nan
        if fault == "columns":
            rows = rows[..., :6]
        if fault == "ragged":
            return self.reply([[0.0] * 7, [0.0] * 6])
        if fault == "map":
            return self.reply({"action": [0.0] * 7})
        if fault == "object":
            return self.reply({"__numpy__": base64.b64encode(bytes(56)).decode(), "dtype": "|O", "shape": [7]})
        if fault == "short":
            return self.reply({"__numpy__": base64.b64encode(bytes(8)).decode(), "dtype": "<f8", "shape": [7]})
        if fault == "no-json":
            return self.reply(None, body=b"<html>")
        if settings["answer"] == "text":
            return self.reply(json.dumps(pack(rows)))
        return self.reply(rows.tolist() if settings["answer"] == "list" else pack(rows))

    def reply(self, value, status=200, body=None):
        data = json.dumps(value).encode() if body is None else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def trickle(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            time.sleep(0.2)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    Server.settings = SETTINGS | json.loads((sys.argv[1:] or ["{}"])[0])
    listener = ThreadingHTTPServer(("127.0.0.1", Server.settings["port"]), Server)
    print("ready", *listener.server_address[:2], flush=True)
    listener.serve_forever()
