"""The pass `lower-loop-to-llvm`: functions of the `loop` dialect with upstream scalars, to the `llvm` dialect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DictionaryAttr,
    IndexType,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.llvm.kernel_attributes import KERNEL
from irtensor.dialects.llvm.llvm_loop_hints import AccessGroupAttr
from irtensor.dialects.loop.loop_growables import ScratchOp
from irtensor.dialects.loop.loop_maps import IndexMapOp, IndexMapType
from irtensor.dialects.loop.loop_sets import IndexSetOp, IndexSetType
from irtensor.dialects.loop.loop_types import BufferType, CellType, GrowableType, is_scalar_element, is_vector_value
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.compile_effort import effort_for
from irtensor.passes.llvm.support.function_builder import (
    COLD_BRANCH,
    EQ,
    NE,
    POINTER,
    UNOPTIMIZED,
    FunctionBuilder,
    declare,
)
from irtensor.passes.llvm.support.lower_atomics import ATOMIC_HANDLERS
from irtensor.passes.llvm.support.lower_complex import COMPLEX_HANDLERS
from irtensor.passes.llvm.support.lower_control import CONTROL_HANDLERS, polls
from irtensor.passes.llvm.support.lower_lanes import LANE_HANDLERS
from irtensor.passes.llvm.support.lower_launches import LAUNCH_HANDLERS
from irtensor.passes.llvm.support.lower_maps import MAP_HANDLERS, make_map
from irtensor.passes.llvm.support.lower_memory import MEMORY_HANDLERS
from irtensor.passes.llvm.support.lower_parallel import PARALLEL_HANDLERS
from irtensor.passes.llvm.support.lower_scalars import SCALAR_HANDLERS, ValueMap
from irtensor.passes.llvm.support.lower_sets import SET_HANDLERS
from irtensor.passes.llvm.support.pointers import start_of
from irtensor.passes.llvm.support.set_flags import ReadFlags, flags_by_vector
from irtensor.passes.llvm.support.support_functions import add_free
from irtensor.passes.support.pass_base import TensorPass, our_functions
from irtensor.passes.support.wrong_stage import refuse_own_memory, wrong_stage

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.nonnull": _UNIT, "llvm.noundef": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})
_FIELDS = ("data", "capacity", "size")
_SLOT = VectorType(i64, (len(_FIELDS),))
# Attribute of functions that take a context for threads after their other arguments.
USES_THREADS = ("irtensor-threads", "last-argument")


class Growable(NamedTuple):
    """The address of a slot {data, capacity, size}, whose fields stay in the caller's memory; it begins with `data`.

    Registers are for what inner loops need: with every growable in three of them, those of merges would not suffice.
    """

    data: SSAValue


class FunctionLowering(ValueMap):
    """One function: the value map plus the way out on failure."""

    # What its errors call the pass.
    pass_name = "lower-loop-to-llvm"
    # The property of atomic operations that says for whom they are atomic: for all of the system without it.
    sync_scope: Mapping[str, Attribute] = {}
    # How flags of sets are read.
    read_flags: ReadFlags = staticmethod(flags_by_vector)

    def __init__(
        self,
        declarations: dict[str, Operation],
        argument_types: list[Attribute],
        threaded: Collection[str] = (),
        is_part: bool = False,
    ) -> None:
        super().__init__(FunctionBuilder(argument_types), declarations)
        # Functions of the module that use threads, and whether this one is a part of another.
        self.threaded = threaded
        self.is_part = is_part
        self.exit = create_block((i32,))
        self.exit_used = False
        self.scratches: list[Growable] = []
        # Questions of inner loops that are prepared, and whose loops are still to be lowered.
        self.questions: dict[Operation, Any] = {}
        # What counts the iterations of inner loops without questions.
        self.counters: dict[Operation, Any] = {}
        # Arguments that point to memory that nobody changes meanwhile.
        self.read_only: set[SSAValue] = set()
        # The group of the innermost loop around whose iterations are independent.
        self.groups: ArrayAttr[AccessGroupAttr] | None = None
        self._group_count = 0
        self._context: SSAValue | None = None
        self._checked: dict[int, Attribute] = {}

    def nested(self, argument_types: list[Attribute]) -> FunctionLowering:
        """A function of its own for a part of this one."""
        return FunctionLowering(self.declarations, argument_types, self.threaded, is_part=True)

    def new_groups(self) -> ArrayAttr[AccessGroupAttr]:
        """A group for what is independent in a loop."""
        self._group_count += 1
        return ArrayAttr((AccessGroupAttr(IntAttr(self._group_count - 1)),))

    def context(self) -> SSAValue:
        """The last argument, which functions have that use threads: what the caller says about them."""
        if self._context is None:
            self._context = self.builder.entry.insert_arg(POINTER, len(self.builder.entry.args))
            self._context.name_hint = "threads"
        return self._context

    def receive_context(self, context: SSAValue) -> None:
        """Take a value for it, in a function that has it elsewhere among its arguments."""
        self._context = context
        context.name_hint = "threads"

    @property
    def uses_threads(self) -> bool:
        return self._context is not None

    def lower_body(self, operations: Iterable[Operation]) -> None:
        """Lower all of a function; its own memory is made first, so that every way out can give it back."""
        for op in operations:
            if type(op) is ScratchOp or (type(op) is IndexSetOp and op.memory is None):
                self.values[op.results[0]] = self.make_scratch()
            elif type(op) is IndexMapOp and op.memory is None:
                self.values[op.results[0]] = make_map(self)  # pyright: ignore[reportArgumentType]  # seen through the link, a second module
        for op in operations:
            self.lower(op)

    def leave(self, status: SSAValue | None = None) -> None:
        """Return a status, success if none is given, and make the way out on failure."""
        builder = self.builder
        if status is None:
            status = builder.integer(0, i32)
        if self.exit_used or self.scratches:
            builder.branch(self.exit, (status,))
            builder.start(self.exit)
            for scratch in self.scratches:
                data = builder.load(scratch.data, POINTER, 8)
                builder.call_for_effect(add_free(self.declarations), (data,))
            builder.effect(llvm.ReturnOp, (self.exit.args[0],))
        else:
            builder.effect(llvm.ReturnOp, (status,))

    def lower_block(self, block: Block) -> None:
        for op in block.ops:
            self.lower(op)

    def handler_of(self, op: Operation) -> Any:
        """What lowers an operation; None if nothing does."""
        return HANDLERS.get(op.name)

    def lower(self, op: Operation) -> None:
        handler = self.handler_of(op)
        if handler is None:
            earlier = _LOWERED_EARLIER.get(op.name)
            help = None if earlier is None else f"run {earlier} before {self.pass_name}"
            raise wrong_stage(op, self.pass_name, help=help)
        for result in op.results:
            if id(result.type) not in self._checked:
                _check_type(result.type, op)
                # By identity, and kept for it: comparing vector types costs more than the rest of many handlers.
                self._checked[id(result.type)] = result.type
        handler(self, op)

    def make_scratch(self) -> Growable:
        """Make a growable whose slot is in this function's own memory, and empty."""
        builder = self.builder
        scratch = Growable(builder.alloca(_SLOT))
        self.scratches.append(scratch)
        builder.store(builder.null(), scratch.data, 8)
        builder.store(builder.integer(0), self.field_of(scratch, "capacity"), 8)
        return scratch

    def is_read_only(self, pointer: SSAValue) -> bool:
        """Whether nobody changes what is behind a pointer while the function runs."""
        return bool(self.read_only) and start_of(pointer) in self.read_only

    def field_of(self, growable: Growable, name: str) -> SSAValue:
        """The address of a field of a growable."""
        # Each is eight bytes wide.
        return self.builder.address(growable.data, self.builder.integer(_FIELDS.index(name)), i64)

    def fail_if(self, condition: SSAValue, status: SSAValue, proceed: Block) -> None:
        """Leave the function with `status` if the condition holds, which is unlikely, else go on in a new block."""
        self.exit_used = True
        weights: dict[str, Attribute] = {"branch_weights": COLD_BRANCH}
        self.builder.branch_if(condition, self.exit, (status,), proceed, (), weights)
        self.builder.start(proceed)

    def fail_if_failed(self, status: SSAValue) -> None:
        """Leave the function if one that it has called failed."""
        self.fail_if(self.builder.compare(NE, status, self.builder.integer(0, i32)), status, create_block())


