"""In which order the dimensions of a dense einsum result lie in memory: NumPy's `order=` C, F, A and K."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.notation.notation_errors import UserTypeError


def normalize_order(order: str | None) -> str:
    """`order=` in capitals; raises UserError [bad-argument] for another value."""
    if order is None:
        return "K"
    if not isinstance(order, str):
        raise UserTypeError("bad-argument", f"order must be str, not {type(order).__name__}")
    letter = order.upper()
    if letter not in ("C", "F", "A", "K"):
        raise UserError("bad-argument", f"order must be one of 'C', 'F', 'A' or 'K', got {order!r}")
    return letter


def result_dimensions(
    order: str,
    arrays: Sequence[np.ndarray],
    labels: Sequence[tuple[str, ...]],
    output: tuple[str, ...],
    extents: dict[str, int],
) -> tuple[int, ...]:
    """The result's dimensions from the slowest to the fastest in memory.

    `arrays` are the dense operands, one axis per label. K is what NumPy's iterator chooses for them, so it is asked.
    """
    forward = tuple(range(len(output)))
    if order == "A":
        order = "F" if arrays and all(array.flags.f_contiguous for array in arrays) else "C"
    if order == "F":
        return forward[::-1]
    if order == "C" or len(output) < 2 or not arrays:
        return forward
    return _keep_order(arrays, labels, output, extents)


def _keep_order(
    arrays: Sequence[np.ndarray], labels: Sequence[tuple[str, ...]], output: tuple[str, ...], extents: dict[str, int]
) -> tuple[int, ...]:
    views = [take_diagonals(array, names) for array, names in zip(arrays, labels, strict=True)]
    known = dict.fromkeys(label for _, names in views for label in names)
    iterated = output + tuple(label for label in known if label not in output)
    axes = [[names.index(label) if label in names else -1 for label in iterated] for _, names in views]
    axes.append([position if position < len(output) else -1 for position in range(len(iterated))])
    iterator = np.nditer(
        [*(view for view, _ in views), None],
        flags=["reduce_ok", "zerosize_ok", "refs_ok"],
        op_flags=[*(["readonly"] for _ in views), ["readwrite", "allocate"]],
        op_dtypes=[None] * len(views) + [np.dtype(np.bool_)],
        op_axes=axes,
        order="K",
        casting="unsafe",
        itershape=tuple(extents[label] for label in iterated),
    )
    strides = iterator.operands[-1].strides
    return tuple(sorted(range(len(output)), key=lambda dimension: -strides[dimension]))


def take_diagonals(array: np.ndarray, labels: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """A view in which every label has one axis; repeated labels read the diagonal. It is writeable if the array is."""
    names = list(labels)
    for label in dict.fromkeys(labels):
        while names.count(label) > 1:
            first = names.index(label)
            second = names.index(label, first + 1)
            writeable = array.flags.writeable
            array = np.diagonal(array, axis1=first, axis2=second)
            if writeable:
                array.flags.writeable = True
            del names[second], names[first]
            names.append(label)
    return array, tuple(names)
