"""The four hierarchies as a picture, without any drawing program."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from maniguard.ontology.model import HIERARCHIES, Synset
from maniguard.ontology.ontology import Ontology

_COLUMNS = (("kind", "hazard"), ("affordance", "role"))
_COLOURS = {"kind": "#00796b", "hazard": "#c2410c", "affordance": "#3f51b5", "role": "#6d4c41"}
_COLUMN_WIDTH, _GUTTER, _MARGIN = 376, 28, 20
_ROW, _INDENT, _HEAD = 23, 20, 38
_BAR_X, _BAR_WIDTH, _BAR_HEIGHT = 172, 132, 12
_TOP = 66


class Row(NamedTuple):
    """One synset: how deep it stands, how many published entities belong to it, and how many of extensions."""

    depth: int
    synset: Synset
    published: int
    others: int


def rows(ontology: Ontology, hierarchy: str) -> Iterator[Row]:
    """Yield the synsets of a hierarchy depth first, with how many entities belong to each."""
    for depth, synset in ontology.walk(hierarchy):
        core = [ontology.sources[entity.source].core for entity in ontology.members(synset.name)]
        yield Row(depth, synset, sum(core), len(core) - sum(core))


def to_svg(ontology: Ontology) -> str:
    """Return an SVG picture of the hierarchies: one line for each synset, with a bar as long as it has entities.

    The full part of a bar is the published ontology, the pale part is extensions; the numbers stand behind it. A tool
    tip has the meaning.
    """
    drawn = {name: list(rows(ontology, name)) for name in HIERARCHIES}
    longest = max((row.published + row.others for some in drawn.values() for row in some), default=1)
    parts: list[str] = []
    bottoms = []
    for index, column in enumerate(_COLUMNS):
        x, y = _MARGIN + index * (_COLUMN_WIDTH + _GUTTER), _TOP
        for name in column:
            parts.append(_hierarchy(name, drawn[name], x, y, longest))
            y += _HEAD + _ROW * len(drawn[name]) + 18
        bottoms.append(y)
    width = 2 * _MARGIN + 2 * _COLUMN_WIDTH + _GUTTER
    height = max(bottoms) + 6
    counts = ontology.counts()
    others = len(ontology.entities) - counts.entities
    subtitle = f"bars: entities of each meaning; full: the {counts.entities} published ones"
    if others:
        subtitle += f", pale: {others} more"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14" role="img">\n'
        "<title>The four hierarchies of the ontology</title>\n"
        f'<rect width="{width}" height="{height}" rx="10" fill="#fbfaf7"/>\n'
        f'<text x="{_MARGIN}" y="40" font-size="17" font-weight="bold" fill="#222">'
        "What objects and fixtures are</text>\n"
        f'<text x="{width - _MARGIN}" y="40" font-size="13" text-anchor="end" fill="#555">{escape(subtitle)}</text>\n'
        + "".join(parts)
        + "</svg>\n"
    )


def _hierarchy(name: str, lines: list[Row], x: int, y: int, longest: int) -> str:
    colour = _COLOURS[name]
    parts = [
        f'<text x="{x}" y="{y + 18}" font-size="16" font-weight="bold" fill="{colour}">{name}</text>\n'
        f'<text x="{x + 9.6 * len(name) + 10:.0f}" y="{y + 18}" font-size="13" fill="#555">'
        f"{escape(HIERARCHIES[name])}</text>\n"
        f'<line x1="{x}" y1="{y + 26}" x2="{x + _COLUMN_WIDTH}" y2="{y + 26}" stroke="{colour}" stroke-width="1.5"/>\n'
    ]
    # Where the line to the next synset of each depth starts: under its parent, or at the one before it.
    starts: dict[int, float] = {}
    for index, row in enumerate(lines):
        middle = y + _HEAD + _ROW * index + _ROW / 2 - 2
        left = x + 4 + _INDENT * row.depth
        if row.depth > 0:
            elbow = left - _INDENT + 6
            parts.append(
                f'<path d="M{elbow} {starts[row.depth]:g}V{middle:g}H{left - 4}" fill="none" '
                'stroke="#b9b4a8" stroke-width="1.2"/>\n'
            )
            starts[row.depth] = middle
        starts[row.depth + 1] = middle + 9
        parts.append(_line(row, left, x + _BAR_X, middle, longest, colour))
    return "".join(parts)


def _line(row: Row, left: float, bar_x: float, middle: float, longest: int, colour: str) -> str:
    full = _BAR_WIDTH * row.published / longest
    pale = _BAR_WIDTH * row.others / longest
    number = f"{row.published}" + (f" + {row.others}" if row.others else "")
    top = middle - _BAR_HEIGHT / 2
    return (
        f"<g><title>{escape(row.synset.name)}: {escape(row.synset.meaning)}</title>"
        f'<text x="{left:g}" y="{middle + 5:g}" fill="#222">{escape(row.synset.name)}</text>'
        f'<rect x="{bar_x:g}" y="{top:g}" width="{full:.1f}" height="{_BAR_HEIGHT}" fill="{colour}"/>'
        f'<rect x="{bar_x + full:.1f}" y="{top:g}" width="{pale:.1f}" height="{_BAR_HEIGHT}" fill="{colour}" '
        'fill-opacity="0.35"/>'
        f'<text x="{bar_x + full + pale + 6:.1f}" y="{middle + 5:g}" font-size="12.5" fill="#444">{number}</text></g>\n'
    )
