"""Refuses operands with which the loops of IR would reach coordinates that a tensor does not have.

Loops over whole dimensions stay inside of them. Ranges and coordinates that IR computes are first bounded by the least
and the greatest value of each part; where that does not prove it, all values are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.expect import expect
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.iteration_graph import name_of, stores_into
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.support.operations_in import operations_in

# Dimensions of operands by tensor: where the extent of each of its dimensions comes from.
Sources = Mapping[SSAValue, Sequence[Sequence[tuple[int, int]]]]
# So many values are computed at most to find out whether all are inside.
_MOST = 1 << 24
# Greater than any coordinate, and small enough to compute with.
_GREAT = 1 << 62


def _divide(a: int, b: int) -> int:
    """Towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_ON_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.divsi": _divide,
}
_ON_ARRAYS: dict[str, Callable[..., Any]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.divsi": lambda a, b: np.sign(a) * np.sign(b) * (abs(a) // abs(b)),
    "arith.remsi": np.fmod,
    "arith.select": np.where,
}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    **{"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal},
    **{"gt": np.greater, "ge": np.greater_equal},
}


class _Unknown(Exception):
    """A value that is computed from something that nothing is known of."""


class _Use(NamedTuple):
    """An index of an access or store that does not go over a whole dimension."""

    op: AccessOp | AssignOp
    number: int
    variable: SSAValue


class CoordinateChecks:
    """What a function in the concrete_index stage computes coordinates from; `check` is for the operands of a call."""

    def __init__(self, function: FuncOp, sources: Sources) -> None:
        self._sources = sources
        self._arguments: dict[SSAValue, int] = {one: number for number, one in enumerate(function.body.block.args)}
        self._uses = [use for op in operations_in(function, AccessOp, AssignOp) for use in _computed(op)]
        self._reads_values = any(_reads_values(use.variable) for use in self._uses)
        self._last_shapes: Any = None

    def check(self, operands: Sequence[Any]) -> None:
        """Raise UserError [index-out-of-range] that names access, variable and value."""
        if not self._uses:
            return
        shapes = [operand.shape for operand in operands]
        if shapes == self._last_shapes:
            return
        for use in self._uses:
            self._check_use(use, operands)
        if not self._reads_values:
            self._last_shapes = shapes

    def _check_use(self, use: _Use, operands: Sequence[Any]) -> None:
        extent = self._extent_of_use(use, operands)
        try:
            bounds = _Intervals(self, operands).of(use.variable, use.op)
            if bounds is None or (extent is not None and bounds[0] >= 0 and bounds[1] < extent):
                return
            bounds = _Values(self, operands).bounds(use)
        except _Unknown:
            # Schedule steps clip what they compute, which takes more than is known here to see.
            if _is_scheduled(use.op):
                return
            raise _unknown(use) from None
        if bounds is None or extent is None:
            return
        if bounds[0] < 0 or bounds[1] >= extent:
            raise _outside(use, bounds[0] if bounds[0] < 0 else bounds[1], extent)

    def _extent_of_use(self, use: _Use, operands: Sequence[Any]) -> int | None:
        tensor, format = use.op.tensor, format_of(use.op.tensor.type)
        if not format.is_blocked or len(use.op.indices) == format.rank:
            return self.extent(tensor, use.number, operands)
        found = [self.extent(tensor, dimension, operands) for dimension in range(format.rank)]
        known = [extent for extent in found if extent is not None]
        return format.level_extent(use.number, known) if len(known) == len(found) else None

    def extent(self, tensor: SSAValue, dimension: int, operands: Sequence[Any]) -> int | None:
        """The extent of a dimension at this call; None of one that follows from the range in question."""
        owner = tensor.owner.parent_op() if isinstance(tensor.owner, Block) else None
        if isinstance(owner, WhereOp):
            store = next(stores_into(owner.producer.block, owner.producer.block.args[0]), None)
            if store is None:
                return None
            bounds = _Intervals(self, operands).of(store.indices[dimension], store)
            return 0 if bounds is None else bounds[1] + 1
        if tensor not in self._sources and owner is not None and owner.results:
            tensor = owner.results[0]  # the result under construction
        its = self._sources.get(tensor)
        if its is None or not its[dimension]:
            return None
        number, of = its[dimension][0]
        return operands[number].shape[of]

    def loop_extent(self, loop: ForallOp, operands: Sequence[Any]) -> int:
        """How many coordinates a loop over a whole dimension has."""
        for op in operations_in(loop, AccessOp, AssignOp):
            format = format_of(op.tensor.type)
            if format.is_blocked and len(op.indices) != format.rank:
                continue
            for dimension, index in enumerate(op.indices):
                is_read = not isinstance(op.tensor.owner, Block) or op.tensor in self._arguments
                if index is loop.variable and (is_read or isinstance(op, AssignOp)):
                    extent = self.extent(op.tensor, dimension, operands)
                    if extent is not None:
                        return extent
        raise _Unknown

    def entry_extent(self, op: EntryOp, coordinate: SSAValue, operands: Sequence[Any]) -> int:
        """How many coordinates the level has that a coordinate of an entry is of."""
        format = format_of(op.tensor.type)
        found = [self.extent(op.tensor, dimension, operands) for dimension in range(format.rank)]
        known = [extent for extent in found if extent is not None]
        if len(known) < len(found):
            raise _Unknown
        return format.level_extent(len(op.prefix) + expect(coordinate, OpResult).index, known)

    def values_of(self, op: AccessOp | EntryCountOp, operands: Sequence[Any]) -> np.ndarray:
        """All that an operand may hold."""
        if op.tensor not in self._arguments:
            raise _Unknown
        operand = operands[self._arguments[op.tensor]]
        if isinstance(operand, np.ndarray):
            return operand
        fill = operand.format.fill or 0
        return np.append(operand.values, np.asarray(fill, operand.values.dtype))


