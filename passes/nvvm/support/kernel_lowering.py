"""The state in which a kernel of the `loop` dialect becomes one of `llvm` and `nvvm`, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import StringAttr, i32
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.llvm.kernel_attributes import SHARED_SPACE
from irtensor.dialects.loop.loop import AtomicOp, CopyOp, FillOp, StoreOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import declare
from irtensor.passes.llvm.support.function_lowering import FunctionLowering, bind_arguments
from irtensor.passes.llvm.support.loop_library import library_functions
from irtensor.passes.llvm.support.lower_maps import make_map
from irtensor.passes.llvm.support.module_functions import add_function
from irtensor.passes.llvm.support.set_flags import flags_by_words
from irtensor.passes.nvvm.support.device_math import LIBRARY
from irtensor.passes.support.operations_in import OpTypes

# Operations that one thread does for all that do the same: they would write the same value to the same address.
_DONE_ONCE = OpTypes(StoreOp, FillOp, CopyOp, AtomicOp)
# Of what threads of a block share, in bytes: what the widest loads ask for.
ALIGNMENT = 16


class KernelLowering(FunctionLowering):
    """One kernel: it returns nothing, and runs to its end."""

    pass_name = "lower-loop-to-nvvm"
    library = LIBRARY
    make_map = make_map
    # Nobody else touches the memory meanwhile, and to be atomic for the host as well takes far longer.
    sync_scope = {"syncscope": StringAttr("device")}
    may_end_early = False
    read_flags = staticmethod(flags_by_words)

    def __init__(
        self,
        name: str,
        declarations: dict[str, Operation],
        argument_types: list[Attribute],
        handlers: Mapping[str, Callable[[Any, Operation], None]],
    ) -> None:
        super().__init__(declarations, argument_types)
        self.name = name
        self.handlers = handlers
        # Which thread does what all of a block or a team would do alike; None where each thread has its own to do.
        self.leads: SSAValue | None = None
        # How many lanes the team has.
        self.lanes = 1
        # How many bytes the threads of a block share.
        self.shared = 0

    def handler_of(self, op: Operation) -> Any:
        handler = self.handlers.get(op.name)
        if self.leads is None or handler is None or not _DONE_ONCE[type(op)]:
            return handler
        leads = self.leads
        return lambda state, op: _lower_once(state, op, leads, handler)

    def add_shared(self, type: Attribute) -> str:
        """Add memory of a block to the module: its name."""
        shared = f"{self.name}_shared_"
        name = shared + str(sum(known.startswith(shared) for known in self.declarations))
        self.declarations[name] = _shared_global(name, type)
        return name

    def leave(self, status: SSAValue | None = None) -> None:
        self.builder.effect(llvm.ReturnOp, ())

    def make_library_function(self, source: str, name: str, types: Sequence[Attribute]) -> Operation:
        """The function for memory of the kind that its arguments are in."""
        function = library_functions()[source]
        state = _LibraryLowering(name, self.declarations, [*types], self.handlers)
        bind_arguments(state, function.body.block.args)
        state.lower_body(function.body.block.ops)
        return declare(name, types, i32, state.builder.finish())

    def call_library(self, name: str, operands: Sequence[SSAValue]) -> None:
        """Nothing on the device can run out of memory, so that no function fails."""
        make = partial(self.make_library_function, name)
        self.builder.call(add_function(self.declarations, name, operands, make), operands, i32)


class _LibraryLowering(KernelLowering):
    """A function that kernels call."""

    def leave(self, status: SSAValue | None = None) -> None:
        FunctionLowering.leave(self, status)

    def handler_of(self, op: Operation) -> Any:
        return _lower_library_call if op.name == "func.call" else super().handler_of(op)


def _lower_library_call(state: KernelLowering, op: Operation) -> None:
    assert isinstance(op, CallOp)
    state.call_library(op.callee.root_reference.data, [state.values[operand] for operand in op.arguments])


def _lower_once(state: KernelLowering, op: Operation, leads: SSAValue, handler: Any) -> None:
    """Let the one thread do what `leads` holds for."""
    builder = state.builder
    body, after = create_block(), create_block()
    builder.branch_if(leads, body, (), after)
    builder.start(body)
    handler(state, op)
    builder.branch(after)
    builder.start(after)


def _shared_global(name: str, type: Attribute) -> llvm.GlobalOp:
    """Memory of a block by its name; its contents are undefined at the start."""
    return llvm.GlobalOp(type, name, "internal", addr_space=SHARED_SPACE, alignment=ALIGNMENT)
