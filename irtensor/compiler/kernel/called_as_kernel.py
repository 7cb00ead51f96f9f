"""Callables that stand for the kernel of a statement: they compute without code, or by several kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from irtensor.core.cached_property import cached_property
from irtensor.frontend.expression_tree import Statement, accesses, tensor_names
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.compiler.compilation.kernel_signature import KernelSignature
    from irtensor.core.tensor_format import TensorFormat


class CalledAsKernel:
    """The names, types and signature of a statement with operands that are described by name."""

    warnings: tuple[str, ...] = ()

    def __init__(
        self,
        statement: Statement,
        described: Mapping[str, OperandDescription],
        result_dtype: np.dtype,
        result_format: TensorFormat | None = None,
    ) -> None:
        self.argument_names = tensor_names(statement.expression)
        self.result_dtype = result_dtype
        self._statement = statement
        self._formats = [described[name].format for name in self.argument_names]
        self._result_format = result_format

    @cached_property
    def signature(self) -> KernelSignature:
        """How it is called, in the words of kernels that are compiled."""
        load_for("calls")
        from irtensor.compiler.compilation.kernel_signature import KernelSignature, PassedTensor, ResultTensor

        names, positions, ranks = self.argument_names, dict[str, tuple[int, int]](), dict[str, int]()
        for access in accesses(self._statement.expression):
            ranks[access.tensor] = len(access.indices)
            for dimension, label in enumerate(access.plain_indices):
                positions.setdefault(label, (names.index(access.tensor), dimension))
        passed = [PassedTensor(n, ranks[names[n]], format) for n, format in enumerate(self._formats)]
        extents = tuple([positions[label] for label in self._statement.target.plain_indices])
        result = ResultTensor(self.result_dtype, self._result_format, extents)
        return KernelSignature(names, tuple(passed), (result,), warnings=self.warnings)

    def on_stream(self, stream: Any) -> NoReturn:
        """Raises UserError [bad-argument]: see Kernel."""
        load_for("calls")
        from irtensor.compiler.kernel.kernel import refuse_stream

        raise refuse_stream(self.signature.target)
