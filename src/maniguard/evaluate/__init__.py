"""Planned rollouts: plan, ledger, executors, resume, results."""

from maniguard.evaluate.estimate import Estimate, estimate
from maniguard.evaluate.executor import Executor, InlineExecutor, execute, retry_infra
from maniguard.evaluate.faults import Fault, FaultGroup, fault_groups, faults
from maniguard.evaluate.job import Job, Lost, Queue
from maniguard.evaluate.merge import find_runs, merge_runs, shard
from maniguard.evaluate.plan import Plan, PlanError, PlannedRollout, difference, incomparable, make_plan, rollout_id
from maniguard.evaluate.pool import PoolExecutor, WorkerError
from maniguard.evaluate.recorded import audit_job, create_audit, plan_audit
from maniguard.evaluate.rows import judgement_of, row_of, rows
from maniguard.evaluate.stop import NOT_RUN, Stopped, StopPlan, drawn_order
from maniguard.evaluate.stopping import task_order
from maniguard.evaluate.store import Run, RunBusyError, RunError, create_run, open_run
from maniguard.evaluate.watchdog import STALL_S

__all__ = [
    "NOT_RUN",
    "STALL_S",
    "Estimate",
    "Executor",
    "Fault",
    "FaultGroup",
    "InlineExecutor",
    "Job",
    "Lost",
    "Plan",
    "PlanError",
    "PlannedRollout",
    "PoolExecutor",
    "Queue",
    "Run",
    "RunBusyError",
    "RunError",
    "StopPlan",
    "Stopped",
    "WorkerError",
    "audit_job",
    "create_audit",
    "create_run",
    "difference",
    "drawn_order",
    "estimate",
    "execute",
    "fault_groups",
    "faults",
    "find_runs",
    "incomparable",
    "judgement_of",
    "make_plan",
    "merge_runs",
    "open_run",
    "plan_audit",
    "retry_infra",
    "rollout_id",
    "row_of",
    "rows",
    "shard",
    "task_order",
]
