"""A request for the kernel of a statement: all that its code depends on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from irtensor.compiler.compilation.written_format import written_format
from irtensor.core.diagnostics import source_text
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import bind_extents
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.kernel_request import KERNEL_NAME, OperandDescription
from irtensor.frontend.notation.notation_errors import NOTATION

if TYPE_CHECKING:
    import numpy as np

    from irtensor.api.schedule import Schedule
    from irtensor.core.argument_layout import KernelPurpose
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.build_index_notation import IndexNotation
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.options import Options


@dataclass(frozen=True)
class CompileRequest:
    """All that a kernel's code depends on: equal requests have equal code."""

    statement: Statement
    operands: tuple[tuple[str, OperandDescription], ...]
    result_format: TensorFormat | None = None
    operators: tuple[UserOperator, ...] = ()
    convert: bool = True
    purpose: KernelPurpose = "fused"
    schedule: Schedule | None = None
    wide: WideIndices | None = None
    # The element type that was asked for the result, in place of the one that follows from the statement.
    result_dtype: np.dtype | None = None
    # Whether levels of the result are written that its entries may not fit into.
    if_it_fits: bool = True

    # The stage that `build` gives a module of, and its function.
    start = "index_notation"
    function_name = KERNEL_NAME

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        operands = [(n, d.dtype.str, d.rank, str(d.format), str(d.read_as), d.entries_of) for n, d in self.operands]
        code = options.code_key()
        parts = (self.statement, operands, str(self.result_format), self.operators, self.convert, self.purpose, code)
        # No schedule leaves loops to be decided on, which one without steps does not.
        parts = (*parts, self.schedule, self.wide, None if self.result_dtype is None else self.result_dtype.str)
        parts = (*parts, self.if_it_fits)
        return repr(parts)

    @property
    def any_purpose(self) -> CompileRequest:
        """The request that has the same loops, whichever arrays of the result its kernel writes."""
        return replace(self, purpose="fused")

    def extent_sources(self) -> list[tuple[tuple[int, int], ...]]:
        """For every dimension of the one result, the operand and dimension that have its extent."""
        names = self.names()
        sources: dict[str, tuple[int, int]] = {}
        for access in accesses(self.statement.expression):
            for dimension, index in access.plain_dimensions:
                sources.setdefault(index, (names.index(access.tensor), dimension))
        return [tuple(sources[index] for index in self.statement.target.plain_indices)]

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the text of the statement that they point into."""
        return source_text(NOTATION, self.statement.source or "")

    def names(self) -> tuple[str, ...]:
        """The operands in the order of their first appearance."""
        return tuple(dict.fromkeys(access.tensor for access in accesses(self.statement.expression)))

    def extents(self, operands: Sequence[Any]) -> tuple[dict[str, float], ...]:
        """For the one tensor that is defined, the extents of the operands of a call by index variable."""
        shapes = dict(zip(self.names(), [one.shape for one in operands], strict=True))
        return ({index: float(extent) for index, extent in bind_extents(self.statement, shapes).items()},)

    def build(self) -> IndexNotation:
        """The index_notation module; raises UserError."""
        from irtensor.frontend.build_index_notation import build_index_notation

        parts = (dict(self.operands), self._written_as(), self.operators, self.result_dtype)
        is_pattern = self.result_format is not None and self.result_format.is_pattern
        return build_index_notation(self.statement, *parts, is_pattern=is_pattern)

    def _written_as(self) -> TensorFormat | None:
        if self.result_format is None:
            return None
        formats = {name: description.format for name, description in self.operands}
        return written_format(self.statement, formats, self.result_format, self.purpose == "fused", self.if_it_fits)

    @property
    def whatever_fits(self) -> CompileRequest | None:
        """The request whose kernel writes levels that all entries fit into; None if this one's does."""
        other = replace(self, if_it_fits=False)
        return None if other._written_as() == self._written_as() else other

    @property
    def stored_as(self) -> TensorFormat | None:
        """What the result is converted to, if kernels do not write the format that was asked for."""
        return None if self._written_as() == self.result_format else self.result_format

    @property
    def forgets_index(self) -> bool:
        """Whether the index that a kernel writes does not follow from that of the result, which is converted.

        Whole blocks and diagonals do not tell entries from values stored beside them, and tables not in which order
        their entries came.
        """
        written, stored = self._written_as(), self.result_format
        if written is None or stored is None or written == stored:
            return False
        return stored.may_hold_fill or not all(level.format.ordered for level in written.levels)

    @property
    def selects_entries(self) -> bool:
        """Whether the index of the result follows from values: a pattern has entries for true ones."""
        written, stored = self._written_as(), self.result_format
        return written is not None and stored is not None and written.is_pattern != stored.is_pattern

    @property
    def title(self) -> str:
        """The statement."""
        return str(self.statement)

    @property
    def reproducer(self) -> str:
        """A call that makes the same request."""
        formats = {name: str(description.format) for name, description in self.operands if description.format}
        types = {name: description.dtype.name for name, description in self.operands}
        return f"it.compile({str(self.statement)!r}, {formats}, dtypes={types})"

    def describe(self) -> list[str]:
        """The statement and its tensors, for people."""
        request = self.build()
        lines = [f"statement  {self.statement}", "", "tensors"]
        described = [(name, d.dtype, d.format) for name, d in self.operands]
        described.append((self.statement.target.tensor, request.result_dtype, request.result_format))
        width = max(len(name) for name, _, _ in described)
        for name, dtype, format in described:
            lines.append(f"  {name:{width}}  {dtype!s:10}  {'dense array' if format is None else format}")
        if self.stored_as is not None:
            name = self.statement.target.tensor
            lines += ["", f"result  {name} is computed as written above, and converted to {self.stored_as}"]
        return lines
