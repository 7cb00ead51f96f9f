"""The plan of an einsum call: all that depends on the kinds and shapes of its operands, but not on their data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.bind_extents import wide_indices
from irtensor.frontend.contraction_order import Contraction, order_contractions
from irtensor.frontend.einsum_parser import BoundEinsum, Subscripts, bind_shapes, build_statement
from irtensor.frontend.einsum_types import (
    check_out,
    check_unsigned,
    common_dtype,
    compute_dtype,
    read_directly,
    read_dtype,
)
from irtensor.frontend.kernel_request import CompiledStatement, CompileStatement, OperandDescription
from irtensor.frontend.result_layout import result_dimensions, take_diagonals

if TYPE_CHECKING:
    from irtensor.dialects.tensor_format import TensorFormat
    from irtensor.semirings import Semiring

# A dense intermediate of this many elements is small whatever the operands store.
_SMALL_INTERMEDIATE = 1 << 16


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


class Operand(NamedTuple):
    """One operand as the kernels see it: its name, its index variables, how to bring the user's array there."""

    name: str
    labels: tuple[str, ...]
    description: OperandDescription
    prepare: Callable[[Any], Any] | None = None


class Step(NamedTuple):
    """One kernel call: the operands it takes from the list (the result goes to the end), the order of its arguments."""

    taken: tuple[int, ...]
    arguments: tuple[int, ...]
    kernel: CompiledStatement
    dense_size: int | None


class EinsumPlan(NamedTuple):
    """Preparations, steps, and what to do with the last result. `view` alone is set where no arithmetic is needed."""

    shape: tuple[int, ...]
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    view: Callable[[Any], Any] | None
    result_dtype: np.dtype
    compute_dtype: np.dtype
    dimensions: tuple[int, ...]
    is_dense: bool


def make_plan(request: EinsumRequest, operands: Sequence[Any], compile_statement: CompileStatement) -> EinsumPlan:
    """Check a call and compile its kernels. `operands` are NumPy arrays and irtensor Tensors; only shapes, dtypes,
    formats, strides and identity (the same object given twice) matter. Errors are UserErrors.
    """
    dense = [isinstance(operand, np.ndarray) for operand in operands]
    bound = bind_shapes(
        request.subscripts, [tuple(operand.shape) for operand in operands], [not is_dense for is_dense in dense]
    )
    if dense == [True] and request.gives_view and request.out_dtype is None and request.format is None:
        view = _view(bound)
        if view is not None:
            return EinsumPlan(bound.shape, (), (), view, operands[0].dtype, operands[0].dtype, (), True)
    dtypes = [operand.dtype for operand in operands]
    requested, casting = request.dtype, request.casting
    if request.semiring is not None and request.semiring.dtype is not None:
        requested, casting = read_dtype(request.semiring.dtype), "unsafe"
    common = common_dtype(dtypes, requested, request.out_dtype, casting)
    if request.semiring is not None:
        check_unsigned(common, request.semiring)
    computed = compute_dtype(common)
    dimensions, format = _result_storage(request, bound, operands, dense)
    prepared = _describe_operands(bound, operands, dense, common, computed)
    if request.semiring is not None:
        prepared = [_in_semiring(operand, request.semiring, computed) for operand in prepared]
    steps = _compile_steps(request, bound, prepared, computed, dimensions, format, compile_statement)
    is_dense = format is None
    if steps[-1].kernel.result_dtype != computed:
        # A product in another dtype, as of a comparison, which is that of the result.
        common = computed = steps[-1].kernel.result_dtype
        check_out(common, request.out_dtype, casting)
    return EinsumPlan(bound.shape, tuple(prepared), steps, None, common, computed, dimensions, is_dense)


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
    described = OperandDescription(description.dtype, description.rank, format.with_fill(fill), description.read_as)
    return Operand(operand.name, operand.labels, described, prepare)


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
            # The values become those of the common type first; then the same bits, or float16's values, in `dtype`.
            array = array.astype(common, copy=False)
            array = np.require(array, requirements="C")
            array = array.view(dtype) if common.kind == "u" else array.astype(dtype, copy=False)
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
    if not is_direct or common != computed:
        message = f"sparse {name} of dtype {tensor.dtype} cannot take part in a computation in {common}"
        raise UserError("unsupported-dtype", message, help="convert the tensor with .astype, or give dtype=")
    read_as = computed if tensor.dtype != computed else None
    return Operand(name, labels, OperandDescription(tensor.dtype, len(tensor.shape), tensor.format, read_as))


