"""The kernel of a statement: checks and converts what it is called with, and specialises on dtypes and formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.api.schedule import FORMAT
from irtensor.compiler.compilation.generated_code import GeneratedCode
from irtensor.compiler.kernel.binding_for import binding_for
from irtensor.compiler.kernel.check_ranges import check_ranges
from irtensor.compiler.kernel.extents_of_call import ExtentsOfCall
from irtensor.compiler.kernel.given_operands import operands_by_name
from irtensor.compiler.kernel.given_result import may_be_written
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.compiler.kernel.operand_binding import OperandBinding
from irtensor.compiler.kernel.statement_variant import StatementVariant
from irtensor.compiler.kernel.twin import twin
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import check_result_indices
from irtensor.frontend.element_types import is_supported
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.notation.notation_errors import notation_error
from irtensor.frontend.summation import insert_reductions
from irtensor.frontend.user_operator import UserOperator
from irtensor.late_imports import load_for
from irtensor.options import current_options
from irtensor.storage.element_types import fill_element

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.compiler.compilation.compile_request import CompileRequest
    from irtensor.compiler.kernel.format_trial import Question
    from irtensor.options import Options


class NotationKernel(GeneratedCode):
    """A callable for one statement; made by `irtensor.compile`.

    `operand_names` lists its operands in order of appearance, `result_names` what it computes. `explain()`,
    `ir(stage)`, `llvm_ir()` and `assembly()` show the specialisation that was called last, before any call the one for
    float64 and the formats given.

    >>> kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": "csr"})
    >>> kernel.operand_names
    ('A', 'x')
    >>> print(kernel.explain())  # doctest: +ELLIPSIS
    statement  y[i] = sum(j, A[i, j] * x[j])
    ...
    """

    def __init__(
        self,
        statement: Statement,
        formats: Mapping[str, Any],
        dtypes: Mapping[str, Any],
        operators: tuple[UserOperator, ...],
        convert: bool,
        options: Mapping[str, Any],
        schedule: Schedule | None = None,
        tune: str | None = None,
    ) -> None:
        target = current_options(**options).target
        self.binding = binding_for(target)
        self.is_on_device = target == "cuda"
        self.written = statement
        self.operators = operators
        self.convert = convert
        # What operands are read as depends on the target, which the environment may say: it stays what it is.
        self.options: dict[str, Any] = {**options, "target": target}
        self.schedule = schedule
        self.tune = tune
        # By what schedules are chosen.
        self.by = None if tune == FORMAT else tune
        # A right side that reads the result has its old values at hand: they take part in a compound assignment.
        reads_result = any(access.tensor == self.result_name for access in accesses(statement.expression))
        plain = insert_reductions(statement, accumulate=reads_result)
        # Where the result alone says how far an index variable runs, `out` or a given result does.
        self._plain = StatementVariant(self, ExtentsOfCall(plain), formats, dtypes)
        self._accumulating: StatementVariant | None = None
        # Variants whose result has the dtype of `out`, by the variant that has the statement's.
        self._of_dtype: dict[tuple[StatementVariant, np.dtype], StatementVariant] = {}
        # The kernel whose code this one shares, if it is not the first of its statement.
        self._first: NotationKernel | None = None
        self._environment: tuple[str | None, ...] = ()
        self._formats, self._dtypes = formats, dtypes
        self._last: StatementVariant = self._plain
        self.operand_names = self._asked_of(self._plain)
        self.result_names: tuple[str, ...] = (statement.target.tensor,)

    def again(self, environment: tuple[str | None, ...]) -> NotationKernel:
        """An equal kernel, which shares what this one has compiled, or compiles in this environment (see Specialiser).

        `explain()` and what else is about calls is about its own.
        """
        other = twin(self)
        other._first, other._environment = self, environment
        other._plain = other._last = self._plain.again(other, environment)
        other._accumulating, other._of_dtype = None, {}
        return other

    def __repr__(self) -> str:
        return f"<kernel {self.written}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Native code stays in its process: a copy elsewhere compiles again, or finds the code in the disk cache.
        arguments = (self.written, self._formats, self._dtypes, self.operators, self.convert, self.options)
        return NotationKernel, (*arguments, self.schedule, self.tune)

    @property
    def result_name(self) -> str:
        """The tensor that the statement computes."""
        return self.written.target.tensor

    # Operands of any type may be called `out`, and `kernel(**operands)` says no names: hence Any.
    def __call__(self, /, *operands: Any, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """The result for these operands: NumPy arrays, SciPy and pydata sparse arrays, Tensors, numbers.

        `out`, for dense results, is a C-contiguous array of the result's shape to write into. Where `dtypes=` says
        nothing of the result, it has the dtype of `out`, as if that was asked for. `out` may be an operand's array, as
        in `kernel(C=C, out=C)`: the result is computed in new memory first, and copied. Where only the result has an
        index variable, `out` says how far that runs, as the result given to a compound assignment does.
        Raises UserError for operands that do not fit.

        With `target="cuda"` operands, `out` and results are on a GPU: DeviceArrays and Tensors of them, arrays of CuPy
        and PyTorch, and numbers. `stream` is the one that the work goes on, else that of an operand.
        """
        variant = self._plain
        if stream is not None and "stream" in variant.name_set:
            named["stream"], stream = stream, None
        if out is not None and "out" in variant.name_set:
            named["out"], out = out, None
        if not operands or named or len(operands) != len(variant.names) or variant.extents.names:
            if variant.extents.names:
                variant, named = self._bind(operands, named, None if out is None else _shape_of(out))
            elif operands or named.keys() != variant.name_set:
                variant, named = self._bind(operands, named)
            operands = tuple([named[name] for name in variant.names])
        data = [*map(self.binding.read, variant.bindings, operands)]
        if variant.formats is not None:
            return self._run_tuned(variant, data, operands, out, stream)
        return self._computed(variant, data, out, stream)

    def _computed(self, variant: StatementVariant, data: Any, out: Any = None, stream: Any = None) -> Any:
        """The result for operands as they were read."""
        kernel = variant.kernel_for(data)
        own_dtype = kernel.result_dtype
        if out is not None and variant.result_dtype is None and getattr(out, "dtype", own_dtype) != own_dtype:
            variant = self._with_dtype_of(out, variant)
            kernel = variant.kernel_for(data)
        self._last = variant
        if stream is not None:
            kernel = kernel.on_stream(stream)
        return self._run(variant, kernel, data) if out is None else self._run_into(out, variant, kernel, data)

    def _run_tuned(
        self, variant: StatementVariant, data: list[Any], given: Sequence[Any], out: Any, stream: Any
    ) -> Any:
        """The result for operands in the formats that are the fastest for these."""
        assert variant.formats is not None
        found, checks = variant.formats.replaced(data, lambda: self._asked_about(variant, given))
        result = self._computed(variant, found, out, stream)
        if checks and any([check.finds(result) for check in checks]):
            return self._computed(variant, data, out, stream)
        return result

    def _asked_about(self, variant: StatementVariant, given: Sequence[Any]) -> Question:
        load_for("tuning")
        from irtensor.compiler.kernel.format_trial import Question

        def run_for(data: Sequence[Any]) -> Callable[[], object]:
            kernel = variant.kernel_for([*data])
            return lambda: kernel(data)

        return Question(variant.names, given, variant.format_rules(), run_for)

    def _run_into(self, out: Any, variant: StatementVariant, kernel: Kernel, data: list[Any]) -> Any:
        if self.is_on_device:
            load_for("cards")
            from irtensor.compiler.device.given_device_result import run_into

            run_into(out, kernel, data, partial(self._run, variant, kernel, data))
            return out
        if may_be_written(out, kernel, data):
            return self._run(variant, kernel, data, out)
        out[...] = self._run(variant, kernel, data)
        return out if out.ndim else out[()]

    def assemble(self, /, *operands: Any, **named: Any) -> Any:
        """The result without its values: a Tensor with the index, whose values are all its fill value.

        Where entries are does not depend on values, so `compute` may use it for any operands with these coordinates.
        A dense result is an array of the fill value.
        """
        variant, data = self._read(operands, named)
        kernel = variant.kernel_for(data, "assemble")
        if variant.is_dense:
            shape = kernel.signature.result.shape(data)
            format = kernel.signature.result.format or TensorFormat.dense(len(shape))
            filled = np.full(shape, fill_element(format, kernel.result_dtype), kernel.result_dtype)
            return self._copied(filled) if self.is_on_device else filled
        return self._run(variant, kernel, data)

    def compute(self, index: Any, /, *operands: Any, **named: Any) -> Any:
        """The result for a known index: a Tensor from `assemble` or an earlier call, which stays as it is.

        The new Tensor shares its index arrays. Raises UserError [index-mismatch] if the operands lead to another index.
        """
        variant, data = self._read(operands, named, _shape_of(index))
        kernel = variant.kernel_for(data, "compute")
        if variant.is_dense and (given := np.shape(index)) != (shape := kernel.signature.result.shape(data)):
            raise UserError("index-mismatch", f"the index has shape {given}, but the result {shape}")
        if kernel.signature.purpose != "compute" and not variant.is_dense:
            # The index could not be replayed: it is found again.
            if self.is_on_device:
                load_for("cards")
                from irtensor.compiler.device.device_results import device_values_for as values_for
            else:
                from irtensor.compiler.kernel.index_of_result import values_for

            return values_for(index, self._run(variant, kernel, data))
        return self._run(variant, kernel, data, None, index)

    def _copied(self, array: np.ndarray) -> Any:
        """An array that the kernel itself has made, on the GPU."""
        load_for("cards")
        from irtensor.interop.device_copies import copied_array

        return copied_array(array)

    def _read(
        self, operands: tuple[Any, ...], named: dict[str, Any], shape: tuple[int, ...] | None = None
    ) -> tuple[StatementVariant, list[Any]]:
        variant, given = self._bind(operands, named, shape)
        self._last = variant
        return variant, [binding.read(given[binding.name]) for binding in variant.bindings]

    def _run(
        self,
        variant: StatementVariant,
        kernel: Kernel,
        data: list[Any],
        out: Any = None,
        index: Any = None,
    ) -> Any:
        try:
            result = kernel(data, out, index)
        except UserError:
            check_ranges(kernel.signature, data, variant.statement)  # the same error with its location in the text
            raise
        if not isinstance(result, np.ndarray):
            return result if self.is_on_device or not variant.is_dense else result.to_numpy()
        return result if result.ndim else result[()]

    def prepare(self, /, *operands: Any, **named: Any) -> NotationKernel:
        """Compile for these operands without running; returns the kernel itself."""
        variant, given = self._bind(operands, named)
        data = [binding.read(given[binding.name]) for binding in variant.bindings]
        variant.kernel_for(data).prepare(data)
        self._last = variant
        return self

    def bindings_for(self, named: Mapping[str, Any]) -> list[OperandBinding]:
        """How operands of these names are read. Raises UserError where they are not those of the statement."""
        return self._bind((), named)[0].bindings

    @property
    def plain(self) -> StatementVariant:
        """The statement without old values of its result."""
        return self._plain

    def explain(self, instead: str | None = None) -> str:
        """What the compiler does with the statement and why: operands, conversions, loop order, merges, timings.

        `instead` is another program for the statement, as irtensor-autoschedule shows them: why not that one. Raises
        UserError.
        """
        load_for("explaining")
        from irtensor.compiler.explain.explain import explain

        variant, request, options = self._last, self._request(), current_options(**self.options)
        rest = (variant.rated(), variant.uncompiled(request), variant.split(), variant.parts(), variant.formats_text())
        return explain(request, variant.notes(), options, instead, *rest)

    @property
    def chosen_schedule(self) -> Schedule | None:
        """The schedule of the last call, as it was given or found; None for loops without one.

        `compile(..., schedule=kernel.chosen_schedule)` has it for operands of all sizes.
        """
        from irtensor.planning.planner import plan_for

        return plan_for(self._request(), current_options(**self.options)).request.schedule

    @property
    def read_formats(self) -> dict[str, TensorFormat]:
        """How the code of the last call reads sparse operands, by name; none before the first call.

        Those stored in another way are converted at each call, so it saves time to store them like that, and to give
        these formats to `compile`. One that is read in several formats has the first one here.
        """
        return self._last.read_formats()

    def _compiled(self) -> tuple[CompileRequest, Options]:
        return self._request(), current_options(**self.options)

    def _request(self) -> CompileRequest:
        """The request of the last call; else the default, if the statement says all extents."""
        if self._last.last is None:
            check_result_indices(self._last.extents.statement)
        return self._last.request()

    def _asked_of(self, variant: StatementVariant) -> tuple[str, ...]:
        """The operands that the user gives."""
        return tuple(name for name in variant.names if name not in variant.extents.names.values())

    def _bind(
        self, operands: tuple[Any, ...], named: Mapping[str, Any], shape: tuple[int, ...] | None = None
    ) -> tuple[StatementVariant, dict[str, Any]]:
        """Operands by name, and the variant of the statement that they are for; `shape` is the result's, if known."""
        variant = self._plain
        given = operands_by_name(operands, named, self._asked_of(variant))
        if self.written.operator is not None and self.result_name in given and self.result_name not in variant.names:
            variant = self._accumulating or self._make_accumulating()
        names = self._asked_of(variant)
        for access in accesses(variant.statement.expression):
            if access.tensor in names and access.tensor not in given:
                message = f"no operand is given for {access.tensor}"
                help = f"give each by name: {', '.join(f'{name}=...' for name in names)}"
                raise notation_error("missing-operand", message, self.written.source, access.span, help=help)
        for name in given:
            if name not in names:
                message = f"the statement reads no operand {name}"
                raise UserError("unknown-operand", message, help=f"its operands are {', '.join(names)}")
        if variant.extents.names:
            extents = variant.extents.arrays(shape, given)
            given |= {name: self._copied(one) for name, one in extents.items()} if self.is_on_device else extents
        return variant, given

    def _make_accumulating(self) -> StatementVariant:
        """The variant that combines with a result that is given."""
        if self._first is not None:
            known = self._first._accumulating or self._first._make_accumulating()
            self._accumulating = known.again(self, self._environment)
        else:
            statement = insert_reductions(self.written, accumulate=True)
            self._accumulating = StatementVariant(self, ExtentsOfCall(statement), self._formats, self._dtypes)
        return self._accumulating

    def _with_dtype_of(self, out: Any, variant: StatementVariant) -> StatementVariant:
        """The variant whose result has the dtype of the array given for it; the same one where that has none."""
        if not isinstance(out.dtype, np.dtype) or not is_supported(out.dtype):
            return variant
        known = self._of_dtype.get((variant, out.dtype))
        if known is None:
            dtypes = {**self._dtypes, self.result_name: out.dtype}
            known = StatementVariant(self, variant.extents, self._formats, dtypes)
            self._of_dtype[variant, out.dtype] = known
        return known


def _shape_of(result: Any) -> tuple[int, ...] | None:
    return tuple(result.shape) if isinstance(getattr(result, "shape", None), tuple) else None
