"""How `Kernel.explain()` shows a plan as nested loops: the levels that each binds, and the computations inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operator_symbols import CAST_NAMES
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import (
    AccessOp,
    AssignOp,
    ComputeOp,
    ForallOp,
    IfOp,
    LetOp,
    WhereOp,
)
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import format_of
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Statement, format_expression
from irtensor.passes.analysis.iteration_graph import accesses_in, can_locate, level_variables, name_of

if TYPE_CHECKING:
    from irtensor.compiler.explain.final_plan import FinalPlan, Read

_INDENT = "    "
# A value that is computed by more than can be read.
_UNKNOWN = "?"
# What coordinates are computed by, as operators of the notation.
_ARITHMETIC: dict[type[Operation], str] = {
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.DivSIOp: "floordiv",
    arith.RemSIOp: "mod",
    arith.MaxSIOp: "max",
    arith.MinSIOp: "min",
}


def loops_of(plan: FinalPlan) -> Iterator[str]:
    """The statement as nested loops, with what each does to the levels it binds."""
    yield from _statements(plan, plan.function.body.block, "")


def _statements(plan: FinalPlan, block: Block, indent: str) -> Iterator[str]:
    for op in block.ops:
        match op:
            case ForallOp():
                yield f"{indent}for {name_of(op.variable)}{_range(op)}{_uses(plan, op)}"
                yield from _statements(plan, op.body.block, indent + _INDENT)
            case LetOp():
                if line := _let(plan, op):
                    yield f"{indent}{line}"
                yield from _statements(plan, op.body.block, indent + _INDENT if line else indent)
            case WhereOp():
                yield f"{indent}compute the temporary {name_of(op.producer.block.args[0])}"
                yield from _statements(plan, op.producer.block, indent + _INDENT)
                yield f"{indent}then use it"
                yield from _statements(plan, op.consumer.block, indent + _INDENT)
            case IfOp():
                yield f"{indent}if {_text(op.condition)}"
                yield from _statements(plan, op.body.block, indent + _INDENT)
            case EntryOp():
                yield f"{indent}find entry {_text(op.number)} of {_fiber(op)}"
            case AssignOp():
                target = Access(name_of(op.tensor), tuple(map(name_of, op.indices)))
                operator = None if op.operator is None else _name(op.operator)
                yield f"{indent}{Statement(target, operator, _expression(op.value))}"
            case ComputeOp():
                yield from _statements(plan, op.body.block, indent)
            case _:
                pass


def _let(plan: FinalPlan, op: LetOp) -> str:
    """What a coordinate is computed as, and what happens there; nothing where nobody needs it."""
    name, computed, uses = name_of(op.variable), _text(op.coordinate), _uses(plan, op)
    if name == computed:
        # A coordinate of a loop around, at which levels are visited inside of other loops.
        return f"at {name}{uses}" if uses else ""
    return f"let {name} = {computed}{uses}" if uses or op.variable.uses else ""


def _range(loop: ForallOp) -> str:
    """The window that a loop goes through, if that can be said in few words."""
    if not loop.bounds:
        return ""
    first, end = map(_text, loop.bounds)
    return " over a part of its range" if _UNKNOWN in first + end else f" from {first} to {end}"


def _uses(plan: FinalPlan, loop: ForallOp | LetOp) -> str:
    """What happens to the levels whose coordinates the loop binds; those of the same format in one clause."""
    writes = list(_writes(plan, loop))
    walks = any((store, level) in plan.walks for store, level, _, _ in writes)
    leading = sum(read.leads for read in plan.reads[loop])
    clauses: dict[tuple[int, str, str], dict[str, None]] = {}
    for read in plan.reads[loop]:
        clauses.setdefault((read.number, str(read.level.format), _how(read, leading, walks)), {})[read.tensor] = None
    for name, level, level_format, how in writes:
        clauses.setdefault((level, level_format, how), {})[name] = None
    found = [
        f"level {level} of {', '.join(names)} ({level_format}) is {how}"
        for (level, level_format, how), names in clauses.items()
    ]
    return f": {'; '.join(found)}" if found else ""


def _how(read: Read, leading: int, walks: bool) -> str:
    if not read.leads:
        return read.protocol
    if read.level.format.workspace is not None:
        # Where the result's index is walked, nothing of the temporary is listed.
        how = "looked up" if walks else "listed in order" if read.level.format.ordered else "listed as it was filled"
        return f"{how} and merged" if leading > 1 else how
    if leading == 1:
        return "walked"
    return "merged" if read.protocol == "walked" else "merged by searches"


def _writes(plan: FinalPlan, loop: ForallOp | LetOp) -> Iterator[tuple[str, int, str, str]]:
    """The levels that stores inside the loop reach by its variable, and how; once each."""
    found: dict[tuple[str, int, str, str], None] = {}
    for store in accesses_in(loop.body.block):
        if isinstance(store, AssignOp):
            for level, variable in enumerate(level_variables(store)):
                if variable is loop.variable:
                    level_format = str(format_of(store.tensor.type).levels[level].format)
                    found[name_of(store.tensor), level, level_format, _written(plan, store, level)] = None
    yield from found


def _written(plan: FinalPlan, store: AssignOp, level: int) -> str:
    format = format_of(store.tensor.type)
    if format.levels[level].format.workspace is not None:
        return "inserted into"
    if can_locate(format, level):
        return "located"
    if (name_of(store.tensor), level) in plan.walks:
        return "walked, as its index exists"
    return "compared with the entries to append" if plan.purpose == "compute" else "appended to"


def _text(value: SSAValue) -> str:
    return format_expression(_expression(value))


def _expression(value: SSAValue) -> Expression:
    """What a value is computed from: components, coordinates and extents."""
    op = value.owner
    match op:
        case Block():
            return Access(name_of(value))
        case AccessOp():
            return Access(name_of(op.tensor), tuple(map(name_of, op.indices)))
        case ConstantOp():
            return Literal(op.scalar)
        case CastOp():
            operand = _expression(op.operand)
            return operand if op.written is None else Apply(CAST_NAMES[element_name(value.type)], (operand,))
        case ApplyOp():
            return Apply(_name(op.operator), tuple(map(_expression, op.arguments)))
        case _:
            return _index_expression(op)


def _index_expression(op: Operation) -> Expression:
    """What coordinates are computed from: extents, numbers of entries, and arithmetic on them."""
    match op:
        case BoundOp():
            return Literal(op.number.value.data) if op.is_exact else _expression(op.extent)
        case ExtentOp():
            return Access(f"{name_of(op.tensor)}.shape[{op.dimension.value.data}]")
        case EntryCountOp():
            behind = ", ".join(format_expression(_expression(one)) for one in op.before)
            before = f" before {behind}" if behind else ""
            return Access(f"number of entries of {_fiber(op)}{before}")
        case EntryNumberOp():
            return Access(f"number of {_entry(op)}")
        case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
            return Literal(op.value.value.data)
        case arith.IndexCastOp():
            return _expression(op.input)
        case _ if type(op) in _ARITHMETIC:
            return Apply(_ARITHMETIC[type(op)], tuple(map(_expression, op.operands)))
        case _:
            return Access(_UNKNOWN)


def _fiber(op: EntryOp | EntryCountOp) -> str:
    indices = [*map(name_of, op.prefix), *(":" for _ in range(op.levels.value.data))]
    return f"{name_of(op.tensor)}[{', '.join(indices)}]"


def _entry(op: EntryNumberOp) -> str:
    """An entry, and the one that it is counted from."""
    return f"entry {name_of(op.tensor)}[{', '.join(map(name_of, op.indices))}] from {_text(op.first)}"


def _name(operator: Attribute) -> str:
    if isinstance(operator, SymbolRefAttr):
        return f"@{operator.root_reference.data}"
    assert isinstance(operator, StringAttr)
    return operator.data
