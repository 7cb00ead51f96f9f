"""Finds factors of a product, or terms of a sum, that a term of the notation combines, wherever they stand in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.core.expression_text import Application, Term
from irtensor.core.operators import OPERATORS
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AssignOp
from irtensor.passes.analysis.chains import Chain, Factor, chain_of
from irtensor.passes.analysis.find_expression import Numbering, commutative_names, values_of
from irtensor.passes.support.insertion import Insertion


class Part(NamedTuple):
    """Some of what a chain combines."""

    chain: Chain
    factors: list[Factor]

    @property
    def is_whole(self) -> bool:
        return len(self.factors) == len(self.chain.factors)

    def may_be_grouped(self, assign: AssignOp) -> bool:
        """Whether these may be combined before the others are: nothing is rounded, or no order is kept."""
        element = element_name(self.chain.root.result.type)
        return self.is_whole or not rounds(self.chain.product, element) or not keeps_order(assign)

    def group(self) -> SSAValue:
        """Combine these first, in the place of the first of them, then the others with the value, which it gives."""
        if self.is_whole:
            return self.chain.root.result
        emit = Insertion(self.chain.root)
        value = self.chain.combined(self.factors, emit)
        first, *others = self.factors
        grouped = replace(first, value=value, operator=self.chain.name, divides=False)
        rest = [grouped if one is first else one for one in self.chain.factors if one not in others]
        self.chain.replace(self.chain.combined(rest, emit))
        return value


def parts(term: Term, assign: AssignOp) -> list[Part]:
    """Those of the chains in an assignment's value that have all that a term combines, in any order."""
    name = _product(term)
    if name is None:
        return []
    commutative = commutative_names(assign)
    chains = [chain for chain in _chains(assign) if chain.product.name == name]
    for sees_through in (False, True):
        numbers = Numbering(sees_through)
        wanted = Counter((numbers.of_term(one, commutative), divides) for one, divides in _factors_of(term, name))
        found = [part for chain in chains if (part := _selected(chain, numbers, wanted.copy())) is not None]
        if found:
            return found
    return []


def _product(term: Term) -> str | None:
    """The name of the operator whose factors a term combines: of a quotient, the product."""
    if not isinstance(term, Application) or len(term.arguments) != 2:
        return None
    operator = OPERATORS.get(term.operator)
    return term.operator if operator is None or operator.undoes is None else operator.undoes


def _factors_of(term: Term, name: str) -> Iterator[tuple[Term, bool]]:
    """What a term combines by an operator, and whether it divides by it."""
    if not isinstance(term, Application) or _product(term) != name:
        yield term, False
        return
    first, second = term.arguments
    yield from _factors_of(first, name)
    if term.operator == name:
        yield from _factors_of(second, name)
    else:
        yield second, True


def _chains(assign: AssignOp) -> list[Chain]:
    """The chains that an assignment's value is computed by, none of them inside of another one."""
    found: list[Chain] = []
    inside: set[ApplyOp] = set()
    for value in values_of(assign):
        op = value.owner
        if isinstance(op, ApplyOp) and op not in inside and (chain := chain_of(op)) is not None:
            inside.update(chain.operations)
            found.append(chain)
    return found


def _selected(chain: Chain, numbers: Numbering, wanted: Counter[tuple[int, bool]]) -> Part | None:
    """The factors of a chain that are wanted, from left to right; None if it does not have all, or only divides."""
    found: list[Factor] = []
    for factor in chain.factors:
        key = numbers.of_value(factor.value), factor.divides
        if wanted[key]:
            wanted[key] -= 1
            found.append(factor)
    is_all = not wanted.total() and not all(factor.divides for factor in found)
    return Part(chain, found) if is_all else None
