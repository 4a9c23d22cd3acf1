"""Write the clutter-dry task files: python tools/generate_clutter.py [--out DIR] [INDEX ...]."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from maniguard.bench import write_task
from maniguard.bench.load import TASKS_DIR
from maniguard.certify.clutter import FAMILY, TASKS, make_task


def write_one(index: int, folder: Path) -> str:
    task = make_task(index)
    write_task(folder / f"{task.id}.json", task)
    return f"{task.id} {task.target} {dict(task.difficulty)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("indices", nargs="*", type=int, help="task indices; all when none is given")
    parser.add_argument("--out", type=Path, default=TASKS_DIR / FAMILY, help="folder for the files")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    indices = options.indices or list(range(TASKS))
    if options.workers == 1:
        for index in indices:
            print(write_one(index, options.out), flush=True)
        return
    with ProcessPoolExecutor(options.workers) as pool:
        for line in pool.map(write_one, indices, [options.out] * len(indices)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
