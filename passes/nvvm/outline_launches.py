"""`outline-launches`: what touches memory becomes functions for the device, which the rest of the code launches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i32,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.core.diagnostics import UserError
from irtensor.dialects.llvm.kernel_attributes import KERNEL, MAXIMAL_THREADS, MINIMAL_BLOCKS
from irtensor.dialects.loop.loop import (
    CellOp,
    CellType,
    DataOp,
    GetOp,
    IndexMapOp,
    IndexSetOp,
    LoadOp,
    ParallelOp,
    SetOp,
    StoreOp,
    ViewOp,
    is_scalar_element,
)
from irtensor.dialects.loop.loop_launch import LaunchOp, ReadOp
from irtensor.dialects.loop.loop_parallel import used_from_outside
from irtensor.dialects.loop.loop_units import units_of
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.loop.support.captured_values import is_apart, is_constant, is_read_only
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.nvvm.support.host_code import run_by_host, stays_on_host, waits_for_kernels
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, structured_functions
from irtensor.passes.support.wrong_stage import LOWERED_EARLIER, refuse_own_memory, wrong_stage

# Dialects that are lowered before.
_EARLIER = ("index_notation.", "concrete_index.", "iteration_lattice.", "storage.", "algebra.")
_NO_ALIAS = DictionaryAttr({"llvm.noalias": UnitAttr()})
_READ_ONLY = DictionaryAttr({"llvm.noalias": UnitAttr(), "llvm.readonly": UnitAttr()})
_MAY_ALIAS = DictionaryAttr({})
# Of a multiprocessor with 65,536 registers, so that each thread has 64: with no number of its own, NVIDIA's assembler
# takes fewer, and keeps the rest in memory.
_RESIDENT_THREADS = 1024
# So many blocks fit on a multiprocessor of each kind, however small they are.
_RESIDENT_BLOCKS = 16


class OutlineLaunchesPass(TensorPass):
    """Make each parallel loop a function of a module of kernels, and the code between them kernels of one iteration.

    Before: `func.func @f(%n: index, %y: !loop.buffer<f64>) { loop.parallel %i = %0 to %n { body of %y } }`
    After:  `func.func @f(..) { loop.launch %n of @f_kernels::@f_0(%n, %y) }`, and in a module `@f_kernels` behind it
            `func.func @f_0(%n, %y) attributes {nvvm.kernel} { loop.parallel %i = %0 to %n { body of %y } }`
    The host keeps arithmetic, cells, and the slots of growables. What it needs of the device's memory it reads with
    `loop.read`, one element each. A cell that device code changes becomes an element of the device's memory.
    """

    name = "outline-launches"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-parallel-loops": "loops that are marked parallel are parallel loops then",
        "lower-algebra-to-arith": "operators that a module declares are not seen from the module of kernels",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(structured_functions(op)):
            if KERNEL not in function.attributes:
                refuse_own_memory(function, self.name)
                for inner in everything_in(function):
                    if type(inner) is CallOp or inner.name.startswith(_EARLIER) or inner.name in LOWERED_EARLIER:
                        raise wrong_stage(inner, self.name)
                _Host(function).outline()


@dataclass
class _Host:
    """The code of one function that stays on the host, while kernels are taken out of it."""

    function: FuncOp
    kernels: list[FuncOp] = field(default_factory=list[FuncOp])
    run_by_host: set[Operation] = field(default_factory=set[Operation])

    @property
    def _module_name(self) -> str:
        return f"{self.function.sym_name.data}_kernels"

    def outline(self) -> None:
        entry = self.function.body.block
        self.run_by_host = {*run_by_host(self.function)}
        for cell in operations_in(self.function, CellOp):
            sets = [use.operation for use in cell.cell.uses if isinstance(use.operation, SetOp)]
            if self._is_run_by_host(cell) and not all(self._is_run_by_host(op) for op in sets):
                _move_to_memory(cell, entry)
        self._outline_block(entry)
        if self.kernels:
            block, name = self.function.parent, StringAttr(self._module_name)
            assert block is not None
            if any(op.properties.get("sym_name") == name for op in block.ops):
                message = (
                    f"kernels of '{self.function.sym_name.data}' are to be in @{name.data}, which is there already"
                )
                help = "run outline-launches once, or give the function another name"
                raise UserError("name-conflict", message, op=self.function, help=help)
            block.insert_op_after(ModuleOp([*self.kernels], sym_name=name), self.function)

    def _is_run_by_host(self, op: Operation) -> bool:
        return op.parent_op() in self.run_by_host

    def _outline_block(self, block: Block) -> None:
        waiting: list[Operation] = []
        for op in operations_of(block):
            if type(op) is LoadOp:
                _check_element(op.value.type, op)
                self._run_alone(waiting, InsertPoint.before(op))
                _replace(op, ReadOp.of(op.buffer, op.index))
            elif type(op) is ParallelOp:
                self._run_alone(waiting, InsertPoint.before(op))
                self._outline_loop(op)
            elif stays_on_host(op) or op in self.run_by_host:
                if waits_for_kernels(op) or any(operand.owner in waiting for operand in op.operands):
                    self._run_alone(waiting, InsertPoint.before(op))
                for region in op.regions:
                    for inner in region.blocks:
                        self._outline_block(inner)
            else:
                waiting.append(op)
        self._run_alone(waiting, InsertPoint.at_end(block))

    def _run_alone(self, waiting: list[Operation], point: InsertPoint) -> None:
        """Make a kernel of one iteration of operations that follow each other, in front of the operations that have to
        wait."""
        if not waiting:
            return
        emit = Emitter(Block())
        loop = emit.insert(ParallelOp.of(emit.index(0), emit.index(1)))
        loop.location = waiting[0].location
        Emitter(loop.body.block).take(waiting)
        Rewriter.inline_block(emit.block, point)
        for result in [result for op in waiting for result in op.results]:
            self._pass_on(result, loop)
        waiting.clear()
        self._outline_loop(loop)

    def _pass_on(self, result: SSAValue, loop: ParallelOp) -> None:
        """Let the host read what a kernel has computed, if it uses it."""
        outside = [use for use in result.uses if not loop.is_ancestor(use.operation)]
        if not outside:
            return
        assert isinstance(result.owner, Operation)
        if result.type.name.startswith("loop."):
            # Memory is not an element, which the host could read.
            help = "run the pass that lowers it before, such as lower-private"
            raise wrong_stage(result.owner, OutlineLaunchesPass.name, help=help)
        _check_element(result.type, result.owner)
        before, after = Emitter(Block()), Emitter(Block())
        memory = memory_for(before.index(1), result.type, self.function.body.block, before)
        index = before.index(0)
        loop.body.block.add_op(StoreOp.of(result, memory, index))
        read = after.insert(ReadOp.of(memory, index)).value
        move_before(before.block, loop)
        Rewriter.inline_block(after.block, InsertPoint.after(loop))
        for use in outside:
            use.operation.operands[use.index] = read

    def _outline_loop(self, loop: ParallelOp) -> None:
        """Let a function be the loop, and launch it."""
        emit = Emitter(Block())
        for data in operations_in(loop, DataOp):
            if not is_inside(data.growable, loop):
                data.buffer.replace_all_uses_with(emit.insert(DataOp.of(data.growable)).buffer)
                Rewriter.erase_op(data)
        used = _given(loop)
        arguments = [emit.get(value) if isinstance(value.type, CellType) else value for value in used]
        iterations = emit.sub(loop.upper, loop.lower)
        point = InsertPoint.after(loop)
        loop.detach()
        kernel = self._kernel_of(loop, used)
        symbol = SymbolRefAttr(self._module_name, [kernel.sym_name.data])
        launch = LaunchOp.of(symbol, iterations, arguments)
        launch.location = loop.location
        emit.insert(launch)
        Rewriter.inline_block(emit.block, point)

    def _kernel_of(self, loop: ParallelOp, used: list[SSAValue]) -> FuncOp:
        """A function that is the loop, of what it uses: one that does the same if there is one."""
        kernel = self._empty_kernel(loop, used)
        Rewriter.insert_op(loop, InsertPoint.at_start(kernel.body.block))
        _rebind(loop, used, list(kernel.body.block.args))
        _note_read_only(kernel)
        known = next((one for one in self.kernels if _does_the_same(one, kernel)), None)
        if known is not None:
            return known
        self.kernels.append(kernel)
        return kernel

    def _empty_kernel(self, loop: ParallelOp, used: list[SSAValue]) -> FuncOp:
        types = [value.type.element if isinstance(value.type, CellType) else value.type for value in used]
        block = Block([ReturnOp()], arg_types=types)
        for value, argument in zip(used, block.args, strict=True):
            argument.name_hint = value.name_hint
        # Names of kernels have fewer characters than those of other functions, and begin with no digit.
        name = re.sub(r"^(?=\d)|[^A-Za-z0-9_$]", "_", f"{self.function.sym_name.data}_{len(self.kernels)}")
        attributes = ArrayAttr([_NO_ALIAS if is_apart(value, used) else _MAY_ALIAS for value in used])
        function = FuncOp(name, FunctionType.from_lists(types, []), Region(block), arg_attrs=attributes)
        function.attributes[KERNEL] = UnitAttr()
        units = units_of(loop)
        if units is not None:
            function.attributes[MAXIMAL_THREADS] = DenseArrayBase.from_list(i32, [units.size.data])
            blocks = min(_RESIDENT_THREADS // units.size.data, _RESIDENT_BLOCKS)
            function.attributes[MINIMAL_BLOCKS] = IntegerAttr(blocks, i32)
        function.location = loop.location
        return function


def _note_read_only(kernel: FuncOp) -> None:
    """Say which memory is only read while the kernel runs: a card may keep it in a cache of its own."""
    assert kernel.arg_attrs is not None
    pairs = zip(kernel.body.block.args, kernel.arg_attrs, strict=True)
    known = [_READ_ONLY if said == _NO_ALIAS and is_read_only(argument) else said for argument, said in pairs]
    kernel.properties["arg_attrs"] = ArrayAttr(known)


def _does_the_same(one: FuncOp, other: FuncOp) -> bool:
    is_alike = one.function_type == other.function_type and one.arg_attrs == other.arg_attrs
    return is_alike and one.attributes == other.attributes and one.body.is_structurally_equivalent(other.body)


def _check_element(type: Attribute, op: Operation) -> None:
    """Raise UserError where host and device would share a value that is not one element of memory."""
    if not is_scalar_element(type):
        name = OutlineLaunchesPass.name
        message = f"{name}: host and device share numbers, and '{op.name}' is of type {type}"
        help = "omit the passes that make vectors: they are for CPUs"
        raise wrong_stage(op, name, message, help if isinstance(type, VectorType) else None)


def _move_to_memory(cell: CellOp, entry: Block) -> None:
    """Let an element of the device's memory stand for a cell."""
    _check_element(cell.initial.type, cell)
    emit = Emitter(Block())
    memory = memory_for(emit.index(1), cell.initial.type, entry, emit)
    memory.name_hint = cell.cell.name_hint
    index = emit.index(0)
    emit.insert(StoreOp.of(cell.initial, memory, index))
    move_before(emit.block, cell)
    for use in list(cell.cell.uses):
        op = use.operation
        _replace(op, LoadOp.of(memory, index) if isinstance(op, GetOp) else StoreOp.of(op.operands[0], memory, index))
    Rewriter.erase_op(cell)


