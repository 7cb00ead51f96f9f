"""Copies of loop bodies in which some payloads are known: the algebra decides what work is left (Ahrens 2024, 5).

`Copier` folds operators, drops updates of no effect, and forgets loops whose bodies became empty. What it would do
without building it, says `probe`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Argument, Constant, convert
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    LoopletType,
    MergeOp,
    PlaceOp,
    PointOp,
    RunOp,
    ThunkOp,
    UnfurlOp,
    UpdateOp,
    WalkOp,
    looplet_payload,
)
from irtensor.dialects.loop.loop_memory import CellOp, GetOp, SetOp
from irtensor.dialects.storage.storage import (
    FiberType,
    FillFiberOp,
    FinalizeOp,
    InitializeOp,
)
from irtensor.dialects.support.create_operation import (
    clone_operation,
    create_block,
    create_operation,
    create_region,
    erase_operation,
    replace_value,
)
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.iteration_lattice.support.known_values import (
    FILL,
    Fill,
    Folding,
    Known,
    asks_if_stored,
    conditions_of_entry,
    fill_payload,
    is_entry,
    known_value,
    stands_for_fill,
)
from irtensor.passes.iteration_lattice.support.updates import changed_by, is_opaque, update_is_void, written_tensor
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_of

_EFFECTS: frozenset[type[Operation]] = frozenset(
    (UpdateOp, CoiterateOp, PlaceOp, IfOp, PointOp, WalkOp, MergeOp, SetOp)
)


def _has_effect(op: Operation) -> bool:
    """Whether a loop over this operation does something."""
    return type(op) in _EFFECTS or is_opaque(op)


def discard(block: Block) -> None:
    """Empty a block that does nothing, so that what it used, such as a workspace, has no users that are not run."""
    for op in reversed(operations_of(block)):
        op.detach()
        op.drop_all_references()


def held_payload(nest: SSAValue) -> SSAValue | None:
    """The payload that a nest holds at every coordinate: that of a run, or a value that is not a looplet."""
    if not isinstance(nest.type, LoopletType):
        return nest
    return nest.owner.payload if isinstance(nest.owner, RunOp) else None


class Copier:
    """Copies statements, replacing values by `mapping` and simplifying what becomes known.

    With `moves` the statements are not needed any more: where nothing becomes known, they are moved instead.
    """

    def __init__(self, mapping: Mapping[SSAValue, SSAValue], moves: bool = False):
        self.mapping = {argument: stands_for_fill(value) for argument, value in mapping.items()}
        self.folding = Folding(known_value)
        self.moves = moves
        self.cells: dict[SSAValue, Known] = {}
        """What temporaries hold now: cells a number, workspaces nothing but the fill value."""

    def value(self, value: SSAValue) -> SSAValue:
        return self.mapping.get(value, value)

    def statements(self, block: Block, emit: Emitter) -> bool:
        """Copy a block's operations; says whether any of them has an effect."""
        if self.moves and not self._says_something():
            self._move(block, emit)
        else:
            for op in block.ops:
                self.operation(op, emit)
            _erase_unread_cells(emit.block)
        return any(map(_has_effect, emit.block.ops))

    def _says_something(self) -> bool:
        """Whether statements become simpler where arguments are replaced: some are known, or known to be entries."""
        known = any(known_value(value) is not None for value in self.mapping.values())
        return known or any(_is_asked_for(argument) for argument in self.mapping)

    def _move(self, block: Block, emit: Emitter) -> None:
        for argument in block.args:
            argument.name_hint = None  # the value keeps its own name, if it has one
            replace_value(argument, self.mapping[argument])
        emit.take(operations_of(block))

    def region(self, block: Block, nests: Sequence[SSAValue] = ()) -> tuple[Block, bool]:
        """Copy a region's block, without the arguments that the mapping replaces; other payloads are of `nests`."""
        kept = [argument for argument in block.args if argument not in self.mapping]
        new = create_block([argument.type for argument in kept])
        for old, argument in zip(kept, new.args, strict=True):
            argument.name_hint = old.name_hint
            self.mapping[old] = argument
        for payload, nest in zip(new.args[1:], nests, strict=bool(nests)):
            self.folding.bind(payload, nest)
        effect = self.statements(block, Emitter(new))
        if not effect:
            discard(new)
        return new, effect

    def operation(self, op: Operation, emit: Emitter) -> None:
        match op:
            case ApplyOp():
                self.mapping[op.result] = self._apply(op, emit)
            case CastOp():
                self._cast(op, emit)
            case CellOp():
                self._cell(op, emit)
            case GetOp():
                self._get(op, emit)
            case UpdateOp():
                self._update(op, emit)
            case CoiterateOp():
                self._coiterate(op, emit)
            case PlaceOp():
                self._place(op, emit)
            case IfOp():
                self._if(op, emit)
            case InitializeOp() | FinalizeOp():
                self._workspace(op, emit)
            case _:
                self._clone(op, emit)

    def _workspace(self, op: InitializeOp | FinalizeOp, emit: Emitter) -> None:
        """A workspace holds nothing but the fill value until something is done with it."""
        if isinstance(op, FinalizeOp) and op.tensor in self.cells:
            self.mapping[op.fiber] = emit.insert(FillFiberOp.of(op.fiber.type)).result
            return
        self._clone(op, emit)
        if isinstance(op, InitializeOp):
            self.cells[op.tensor] = FILL

    def _clone(self, op: Operation, emit: Emitter) -> None:
        for changed in (*changed_by(op), *(operand for nested in op.walk() for operand in nested.operands)):
            self.cells.pop(self.value(changed), None)
        emit.insert(clone_operation(op, self.mapping))

    def _apply(self, op: ApplyOp, emit: Emitter) -> SSAValue:
        arguments = [self.value(value) for value in op.arguments]
        outcome = self.folding.fold(op, arguments)
        if isinstance(outcome, Constant):
            constant = emit.constant(outcome.value, op.result.type)
            if self.folding.gives_entry(op, arguments):
                return _as_entry(constant)
            return constant if all(map(is_literal, op.arguments)) else stands_for_fill(constant)
        if isinstance(outcome, Argument):
            argument = arguments[outcome.index]
            if outcome.operator is None:
                known = known_value(argument)
                if isinstance(known, Fill | None) or not self.folding.gives_entry(op, arguments):
                    return argument
                return _as_entry(emit.constant(known, op.result.type))
            return emit.insert(ApplyOp.of(StringAttr(outcome.operator), (argument,), argument.type)).result
        if asks_if_stored(op) and (conditions := conditions_of_entry(arguments[0])):
            return reduce(emit.both, conditions)
        new = emit.insert(create_operation(ApplyOp, arguments, (op.result.type,), op.properties))
        new.location = op.location
        new.result.name_hint = op.result.name_hint
        return new.result

    def _cast(self, op: CastOp, emit: Emitter) -> None:
        operand = self.value(op.operand)
        value = known_value(operand)
        if value is None or isinstance(value, Fill):
            self.mapping[op.result] = emit.insert(CastOp.of(operand, op.result.type)).result
        else:
            constant = emit.constant(convert(value, element_name(op.result.type)), op.result.type)
            if self.folding.entry(operand):
                _as_entry(constant)
            self.mapping[op.result] = constant if is_literal(op.operand) else stands_for_fill(constant)

    def _cell(self, op: CellOp, emit: Emitter) -> None:
        initial = self.value(op.initial)
        cell = self.mapping[op.cell] = emit.cell(initial)
        cell.name_hint = op.cell.name_hint
        value = known_value(initial)
        if value is not None and not isinstance(value, Fill):
            self.cells[cell] = value

    def _get(self, op: GetOp, emit: Emitter) -> None:
        cell = self.value(op.cell)
        value = self.cells.get(cell)
        if value is not None and not isinstance(value, Fill):
            self.mapping[op.value] = stands_for_fill(emit.constant(value, op.value.type))
        else:
            self.mapping[op.value] = emit.get(cell)

    def _update(self, op: UpdateOp, emit: Emitter) -> None:
        value, target = self.value(op.value), self.value(op.target)
        if update_is_void(op, known_value(value), is_entry(value)):
            return
        written = written_tensor(op.target) if isinstance(target.type, FiberType) else target
        if written is not None:
            self.cells.pop(written, None)
        emit.insert(UpdateOp.of(value, target, op.operator, op.races))

    def _coiterate(self, op: CoiterateOp, emit: Emitter) -> None:
        nests: list[SSAValue] = []
        for nest, argument in zip(op.nests, op.body.block.args[1:], strict=True):
            payload = self.constant_payload(self.value(nest), emit)
            if payload is None:
                nests.append(self.value(nest))
            else:
                self.mapping[argument] = payload
        body, effect = self.region(op.body.block, nests)
        if effect:
            new = CoiterateOp.of(self.value(op.lo), self.value(op.hi), nests, create_region(body))
            new.properties.update(op.properties)
            new.attributes.update(op.attributes)
            emit.insert(new)

    def constant_payload(self, nest: SSAValue, emit: Emitter) -> SSAValue | None:
        """The payload of a nest that is the same at every coordinate, or None."""
        held = held_payload(nest)
        if held is not None:
            return stands_for_fill(held)
        owner = nest.owner
        if isinstance(owner, UnfurlOp | ThunkOp) and known_value(owner.fiber) is FILL:
            return gap_of(owner, emit)
        return None

    def _place(self, op: PlaceOp, emit: Emitter) -> None:
        body, effect = self.region(op.body.block)
        if effect:
            until = None if op.until is None else self.value(op.until)
            emit.insert(PlaceOp.of(self.value(op.fiber), self.value(op.coordinate), create_region(body), until))

    def _if(self, op: IfOp, emit: Emitter) -> None:
        condition = self.value(op.condition)
        value = known_value(condition)
        if value is not None:
            self.statements((op.then if value else op.otherwise).block, emit)
            return
        then, positive = self.region(op.then.block)
        otherwise, negative = self.region(op.otherwise.block)
        if positive or negative:
            emit.insert(IfOp.of(condition, create_region(then), create_region(otherwise)))


