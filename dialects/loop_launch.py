"""Ops of the `loop` dialect by which code of the host uses a device: it starts kernels, and reads single elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.define_operation import define_operation
from irtensor.dialects.loop_types import INDEX, BufferType
from irtensor.dialects.memory_op import MemoryOp, Spelling, buffer_type_of, index_type, same_type


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
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$iterations `of` $kernel `(` $arguments `)` attr-dict `:` `(` type($arguments) `)`"

    @staticmethod
    def of(kernel: SymbolRefAttr, iterations: SSAValue, arguments: Sequence[SSAValue]) -> LaunchOp:
        return create_operation(LaunchOp, (iterations, *arguments), properties={"kernel": kernel})


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
        return create_operation(ReadOp, (buffer, index), (buffer.type.element,))  # pyright: ignore
