from __future__ import annotations

import json

from maniguard.metrics import summarize

from .samples import rollout, run_view


def test_statuses_add_up_to_the_plan():
    view = run_view()
    assert sum(view.statuses().values()) == view.planned
    assert view.statuses()["pending"] == 3


def test_the_pages_numbers_are_the_metrics_themselves():
    view = run_view()
    assert view.to_dict()["metrics"] == summarize(view.rows, protocol=view.protocol)
    json.dumps(view.to_dict(), allow_nan=False)


def test_matrix_cells_partition_the_run():
    data = run_view().to_dict()
    assert sum(cell["n"] for row in data["matrix"].values() for cell in row.values()) == data["metrics"]["overall"]["n"]


def test_outcomes_name_the_rate_that_a_rollout_counts_in():
    kinds = {
        kind: rollout(1, "base", 0, kind).outcome
        for kind in ("safe", "unsafe", "miss", "tip", "sim-fault", "infra-error")
    }
    assert kinds == {
        "safe": "ssr",
        "unsafe": "succ_unsafe",
        "miss": "unsucc_safe",
        "tip": "unsucc_unsafe",
        "sim-fault": "unsucc_unsafe",
        "infra-error": "excluded",
    }


def test_an_empty_run_is_data_too():
    data = run_view(tasks=0).to_dict()
    assert data["metrics"]["overall"]["n"] == 0
    assert data["rollouts"] == []
