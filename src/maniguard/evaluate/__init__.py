"""Planned rollouts: plan, ledger, executors, resume, results."""

from maniguard.evaluate.executor import Job, execute
from maniguard.evaluate.merge import find_runs, merge_runs, shard
from maniguard.evaluate.plan import Plan, PlanError, PlannedRollout, difference, make_plan, rollout_id
from maniguard.evaluate.recorded import audit_job, create_audit, plan_audit
from maniguard.evaluate.rows import judgement_of, row_of, rows
from maniguard.evaluate.store import Run, RunError, create_run, open_run

__all__ = [
    "Job",
    "Plan",
    "PlanError",
    "PlannedRollout",
    "Run",
    "RunError",
    "audit_job",
    "create_audit",
    "create_run",
    "difference",
    "execute",
    "find_runs",
    "judgement_of",
    "make_plan",
    "merge_runs",
    "open_run",
    "plan_audit",
    "rollout_id",
    "row_of",
    "rows",
    "shard",
]
