"""Writes the numbers that lock every design of the catalogue: `python tools/lock_catalogue.py`.

They stand in src/maniguard/sim/assets/catalogue/locked.json, one line for each design: mass, friction, and measures of
its collision shape. A test compares what the code builds with them, so that no design changes unseen.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from maniguard.sim.assets import CATALOGUE
from maniguard.sim.assets.catalogue.lock import LOCKED_JSON, numbers_of


def main() -> None:
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(numbers_of(one))}" for name, one in CATALOGUE.items())
    fresh = Path(LOCKED_JSON).with_suffix(".tmp")
    fresh.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    os.replace(fresh, LOCKED_JSON)
    print(f"{len(CATALOGUE)} designs")


if __name__ == "__main__":
    main()