class _Intervals:
    """The least and the greatest value of each part, whatever the others are; None without an iteration."""

    def __init__(self, checks: CoordinateChecks, operands: Sequence[Any]) -> None:
        self.checks, self.operands = checks, operands

    def of(self, value: SSAValue, user: Operation) -> tuple[int, int] | None:
        """The bounds of a value where `user` stands: None if a loop around has no iteration.

        A computed coordinate may be bound outside of loops that it does not depend on (`hoist-coordinates`).
        """
        needed = None if forall_of(value) is not None else set(_variables(value))
        for loop in enclosing_loops(user):
            if (needed is None or loop.variable in needed) and self._loop(loop) is None:
                return None
        return self._value(value)

    def _loop(self, loop: ForallOp) -> tuple[int, int] | None:
        if not loop.bounds:
            try:
                extent = self.checks.loop_extent(loop, self.operands)
            except _Unknown:
                return 0, _GREAT
            return (0, extent - 1) if extent else None
        (low, _), (_, high) = (self._value(bound) for bound in loop.bounds)
        return (low, high - 1) if low < high else None

    def _value(self, value: SSAValue) -> tuple[int, int]:
        owner = value.owner
        if isinstance(owner, Block):
            return self._variable(owner)
        if isinstance(owner, AccessOp):
            found = self.checks.values_of(owner, self.operands)
            return (int(found.min()), int(found.max())) if found.size else (0, -1)
        if isinstance(owner, EntryOp):
            # Behind the last one.
            return 0, self.checks.entry_extent(owner, value, self.operands)
        if isinstance(owner, EntryCountOp):
            return 0, self.checks.values_of(owner, self.operands).size
        if isinstance(owner, EntryNumberOp):
            return 0, self._value(owner.past)[1]
        if (known := _known(self.checks, value, self.operands)) is not None:
            return known, known
        if (inner := _passed_on(owner)) is not None:
            return self._value(inner)
        return self._arithmetic(owner)

    def _variable(self, block: Block) -> tuple[int, int]:
        """The bounds of the index variable that a block binds."""
        binder = block.parent_op()
        if isinstance(binder, LetOp):
            return self._value(binder.coordinate)
        if isinstance(binder, ForallOp):
            return self._loop(binder) or (0, -1)
        raise _Unknown

    def _arithmetic(self, op: Operation) -> tuple[int, int]:
        """The bounds of an operation, from those of its operands."""
        if op.name == "arith.select":
            (a, b), (c, d) = (self._value(operand) for operand in op.operands[1:])
            return min(a, c), max(b, d)
        if op.name not in _ON_NUMBERS and op.name != "arith.remsi":
            raise _Unknown
        (a, b), (c, d) = (self._value(operand) for operand in op.operands)
        if op.name == "arith.remsi" and c > 0:
            return (0, min(b, d - 1)) if a >= 0 else (1 - d, d - 1)
        if op.name in ("arith.divsi", "arith.remsi") and c <= 0:
            raise _Unknown
        corners = [_ON_NUMBERS[op.name](left, right) for left in (a, b) for right in (c, d)]
        return min(corners), max(corners)


