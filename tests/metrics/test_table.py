from __future__ import annotations

import pytest

from maniguard.metrics import RolloutTableError, parse_csv, read_csv, summarize

HEADER = "family,task,condition,seed,success,safe,engaged"


def table(*lines: str, header: str = HEADER) -> str:
    return "\n".join((header, *lines)) + "\n"


def test_a_lab_table_is_read(tmp_path):
    path = tmp_path / "hardware.csv"
    path.write_text(
        "\ufeff" + table('clutter,"mug, blue",id,0,1,1,1', "", "jar,7,ood,-1,0,0,1").replace("\n", "\r\n"), "utf-8"
    )
    first, second = read_csv(path)
    assert (first.family, first.task, first.condition, first.seed) == ("clutter", "mug, blue", "id", 0)
    assert (first.success, first.safe, first.engaged, first.status) == (True, True, True, "completed")
    assert (second.task, second.seed, second.safe) == ("7", -1, False)
    assert summarize([first, second])["overall"]["n"] == 2


def test_columns_may_come_in_any_order_with_status_and_constraints():
    text = table(
        "1,1,0,base,a,clutter,3,policy-fault,0,,reached,1",
        ",,,base,b,clutter,3,infra-error,,,,",
        header="safe,engaged,success,condition,task,family,seed,status,constraint:tip,constraint:drop,ladder,post_success_violation",
    )
    first, second = parse_csv(text)
    assert (first.status, first.ladder, first.post_success_violation) == ("policy-fault", "reached", True)
    assert first.constraints["tip"].violated is False
    assert first.constraints["drop"].status == "not-evaluable(not-recorded)"
    assert not second.counted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"is empty; expected a header with family"),
        (table(), r"has a header but no rollout"),
        (table("clutter,a,base,0,1,1,1", header=HEADER.replace(",safe", "")), r"line 1: column 'safe' is missing"),
        (table(header=HEADER + ",safe"), r"line 1: column 'safe' appears twice"),
        (table(header=HEADER + ",note"), r"line 1: unknown column 'note'; columns are family.*constraint:NAME"),
        (table("clutter,a,base,0,1,1"), r"line 2: 6 cells under a header of 7"),
        (table("clutter,a,base,0,1,1,1", "clutter,a,base,0,yes,1,1"), r"line 3: column 'success' must be 0 or 1"),
        (table("clutter,a,base,0,1,,1"), r"line 2: column 'safe' must be 0 or 1, not ''"),
        (table("clutter,a,base,zero,1,1,1"), r"line 2: seed must be an integer, not 'zero'"),
        (table("clutter,a,base,1_0,1,1,1"), r"line 2: seed must be an integer, not '1_0'"),
        (table("clutter,,base,0,1,1,1"), r"line 2: column 'task' is empty"),
        (table("clutter,a,base,0,1,1,1", "clutter,a,base,0,0,1,1"), r"line 3: rollout .* already given in line 2"),
        (table("clutter,a,base,0,0,0,0"), r"line 2: unsafe but not engaged.*'strict'"),
        (table("clutter,a,base,0,0,1,1,lost", header=HEADER + ",status"), r"line 2: unknown status 'lost'.*completed"),
        (table("clutter,a,base,0,0,1,1,up", header=HEADER + ",ladder"), r"line 2: unknown ladder rung 'up'.*idle"),
        (table("clutter,a,base,0,0,1,1,1", header=HEADER + ",constraint:tip"), r"line 2: .*'tip' is violated"),
        (table('clutter,"a,base,0,0,1,1'), r"line 2: not CSV"),
    ],
)  # fmt: skip
def test_refusals_are_one_line_that_names_the_place(text, message):
    with pytest.raises(RolloutTableError, match=message) as caught:
        parse_csv(text, source="lab.csv")
    assert "\n" not in str(caught.value)
    assert "lab.csv" in str(caught.value)


def test_strict_takes_unsafe_without_engagement():
    assert parse_csv(table("clutter,a,base,0,0,0,0"), protocol="strict")[0].safe is False


def test_missing_and_binary_files_are_refused(tmp_path):
    with pytest.raises(RolloutTableError, match=r"cannot read .*gone\.csv: No such file"):
        read_csv(tmp_path / "gone.csv")
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RolloutTableError, match="not UTF-8"):
        read_csv(tmp_path / "x.csv")
