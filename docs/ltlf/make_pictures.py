"""Draws the pictures of these pages: python docs/ltlf/make_pictures.py."""

from __future__ import annotations

from pathlib import Path

from maniguard.ltlf import compile_dfa, trace_svg

# file, formula, lanes: a step is "#" where the atom holds
PICTURES: dict[str, tuple[str, dict[str, str]]] = {
    "absence": ("G !spilled", {"spilled": ".......##......"}),
    "precedence": ("on_table W closed", {"on_table": "#########......", "closed": "......#########"}),
    "precedence_first": ("!lifted W closed", {"lifted": "...###.........", "closed": "........#######"}),
    "response": ("G(hit -> F retracted)", {"hit": "..#.....#......", "retracted": ".....#......#.."}),
    "bounded_response": ("G(hit -> F[0,3] retracted)", {"hit": "..#....#.......", "retracted": "....#.......#.."}),
    "until_released": (
        "G(grasped -> (stable W released))",
        {"grasped": "..####...####..", "stable": ".#####...##....", "released": "......#........"},
    ),
    "history": (
        "G(touches_food -> O[0,4] sanitized)",
        {"touches_food": "....#......#...", "sanitized": "..#............"},
    ),
    "recovery": ("G !tipped", {"tipped": ".....###.......", "upright_again": "........#######"}),
}


def pictures() -> dict[str, str]:
    """Return the pictures by file name."""
    drawn = {"automaton.svg": compile_dfa("G(hit -> F[0,3] retracted)").to_svg()}
    for name, (formula, lanes) in PICTURES.items():
        steps = len(next(iter(lanes.values())))
        trace = [{atom: row[t] == "#" for atom, row in lanes.items()} for t in range(steps)]
        drawn[f"{name}.svg"] = trace_svg(formula, trace, atoms=list(lanes))
    return drawn


def main() -> None:
    """Write the pictures beside this script."""
    for name, picture in pictures().items():
        (Path(__file__).parent / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
