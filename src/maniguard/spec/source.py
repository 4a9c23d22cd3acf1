"""The YAML text of a specification: where it is, and how it is read without surprises."""

from __future__ import annotations

import re
from collections.abc import Hashable
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from maniguard.errors import alternatives
from maniguard.spec.errors import SpecError


class _Loader(yaml.SafeLoader):
    """YAML in which `on` and `no` are words, and in which no key may stand twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = str(key_node.value)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def library() -> tuple[str, ...]:
    """Return the names of the shipped specifications."""
    folder = resources.files("maniguard.spec") / "library"
    return tuple(sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")))


def read_source(name_or_path: str | Path) -> tuple[str, dict[str, Any]]:
    """Return the name that messages use for a specification, and its content.

    A name without folder and suffix is one of the shipped library, or else a file in the working directory. SpecError
    where there is no such file, or where it is not YAML with a mapping at the top.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, str) and "/" not in text and "\\" not in text and not text.endswith((".yaml", ".yml")):
        if text in library():
            source = (resources.files("maniguard.spec") / "library" / f"{text}.yaml").read_text("utf-8")
        elif Path(text).exists():
            source = _text_of(Path(text))
        else:
            raise SpecError(
                f"no specification is called {text!r}; shipped are {alternatives(library())}, or give a file"
            )
    else:
        source = _text_of(Path(text))
    try:
        data = yaml.load(source, _Loader)
    except yaml.YAMLError as error:
        raise SpecError(f"{text}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise SpecError(f"{text}: a specification is a mapping, not {type(data).__name__}")
    return text, data


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise SpecError(f"{path}: cannot be read: {reason}") from error
