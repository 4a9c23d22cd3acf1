"""Lets these tests share the hand-made traces of tests/trace and the small worlds of tests/sim."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "trace"), str(TESTS)]
