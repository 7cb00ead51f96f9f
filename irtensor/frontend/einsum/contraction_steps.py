"""The statements that a product of tensors is computed by, one after the other, and the intermediates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.frontend.einsum.contraction_choice import MORE_ENTRIES, MORE_MEMORY, Choice, choose
from irtensor.frontend.einsum.contraction_costs import Factor, Product
from irtensor.frontend.einsum.contraction_order import Contraction
from irtensor.frontend.einsum.einsum_parser import build_statement
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import ordered_union
from irtensor.frontend.kernel_request import CompileStatement, OperandDescription
from irtensor.frontend.parts.kernel_steps import Part, Step, allowed_bytes, compile_parts
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.user_operator import UserOperator

# Bytes of a coordinate.
COORDINATE = 8


class Operand(NamedTuple):
    """One operand as the kernels see it: its name, its index variables, how to bring the user's array there."""

    name: str
    labels: tuple[str, ...]
    description: OperandDescription
    prepare: Callable[[Any], Any] | None = None

    @property
    def stored_labels(self) -> tuple[str, ...]:
        """The index variables in the order in which the operand is stored, outermost first."""
        format = self.description.format
        order = range(len(self.labels)) if format is None else dict.fromkeys(format.dimension_order)
        return tuple([self.labels[dimension] for dimension in order])


class Ring(NamedTuple):
    """What sums and products are, by name, and the operators that are declared for them.

    `zero` is what operands have where nothing is stored, None for the usual 0.
    """

    addition: str = "add"
    multiplication: str = "mul"
    operators: tuple[UserOperator, ...] = ()
    zero: Any = None

    def makes_absent(self, format: TensorFormat | None) -> bool:
        """Whether products are absent where an operand stores nothing."""
        if format is None or format.is_dense:
            return False
        return (format.fill or 0) == (self.zero or 0)


class ProductOfTensors(NamedTuple):
    """A product of operands, all of them read as one dtype, that is summed over what `output` lacks.

    `output` is in the order in which the result is stored.
    """

    operands: tuple[Operand, ...]
    output: tuple[str, ...]
    format: TensorFormat | None
    extents: Mapping[str, int]
    ring: Ring
    exact: bool = False

    def size(self, labels: Sequence[str]) -> int:
        """How many elements a dense tensor has."""
        return math.prod([self.extents[label] for label in labels])


def choose_steps(
    product: ProductOfTensors,
    entries: Sequence[int | None],
    taken: int,
    dtype: np.dtype,
    may_mix: bool = True,
    beside: Sequence[Factor] = (),
) -> Choice | None:
    """How operands of these sizes are multiplied in the least time; None where only one kernel does it as it is asked.

    `entries` is what sparse operands store, and `taken` the bytes of all operands. Sums of sums are sums of products
    only where one operator distributes over the other. `may_mix` allows dense intermediates of sparse operands.
    `beside` are sparse factors that the sum is multiplied by.
    """
    ring = product.ring
    if product.exact or not _distributes(ring, dtype):
        return None
    factors = tuple([factor_of(one, stored, product) for one, stored in zip(product.operands, entries, strict=True)])
    is_sparse = product.format is not None and not product.format.is_dense
    by_blas = ring == Ring() and dtype.kind in "fc"
    whole = Product(factors, product.output, is_sparse, product.extents, by_blas)
    shared = [factor for factor in beside if {*factor.labels} & {*whole.output}]
    whole = whole._replace(beside=tuple(map(whole.projected, shared)))
    bound = allowed_bytes(taken, 0 if is_sparse else product.size(product.output) * dtype.itemsize)
    # Where an operand has no entry, a dense intermediate has the zero of the ring. Combined with any number, that is
    # the zero again, or not a number.
    may_mix = may_mix and not is_sparse

    def refusal(factor: Factor, is_mixed: bool) -> str | None:
        if not factor.is_sparse and (not may_mix if is_mixed else is_sparse and not whole.is_sampled):
            # A sparse result has entries wherever a dense operand has them.
            return MORE_ENTRIES
        size = factor.entries * (dtype.itemsize + (COORDINATE if factor.is_sparse else 0))
        return MORE_MEMORY if size > bound else None

    return choose(whole, refusal)


