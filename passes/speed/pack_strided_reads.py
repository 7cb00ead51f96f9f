"""`pack-strided-reads`: a dense matrix whose innermost accesses are a row apart is transposed, if there are enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import (
    AS_IT_IS,
    DataOp,
    FillOp,
    ForOp,
    IfOp,
    LoadOp,
    PrivateOp,
    ReserveOp,
    ScratchOp,
    StoreOp,
)
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.create_operation import copy_of, erase_operation
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL
from irtensor.passes.iteration_lattice.support.counted_results import COUNTED
from irtensor.passes.loop.support.segments import begin_of_all, end_of_all
from irtensor.passes.speed.support.dense_matrices import extents_of, product_of, split_index, transpose
from irtensor.passes.speed.support.strided_accesses import StridedAccess, StridedResult, as_strided, strided_results
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class PackStridedReadsPass(TensorPass):
    """Read a dense operand from a transposed copy where the loop inside runs along a level that is not the last.

    Such a loop touches a cache line, often a page, per element. The copy is made at run time only if it has at most as
    many elements as are read of the operand, so that work stays in proportion to the entries of the sparse operand.
    Loops for threads are copied for by threads, each some columns.
    A dense result that is updated in this way is copied as well, and copied back when the loops have ended, if there
    are twice as many updates as elements. Elements are combined in the same order as before.
    `loop.extents` of a buffer argument, from lower-storage, says which arguments are its extents.

    Before: `for %i { for %p = %pos[%i] to %pos[%i + 1] { %j = %crd[%p]; for %k = 0 to %n { ... %D[%k * %m + %j] } } }`
    After:  `%worth = %pos[%end] - %pos[0] >= %m; if %worth { %T[%j * %n + %k] = %D[%k * %m + %j], in tiles };
            if %worth { the loops, which read %T[%j * %n + %k] } else { the loops as they were }`
    """

    name = "pack-strided-reads"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-storage": "the lowering writes down which arguments are the extents of a buffer"}
    before = {
        "skip-idle-loops": "loops have to be plain when they are copied",
        "divide-parallel-loops": "the copy is divided among threads as its readers are",
    }

    tile: int = option("The elements along an edge of the tiles in which is copied.", 32)

    def on_function(self, function: FuncOp) -> None:
        written = {op.buffer for op in operations_in(function, StoreOp, FillOp)}
        for loop in operations_of(function.body.block):
            if isinstance(loop, ForOp):
                reads = [load for load in operations_in(loop, LoadOp) if load.buffer not in written]
                found = [read for read in (as_strided(load, loop, load.buffer) for load in reads) if read is not None]
                results = strided_results(loop)
                if found or results:
                    _Versions(loop, found, results, self.tile).make()


class _Versions:
    """Two forms of a nest: as it was, and with copies of the matrices that it accesses across their rows."""

    def __init__(self, root: ForOp, reads: list[StridedAccess], results: list[StridedResult], tile: int) -> None:
        self.root, self.reads, self.results, self.tile = root, reads, results, tile
        self.accesses = [*reads, *(access for result in results for access in result.accesses)]
        self.copies: dict[SSAValue, SSAValue] = {}
        self.before = Emitter(Block())
        self.worth = self._worth()

    def make(self) -> None:
        for buffer in dict.fromkeys(read.op.buffer for read in self.reads):
            _tell(buffer, "read", "first if it has no more columns than it is read for entries")
            self._copy(buffer)
        for result in self.results:
            _tell(result.buffer, "updated", "first and last if there are at least two entries for each of its columns")
            self._copy(result.buffer)
        move_before(self.before.block, self.root)
        inner = dict.fromkeys(loop for access in self.accesses if isinstance(loop := access.op.parent_op(), ForOp))
        # A row that is counted before it is stored is one loop; its values are computed in those inside.
        for loop in inner if COUNTED in self.root.attributes else [self.root]:
            self._branch(loop)
        for loop in inner:
            # Few iterations in all, and each waits for memory.
            loop.attributes.update(AS_IT_IS)

    def _worth(self) -> SSAValue:
        """Whether all matrices are accessed for enough entries: those that are copied back, for twice as many."""
        emit, conditions = self.before, list[SSAValue]()
        asked = dict.fromkeys((read.entries, read.op.buffer, read.elements, 1) for read in self.reads)
        for result in self.results:
            asked.update(
                dict.fromkeys((access.entries, result.buffer, access.elements, 2) for access in result.accesses)
            )
        for loop, buffer, elements, times in asked:
            entries = emit.sub(end_of_all(loop, emit), begin_of_all(loop, emit))
            if elements > 1:
                entries = emit.mul(entries, emit.index(elements))
            *above, _, columns = extents_of(buffer)
            least = emit.mul(emit.mul(product_of(above, emit), columns), emit.index(times))
            conditions.append(emit.compare("sge", entries, least))
        return reduce(emit.both, conditions)

    def _copy(self, buffer: SSAValue) -> None:
        """Transpose a matrix where the nest begins, into memory that is made there."""
        scratch = self.before.insert(ScratchOp.of(held_type(buffer))).growable
        inside = Emitter(self.before.insert(IfOp.of(self.worth)).then.block)
        inside.insert(ReserveOp.of(scratch, product_of(extents_of(buffer), inside)))
        self._transpose(buffer, inside.insert(DataOp.of(scratch)).buffer, inside)
        self.copies[buffer] = self.before.insert(DataOp.of(scratch)).buffer
        # Remarks about the copy name the matrix.
        self.copies[buffer].name_hint = buffer.name_hint

    def _transpose(self, buffer: SSAValue, copy: SSAValue, emit: Emitter, *, back: bool = False) -> None:
        loop = transpose(buffer, copy, emit, self.tile, back=back)
        if PARALLEL in self.root.attributes:
            loop.attributes[PARALLEL] = AUTOMATIC

    def _branch(self, loop: ForOp) -> None:
        """Give a loop a form that accesses the copies, which runs where they were made."""
        block, packed = Block(), copy_of(loop)
        branch = Emitter(block).insert(IfOp.of(self.worth, with_else=True))
        move_before(block, loop)
        loop.detach()
        inside = Emitter(branch.then.block)
        copies = {**self.copies, **{result.own: self._own(result, inside) for result in self.results}}
        extents: dict[Operation, list[SSAValue]] = {access.op: extents_of(access.array) for access in self.accesses}
        transposed: dict[SSAValue, SSAValue] = {}
        for original, copied in zip(loop.walk(), list(packed.walk()), strict=True):
            if isinstance(copied, LoadOp | StoreOp) and original in extents:
                _use_copy(copied, extents[original], copies[copied.buffer], transposed)
        inside.insert(packed)
        for result in self.results:
            self._transpose(result.buffer, self.copies[result.buffer], inside, back=True)
        branch.otherwise.block.add_op(loop)

    def _own(self, result: StridedResult, emit: Emitter) -> SSAValue:
        """The copy of a result in the nest: elements that threads may have of their own."""
        copy, private = self.copies[result.buffer], result.own.owner
        if not isinstance(private, PrivateOp):
            return copy
        return emit.insert(PrivateOp.of(private.operator, copy, private.lower, private.upper)).own


def _tell(buffer: SSAValue, accessed: str, when: str) -> None:
    name = tensor_named(buffer.name_hint)
    remark(f"'{name}' is {accessed} across its rows; it is transposed {when}", by="pack-strided-reads", about=[name])


def _use_copy(
    op: LoadOp | StoreOp, extents: list[SSAValue], copy: SSAValue, transposed: dict[SSAValue, SSAValue]
) -> None:
    """Let an access of [..., row, column] be one of the copy at [..., column, row]; `transposed` caches the indices."""
    before = op.index
    if before not in transposed:
        transposed[before] = _transposed(op, extents)
    op.operands[op.operands.index(op.buffer)], op.operands[op.operands.index(before)] = copy, transposed[before]
    while not before.uses and isinstance(before.owner, arith.AddiOp | arith.MuliOp):
        unused = before.owner
        before = unused.lhs
        erase_operation(unused)


def _transposed(op: LoadOp | StoreOp, extents: list[SSAValue]) -> SSAValue:
    """Where the copy has what an access finds in a matrix."""
    *above, rows, columns = extents
    split = split_index(op.index, extents)
    assert split is not None and split[0] is not None
    row = split_index(split[0], [*above, rows])
    assert row is not None
    emit, column = Emitter(Block()), split[1]
    if row[0] is not None:
        column = emit.add(emit.mul(row[0], columns), column)
    index = emit.add(emit.mul(column, rows), row[1])
    move_before(emit.block, op)
    return index
