"""The benchmark as data: locked scenarios, their conditions as deltas, their hashes and rules of validity."""

from maniguard.bench.canonical import TaskFileError, digest
from maniguard.bench.checks import check_scenario, geometry_of, same_geometry
from maniguard.bench.delta import BASE, CONDITIONS
from maniguard.bench.load import choose, families, get, load, read_suite, task_files
from maniguard.bench.prompts import PROMPT_FORMS, check_instruction, noun_phrase
from maniguard.bench.scenario import Scenario
from maniguard.bench.taskfile import FORMAT, TaskFile, parse_task, read_task, write_task

__all__ = [
    "BASE",
    "CONDITIONS",
    "FORMAT",
    "PROMPT_FORMS",
    "Scenario",
    "TaskFile",
    "TaskFileError",
    "check_instruction",
    "check_scenario",
    "choose",
    "digest",
    "families",
    "geometry_of",
    "get",
    "load",
    "noun_phrase",
    "parse_task",
    "read_suite",
    "read_task",
    "same_geometry",
    "task_files",
    "write_task",
]
