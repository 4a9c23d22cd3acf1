"""From the text after `--policy` to a recipe for the policy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from maniguard.errors import alternatives
from maniguard.policies import module
from maniguard.policies.builtin import NoopPolicy, RandomPolicy
from maniguard.policies.policy import Policy, PolicyError, PolicyFactory
from maniguard.policies.replay import ReplayPolicy
from maniguard.policies.wire.groot import GrootOptions, GrootPolicy
from maniguard.policies.wire.openpi import OpenpiOptions, OpenpiPolicy
from maniguard.policies.wire.openvla import OpenvlaOptions, OpenvlaPolicy
from maniguard.policies.wire.vla_eval import VlaEvalOptions, VlaEvalPolicy

FORMS = (
    "noop",
    "random",
    "expert",
    "prompt-expert",
    "reckless[:NAME]",
    "near-miss:NAME",
    "replay:TRACE",
    "module:Class",
    "file.py:Class",
    "openpi://HOST:PORT",
    "groot://HOST:PORT",
    "openvla://HOST:PORT",
    "http://HOST:PORT/act",
    "vla-eval://HOST:PORT",
)
_SERVERS: dict[str, Callable[[str], Callable[[], Policy]]] = {
    "openpi": lambda spec: partial(OpenpiPolicy, OpenpiOptions.parse(spec)),
    "groot": lambda spec: partial(GrootPolicy, GrootOptions.parse(spec)),
    "openvla": lambda spec: partial(OpenvlaPolicy, OpenvlaOptions.parse(spec)),
    "http": lambda spec: partial(OpenvlaPolicy, OpenvlaOptions.parse(spec)),
    "vla-eval": lambda spec: partial(VlaEvalPolicy, VlaEvalOptions.parse(spec)),
}
_SIMPLE: dict[str, Callable[[], Policy]] = {"noop": NoopPolicy, "random": RandomPolicy}
_SCRIPTED = ("expert", "prompt-expert", "reckless", "near-miss")
_SCRIPTED_PACKAGE = "maniguard.policies.scripted"


def resolve(spec: str) -> PolicyFactory:
    """Return the recipe for the policy that `spec` names; PolicyError lists the valid forms when it names none.

    Forms: those of `FORMS`; `module:Class` and the addresses take `?key=value&…`. Names, classes and arguments are
    checked here; nothing is constructed, no trace is read and no connection is made before the recipe is called.
    """
    if spec in _SIMPLE:
        return PolicyFactory(spec, _SIMPLE[spec])
    kind, colon, rest = spec.partition(":")
    if kind in _SCRIPTED:
        return PolicyFactory(spec, _scripted(spec, kind, rest if colon else None))
    if kind == "replay":
        if not rest:
            raise PolicyError(f"policy {spec!r} lacks a trace; valid: replay:TRACE")
        # A worker may stand in another folder.
        return PolicyFactory(spec, partial(ReplayPolicy, str(Path(rest).resolve())))
    scheme, slashes, _ = spec.partition("://")
    if slashes:
        if scheme not in _SERVERS:
            protocols = ", ".join(form for form in FORMS if "://" in form)
            raise PolicyError(f"policy {spec!r}: unknown protocol {scheme!r}; valid: {protocols}")
        return PolicyFactory(spec, _SERVERS[scheme](spec))
    if not colon:
        raise PolicyError(f"unknown policy {spec!r}; valid: {', '.join(FORMS)}")
    name, class_name, arguments = module.split_spec(spec)
    if name.endswith(".py"):
        name = str(Path(name).resolve())
    module.check_arguments(spec, module.load_class(name, class_name), arguments)
    return PolicyFactory(spec, partial(module.make, spec, name, class_name, arguments))


def _scripted(spec: str, kind: str, name: str | None) -> Callable[[], Policy]:
    scripts = _scripts()
    if kind in ("expert", "prompt-expert"):
        if name is not None:
            raise PolicyError(f"policy {spec!r}: the {kind} has no variants; valid: {kind}")
        return partial(_make_scripted, kind, None)
    names = scripts.names(kind)
    if name is None and kind == "near-miss":
        raise PolicyError(f"policy {spec!r} lacks a name; valid: near-miss:NAME with NAME from {alternatives(names)}")
    if name is not None and name not in names:
        raise PolicyError(f"policy {spec!r}: there is no script {name!r}; valid names: {alternatives(names)}")
    return partial(_make_scripted, kind, name)


def _make_scripted(kind: str, name: str | None) -> Policy:
    policy: Policy = _scripts().make(kind, name)
    return policy


def _scripts() -> ModuleType | Any:
    # The scripts need the simulator and the planner; policies that do not must be usable without them.
    try:
        return importlib.import_module(_SCRIPTED_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != _SCRIPTED_PACKAGE:
            raise
        raise PolicyError(f"this installation has no scripted policies ({', '.join(_SCRIPTED)})") from error
