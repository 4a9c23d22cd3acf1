"""Other people's evaluation harnesses: their loop and their policies, our simulation and our judgement.

`maniguard.integrations.vla_eval` needs the package vla-eval (extra `vla-eval`), `lerobot` is a file for LeRobot's own
environment; neither is imported here.
"""

from maniguard.integrations.foreign import ForeignRun, ForeignRunError, Outcome, choose

__all__ = ["ForeignRun", "ForeignRunError", "Outcome", "choose"]