def _compile_steps(
    request: EinsumRequest,
    bound: BoundEinsum,
    operands: Sequence[Operand],
    computed: np.dtype,
    dimensions: tuple[int, ...],
    format: TensorFormat | None,
    compile_statement: CompileStatement,
) -> tuple[Step, ...]:
    contractions = order_contractions(bound, request.optimize)
    current = list(operands)
    steps: list[Step] = []
    for number, contraction in enumerate(contractions):
        is_last = number == len(contractions) - 1
        output = tuple(bound.output[dimension] for dimension in dimensions) if is_last else contraction.output
        taken = [current[position] for position in contraction.positions]
        wanted = format if is_last else _sparse_format(taken, output, request, computed)
        step = _compile_step(contraction, output, current, computed, wanted, request, bound.extents, compile_statement)
        is_big = not is_last and wanted is None and _size(output, bound) > _SMALL_INTERMEDIATE
        steps.append(Step(step[0], step[1], step[2], _size(output, bound) if is_big else None))
        for position in sorted(contraction.positions, reverse=True):
            del current[position]
        described = OperandDescription(step[2].result_dtype, len(output), wanted)
        current.append(Operand(f"intermediate{number}", output, described))
    return tuple(steps)


def _sparse_format(
    taken: Sequence[Operand], output: tuple[str, ...], request: EinsumRequest, computed: np.dtype
) -> TensorFormat | None:
    """The format of a product of sparse operands that is an operand of another product, None for a dense one.

    It has no more entries than one kernel for all operands would multiply. Its rows are found by their number where
    those of an operand are.
    """
    formats = [operand.description.format for operand in taken]
    sparse = [format for format in formats if format is not None and _makes_absent(format, request.semiring, computed)]
    if request.exact or not output or len(sparse) < len(formats):
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


def _makes_absent(format: TensorFormat, semiring: Semiring | None, computed: np.dtype) -> bool:
    """Whether products are absent where a sparse operand stores nothing."""
    zero = _zero(semiring, computed)
    return not format.is_dense and (not format.fill if zero is None else format.fill == zero)


def _zero(semiring: Semiring | None, computed: np.dtype) -> Any:
    """The fill of operands of which nothing is stored; None for the usual one."""
    return None if semiring is None or computed.kind == "b" else semiring.zero(computed)


def _size(labels: tuple[str, ...], bound: BoundEinsum) -> int:
    return math.prod(bound.extents[label] for label in labels)


def _compile_step(
    contraction: Contraction,
    output: tuple[str, ...],
    current: Sequence[Operand],
    computed: np.dtype,
    format: TensorFormat | None,
    request: EinsumRequest,
    extents: Mapping[str, int],
    compile_statement: CompileStatement,
) -> tuple[tuple[int, ...], tuple[int, ...], CompiledStatement]:
    taken = [current[position] for position in contraction.positions]
    names = [operand.name for operand in taken]
    labels = [operand.labels for operand in taken]
    described = {operand.name: operand.description for operand in taken}
    shapes = {operand.name: tuple(extents[label] for label in operand.labels) for operand in taken}
    if (semiring := request.semiring) is None:
        operators = ()
        statement = build_statement(labels, output, names, boolean=computed.kind == "b")
    else:
        addition, multiplication, operators = semiring.operators(computed)
        statement = build_statement(labels, output, names, product=multiplication, combine=addition)
    wide = wide_indices(statement, shapes)
    statement = replace(statement, exact=request.exact)
    kernel = compile_statement(statement, described, format, operators=operators, wide=wide)
    arguments = tuple(names.index(name) for name in kernel.argument_names)
    return contraction.positions, arguments, kernel
