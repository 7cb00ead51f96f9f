"""The plan of an einsum call: all facts that depend on the kinds and shapes of its operands, but not on their data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.einsum.contraction_choice import MORE_ENTRIES, Choice
from irtensor.frontend.einsum.contraction_order import contractions_of, order_contractions
from irtensor.frontend.einsum.contraction_steps import (
    Operand,
    ProductOfTensors,
    Ring,
    choose_steps,
    compile_steps,
    parts_of,
)
from irtensor.frontend.einsum.einsum_parser import BoundEinsum, Subscripts, bind_shapes
from irtensor.frontend.einsum.einsum_types import (
    check_out,
    common_dtype,
    compute_dtype,
    read_directly,
    read_dtype,
)
from irtensor.frontend.einsum.result_layout import result_dimensions, take_diagonals
from irtensor.frontend.kernel_request import CompileStatement, OperandDescription
from irtensor.frontend.parts.kernel_steps import Part, Step
from irtensor.late_imports import load_for
from irtensor.options import current_options
from irtensor.storage.entries_about import entries_about

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.semirings import Semiring


class EinsumRequest(NamedTuple):
    """The arguments of einsum that are not operands, checked and in normal form."""

    subscripts: Subscripts
    dtype: np.dtype | None
    out_dtype: np.dtype | None
    order: str
    casting: str
    optimize: Any
    format: TensorFormat | Callable[..., TensorFormat] | str | None
    semiring: Semiring | None = None
    exact: bool = False
    # Whether the result may be a view of an operand.
    gives_view: bool = True
    # Whether more than two operands may be multiplied in pairs where `optimize` does not say.
    may_split: bool = False


class EinsumPlan(NamedTuple):
    """Preparations, steps, and what to do with the last result. `view` alone is set where no arithmetic is needed.

    `exactly` gives the steps for results that
    have a NaN, which an infinity makes beside an entry that an intermediate has and an operand has not.
    """

    shape: tuple[int, ...]
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    view: Callable[[Any], Any] | None
    result_dtype: np.dtype
    compute_dtype: np.dtype
    dimensions: tuple[int, ...]
    is_dense: bool
    exactly: Callable[[], tuple[Step, ...]] | None = None


class Described(NamedTuple):
    """A call as a product of tensors: in which type it is, and how the result is seen."""

    bound: BoundEinsum
    product: ProductOfTensors
    result_dtype: np.dtype
    compute_dtype: np.dtype
    dimensions: tuple[int, ...]
    casting: str


def make_plan(request: EinsumRequest, operands: Sequence[Any], compile_statement: CompileStatement) -> EinsumPlan:
    """Check a call and compile its kernels. `operands` are NumPy arrays and irtensor Tensors; only shapes, dtypes,
    formats, strides, numbers of entries and identity (the same object given twice) matter. Errors are UserErrors.
    """
    bound = bind_operands(request, operands)
    is_view = request.gives_view and request.out_dtype is None and request.format is None
    if is_view and [*map(type, operands)] == [np.ndarray]:
        view = _view(bound)
        if view is not None:
            return EinsumPlan(bound.shape, (), (), view, operands[0].dtype, operands[0].dtype, (), True)
    _, product, common, computed, dimensions, casting = described = describe(request, bound, operands)
    choice = choice_of(request, described, operands)
    steps = exactly = None
    at_once = partial(compile_steps, product, order_contractions(bound, False), compile_statement)
    if choice is None:
        steps = compile_steps(product, order_contractions(bound, request.optimize or False), compile_statement)
    elif choice.splits:
        # What one kernel computes is never refused because of the kernels that were chosen.
        with suppress(UserError):
            contractions = contractions_of(bound.inputs, bound.output, choice.path)
            steps = compile_steps(product, contractions, compile_statement, choice)
            if choice.is_mixed and computed.kind in "fc":
                exactly = cache(at_once)
    steps = steps or at_once()
    if steps[-1].kernel.result_dtype != computed:
        # A product in another dtype, as of a comparison, which is that of the result.
        common = computed = steps[-1].kernel.result_dtype
        check_out(common, request.out_dtype, casting)
    made = (common, computed, dimensions, product.format is None, exactly)
    return EinsumPlan(bound.shape, product.operands, steps, None, *made)


def bind_operands(request: EinsumRequest, operands: Sequence[Any]) -> BoundEinsum:
    """The subscripts of a call, bound to shapes. Raises UserError."""
    shapes = [tuple(operand.shape) for operand in operands]
    return bind_shapes(request.subscripts, shapes, [not isinstance(operand, np.ndarray) for operand in operands])


def describe(request: EinsumRequest, bound: BoundEinsum, operands: Sequence[Any]) -> Described:
    """The product that a call asks for. Raises UserError."""
    dense = [isinstance(operand, np.ndarray) for operand in operands]
    requested, casting = request.dtype, request.casting
    if request.semiring is not None and request.semiring.dtype is not None:
        requested, casting = read_dtype(request.semiring.dtype), "unsafe"
    common = common_dtype([operand.dtype for operand in operands], requested, request.out_dtype, casting)
    computed = compute_dtype(common)
    dimensions, format = _result_storage(request, bound, operands, dense)
    prepared = _describe_operands(bound, operands, dense, common, computed)
    if request.semiring is not None:
        prepared = [_in_semiring(operand, request.semiring, computed) for operand in prepared]
    output = tuple(bound.output[dimension] for dimension in dimensions)
    ring = _ring(request.semiring, computed)
    product = ProductOfTensors(tuple(prepared), output, format, bound.extents, ring, request.exact)
    return Described(bound, product, common, computed, dimensions, casting)


def choice_of(request: EinsumRequest, described: Described, operands: Sequence[Any]) -> Choice | None:
    """One kernel or several, where that is to be chosen."""
    if request.optimize is not None or not request.may_split or len(operands) < 3:
        return None
    entries = [None if isinstance(operand, np.ndarray) else entries_about(operand) for operand in operands]
    taken, product = sum([one.nbytes for one in operands]), described.product
    choice = choose_steps(product, entries, taken, described.compute_dtype)
    if choice is None or not choice.splits or not any([factor.is_sparse for factor in choice.intermediates]):
        return choice
    return _with_same_entries(choice, described)


def _with_same_entries(choice: Choice, described: Described) -> Choice:
    """The choice, or that of one kernel, if a sparse result would have other entries.

    An entry of an intermediate without a term is a number beside an infinity, as that of a dense one is, and a sum
    without terms in one of the kernels.
    """
    load_for("compiling")
    from irtensor.compiler.compilation.entries_of_parts import entries_are_terms
    from irtensor.frontend.parts.empty_sums import may_multiply_empty_sums

    bound, product = described.bound, described.product
    operands = [(operand.name, operand.description) for operand in product.operands]

    def parts_along(path: tuple[tuple[int, ...], ...], chosen: Choice | None) -> list[Part]:
        return parts_of(product, contractions_of(bound.inputs, bound.output, path), chosen)

    def are_terms(parts: Sequence[Part]) -> bool:
        return entries_are_terms(parts, operands, product.ring.operators, current_options())

    parts = parts_along(choice.path, choice)
    keeps = are_terms(parts)
    if product.format is None or product.format.is_dense:
        is_other = choice.is_mixed or not keeps or may_multiply_empty_sums(parts, operands)
        return choice._replace(is_mixed=is_other)
    whole = parts_along((tuple(range(len(operands))),), None)
    return choice if keeps and are_terms(whole) else choice.without_pairs(MORE_ENTRIES)


def _view(bound: BoundEinsum) -> Callable[[np.ndarray], np.ndarray] | None:
    """How to see one operand as the result without arithmetic; None if something is summed."""
    labels, output = bound.inputs[0], bound.output
    if set(labels) != set(output):
        return None

    def view(array: np.ndarray) -> np.ndarray:
        diagonal, names = take_diagonals(array, labels)
        return diagonal.transpose([names.index(label) for label in output])

    return view


def _result_storage(
    request: EinsumRequest, bound: BoundEinsum, operands: Sequence[Any], dense: Sequence[bool]
) -> tuple[tuple[int, ...], TensorFormat | None]:
    if request.format is not None:
        from irtensor.frontend.requested_format import resolve_format

        return tuple(range(len(bound.output))), resolve_format(request.format, len(bound.output))
    kept = [position for position, is_dense in enumerate(dense) if is_dense]
    arrays = [np.squeeze(operands[position], bound.squeezed[position]) for position in kept]
    labels = [bound.inputs[position] for position in kept]
    return result_dimensions(request.order, arrays, labels, bound.output, bound.extents), None


def _describe_operands(
    bound: BoundEinsum, operands: Sequence[Any], dense: Sequence[bool], common: np.dtype, computed: np.dtype
) -> list[Operand]:
    described: list[Operand] = []
    for position, operand in enumerate(operands):
        describe = _describe_array if dense[position] else _describe_tensor
        first = next(p for p in range(position + 1) if operands[p] is operand)
        candidate = describe(
            _operand_name(first), operand, bound.inputs[position], bound.squeezed[position], common, computed
        )
        # One object that broadcasts in two ways is two operands.
        if bound.squeezed[first] != bound.squeezed[position]:
            candidate = Operand(_operand_name(position), candidate.labels, candidate.description, candidate.prepare)
        described.append(candidate)
    return described


def _operand_name(position: int) -> str:
    """How the IR, and so an error, refers to an operand."""
    return f"operand{position}"


def _in_semiring(operand: Operand, semiring: Semiring, computed: np.dtype) -> Operand:
    """The operand with the semiring's zero in place of entries that it does not store."""
    description = operand.description
    format = description.format
    if format is None or format.is_dense or format.fill is not None:
        return operand
    prepare = operand.prepare
    if description.read_as is not None and computed.kind != "b":
        # The zero must be one of the type that is computed in: the largest int8 is not infinite.
        description = OperandDescription(computed, description.rank, format)
        prepare = _convert_values(computed)
    fill = _zero(semiring, computed)
    if format.is_pattern and fill:
        # A pattern is false where it has no entry.
        format, prepare = format.with_values, _store_values(prepare)
    described = OperandDescription(description.dtype, description.rank, format.with_fill(fill), description.read_as)
    return Operand(operand.name, operand.labels, described, prepare)


