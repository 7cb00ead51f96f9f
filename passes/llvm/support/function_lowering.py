"""The state in which a function of the `loop` dialect becomes one of the `llvm` dialect, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    Float16Type,
    IndexType,
    IntAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.llvm.llvm_loop_hints import AccessGroupAttr
from irtensor.dialects.loop.loop_growables import ScratchOp
from irtensor.dialects.loop.loop_maps import IndexMapOp, IndexMapType
from irtensor.dialects.loop.loop_sets import IndexSetOp, IndexSetType
from irtensor.dialects.loop.loop_types import BufferType, CellType, GrowableType, is_scalar_element, is_vector_value
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import COLD_BRANCH, NE, POINTER, FunctionBuilder
from irtensor.passes.llvm.support.lower_scalars import ValueMap
from irtensor.passes.llvm.support.module_functions import add_function
from irtensor.passes.llvm.support.pointers import start_of
from irtensor.passes.llvm.support.set_flags import ReadFlags, flags_by_vector
from irtensor.passes.llvm.support.support_functions import add_free
from irtensor.passes.support.wrong_stage import wrong_stage

_FIELDS = ("data", "capacity", "size")
_SLOT = VectorType(i64, (len(_FIELDS),))
_MEMORY = CellType | BufferType | GrowableType | IndexSetType | IndexMapType


class Growable(NamedTuple):
    """The address of a slot {data, capacity, size}, whose fields stay in the caller's memory; it begins with `data`.

    Registers are for what inner loops need: with every growable in three of them, those of merges would not suffice.
    """

    data: SSAValue


class FunctionLowering(ValueMap):
    """One function: the value map plus the way out on failure."""

    # What its errors call the pass.
    pass_name = "lower-loop-to-llvm"
    # What lowers each operation, by its name, and what makes maps that are a function's own.
    handlers: Mapping[str, Callable[[Any, Operation], None]] = {}
    make_map: Callable[..., Any]
    # The property of atomic operations that says for whom they are atomic: for all of the system without it.
    sync_scope: Mapping[str, Attribute] = {}
    # Whether there is someone to ask whether a loop shall go on.
    may_end_early = True
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

    def make_library_function(self, source: str, name: str, types: Sequence[Attribute]) -> Operation:
        """A function of the texts in passes/llvm/loops for arguments of these types: what this target has of it."""
        raise NotImplementedError

    def call_library(self, name: str, operands: Sequence[SSAValue]) -> None:
        """Call such a function, and leave this one where it fails."""
        make = partial(self.make_library_function, name)
        self.fail_if_failed(self.builder.call(add_function(self.declarations, name, operands, make), operands, i32))

    def nested(self, argument_types: list[Attribute]) -> FunctionLowering:
        """A function of its own for a part of this one."""
        return type(self)(self.declarations, argument_types, self.threaded, is_part=True)

    def new_groups(self) -> ArrayAttr[AccessGroupAttr]:
        """A group for accesses of a loop that do not depend on each other."""
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
                self.values[op.results[0]] = self.make_map()
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
        return self.handlers.get(op.name)

    def lower(self, op: Operation) -> None:
        handler = self.handler_of(op)
        if handler is None:
            raise wrong_stage(op, self.pass_name)
        for result in op.results:
            if id(result.type) not in self._checked:
                check_type(result.type, op, self.pass_name)
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
        """Whether nobody changes the memory behind a pointer while the function runs."""
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


def check_type(type: Attribute, op: Operation, pass_name: str) -> None:
    """Refuse values that no register, pair of registers or memory of ours holds."""
    # Floats of 16 bits are integers from lower-algebra-to-arith on.
    is_scalar = is_scalar_element(type) and not isinstance(type, Float16Type | BFloat16Type)
    if not (is_scalar or is_vector_value(type) or isinstance(type, _MEMORY)):
        message = f"{pass_name} cannot lower values of type {type}"
        help = "it lowers scalars, vectors of one dimension, cells, buffers, growables, index sets and index maps"
        raise wrong_stage(op, pass_name, message, help)


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