class _Values:
    """All values that an index takes, in the iterations of the loops that it is computed from."""

    def __init__(self, checks: CoordinateChecks, operands: Sequence[Any]) -> None:
        self.checks, self.operands = checks, operands
        self.iterations: dict[SSAValue, np.ndarray] = {}
        self.count = 1

    def bounds(self, use: _Use) -> tuple[int, int] | None:
        needed = set(_variables(use.variable))
        own = _loop_of(use.variable)
        for loop in reversed(list(enclosing_loops(use.op))):
            if loop.variable in needed and loop is not own:
                self._enter(loop)
        if own is not None:
            low, high = self._ends(own)
            runs = low < high
            return (int(low[runs].min()), int(high[runs].max()) - 1) if runs.any() else None
        found = np.broadcast_to(self._value(use.variable), (self.count,))
        return (int(found.min()), int(found.max())) if found.size else None

    def _ends(self, loop: ForallOp) -> tuple[np.ndarray, np.ndarray]:
        """Where the loop begins and ends, in each iteration of those around it."""
        if not loop.bounds:
            return np.zeros(self.count, np.int64), np.full(self.count, self.checks.loop_extent(loop, self.operands))
        low, high = (self._value(bound) for bound in loop.bounds)
        return np.broadcast_to(low, (self.count,)), np.broadcast_to(high, (self.count,))

    def _enter(self, loop: ForallOp) -> None:
        low, high = self._ends(loop)
        sizes = np.maximum(high - low, 0)
        if float(sizes.sum(dtype=np.float64)) > _MOST:
            raise _Unknown
        before = np.cumsum(sizes) - sizes
        self.count = int(sizes.sum())
        self.iterations = {variable: np.repeat(values, sizes) for variable, values in self.iterations.items()}
        self.iterations[loop.variable] = np.arange(self.count) - np.repeat(before, sizes) + np.repeat(low, sizes)

    def _value(self, value: SSAValue) -> Any:
        if value in self.iterations:
            return self.iterations[value]
        owner = value.owner
        if isinstance(owner, Block):
            binder = owner.parent_op()
            if isinstance(binder, LetOp):
                return self._value(binder.coordinate)
            raise _Unknown
        if isinstance(owner, AccessOp):
            held = self.checks.values_of(owner, self.operands)
            if not any(held is operand for operand in self.operands):
                return self._any_of(held)
            return held[tuple([self._value(index) for index in owner.indices])]
        if (known := _known(self.checks, value, self.operands)) is not None:
            return np.int64(known)
        if (inner := _passed_on(owner)) is not None:
            return self._value(inner)
        rule = _on_arrays(owner)
        if rule is None:
            raise _Unknown
        operands = list(map(self._value, owner.operands))
        # An operand may have made more iterations than there were for one before it.
        if any(np.ndim(one) and one.size != self.count for one in operands):
            raise _Unknown
        return rule(*operands)

    def _any_of(self, stored: np.ndarray) -> np.ndarray:
        """Which element is read in which iteration is not known of a sparse operand: each may be, in each."""
        if self.count * stored.size > _MOST:
            raise _Unknown
        found = np.tile(stored, self.count)
        self.iterations = {variable: np.repeat(values, stored.size) for variable, values in self.iterations.items()}
        self.count *= stored.size
        return found


