"""Copies of loop bodies in which some payloads are known: the algebra decides what work is left (Ahrens 2024, 5).

`probe` answers whether a body would still do anything, and which payloads that depends on, without building it;
`Copier` builds it. Both fold operators, drop updates of no effect, and forget loops whose bodies became empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, element_name
from irtensor.dialects.iteration_lattice import (
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
)
from irtensor.dialects.loop_memory import CellOp, GetOp, SetOp
from irtensor.dialects.operators import Argument, Constant, convert
from irtensor.dialects.storage import (
    FiberType,
    FillFiberOp,
    FinalizeOp,
    InitializeOp,
)
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.known_values import FILL, Fill, Folding, Known, fill_payload, known_value
from irtensor.passes.iteration_lattice.updates import update_is_void, written_tensor


@dataclass
class Probe:
    """Outcome of a dry run: whether anything is done, and the payloads that what is done depends on."""

    effect: bool = False
    used: set[SSAValue] = field(default_factory=set)
    trace: frozenset[object] = frozenset()
    """What the constants among the payloads turned the body into; with equal traces it became the same."""


def probe(body: Block, payloads: Mapping[SSAValue, Known], nests: Mapping[SSAValue, SSAValue] = {}) -> Probe:
    """What a body would do if some of its arguments were known, and others came from nests that may have gaps."""
    run = _DryRun(dict(payloads), {argument: _Origin((), argument) for argument in body.args})
    for argument, nest in nests.items():
        run.folding.bind(argument, nest)
    if not run.block(body):
        return Probe()
    origins = _all_origins(run.used)
    used = {origin for origin in origins if isinstance(origin, SSAValue)}
    return Probe(True, used, frozenset(origins - used))


_EXTERNAL = object()


class _Origin:
    """What a value depends on: a probed argument, or the constants that its computation met, and further origins."""

    __slots__ = ("own", "parents")

    def __init__(self, parents: Sequence[_Origin], own: object = None):
        self.parents = parents
        self.own = own


def _all_origins(origins: Sequence[_Origin]) -> set[object]:
    seen: set[_Origin] = set()
    left = list(origins)
    while left:
        if (origin := left.pop()) not in seen:
            seen.add(origin)
            left += origin.parents
    return {origin.own for origin in seen if origin.own is not None}


class _DryRun:
    def __init__(self, known: dict[SSAValue, Known | None], origins: dict[SSAValue, _Origin]):
        self.values: dict[SSAValue, Known | None] = known
        self.origins = origins
        self.folding = Folding(self.known)
        self.local: set[SSAValue] = set()
        self.used: list[_Origin] = []

    def known(self, value: SSAValue) -> Known | None:
        return self.values[value] if value in self.values else known_value(value)

    def origin(self, *values: SSAValue, met: object = None) -> _Origin:
        """What the unknown ones among these values are computed from, and what was met on the way."""
        parents = [self.origins[value] for value in values if value in self.origins and self.known(value) is None]
        return parents[0] if met is None and len(parents) == 1 else _Origin(parents, met)

    def block(self, block: Block) -> set[object]:
        """Run a block; gives the cells it changed that live outside of it, and a mark for results."""
        touched: set[object] = set()
        local = [memory for op in block.ops if (memory := _local_memory(op)) is not None]
        self.local.update(local)
        for op in block.ops:
            touched |= self.operation(op)
        return touched.difference(local)

    def operation(self, op: Operation) -> set[object]:
        match op:
            case ApplyOp():
                self._apply(op)
            case CastOp():
                self._alias(op.result, op.operand, cast=True)
            case CellOp():
                self._alias(op.cell, op.initial)
            case GetOp():
                self._alias(op.value, op.cell)
            case InitializeOp():
                self.values[op.tensor] = FILL
            case FinalizeOp():
                self._alias(op.fiber, op.tensor)
            case UpdateOp():
                return self._update(op)
            case CoiterateOp():
                return self._coiterate(op)
            case PlaceOp():
                return self.block(op.body.block)
            case IfOp():
                return self._if(op)
            case UnfurlOp() | ThunkOp():
                self._alias(op.result, op.fiber)
            case _ if op.regions and not op.results:
                return self._opaque(op)
            case _:
                for result in op.results:
                    self.origins[result] = self.origin(*op.operands)
        return set()

    def _opaque(self, op: Operation) -> set[object]:
        """A loop that is lowered already: taken to do something with all that it reads, and to change its cells."""
        for inner in op.walk():
            self.used.append(self.origin(*inner.operands))
            if isinstance(inner, UpdateOp):
                self.values[inner.target] = None
            elif isinstance(inner, SetOp):
                self.values[inner.cell] = None
        return {_EXTERNAL}

    def _alias(self, result: SSAValue, source: SSAValue, cast: bool = False) -> None:
        value = self.known(source)
        if value is None:
            self.origins[result] = self.origin(source)
        else:
            scalar = cast and not isinstance(value, Fill)
            self.values[result] = convert(value, element_name(result.type)) if scalar else value  # pyright: ignore

    def _apply(self, op: ApplyOp) -> None:
        outcome = self.folding.fold(op, op.arguments)
        if isinstance(outcome, Constant):
            self.values[op.result] = outcome.value
        elif isinstance(outcome, Argument):
            self._alias(op.result, op.arguments[outcome.index])
            if self.known(op.result) is None:
                self.origins[op.result] = _Origin((self.origins[op.result],), (op, outcome))
        else:
            arguments = op.arguments
            met = (op, *(repr(self.known(value)) for value in arguments))
            self.origins[op.result] = self.origin(*arguments, met=met)

    def _update(self, op: UpdateOp) -> set[object]:
        value = self.known(op.value)
        if update_is_void(op, value):
            return set()
        origin = self.origin(op.value, met=(op, repr(value)))
        target = op.target
        if isinstance(target.type, FiberType):
            self.used.append(origin)
            tensor = written_tensor(target)
            if tensor is None or tensor not in self.local:
                return {_EXTERNAL}
            self.values[tensor] = None
            return {tensor}
        self.values[target] = None
        self.origins[target] = _Origin((self.origins[target], origin)) if target in self.origins else origin
        if target not in self.local:
            self.used.append(origin)
        return {target}

    def _coiterate(self, op: CoiterateOp) -> set[object]:
        for argument, nest in zip(op.body.block.args[1:], op.nests, strict=True):
            payload = _payload_of_nest(nest, self)
            if payload is None:
                self.origins[argument] = self.origin(nest)
                self.folding.bind(argument, nest)
            else:
                self.values[argument] = payload
        return self.block(op.body.block)

    def _if(self, op: IfOp) -> set[object]:
        condition = self.known(op.condition)
        touched: set[object] = set()
        if condition is None or condition:
            touched |= self.block(op.then.block)
        if condition is None or not condition:
            touched |= self.block(op.otherwise.block)
        if touched:
            self.used.append(self.origin(op.condition, met=(op, repr(condition))))
        return touched


def _local_memory(op: Operation) -> SSAValue | None:
    """The temporary that an operation makes anew: what happens to it before is of no concern."""
    if isinstance(op, CellOp):
        return op.cell
    return op.tensor if isinstance(op, InitializeOp) else None


def _payload_of_nest(nest: SSAValue, run: _DryRun) -> Known | None:
    """The payload of a nest that is the same everywhere: a run of a known value, or any level of a fill fiber."""
    owner = nest.owner
    if isinstance(owner, RunOp):
        return run.known(owner.payload)
    if isinstance(owner, UnfurlOp | ThunkOp) and run.known(owner.fiber) is FILL:
        return fill_payload(owner)
    return None


_EFFECTS = (UpdateOp, CoiterateOp, PlaceOp, IfOp, PointOp, WalkOp, MergeOp, SetOp)


def discard(block: Block) -> None:
    """Empty a block that does nothing, so that what it used, such as a workspace, has no users that are not run."""
    for op in reversed(list(block.ops)):
        op.detach()
        op.drop_all_references()


def held_payload(nest: SSAValue) -> SSAValue | None:
    """What a nest holds at every coordinate: the payload of a run, or what is no looplet but a payload itself."""
    if not isinstance(nest.type, LoopletType):
        return nest
    return nest.owner.payload if isinstance(nest.owner, RunOp) else None


class Copier:
    """Copies statements, replacing values by `mapping` and simplifying what becomes known.

    With `moves` the statements are not needed any more: where nothing becomes known, they are moved instead.
    """

    def __init__(self, mapping: Mapping[SSAValue, SSAValue], moves: bool = False):
        self.mapping = dict(mapping)
        self.folding = Folding(known_value)
        self.moves = moves
        self.cells: dict[SSAValue, Known] = {}
        """What temporaries hold now: cells a number, workspaces nothing but the fill value."""

    def value(self, value: SSAValue) -> SSAValue:
        return self.mapping.get(value, value)

    def statements(self, block: Block, emit: Emitter) -> bool:
        """Copy a block's operations; says whether any of them has an effect."""
        if self.moves and not any(known_value(value) is not None for value in self.mapping.values()):
            self._move(block, emit)
        else:
            for op in block.ops:
                self.operation(op, emit)
            _erase_unread_cells(emit.block)
        return any(isinstance(op, _EFFECTS) for op in emit.block.ops)

    def _move(self, block: Block, emit: Emitter) -> None:
        for argument in block.args:
            argument.name_hint = None  # the value keeps its own name, if it has one
            argument.replace_all_uses_with(self.mapping[argument])
        for op in list(block.ops):
            op.detach()
            emit.insert(op)

    def region(self, block: Block, nests: Sequence[SSAValue] = ()) -> tuple[Block, bool]:
        """Copy a region's block, without the arguments that the mapping replaces; other payloads are of `nests`."""
        kept = [argument for argument in block.args if argument not in self.mapping]
        new = Block(arg_types=[argument.type for argument in kept])
        for old, argument in zip(kept, new.args, strict=True):
            argument.name_hint = old.name_hint
            self.mapping[old] = argument
        for payload, nest in zip(new.args[1:], nests, strict=bool(nests)):
            self.folding.bind(payload, nest)
        effect = self.statements(block, Emitter(new))
        if not effect:
            discard(new)
        return new, effect

    def operation(self, op: Operation, emit: Emitter) -> bool:
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
                return self._update(op, emit)
            case CoiterateOp():
                return self._coiterate(op, emit)
            case PlaceOp():
                return self._place(op, emit)
            case IfOp():
                return self._if(op, emit)
            case InitializeOp():
                self._clone(op, emit)
                self.cells[op.tensor] = FILL
            case FinalizeOp() if op.tensor in self.cells:
                self.mapping[op.fiber] = emit.insert(FillFiberOp.of(op.fiber.type)).result
            case _:
                self._clone(op, emit)
        return isinstance(op, _EFFECTS)

    def _clone(self, op: Operation, emit: Emitter) -> None:
        for nested in op.walk():
            for operand in nested.operands:
                self.cells.pop(self.value(operand), None)
        emit.insert(op.clone(self.mapping))

    def _apply(self, op: ApplyOp, emit: Emitter) -> SSAValue:
        arguments = [self.value(value) for value in op.arguments]
        outcome = self.folding.fold(op, arguments)
        if isinstance(outcome, Constant):
            return emit.constant(outcome.value, op.result.type)
        if isinstance(outcome, Argument):
            argument = arguments[outcome.index]
            if outcome.operator is None:
                return argument
            return emit.insert(ApplyOp.of(StringAttr(outcome.operator), (argument,), argument.type)).result
        new = emit.insert(ApplyOp.create(operands=arguments, result_types=(op.result.type,), properties=op.properties))
        new.location = op.location
        new.result.name_hint = op.result.name_hint
        return new.result

    def _cast(self, op: CastOp, emit: Emitter) -> None:
        operand = self.value(op.operand)
        value = known_value(operand)
        if value is None or isinstance(value, Fill):
            self.mapping[op.result] = emit.insert(CastOp.of(operand, op.result.type)).result
        else:
            self.mapping[op.result] = emit.constant(convert(value, element_name(op.result.type)), op.result.type)

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
            self.mapping[op.value] = emit.constant(value, op.value.type)
        else:
            self.mapping[op.value] = emit.get(cell)

    def _update(self, op: UpdateOp, emit: Emitter) -> bool:
        value, target = self.value(op.value), self.value(op.target)
        if update_is_void(op, known_value(value)):
            return False
        written = written_tensor(op.target) if isinstance(target.type, FiberType) else target
        if written is not None:
            self.cells.pop(written, None)
        emit.insert(UpdateOp.of(value, target, op.operator, op.races))
        return True

    def _coiterate(self, op: CoiterateOp, emit: Emitter) -> bool:
        nests: list[SSAValue] = []
        for nest, argument in zip(op.nests, op.body.block.args[1:], strict=True):
            payload = self.constant_payload(self.value(nest), emit)
            if payload is None:
                nests.append(self.value(nest))
            else:
                self.mapping[argument] = payload
        body, effect = self.region(op.body.block, nests)
        if effect:
            new = CoiterateOp.of(self.value(op.lo), self.value(op.hi), nests, Region(body))
            new.properties.update(op.properties)
            new.attributes.update(op.attributes)
            emit.insert(new)
        return effect

    def constant_payload(self, nest: SSAValue, emit: Emitter) -> SSAValue | None:
        """The payload of a nest that is the same at every coordinate, or None."""
        held = held_payload(nest)
        if held is not None:
            return held
        owner = nest.owner
        if isinstance(owner, UnfurlOp | ThunkOp) and known_value(owner.fiber) is FILL:
            payload = fill_payload(owner)
            element = nest.type.payload  # pyright: ignore
            if isinstance(payload, Fill):
                return emit.insert(FillFiberOp.of(element)).result
            return emit.constant(payload, element)
        return None

    def _place(self, op: PlaceOp, emit: Emitter) -> bool:
        body, effect = self.region(op.body.block)
        if effect:
            emit.insert(PlaceOp.of(self.value(op.fiber), self.value(op.coordinate), Region(body)))
        return effect

    def _if(self, op: IfOp, emit: Emitter) -> bool:
        condition = self.value(op.condition)
        value = known_value(condition)
        if value is not None:
            return self.statements((op.then if value else op.otherwise).block, emit)
        then, positive = self.region(op.then.block)
        otherwise, negative = self.region(op.otherwise.block)
        if positive or negative:
            emit.insert(IfOp.of(condition, Region(then), Region(otherwise)))
        return positive or negative


def _erase_unread_cells(block: Block) -> None:
    """Remove temporaries that nothing reads any more, with the loops that only computed them."""
    for op in list(block.ops):
        if not isinstance(op, CellOp):
            continue
        uses = list(op.cell.uses)
        if uses and all(isinstance(use.operation, UpdateOp) for use in uses):
            for use in uses:
                _erase_with_empty_parents(use.operation, block)
            op.detach()
            op.erase()


def _erase_with_empty_parents(op: Operation, outermost: Block) -> None:
    block, parent = op.parent, op.parent_op()
    op.detach()
    op.erase()
    if block is not None and block is not outermost and parent is not None:
        if not any(isinstance(other, _EFFECTS) for other in block.ops) and isinstance(parent, CoiterateOp | PlaceOp):
            _erase_with_empty_parents(parent, outermost)