def _rebind(loop: ParallelOp, used: list[SSAValue], arguments: list[SSAValue]) -> None:
    """Let a loop that has been moved use the arguments of its new function; other values are made there again."""
    before, inside = Emitter(Block()), Emitter(Block())
    values: dict[SSAValue, SSAValue] = {}
    for value, argument in zip(used, arguments, strict=True):
        values[value] = before.cell(argument) if isinstance(value.type, CellType) else argument

    def known(value: SSAValue) -> SSAValue:
        if value not in values and _is_made_again(value) and not is_inside(value, loop):
            owner = value.owner
            assert isinstance(owner, Operation)
            copies = {operand: known(operand) for operand in owner.operands}
            # An iteration may change a set or a map only if it is its own.
            emit = inside if isinstance(owner, IndexSetOp | IndexMapOp) else before
            values[value] = emit.insert(clone_operation(owner, copies)).results[0]
        return values.get(value, value)

    # By identity: the hash of a value is a function in Python.
    outside = {id(value) for value in (loop.lower, loop.upper, *used_from_outside(loop))}
    for op in everything_in(loop):
        for number, operand in enumerate(op._operands):
            if id(operand) in outside:
                value = known(operand)
                # To give an operation the operand that it has takes as long as another one.
                if value is not operand:
                    op.operands[number] = value
    move_before(before.block, loop)
    first = loop.body.block.first_op
    if first is not None:
        move_before(inside.block, first)


def _given(loop: ParallelOp) -> list[SSAValue]:
    """The values that a kernel for a loop is given: what it uses, and what it makes such values from again."""
    found: dict[SSAValue, None] = {}
    waiting = [loop.lower, loop.upper, *used_from_outside(loop)]
    while waiting:
        value = waiting.pop(0)
        if not _is_made_again(value):
            found[value] = None
        elif isinstance(value.owner, Operation):
            waiting += value.owner.operands
    return list(found)


def _is_made_again(value: SSAValue) -> bool:
    """Whether a kernel makes a value itself: a constant, or the view of memory, of a set or of a map.

    An array and a view of it that were given apart would seem to be two arrays.
    """
    return isinstance(value.owner, IndexSetOp | IndexMapOp | ViewOp) or is_constant(value)


def _replace(op: Operation, other: Operation) -> None:
    other.location = op.location
    Rewriter.replace_op(op, other)
