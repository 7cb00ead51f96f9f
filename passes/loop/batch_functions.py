"""`batch-functions`: functions that stand between loops are computed for a batch of iterations at a time."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.create_operation import clone_operation
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.is_inside import innermost_around
from irtensor.dialects.loop import (
    CellOp,
    DataOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    ParallelOp,
    ReserveOp,
    ScratchOp,
    SetOp,
    StoreOp,
)
from irtensor.dialects.loop_types import CellType
from irtensor.dialects.order_of_sums import keeps_order
from irtensor.passes.analysis.windows import known_distance
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.loop.allow_vector_functions import is_vector_function
from irtensor.passes.loop.captured_values import is_read_only
from irtensor.passes.loop.memory_effects import Effects, effects_of, memory_behind, only_computes
from irtensor.passes.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.pass_base import TensorPass, option, structured_functions


@dataclass(frozen=True)
class BatchFunctionsPass(TensorPass):
    """Split a loop that computes a function between its inner loops into three, for some iterations at a time.

    Before: `for %p { %t = cell; for %k { set ..., %t }; %e = exp(get %t); for %d { ... %e ... } }`
    After:  `for %q in steps of 256 {
             for %p in %q { %t = cell; for %k { set ..., %t }; store get %t, %batch[%p - %q] };
             for %k = 0 to %length { store exp(%batch[%k]), %batch[%k] };
             for %p in %q { %e = %batch[%p - %q]; for %d { ... %e ... } } }`
    A loop without loops inside computes functions of a vector at a time, which takes a fraction of the time. What is
    kept in between stays in the nearest cache. The first loop only reads what the whole function leaves as it is, so
    that it may run ahead. Loads and arithmetic that both sides need are repeated; sums and functions never are.
    Not where sums keep their order, as the functions of the C library are called for each number then.
    """

    name = "batch-functions"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"hoist-invariants": "functions stand where what they are of is known"}
    before = {"allow-vector-functions": "only then are functions in loops that become vectors"}

    size: int = option("The iterations of a batch.", 256)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            if not keeps_order(function):
                for loop in operations_in(function, ForOp):
                    self._batch(loop)

    def _batch(self, loop: ForOp) -> None:
        if loop.attributes or _is_short(loop):
            return
        functions = [op for op in operations_of(loop.body.block) if is_vector_function(op)]
        _share(functions)
        for op in functions:
            if op.parent is not None and (parts := _Parts.of(loop, op)) is not None:
                remark(f"{op.name[5:]} is computed for {self.size} iterations at a time", by="batch-functions")
                return _divide(loop, parts, self.size)


def _is_short(loop: ForOp) -> bool:
    """Whether a loop is known to have fewer iterations than a vector has lanes."""
    return known_distance(loop.lower, loop.upper).most < 4


def _share(functions: list[Operation]) -> None:
    """Let equal functions of one value, also by several reads of a cell, be one."""
    known: dict[Hashable, Operation] = {}
    for op in functions:
        operands = [value.owner.cell if isinstance(value.owner, GetOp) else value for value in op.operands]
        same = known.setdefault((type(op), *operands), op)
        if same is not op and _reads_the_same(same, op):
            op.results[0].replace_all_uses_with(same.results[0])
            op.detach()
            op.erase()


def _reads_the_same(first: Operation, second: Operation) -> bool:
    """Whether no cell changes between the reads of it that two operations use."""
    for one, other in zip(first.operands, second.operands, strict=True):
        if one is not other:
            assert isinstance(one.owner, GetOp) and isinstance(other.owner, GetOp)
            op, end = one.owner, other.owner
            while op is not end:
                if op is None or any(one.owner.cell in _changed(inner) for inner in op.walk()):
                    return False
                op = op.next_op
    return True


@dataclass(frozen=True)
class _Parts:
    """What a loop does to find the operand of a function, the function, and what it does with its value."""

    function: Operation
    operand: SSAValue
    ahead: set[Operation]
    behind: list[set[Operation]]

    @staticmethod
    def of(loop: ForOp, function: Operation) -> _Parts | None:
        """The parts, if they may be loops of their own and one of them has loops inside."""
        varying = [value for value in function.operands if _is_of(loop, value)]
        if len(varying) != 1 or varying[0].type != function.results[0].type:
            return None
        body = _Body(loop)
        ahead = body.needed(varying[0])
        behind = body.needed_by_effects({function.results[0]})
        together = set[Operation]().union(*behind)
        if not body.may_run_ahead(ahead) or not any(op.regions for op in ahead | together):
            return None
        if any(op.regions or is_vector_function(op) for op in ahead & together) or function in together:
            return None
        return _Parts(function, varying[0], ahead, behind)


def _is_of(loop: ForOp, value: SSAValue) -> bool:
    """Whether a value is computed in the body of a loop, or is its number."""
    owner = value.owner
    return (owner if isinstance(owner, Block) else owner.parent) is loop.body.block


class _Body:
    """The operations of a loop's body, and which of them others need."""

    def __init__(self, loop: ForOp) -> None:
        self.loop = loop
        self.operations = operations_of(loop.body.block)
        self.numbers = {op: number for number, op in enumerate(self.operations)}
        self.cells = {op.cell for op in self.operations if isinstance(op, CellOp)}
        self.writers: dict[SSAValue, list[Operation]] = {}
        for op in self.operations:
            for cell in {cell for inner in op.walk() for cell in _changed(inner)}:
                self.writers.setdefault(cell, []).append(op)

    def needed(self, value: SSAValue) -> set[Operation]:
        """What computes a value, and the cells that it is read from."""
        return self._closure([value.owner] if isinstance(value.owner, Operation) else (), ())

    def needed_by_effects(self, known: Collection[SSAValue]) -> list[set[Operation]]:
        """What changes anything but cells of the body, and what that needs: in parts that may be loops of their own."""
        roots = [op for op in self.operations if not self._stays_inside(op)]
        loops = [[op] for op in roots if op.regions]
        parts = [self._closure(part, known) for part in (*loops, [op for op in roots if not op.regions]) if part]
        return parts if self._are_apart(parts) else [self._closure(roots, known)]

    def _are_apart(self, parts: list[set[Operation]]) -> bool:
        """Whether the order in which parts run makes no difference, and none does what takes long again."""
        if sum(bool(op.regions) or is_vector_function(op) for part in parts for op in part) > len(parts):
            return False
        found = [effects_of(*part) for part in parts]
        known = [Effects(one.reads - self.cells, one.writes - self.cells) for one in found if one is not None]
        pairs = combinations(known, 2)
        return len(known) == len(found) and not any(one.conflict_with(other) for one, other in pairs)

    def _closure(self, roots: Iterable[Operation], known: Collection[SSAValue]) -> set[Operation]:
        found: set[Operation] = set()
        waiting: list[Operation | Block] = [*roots]
        while waiting:
            op = waiting.pop()
            if not isinstance(op, Operation) or op not in self.numbers or op in found:
                continue
            found.add(op)
            for inner in op.walk():
                waiting += [operand.owner for operand in inner.operands if operand not in known]
                if isinstance(inner, GetOp):
                    writers = self.writers.get(inner.cell, ())
                    waiting += [writer for writer in writers if self.numbers[writer] <= self.numbers[op]]
        return found

    def _stays_inside(self, op: Operation) -> bool:
        """Whether nothing but cells of the body, or of the operation, tells that an operation ran."""
        return all(
            only_computes(inner)
            or isinstance(inner, GetOp | LoadOp | CellOp | ForOp | IfOp)
            or (isinstance(inner, SetOp) and (inner.cell in self.cells or op.is_ancestor(inner.cell.owner)))
            for inner in op.walk()
        )

    def may_run_ahead(self, part: Collection[Operation]) -> bool:
        """Whether operations find the same before other iterations have ended."""
        return all(
            self._stays_inside(op)
            and all(self._stays_as_it_is(inner.buffer) for inner in op.walk() if isinstance(inner, LoadOp))
            and all(self._is_own(inner.cell, op) for inner in op.walk() if isinstance(inner, GetOp))
            for op in part
        )

    def _stays_as_it_is(self, buffer: SSAValue) -> bool:
        """Whether the loop writes to no element of a buffer."""
        if is_argument(buffer) and is_read_only(buffer):
            return True
        memory, effects = memory_behind(buffer), effects_of(self.loop)
        return memory is not None and effects is not None and memory not in effects.writes

    def _is_own(self, cell: SSAValue, reader: Operation) -> bool:
        """Whether a cell is one of the body or its inner loops, or keeps its value in all iterations."""
        return cell in self.cells or reader.is_ancestor(cell.owner) or cell not in self.writers