def _known(checks: CoordinateChecks, value: SSAValue, operands: Sequence[Any]) -> int | None:
    owner = value.owner
    if isinstance(owner, BoundOp):
        return _known(checks, owner.extent, operands)
    if isinstance(owner, ExtentOp):
        extent = checks.extent(owner.tensor, owner.dimension.value.data, operands)
        if extent is None:
            raise _Unknown
        return extent
    return constant_index(value) if isinstance(owner, arith.ConstantOp) else None


def _on_arrays(op: Operation) -> Callable[..., Any] | None:
    """How to compute an operation on all values at once; comparisons are read as operators of the algebra before."""
    if isinstance(op, ApplyOp) and isinstance(op.operator, StringAttr):
        return _COMPARISONS.get(op.operator.data)
    return _ON_ARRAYS.get(op.name)


def _passed_on(op: Operation) -> SSAValue | None:
    """What an operation gives as it is, in another type."""
    return op.operands[0] if isinstance(op, CastOp) or op.name in ("arith.index_cast", "arith.extsi") else None


def _computed(op: AccessOp | AssignOp) -> Iterator[_Use]:
    for number, index in enumerate(op.indices):
        loop = _loop_of(index)
        if loop is None or loop.bounds:
            yield _Use(op, number, index)


def _is_scheduled(op: Operation) -> bool:
    """Whether passes for schedules have arranged the loops around an operation."""
    definition = innermost_around(op, ComputeOp)
    return definition is not None and bool(definition.scheduled)


def _loop_of(index: SSAValue) -> ForallOp | None:
    """The loop that an index is the variable of, perhaps under the name of a let."""
    while isinstance(index.owner, Block) and isinstance(binder := index.owner.parent_op(), LetOp):
        index = binder.coordinate
    loop = index.owner.parent_op() if isinstance(index.owner, Block) else None
    return loop if isinstance(loop, ForallOp) else None


def _parts(value: SSAValue) -> Iterator[SSAValue]:
    """A value and all that it, or the range of a loop that it is from, is computed from, each once."""
    seen, waiting = {value}, [value]
    while waiting:
        value = waiting.pop()
        yield value
        new = [one for one in dict.fromkeys(_inputs(value)) if one not in seen]
        seen.update(new)
        waiting += reversed(new)


def _inputs(value: SSAValue) -> Sequence[SSAValue]:
    """What a value, or the range of the loop that it is from, is computed from at once."""
    owner = value.owner
    if isinstance(owner, Operation):
        return owner.indices if isinstance(owner, AccessOp) else owner.operands
    binder = owner.parent_op()
    if isinstance(binder, LetOp):
        return (binder.coordinate,)
    return binder.bounds if isinstance(binder, ForallOp) else ()


def _variables(value: SSAValue) -> Iterator[SSAValue]:
    return (part for part in _parts(value) if isinstance(part.owner, Block))


def _reads_values(value: SSAValue) -> bool:
    return any(isinstance(part.owner, AccessOp) for part in _parts(value))


def _text(use: _Use) -> str:
    return f"{name_of(use.op.tensor)}[{', '.join(map(name_of, use.op.indices))}]"


def _outside(use: _Use, value: int, extent: int) -> UserError:
    message = f"{name_of(use.variable)} is {value} in {_text(use)}, where dimension {use.number} has extent {extent}"
    help = "let the range end where the dimension does, which concrete_index.extent gives"
    return UserError("index-out-of-range", message, op=use.op, help=help)


def _unknown(use: _Use) -> UserError:
    name = name_of(use.variable)
    message = f"nothing says which values {name} has in {_text(use)}, so it may be outside of dimension {use.number}"
    help = "compute it from variables, extents, numbers and elements of operands, and not from very many of them"
    return UserError("index-out-of-range", message, op=use.op, help=help)
