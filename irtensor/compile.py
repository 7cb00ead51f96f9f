"""`compile`: a statement to a kernel that is called with its operands by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from irtensor.compiler.notation_kernel import NotationKernel
from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.user_operator import UserOperator
from irtensor.options import check_names
from irtensor.schedule import Schedule, as_schedule, as_tuning


def compile(
    notation: str,
    formats: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    *,
    operators: Sequence[UserOperator] = (),
    convert: bool = True,
    schedule: Schedule | Literal["auto"] | None = None,
    tune: Literal["operands", "samples"] | None = None,
    exact: bool = False,
    **options: Any,
) -> NotationKernel:
    """A kernel for a statement such as `"y[i] = A[i,j] * x[j] + b[i]"`; taco's `y(i)` works as well.

    `formats` gives storage formats by tensor name, the result's included; operands stored otherwise are converted at
    each call (see `explain()`). An operand without a format here is read as it is stored: NumPy arrays dense, sparse
    tensors in their own format. A result without a format is dense. `dtypes` gives element types by tensor name,
    which arrays, and the result, are converted to; without it the kernel specialises on the dtypes it is called with.
    `operators` are those that the notation uses, made by `irtensor.operator`. With `convert=False` an operand is
    never converted: an error says which one would have to be. A `schedule`, made by `irtensor.schedule()`,
    rearranges the loops; "auto" searches for those of least asymptotic cost, of which a call takes the one that is
    expected to be the least work on operands of its sizes. With `tune`, a call measures the programs of least cost
    and the loops without a schedule, on its operands or on uniform samples like them, and takes the fastest: once
    for operands of some order of magnitude, which is kept on disk (see `explain()`).
    An entry that a factor does not store makes the product absent, whatever the other factor is; with `exact` it is
    computed with the fill value, so that 0 times infinity is NaN at all coordinates. Options are those of
    irtensor.options: strict_fp, gallop, verify, disk_cache, cache_dir.

    The code is compiled with the first call, for its dtypes and formats, and kept. Call the kernel with operands by
    name or in the order of `operand_names`: `k(A=A, x=x, b=b)`. The result is a NumPy array or scalar, for a sparse
    format a Tensor. A compound assignment, `y[i] += ...`, starts from the operand y if it is given. A SciPy array is
    checked when it is first seen; after that its index arrays must not be changed in place (its values may).
    Raises UserError, located in the notation.
    """
    if not isinstance(notation, str):
        raise UserError("bad-argument", f"the notation is a text, not {type(notation).__name__}")
    for name, given in (("formats", formats), ("dtypes", dtypes)):
        if given is not None and not isinstance(given, Mapping):
            message = f"{name} maps names of tensors, as in {name}={{'A': ...}}; got {type(given).__name__}"
            raise UserError("bad-argument", message)
    for operator in operators:
        if not isinstance(operator, UserOperator):
            message = f"operators are made by irtensor.operator; got {type(operator).__name__}"
            raise UserError("bad-argument", message)
    check_names(options, ("formats", "dtypes", *(compile.__kwdefaults__ or ())))
    statement = parse_notation(notation, [operator.name for operator in operators])
    if exact:
        statement = replace(statement, exact=True)
    tuning = as_tuning(tune, schedule)
    chosen = as_schedule(None if tune else schedule)
    return NotationKernel(
        statement, formats or {}, dtypes or {}, tuple(operators), bool(convert), options, chosen, tuning
    )
