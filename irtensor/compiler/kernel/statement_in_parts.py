"""A statement that several kernels may compute, and these kernels where they take less time than one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.kernel.called_as_kernel import CalledAsKernel
from irtensor.compiler.kernel.dense_product import compile_product, product_of
from irtensor.compiler.kernel.found_before import FoundBefore
from irtensor.compiler.kernel.has_nan import has_nan
from irtensor.compiler.kernel.specialiser import Specialisation
from irtensor.compiler.kernel.twin import twin
from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import UserError
from irtensor.frontend.bind_extents import bind_extents
from irtensor.frontend.element_types import is_rounded
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.parts.empty_sums import may_multiply_empty_sums
from irtensor.frontend.parts.kernel_steps import Part, Step, compile_parts, run_steps
from irtensor.frontend.parts.may_split import asks_what_is_stored, may_split
from irtensor.frontend.parts.split import Split
from irtensor.frontend.parts.split_statement import split_statement
from irtensor.frontend.parts.split_tensors import Sizes
from irtensor.late_imports import load_for
from irtensor.planning.call_sizes import magnitudes
from irtensor.storage.entries_about import entries_about

if TYPE_CHECKING:
    from irtensor.frontend.kernel_request import CompiledStatement
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.options import Options


class StatementInParts:
    """The choice between one kernel and several, for operands of some kinds and orders of magnitude."""

    def __init__(
        self,
        statement: Statement,
        is_sparse: bool,
        settings: Callable[[], Options],
        operators: Sequence[UserOperator] = (),
    ) -> None:
        self._settings = settings
        # A part that is dense by itself would be stored everywhere.
        self.may_split = may_split(statement, is_sparse) and not asks_what_is_stored(statement.expression, operators)
        self._known: FoundBefore[Any, tuple[Specialisation | None, Split | None]] = FoundBefore()
        # The text about the last choice, and the operands that it was made for: most calls have such ones again.
        self._why: Split | None = None
        self._last: tuple[Any, list[Any], list[int], Specialisation | None] = None, [], [], None

    def text(self) -> list[str]:
        """What the last choice was, and why, for people; nothing where there was none."""
        if self._why is None:
            return []
        load_for("explaining")
        from irtensor.frontend.parts.choice_text import split_text

        return split_text(self._why)

    def again(self, settings: Callable[[], Options], environment: tuple[str | None, ...]) -> StatementInParts:
        """One that knows what this one knows, see Specialiser."""
        other = twin(self)
        other._settings, other._known, other._why = settings, self._known.again(environment), None
        other._last = None, [], [], None
        return other

    def kernel_for(
        self, key: Any, data: Sequence[Any], shapes: list[Any], request_for: Callable[[Any], CompileRequest]
    ) -> Specialisation | None:
        """The kernels of parts, called as one, for operands of these shapes; None for one kernel."""
        entries = [entries_about(one) for one in data if type(one) is not np.ndarray]
        last = self._last
        if last[0] == key and last[1] == shapes and last[2] == entries:
            return last[3]
        case = key, magnitudes(data)
        known = self._known[case]
        if known is None:
            known = self._known[case] = self._chosen(request_for(key), data)
        self._why = known[1]
        self._last = key, shapes, entries, known[0]
        return known[0]

    def _chosen(self, request: CompileRequest, data: Sequence[Any]) -> tuple[Specialisation | None, Split | None]:
        settings = self._settings()
        sizes = _sizes(request, data) if settings.may_regroup else None
        if sizes is None or product_of(request, settings) is not None:
            return None, None
        split = split_statement(request.statement, sizes)
        if not split.is_other:
            return None, split
        kernel = _compiled(request, sizes, split, settings)
        return (None, None) if kernel is None else (Specialisation(request, cast(Any, kernel)), split)


def _sizes(request: CompileRequest, data: Sequence[Any]) -> Sizes | None:
    """The known sizes of the tensors; None if they are not of one type, in which sums of sums are one sum."""
    described = dict(request.operands)
    dtypes = {one.dtype for one in described.values()}
    if len(dtypes) > 1 or request.result_dtype not in (None, *dtypes) or request.purpose != "fused":
        return None
    by_name = dict(zip(request.names(), data, strict=True))
    entries = {name: None if type(one) is np.ndarray else entries_about(one) for name, one in by_name.items()}
    extents = bind_extents(request.statement, {name: one.shape for name, one in by_name.items()})
    taken = sum([one.nbytes for one in data])
    dtype, format = dtypes.pop(), request.result_format
    return Sizes(described, entries, extents, format, taken, dtype, request.operators)


def _compiled(request: CompileRequest, sizes: Sizes, split: Split, settings: Options) -> KernelInParts | None:
    """The kernels; None where they cannot be had, or would compute in another type."""
    options = settings.as_keywords()
    parts: list[CompileRequest] = []
    are_terms = _are_terms(request, sizes, split, settings)
    if are_terms is None:
        return None

    def compile_part(statement: Statement, operands: Mapping[str, Any], result_format: Any = None, **asked: Any) -> Any:
        operators, wide = asked["operators"], asked["wide"]
        parts.append(CompileRequest(statement, tuple(operands.items()), result_format, operators, wide=wide))
        return compile_product(statement, operands, result_format, options=options, **asked)

    def loops() -> CompiledStatement:
        load_for("calls")
        from irtensor.compiler.kernel.statement_by_size import kernel_by_size

        return kernel_by_size(request, options)

    try:
        steps = compile_parts(split.parts, request.operands, sizes.extents, request.operators, compile_part)
    except UserError:
        return None
    if any([step.kernel.result_dtype != sizes.dtype for step in steps]):
        return None
    is_other = split.is_mixed or not are_terms or may_multiply_empty_sums(split.parts, request.operands)
    may_have_nan = is_other and is_rounded(sizes.dtype)
    return KernelInParts(request, steps, tuple(parts), may_have_nan, loops)


def _are_terms(request: CompileRequest, sizes: Sizes, split: Split, settings: Options) -> bool | None:
    """Whether sparse intermediates have entries with terms only; None where a sparse result would have other entries
    than one kernel gives it."""
    is_sparse = sizes.format is not None and not sizes.format.is_dense
    lists_parts = any([part.format is not None for part in split.parts[:-1]])
    if not is_sparse and not lists_parts:
        return True
    load_for("compiling")
    from irtensor.compiler.compilation.entries_of_parts import entries_are_terms, last_has_entries_of

    if not lists_parts:
        return True if last_has_entries_of(request, split.parts, settings) else None
    found = entries_are_terms(split.parts, request.operands, request.operators, settings)
    whole = [Part(request.statement, sizes.format, 0)]
    keeps = not is_sparse or (found and entries_are_terms(whole, request.operands, request.operators, settings))
    return found if keeps else None


# How many calls go to one kernel after a result with a NaN.
_LEAST_AT_ONCE, _MOST_AT_ONCE = 2, 64


class KernelInParts(CalledAsKernel):
    """Kernels of parts, called as the Kernel of the statement is.

    `at_once` gives that one. It is called where a kernel of a part refuses operands, so that errors are those of the
    statement, and if `may_have_nan`, where a result has a NaN: an infinity makes one beside an entry that an
    intermediate has and an operand has not. Results that have one tend to have one again, as quotients by norms of
    empty rows. So the next calls go to the kernel of the statement, and twice as many of them each time.
    """

    def __init__(
        self,
        request: CompileRequest,
        steps: tuple[Step, ...],
        parts: tuple[CompileRequest, ...],
        may_have_nan: bool,
        at_once: Callable[[], CompiledStatement],
    ) -> None:
        super().__init__(
            request.statement, dict(request.operands), steps[-1].kernel.result_dtype, request.result_format
        )
        self.warnings = tuple(dict.fromkeys([warning for step in steps for warning in step.kernel.warnings]))
        self.parts = parts
        self._steps = steps
        self._may_have_nan = may_have_nan
        self._at_once = at_once
        self._calls_at_once, self._next_at_once = 0, _LEAST_AT_ONCE

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None, index: Any = None) -> Any:
        """The result; see CompiledStatement."""
        if self._calls_at_once > 0:
            self._calls_at_once -= 1
            return self.loops(operands, out)
        shape = self.signature.result.shape(operands)
        try:
            result = run_steps(self._steps, operands, shape, out)
        except UserError:
            return self.loops(operands, out)
        if self._may_have_nan and has_nan(getattr(result, "values", result)):
            self._calls_at_once = self._next_at_once
            self._next_at_once = min(2 * self._next_at_once, _MOST_AT_ONCE)
            return self.loops(operands, out)
        self._next_at_once = _LEAST_AT_ONCE
        return result

    @cached_property
    def loops(self) -> CompiledStatement:
        """One kernel for all."""
        return self._at_once()

    def prepare(self, operands: Sequence[Any]) -> None:
        """The kernels are compiled."""