def _is_asked_for(payload: SSAValue) -> bool:
    """Whether something asks if a payload is an entry."""
    users = [use.operation for use in payload.uses]
    return any(isinstance(user, ApplyOp) and asks_if_stored(user) for user in users)


def _as_entry(constant: SSAValue) -> SSAValue:
    assert isinstance(constant.owner, ConstantOp)
    constant.owner.entry = UnitAttr()
    return constant


def gap_of(level: UnfurlOp | ThunkOp, emit: Emitter) -> SSAValue:
    """What a level has at each coordinate if its fiber has no entries: the fill value, or a fiber without entries."""
    payload, element = fill_payload(level), looplet_payload(level.result)
    if isinstance(payload, Fill):
        return emit.insert(FillFiberOp.of(element)).result
    return stands_for_fill(emit.constant(payload, element))


def _erase_unread_cells(block: Block) -> None:
    """Remove temporaries that nothing reads any more, with the loops that only computed them."""
    for op in operations_of(block):
        if not isinstance(op, CellOp):
            continue
        uses = list(op.cell.uses)
        if uses and all(isinstance(use.operation, UpdateOp) for use in uses):
            for use in uses:
                _erase_with_empty_parents(use.operation, block)
            erase_operation(op)


def _erase_with_empty_parents(op: Operation, outermost: Block) -> None:
    block, parent = op.parent, op.parent_op()
    erase_operation(op)
    if block is not None and block is not outermost and parent is not None:
        if not any(map(_has_effect, block.ops)) and isinstance(parent, CoiterateOp | PlaceOp):
            _erase_with_empty_parents(parent, outermost)
