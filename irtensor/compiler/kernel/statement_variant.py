"""A statement with explicit reductions, and its kernels by what they are called with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from irtensor.api.schedule import FORMAT
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.warn_user import warn_user
from irtensor.compiler.kernel.dense_product import product_of
from irtensor.compiler.kernel.equal_entries import EqualEntries, with_equal_entries
from irtensor.compiler.kernel.extents_of_call import ExtentsOfCall
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.compiler.kernel.operand_binding import OperandBinding, check_named, read_dtype
from irtensor.compiler.kernel.specialiser import Specialisation, Specialiser
from irtensor.compiler.kernel.statement_in_parts import KernelInParts, StatementInParts
from irtensor.compiler.kernel.twin import twin
from irtensor.core.argument_layout import KernelPurpose
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import WideIndices, bind_extents, check_result_indices, wide_indices
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.late_imports import load_for
from irtensor.options import current_options

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.compiler.kernel.format_choice import FormatChoice
    from irtensor.frontend.format_rules import FormatRules
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.options import Options


class Owner(Protocol):
    """What the kernel that variants belong to was compiled with."""

    binding: type[OperandBinding]
    is_on_device: bool
    operators: tuple[UserOperator, ...]
    convert: bool
    options: dict[str, Any]
    schedule: Schedule | None
    tune: str | None
    by: str | None


class StatementVariant:
    """One statement with explicit reductions, and its kernels by the dtypes and formats of their operands."""

    def __init__(
        self, owner: Owner, extents: ExtentsOfCall, formats: Mapping[str, Any], dtypes: Mapping[str, Any]
    ) -> None:
        self.owner = owner
        self.extents = extents
        self.statement = statement = extents.open_statement
        check_result_indices(statement)
        ranks = {access.tensor: len(access.indices) for access in (*accesses(statement.expression), statement.target)}
        check_named(formats, ranks, "formats", statement)
        check_named(dtypes, ranks, "dtypes", statement)
        self.names = tuple(dict.fromkeys(access.tensor for access in accesses(statement.expression)))
        self.name_set = set(self.names)
        self.bindings = [
            owner.binding.of(name, ranks[name], formats.get(name), dtypes.get(name), owner.convert)
            for name in self.names
        ]
        self.result_format = _result_format(formats.get(statement.target.tensor), ranks[statement.target.tensor])
        asked = dtypes.get(statement.target.tensor)
        self.result_dtype = None if asked is None else read_dtype(asked, statement.target.tensor, "the result")
        self.is_dense = self.result_format is None or self.result_format.is_dense
        self.specialiser = Specialiser(self._request_for, self._settings, owner.by, self._warn, product_of)
        self.formats = self._make_formats() if owner.tune == FORMAT else None
        self.in_parts = StatementInParts(statement, not self.is_dense, self._settings, owner.operators)
        # A schedule says how lists are merged, and arrays on a GPU are not compared here.
        is_plain = owner.schedule is None and owner.options["target"] == "cpu"
        self._equal_entries = EqualEntries.of(statement, self.names) if is_plain else None
        is_asked = owner.by is not None or owner.schedule is not None or not owner.convert or owner.is_on_device
        self._may_split = self.in_parts.may_split and not is_asked and not extents.has_coordinates
        # The last shapes that fit together, and the wide indices for them: most calls have those of the call before.
        # Threads that call at once have shapes of their own, so that both are read and written as one.
        self.checked: tuple[list[tuple[int, ...]], WideIndices | None] = [], None
        self.warned: set[str] = set()
        self.equal_extents, self.ranks = self._extents()

    def again(self, owner: Owner, environment: tuple[str | None, ...]) -> StatementVariant:
        """The variant of an equal kernel: it finds the kernels that this one has found, and tells its own story."""
        other = twin(self)
        other.owner = owner
        other.bindings = [binding.again() for binding in self.bindings]
        other.warned = set()
        other.specialiser = self.specialiser.again(other._request_for, other._settings, environment, other._warn)
        other.in_parts = self.in_parts.again(other._settings, environment)
        other.formats = None if self.formats is None else self.formats.again()
        return other

    @staticmethod
    def _make_formats() -> FormatChoice:
        load_for("tuning")
        from irtensor.compiler.kernel.format_choice import FormatChoice

        return FormatChoice()

    def format_rules(self) -> FormatRules:
        """What other formats of operands leave as it is."""
        load_for("tuning")
        from irtensor.frontend.format_rules import format_rules

        return format_rules(self.statement, self.names, self.is_dense, self._settings().keeps_order)

    def formats_text(self) -> list[str]:
        """The formats that were measured for the operands of the last call; nothing where none are."""
        return [] if self.formats is None else self.formats.text(self.names)

    def _extents(self) -> tuple[list[tuple[int, int, int, int]], list[int]]:
        """Pairs of (operand, dimension) that one index variable ranges over, and the operands' ranks."""
        first: dict[str, tuple[int, int]] = {}
        pairs: list[tuple[int, int, int, int]] = []
        for access in accesses(self.statement.expression):
            number = self.names.index(access.tensor)
            for dimension, index in access.plain_dimensions:
                known = first.setdefault(index, (number, dimension))
                if known != (number, dimension):
                    pairs.append((*known, number, dimension))
        return list(dict.fromkeys(pairs)), [binding.rank for binding in self.bindings]

    def kernel_for(self, data: list[Any], purpose: KernelPurpose = "fused") -> Kernel:
        """The kernel for operands as the bindings read them, after a check of their shapes.

        A dense result is computed as a whole, whatever the purpose.
        """
        shapes = [operand.shape for operand in data]
        wide = self.checked_extents(data, shapes)
        if self.is_dense:
            purpose = "fused"
        equal = self._equal_entries.of_operands(data) if self._equal_entries else None
        passed = [(x.dtype, None if type(x) is np.ndarray else x.format) for x in data]
        key: tuple[Any, ...] = (purpose, wide, equal, *passed)
        if self._may_split:
            found = self.in_parts.kernel_for(key, data, shapes, self._request_for)
            if found is not None:
                if found is not self.last:
                    self.specialiser.last = found
                    self._warn(found.kernel)
                return found.kernel
        return self.specialiser.kernel_for(key, data)

    def checked_extents(self, data: Sequence[Any], shapes: list[Any] | None = None) -> WideIndices | None:
        """The wide indices for operands as the bindings read them, after a check of their shapes. Raises UserError."""
        if shapes is None:
            shapes = [operand.shape for operand in data]
        checked, wide = self.checked
        is_new = shapes != checked
        if is_new:
            self._check_shapes(shapes)
            # Kernels for extents of another order of magnitude have wider indices.
            wide = wide_indices(self.statement, dict(zip(self.names, shapes, strict=True)))
        if self.extents.are_checked:
            self.extents.check(self.names, data, is_new)
        if is_new:
            self.checked = shapes, wide
        return wide

    def request_for(self, described: Sequence[tuple[np.dtype, TensorFormat | None]]) -> CompileRequest:
        """The request for operands of these types and formats."""
        return self._request_for(("fused", None, None, *described))

    def _request_for(self, key: tuple[Any, ...]) -> CompileRequest:
        purpose, wide, equal, *passed = key
        described = [OperandDescription(x[0], rank, x[1]) for x, rank in zip(passed, self.ranks, strict=True)]
        if equal is not None:
            described = with_equal_entries(described, equal)
        return self._request(described, purpose, wide)

    def _check_shapes(self, shapes: list[tuple[int, ...]]) -> None:
        for shape, rank in zip(shapes, self.ranks, strict=True):
            if len(shape) != rank:
                self._raise_extents(shapes)
        for a, m, b, n in self.equal_extents:
            if shapes[a][m] != shapes[b][n]:
                self._raise_extents(shapes)

    def _raise_extents(self, shapes: list[tuple[int, ...]]) -> None:
        bind_extents(self.statement, dict(zip(self.names, shapes, strict=True)))
        raise AssertionError("bind_extents refuses these shapes")

    def _settings(self) -> Options:
        return current_options(**self.owner.options)

    def _warn(self, kernel: Kernel) -> None:
        """Warn of what no kernel before has warned of."""
        new = [warning for warning in kernel.warnings if warning not in self.warned]
        self.warned.update(new)
        warn_user(new)

    @property
    def last(self) -> Specialisation | None:
        """The specialisation called last."""
        return self.specialiser.last

    def _request(
        self, described: Sequence[OperandDescription], purpose: KernelPurpose, wide: WideIndices | None
    ) -> CompileRequest:
        operands = tuple(zip(self.names, described, strict=True))
        owner = self.owner
        parts = (self.result_format, owner.operators, owner.convert, purpose, owner.schedule, wide, self.result_dtype)
        return CompileRequest(self.statement, operands, *parts)

    def request(self) -> CompileRequest:
        """The request of the specialisation called last, else of the default one."""
        if self.last is None:
            return self._request([binding.default() for binding in self.bindings], "fused", self.checked[1])
        request = self.last.request
        assert isinstance(request, CompileRequest)
        # Not every purpose that is asked for can be written.
        return replace(request, purpose=self.last.kernel.signature.purpose)

    def uncompiled(self, request: CompileRequest) -> list[str]:
        """What computes a request without code, if anything does."""
        product = None if self.specialiser.by else product_of(request, self._settings())
        return [] if product is None else product.explain()

    def parts(self) -> tuple[CompileRequest, ...]:
        """The requests for the parts of the kernel called last."""
        kernel = None if self.last is None else self.last.kernel
        return kernel.parts if isinstance(kernel, KernelInParts) else ()

    def split(self) -> list[str]:
        """Whether the last call was computed by several kernels, and why; nothing without a choice."""
        if not (self._may_split and self._settings().may_regroup):
            return []
        return self.in_parts.text() or ["one kernel or several, by the sizes of operands: chosen when it is called"]

    def rated(self) -> list[str]:
        """What the schedule of the specialisation called last was chosen among, if it was."""
        return [] if self.last is None else self.last.rated()

    def read_formats(self) -> dict[str, TensorFormat]:
        """The formats in which the code of the specialisation called last reads sparse operands, by name."""
        passed = () if self.last is None else self.last.kernel.signature.passed
        found = [(self.names[tensor.operand], tensor.format) for tensor in reversed(passed)]
        return {name: format for name, format in found if format is not None}

    def notes(self) -> list[str]:
        """Conversions of operands that calls made so far."""
        return [note for binding in self.bindings for note in binding.notes]


def _result_format(format: Any, rank: int) -> TensorFormat | None:
    if format is None:
        return None
    from irtensor.frontend.requested_format import resolve_format

    resolved = resolve_format(format, rank)
    return None if resolved.is_row_major and resolved.fill is None else resolved
