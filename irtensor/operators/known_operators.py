"""The operators, by name: those that are a part of irtensor, and those that are registered from outside."""

from irtensor.core.scalar_operator import OPERATORS, Operator
from irtensor.operators import (
    bits,
    complex_parts,
    division,
    exponentials,
    ordering,
    sums_and_products,
    trigonometry,
)

_FAMILIES = (sums_and_products, division, ordering, bits, complex_parts, exponentials, trigonometry)
# Other names of operators, those of NumPy and SciPy; and the operators that reduce.
ALIASES: dict[str, str] = {}
REDUCTIONS: list[str] = []


def add_operator(operator: Operator) -> None:
    """Make an operator known by its names."""
    OPERATORS[operator.name] = operator
    ALIASES.update(dict.fromkeys(operator.also, operator.name))
    if operator.reduces:
        REDUCTIONS.append(operator.name)


for _family in _FAMILIES:
    for _operator in _family.FAMILY:
        add_operator(_operator)
BUILT_IN = frozenset(OPERATORS)


def operator_named(name: str) -> Operator | None:
    """The operator that a statement calls by this name."""
    return OPERATORS.get(ALIASES.get(name, name))


def names_outside_operator(text: str) -> bool:
    """Whether the text of statements may name an operator from outside."""
    outside = OPERATORS.keys() - BUILT_IN if len(OPERATORS) > len(BUILT_IN) else ()
    return any(name in text for name in outside)
