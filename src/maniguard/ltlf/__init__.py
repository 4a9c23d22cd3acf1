"""Linear temporal logic on finite traces: syntax, meaning, minimal automata and monitors. It knows no robot.

>>> from maniguard.ltlf import Monitor, compile_dfa, parse
>>> dfa = compile_dfa(parse("G(grasped -> (stable W released))"))
>>> dfa.num_states
3
>>> Monitor("G !spilled").step({"spilled": False})
<Verdict.CURR_SAT: 'CURR_SAT'>
"""

from maniguard.ltlf.analysis import difference, find_trace, is_satisfiable, is_valid
from maniguard.ltlf.badprefix import bad_prefix_view, compile_bad_prefix
from maniguard.ltlf.batch import Batch, BatchResult, run_batch
from maniguard.ltlf.checks import Finding, FindingKind, check_spec
from maniguard.ltlf.compile import Budget, compile_dfa
from maniguard.ltlf.dfa import Dfa, Verdict
from maniguard.ltlf.errors import (
    BudgetError,
    DialectWarning,
    FormulaError,
    LtlfError,
    MissingAtomError,
    ParseError,
    TraceError,
)
from maniguard.ltlf.explain import Explanation, Fact, explain
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.frames import FrameRunner
from maniguard.ltlf.hoa import from_hoa
from maniguard.ltlf.monitor import Final, Monitor
from maniguard.ltlf.monitor_set import MonitorSet
from maniguard.ltlf.parser import parse
from maniguard.ltlf.progression import ProgressionMonitor
from maniguard.ltlf.recovery import Episode, EpisodeEnd, RecoveryMonitor
from maniguard.ltlf.robustness import RobustnessMonitor, robustness
from maniguard.ltlf.semantics import evaluate
from maniguard.ltlf.signals import evaluate_signals
from maniguard.ltlf.trace_svg import trace_svg
from maniguard.ltlf.triggers import Activation, Outcome, Rule, TriggerMonitor, extract_activations, rules

__all__ = [
    "Activation",
    "Batch",
    "BatchResult",
    "Budget",
    "BudgetError",
    "Dfa",
    "DialectWarning",
    "Episode",
    "EpisodeEnd",
    "Explanation",
    "Fact",
    "Final",
    "Finding",
    "FindingKind",
    "Formula",
    "FormulaError",
    "FrameRunner",
    "LtlfError",
    "MissingAtomError",
    "Monitor",
    "MonitorSet",
    "Outcome",
    "ParseError",
    "ProgressionMonitor",
    "RecoveryMonitor",
    "RobustnessMonitor",
    "Rule",
    "TraceError",
    "TriggerMonitor",
    "Verdict",
    "bad_prefix_view",
    "check_spec",
    "compile_bad_prefix",
    "compile_dfa",
    "difference",
    "evaluate",
    "evaluate_signals",
    "explain",
    "extract_activations",
    "find_trace",
    "from_hoa",
    "is_satisfiable",
    "is_valid",
    "parse",
    "robustness",
    "rules",
    "run_batch",
    "trace_svg",
]
