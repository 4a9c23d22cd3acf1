"""Linear temporal logic on finite traces: syntax, meaning, minimal automata and monitors. It knows no robot.

>>> from maniguard.ltlf import Monitor, compile_dfa, parse
>>> dfa = compile_dfa(parse("G(grasped -> (stable W released))"))
>>> dfa.num_states
3
>>> Monitor("G !spilled").step({"spilled": False})
<Verdict.CURR_SAT: 'curr_sat'>
"""

from maniguard.ltlf.badprefix import bad_prefix_view, compile_bad_prefix
from maniguard.ltlf.batch import Batch, BatchResult, run_batch
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
from maniguard.ltlf.formula import Formula
from maniguard.ltlf.monitor import Final, Monitor
from maniguard.ltlf.monitor_set import MonitorSet
from maniguard.ltlf.parser import parse
from maniguard.ltlf.semantics import evaluate

__all__ = [
    "Batch",
    "BatchResult",
    "Budget",
    "BudgetError",
    "Dfa",
    "DialectWarning",
    "Final",
    "Formula",
    "FormulaError",
    "LtlfError",
    "MissingAtomError",
    "Monitor",
    "MonitorSet",
    "ParseError",
    "TraceError",
    "Verdict",
    "bad_prefix_view",
    "compile_bad_prefix",
    "compile_dfa",
    "evaluate",
    "parse",
    "run_batch",
]
