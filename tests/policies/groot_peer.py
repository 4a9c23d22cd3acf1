"""A stand-in for a GR00T N1.6 server, written from the layout of its messages: `python groot_peer.py JSON`.

Nothing of maniguard is in it. It answers with its own pid, what it was asked and how often, and misbehaves when told.
"""

import io
import json
import os
import sys
import time

import msgpack
import numpy as np
import zmq

SETTINGS = {
    "port": 0,
    "horizon": 16,
    "fault": "",  # see `answer`
    "after": 1,  # get_action requests answered well before the fault; the first is the client's blank one
    "as_text": False,  # a ModalityConfig as JSON text or as a map
    "states": {"joint_position": 7, "gripper_position": 1},
    "actions": {"joint_position": 7, "gripper_position": 1},
    "action_configs": None,
    "video": ["overview_image", "wrist_image"],
    "language": "annotation.human.task_description",
    "video_steps": [0],
    "late_s": 0.0,
    "log": "",
}


def pack(value):
    if isinstance(value, np.ndarray):
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"__ndarray_class__": True, "as_npy": file.getvalue()}
    raise TypeError(type(value))


def unpack(fields):
    if "__ndarray_class__" in fields:
        return np.load(io.BytesIO(fields["as_npy"]), allow_pickle=False)
    return fields


class Server:
    def __init__(self, settings):
        self.settings, self.asked, self.seed, self.calls = settings, 0, -1, []

    def modality(self, keys, steps, action_configs=None):
        config = {"delta_indices": steps, "modality_keys": list(keys), "action_configs": action_configs}
        text = json.dumps(config) if self.settings["as_text"] else config
        return {"__ModalityConfig_class__": True, "as_json": text}

    def answer(self, request):
        settings, endpoint = self.settings, request["endpoint"]
        self.calls.append(endpoint)
        if settings["log"]:
            with open(settings["log"], "a") as file:
                file.write(json.dumps([endpoint, sorted(request), repr(request.get("data"))[:80]]) + "\n")
        if endpoint == "ping":
            return {"status": "ok", "message": "Server is running"}
        if endpoint == "get_modality_config":
            steps = list(range(settings["horizon"]))
            return {
                "video": self.modality(settings["video"], settings["video_steps"]),
                "state": self.modality(settings["states"], [0]),
                "action": self.modality(settings["actions"], steps, settings["action_configs"]),
                "language": self.modality([settings["language"]], [0]),
            }
        if endpoint == "reset" and settings["fault"] == "no-reset":
            return {"error": "Unknown endpoint: reset"}
        if endpoint == "reset":
            self.seed = request["data"]["options"]["seed"]
            return {}
        assert endpoint == "get_action", endpoint
        assert request["data"]["options"] is None
        return self.act(request["data"]["observation"])

    def act(self, observation):
        settings = self.settings
        self.asked += 1
        for key in settings["video"]:
            assert observation["video"][key].dtype == np.uint8
            assert observation["video"][key].shape[:2] == (1, 1)
            assert observation["video"][key].shape[4] == 3
        states = observation["state"]
        for key, columns in settings["states"].items():
            assert (states[key].dtype, states[key].shape) == (np.float32, (1, 1, columns)), key
        assert set(observation["video"]) == set(settings["video"])
        assert set(states) == set(settings["states"])
        ((prompt,),) = observation["language"][settings["language"]]
        images = [float(observation["video"][key].mean()) for key in settings["video"]]
        told = [os.getpid(), self.seed, self.asked, len(prompt), *[*images, 0.0][:2]]
        reply = {}
        for key, columns in settings["actions"].items():
            reply[key] = rows = np.zeros((1, settings["horizon"], columns), np.float32)
            if key in states and states[key].shape[2] == columns:
                rows[0, :] = states[key][0, 0]
            if columns == 7:
                rows[0, 1, :6] = told
        first = next(iter(settings["actions"]))
        rows = reply[first]
        fault = settings["fault"] if self.asked > settings["after"] else ""
        if fault == "hang":
            time.sleep(3600)
        if fault == "late":
            time.sleep(settings["late_s"])
        if fault == "exit":
            os._exit(7)
        if fault == "nan":
            rows[0, 3, 2] = np.nan
        if fault == "shape":
            reply[first] = rows[:, :, :6]
        if fault == "short":
            reply[first] = rows[:, :4]
        if fault == "text":
            reply[first] = "left"
        if fault == "missing":
            del reply["gripper_position"]
        if fault == "none":
            return None
        if fault == "error":
            return {"error": "Traceback:\n  File x\nCUDA out of memory"}
        if fault == "large":
            reply["more"] = b"0" * (65 * 1024 * 1024)
        if fault == "object":
            reply[first] = {"__ndarray_class__": True, "as_npy": OBJECTS}
        if fault == "garbage":
            return b"\xc1\xc1"
        return [reply, {}]


_file = io.BytesIO()
np.save(_file, np.array([{}], object), allow_pickle=True)
OBJECTS = _file.getvalue()


def main():
    settings = SETTINGS | json.loads((sys.argv[1:] or ["{}"])[0])
    listener = zmq.Context().socket(zmq.REP)
    listener.bind(f"tcp://127.0.0.1:{settings['port'] or '*'}")
    print("ready", "127.0.0.1", listener.getsockopt_string(zmq.LAST_ENDPOINT).rsplit(":", 1)[1], flush=True)
    server = Server(settings)
    while True:
        reply = server.answer(msgpack.unpackb(listener.recv(), object_hook=unpack))
        listener.send(reply if isinstance(reply, bytes) else msgpack.packb(reply, default=pack))


if __name__ == "__main__":
    main()
