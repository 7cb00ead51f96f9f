"""Finds the operations of certain kinds in a piece of IR, or behind a value: what most passes begin with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

_Op = TypeVar("_Op", bound=Operation)


class OpTypes(dict[type, bool]):
    """Whether an operation is of one of some kinds, by its type: `KINDS[type(op)]`.

    It is what isinstance() says, which asks a function in Python about each kind, and takes ten times as long for one.
    """

    def __init__(self, *op_types: type) -> None:
        super().__init__()
        self._op_types = op_types

    def __missing__(self, op_type: type) -> bool:
        found = self[op_type] = issubclass(op_type, self._op_types)
        return found


def operations_in(root: Operation | Region | Block, *op_types: type[_Op]) -> list[_Op]:
    """The operations in `root`, itself included, whose type is exactly one of `op_types`, in program order.

    Every pass asks this of every operation. `walk` and isinstance(), a chain of generators and a search among abstract
    classes for each, take ten times as long.
    """
    found: list[Operation] = []
    if type(root) is Region:
        _collect_in_region(root, op_types, found)
    elif type(root) is Block:
        _collect(root, op_types, found)
    else:
        # isinstance() of an abstract class takes as long as looking through a small piece of IR.
        operation = cast("Operation", root)
        if type(operation) in op_types:
            found.append(operation)
        for region in operation.regions:
            _collect_in_region(region, op_types, found)
    return cast("list[_Op]", found)


def everything_in(root: Operation | Region | Block) -> list[Operation]:
    """All operations in `root`, itself included, in program order: `list(root.walk())` in a fifth of the time."""
    found: list[Operation] = []
    if type(root) is Region:
        _collect_all(root, found)
    elif type(root) is Block:
        _collect_all_of_block(root, found)
    else:
        assert isinstance(root, Operation)
        found.append(root)
        for region in root.regions:
            _collect_all(region, found)
    return found


def _collect_all(region: Region, found: list[Operation]) -> None:
    block = region._first_block
    while block is not None:
        _collect_all_of_block(block, found)
        block = block._next_block


def _collect_all_of_block(block: Block, found: list[Operation]) -> None:
    op = block._first_op
    while op is not None:
        found.append(op)
        for region in op.regions:
            _collect_all(region, found)
        op = op._next_op


def _collect_in_region(region: Region, op_types: tuple[type[Operation], ...], found: list[Operation]) -> None:
    block = region._first_block
    while block is not None:
        _collect(block, op_types, found)
        block = block._next_block


def _collect(block: Block, op_types: tuple[type[Operation], ...], found: list[Operation]) -> None:
    # The fields of links: each property takes as long as the rest of an iteration.
    op = block._first_op
    while op is not None:
        if type(op) in op_types:
            found.append(op)
        if op.regions:
            for region in op.regions:
                _collect_in_region(region, op_types, found)
        op = op._next_op


def operations_between(first: Operation, second: Operation) -> list[Operation]:
    """The operations behind the first and before the second, which is behind it in the same block."""
    found: list[Operation] = []
    op = first.next_op
    while op is not None and op is not second:
        found.append(op)
        op = op.next_op
    return found


def computed_from(values: Iterable[SSAValue], op_type: type[_Op], without: Iterable[SSAValue] = ()) -> list[_Op]:
    """The nearest operations of a kind that values are computed from, other than by way of the values `without`."""
    waiting, seen = list(values), set(without)
    found: list[_Op] = []
    while waiting:
        value = waiting.pop()
        if value not in seen and isinstance(value.owner, Operation):
            seen.add(value)
            if isinstance(value.owner, op_type):
                found.append(value.owner)
            else:
                waiting += value.owner.operands
    return found


def is_argument(value: SSAValue) -> bool:
    """Whether a value is an argument of a function."""
    return isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), FuncOp)


def operations_of(block: Block) -> list[Operation]:
    """The operations of a block, for those who change it on the way. `list(block.ops)` counts them first."""
    found: list[Operation] = []
    op = block._first_op
    while op is not None:
        found.append(op)
        op = op._next_op
    return found
