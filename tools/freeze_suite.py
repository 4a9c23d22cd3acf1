"""Freeze the suite as it is: python tools/freeze_suite.py VERSION. A version that exists is never written again."""

from __future__ import annotations

import argparse

from maniguard.bench import load
from maniguard.bench.frozen import SUITES_DIR, suite_text
from maniguard.files import write_atomic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="such as 1.0")
    version = parser.parse_args().version
    path = SUITES_DIR / f"{version}.json"
    if path.exists():
        parser.error(f"{path} exists; a frozen suite does not change, give a later version")
    SUITES_DIR.mkdir(exist_ok=True)
    scenarios = load()
    write_atomic(path, suite_text(version, scenarios).encode())
    print(f"{path}: {len(scenarios)} scenarios")


if __name__ == "__main__":
    main()
