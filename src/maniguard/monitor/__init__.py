"""The safety monitor: specification, grounding and automata together; verdicts, episodes, evidence, readings."""

from maniguard.monitor.judgement import (
    ConstraintVerdict,
    Episode,
    Evidence,
    Judgement,
    MonitorError,
    Peak,
    Trigger,
)
from maniguard.monitor.monitor import SafetyMonitor, StepReport, judge
from maniguard.monitor.reading import PROTOCOLS, Reading, read
from maniguard.monitor.timeline import ConstraintLine, PropositionLine, Timeline, timeline

__all__ = [
    "PROTOCOLS",
    "ConstraintLine",
    "ConstraintVerdict",
    "Episode",
    "Evidence",
    "Judgement",
    "MonitorError",
    "Peak",
    "PropositionLine",
    "Reading",
    "SafetyMonitor",
    "StepReport",
    "Timeline",
    "Trigger",
    "judge",
    "read",
    "timeline",
]
