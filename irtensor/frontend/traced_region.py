"""What `operator` is given of regions: a function over operands, traced to a formula; cases by which are stored."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import Scalar
from irtensor.core.regions import Operand, Region, combined, complement, parse_region

_HELP = "join the operands by &, |, ^ and ~, as in region=lambda a, b: a & ~b"
_NUMBERS = (bool, int, float, complex)


class TracedRegion:
    """Where some operands are stored, in a function that says where an operator has a value."""

    __slots__ = ("region",)

    def __init__(self, region: Region):
        self.region = region

    def __and__(self, other: object) -> TracedRegion:
        return self._joined("&", other)

    def __or__(self, other: object) -> TracedRegion:
        return self._joined("|", other)

    def __xor__(self, other: object) -> TracedRegion:
        return self._joined("^", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> TracedRegion:
        return TracedRegion(complement(self.region))

    def __eq__(self, other: object) -> NoReturn:
        raise _no_region("is compared")

    def __ne__(self, other: object) -> NoReturn:
        raise _no_region("is compared")

    def __bool__(self) -> NoReturn:
        raise _no_region("is used as a truth value")

    def _joined(self, symbol: str, other: object) -> Any:
        if isinstance(other, TracedRegion):
            return TracedRegion(combined(symbol, self.region, other.region))
        return TracedRegion(combined(symbol, self.region, other)) if type(other) is bool else NotImplemented


def _no_region(what: str) -> UserError:
    return UserError("bad-operator", f"the region of an operand {what}", help=_HELP)


def trace_region(name: str, parameters: Sequence[str], given: object) -> Region:
    """The region of `@name` that a function of its operands, a text or a truth value says.

    Raises UserError [bad-operator], and [bad-region] for a text.
    """
    if type(given) is bool:
        return given
    if isinstance(given, str):
        return parse_region(given, parameters)
    if not callable(given):
        raise _not_a_region(name, given)
    _check_operands(name, parameters, given)
    try:
        region: Any = given(*(TracedRegion(Operand(number)) for number in range(len(parameters))))
    except TypeError:
        message = f"the region of @{name} joins operands by something that is not an operation of regions"
        raise UserError("bad-operator", message, help=_HELP) from None
    if type(region) is bool:
        return region
    if not isinstance(region, TracedRegion):
        raise _not_a_region(name, region)
    return region.region


def _check_operands(name: str, parameters: Sequence[str], given: Callable[..., Any]) -> None:
    try:
        named = inspect.signature(given).parameters
    except (TypeError, ValueError):
        raise UserError("bad-operator", f"cannot tell the operands of the region of @{name}", help=_HELP) from None
    names = tuple(named)
    takes_any = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in named.values())
    if len(names) != len(parameters) and not takes_any:
        message = f"the region of @{name} names {_count(names)}, the operator has {_count(parameters)}"
        help = f"give the region the operands of the operator: lambda {', '.join(parameters)}: ..."
        raise UserError("bad-operator", message, help=help)


def _count(operands: Sequence[str]) -> str:
    return f"{len(operands)} operand{'s' * (len(operands) != 1)} ({', '.join(operands)})"


def _not_a_region(name: str, given: object) -> UserError:
    return UserError("bad-operator", f"the region of @{name} is {given!r}, which is not a region", help=_HELP)


def read_cases(name: str, count: int, given: object) -> dict[tuple[int, ...], Callable[..., Any]]:
    """The functions of cases by the numbers of the operands that are stored; raises UserError [bad-operator]."""
    if not isinstance(given, Mapping):
        help = "give a dict, as in cases={(0,): lambda a, b: -a}: where only operand 0 is stored, -a"
        raise UserError("bad-operator", f"the cases of @{name} are {given!r}, not a dict", help=help)
    found: dict[tuple[int, ...], Callable[..., Any]] = {}
    for key, function in given.items():
        case = _case(name, count, key)
        if case in found:
            message = f"two cases of @{name} are for operands {_listed(case)}"
            raise UserError("bad-operator", message, help="remove one: a key is a set, in any order")
        if not callable(function):
            message = f"the case of @{name} for operands {_listed(case)} is {function!r}, not a function"
            raise UserError("bad-operator", message, help="give a function of all arguments, as lambda a, b: -a")
        found[case] = function
    return found


def _case(name: str, count: int, key: object) -> tuple[int, ...]:
    found: set[int] = set()
    numbers = list(key) if isinstance(key, Iterable) and not isinstance(key, str) else [key]
    for number in numbers:
        if type(number) is not int or not 0 <= number < count:
            message = f"a case of @{name} is for operand {number!r}, but its operands are 0 to {count - 1}"
            raise UserError("bad-operator", message, help="a key is the set of the numbers that are stored, as (0, 2)")
        found.add(number)
    return tuple(sorted(found))


def _listed(case: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, case)) + ("," if len(case) == 1 else "") + ")"


def read_constants(name: str, trait: str, count: int, given: object) -> Scalar | tuple[Scalar | None, ...] | None:
    """An identity or annihilator: a number for all arguments, or a tuple of those that single arguments have."""
    if given is None or python_number(given) is not None:
        return python_number(given)
    if not isinstance(given, Mapping):
        message = f"the {trait} of @{name} must be a number, got {given!r}"
        help = f"give one, or omit {trait}= if there is none"
        raise UserError("bad-operator", message, help=help)
    for number, value in given.items():
        if type(number) is not int or not 0 <= number < count:
            message = f"the {trait} of @{name} is given for argument {number!r}, but its arguments are 0 to {count - 1}"
            raise UserError("bad-operator", message, help=f"arguments count from 0, as in {trait}={{0: 1}}")
        if python_number(value) is None:
            message = f"the {trait} of argument {number} of @{name} is {value!r}, not a number"
            raise UserError("bad-operator", message, help="give a bool, int, float or complex number")
    return tuple(python_number(given.get(number)) for number in range(count))


def python_number(given: Any) -> Scalar | None:
    """A number, be it one of Python or of NumPy, as one of Python; None for anything else."""
    if type(given) not in _NUMBERS and getattr(given, "shape", None) == ():
        given = given.item()
    return given if type(given) in _NUMBERS else None
