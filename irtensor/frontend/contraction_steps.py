"""The kernels of a product of tensors, one after the other, and what is between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.bind_extents import wide_indices
from irtensor.frontend.contraction_choice import Choice, choose
from irtensor.frontend.contraction_costs import Factor, Product
from irtensor.frontend.contraction_order import Contraction
from irtensor.frontend.einsum_parser import build_statement
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import ordered_union
from irtensor.frontend.kernel_request import CompiledStatement, CompileStatement, OperandDescription
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.dialects.tensor_format import TensorFormat
    from irtensor.frontend.user_operator import UserOperator

# Bytes that an intermediate may take, whatever the operands and the result do.
ALWAYS_ALLOWED = 256 << 20
# Bytes of a coordinate.
_COORDINATE = 8


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
        return not format.fill if self.zero is None else format.fill == self.zero


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


class Step(NamedTuple):
    """One kernel call: the operands it takes from the list (the result goes to the end), the order of its arguments.

    `big` is how many bytes its dense result takes, where only large operands allow that.
    """

    taken: tuple[int, ...]
    arguments: tuple[int, ...]
    kernel: CompiledStatement
    big: int | None


def choose_steps(
    product: ProductOfTensors, entries: Sequence[int | None], taken: int, dtype: np.dtype
) -> Choice | None:
    """How operands of these sizes are multiplied in the least time; None where only one kernel does it as it is asked.

    `entries` is what sparse operands store, and `taken` the bytes of all operands. Sums of sums are sums of products
    only where one operator distributes over the other.
    """
    ring = product.ring
    if product.exact or not _distributes(ring, dtype):
        return None
    factors = tuple([_factor(one, stored, product) for one, stored in zip(product.operands, entries, strict=True)])
    is_sparse = product.format is not None and not product.format.is_dense
    by_blas = ring == Ring() and dtype.kind in "fc"
    whole = Product(factors, product.output, is_sparse, product.extents, by_blas)
    bound = max(ALWAYS_ALLOWED, taken + (0 if is_sparse else product.size(product.output) * dtype.itemsize))
    # Where an operand has no entry, a dense intermediate has the number 0, which has to be one beside any other number.
    may_mix = ring.zero is None

    def allowed(factor: Factor, is_mixed: bool) -> bool:
        if not factor.is_sparse and (is_sparse or (is_mixed and not may_mix)):
            # A sparse result has entries wherever a dense operand has them.
            return False
        return factor.entries * (dtype.itemsize + (_COORDINATE if factor.is_sparse else 0)) <= bound

    return choose(whole, allowed)


def _factor(operand: Operand, stored: int | None, product: ProductOfTensors) -> Factor:
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
    from irtensor.dialects.operators import OPERATORS
    from irtensor.passes.analysis.distribution import distributes

    multiply, add = OPERATORS.get(ring.multiplication), OPERATORS.get(ring.addition)
    if multiply is None or add is None or not (multiply.associative and multiply.commutative):
        return False
    return all([distributes(multiply, place, 2, add, element_name(dtype)) for place in (0, 1)])


def compile_steps(
    product: ProductOfTensors,
    contractions: Sequence[Contraction],
    compile_statement: CompileStatement,
    choice: Choice | None = None,
) -> tuple[Step, ...]:
    """The kernels for contractions, which were chosen or given. Raises UserError."""
    current = list(product.operands)
    steps: list[Step] = []
    for number, contraction in enumerate(contractions):
        is_last = number == len(contractions) - 1
        taken = [current[position] for position in contraction.positions]
        if is_last:
            output = product.output
        else:
            output = (
                _by_entries(taken, contraction.output, product)
                if choice is None
                else choice.intermediates[number].labels
            )
        wanted = product.format if is_last else _sparse_format(taken, output, product)
        kernel = _compile_step(taken, output, wanted, product, compile_statement)
        arguments = tuple([[one.name for one in taken].index(name) for name in kernel.argument_names])
        size = 0 if is_last or wanted is not None else product.size(output) * kernel.result_dtype.itemsize
        steps.append(Step(contraction.positions, arguments, kernel, size if size > ALWAYS_ALLOWED else None))
        for position in sorted(contraction.positions, reverse=True):
            del current[position]
        described = OperandDescription(kernel.result_dtype, len(output), wanted)
        current.append(Operand(f"intermediate{number}", output, described))
    return tuple(steps)


def _by_entries(taken: Sequence[Operand], output: tuple[str, ...], product: ProductOfTensors) -> tuple[str, ...]:
    """The labels of an intermediate in the order in which it is stored: first those along which entries are walked."""
    in_order = sorted(taken, key=lambda operand: not product.ring.makes_absent(operand.description.format))
    return tuple([name for name in ordered_union(n for one in in_order for n in one.stored_labels) if name in output])


def _sparse_format(taken: Sequence[Operand], output: tuple[str, ...], product: ProductOfTensors) -> TensorFormat | None:
    """The format of a product of sparse operands that is an operand of another product, None for a dense one.

    It has no more entries than one kernel for all operands would multiply. Its rows are found by their number where
    those of an operand are.
    """
    formats = [operand.description.format for operand in taken]
    sparse = [format for format in formats if format is not None and product.ring.makes_absent(format)]
    if product.exact or not output or len(sparse) < len(formats):
        return None
    from irtensor.dialects.tensor_format import TensorFormat

    outer = [format.levels[0] for format in sparse]
    rows = {
        operand.labels[level.expression.dimension]
        for operand, level in zip(taken, outer, strict=True)
        if level.format.name == "dense"
    }
    format = TensorFormat.of(["dense" if output[0] in rows else "compressed", *["compressed"] * (len(output) - 1)])
    return format.with_fill(sparse[0].fill)


def _compile_step(
    taken: Sequence[Operand],
    output: tuple[str, ...],
    format: TensorFormat | None,
    product: ProductOfTensors,
    compile_statement: CompileStatement,
) -> CompiledStatement:
    described = {operand.name: operand.description for operand in taken}
    shapes = {operand.name: tuple([product.extents[label] for label in operand.labels]) for operand in taken}
    labels, names = [operand.labels for operand in taken], [operand.name for operand in taken]
    ring = product.ring
    statement = build_statement(labels, output, names, product=ring.multiplication, combine=ring.addition)
    wide = wide_indices(statement, shapes)
    statement = replace(statement, exact=product.exact)
    return compile_statement(statement, described, format, operators=ring.operators, wide=wide)


def run_steps(steps: Sequence[Step], operands: Sequence[Any], shape: tuple[int, ...], target: Any) -> Any:
    """What kernels compute one after the other; the last one stores into `target`, if there is one.

    What they have computed takes the place of what they have read. Raises UserError [dense-intermediate].
    """
    current, last = list(operands), len(steps) - 1
    for number, step in enumerate(steps):
        taken = [current[position] for position in step.taken]
        if step.big is not None:
            _check_intermediate(step.big, number, operands, shape)
        result = step.kernel([taken[position] for position in step.arguments], target if number == last else None)
        if number == last:
            return result
        for position in sorted(step.taken, reverse=True):
            del current[position]
        current.append(result)
    return current[0]


def _check_intermediate(size: int, number: int, operands: Sequence[Any], shape: tuple[int, ...]) -> None:
    """Contracting sparse operands in pairs must not make a dense intermediate that dwarfs them and the result."""
    if all([type(operand) is np.ndarray for operand in operands]):
        return
    taken = sum([operand.nbytes for operand in operands]) + math.prod(shape) * 8
    if size > taken:
        raise UserError(
            "dense-intermediate",
            f"step {number} of the contraction path would make a dense intermediate of {size} bytes, more than 256 MB "
            f"and than the {taken} bytes of operands and result",
            help="leave optimize= out, or use optimize=False for one kernel",
        )
