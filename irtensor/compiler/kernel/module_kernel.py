"""The kernel of a function in IR: binds operands to its argument types, and has a schedule for their sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.func import FuncOp

from irtensor.compiler.compilation.generated_code import GeneratedCode
from irtensor.compiler.compilation.read_signature import argument_dtypes
from irtensor.compiler.compilation.warn_user import warn_user
from irtensor.compiler.kernel.binding_for import binding_for
from irtensor.compiler.kernel.handed_out import handed_out
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.compiler.kernel.operand_binding import NO_DEVICE, OperandBinding
from irtensor.compiler.kernel.specialiser import Specialisation, Specialiser
from irtensor.compiler.kernel.twin import twin
from irtensor.core.diagnostics import UserError, about
from irtensor.late_imports import load_for
from irtensor.options import Options

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.compiler.compilation.module_request import ModuleRequest
    from irtensor.compiler.compilation.read_signature import StatedExtent
    from irtensor.compiler.compilation.request import Request
    from irtensor.frontend.bind_extents import WideIndices


class ModuleKernel(GeneratedCode):
    """A callable for one function of IR; made by `irtensor.compile_module`.

    `by` says by what operands have a say in the schedule, AUTO if it is searched for: see `as_tuning`.
    """

    def __init__(self, request: ModuleRequest, options: Options, by: str | None = None) -> None:
        self._binding = binding_for(options.target)
        self._request = request
        self._options = options
        self._specialiser = Specialiser(self._request_for, lambda: options, by)
        try:
            self._specialiser.plain(None)
            self.warn()
        except UserError as error:
            # Calls say so. What else is asked of a kernel needs no GPU.
            if error.slug not in NO_DEVICE:
                raise
        self.operand_names = tuple(request.names())
        function = request.function
        dtypes = argument_dtypes(function)
        formats = _argument_formats(function)
        self._ranges = request.shared_ranges()
        self._stated = request.stated_extents()
        self._coordinates = request.coordinate_checks()
        self._bindings = [
            self._binding(name, format.rank, format, dtype, request.convert)
            for name, format, dtype in zip(self.operand_names, formats, dtypes, strict=True)
        ]

    def again(self) -> ModuleKernel:
        """An equal kernel, which shares what this one has compiled; what it says of calls is about its own."""
        other = twin(self)
        other._bindings = [binding.again() for binding in self._bindings]
        other._specialiser = self._specialiser.again(self._request_for, lambda: self._options, None)
        other._specialiser.last = self._specialiser.last
        return other

    def warn(self) -> None:
        """Tell the caller what passes warn of."""
        if self._specialiser.last is not None:
            warn_user(self._specialiser.last.kernel.warnings)

    def __reduce__(self) -> tuple[Any, ...]:
        # Native code stays in its process: a copy elsewhere compiles again.
        return ModuleKernel, (self._request, self._options, self._specialiser.by)

    def __repr__(self) -> str:
        return f"<kernel @{self._request.function_name} of {self._request.file}>"

    def __call__(self, /, *operands: Any, stream: Any = None, **named: Any) -> Any:
        """The result: a NumPy array or scalar, for a sparse format a Tensor; several are a tuple. Raises UserError.

        With `target="cuda"`, operands and results are on a GPU, and `stream` is as for kernels of statements.
        """
        if "stream" in self.operand_names and stream is not None:
            named["stream"], stream = stream, None
        data = self._read(operands, named)
        kernel = self._kernel_for(data)
        result = (kernel if stream is None else kernel.on_stream(stream))(data)
        if self._options.target == "cuda":
            return result
        return tuple(map(handed_out, result)) if type(result) is tuple else handed_out(result)

    def prepare(self, /, *operands: Any, **named: Any) -> ModuleKernel:
        """Compile for these operands without running; returns the kernel itself."""
        self._kernel_for(self._read(operands, named))
        return self

    def bindings_for(self, named: Mapping[str, Any]) -> list[OperandBinding]:
        """How operands are read."""
        return self._bindings

    def _kernel_for(self, data: Sequence[Any]) -> Kernel:
        return self._specialiser.kernel_for(self._request.wide_for(data), data)

    @property
    def _last(self) -> Specialisation:
        """The specialisation called last; before the first call, that for operands of any size."""
        assert self._specialiser.last is not None
        return self._specialiser.last

    @property
    def _last_request(self) -> Request:
        # Without a GPU, nothing has been compiled to the end.
        return self._request if self._specialiser.last is None else self._last.request

    def _request_for(self, wide: WideIndices | None) -> ModuleRequest:
        return self._request if wide is None else replace(self._request, wide=wide)

    @property
    def chosen_schedule(self) -> Schedule | None:
        """The schedule of the last call, as it was given or found; None for loops without one."""
        from irtensor.planning.planner import plan_for

        return plan_for(self._last_request, self._options).request.schedule

    def _read(self, operands: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        given = {**dict(zip(self.operand_names, operands, strict=False)), **named}
        if len(given) != len(operands) + len(named) or given.keys() != set(self.operand_names):
            message = f"expected the operands {', '.join(self.operand_names)}, got {', '.join(given) or 'none'}"
            raise UserError("operand-count", message)
        data = [_exact(binding, binding.read(given[binding.name])) for binding in self._bindings]
        for binding, operand in zip(self._bindings, data, strict=True):
            binding.check_rank(operand)
        for stated in self._stated:
            number, n = stated.source
            if data[number].shape[n] != stated.extent:
                raise _other_extent(stated, data[number].shape[n], self.operand_names[number])
        for (first, m), *others in self._ranges:
            for number, n in others:
                if data[number].shape[n] != data[first].shape[m]:
                    names = self.operand_names
                    raise UserError(
                        "extent-mismatch",
                        f"dimension {n} of {names[number]} has extent {data[number].shape[n]}, but dimension {m} of "
                        f"{names[first]}, over which the same index variable ranges, {data[first].shape[m]}",
                    )
        if self._coordinates is not None:
            if self._options.target == "cuda":
                message = "the function computes coordinates, which are checked on the host before a call"
                raise UserError("operand-on-device", message, help="compile for target='cpu'")
            # The checked arrays are the ones that are read, whatever arrays another thread gives to a tensor meanwhile.
            data = [one if type(one) is np.ndarray else one.with_fill(one.format.fill) for one in data]
            with self._request.located():
                self._coordinates.check(data)
        return data

    def explain(self, instead: str | None = None) -> str:
        """What the compiler does with the function and why; see NotationKernel.explain."""
        load_for("explaining")
        from irtensor.compiler.explain.explain import explain

        notes = [note for binding in self._bindings for note in binding.notes]
        rated = [] if self._specialiser.last is None else self._last.rated()
        return explain(self._last_request, notes, self._options, instead, rated)

    def _compiled(self) -> tuple[Request, Options]:
        return self._last_request, self._options


def _argument_formats(function: FuncOp) -> list[Any]:
    from irtensor.dialects.storage.storage import format_of

    return [format_of(argument.type) for argument in function.body.block.args]


def _other_extent(stated: StatedExtent, extent: int, name: str) -> UserError:
    """The error for an operand whose extent differs from the one that its type states."""
    said = f"the module states extent {stated.extent} for dimension {stated.dimension} of {stated.tensor}"
    message = f"dimension {stated.source[1]} of {name} has extent {extent}, but {said}"
    return UserError("extent-mismatch", message, help="pass what the types state, or write '?' for the extent")


def _exact(binding: OperandBinding, operand: Any) -> Any:
    """The operand in exactly the declared format, widths included: the code exists for no other."""
    if type(operand) is np.ndarray or binding.format is None or operand.format in (None, binding.format):
        return operand
    with about(f"operand {binding.name}"):
        return operand.to_format(binding.format)
