"""Defines operations whose operands, results and regions are quick to reach by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from xdsl.ir import Operation, SSAValues
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, OptionalDef, VariadicDef, irdl_op_definition

_Op = TypeVar("_Op", bound=IRDLOperation)
_item: Callable[[Any, int], Any] = tuple.__getitem__
_items: Callable[[Any, slice], Any] = tuple.__getitem__


def define_operation(op_type: type[_Op]) -> type[_Op]:
    """xDSL's `irdl_op_definition`, after which parts are taken by position: those before all variadic parts, a
    variadic part that is the last one, and operands in segments whose sizes the operation has.

    xDSL finds out at each access which parts are meant, makes a view of all of them, and asks that for one: eight
    calls, for what passes do more often than anything else.
    """
    made = irdl_op_definition(op_type)
    definition = made.get_irdl_definition()
    _take_by_position(made, definition.operands, _OPERANDS)
    _take_by_position(made, definition.results, _RESULTS)
    _take_by_position(made, definition.regions, _REGIONS)
    if AttrSizedOperandSegments(as_property=True) in definition.options:
        _take_by_size(made, definition.operands)
    return made


class _Getters(NamedTuple):
    """The getters of one sort of parts of an operation: the one at a position, those from it on, and the one there if
    any."""

    one: Callable[[int], Callable[[Any], Any]]
    rest: Callable[[int], Callable[[Any], Any]]
    optional: Callable[[int], Callable[[Any], Any]]


def _take_by_position(op_type: type[Operation], parts: Sequence[tuple[str, object]], getters: _Getters) -> None:
    for number, (name, part) in enumerate(parts):
        getter = getters.one
        if isinstance(part, VariadicDef):
            if number < len(parts) - 1:
                return
            getter = getters.optional if isinstance(part, OptionalDef) else getters.rest
        setattr(op_type, name, property(getter(number)))


def _take_by_size(op_type: type[Operation], parts: Sequence[tuple[str, object]]) -> None:
    for number, (name, part) in enumerate(parts):
        getter = _sized
        if isinstance(part, VariadicDef):
            getter = _optional_sized if isinstance(part, OptionalDef) else _all_sized
        setattr(op_type, name, property(getter(number)))


def _sized(number: int) -> Callable[[Any], Any]:
    return lambda op: _item(op._operands, _starts(op)[number])


def _optional_sized(number: int) -> Callable[[Any], Any]:
    def get(op: Any) -> Any:
        start, end = _starts(op)[number : number + 2]
        return _item(op._operands, start) if end > start else None

    return get


def _all_sized(number: int) -> Callable[[Any], Any]:
    return lambda op: SSAValues(_items(op._operands, slice(*_starts(op)[number : number + 2])))


def _starts(op: Any) -> tuple[int, ...]:
    """Where the segments of an operation's operands begin, and where the last one ends."""
    sizes = op.properties["operandSegmentSizes"]
    # By the bytes, which have a hash: to read them takes xDSL as long as the rest of a rewrite.
    found = _known_starts.get(sizes.data.data)
    if found is None:
        found = _known_starts[sizes.data.data] = (0, *accumulate(sizes.get_values()))
    return found


_known_starts: dict[bytes, tuple[int, ...]] = {}


def _first_of(values: tuple[Any, ...]) -> Any:
    return _item(values, 0) if values else None


_OPERANDS = _Getters(
    lambda number: lambda op: _item(op._operands, number),
    lambda number: lambda op: SSAValues(_items(op._operands, slice(number, None))),
    lambda number: lambda op: _first_of(_items(op._operands, slice(number, None))),
)
_RESULTS = _Getters(
    lambda number: lambda op: _item(op.results, number),
    lambda number: lambda op: SSAValues(_items(op.results, slice(number, None))),
    lambda number: lambda op: _first_of(_items(op.results, slice(number, None))),
)
_REGIONS = _Getters(
    lambda number: lambda op: op.regions[number],
    lambda number: lambda op: op.regions[number:],
    lambda number: lambda op: _first_of(op.regions[number:]),
)
