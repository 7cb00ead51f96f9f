"""`lower-concrete-index-to-iteration-lattice`: each forall becomes a product of the fibers it traverses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

from xdsl.context import Context
from xdsl.dialects.arith import RemSIOp
from xdsl.dialects.builtin import ArrayAttr, IndexType, ModuleOp, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.argument_layout import BOUND_BROKEN, KernelPurpose
from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index import concrete_index
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.dialects.iteration_lattice import iteration_lattice, lattice_entries
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    PlaceOp,
    UnfurlOp,
    UpdateOp,
    looplet_payload,
)
from irtensor.dialects.loop.loop import INDEPENDENT, SPECULATABLE, VECTORIZE, CellType, LoadOp, RequireOp
from irtensor.dialects.storage.storage import (
    DimOp,
    FiberType,
    FinalizeOp,
    InitializeOp,
    ResultOp,
    RootOp,
    ValuesOp,
    WorkspaceOp,
    fiber_type,
    format_of,
)
from irtensor.dialects.storage.storage_workspace import INDICES
from irtensor.dialects.support.create_operation import clone_operation, create_block, create_region, erase_operation
from irtensor.passes.analysis.absence import stores_nothing
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    first_store_of,
    level_protocols,
    level_variables,
    loop_name,
    name_of,
)
from irtensor.passes.analysis.merges import MERGE
from irtensor.passes.analysis.named_values import named_value
from irtensor.passes.analysis.races import AUTOMATIC, OVER, PARALLEL, is_independent, strategy_at
from irtensor.passes.analysis.ranges import BLOCKS, SHARED_ENDS, is_whole
from irtensor.passes.analysis.symmetric_access import symmetric_arguments
from irtensor.passes.concrete_index.support.check_statement import check_statement
from irtensor.passes.concrete_index.support.initial_state import describe_initial_state, start_value
from irtensor.passes.concrete_index.support.loop_ranges import FOLLOWS, FUSED, POSITIONS, TASKS
from irtensor.passes.concrete_index.support.own_entries import goes_by_own_entries
from irtensor.passes.concrete_index.support.variable_extents import VariableExtents
from irtensor.passes.level_formats.level_extent import level_extent
from irtensor.passes.schedule.assemble import INSERT
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option, structured_functions
from irtensor.passes.support.read_arith import read_arith
from irtensor.passes.support.wrong_stage import refuse_left

_index = IndexType()
# Attributes of loops that record a schedule's steps; nothing of these is left to do.
_NOTES = (BLOCKS, FOLLOWS, FUSED, MERGE, POSITIONS, SHARED_ENDS, TASKS)


@dataclass(frozen=True)
class LowerConcreteIndexToIterationLatticePass(TensorPass):
    """Turn loops over index variables into co-iterations of the levels that the variables index.

    Before: `forall %j { ... access %A[%i, %j] ... access %x[%j] ... }`
    After:  `coiterate 0 to %n over (unfurl %A1), (unfurl %x0) { (%j, %a, %b): ... }`
    Storage formats are not expanded yet. Needs concordant accesses (`concordize`). Of a sparse result,
    `purpose` assemble writes the index only, compute the values of an index that exists, and fused both.
    """

    name = "lower-concrete-index-to-iteration-lattice"
    accepts = ("concrete_index",)
    leaves = ("iteration_lattice", "storage", "algebra", "loop")
    after = {"concordize": "accesses then have the loops around them in the order of their levels"}

    purpose: str = option("Which arrays of a sparse result are written.", "fused", choices=get_args(KernelPurpose))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        read_arith(op, self.name)
        purpose = cast(KernelPurpose, self.purpose)
        for function in structured_functions(op):
            _refuse_symmetric(function)
            for compute in operations_of(function.body.block):
                if isinstance(compute, ComputeOp):
                    _lower_compute(compute, purpose)
        refuse_left(op, "concrete_index", self.name)


def _refuse_symmetric(function: FuncOp) -> None:
    """Raise UserError [wrong-stage] for an argument of whose mirrors only one is stored."""
    for argument in symmetric_arguments(function):
        for use in argument.uses:
            message = f"'{name_of(argument)}' is stored {format_of(argument.type)}, and read without its mirrors"
            raise UserError("wrong-stage", message, op=use.operation, help="run expand-symmetric before")


def _lower_compute(compute: ComputeOp, purpose: KernelPurpose) -> None:
    block = Block()
    check_statement(compute, purpose)
    accesses = list(accesses_in(compute.body.block))
    made: list[ResultOp] = []
    for tensor, target in zip(compute.results, compute.body.block.args, strict=True):
        is_dense = format_of(tensor.type).is_dense
        result = ResultOp.of(tensor.type, "fused" if is_dense else purpose)
        if compute.assemble == INSERT and purpose != "compute":
            result.counted = UnitAttr()
        result.location = compute.location
        result.result.name_hint = tensor.name_hint
        block.add_op(result)
        describe_initial_state(result, target, compute, accesses)
        made.append(result)
    lowering = _Lowering(block, compute, [result.result for result in made])
    lowering.statements(compute.body.block, lowering.root_emitter)
    move_before(block, compute)
    for tensor, result in zip(compute.results, made, strict=True):
        tensor.replace_all_uses_with(result.result)
    erase_operation(compute)


# A partly resolved access: the tensor, and the variables that its outer levels are resolved with.
_Key = tuple[SSAValue, tuple[SSAValue, ...]]


class _Lowering:
    """Translates the statements of one definition; tracks how far each access is resolved."""

    def __init__(self, root: Block, compute: ComputeOp, results: Sequence[SSAValue]):
        self.root_emitter = Emitter(root)
        self.targets: set[SSAValue] = {*compute.body.block.args}
        self.values: dict[SSAValue, SSAValue] = dict(zip(compute.body.block.args, results, strict=True))
        self.payloads: dict[_Key, SSAValue] = {}
        # How levels are to be read, where something is said of it.
        self.protocols: dict[_Key, str | None] = {}
        self.bound: set[SSAValue] = set()
        # Scalar temporaries that are a name for one value.
        self.names: set[SSAValue] = set()
        self.extents = VariableExtents(self.root_emitter, compute, self.values)

    def statements(self, block: Block, emit: Emitter) -> None:
        for op in block.ops:
            self._statement(op, emit)

    def _statement(self, op: Operation, emit: Emitter) -> None:
        match op:
            case ForallOp():
                self._forall(op, emit)
            case EntryOp():
                self._entry(op, emit)
            case AccessOp() | EntryCountOp() | EntryNumberOp() | ExtentOp() | BoundOp():
                self.values[op.result] = self._tensor_value(op, emit)
            case LetOp():
                coordinate = self._value(op.coordinate)
                after = emit.add(coordinate, emit.index(1))
                self._coiterate(op.body.block, coordinate, after, emit).unit = UnitAttr()
            case WhereOp():
                self._where(op, emit)
            case AssignOp():
                self._assign(op, emit)
            case concrete_index.IfOp():
                then, otherwise = Block(), Block()
                self.statements(op.body.block, Emitter(then))
                condition = self._value(op.condition)
                emit.insert(iteration_lattice.IfOp.of(condition, create_region(then), create_region(otherwise)))
            case _:
                new = emit.insert(clone_operation(op, {operand: self._value(operand) for operand in op.operands}))
                new.location = op.location
                self.values.update(zip(op.results, new.results, strict=True))

    def _tensor_value(
        self, op: AccessOp | EntryCountOp | EntryNumberOp | ExtentOp | BoundOp, emit: Emitter
    ) -> SSAValue:
        """A query of a tensor: a component, how many entries it has, the number of one, an extent."""
        match op:
            case AccessOp():
                return self._read(op, emit)
            case EntryCountOp():
                fiber, before = self._prefix(op, emit), [self._value(one) for one in op.before]
                return emit.insert(lattice_entries.EntryCountOp.of(fiber, op.levels.value.data, before)).result
            case EntryNumberOp():
                found = self._fiber((op.tensor, tuple(op.indices)), emit)
                first, past = self._value(op.first), self._value(op.past)
                return emit.insert(
                    lattice_entries.EntryNumberOp.of(self._prefix(op, emit), found, first, past, op.levels.value.data)
                ).result
            case ExtentOp():
                return self.root_emitter.insert(DimOp.of(self._value(op.tensor), op.dimension.value.data)).result
            case BoundOp():
                return self._bounded(op)

    def _assign(self, op: AssignOp, emit: Emitter) -> None:
        value = self._value(op.value)
        if op.tensor in self.names:
            self.values[op.tensor] = value
            return
        if stores_nothing(op):
            return
        target = self._store_target(op, emit)
        races = strategy_at(op) if isinstance(target.type, FiberType) else None
        emit.insert(UpdateOp.of(value, target, op.operator, races))

    def _bounded(self, op: BoundOp) -> SSAValue:
        """An extent that the kernel checks once, and computes with as what it is said to be."""
        emit, extent, number = self.root_emitter, self._value(op.extent), op.number.value.data
        rest = extent if op.is_exact else emit.insert(RemSIOp(extent, emit.index(number))).result
        holds = emit.compare("eq", rest, emit.index(number if op.is_exact else 0))
        emit.insert(RequireOp.of(holds, BOUND_BROKEN))
        return emit.index(number) if op.is_exact else extent

    def _forall(self, op: ForallOp, emit: Emitter) -> None:
        """A loop over a window, or over all coordinates: then no stored one lies behind its end."""
        if op.bounds:
            lo, hi = (self._value(bound) for bound in op.bounds)
            new = self._coiterate(op.body.block, lo, hi, emit)
            if is_whole(op):
                new.full = UnitAttr()
            elif new.nests:
                new.window = UnitAttr()
        else:
            zero, extent = self.root_emitter.index(0), self.extents.of_variable(op, op.variable, emit)
            new = self._coiterate(op.body.block, zero, extent, emit)
            new.full = UnitAttr()
        new.attributes.update({name: tag for name, tag in op.attributes.items() if name not in _NOTES})
        if isinstance(strategy := op.attributes.get(MERGE), StringAttr):
            new.merge = strategy
        if VECTORIZE in op.attributes and is_independent(op):
            new.attributes[INDEPENDENT] = UnitAttr()
        if op.attributes.get(PARALLEL, AUTOMATIC) != AUTOMATIC or VECTORIZE in op.attributes:
            new.attributes[OVER] = StringAttr(loop_name(op.variable))
        new.location = op.location

    def _entry(self, op: EntryOp, emit: Emitter) -> None:
        first, tensor = len(op.prefix), self._value(op.tensor)
        past = [level_extent(self.root_emitter, tensor, first + level) for level in range(len(op.coordinates))]
        between = [self._value(one) for one in op.between]
        new = emit.insert(lattice_entries.EntryOp.of(self._prefix(op, emit), self._value(op.number), past, between))
        for old, coordinate in zip(op.coordinates, new.coordinates, strict=True):
            self.values[old] = coordinate

    def _prefix(self, op: EntryOp | EntryCountOp | EntryNumberOp, emit: Emitter) -> SSAValue:
        """The fiber below the indices of an operation that counts entries."""
        key = (op.tensor, tuple(op.prefix))
        if op.prefix and key not in self.payloads:
            message = f"the loops around do not resolve the outer levels of '{name_of(op.tensor)}'"
            help = "count the entries below index variables that the tensor is accessed with"
            raise UserError("discordant-access", message, op=op, help=help)
        return self._fiber(key, emit)

    def _value(self, value: SSAValue) -> SSAValue:
        return self.values.get(value, value)

    def _where(self, op: WhereOp, emit: Emitter) -> None:
        produced, consumed = op.producer.block.args[0], op.consumer.block.args[0]
        assert isinstance(produced.type, TensorType)
        if produced.type.shape.data:
            self._tensor_where(op, emit)
            return
        if named_value(op) is not None:
            self.names.add(produced)
            self.statements(op.producer.block, emit)
            self.values[consumed] = self.values[produced]
            self.statements(op.consumer.block, emit)
            return
        cell = emit.cell(emit.constant(start_value(op), produced.type.element_type))
        cell.name_hint = produced.name_hint
        self.values[produced] = self.values[consumed] = cell
        self.statements(op.producer.block, emit)
        self.statements(op.consumer.block, emit)

    def _tensor_where(self, op: WhereOp, emit: Emitter) -> None:
        """A temporary with dimensions: its memory is made once, and emptied each time the statement is reached."""
        produced, consumed = op.producer.block.args[0], op.consumer.block.args[0]
        _check_workspace(op, produced)
        store = first_store_of(op)
        extents = [self.extents.of_temporary(op, store, dimension) for dimension in range(len(store.indices))]
        made = self.root_emitter.insert(WorkspaceOp.of(extents, produced.type))
        workspace = made.result
        workspace.name_hint = produced.name_hint
        if any(level.format.workspace == "map" for level in format_of(produced.type).levels):
            # Whoever cannot say how large a map becomes names its index.
            made.attributes[INDICES] = ArrayAttr([StringAttr(name_of(index)) for index in level_variables(store)])
        self.values[produced] = self.values[consumed] = workspace
        self.targets.add(produced)
        self.payloads[(produced, ())] = emit.insert(InitializeOp.of(workspace)).fiber
        self.statements(op.producer.block, emit)
        self.payloads[(consumed, ())] = emit.insert(FinalizeOp.of(workspace)).fiber
        self.statements(op.consumer.block, emit)

    def _read(self, op: AccessOp, emit: Emitter) -> SSAValue:
        tensor = self._value(op.tensor)
        if not op.indices:
            if isinstance(tensor.type, CellType):
                return emit.get(tensor)
            if not isinstance(tensor.type, TensorType):
                return tensor
            load = emit.insert(LoadOp.of(self.root_emitter.insert(ValuesOp.of(tensor)).result, emit.index(0)))
            if isinstance(tensor.owner, Block):
                # An operand, whose only element is always there.
                load.attributes[SPECULATABLE] = UnitAttr()
            return load.value
        return self._resolved(op)

    def _store_target(self, op: AssignOp, emit: Emitter) -> SSAValue:
        target = self._value(op.tensor)
        if not isinstance(target.type, TensorType):
            return target
        if not op.indices:
            return self._fiber((op.tensor, ()), emit)
        return self._resolved(op)

    def _resolved(self, op: AccessOp | AssignOp) -> SSAValue:
        """What the loops around an access have found in all of its levels."""
        payload = self.payloads.get((op.tensor, tuple(level_variables(op))))
        if payload is None:
            raise _discordant(op, f"the loops around it do not bind each level of '{name_of(op.tensor)}' once")
        return payload

    def _fiber(self, key: _Key, emit: Emitter) -> SSAValue:
        """The fiber that a partly resolved access has reached."""
        tensor, variables = key
        if not variables and key not in self.payloads:
            self.payloads[key] = self.root_emitter.insert(RootOp(self._value(tensor))).result
        return self.payloads[key]

    def _coiterate(self, body: Block, lo: SSAValue, hi: SSAValue, emit: Emitter) -> CoiterateOp:
        variable = body.args[0]
        reads, writes = self._participants(body, variable)
        nests: list[SSAValue] = []
        for key, access in reads.items():
            by_entries = goes_by_own_entries(*key)
            fiber = self._fiber((key[0], key[1][:-1]), emit)
            unfurl = emit.insert(UnfurlOp.of(fiber, self.protocols.get(key), by_entries))
            unfurl.location = access.location
            nests.append(unfurl.result)
        types: list[Attribute] = [_index, *(looplet_payload(nest) for nest in nests)]
        inner = create_block(types)
        inner.args[0].name_hint = variable.name_hint
        self.values[variable] = inner.args[0]
        for key, payload in zip(reads, inner.args[1:], strict=True):
            payload.name_hint = key[0].name_hint
            self.payloads[key] = payload
        self.bound.add(variable)
        self.statements(body, self._place(writes, inner))
        self.bound.discard(variable)
        return emit.insert(CoiterateOp.of(lo, hi, nests, create_region(inner)))

    def _place(self, writes: list[_Key], block: Block) -> Emitter:
        """Descend into every result that the variable of this loop indexes."""
        for key in writes:
            fiber = self._fiber((key[0], key[1][:-1]), Emitter(block))
            target = self._value(key[0]).type
            body = create_block((fiber_type(target, len(key[1])),))
            self.payloads[key] = body.args[0]
            block.add_op(PlaceOp.of(fiber, self.values[key[1][-1]], create_region(body)))
            block = body
        return Emitter(block)

    def _participants(self, body: Block, variable: SSAValue) -> tuple[dict[_Key, Operation], list[_Key]]:
        """Accesses whose next unresolved level is indexed by the variable: those that read, those that write."""
        reads: dict[_Key, Operation] = {}
        writes: dict[_Key, None] = {}
        for access in accesses_in(body):
            variables = level_variables(access)
            if variable not in variables or (access.tensor not in self.targets and isinstance(access, AssignOp)):
                continue
            level = variables.index(variable)
            if not all(outer in self.bound for outer in variables[:level]):
                text = format_of(access.tensor.type).level_text(level)
                message = f"level {level} ({text}) of '{name_of(access.tensor)}' is bound by the loop over "
                raise _discordant(access, f"{message}{name_of(variable)}, before the levels above it")
            key = (access.tensor, tuple(variables[: level + 1]))
            if isinstance(access, AssignOp):
                writes[key] = None
            else:
                reads.setdefault(key, access)
                # Accesses of the same level share the position found there; all step to it if one of them does.
                if access.protocols is not None and self.protocols.get(key) != STEP:
                    self.protocols[key] = level_protocols(access)[level]
        # What counts entries below an index reads the levels above, which no access may do: that of a converted copy.
        for entries in operations_in(body, EntryOp, EntryCountOp, EntryNumberOp):
            prefix = tuple(entries.indices if isinstance(entries, EntryNumberOp) else entries.prefix)
            level = prefix.index(variable) if variable in prefix else 0
            if variable in prefix and all(outer in self.bound for outer in prefix[:level]):
                reads.setdefault((entries.tensor, prefix[: level + 1]), entries)
        return reads, list(writes)


def _discordant(access: AccessOp | AssignOp, message: str) -> UserError:
    return UserError(
        "discordant-access",
        message,
        op=access,
        help="run concordize before, or order the loops as the tensor is stored",
    )


def _check_workspace(op: WhereOp, produced: SSAValue) -> None:
    format = format_of(produced.type)
    for number in range(len(format.levels)):
        if not can_locate(format, number):
            raise UserError(
                "unsupported-workspace",
                f"level {number} ({format.level_text(number)}) of temporary '{name_of(produced)}' is only appended to",
                op=op,
                help="store the temporary in levels that are written in any order: an accumulator, then dense ones",
            )