def factor_of(operand: Operand, stored: int | None, product: ProductOfTensors) -> Factor:
    """An operand with so many stored elements, by its labels and entries; `product` has extents and zeros."""
    labels = operand.stored_labels
    unique = tuple(dict.fromkeys(labels))
    size = product.size(unique)
    if stored is None or not product.ring.makes_absent(operand.description.format):
        return Factor(unique, False, float(size))
    # All numbers of one order of magnitude lead to one choice. A diagonal is as dense as all of the operand.
    about = 0.75 * (1 << stored.bit_length())
    return Factor(unique, True, min(1.0, about / (product.size(labels) or 1)) * size)


def _distributes(ring: Ring, dtype: np.dtype) -> bool:
    if ring.zero is None:
        return True
    # Loaded for another semiring than that of numbers.
    load_for("compiling")
    from irtensor.core.operators import OPERATORS
    from irtensor.passes.analysis.distribution import distributes

    multiply, add = OPERATORS.get(ring.multiplication), OPERATORS.get(ring.addition)
    if multiply is None or add is None or not (multiply.associative and multiply.commutative):
        return False
    return all([distributes(multiply, position, 2, add, element_name(dtype)) for position in (0, 1)])


def parts_of(
    product: ProductOfTensors,
    contractions: Sequence[Contraction],
    choice: Choice | None = None,
    names: Iterator[str] | None = None,
) -> list[Part]:
    """The statements of contractions, which were chosen or given; that of the whole product is the last one.

    `names` are those of the intermediates.
    """
    names = names or map("intermediate{}".format, count())
    current = list(product.operands)
    parts: list[Part] = []
    for number, contraction in enumerate(contractions):
        taken = [current[position] for position in contraction.positions]
        is_last = number == len(contractions) - 1
        if is_last:
            output, format = product.output, product.format
        else:
            output = choice.intermediates[number].labels if choice else _by_entries(taken, contraction.output, product)
            format = sparse_format(taken, output, product)
        name = "result" if is_last else next(names)
        parts.append(_part(name, taken, output, format, product))
        for position in sorted(contraction.positions, reverse=True):
            del current[position]
        described = product.operands[0].description._replace(rank=len(output), format=format)
        current.append(Operand(name, output, described))
    return parts


def _part(
    name: str, taken: Sequence[Operand], output: tuple[str, ...], format: TensorFormat | None, product: ProductOfTensors
) -> Part:
    labels, names, ring = [operand.labels for operand in taken], [operand.name for operand in taken], product.ring
    statement = build_statement(labels, output, names, result=name, product=ring.multiplication, combine=ring.addition)
    return Part(replace(statement, exact=product.exact), format, product.size(output) if format is None else 0)


def compile_steps(
    product: ProductOfTensors,
    contractions: Sequence[Contraction],
    compile_statement: CompileStatement,
    choice: Choice | None = None,
) -> tuple[Step, ...]:
    """The kernels for contractions, which were chosen or given. Raises UserError."""
    parts, operands = parts_of(product, contractions, choice), product.operands
    described = [(operand.name, operand.description) for operand in operands]
    return compile_parts(parts, described, product.extents, product.ring.operators, compile_statement)


def _by_entries(taken: Sequence[Operand], output: tuple[str, ...], product: ProductOfTensors) -> tuple[str, ...]:
    """The labels of an intermediate in the order in which it is stored: first those along which entries are walked."""
    in_order = sorted(taken, key=lambda operand: not product.ring.makes_absent(operand.description.format))
    return tuple([name for name in ordered_union(n for one in in_order for n in one.stored_labels) if name in output])


def sparse_format(taken: Sequence[Operand], output: tuple[str, ...], product: ProductOfTensors) -> TensorFormat | None:
    """The format of a product of sparse operands that is an operand of another product, None for a dense one.

    It has no more entries than one kernel for all operands would multiply. Its rows are found by their number where
    those of an operand are.
    """
    formats = [operand.description.format for operand in taken]
    sparse = [format for format in formats if format is not None and product.ring.makes_absent(format)]
    if product.exact or not output or len(sparse) < len(formats):
        return None
    from irtensor.core.tensor_format import TensorFormat

    outer = [format.levels[0] for format in sparse]
    rows = {
        operand.labels[level.expression.dimension]
        for operand, level in zip(taken, outer, strict=True)
        if level.format.properties.is_array
    }
    format = TensorFormat.of(["dense" if output[0] in rows else "compressed", *["compressed"] * (len(output) - 1)])
    return format.with_fill(sparse[0].fill)
