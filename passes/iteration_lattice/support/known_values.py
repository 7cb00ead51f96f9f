"""What values are known to be while a loop body is specialised, and what they may turn out to be in a gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, product

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from irtensor.core.operators import Argument, Constant, Scalar, convert, fold, fold_to_value, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator, operator_of
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.looplets import (
    JumperOp,
    LookupOp,
    LoopletType,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    SwitchOp,
    ThunkOp,
    UnfurlOp,
    yielded,
)
from irtensor.dialects.storage.storage import FiberType, FillFiberOp, OptionalFiberOp, fill_of, format_of
from irtensor.passes.analysis.literals import literals_of


class Fill:
    """A fiber known to hold nothing but the fill value."""


FILL = Fill()
# Marks operations that select an entry by a condition that it is there; see `annihilation`.
_SELECTS_STORED = "selects_stored"
Known = Scalar | Fill


def known_value(value: SSAValue) -> Known | None:
    """What an SSA value is known to be, from the operation that made it."""
    owner = value.owner
    if type(owner) is ConstantOp:
        return owner.scalar
    return FILL if type(owner) is FillFiberOp else None


def stands_for_fill(value: SSAValue) -> SSAValue:
    """Note that a value, if it is a constant, is there because an entry is absent."""
    if type(value.owner) is ConstantOp and "entry" not in value.owner.properties:
        value.owner.properties["absent"] = UnitAttr()
    return value


def selects_stored(value: SSAValue) -> SSAValue:
    """Note that a value was selected: an entry where it is there, else its replacement."""
    assert isinstance(value.owner, Operation)
    stands_for_fill(value.owner.operands[2])
    value.owner.attributes[_SELECTS_STORED] = UnitAttr()
    return value


def presence_of(value: SSAValue) -> SSAValue | None:
    """The condition that an entry is there, where a value was selected by it."""
    owner = value.owner
    if isinstance(owner, Operation) and _SELECTS_STORED in owner.attributes:
        return owner.operands[0]
    return None


def conditions_of_entry(value: SSAValue) -> list[SSAValue]:
    """The conditions that all have to hold for a value to be an entry, where it was selected by some."""
    found: list[SSAValue] = []
    while (present := presence_of(value)) is not None:
        found.append(present)
        assert isinstance(value.owner, Operation)
        value = value.owner.operands[1]
    return found


def forget_presence(op: Operation) -> None:
    """Make a selected entry a value like others."""
    op.attributes.pop(_SELECTS_STORED, None)


def fill_payload(op: UnfurlOp | ThunkOp) -> Known:
    """What every coordinate of a fill fiber holds: the fill value, or a fill fiber of the next level."""
    fiber = op.fiber.type
    assert isinstance(fiber, FiberType)
    leaf = fiber.level.data + 1 == len(format_of(fiber.tensor).levels)
    return fill_of(fiber.tensor) if leaf else FILL


_Gaps = tuple[Known, ...]
_MOST_COMBINATIONS = 64


def is_entry(value: SSAValue) -> bool:
    """Whether a value is a constant that is an entry, and not the value read where there is none."""
    return type(value.owner) is ConstantOp and "entry" in value.owner.properties


class Folding:
    """Folds applications whose unknown arguments may be stored entries, or the gaps between them.

    That 0 annihilates every stored entry does not make it annihilate a fill value that is infinite: only when it is
    decided that an entry is there may the trait be used. `known` says what a value is known to be, and `entry` whether
    that is an entry.
    """

    def __init__(self, known: Callable[[SSAValue], Known | None], entry: Callable[[SSAValue], bool] = is_entry):
        self.known = known
        self.entry = entry
        self.present: set[SSAValue] = set()
        """Payloads that are entries, though the stored value is not known."""
        self.user: Operation | None = None
        """An operation of the module: those in the copy, which have no parent yet, cannot look operators up."""
        self.sources: dict[SSAValue, SSAValue] = {}
        self.gaps: dict[SSAValue, _Gaps] = {}

    def bind(self, payload: SSAValue, nest: SSAValue) -> None:
        """A payload comes from a nest that may have gaps."""
        self.sources[payload] = nest

    def fold(self, op: ApplyOp, arguments: Sequence[SSAValue]) -> Constant | Argument | None:
        """Simplify an application to these arguments, whatever the unknown ones turn out to be."""
        scalars = [_scalar(self.known(value)) for value in arguments]
        if asks_if_stored(op) and (scalars[0] is None or self.entry(arguments[0])):
            return Constant(True) if scalars[0] is not None or self.is_stored(arguments[0]) else None
        if all(scalar is None for scalar in scalars):
            return None
        if "entry" in op.properties and self._is_open(op, scalars, arguments):
            return None
        elements = [element_name(value.type) for value in arguments]
        outcome = fold(operator_of(op), scalars, elements, self._literals(op, arguments))
        if isinstance(outcome, Constant) and any(scalar is None for scalar in scalars):
            self.user = op
            for value in self._constants(op, arguments, elements):
                if not same_value(value, outcome.value):
                    return None
        return outcome

    def _is_open(self, op: ApplyOp, scalars: Sequence[Scalar | None], arguments: Sequence[SSAValue]) -> bool:
        """Whether the choice of an entry is still needed: to say that one is there where its value may be a gap's."""
        condition, value, _ = scalars
        if condition is None:
            return True
        if not condition or value is not None or arguments[1] in self.present:
            return False
        self.user = op
        return bool(self.gaps_of(arguments[1]))

    def _literals(self, op: ApplyOp, arguments: Sequence[SSAValue]) -> Sequence[int]:
        """The arguments that annihilate nothing because an entry is absent: entries are numbers as literals are."""
        entries = [number for number, value in enumerate(arguments) if self.entry(value)]
        return [*literals_of(op), *entries] if entries else literals_of(op)

    def gives_entry(self, op: ApplyOp, arguments: Sequence[SSAValue]) -> bool:
        """Whether an application is an entry, though it is known what it gives: if one decides it that is known."""
        if "entry" in op.properties and self.known(arguments[0]):
            return True
        entries = [number for number, value in enumerate(arguments) if self.entry(value)]
        if not entries or asks_if_stored(op):
            return False
        scalars = [None if k in entries else _scalar(self.known(value)) for k, value in enumerate(arguments)]
        elements = [element_name(value.type) for value in arguments]
        literals = [number for number in literals_of(op) if number not in entries]
        return fold_to_value(operator_of(op), scalars, elements, literals) is None

    def is_stored(self, payload: SSAValue) -> bool:
        """Whether an unknown payload is an entry in any case; where it was selected, a condition says it."""
        if payload in self.present:
            return True
        if isinstance(payload.owner, Operation):
            return presence_of(payload) is None and not isinstance(payload.owner, ApplyOp)
        return payload in self.sources and not self.gaps_of_nest(self.sources[payload])

    def gaps_of(self, value: SSAValue) -> _Gaps:
        """What an unknown value is where operands it depends on have no entry."""
        if value not in self.gaps:
            owner, found = value.owner, list[Known]()
            if value in self.sources:
                found += self.gaps_of_nest(self.sources[value])
            elif isinstance(owner, OptionalFiberOp):
                found.append(FILL)
            elif presence_of(value) is not None and isinstance(owner, Operation):
                _, entry, gap = owner.operands
                known = self.known(gap)
                found += [*self.gaps_of(entry), *(() if known is None else (known,))]
            elif isinstance(owner, ApplyOp):
                elements = [element_name(argument.type) for argument in owner.arguments]
                found += self._constants(owner, owner.arguments, elements)
                rest = self.known(owner.arguments[2]) if "entry" in owner.properties else None
                found += () if rest is None else (rest,)
            elif isinstance(owner, CastOp):
                scalars = [_scalar(gap) for gap in self.gaps_of(owner.operand)]
                found += [convert(scalar, element_name(value.type)) for scalar in scalars if scalar is not None]
            self.gaps[value] = _distinct(found)
        return self.gaps[value]

    def _constants(self, op: ApplyOp, arguments: Sequence[SSAValue], elements: Sequence[str]) -> list[Scalar]:
        """Constants that an application becomes if some of its unknown arguments are gaps."""
        choices: list[list[Scalar | None]] = []
        for value in arguments:
            scalar = _scalar(self.known(value))
            choices.append([None, *map(_scalar, self.gaps_of(value))] if scalar is None else [scalar])
        found: list[Scalar] = []
        literals = self._literals(op, arguments)
        assert self.user is not None
        operator = find_operator(op.operator, self.user)
        for scalars in islice(product(*choices), _MOST_COMBINATIONS):
            value = fold_to_value(operator, scalars, elements, literals)
            if value is not None:
                found.append(value)
        return found

    def gaps_of_nest(self, nest: SSAValue) -> _Gaps:
        """The payload of a nest where it has no entry; nothing if it always has one."""
        match nest.owner:
            case RunOp() as run:
                known = self.known(run.payload)
                return self.gaps_of(run.payload) if known is None else (known,)
            case SpikeOp() as spike:
                return _distinct([known for v in (spike.gap, spike.tail) if (known := self.known(v)) is not None])
            case StepperOp() | JumperOp() as stepper:
                return self.gaps_of_nest(yielded(stepper.chunk)[0])
            case LookupOp() as lookup:
                (found,) = yielded(lookup.body)
                return self.gaps_of_nest(found) if isinstance(found.type, LoopletType) else ()
            case SequenceOp() as sequence:
                return _distinct([gap for part in sequence.nests for gap in self.gaps_of_nest(part)])
            case SwitchOp() as switch:
                return _distinct([*self.gaps_of_nest(switch.positive), *self.gaps_of_nest(switch.negative)])
            case UnfurlOp() | ThunkOp() as level:
                return (fill_payload(level),) if self._may_be_absent(level.fiber) else ()
            case _:
                return ()

    def _may_be_absent(self, fiber: SSAValue) -> bool:
        """Whether a fiber is all gap, or the level below it has gaps."""
        assert isinstance(fiber.type, FiberType)
        level = fiber.type.level_format
        return not level.pattern.full or self.known(fiber) is FILL or FILL in self.gaps_of(fiber)


def _scalar(value: Known | None) -> Scalar | None:
    return None if isinstance(value, Fill) else value


def _distinct(values: Sequence[Known]) -> _Gaps:
    found: list[Known] = []
    for value in values:
        if not any(is_same(value, other) for other in found):
            found.append(value)
    return tuple(found)


def is_same(a: Known, b: Known) -> bool:
    """Whether two values that are known are the same."""
    return a is b if isinstance(a, Fill) or isinstance(b, Fill) else same_value(a, b)