def _changed(op: Operation) -> list[SSAValue]:
    """The cells that an operation may change."""
    return [] if isinstance(op, GetOp) else [value for value in op.operands if isinstance(value.type, CellType)]


def _divide(loop: ForOp, parts: _Parts, size: int) -> None:
    """Put the parts in loops of their own, inside of a loop over batches."""
    batch = _room(loop, parts.operand, size)
    before, block = Emitter(Block()), loop.parent
    assert block is not None
    batches = before.divide_up(before.max(before.sub(loop.upper, loop.lower), before.index(0)), size)
    outer = before.insert(ForOp.of(before.index(0), batches))
    emit = Emitter(outer.body.block)
    start = emit.add(loop.lower, emit.mul(outer.induction, emit.index(size)))
    end = emit.min(emit.add(start, emit.index(size)), loop.upper)
    first = _Loop(loop, start, end, emit)
    first.take(parts.ahead)
    first.store(first.values[parts.operand], batch)
    second = _Loop(loop, emit.index(0), emit.sub(end, start), emit)
    second.values[parts.operand] = second.load(batch)
    second.take([parts.function])
    second.store(second.values[parts.function.results[0]], batch)
    for part in parts.behind:
        third = _Loop(loop, start, end, emit)
        third.values[parts.function.results[0]] = third.load(batch)
        third.take(part)
    move_before(before.block, loop)
    loop.detach()
    loop.erase()


