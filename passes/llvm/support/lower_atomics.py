"""Elements that change as a whole, to the `llvm` dialect: one instruction where there is one, else a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.llvm.llvm_extra import AtomicRMWOp, CmpXchgOp, exchanged_type
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import EQ, NE, element_size, memory_type, register_type
from irtensor.passes.llvm.support.lower_memory import element_address

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering

# Threads meet at the end of a loop, which orders all else.
_RELAXED = StringAttr("monotonic")
_MONOTONIC = IntegerAttr(2, i64)
# What `atomicrmw` calls the operations that it knows.
_INSTRUCTIONS = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.minsi": "min",
    "arith.maxsi": "max",
    "arith.minui": "umin",
    "arith.maxui": "umax",
    "arith.addf": "fadd",
    "arith.subf": "fsub",
}


def _atomic(state: FunctionLowering, op: Operation) -> None:
    builder, body = state.builder, op.regions[0].block
    element: Attribute = body.args[0].type
    address = element_address(state, op.operands[0], op.operands[1])
    instruction = _instruction(body)
    if instruction is not None and register_type(element) == memory_type(element):
        name, value = instruction
        properties: dict[str, Attribute] = {"bin_op": StringAttr(name), "ordering": _RELAXED, **state.sync_scope}
        builder.value(AtomicRMWOp, (address, state.values[value]), register_type(element), properties)
    else:
        _exchange(state, body, address, element)


def _instruction(body: Block) -> tuple[str, SSAValue] | None:
    """The instruction that a body is, and what it combines the element with."""
    if len(body.ops) != 2:
        return None
    combine, last = body.ops
    name = _INSTRUCTIONS.get(combine.name)
    if name is None or last.operands[0] is not combine.results[0] or combine.operands[0] is not body.args[0]:
        return None
    value = combine.operands[1]
    return None if value is body.args[0] else (name, value)


def _exchange(state: FunctionLowering, body: Block, address: SSAValue, element: Attribute) -> None:
    """Compute a new value from the stored one, and store it; again if another value has been stored meanwhile. An equal
    value is not stored."""
    builder = state.builder
    size = element_size(element)
    bits = IntegerType(8 * size)
    properties: dict[str, Attribute] = {"ordering": _MONOTONIC, "alignment": IntegerAttr(size, i64)}
    first = builder.value(llvm.LoadOp, (address,), bits, properties)
    again, store, after = create_block((bits,)), create_block(), create_block()
    builder.branch(again, (first,))
    builder.start(again)
    seen = again.args[0]
    new = _to_bits(state, yielded(state, body, _from_bits(state, seen, register_type(element))), bits)
    builder.branch_if(builder.compare(EQ, new, seen), after, (), store)
    builder.start(store)
    orderings: dict[str, Attribute] = {"success_ordering": _RELAXED, "failure_ordering": _RELAXED}
    orderings |= state.sync_scope
    pair = builder.value(CmpXchgOp, (address, seen, new), exchanged_type(bits), orderings)
    found = builder.value(llvm.ExtractValueOp, (pair,), bits, {"position": DenseArrayBase.from_list(i64, [0])})
    stored = builder.value(llvm.ExtractValueOp, (pair,), i1, {"position": DenseArrayBase.from_list(i64, [1])})
    builder.branch_if(stored, after, (), again, (found,))
    builder.start(after)


def yielded(state: FunctionLowering, body: Block, *arguments: Any) -> Any:
    """Lower what a body computes of arguments: the value that it ends with."""
    state.values.update(zip(body.args, arguments, strict=True))
    *operations, last = body.ops
    for inner in operations:
        state.lower(inner)
    return state.values[last.operands[0]]


def _from_bits(state: FunctionLowering, bits: SSAValue, register: Attribute) -> SSAValue:
    builder = state.builder
    if register == i1:
        # A bool byte counts as true when it is not zero, as in NumPy.
        return builder.compare(NE, bits, builder.zero(bits.type))
    return bits if register == bits.type else builder.value(llvm.BitcastOp, (bits,), register)


def _to_bits(state: FunctionLowering, value: SSAValue, bits: IntegerType) -> SSAValue:
    if value.type == bits:
        return value
    return state.builder.value(llvm.ZExtOp if value.type == i1 else llvm.BitcastOp, (value,), bits)


ATOMIC_HANDLERS: dict[str, Any] = {"loop.atomic": _atomic}
