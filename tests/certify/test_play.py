from dataclasses import replace

from maniguard import bench
from maniguard.certify.play import LEAST_S, WATCHED_S, play


def test_a_script_is_watched_for_a_while_after_its_plan_and_not_to_a_distant_limit() -> None:
    locked = bench.get("clutter-dry-00/base")
    full = play(locked, "reckless:tip")
    # The limit comes first where it is near.
    assert play(locked, "reckless:tip", to_the_limit=False).trace.digest() == full.trace.digest()
    distant = replace(locked, step_limit=3000)
    watched = play(distant, "reckless:tip", to_the_limit=False)
    assert watched.status == "completed"
    assert watched.reading.violated == full.reading.violated
    steps = watched.judgement.frames - 1
    assert LEAST_S * 20 <= steps < (LEAST_S + WATCHED_S) * 20 + 200
