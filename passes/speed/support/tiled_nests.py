"""Finds loops over rows of results that read the same rows of an operand: what tiles of registers use several times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import (
    AtomicOp,
    CellOp,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    ReserveOp,
    ScratchOp,
    SetOp,
    StoreOp,
)
from irtensor.dialects.loop.loop_types import BufferType, is_vector_value
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.loop.support.accumulation_nests import Row, as_row, is_outside, sum_terms
from irtensor.passes.loop.support.memory_roots import is_seen_otherwise, memory_of
from irtensor.passes.speed.accumulate_in_registers import CALLED_FOR_EACH_LANE
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of

_ONE = Polynomial.number(1)
_MEMORY = (LoadOp, StoreOp, FillOp)


@dataclass
class RowMemory:
    """Memory; iteration i of a loop uses its elements from i * stride + start on, as many as `lengths` say."""

    stride: Polynomial
    start: Polynomial
    lengths: list[Polynomial] = field(default_factory=list)
    """How far accesses go; rows of different iterations are apart if none goes farther than the stride."""
    buffers: list[SSAValue] = field(default_factory=list)
    room: Polynomial | None = None
    """Of a workspace, which every iteration fills before it reads: the elements that are filled."""


@dataclass
class TiledNest:
    """A loop over rows, in which a nest of reduction loops updates the row of an iteration."""

    rows: ForOp
    chain: list[ForOp]
    """The reduction loops, the outermost first; bounds of all loops are the same in all iterations."""
    row: Row
    panels: list[LoadOp]
    """What the innermost loop reads of rows that all iterations of `rows` read."""
    before: list[Operation]
    """What an iteration does in memory before the nest, and after it."""
    after: list[Operation]
    memories: dict[SSAValue, RowMemory]
    """What the nest updates, and what else one part of an iteration writes and another one accesses."""
    varying: set[SSAValue]
    """The values computed from the number of a row."""


def find_tiled_nests(block: Block, is_row: Callable[[ForOp], bool]) -> list[TiledNest]:
    """The innermost such loops in a block; `is_row` as in `find_nests`."""
    found: list[TiledNest] = []
    for op in operations_of(block):
        if type(op) is ForOp and (nest := _as_tiled(op, is_row)) is not None:
            found.append(nest)
        else:
            for region in op.regions:
                for inner in region.blocks:
                    found += find_tiled_nests(inner, is_row)
    return found


def _as_tiled(rows: ForOp, is_row: Callable[[ForOp], bool]) -> TiledNest | None:
    body = operations_of(rows.body.block)
    chains = [(op, chain) for op in body if type(op) is ForOp and (chain := _chain(op, rows, is_row)) is not None]
    if len(chains) != 1:
        return None
    root, (chain, row) = chains[0]
    if not all(_is_plain(op) for op in rows.body.walk() if not root.is_ancestor(op)):
        return None
    written = {memory_of(op.buffer) for op in operations_in(rows, StoreOp, FillOp)}
    if is_seen_otherwise({one for one in _buffers_in(rows) if memory_of(one) in written}, rows):
        return None
    varying = _varying(rows)
    panels = _panels(chain, row, written, varying)
    parts = _parts(body, root, written | {op.cell for op in operations_in(rows, SetOp)})
    if not panels or parts is None:
        return None
    shared = _shared([*parts, [root]], written)
    memories = None if shared is None else _memories(rows, shared | {memory_of(target) for target in row.targets})
    return None if memories is None else TiledNest(rows, chain, row, panels, *parts, memories, varying)


def _buffers_in(rows: ForOp) -> set[SSAValue]:
    return {one for op in everything_in(rows) for one in op.operands if isinstance(one.type, BufferType)}


def _chain(root: ForOp, rows: ForOp, is_row: Callable[[ForOp], bool]) -> tuple[list[ForOp], Row] | None:
    """The reduction loops of a nest and the row inside; bounds are from outside of the loop over rows."""
    chain: list[ForOp] = []
    loop = root
    while is_outside(loop.lower, rows) and is_outside(loop.upper, rows):
        body = operations_of(loop.body.block)
        inner = [op for op in body if op.regions]
        if not inner:
            return _innermost(chain, loop, is_row)
        if len(inner) > 1 or not isinstance(inner[0], ForOp):
            return None
        if not all(op is inner[0] or _is_scalar(op) for op in body):
            return None
        chain.append(loop)
        loop = inner[0]
    return None


def _innermost(chain: list[ForOp], loop: ForOp, is_row: Callable[[ForOp], bool]) -> tuple[list[ForOp], Row] | None:
    if not chain or constant_index(loop.lower) != 0 or not is_row(loop):
        return None
    row = as_row(loop)
    if row is None or row.marks or any(isinstance(op, AtomicOp) for op in loop.body.block.ops):
        return None
    # Lanes beyond the end of a row have any value.
    pure = [op for op in loop.body.block.ops if not isinstance(op, _MEMORY)]
    calls = any(op.name in CALLED_FOR_EACH_LANE for op in pure)
    return (chain, row) if all(map(_is_scalar, pure)) and not calls else None


def _is_scalar(op: Operation) -> bool:
    """Whether an operation gives a value that depends on its operands and on memory, and may be computed again."""
    if isinstance(op, LoadOp):
        return not is_vector_value(op.value.type)
    return not op.regions and (op.name.startswith(("math.", "complex.")) or is_speculatable(op))


def _is_plain(op: Operation) -> bool:
    """Whether an operation, without those inside, may be in an iteration that is divided into the code before its nest
    and after it: its results for other iterations are in memory or in a cell."""
    is_known = isinstance(op, (CellOp, GetOp, SetOp, ForOp, IfOp, FillOp, StoreOp))
    return is_known or _is_scalar(op) or op.name.startswith("arith.")


def _shared(parts: list[list[Operation]], written: set[SSAValue]) -> set[SSAValue] | None:
    """The memory that several parts of an iteration access and one of them writes; None if they have a cell in common.

    Whatever one part has for itself, it does in the same order of iterations as before.
    """
    found: set[SSAValue] = set()
    known: dict[SSAValue, int] = {}
    for number, part in enumerate(parts):
        for op in [inner for op in part for inner in op.walk()]:
            if isinstance(op, (GetOp, SetOp)) and known.setdefault(op.cell, number) != number:
                return None
            if isinstance(op, _MEMORY) and (memory := memory_of(op.buffer)) in written:
                if known.setdefault(memory, number) != number:
                    found.add(memory)
    return found


def _varying(rows: ForOp) -> set[SSAValue]:
    found: set[SSAValue] = {rows.induction}
    for op in rows.body.walk():
        if any(operand in found for operand in op.operands):
            found.update(op.results)
    return found


def _panels(chain: list[ForOp], row: Row, written: set[SSAValue], varying: set[SSAValue]) -> list[LoadOp]:
    """The loads of vectors that are the same in all iterations; none if any is not, or if one reads written memory."""
    panels: list[LoadOp] = []
    for op in operations_in(chain[0], LoadOp):
        terms = sum_terms(op.index, row.loop.induction, row.loop) if row.loop.is_ancestor(op) else None
        if op.buffer in row.targets:
            continue
        if memory_of(op.buffer) in written:
            return []
        if terms is not None:
            if any(term in varying for term in terms):
                return []
            panels.append(op)
    return panels


def _memories(rows: ForOp, shared: set[SSAValue]) -> dict[SSAValue, RowMemory] | None:
    """How iterations access some memory; None unless each has elements of its own, or fills them first."""
    found: dict[SSAValue, RowMemory] = {}
    for op in operations_in(rows, *_MEMORY):
        if (memory := memory_of(op.buffer)) not in shared:
            continue
        access = _access(op, rows)
        if access is None:
            return None
        stride, start, length = access
        if memory not in found:
            found[memory] = RowMemory(stride, start)
            if not stride.counts and (not _is_workspace(memory, rows) or not _is_first(op, rows) or start.counts):
                return None
            found[memory].room = None if stride.counts else length
        known = found[memory]
        if known.stride != stride or known.start != start:
            return None
        if length not in known.lengths:
            known.lengths.append(length)
        if op.buffer not in known.buffers:
            known.buffers.append(op.buffer)
    return found


def _access(op: Operation, rows: ForOp) -> tuple[Polynomial, Polynomial, Polynomial] | None:
    """What an operation accesses: from which multiple of the number of a row on, from where in the row, how far."""
    if isinstance(op, FillOp):
        stride, start = Polynomial.of(op.lower).split(rows.induction)
        again, end = Polynomial.of(op.upper).split(rows.induction)
        length = end - start
        is_known = stride == again and _are_outside((stride, start, length), rows)
        return (stride, start, length) if is_known else None
    assert isinstance(op, LoadOp | StoreOp)
    if is_vector_value(op.operands[0].type if isinstance(op, StoreOp) else op.value.type):
        return None
    stride, rest = Polynomial.of(op.index).split(rows.induction)
    for loop in _loops_around(op, rows):
        factor, start = rest.split(loop.induction)
        if factor == _ONE and constant_index(loop.lower) == 0:
            length = Polynomial.of(loop.upper)
            return (stride, start, length) if _are_outside((stride, start, length), rows) else None
    return None


def _loops_around(op: Operation, rows: ForOp) -> list[ForOp]:
    found: list[ForOp] = []
    around = op.parent_op()
    while around is not None and around is not rows:
        if isinstance(around, ForOp):
            found.append(around)
        around = around.parent_op()
    return found


def _are_outside(polynomials: Iterable[Polynomial], rows: ForOp) -> bool:
    return all(is_outside(value, rows) for polynomial in polynomials for value in polynomial.values())


def _is_workspace(memory: SSAValue, rows: ForOp) -> bool:
    """Whether nothing outside of a loop has to do with the elements of some memory."""
    if not isinstance(memory.owner, ScratchOp):
        return False
    users = [use.operation for use in memory.uses]
    if not all(isinstance(user, ReserveOp | DataOp) for user in users):
        return False
    data = [user.buffer for user in users if isinstance(user, DataOp)]
    return all(rows.is_ancestor(use.operation) for buffer in data for use in buffer.uses)


def _is_first(op: Operation, rows: ForOp) -> bool:
    """Whether the first access to elements fills them in every iteration."""
    return isinstance(op, FillOp) and op.parent is rows.body.block


def _parts(
    body: list[Operation], root: ForOp, written: set[SSAValue]
) -> tuple[list[Operation], list[Operation]] | None:
    """What an iteration does before its nest and after it that is not to be repeated; `written` are memory and cells.

    None if one of the three uses what another has made so.
    """
    before: list[Operation] = []
    after: list[Operation] = []
    makers: dict[SSAValue, list[Operation]] = {}
    part = before
    for op in body:
        used = [makers[value] for inner in op.walk() for value in inner.operands if value in makers]
        if any(maker is not part or op is root for maker in used):
            return None
        if op is root:
            part = after
        elif used or not _is_repeatable(op, written):
            part.append(op)
            makers.update(dict.fromkeys(op.results, part))
    return before, after


def _is_repeatable(op: Operation, written: set[SSAValue]) -> bool:
    """Whether an operation at the top of an iteration gives the same value wherever it is in the iteration."""
    if isinstance(op, LoadOp) and memory_of(op.buffer) in written:
        return False
    return _is_scalar(op) and not (isinstance(op, GetOp) and op.cell in written)