def _room(loop: ForOp, value: SSAValue, size: int) -> SSAValue:
    """Room for a batch, which is made once for each call or part for a thread."""
    around = innermost_around(loop, FuncOp, ParallelOp)
    assert around is not None
    before = Emitter(Block())
    scratch = before.insert(ScratchOp.of(value.type)).growable
    before.insert(ReserveOp.of(scratch, before.index(size)))
    buffer = before.insert(DataOp.of(scratch)).buffer
    buffer.name_hint = "batch"
    first = around.body.block.first_op
    assert first is not None
    move_before(before.block, first)
    return buffer


class _Loop:
    """A loop over a batch that does some of what another one does."""

    def __init__(self, original: ForOp, start: SSAValue, end: SSAValue, emit: Emitter) -> None:
        self.original, self.start = original, start
        loop = emit.insert(ForOp.of(start, end))
        loop.induction.name_hint = original.induction.name_hint
        self.emit = Emitter(loop.body.block)
        self.number = loop.induction
        self.values: dict[SSAValue, SSAValue] = {original.induction: loop.induction}

    def take(self, part: Collection[Operation]) -> None:
        for op in operations_of(self.original.body.block):
            if op in part:
                self.emit.insert(clone_operation(op, self.values))

    def load(self, batch: SSAValue) -> SSAValue:
        return self.emit.load(batch, self.emit.sub(self.number, self.start))

    def store(self, value: SSAValue, batch: SSAValue) -> None:
        self.emit.insert(StoreOp.of(value, batch, self.emit.sub(self.number, self.start)))
