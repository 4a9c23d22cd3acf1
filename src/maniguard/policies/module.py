"""Policies from the user's own Python: `module:Class` or `file.py:Class`, with arguments after a question mark."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

from maniguard.errors import alternatives
from maniguard.policies.contract import PolicyContract
from maniguard.policies.foreign import ForeignCode
from maniguard.policies.policy import Policy, PolicyError


def split_spec(spec: str) -> tuple[str, str, dict[str, Any]]:
    """Split `module:Class?key=value&…` into module, class and arguments; PolicyError when it is not of this form.

    A value that reads as JSON (number, true, false, null, quoted text, list) is taken as such, everything else as text.
    """
    target, _, query = spec.partition("?")
    module, _, name = target.rpartition(":")
    if not module or not name.isidentifier():
        raise PolicyError(
            f"policy {spec!r} is not of the form module:Class or file.py:Class, with ?key=value behind it"
        )
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError as error:
        raise PolicyError(f"policy {spec!r}: {query!r} is not of the form key=value&key=value") from error
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise PolicyError(f"policy {spec!r} gives an argument twice: {', '.join(keys)}")
    return module, name, {key: _value(text) for key, text in pairs}


def load_class(module: str, name: str) -> type[Any]:
    """Import class `name` of `module`, which is a module's name (the working directory counts) or a path ending in .py.

    PolicyError says which part was not found, and which classes of the module could be meant.
    """
    loaded = _load_file(Path(module)) if module.endswith(".py") else _load_module(module)
    candidate = getattr(loaded, name, None)
    if not inspect.isclass(candidate):
        classes = [
            key
            for key, value in vars(loaded).items()
            if inspect.isclass(value) and callable(getattr(value, "infer", None))
        ]
        raise PolicyError(f"{module!r} has no class {name!r}; its classes with infer are {alternatives(classes)}")
    missing = [method for method in ("reset", "infer", "close") if not callable(getattr(candidate, method, None))]
    if missing:
        raise PolicyError(
            f"class {module}:{name} lacks {', '.join(missing)}; a policy has contract, reset, infer, close"
        )
    return candidate


def check_arguments(spec: str, candidate: type[Any], arguments: dict[str, Any]) -> None:
    """Refuse arguments that the constructor does not take, or lacks; PolicyError lists its parameters."""
    signature = inspect.signature(candidate)
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise PolicyError(f"policy {spec!r}: {error}; {candidate.__name__} takes {signature}") from error


def make(spec: str, module: str, name: str, arguments: dict[str, Any]) -> Policy:
    """Import, construct and look the policy over; the recipe that a worker runs."""
    candidate = load_class(module, name)
    check_arguments(spec, candidate, arguments)
    with ForeignCode(PolicyError, f"policy {spec!r}", "its constructor"):
        policy: Policy = candidate(**arguments)
    with ForeignCode(PolicyError, f"policy {spec!r}", "its contract"):
        contract = getattr(policy, "contract", None)
    if not isinstance(contract, PolicyContract):
        raise PolicyError(f"policy {spec!r}: its contract is {type(contract).__name__}, not a PolicyContract")
    return policy


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _load_module(name: str) -> ModuleType:
    # A console script does not have the working directory on its path, as `python -m` has.
    if "" not in sys.path:
        _add_to_path(Path.cwd())
    with ForeignCode(PolicyError, f"policy module {name!r}", "its import"):
        try:
            return importlib.import_module(name)
        except (ImportError, SyntaxError) as error:
            raise PolicyError(f"cannot import policy module {name!r}: {_one_line(error)}") from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PolicyError(f"there is no policy file {str(path)!r}")
    name = f"maniguard_policy_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise PolicyError(f"policy file {str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(found)
    # dataclasses and pickle look a class's module up by name while it is being executed
    sys.modules[name] = module
    # A file that Python runs finds the modules beside it.
    _add_to_path(path.resolve().parent)
    try:
        with ForeignCode(PolicyError, f"policy file {str(path)!r}", "its import"):
            try:
                found.loader.exec_module(module)
            except (ImportError, SyntaxError) as error:
                raise PolicyError(f"cannot import policy file {str(path)!r}: {_one_line(error)}") from error
    except PolicyError:
        del sys.modules[name]
        raise
    return module


def _add_to_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
