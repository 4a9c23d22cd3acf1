"""`maniguard ontology`: what objects and fixtures are, what is known of one, and a picture of the hierarchies."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from maniguard.cli.arguments import Commands
from maniguard.files import write_atomic


def add_parser(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser("ontology", help="what objects and fixtures are, with their properties")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="counts and hierarchies, or all that is known of one category")
    show.add_argument("category", nargs="?", metavar="CATEGORY", help="a category or fixture, as NAME or SOURCE/NAME")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--svg", type=Path, metavar="FILE", help="draw the hierarchies into this file")
    show.add_argument("--extension", action="append", default=[], metavar="FILE", help="add your own ontology file")
    show.set_defaults(run=_show)


def overview(ontology: Any) -> dict[str, Any]:
    """Return what `show --json` says without a category: the published counts, and those of each source."""
    from maniguard.ontology import HIERARCHIES

    def of(source: str | None) -> dict[str, Any]:
        counts = ontology.counts(source)
        return {
            "entities": counts.entities,
            "objects": counts.objects,
            "fixtures": counts.fixtures,
            "properties": counts.properties,
            "links": counts.links,
            "native": counts.native,
            "derived": counts.derived,
            "curated": counts.curated,
        }

    return {
        **of(None),
        "sources": {
            name: {"published": source.core, **of(name)}
            for name, source in ontology.sources.items()
            if of(name)["links"]
        },
        "links_per_property": ontology.property_counts(),
        "hierarchies": {
            name: [synset.name for _, synset in ontology.walk(name) if ontology.sources[synset.source].core]
            for name in HIERARCHIES
        },
    }


def known_of(ontology: Any, entity: Any) -> dict[str, Any]:
    """Return what `show CATEGORY --json` says of one entity."""
    return {
        "entity": entity.key,
        "name": entity.name,
        "source": entity.source,
        "role": entity.role.value,
        "senses": {
            sense.name: [s.name for s in ontology.ancestors(sense.name)[1:]] for sense in ontology.senses(entity)
        },
        "properties": [
            {
                "property": link.property,
                "provenance": link.provenance.value,
                "rule": link.rule,
                "source": link.source,
            }
            for link in ontology.properties(entity)
        ],
    }


def _show(args: argparse.Namespace) -> int:
    from maniguard.ontology import load_ontology, to_svg

    ontology = load_ontology(extensions=args.extension)
    found = ontology.find(args.category) if args.category is not None else ()
    if args.svg is not None:
        write_atomic(args.svg, to_svg(ontology).encode())
        print(args.svg)
    elif args.json:
        content = {"entities": [known_of(ontology, entity) for entity in found]} if found else overview(ontology)
        sys.stdout.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    elif found:
        _print_entities(ontology, found)
    else:
        _print_overview(ontology)
    return 0


def _print_overview(ontology: Any) -> None:
    from rich.table import Table

    from maniguard.cli.output import Output
    from maniguard.ontology import HIERARCHIES
    from maniguard.ontology.picture import rows

    console = Output()
    content = overview(ontology)
    for key in ("entities", "properties", "links"):
        console.print(f"{key:<12}{content[key]:>5}")
    console.print()
    columns = ("objects", "fixtures", "properties", "links", "native", "derived", "curated")
    table = Table(box=None, pad_edge=False)
    table.add_column("source")
    for heading in columns:
        table.add_column(heading, justify="right")
    for name, counts in content["sources"].items():
        table.add_row(name if counts["published"] else f"+ {name}", *(str(counts[key]) for key in columns))
    console.print(table)
    console.print("\nA + marks what is not published, and is not in the three counts.")
    for name, meaning in HIERARCHIES.items():
        tree = Table(box=None, pad_edge=False, show_header=False)
        tree.add_column(min_width=24)
        tree.add_column(justify="right", min_width=4)
        tree.add_column()
        for row in rows(ontology, name):
            others = f"+ {row.others}" if row.others else ""
            tree.add_row("  " * (row.depth + 1) + row.synset.name, str(row.published), others)
        console.print(f"\n[bold]{name}[/bold]: {meaning}")
        console.print(tree)


def _print_entities(ontology: Any, found: tuple[Any, ...]) -> None:
    from rich.table import Table

    from maniguard.cli.output import Output

    console = Output()
    for index, entity in enumerate(found):
        if index:
            console.print()
        console.print(f"[bold]{entity.key}[/bold], {entity.role.value}")
        for sense in ontology.senses(entity):
            chain = " < ".join(synset.name for synset in ontology.ancestors(sense.name))
            console.print(f"  {sense.hierarchy:<11} {chain}")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        for link in ontology.properties(entity):
            why = f"rule {link.rule}" if link.rule else ""
            stated = f"by {link.source}" if link.source != entity.source else ""
            meaning = ontology.property_types[link.property].meaning
            table.add_row("  " + link.property, link.provenance.value, why or stated, meaning)
        if table.row_count:
            console.print(table)
        else:
            console.print("  no properties")
