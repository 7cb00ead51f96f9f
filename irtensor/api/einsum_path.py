"""`einsum_path`: by which kernels an einsum is computed, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from irtensor.api.einsum_request import einsum_request, may_split_up, split_operands
from irtensor.frontend.einsum.contraction_order import contractions_of, normalize_optimize, order_contractions
from irtensor.frontend.einsum.einsum_plan import bind_operands, choice_of, describe
from irtensor.frontend.parts.choice_text import choice_text
from irtensor.interop.as_operand import as_operand
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.semirings import Semiring


def einsum_path(
    *operands: Any,
    optimize: Any = None,
    dtype: Any = None,
    format: TensorFormat | str | Any | None = None,
    semiring: Semiring | None = None,
    exact: bool = False,
    **options: Any,
) -> tuple[list[Any], str]:
    """Which operands `einsum` multiplies by one kernel, and then with what, as `numpy.einsum_path` gives it; a text.

    Arguments are those of `einsum`. Without `optimize` the path is the one that `einsum` chooses, and the text has the
    times that are expected for it and for one kernel, and the intermediates. Times follow from extents and numbers of
    entries, as if these were spread evenly. The path may be given to `einsum` or `numpy.einsum` as `optimize`. Nothing
    is compiled.

    Raises UserError as `einsum` does, [bad-path] for an `optimize` that is none.

    >>> A, x = it.Tensor.from_numpy(np.eye(1000), "csr"), np.ones((1000, 64))
    >>> path, text = it.einsum_path("ij,jk,kl->il", A, x, np.ones((64, 8)))
    >>> path
    ['einsum_path', (1, 2), (0, 1)]
    """
    load_for("calls")
    subscripts, given = split_operands(operands)
    arrays = [as_operand(operand) for operand in given]
    may_split = len(arrays) > 2 and may_split_up(None, None, True, options)
    chosen = normalize_optimize(optimize)
    request = einsum_request(subscripts, None, dtype, "K", "safe", chosen, format, semiring, exact, may_split=may_split)
    bound = bind_operands(request, arrays)
    described = describe(request, bound, arrays)
    choice = choice_of(request, described, arrays)
    if choice is None:
        steps = order_contractions(bound, chosen or False)
        why = "as optimize= asks for" if chosen and len(arrays) > 2 else "as nothing else is asked for"
        count = "one kernel" if len(steps) == 1 else f"{len(steps)} kernels"
        return ["einsum_path", *[step.positions for step in steps]], f"{count}, {why}"
    steps = contractions_of(bound.inputs, bound.output, choice.path)
    lines = choice_text(described.product, choice, steps, described.compute_dtype.itemsize)
    # The names of operands in the IR.
    text = re.sub(r"operand(\d)", r"operand \1", "\n".join(lines))
    return ["einsum_path", *choice.path], text
