"""A product of two dense arrays, summed over labels that both have, as products of matrices by NumPy's BLAS."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from math import prod
from typing import NamedTuple

import numpy as np

# Writes the product of two C-contiguous arrays into a third one, without reading that.
MatrixProduct = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
_Labels = tuple[str, ...]

# So few steps take microseconds in any way.
_SHORT = 4096
# Steps for which an element may be copied: copying one takes about as long as these by BLAS.
_STEPS_PER_COPY = 8
# A stack of so many matrices takes longer than a call of a kernel.
_MANY = 500
# What a matrix of such a stack has at least, for BLAS to be faster than loops: calling it takes some 50 ns. Steps, and
# rows of the right matrix that are multiplied by a number: loops take 1 to 4 ns for each, and vectors if it is long.
_STEPS_OF_TRANSPOSED, _STEPS_OF_VECTOR, _ROWS = 128, 512, 16
# Steps from which on a matrix of a stack is as fast as a larger one, where that would have to be packed: by a copy, or
# by BLAS, which packs matrices of many steps. That takes long for tall ones with few columns.
_SMALL_MATRIX, _LARGE_MATRIX, _FEW = 1 << 10, 1 << 20, 64
# Elements from which on to fill a result with zeros, as `numpy.dot` does, takes longer than `numpy.matmul` takes to see
# what it is given.
_LARGE_RESULT = 1 << 12


class _Form(NamedTuple):
    """`result[stack, rows, columns] += one[stack, rows, summed] * two[stack, summed, columns]`, in labels.

    `one` and `two` may lack labels of the stack. `swapped` says that `one` is the right operand.
    """

    stack: _Labels
    rows: _Labels
    columns: _Labels
    summed: _Labels
    swapped: bool


class _View(NamedTuple):
    """How an operand is seen as a stack of matrices: its axes in order, then its shape; `copied` if not in place."""

    axes: tuple[int, ...]
    shape: tuple[int, ...]
    copied: bool
    transposed: bool

    def of(self, array: np.ndarray) -> np.ndarray:
        view = array.transpose(self.axes)
        return (np.ascontiguousarray(view) if self.copied else view).reshape(self.shape)


def is_matrix_product(left: _Labels, right: _Labels, output: _Labels) -> bool:
    """Whether a product of operands with these labels is one of matrices, each label that is summed being in both."""
    both = {*left} & {*right}
    summed = {*left, *right} - {*output}
    has_repeated = any(len({*labels}) < len(labels) for labels in (left, right, output))
    return not has_repeated and bool(summed) and summed <= both and {*output} <= {*left, *right}


def matrix_product(left: _Labels, right: _Labels, output: _Labels, extents: Mapping[str, int]) -> MatrixProduct | None:
    """What computes the product (see `is_matrix_product`) for these extents; None where loops are faster, or where
    BLAS multiplies otherwise: by a single number, it takes 0 times infinity for 0."""
    if 1 in extents.values():
        return _without_ones(left, right, output, extents)
    steps = prod(extents.values())
    if steps == 0:
        return _nothing
    form = _form(left, right, output, extents)
    if _size(form.summed, extents) == 1:
        return None
    forms = [form._replace(summed=_in_order_of(labels, form.summed)) for labels in (left, right)]
    views = [_views(form, left, right, extents) for form in forms]
    copied = [_copied_elements(pair, extents) for pair in views]
    best = copied.index(min(copied))
    one, two = views[best]
    is_copied = bool(output) and output[-1] in form.stack
    moved = copied[best] + (_size(output, extents) if is_copied else 0)
    if steps > _SHORT and not _is_worth_it(form, one, two, steps, moved, extents):
        return None
    return _product(form, one, two, output, extents, is_copied)


def _without_ones(left: _Labels, right: _Labels, output: _Labels, extents: Mapping[str, int]) -> MatrixProduct | None:
    """The product of the arrays without dimensions of extent 1: matrices are larger without such a column, say."""
    longer = {label: extent for label, extent in extents.items() if extent != 1}
    left, right, output = (_in_order_of(one, longer) for one in (left, right, output))
    shapes = [tuple(longer[label] for label in one) for one in (left, right, output)]
    product = matrix_product(left, right, output, longer)

    def compute(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
        assert product is not None
        product(left.reshape(shapes[0]), right.reshape(shapes[1]), result.reshape(shapes[2]))

    return None if product is None else compute


def _nothing(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """A sum without terms, or a result without elements."""
    result[...] = 0


def _form(left: _Labels, right: _Labels, output: _Labels, extents: Mapping[str, int]) -> _Form:
    """The largest matrices that the result, in its own order, is a stack of."""
    alone = {label: (label in left) - (label in right) for label in output}
    runs = [(side, tuple(run)) for side, run in groupby(output, alone.__getitem__)]
    summed = tuple(label for label in left if label not in output)
    if runs and runs[-1][0] == 0:
        # No matrix has neighbouring elements in memory: the stack is copied into the result.
        rows, columns = (tuple(label for label in output if alone[label] == side) for side in (1, -1))
        return _Form(tuple(label for label in output if not alone[label]), rows, columns, summed, False)
    side, columns = runs[-1] if runs else (-1, ())
    others = [run for other, run in runs if other == -side]
    rows = max(others, key=lambda run: _size(run, extents), default=())
    one, two = (right, left) if side > 0 else (left, right)
    steps = _size((*rows[-1:], *columns, *summed), extents)
    is_tall = _size(columns, extents) <= _FEW and steps < _LARGE_MATRIX
    if len(rows) > 1 and steps >= _SMALL_MATRIX and (is_tall or _is_apart(rows, one)):
        rows = rows[-1:]
    if _is_apart(columns, two) and _size((*rows, *columns[-1:], *summed), extents) >= _SMALL_MATRIX:
        columns = columns[-1:]
    stack = tuple(label for label in output if label not in rows and label not in columns)
    return _Form(stack, rows, columns, summed, side > 0)


def _in_order_of(labels: _Labels, chosen: Collection[str]) -> _Labels:
    return tuple(label for label in labels if label in chosen)


def _size(labels: Sequence[str], extents: Mapping[str, int]) -> int:
    return prod([extents[label] for label in labels])


def _views(form: _Form, left: _Labels, right: _Labels, extents: Mapping[str, int]) -> tuple[_View, _View]:
    one, two = (right, left) if form.swapped else (left, right)
    return (
        _view(one, form.stack, form.rows, form.summed, extents),
        _view(two, form.stack, form.summed, form.columns, extents),
    )


def _view(labels: _Labels, stack: _Labels, first: _Labels, second: _Labels, extents: Mapping[str, int]) -> _View:
    axes = tuple(labels.index(label) for label in (*stack, *first, *second) if label in labels)
    outer = [extents[label] if label in labels else 1 for label in stack]
    # Without a stack, a vector has one dimension.
    matrix = [_size(group, extents) for group in (first, second) if stack or group]
    in_place = labels[-1] not in stack and _is_run(first, labels) and _is_run(second, labels)
    return _View(axes, (*outer, *matrix), not in_place, in_place and labels[-1] in first and bool(second))


def _is_run(group: _Labels, labels: _Labels) -> bool:
    """Whether a group stands in the labels as one piece."""
    start = labels.index(group[0]) if group else 0
    return labels[start : start + len(group)] == group


def _is_apart(group: _Labels, labels: _Labels) -> bool:
    """Whether a group does not stand together, and its last label with others makes matrices without a copy."""
    return not _is_run(group, labels) and labels[-1] not in group[:-1]


def _copied_elements(views: tuple[_View, _View], extents: Mapping[str, int]) -> int:
    return sum(prod(view.shape) for view in views if view.copied)


def _is_worth_it(form: _Form, one: _View, two: _View, steps: int, moved: int, extents: Mapping[str, int]) -> bool:
    if moved * _STEPS_PER_COPY > steps:
        return False
    count = _size(form.stack, extents)
    if count < _MANY:
        return True
    if not (form.rows and form.columns):
        return steps // count >= _STEPS_OF_VECTOR
    if _size((*form.rows, *form.summed), extents) < _ROWS:
        return False
    return steps // count >= _STEPS_OF_TRANSPOSED or not (one.transposed or two.transposed)


def _product(
    form: _Form, one: _View, two: _View, output: _Labels, extents: Mapping[str, int], is_copied: bool
) -> MatrixProduct:
    ordered = (*form.stack, *form.rows, *form.columns)
    axes = tuple(output.index(label) for label in ordered)
    back = tuple(ordered.index(label) for label in output)
    matrix = tuple(_size(group, extents) for group in (form.rows, form.columns) if form.stack or group)
    stacked = (*(extents[label] for label in form.stack), *matrix)
    plain = tuple(extents[label] for label in ordered)
    swapped, multiply = form.swapped, np.matmul if form.stack else np.dot
    is_large = not form.stack and len(matrix) == 2 and prod(matrix) >= _LARGE_RESULT

    # Kernels are silent about overflows and NaNs.
    @np.errstate(all="ignore")
    def compute(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
        first, second = (one.of(right), two.of(left)) if swapped else (one.of(left), two.of(right))
        if is_large and first.flags.forc and second.flags.forc:
            np.matmul(first, second, out=result.transpose(axes).reshape(stacked))
        elif is_copied:
            result[...] = multiply(first, second).reshape(plain).transpose(back)
        else:
            multiply(first, second, out=result.transpose(axes).reshape(stacked))

    return compute
