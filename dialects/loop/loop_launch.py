"""Ops of the `loop` dialect by which code of the host uses a device: it starts kernels, fills and reads memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_memory import FillingOp
from irtensor.dialects.loop.loop_types import INDEX, BufferType, held_type
from irtensor.dialects.loop.memory_op import MemoryOp, Spelling, buffer_type_of, index_type, same_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation
from irtensor.dialects.support.is_inside import innermost_around


class _LaunchesKernel(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchOp)
        kernels = op.kernels()
        name = op.kernel.nested_references.data[-1] if op.kernel.nested_references else op.kernel.root_reference
        kernel = next((one for one in kernels if one.properties["sym_name"] == name), None)
        if kernel is None:
            raise VerifyException(f"kernel {op.kernel} is not in a module beside the function")
        if not isinstance(kernel, FuncOp):
            return
        given = [argument.type for argument in op.arguments]
        if list(kernel.function_type.inputs) != given:
            wanted = ", ".join(map(str, kernel.function_type.inputs))
            raise VerifyException(f"the kernel takes ({wanted}), not ({', '.join(map(str, given))})")


@define_operation
class LaunchOp(IRDLOperation):
    """Run a kernel on the device, a function of the module of kernels beside this one, with so many iterations.

    Kernels run in the order in which they are launched: each sees what those before it wrote. The host goes on
    meanwhile, and waits where it reads.
    """

    name = "loop.launch"
    kernel = prop_def(SymbolRefAttr)
    iterations = operand_def(INDEX)
    arguments = var_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), _LaunchesKernel())
    assembly_format = "$iterations `of` $kernel `(` $arguments `)` attr-dict `:` `(` type($arguments) `)`"

    @staticmethod
    def of(kernel: SymbolRefAttr, iterations: SSAValue, arguments: Sequence[SSAValue]) -> LaunchOp:
        return create_operation(LaunchOp, (iterations, *arguments), properties={"kernel": kernel})

    def kernels(self) -> list[Operation]:
        """The functions of the module that has the kernel, in their order; none without such a module."""
        around = innermost_around(self, ModuleOp)
        modules = [op for op in around.body.block.ops if isinstance(op, ModuleOp)] if around is not None else []
        module = next((one for one in modules if one.sym_name == self.kernel.root_reference), None)
        if module is None:
            return []
        functions = [op for op in module.body.block.ops if "sym_name" in op.properties]
        return [op for op in functions if op.regions and op.regions[0].blocks]


@define_operation
class MemsetOp(FillingOp):
    """Let the device write one value to elements of its memory, without a kernel of ours, in order with the kernels.

    The bytes of the value are a pattern of 1, 2 or 4 bytes, which is repeated if the value has more.
    """

    name = "loop.memset"


@define_operation
class ReadOp(MemoryOp):
    """An element of a buffer in the device's memory, on the host: it waits until the kernels before it have ended."""

    name = "loop.read"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (buffer_type_of, index_type), same_type)
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue) -> ReadOp:
        return create_operation(ReadOp, (buffer, index), (held_type(buffer),))
