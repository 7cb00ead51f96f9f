"""`compile`: a statement to a kernel that is called with its operands by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from irtensor.api.schedule import FORMAT, Schedule, as_schedule, as_tuning, check_format_tuning
from irtensor.compiler.kernel.kernel_sequence import sequence_of
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag, as_mapping, as_text, is_list, is_word
from irtensor.frontend.declared_extents import extents_by_statement
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.notation.check_definitions import returned_names
from irtensor.frontend.notation.notation_parser import parse_notation
from irtensor.frontend.user_operator import UserOperator
from irtensor.memory_cache import MemoryCache
from irtensor.options import check_names, current_options, environment_of_code

# Kernels that are given to nobody, by text, options and environment: callers get others that share their code.
_kernels: MemoryCache[Any, NotationKernel] = MemoryCache(entry_bytes=8192)


def compile(
    notation: str,
    formats: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    *,
    operators: Sequence[UserOperator] = (),
    convert: bool = True,
    schedule: Schedule | Mapping[str, Schedule] | Literal["auto"] | None = None,
    tune: Literal["operands", "samples", "format"] | None = None,
    exact: bool = False,
    extents: Mapping[str, Any] | None = None,
    results: Sequence[str] | None = None,
    **options: Any,
) -> NotationKernel:
    """A kernel for a statement such as `"y[i] = A[i,j] * x[j] + b[i]"`, or for several; taco's `y(i)` works as well.

    Call the kernel with operands by name, or in the order of `operand_names`: `k(A=A, x=x, b=b)`. The code is
    compiled with the first call, for its dtypes and formats, and kept. Another call of `compile` with the same
    arguments takes some microseconds, and its kernel has the same code. The result is a NumPy array or scalar, for a
    sparse format a Tensor. A compound assignment, `y[i] += ...`, starts from the operand y if it is given. A SciPy
    array is checked when it is first seen; after that its index arrays must not be changed in place (its values may).
    A product of two dense operands alone is computed by NumPy's BLAS, and nothing is compiled: see docs/planning.md.

    - `formats`: storage formats by tensor name, the result's included. Operands stored otherwise are converted at
      each call (see `explain()`). An operand without a format here is read as it is stored: NumPy arrays dense,
      sparse tensors in their own format. A result without a format is dense.
    - `dtypes`: element types by tensor name, which arrays, and the result, are converted to by NumPy's rule
      `same_kind`. The result's sums are computed in its type if that is wider. Without it the kernel is compiled for
      the dtypes it is called with, and the result has the type that follows, or that of `out`.
    - `operators`: those that the statement uses, made by `irtensor.operator`.
    - `convert`: whether operands may be converted. If not, an error says which one would have to be.
    - `results`: of several statements, names of results that later ones read and a call returns as well. The others
      are those that no later one reads, in order of appearance: see docs/notation.md.
    - `schedule`: made by `irtensor.schedule()`, it rearranges the loops. Of several statements it says whose,
      `schedule={"m": ...}`. "auto" searches for loops of least
      asymptotic cost; a call takes those that are expected to be the least work on operands of its sizes.
    - `tune`: a call measures the programs of least cost and the loops without a schedule, and takes the fastest:
      "operands" on its operands, "samples" on uniform samples like them. It does so once for operands of some order
      of magnitude, which is kept on disk (see `explain()`). "format" measures formats of sparse operands instead, for
      those that are given again and again: the first call with one converts it into several, and a copy in the
      fastest is kept beside it, as long as it lives. Its values cannot be changed in place meanwhile, only assigned
      anew (`A.values = ...`): see docs/performance.md.
    - `exact`: whether floats are computed with what absent entries read as. If not, an absent factor makes a product
      absent, whatever the other factor is; if so, 0 times infinity is NaN at all coordinates.
    - `extents`: how far variables run that no operand has as a dimension, a number for a variable or a shape for the
      result: `extents={"i": 100, "h": (16,)}`.
    - `options`: the keywords of docs/settings.md: num_threads, strict_fp, deterministic, gallop, verify, disk_cache,
      cache_dir, and target. With `target="cuda"` operands and results are on a GPU: see docs/gpu.md.

    Dimensions of one index variable have the same extent. The result has the extents of its variables.
    Raises UserError, located in the statement: [syntax-error], [ambiguous-sum], [unknown-function] and others; a call
    raises [extent-mismatch], [missing-operand], [unsupported-dtype] and others.

    >>> residual = it.compile("r[i] = b[i] - A[i,j] * x[j]", formats={"A": "csr"})
    >>> residual(A=np.eye(2), x=np.array([1.0, 2.0]), b=np.array([10.0, 10.0]))
    array([9., 8.])
    >>> extremes = it.compile("low[i] = min(j, A[i,j]);  high[i] = max(j, A[i,j])")
    >>> extremes(A=np.array([[3.0, 1.0, 2.0]]))
    (array([1.]), array([3.]))
    >>> product = it.compile("y[i] = A[i,j] * x[j]", tune="format")
    >>> A, x = it.Tensor.from_numpy(2 * np.eye(3), "csr"), np.ones(3)
    >>> for _ in range(10):  # the first call measures formats of A
    ...     x = product(A, x)
    >>> x
    array([1024., 1024., 1024.])
    """
    # Copies: what callers do with theirs later changes no kernel.
    formats, dtypes = dict(as_mapping("formats", formats)), dict(as_mapping("dtypes", dtypes))
    declared_sizes = dict(as_mapping("extents", extents))
    declared = tuple(operators) if is_list(operators) else (operators,)
    environment = environment_of_code()
    arranged: Any = schedule
    if isinstance(schedule, Mapping):
        schedule = dict(schedule)
        arranged = tuple(schedule.items())
    asked = tuple(results) if is_list(results) else results
    choices = (notation, convert, arranged, tune, exact, asked, *options.values())
    # Types as well: 1, 1.0 and True are equal, and not all of them are a number of threads.
    key = (*choices, *map(type, choices), *options, *formats.items(), None, *dtypes.items(), declared, environment)
    if declared_sizes:
        key = (*key, *declared_sizes.items())
    try:
        known = _kernels[key]
    except TypeError:
        # What has no hash is not remembered, right or wrong.
        key = known = None
    if known is None:
        known = _make_kernel(
            notation, formats, dtypes, declared, convert, schedule, tune, exact, declared_sizes, asked, options
        )
        if key is None:
            return known
        _kernels[key] = known
    return known.again(environment)


def _make_kernel(
    notation: str,
    formats: Mapping[str, Any],
    dtypes: Mapping[str, Any],
    operators: tuple[Any, ...],
    convert: Any,
    schedule: Any,
    tune: Any,
    exact: Any,
    extents: Mapping[str, Any],
    results: Any,
    options: Mapping[str, Any],
) -> NotationKernel:
    """The kernel for checked arguments. Raises UserError."""
    as_text("the notation", notation)
    for operator in operators:
        if not isinstance(operator, UserOperator):
            message = f"operators are made by irtensor.operator; got {type(operator).__name__}"
            raise UserError("bad-argument", message)
    check_names(options, ("formats", "dtypes", *(compile.__kwdefaults__ or ())))
    statements = parse_notation(notation, [operator.name for operator in operators])
    if as_flag("exact=", exact):
        statements = tuple([replace(statement, exact=True) for statement in statements])
    if extents:
        declared = extents_by_statement(statements, extents)
        statements = tuple([replace(one, extents=its) for one, its in zip(statements, declared, strict=True)])
    may_convert = as_flag("convert=", convert)
    returned = returned_names(statements, results)
    schedules = _schedules(statements, schedule, tune)

    def kernel_of(statement: Statement, formats: Mapping[str, Any], dtypes: Mapping[str, Any]) -> NotationKernel:
        its = schedules[statement.target.tensor]
        if is_word(tune, FORMAT):
            check_format_tuning(its, may_convert, current_options(**options).target)
            tuning = FORMAT
        else:
            tuning = as_tuning(tune, its)
        chosen = as_schedule(None if tune else its)
        return NotationKernel(statement, formats, dtypes, operators, may_convert, options, chosen, tuning)

    if len(statements) == 1:
        return kernel_of(statements[0], formats, dtypes)
    return sequence_of(statements, formats, dtypes, returned, kernel_of)


def _schedules(statements: Sequence[Statement], schedule: Any, tune: Any) -> dict[str, Any]:
    """The schedule of each result. Raises UserError [bad-schedule]."""
    names = [statement.target.tensor for statement in statements]
    if not isinstance(schedule, Mapping):
        if len(statements) > 1 and isinstance(schedule, Schedule) and schedule.steps:
            message = "the steps of a schedule arrange the loops of one statement, and there are several"
            raise UserError("bad-schedule", message, help=f"say whose: schedule={{{names[-1]!r}: ...}}")
        return dict.fromkeys(names, schedule)
    for name in schedule:
        if name not in names:
            message = f"schedule= has {name!r}, which no statement defines"
            raise UserError("bad-schedule", message, help=f"they define {', '.join(names)}")
    return {name: schedule.get(name) for name in names}