def _store_values(prepare: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def prepared(tensor: Any) -> Any:
        made = tensor if prepare is None else prepare(tensor)
        return made.to_format(made.format.with_values)

    return prepared


def _convert_values(dtype: np.dtype) -> Callable[[Any], Any]:
    return lambda tensor: tensor.astype(dtype)


def _describe_array(
    name: str,
    array: np.ndarray,
    labels: tuple[str, ...],
    squeezed: tuple[int, ...],
    common: np.dtype,
    computed: np.dtype,
) -> Operand:
    kept = [axis for axis in range(array.ndim) if axis not in squeezed]
    # The memory order of the axes: a transposed array is read in place, with its indices permuted.
    axes = sorted(kept, key=lambda axis: -abs(array.strides[axis])) if not array.flags.c_contiguous else kept
    names = dict(zip(kept, labels, strict=True))
    dtype = array.dtype if read_directly(array.dtype, common) else computed
    description = OperandDescription(dtype, len(axes), None, computed if dtype != computed else None)
    permutation = (*axes, *squeezed) if axes != kept or squeezed else None
    shape = tuple(array.shape[axis] for axis in axes) if squeezed else None
    is_plain = permutation is None and dtype == array.dtype and array.flags.c_contiguous and array.flags.aligned
    prepare = None if is_plain else _preparation(permutation, shape, common, dtype)
    return Operand(name, tuple(names[axis] for axis in axes), description, prepare)


def _preparation(
    permutation: tuple[int, ...] | None, shape: tuple[int, ...] | None, common: np.dtype, dtype: np.dtype
) -> Callable[[np.ndarray], np.ndarray]:
    def prepare(array: np.ndarray) -> np.ndarray:
        if permutation is not None:
            array = array.transpose(permutation)
        if shape is not None:
            array = array.reshape(shape)
        if array.dtype != dtype:
            # The values become those of the common type first.
            array = array.astype(common, copy=False).astype(dtype, copy=False)
        return np.require(array, requirements=["C", "ALIGNED"])

    return prepare


def _describe_tensor(
    name: str,
    tensor: Any,
    labels: tuple[str, ...],
    squeezed: tuple[int, ...],
    common: np.dtype,
    computed: np.dtype,
) -> Operand:
    is_direct = read_directly(tensor.dtype, computed) or computed.kind == "b"
    if not is_direct:
        message = f"sparse {name} of dtype {tensor.dtype} cannot take part in a computation in {common}"
        raise UserError("unsupported-dtype", message, help="convert the tensor with .astype, or give dtype=")
    read_as = computed if tensor.dtype != computed else None
    return Operand(name, labels, OperandDescription(tensor.dtype, len(tensor.shape), tensor.format, read_as))


def _ring(semiring: Semiring | None, computed: np.dtype) -> Ring:
    if semiring is None:
        return Ring("or", "and") if computed.kind == "b" else Ring()
    addition, multiplication, operators = semiring.operators(computed)
    return Ring(addition, multiplication, operators, _zero(semiring, computed))


def _zero(semiring: Semiring, computed: np.dtype) -> Any:
    """The fill of operands without stored elements; None for the usual one."""
    return None if computed.kind == "b" else semiring.zero(computed)
