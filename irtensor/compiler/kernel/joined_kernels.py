"""Statements that one traversal of an operand computes: one kernel for them, where their operands allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.compilation.compile_kernel import compiled_with
from irtensor.compiler.compilation.generated_code import GeneratedCode
from irtensor.compiler.compilation.warn_user import warn_user
from irtensor.compiler.kernel.found_before import FoundBefore
from irtensor.compiler.kernel.handed_out import handed_out
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.compiler.kernel.twin import twin
from irtensor.core.diagnostics import UserError
from irtensor.frontend.bind_extents import WideIndices
from irtensor.late_imports import load_for
from irtensor.options import current_options

if TYPE_CHECKING:
    from irtensor.compiler.compilation.compile_request import CompileRequest
    from irtensor.compiler.compilation.joined_request import JoinedRequest
    from irtensor.options import Options


class JoinedKernels(GeneratedCode):
    """The kernels of statements that do not read each other's results, and one kernel for all of them."""

    def __init__(self, kernels: Sequence[NotationKernel]) -> None:
        self.kernels = tuple(kernels)
        # By what the operands are: the request and its kernel, which is None where the statements are computed apart.
        self._known: FoundBefore[Any, tuple[JoinedRequest, Kernel | None]] = FoundBefore()
        self._last: JoinedRequest | None = None
        self._was_called = False

    def again(self, kernels: Sequence[NotationKernel], environment: tuple[str | None, ...]) -> JoinedKernels:
        """One for equal kernels, which knows what this one knows; see NotationKernel.again."""
        other = twin(self)
        other.kernels, other._known = tuple(kernels), self._known.again(environment)
        other._last, other._was_called = None, False
        return other

    @property
    def is_joined(self) -> bool:
        """Whether one kernel computed the last call, or before any call would compute the default one."""
        if not self._was_called and self._last is None:
            request = _joined([kernel.plain.request() for kernel in self.kernels])
            self._last = None if _is_converted(request) else request
        return self._last is not None

    def results(self, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The results of all statements for operands by name; None where they are to be computed apart.

        That is so for results that start from old values, and for operands without elements. Raises UserError as a
        single statement does.
        """
        kernel = self._kernel_for(values)
        if kernel is None:
            return None
        found, data = kernel
        return tuple([handed_out(result) for result in found([data[name] for name in found.argument_names])])

    def prepare(self, values: Mapping[str, Any]) -> bool:
        """Compile for these operands without running; False where the statements are computed apart."""
        return self._kernel_for(values) is not None

    def _kernel_for(self, values: Mapping[str, Any]) -> tuple[Kernel, dict[str, Any]] | None:
        self._last, self._was_called = None, True
        if any([one.written.operator is not None and one.result_name in values for one in self.kernels]):
            return None
        data: dict[str, Any] = {}
        for kernel in self.kernels:
            for binding in kernel.plain.bindings:
                if binding.name not in data:
                    data[binding.name] = binding.read(values[binding.name])
        wide: WideIndices | None = None
        for kernel in self.kernels:
            its = kernel.plain.checked_extents([data[name] for name in kernel.plain.names])
            if its is not None:
                wide = its if wide is None else WideIndices(*[(*a, *b) for a, b in zip(wide, its, strict=True)])
        if any([0 in one.shape for one in data.values()]):
            return None
        described = [(x.dtype, None if type(x) is np.ndarray else x.format) for x in data.values()]
        key = wide, *described
        known = self._known[key]
        if known is None:
            known = self._known[key] = self._compiled_for(dict(zip(data, described, strict=True)), wide)
        request, kernel = known
        if kernel is None:
            return None
        self._last = request
        return kernel, data

    def _compiled_for(
        self, described: Mapping[str, Any], wide: WideIndices | None
    ) -> tuple[JoinedRequest, Kernel | None]:
        """The kernel for operands of these types and formats; None for it where it cannot be had."""
        parts = [kernel.plain.request_for([described[name] for name in kernel.plain.names]) for kernel in self.kernels]
        request = _joined(parts, wide)
        try:
            if _is_converted(request):
                return request, None
            kernel = compiled_with(request, self._settings())
        except UserError:
            # The kernel of a statement says what prevents it.
            return request, None
        warn_user(kernel.warnings)
        return request, kernel

    def _settings(self) -> Options:
        return current_options(**self.kernels[0].options)

    def _compiled(self) -> tuple[JoinedRequest, Options]:
        assert self._last is not None, "kernels that are apart show their own code"
        return self._last, self._settings()

    def explain(self) -> str:
        """What the compiler does with the statements and why."""
        load_for("explaining")
        from irtensor.compiler.explain.explain import explain

        notes = [note for kernel in self.kernels for note in kernel.plain.notes()]
        request, settings = self._compiled()
        return explain(request, list(dict.fromkeys(notes)), settings)


def _joined(parts: Sequence[CompileRequest], wide: WideIndices | None = None) -> JoinedRequest:
    load_for("compiling")
    from irtensor.compiler.compilation.joined_request import JoinedRequest

    return JoinedRequest(tuple(parts), wide=wide)


def _is_converted(request: JoinedRequest) -> bool:
    """Whether a result is stored in another format than kernels write, or may have to be."""
    return any([part.stored_as is not None or part.whatever_fits is not None for part in request.parts])
