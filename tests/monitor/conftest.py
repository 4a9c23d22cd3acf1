"""Lets these tests share the hand-made traces of tests/trace."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "trace"))
