"""Defines operations whose operands, results and regions are quick to reach by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, VariadicDef, irdl_op_definition

_Op = TypeVar("_Op", bound=IRDLOperation)
_item: Callable[[Any, int], Any] = tuple.__getitem__


def define_operation(kind: type[_Op]) -> type[_Op]:
    """xDSL's `irdl_op_definition`, after which what stands before all variadic parts is taken from its place.

    xDSL finds out at each access which parts are meant, makes a view of all of them, and asks that for one: eight
    calls, for what passes do more often than anything else.
    """
    made = irdl_op_definition(kind)
    definition = made.get_irdl_definition()
    _take_from_place(made, definition.operands, _operand)
    _take_from_place(made, definition.results, _result)
    _take_from_place(made, definition.regions, _region)
    return made


def _take_from_place(
    kind: type[Operation], parts: Sequence[tuple[str, object]], getter: Callable[[int], Callable[[Any], Any]]
) -> None:
    for number, (name, part) in enumerate(parts):
        if isinstance(part, VariadicDef):
            return
        setattr(kind, name, property(getter(number)))


def _operand(number: int) -> Callable[[Any], Any]:
    return lambda op: _item(op._operands, number)


def _result(number: int) -> Callable[[Any], Any]:
    return lambda op: _item(op.results, number)


def _region(number: int) -> Callable[[Any], Any]:
    return lambda op: op.regions[number]