def _lower_return(state: FunctionLowering, op: Operation) -> None:
    if op.operands:
        raise wrong_stage(op, LowerLoopToLlvmPass.name, _NO_RESULTS, _STORE_RESULTS)
    state.leave()


def _lower_call(state: FunctionLowering, op: Operation) -> None:
    """Call another function of the module; its failure is the caller's failure."""
    if op.results:
        raise wrong_stage(op, LowerLoopToLlvmPass.name, _NO_RESULTS, _STORE_RESULTS)
    builder = state.builder
    operands: list[SSAValue] = []
    for operand in op.operands:
        value: Any = state.values[operand]
        if isinstance(value, Growable):
            operands.append(value.data)
        elif isinstance(value, tuple):
            operands.extend(value)
        elif value.type == i1:
            operands.append(builder.value(llvm.ZExtOp, (value,), i8))
        else:
            operands.append(value)
    callee = op.properties["callee"].root_reference.data  # pyright: ignore
    if callee in state.threaded:
        if state.is_part:
            raise wrong_stage(op, LowerLoopToLlvmPass.name, f"'{callee}' has parallel loops, and so has what calls it")
        operands.append(state.context())
    state.fail_if_failed(builder.call(callee, operands, i32))


def _lower_require(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    unmet = builder.compare(EQ, state.values[op.operands[0]], builder.integer(0, i1))
    status = op.properties["status"].value.data  # pyright: ignore
    state.fail_if(unmet, builder.integer(status, i32), create_block())


HANDLERS: dict[str, Any] = {
    "loop.require": _lower_require,
    "func.return": _lower_return,
    "func.call": _lower_call,
    # Made at the top of the function.
    "loop.scratch": lambda state, op: None,
    **CONTROL_HANDLERS,
    **PARALLEL_HANDLERS,
    **LAUNCH_HANDLERS,
    **ATOMIC_HANDLERS,
    **SCALAR_HANDLERS,
    **COMPLEX_HANDLERS,
    **MEMORY_HANDLERS,
    **LANE_HANDLERS,
    **SET_HANDLERS,
    **MAP_HANDLERS,
}


_NO_RESULTS = "a function of loops has no results: what it returns in LLVM is whether memory ran out"
_STORE_RESULTS = "store results into buffers that are arguments"
# Operations of the dialect that other passes replace by simpler ones.
_LOWERED_EARLIER = {
    **{f"loop.{name}": "lower-assembly" for name in ("counter", "count", "append", "close", "assembled")},
    "loop.accumulate": "lower-algebra-to-arith",
}
_MEMORY = CellType | BufferType | GrowableType | IndexSetType | IndexMapType


def _check_type(type: Attribute, op: Operation) -> None:
    """Refuse values that no register, pair of registers or memory of ours holds."""
    if not (is_scalar_element(type) or is_vector_value(type) or isinstance(type, _MEMORY)):
        message = f"{LowerLoopToLlvmPass.name} cannot lower values of type {type}"
        help = "it lowers scalars, vectors of one dimension, cells, buffers, growables, index sets and index maps"
        raise wrong_stage(op, LowerLoopToLlvmPass.name, message, help)


def argument_types(type: Attribute) -> tuple[Attribute, ...]:
    """How an argument crosses the call: a buffer or slot as a pointer, a complex number as two floats, a bool as i8.

    This is the calling convention that the runtime fills in.
    """
    if isinstance(type, BufferType | GrowableType):
        return (POINTER,)
    if isinstance(type, ComplexType):
        return (type.element_type, type.element_type)
    if isinstance(type, IndexType):
        return (i64,)
    return (i8,) if type == i1 else (type,)


def bind_arguments(state: FunctionLowering, arguments: Sequence[SSAValue]) -> None:
    """Let the registers in which arguments cross the call stand for them."""
    builder = state.builder
    incoming = iter(builder.entry.args)
    for argument in arguments:
        value: Any = next(incoming)
        type = argument.type
        if isinstance(type, ComplexType):
            value = (value, next(incoming))
        elif type == i1:
            value = builder.compare(NE, value, builder.integer(0, i8))
        elif isinstance(type, GrowableType):
            value = Growable(value)
        else:
            value.name_hint = argument.name_hint
        state.values[argument] = value


def lower_function(
    source: func.FuncOp, declarations: dict[str, Operation], threaded: Collection[str] = ()
) -> Operation:
    """One `func.func` of loops as an `llvm.func` that returns a status: 0, 1 if memory ran out, or a loop.require's.

    Functions it calls are added to `declarations`; `threaded` names those of the module that use threads.
    """
    if source.body.first_block is not source.body.last_block:
        message = f"'{source.sym_name.data}' is not structured: it jumps between blocks"
        raise wrong_stage(source, LowerLoopToLlvmPass.name, message, "write it with loop.for, loop.while and loop.if")
    refuse_own_memory(source, LowerLoopToLlvmPass.name)
    block = source.body.block
    types: list[Attribute] = []
    attributes: list[Attribute] = []
    for argument in block.args:
        _check_type(argument.type, source)
        lowered = argument_types(argument.type)
        types.extend(lowered)
        attributes.extend((_NO_ALIAS if type == POINTER else _DEFINED) for type in lowered)
    state = FunctionLowering(declarations, types, threaded)
    bind_arguments(state, block.args)
    state.lower_body(block.ops)
    notes = [("irtensor-effort", effort_for(source))]
    if state.uses_threads:
        types.append(POINTER)
        attributes.append(_DEFINED)
        notes.append(USES_THREADS)
    extra: dict[str, Attribute] = {"arg_attrs": ArrayAttr(attributes), "no_unwind": _UNIT}
    if not state.builder.has_loops:
        extra.update(UNOPTIMIZED)
    extra["passthrough"] = ArrayAttr([ArrayAttr((StringAttr(key), StringAttr(value))) for key, value in notes])
    private = source.sym_visibility is not None and source.sym_visibility.data == "private"
    return declare(source.sym_name.data, types, i32, state.builder.finish(), exported=not private, **extra)


def _threaded(functions: list[func.FuncOp]) -> set[str]:
    """Names of the functions that use threads, be it in functions that they call."""
    threaded: set[str] = set()
    while True:
        found = {
            function.sym_name.data
            for function in functions
            if any(_uses_threads(op, threaded) for op in function.walk())
        }
        if found == threaded:
            return threaded
        threaded = found


def _uses_threads(op: Operation, threaded: Collection[str]) -> bool:
    if isinstance(op, func.CallOp):
        return op.callee.root_reference.data in threaded
    return op.name in PARALLEL_HANDLERS or op.name in LAUNCH_HANDLERS or polls(op)


class LowerLoopToLlvmPass(TensorPass):
    """Lower loops, cells, buffers and scalar arithmetic to the llvm dialect."""

    name = "lower-loop-to-llvm"
    accepts = ("loop",)
    leaves = ("llvm",)
    after = {
        "lower-algebra-to-arith": "there is no LLVM code for the operators of algebra",
        "lower-assembly": "there is no LLVM code for counters",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        by_module: dict[Block, list[func.FuncOp]] = {}
        for function in our_functions(op):
            assert function.parent is not None
            if KERNEL in function.attributes:
                continue
            by_module.setdefault(function.parent, []).append(function)
        for block, sources in by_module.items():
            declarations: dict[str, Operation] = {}
            threaded = _threaded(sources) if len(sources) > 1 else ()
            for source in sources:
                lowered = lower_function(source, declarations, threaded)
                block.insert_op_before(lowered, source)
                source.detach()
            block.add_ops(declarations.values())
