"""Formula to minimal automaton, part by part, inside a budget."""

from __future__ import annotations

from dataclasses import dataclass

from maniguard.ltlf.derive import Derivation, Raw
from maniguard.ltlf.dfa import Dfa
from maniguard.ltlf.diagrams import ExhaustedError, Meter
from maniguard.ltlf.errors import BudgetError, FormulaError, over_budget, stack_limit
from maniguard.ltlf.formula import MAX_SHOWN, Formula, Op
from maniguard.ltlf.minimise import minimise
from maniguard.ltlf.parser import parse
from maniguard.ltlf.product import combine, complement, product
from maniguard.ltlf.project import is_mixed, project, separate

_BOOLEAN = frozenset({Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.XOR})


@dataclass(frozen=True)
class Budget:
    """What one compilation may use.

    `states`: states of any automaton on the way, before minimisation. `operations`: steps of the construction, a few
    microseconds and some 200 bytes each; they stand in for seconds, so that a formula compiles on every machine or on
    none.
    """

    states: int = 60_000
    operations: int = 1_000_000

    def __post_init__(self) -> None:
        if self.states < 1 or self.operations < 1:
            raise FormulaError(f"a budget must be positive, got {self}")


DEFAULT_BUDGET = Budget()


def compile_dfa(formula: Formula | str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the minimal complete DFA of a formula (its finite-trace meaning, the empty trace included).

    Raises:
        BudgetError: the construction would outgrow `budget`; names the subformula to blame.
        ParseError: `formula` is a text that does not parse.
        FormulaError: nesting too deep for what the caller left of the stack.
    """
    if isinstance(formula, str):
        formula = parse(formula)
    with stack_limit():
        return _compiled(formula, budget)


def _compiled(formula: Formula, budget: Budget) -> Dfa:
    atoms = formula.atom_order()
    if not is_mixed(formula):
        return Dfa(atoms, _Compiler(atoms, budget).compile(formula), formula)
    plain, guessed = separate(formula)
    compiler = _Compiler((*atoms, *guessed), budget)
    try:
        raw = compiler.compile(plain)
    except BudgetError as error:
        # The names of guessed atoms mean nothing to the reader.
        blamed = parse(error.culprit)
        raise compiler.over(error, formula if blamed.atoms() - set(atoms) else blamed) from None
    return Dfa(atoms, compiler.project(raw, len(atoms), formula), formula)


class _Compiler:
    def __init__(self, atoms: tuple[str, ...], budget: Budget) -> None:
        self.atom_index = {name: i for i, name in enumerate(atoms)}
        self.budget = budget
        self.meter = Meter(budget.operations)
        self.known: dict[Formula, Raw] = {}

    def compile(self, f: Formula) -> Raw:
        """Compile the Boolean skeleton by products, what is below it by derivatives."""
        found = self.known.get(f)
        if found is None:
            found = self.known[f] = self.build(f)
        return found

    def build(self, f: Formula) -> Raw:
        """Compile a formula that was not seen before."""
        if f.op not in _BOOLEAN or _is_simple(f):
            return self.derive(f)
        if f.op is Op.NOT:
            return complement(self.compile(f.args[0]))
        op, args = f.op, f.args
        if op is Op.AND or op is Op.OR:
            parts = [self.compile(a) for a in args]
        else:
            parts = [self.compile(args[0]), self.compile(args[1])]
            if op is Op.IMPLIES:
                op, parts[0] = Op.OR, complement(parts[0])
        try:
            if op is Op.AND or op is Op.OR:
                return combine(op, parts, self.meter, self.budget.states)
            raw = product(op, parts[0], parts[1], self.meter, self.budget.states)
            self.meter.spend(len(raw.var))
            return minimise(raw)
        except (ExhaustedError, RecursionError) as error:
            raise self.over(error, f) from None

    def derive(self, f: Formula) -> Raw:
        derivation = Derivation(f, self.atom_index, self.meter, self.budget.states)
        try:
            raw = derivation.run()
            self.meter.spend(len(raw.var))
            return minimise(raw)
        except (ExhaustedError, RecursionError) as error:
            raise self.over(error, derivation.culprit()) from None

    def project(self, raw: Raw, keep: int, f: Formula) -> Raw:
        """Guess the atoms from `keep` on."""
        try:
            return project(raw, keep, self.meter, self.budget.states)
        except (ExhaustedError, RecursionError) as error:
            raise self.over(error, f) from None

    def over(self, error: ExhaustedError | BudgetError | RecursionError, culprit: Formula) -> BudgetError:
        """Return the error that blames `culprit`."""
        limit = "depth" if isinstance(error, RecursionError) else error.limit
        allowed = {"states": self.budget.states, "operations": self.budget.operations}.get(limit)
        what = f"more than {allowed} {limit}" if allowed else "diagrams deeper than the stack of this program"
        text = str(culprit) if culprit.size <= MAX_SHOWN else f"a formula of {culprit.size} operators"
        message = f"the automaton needs {what} (a ProgressionMonitor may watch it without one)"
        return over_budget(f"{message}; the part that makes it grow is", text, limit)


def _is_simple(f: Formula) -> bool:
    """Say whether derivatives of the whole are cheaper than a product: at most one temporal operand."""
    temporal = [part for part in f.walk() if part.is_future or part.is_past]
    return sum(part.op not in _BOOLEAN for part in temporal) <= 1
