"""Functions of the module that lowered functions call, and that are made with the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.passes.llvm.support.pointers import address_space


def add_function(
    functions: dict[str, Operation],
    name: str,
    operands: Sequence[SSAValue],
    make: Callable[[str, Sequence[Attribute]], Operation],
) -> str:
    """Name of a function for operands of these types; it is made on first use.

    For memory of another kind it is another function, which has its addresses in that memory.
    """
    spaces = [address_space(operand) for operand in operands if isinstance(operand.type, llvm.LLVMPointerType)]
    if any(spaces):
        name += "".join(f".p{space}" for space in spaces)
    if name not in functions:
        functions[name] = make(name, [operand.type for operand in operands])
    return name
