"""Constants of an operator's arguments: one for all of them, or a list with one for each that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from irtensor.core.operators import Scalar, Traits, converts_exactly
from irtensor.dialects.algebra.scalar_types import constant_attribute, constant_type, constant_value, element_name

_NONE = UnitAttr()


def constants_by_argument(attribute: Attribute | None, types: Sequence[Attribute]) -> Sequence[Attribute | None] | None:
    """The constant that an attribute has for each argument; None where it has no constant of an argument's type.

    An attribute without a list is the constant of all arguments of its type.
    """
    if attribute is None:
        return [None] * len(types)
    if (type := constant_type(attribute)) in types:
        return [attribute if one == type else None for one in types]
    if not isinstance(attribute, ArrayAttr) or len(attribute.data) != len(types):
        return None
    pairs = zip(attribute.data, types, strict=True)
    if not all(one == _NONE or constant_type(one) == type for one, type in pairs):
        return None
    return [None if one == _NONE else one for one in attribute.data]


def constants_attribute(constants: Mapping[int, Scalar], types: Sequence[Attribute]) -> Attribute:
    """The attribute of the constants of some arguments, by their numbers."""
    given = {number: constant_attribute(value, types[number]) for number, value in constants.items()}
    if len(given) == len(types) and len(set(given.values())) == 1:
        return given[0]
    return ArrayAttr([given.get(number, _NONE) for number in range(len(types))])


def verify_annihilators(name: str, attribute: Attribute | None, types: Sequence[Attribute], result: Attribute) -> None:
    """What annihilates `op(x, annihilator)` is a value of the result's type as well."""
    for constant in constants_by_argument(attribute, types) or ():
        value = None if constant is None else constant_value(constant)
        if constant is not None and (value is None or not converts_exactly(value, element_name(result))):
            raise VerifyException(
                f"the annihilator of operator @{name} is {constant}, which is not a value of its result type {result}"
            )


def traits_by_argument(attribute: Attribute | None, types: Sequence[Attribute]) -> tuple[Traits, ...]:
    """What an operator as a plain value has in place of such an attribute: the constants of each argument."""
    constants = constants_by_argument(attribute, types) or [None] * len(types)
    return tuple([_trait(constant) for constant in constants])


def _trait(constant: Attribute | None) -> Traits:
    type = None if constant is None else constant_type(constant)
    value = None if constant is None else constant_value(constant)
    if type is None or value is None:
        return lambda requested: ()
    return lambda requested: (value,) if requested == element_name(type) else ()
