"""Semirings for einsum: the operators for the sum and the product, and the value of a missing entry then."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS, Operator, Scalar, same_value
from irtensor.frontend.declared_operator import declared_operator
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Access, Apply
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.promotion import type_operator
from irtensor.frontend.user_operator import UserOperator


@dataclass(frozen=True)
class Semiring:
    """An addition that einsum reduces with, and a multiplication that combines its operands.

    Both are names of built-in operators ("min", "add", ...) or made by `irtensor.operator`. The addition must be
    associative with an identity. Missing entries are that identity, and it annihilates the multiplication: where an
    operand has no entry, nothing is computed.

    `dtype` is the dtype to compute in, by default the operands'. Where the multiplication gives another one, as a
    division of integers does, that is reduced, and is the result's. Raises UserError [unknown-operator],
    [not-a-reduction] and [bad-operator] when it is used.

    >>> longest = it.Semiring("max", "add")
    >>> A = it.Tensor.from_coo([[0, 0], [0, 1]], [2.0, 3.0], shape=(2, 2))
    >>> it.einsum("ij,j->i", A, np.array([10.0, 20.0]), semiring=longest)
    array([ 23., -inf])
    """

    addition: str | UserOperator
    multiplication: str | UserOperator
    dtype: str | None = None

    def __post_init__(self) -> None:
        for role, given in (("addition", self.addition), ("multiplication", self.multiplication)):
            if not isinstance(given, str | UserOperator):
                message = f"the {role} of a semiring is the name of an operator, not {type(given).__name__}"
                raise UserTypeError("bad-argument", message, help="name one, or make one by irtensor.operator")

    def zero(self, dtype: np.dtype) -> Scalar:
        """The identity of the addition: what a missing entry stands for. Raises UserError [not-a-reduction]."""
        identity = _value(self.addition, dtype).identity(element_name(dtype))
        if identity is None:
            message = f"the addition {_name(self.addition)} of a semiring has no identity for {dtype}"
            raise UserError("not-a-reduction", message, help="it must be associative and have one")
        return identity

    def operators(self, dtype: np.dtype) -> tuple[str, str, tuple[UserOperator, ...]]:
        """Names of addition and multiplication in a statement, and the operators to declare for them.

        Raises UserError [bad-operator] if the products have another zero than the operands, because of their dtype.
        """
        declared = [operator for operator in (self.addition,) if isinstance(operator, UserOperator)]
        zero = self.zero(dtype)
        product = _value(self.multiplication, dtype)
        constants = product.left_annihilator(element_name(dtype))
        if any(same_value(constant, zero) for constant in constants):
            if isinstance(self.multiplication, UserOperator):
                declared.append(self.multiplication)
            return _name(self.addition), _name(self.multiplication), tuple(declared)
        multiply = self._with_annihilator(zero)
        self._check_product(multiply, dtype, zero)
        return _name(self.addition), f"@{multiply.name}", (*declared, multiply)

    def _check_product(self, multiply: UserOperator, dtype: np.dtype, zero: Scalar) -> None:
        product = type_operator(replace(multiply, annihilator=None), dtype).dtype
        if product != dtype and not same_value(self.zero(product), zero):
            name = _name(self.multiplication)
            message = f"the multiplication {name} of a semiring gives {product} for {dtype}, and what the addition "
            message += f"{_name(self.addition)} has for a missing entry differs: {self.zero(product)} is not {zero}"
            help = "use a multiplication that keeps the dtype"
            if np.can_cast(dtype, product, "same_kind"):
                help = f'compute in one dtype: give the semiring dtype="{product}"'
            raise UserError("bad-operator", message, help=help)

    def _with_annihilator(self, zero: Scalar) -> UserOperator:
        """The multiplication, which an entry that is missing annihilates."""
        if isinstance(self.multiplication, UserOperator):
            given = self.multiplication
            # Over the addition, beside whose identity it gives that identity, as an annihilator does.
            over = tuple(reduction for reduction in given.distributes_over if reduction == _name(self.addition))
            multiply = replace(given, annihilator=zero, distributes_over=over)
            return replace(multiply, identity=None, associative=False, idempotent=False)
        body = Apply(self.multiplication, (Access("a"), Access("b")))
        commutative = OPERATORS[self.multiplication].commutative
        # It does not distribute by itself: the greatest integer and 1 is another one.
        return UserOperator(f"times_{self.multiplication}", ("a", "b"), body, annihilator=zero, commutative=commutative)


def _name(operator: str | UserOperator) -> str:
    return operator if isinstance(operator, str) else f"@{operator.name}"


def _value(operator: str | UserOperator, dtype: np.dtype) -> Operator:
    if isinstance(operator, UserOperator):
        return declared_operator(operator, dtype)
    if operator not in OPERATORS or OPERATORS[operator].arity != 2:
        binary = ", ".join(name for name, known in OPERATORS.items() if known.arity == 2)
        raise UserError("unknown-operator", f"'{operator}' is not an operator of two arguments", help=f"use {binary}")
    return OPERATORS[operator]


PLUS_TIMES = Semiring("add", "mul")
MIN_PLUS = Semiring("min", "add")
MAX_PLUS = Semiring("max", "add")
MIN_TIMES = Semiring("min", "mul")
MAX_TIMES = Semiring("max", "mul")
MIN_MAX = Semiring("min", "max")
MAX_MIN = Semiring("max", "min")
OR_AND = Semiring("or", "and", "bool")
