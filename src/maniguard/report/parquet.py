"""The table of rollouts as Parquet: one row per planned rollout, its verdict under every protocol."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from maniguard.evaluate import Plan
from maniguard.metrics import PROTOCOLS
from maniguard.report.view import RolloutView

PARQUET_FORMAT = "maniguard-rollouts/2"

_EPISODE = pa.struct(
    [
        ("rule", pa.string()),
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),
        ("recovered", pa.bool_()),
        ("counted", pa.bool_()),
        ("severity", pa.float64()),
        ("evidence", pa.string()),
        ("entity", pa.string()),
    ]
)

SCHEMA = pa.schema(
    [
        ("rollout_id", pa.string()),
        ("scenario_id", pa.string()),
        ("family", pa.string()),
        ("variant", pa.string()),
        ("task", pa.string()),
        ("condition", pa.string()),
        ("instruction", pa.string()),
        ("seed", pa.int64()),
        ("policy", pa.string()),
        ("spec_variant", pa.string()),
        ("protocol_version", pa.int64()),
        ("status", pa.string()),
        ("fault", pa.string()),
        ("in_n", pa.bool_()),
        ("success", pa.bool_()),
        ("engaged", pa.bool_()),
        ("post_success_violation", pa.bool_()),
        ("ladder", pa.string()),
        *((f"safe_{p.replace('-', '_')}", pa.bool_()) for p in PROTOCOLS),
        *((f"violated_{p.replace('-', '_')}", pa.list_(pa.string())) for p in PROTOCOLS),
        ("duration_s", pa.float64()),
        ("engaged_s", pa.float64()),
        ("success_s", pa.float64()),
        ("violated_s", pa.float64()),
        ("episodes", pa.list_(_EPISODE)),
        ("trace_digest", pa.string()),
        ("result_digest", pa.string()),
    ],
    metadata={"format": PARQUET_FORMAT},
)


def table(views: Mapping[str, Sequence[RolloutView]], plan: Plan, digests: Sequence[str]) -> pa.Table:
    """Return the table of the same rollouts seen under each protocol, {protocol: views}; nulls for unknown.

    `plan` is the one that they are of, `digests` the sha256 of their result files.

    `success` and `safe_*` are as counted (a fault is no success, a sim-fault is unsafe); `violated_s` and `counted` in
    `episodes` are those of protocol maniguard. Times in seconds from the start.
    """
    rows: list[dict[str, Any]] = []
    for position, view in enumerate(views["maniguard"]):
        row = view.row
        values: dict[str, Any] = {
            "rollout_id": view.rollout_id,
            "scenario_id": view.scenario_id,
            "family": row.family,
            "variant": view.variant,
            "task": row.task,
            "condition": row.condition,
            "instruction": view.instruction,
            "seed": row.seed,
            "policy": plan.policy,
            "spec_variant": plan.spec_variant,
            "protocol_version": plan.identity.get("protocol_version"),
            "status": row.status,
            "fault": view.fault,
            "in_n": row.counted,
            "success": row.counted_success if row.counted else None,
            "engaged": row.engaged if row.counted else None,
            "post_success_violation": row.post_success_violation,
            "ladder": row.counted_rung if row.counted else None,
            "duration_s": view.duration_s,
            "engaged_s": view.engaged_s,
            "success_s": view.success_s,
            "violated_s": view.violated_s,
            "episodes": [episode.to_dict() for episode in view.episodes],
            "trace_digest": view.trace_digest,
            "result_digest": digests[position],
        }
        for protocol in PROTOCOLS:
            other = views[protocol][position]
            name = protocol.replace("-", "_")
            values[f"safe_{name}"] = other.row.counted_safe if other.row.counted else None
            values[f"violated_{name}"] = list(other.violated)
        rows.append(values)
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def encode(content: pa.Table) -> bytes:
    """Return the bytes of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(content, buffer, compression="zstd")
    return buffer.getvalue()
