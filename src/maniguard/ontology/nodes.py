"""YAML with line numbers: every mistake in an ontology file is reported with the line it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from maniguard.errors import alternatives
from maniguard.ontology.errors import OntologyError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?::[A-Za-z][A-Za-z0-9_]*)?")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Item:
    """One value of a file, with its place. Its readers return something usable or raise OntologyError."""

    def __init__(self, node: yaml.Node, file: str, *, line: int | None = None) -> None:
        self._node = node
        self._file = file
        self._line = node.start_mark.line + 1 if line is None else line

    @property
    def place(self) -> str:
        """`FILE:LINE`, counted from 1; a value of a mapping stands where its name does."""
        return f"{self._file}:{self._line}"

    def refuse(self, message: str) -> OntologyError:
        """Return the error that says what is wrong here."""
        return OntologyError(f"{self.place}: {message}")

    def entries(self) -> Iterator[tuple[str, Item]]:
        """Yield the names and values of a mapping; no name may stand twice."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.refuse(f"expected a mapping, found {self._found()}")
        seen: dict[str, Item] = {}
        for key_node, value_node in self._node.value:
            key = Item(key_node, self._file)
            name = key.name()
            if name in seen:
                raise key.refuse(f"{name!r} stands twice, first at {seen[name].place}")
            seen[name] = key
            yield name, Item(value_node, self._file, line=key._line)

    def fields(self, *allowed: str) -> dict[str, Item]:
        """Return the values of a mapping whose keys are among `allowed`."""
        found: dict[str, Item] = {}
        for key, value in self.entries():
            if key not in allowed:
                raise value.refuse(f"unknown key {key!r}; valid are {alternatives(allowed, limit=20)}")
            found[key] = value
        return found

    def text(self) -> str:
        """Return a text on one line."""
        if not isinstance(self._node, yaml.ScalarNode) or not str(self._node.value).strip():
            raise self.refuse(f"expected a text, found {self._found()}")
        return " ".join(str(self._node.value).split())

    def name(self) -> str:
        """Return a name: letters, digits and _, once with a colon."""
        text = self.text()
        if not _NAME.fullmatch(text):
            raise self.refuse(f"{text!r} is no name; names are letters, digits and _, like red_apple or support:shelf")
        return text

    def items(self) -> tuple[Item, ...]:
        """Return the items of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.refuse(f"expected a list, found {self._found()}")
        return tuple(Item(node, self._file) for node in self._node.value)

    def names(self) -> dict[str, Item]:
        """Return the names in a list, each once, with where they stand."""
        found: dict[str, Item] = {}
        for item in self.items():
            name = item.name()
            if name in found:
                raise item.refuse(f"{name!r} stands twice in this list")
            found[name] = item
        return found

    def one_of(self, valid: tuple[str, ...], what: str) -> str:
        """Return a text that is one of `valid`."""
        text = self.text()
        if text not in valid:
            raise self.refuse(f"{text!r} is no {what}; valid are {alternatives(valid)}")
        return text

    def _found(self) -> str:
        if isinstance(self._node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self._node, yaml.SequenceNode):
            return "a list"
        return repr(self._node.value) if str(self._node.value).strip() else "nothing"


def read_item(path: Path, file: str) -> Item:
    """Return the top of a YAML file; `file` is how messages call it."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise OntologyError(f"{file}: cannot be read: {reason}") from error
    try:
        node = yaml.compose(text, _LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        reason = getattr(error, "problem", None) or " ".join(str(error).split())
        raise OntologyError(f"{file}{line}: not YAML: {reason}") from error
    except RecursionError as error:
        raise OntologyError(f"{file}: is nested too deeply") from error
    if node is None:
        raise OntologyError(f"{file}: is empty; an ontology file is a mapping with maniguard_ontology and source")
    return Item(node, file)
