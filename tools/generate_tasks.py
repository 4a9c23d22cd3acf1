"""Write task files: python tools/generate_tasks.py SPEC [--out DIR] [--workers N] [INDEX ...]."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from maniguard.bench import write_task
from maniguard.bench.load import TASKS_DIR
from maniguard.certify.makers import MODULES, maker


def write_one(spec: str, index: int, folder: Path) -> str:
    task = maker(spec).make_task(index)
    write_task(folder / f"{task.id}.json", task)
    return f"{task.id} {task.variant} {task.target} {dict(task.difficulty)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", choices=sorted(MODULES), help="the spec that the tasks are judged by")
    parser.add_argument("indices", nargs="*", type=int, help="indices; all when none is given")
    parser.add_argument("--out", type=Path, help="folder for the files (default: where they ship)")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    folder = options.out or TASKS_DIR / maker(options.spec).FAMILY
    folder.mkdir(parents=True, exist_ok=True)
    indices = options.indices or list(range(maker(options.spec).TASKS))
    if options.workers == 1:
        for index in indices:
            print(write_one(options.spec, index, folder), flush=True)
        return
    with ProcessPoolExecutor(options.workers) as pool:
        for line in pool.map(write_one, [options.spec] * len(indices), indices, [folder] * len(indices)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
