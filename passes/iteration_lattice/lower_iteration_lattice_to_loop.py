"""`lower-iteration-lattice-to-loop`: points, walks and merges become loops; results are assembled."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.argument_layout import KernelPurpose
from irtensor.core.diagnostics import UserError
from irtensor.core.operators import Scalar, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.order_of_sums import REDUCTION_FLAGS, keeps_order
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    LoopletType,
    MergeOp,
    PlaceOp,
    PointOp,
    UpdateOp,
    WalkOp,
)
from irtensor.dialects.loop import loop
from irtensor.dialects.loop.loop import PROVISIONAL, AccumulateOp, AtomicOp, CellType, ForOp, StoreOp, YieldOp
from irtensor.dialects.storage.storage import (
    FiberType,
    FinalizeOp,
    InitializeOp,
    ResultOp,
    RootOp,
    StoredOp,
    WorkspaceOp,
    format_of,
)
from irtensor.dialects.support.expect import expect
from irtensor.levels.level_codes import written_level
from irtensor.passes.analysis.races import ATOMICS
from irtensor.passes.iteration_lattice.support.annihilation import forget_absence
from irtensor.passes.iteration_lattice.support.appended_room import AppendedRoom
from irtensor.passes.iteration_lattice.support.conditional_entries import decide_entries
from irtensor.passes.iteration_lattice.support.counted_results import mark_counted
from irtensor.passes.iteration_lattice.support.known_walks import KnownWalk, known_walks
from irtensor.passes.iteration_lattice.support.merge_loop import emit_merge_loop
from irtensor.passes.iteration_lattice.support.merging import is_straight_line
from irtensor.passes.iteration_lattice.support.private_elements import PrivateElements, updates_apart
from irtensor.passes.iteration_lattice.support.shared_room import sequences, steps
from irtensor.passes.iteration_lattice.support.updates import levels_in_full, writes_to, written_tensor
from irtensor.passes.iteration_lattice.support.vector_lanes import check_lanes
from irtensor.passes.iteration_lattice.support.written_places import is_written_in_full, is_written_once
from irtensor.passes.level_formats.interface import RangesLevel
from irtensor.passes.level_formats.pattern_writer import PatternWriter
from irtensor.passes.level_formats.replay_writer import ReplayWriter, Walk
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import Slot, TensorWriter
from irtensor.passes.level_formats.workspace_writer import WorkspaceWriter
from irtensor.passes.support.emit import Emitter, is_successor
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage


class LowerIterationLatticeToLoopPass(TensorPass):
    """Turn what the looplet rewrites left into loops over cells and buffers, and write results level by level.

    What combines values may be reassociated and contracted, as its flags say, unless the function keeps the order of
    its sums.
    Before: `walk %begin to %end { (%p): ... place %y at %i { (%slot): update %v into %slot } }`
    After:  `loop.for %p = %begin to %end { ... loop.store %v, %vals[%i] }`
    """

    name = "lower-iteration-lattice-to-loop"
    accepts = ("iteration_lattice", "storage.result")
    leaves = ("storage", "storage.result", "algebra", "loop")
    after = {"lower-looplets": "loops over looplets have to be lowered first"}

    def on_function(self, function: FuncOp) -> None:
        decide_entries(function)
        _Lowering(function).lower()
        check_lanes(function)
        forget_absence(function)


class _Lowering:
    """Moves operations into new blocks, replacing those of the lattice; `slots` says where result fibers are."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.slots: dict[SSAValue, Slot] = {}
        self.writers: dict[SSAValue, TensorWriter] = {}
        self.replaced: list[Operation] = []
        self.predicate: SSAValue | None = None
        self.private: dict[SSAValue, PrivateElements] = {}
        self.known = known_walks(function)
        self.room = AppendedRoom(self._writer_of)
        # Partial sums in any order, so that reductions vectorise.
        self.flags = None if keeps_order(function) else REDUCTION_FLAGS

    def lower(self) -> None:
        function = self.function
        block = function.body.block
        emit = Emitter(block)
        terminator = block.last_op
        if not isinstance(terminator, ReturnOp):
            raise wrong_stage(
                terminator or function, LowerIterationLatticeToLoopPass.name, help="end the function in func.return"
            )
        operations = operations_of(block)[:-1]
        for op in operations:
            op.detach()
        terminator.detach()
        self.operations(operations, emit)
        for writer in self.writers.values():
            writer.finish(emit)
        mark_counted(block, self.writers.values())
        block.add_op(terminator)
        for op in self.replaced:
            op.drop_all_references()

    def statements(self, block: Block, emit: Emitter) -> None:
        """Move the operations of a block to the emitter's, lowering them."""
        operations = operations_of(block)
        for op in operations:
            op.detach()
        self.operations(operations, emit)

    def operations(self, operations: Sequence[Operation], emit: Emitter) -> None:
        """Lower operations that follow each other; what points of a sequence append gets its room before the first."""
        for group in sequences(operations):
            with self.room.for_points(group, emit):
                for op in group:
                    self.operation(op, emit)

    def _predicated(self, block: Block, emit: Emitter, condition: SSAValue | None) -> None:
        """Statements that take effect where a condition holds: by selects if that is cheap, else by a branch."""
        if condition is None:
            self.statements(block, emit)
        elif self._is_speculable(block):
            self.predicate = condition
            self.statements(block, emit)
            self.predicate = None
        else:
            self.statements(block, Emitter(emit.insert(loop.IfOp.of(condition)).then.block))

    def _is_speculable(self, block: Block) -> bool:
        """Whether entries go to room that is held already, and nothing but arithmetic surrounds them."""
        place_ops = [self._writer_of(op) for op in block.ops if isinstance(op, PlaceOp)]
        # What does not hold is replaced by the identity of what it would be combined by.
        sums = all(self._identity(op) is not None for op in block.ops if isinstance(op, UpdateOp))
        return sums and all(writer.holds(level) for writer, level in place_ops) and is_straight_line(block)

    def operation(self, op: Operation, emit: Emitter) -> None:
        self._lower(op, emit)
        if op.parent is None:
            self.replaced.append(op)

    def _lower(self, op: Operation, emit: Emitter) -> None:
        lower = _LOWERINGS.get(type(op))
        if lower is not None:
            lower(self, op, emit)
        elif not any([type(value._type) in (LoopletType, FiberType) for value in (*op.results, *op._operands)]):
            # Operations outside of the lattice stay.
            emit.insert(op)
            for block in [block for region in op.regions for block in region.blocks]:
                self.statements(block, Emitter(block))
        elif op.dialect_name() not in ("iteration_lattice", "storage"):
            # Looplets and fibers have done their service, so nothing else may need them.
            raise wrong_stage(op, LowerIterationLatticeToLoopPass.name)

    def _coiterate(self, op: CoiterateOp, emit: Emitter) -> None:
        name = LowerIterationLatticeToLoopPass.name
        raise wrong_stage(op, name, help=f"run lower-looplets before {name}")

    # Results.

    def _root(self, op: RootOp, emit: Emitter) -> None:
        if op.tensor in self.writers:
            self.slots[op.result] = Slot(self.writers[op.tensor], 0, emit.index(0))

    # Workspaces.

    def _workspace(self, op: WorkspaceOp, emit: Emitter) -> None:
        emit.insert(op)
        walked = [walk.level for walk in self.known.values() if walk.workspace is op.result]
        self.writers[op.result] = WorkspaceWriter(op, emit, walked)

    def _initialize(self, op: InitializeOp, emit: Emitter) -> None:
        writer = self._writer_of_workspace(op.tensor, op)
        writer.initialize(emit)
        self.slots[op.fiber] = Slot(writer, 0, emit.index(0))

    def _finalize(self, op: FinalizeOp, emit: Emitter) -> None:
        self._writer_of_workspace(op.tensor, op).finalize(emit)

    def _stored(self, op: StoredOp, emit: Emitter) -> None:
        count = self._writer_of_workspace(op.tensor, op).stored(op.level.value.data, emit)
        op.result.replace_all_uses_with(count)

    def _writer_of_workspace(self, tensor: SSAValue, user: Operation) -> WorkspaceWriter:
        writer = self.writers.get(tensor)
        if not isinstance(writer, WorkspaceWriter):
            message = f"the tensor of '{user.name}' is not a workspace of this function"
            raise wrong_stage(user, LowerIterationLatticeToLoopPass.name, message, "make it with storage.workspace")
        return writer

    def _result(self, op: ResultOp, emit: Emitter) -> None:
        emit.insert(op)
        roots = [use.operation for use in op.result.uses if isinstance(use.operation, RootOp)]
        uses = [use.operation for root in roots for use in root.result.uses]
        place_ops = [use for use in uses if isinstance(use, PlaceOp)]
        updates = [use for use in uses if isinstance(use, UpdateOp)]
        updates += [inner for place in place_ops for inner in operations_in(place, UpdateOp)]
        accumulates = any(u.operator is not None and writes_to(u, op.result) for u in updates)
        writer = _RESULT_WRITERS[op.kernel_purpose](
            op,
            emit,
            [written_level(level.format.name) for level in format_of(op.result.type).levels],
            visits_all=bool(place_ops or updates),
            accumulates=accumulates,
            fills_below=levels_in_full(uses, None),
        )
        self.writers[op.result] = writer

    def _place(self, op: PlaceOp, emit: Emitter) -> None:
        inner = op.body.block
        target = inner.args[0]
        slot = self._slot(op.fiber, op)
        is_workspace = slot.writer.levels[slot.level].workspace is not None
        certain = is_written_once(op) if is_workspace else is_written_in_full(op)
        if not is_workspace:
            slot = slot.reached(emit)

        def body(emit: Emitter, child: Slot) -> None:
            self.slots[target] = child
            child.writer.open_slot(child, emit)
            self.statements(inner, emit)

        slot.writer.predicate = self.predicate
        code = written_level(slot.writer.levels[slot.level].name)
        if op.until is None:
            code.write(emit, slot.above(op.coordinate), op.coordinate, certain, body)
        else:
            expect(code, RangesLevel).write_range(emit, slot, op.coordinate, op.until, certain, body)

    def _slot(self, fiber: SSAValue, user: Operation) -> Slot:
        if fiber not in self.slots:
            raise _not_a_result(user)
        return self.slots[fiber]

    def _update(self, op: UpdateOp, emit: Emitter) -> None:
        if isinstance(op.target.type, CellType):
            self._update_cell(op, emit)
            return
        slot = self._slot(op.target, op).reached(emit).mark(emit)
        if slot.writer.stores_values:
            self._store_value(op, slot, emit)
        if slot.dirty is not None:
            emit.set(emit.constant(True, i1), slot.dirty)

    def _store_value(self, op: UpdateOp, slot: Slot, emit: Emitter) -> None:
        data, position = slot.writer.data("values", len(slot.writer.levels), emit), slot.position
        value = op.value
        if op.races == ATOMICS and op.operator is not None:
            atomic = emit.insert(AtomicOp.of(data, position))
            inner = Emitter(atomic.body.block)
            inner.insert(YieldOp.of(self._combine(op.operator, atomic.old, value, inner)))
            return
        if op.races is not None and (private := self.private.get(slot.writer.tensor)) is not None:
            data, position = private.data, emit.sub(position, private.first)
        if op.operator is not None:
            if slot.present is not None and self._starts_from_identity(op, slot):
                emit.insert(AccumulateOp.of(op.operator, value, data, position, slot.present, self.flags))
                return
            old = emit.load(data, position)
            if slot.present is not None:
                identity = self._identity(op)
                initial = slot.writer.initial if identity is None else identity
                old = emit.select(slot.present, old, emit.constant(initial, value.type))
            value = self._combine(op.operator, old, value, emit)
        store = emit.insert(StoreOp.of(value, data, position))
        if slot.writer.is_provisional and op.operator is None:
            store.attributes[PROVISIONAL] = UnitAttr()

    def _starts_from_identity(self, op: UpdateOp, slot: Slot) -> bool:
        """Whether combining with what a component starts from gives the other operand."""
        identity = self._identity(op)
        return identity is not None and same_value(identity, slot.writer.initial)

    def _identity(self, op: UpdateOp) -> Scalar | None:
        """What an update would combine with to no effect, if it combines and there is such a value."""
        if op.operator is None:
            return None
        return find_operator(op.operator, self.function).identity(element_name(op.value.type))

    def _update_cell(self, op: UpdateOp, emit: Emitter) -> None:
        if op.operator is None:
            emit.set(op.value, op.target)
            return
        value = op.value
        if self.predicate is not None:
            # Combining with the identity changes nothing, and keeps the condition off the chain of dependences.
            identity = self._identity(op)
            assert identity is not None
            value = emit.select(self.predicate, value, emit.constant(identity, value.type))
        emit.set(self._combine(op.operator, emit.get(op.target), value, emit), op.target)

    def _combine(self, operator: Attribute, old: SSAValue, value: SSAValue, emit: Emitter) -> SSAValue:
        new = ApplyOp.of(operator, (old, value), value.type)
        new.fastmath = self.flags
        return emit.insert(new).result

    # Loops.

    def _point(self, op: PointOp, emit: Emitter) -> None:
        lo = emit.get(op.running)
        block = op.body.block
        if block.first_op is not None:
            block.args[0].replace_all_uses_with(lo)
            block.args[1].replace_all_uses_with(op.end)
            branch = emit.insert(loop.IfOp.of(emit.compare("slt", lo, op.end)))
            self.statements(block, Emitter(branch.then.block))
        emit.set(emit.max(lo, op.end), op.running)

    def _walk(self, op: WalkOp, emit: Emitter) -> None:
        position = op.body.block.args[0]
        if is_successor(op.end, op.begin):
            position.replace_all_uses_with(op.begin)
            self.statements(op.body.block, emit)
            return
        if op in self.known:
            self._known_walk(op, self.known[op], emit)
            return
        with self.room.for_loop(op, lambda: emit.sub(op.end, op.begin), emit), self._private_elements(op, emit):
            new = emit.insert(ForOp.of(op.begin, op.end, op.attributes))
            new.location = op.location
            new.induction.name_hint = position.name_hint
            position.replace_all_uses_with(new.induction)
            self.statements(op.body.block, Emitter(new.body.block))

    def _known_walk(self, op: WalkOp, known: KnownWalk, emit: Emitter) -> None:
        """Iterate over the entries that a result stores instead of those that a workspace lists."""
        workspace = self._writer_of_workspace(known.workspace, op)
        writer, level = self._writer_of(known.place)
        assert isinstance(writer, ReplayWriter)
        members = workspace.stored(known.level, emit)
        new = emit.insert(ForOp.of(*writer.next_entries(level, members, emit), op.attributes))
        new.induction.name_hint = op.body.block.args[0].name_hint
        op.body.block.args[0].replace_all_uses_with(new.induction)
        inner = Emitter(new.body.block)
        coordinate = inner.load(writer.data("coordinates", level, inner), new.induction)
        for read in known.reads:
            read.value.replace_all_uses_with(coordinate)
        writer.walks[level] = Walk(new.induction, partial(workspace.remove, known.level))
        self.statements(op.body.block, inner)
        del writer.walks[level]
        writer.count_walked(level, members, emit)

    def _for(self, op: ForOp, emit: Emitter) -> None:
        with self.room.for_loop(op, lambda: emit.sub(op.upper, op.lower), emit), self._private_elements(op, emit):
            emit.insert(op)
            self.statements(op.body.block, Emitter(op.body.block))

    def _merge(self, op: MergeOp, emit: Emitter) -> None:
        cursors = list(zip(op.cursors, op.ends, strict=True))
        with self.room.for_loop(op, lambda: steps(cursors, emit), emit):
            emit_merge_loop(op, emit, self._predicated)

    def _if(self, op: IfOp, emit: Emitter) -> None:
        has_else = op.otherwise.block.first_op is not None
        branch = emit.insert(loop.IfOp.of(op.condition, has_else))
        self.statements(op.then.block, Emitter(branch.then.block))
        if has_else:
            self.statements(op.otherwise.block, Emitter(branch.otherwise.block))

    def _writer_of(self, place: PlaceOp) -> tuple[TensorWriter, int]:
        tensor = written_tensor(place.fiber)
        if tensor is None or tensor not in self.writers:
            raise _not_a_result(place)
        return self.writers[tensor], expect(place.fiber.type, FiberType).level.data

    @contextmanager
    def _private_elements(self, op: Operation, emit: Emitter) -> Generator[None]:
        """Lets iterations of a parallel loop combine with elements of their own where they would meet."""
        before = dict(self.private)
        for tensor, update, fiber in updates_apart(op):
            self.private[tensor] = PrivateElements.of(update, self._slot(fiber, update), emit)
        yield
        self.private = before


_RESULT_WRITERS: dict[KernelPurpose, type[ResultWriter]] = {
    "fused": ResultWriter,
    "assemble": PatternWriter,
    "compute": ReplayWriter,
}
_LOWERINGS: dict[type[Operation], Callable[[_Lowering, Any, Emitter], None]] = {
    ResultOp: _Lowering._result,
    RootOp: _Lowering._root,
    WorkspaceOp: _Lowering._workspace,
    InitializeOp: _Lowering._initialize,
    FinalizeOp: _Lowering._finalize,
    StoredOp: _Lowering._stored,
    UpdateOp: _Lowering._update,
    PlaceOp: _Lowering._place,
    PointOp: _Lowering._point,
    WalkOp: _Lowering._walk,
    MergeOp: _Lowering._merge,
    IfOp: _Lowering._if,
    ForOp: _Lowering._for,
    CoiterateOp: _Lowering._coiterate,
}


def _not_a_result(user: Operation) -> UserError:
    message = "this operation writes to a fiber of no result of this function"
    return wrong_stage(
        user, LowerIterationLatticeToLoopPass.name, message, "start from storage.root of a storage.result"
    )
