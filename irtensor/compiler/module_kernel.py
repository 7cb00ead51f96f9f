"""The kernel of a function in IR: reads the text, compiles the function, binds operands to its argument types."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp

from irtensor.compiler.call_sizes import magnitudes
from irtensor.compiler.compile_kernel import lower_to_text
from irtensor.compiler.default_schedule import depends_on_sizes
from irtensor.compiler.kernel import Kernel
from irtensor.compiler.kernel_signature import KernelSignature
from irtensor.compiler.lower_module import lower_module
from irtensor.compiler.operand_binding import OperandBinding
from irtensor.compiler.read_signature import argument_dtypes, index_ranges, kernel_function, read_signature
from irtensor.compiler.warn_user import warn_user
from irtensor.dialects.concrete_index import ComputeOp
from irtensor.dialects.diagnostics import UserError, source_text
from irtensor.dialects.located_parser import parse_module
from irtensor.options import Options
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.operations_in import operations_in
from irtensor.passes.verification import verification_errors
from irtensor.runtime.cpu_engine import compile_llvm_text, uses_threads
from irtensor.schedule import UNASKED

if TYPE_CHECKING:
    from irtensor.compiler.choose_schedule import Rated
    from irtensor.schedule import Schedule


@dataclass(frozen=True)
class ModuleRequest:
    """A text of IR and the function of it that becomes a kernel; `start` is the stage that the text is in."""

    text: str
    file: str
    function_name: str
    start: str
    convert: bool
    schedule: Schedule | None = None

    kind = "fused"
    wide = ()

    @staticmethod
    def read(
        text: str, file: str, function: str | None, convert: bool, schedule: Schedule | None = None
    ) -> ModuleRequest:
        """Find the function and its stage; raises UserError for IR that does not parse or verify."""
        module = _parse(text, file)
        found = [op for op in module.body.block.ops if isinstance(op, FuncOp) and not op.is_declaration]
        names = [op.sym_name.data for op in found]
        if function is None and len(names) == 1:
            function = names[0]
        if function is None or function not in names:
            what = "no function" if function is None else f"no function @{function}"
            message = f"{what} to compile: the module defines {', '.join(f'@{name}' for name in names) or 'none'}"
            raise UserError("unsupported-function", message, help="name one of them with function=")
        dialects = {op.name.partition(".")[0] for op in module.walk()} - {"builtin", "func"}
        known = ("index_notation", "concrete_index")
        # A function of no dialect returns an operand, which lowering refuses whatever the stage.
        start = next((stage for stage in known if stage in dialects), None if dialects else known[0])
        if start is None or len(dialects & {*known, "iteration_lattice", "loop"}) > 1:
            held = ", ".join(sorted(dialects))
            message = f"@{function} is neither index_notation nor concrete_index: the module holds {held}"
            raise UserError("unsupported-function", message, help="other stages are lowered by irtensor-opt")
        if start == "concrete_index" and schedule is not None and schedule.steps:
            message = f"@{function} has its loops already: a schedule is for index_notation"
            raise UserError("bad-schedule", message, help="run the steps with irtensor-opt, as passes")
        return ModuleRequest(text, file, function, start, convert, schedule)

    @property
    def any_kind(self) -> ModuleRequest:
        """The request itself: its kernel computes everything."""
        return self

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the lines of the text that they point into."""
        return source_text(self.file, self.text)

    def build(self) -> _Parsed:
        """The module, with the one function in it."""
        module = _parse(self.text, self.file)
        for op in list(module.body.block.ops):
            if isinstance(op, FuncOp) and op.sym_name.data != self.function_name:
                module.body.block.erase_op(op)
        for number, argument in enumerate(kernel_function(module, self.function_name).body.block.args):
            # What users are told of has a name.
            argument.name_hint = argument.name_hint or f"arg{number}"
        return _Parsed(module)

    def function(self) -> FuncOp:
        """The function as loops, before any decision. Raises UserError."""
        module = self.build().module
        if self.start == "index_notation":
            lower_module(module, "index_notation", "concrete_index", after=lambda name: name == "concretize")
        return kernel_function(module, self.function_name)

    def names(self) -> tuple[str, ...]:
        """The arguments of the function, in its order."""
        return tuple([name_of(argument) for argument in self._loops.body.block.args])

    def extents(self, operands: Sequence[Any]) -> dict[str, float]:
        """The extents of the operands of a call, by index variable; nothing where several tensors are defined."""
        return {index: float(operands[number].shape[mode]) for index, (number, mode) in self._ranges.items()}

    @cached_property
    def _loops(self) -> FuncOp:
        return self.function()

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        """For each index variable of the definition, an argument and a dimension of it over which it runs."""
        from irtensor.passes.autoschedule.read_program import read_program
        from irtensor.passes.autoschedule.statements import accesses

        definitions = operations_in(self._loops, ComputeOp)
        with suppress(UserError):
            program = read_program(definitions[0])
            names = {tensor: name for name, tensor in program.tensors.items()}
            arguments = enumerate(self._loops.body.block.args)
            numbers = {names[argument]: number for number, argument in arguments if argument in names}
            read = [(numbers[name], one) for one in accesses(program.statement) if (name := str(one.tensor)) in numbers]
            found = {index: (number, mode) for number, one in read for mode, index in enumerate(one.indices)}
            return found if len(definitions) == 1 else {}
        return {}

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        parts = (self.text, self.function_name, self.convert, str(self.schedule or ""), options.code_key())
        return repr(("module", *parts))

    def loaded(self, settings: Options) -> Kernel:
        """The kernel; raises UserError."""
        return self.compile_fresh(settings)

    def describe(self) -> list[str]:
        function = kernel_function(self.build().module, self.function_name)
        lines = [f"function  @{self.function_name} of {self.file}", "", "tensors"]
        lines += [f"  {argument.name_hint}  {argument.type}" for argument in function.body.block.args]
        returned = [value for op in function.body.block.ops if isinstance(op, ReturnOp) for value in op.arguments]
        return [*lines, *(f"  result {name_of(value)}  {value.type}" for value in returned)]

    def compile_fresh(self, options: Options) -> Kernel:
        """The kernel. Raises UserError located in the file."""
        from time import perf_counter

        seconds: dict[str, float] = {}
        last = [perf_counter()]

        def finished(stage: str) -> None:
            seconds[stage] = perf_counter() - last[0]
            last[0] = perf_counter()

        signatures: list[KernelSignature] = []

        with self.located():
            names = self.names()
            extents = index_ranges(self._loops)[1]

            def inspect(module: ModuleOp) -> None:
                signatures.append(read_signature(kernel_function(module, self.function_name), names, extents))

            module = self.build().module
            if self.start == "concrete_index":
                # Loops in this stage are as the author wants them: nothing is converted or reordered.
                inspect(module)
            finished("parse")
            text, warnings = lower_to_text(module, self, options, inspect, finished)
        native = compile_llvm_text(text, self.function_name, strict=options.strict_fp)
        finished("native code")
        by_size = depends_on_sizes(self, options)
        signature = replace(signatures[0], uses_threads=uses_threads(text), warnings=warnings, by_size=by_size)
        kernel = Kernel(signature, native)
        kernel.seconds = seconds
        return kernel.with_threads(options.num_threads)


@dataclass(frozen=True)
class _Parsed:
    module: ModuleOp


def _parse(text: str, file: str) -> ModuleOp:
    from irtensor.dialects import get_all_dialects

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    _register_upstream(context)
    with source_text(file, text):
        module = parse_module(context, text, file)
        if errors := verification_errors(module):
            raise errors[0]
    return module


def _register_upstream(context: Context) -> None:
    from xdsl.dialects import get_all_dialects as get_xdsl_dialects

    known = set(context.registered_dialect_names)
    for name, factory in get_xdsl_dialects().items():
        if name not in known:
            context.register_dialect(name, factory)


class _Specialisation(NamedTuple):
    """The kernel for operands of some sizes, what it was compiled from, and what its schedule was chosen among."""

    request: ModuleRequest
    kernel: Kernel
    rated: tuple[Rated, ...] = ()


class ModuleKernel:
    """A callable for one function of IR; made by `irtensor.compile_module`.

    `by` says by what operands have a say in the schedule, AUTO if it is searched for.
    """

    def __init__(self, request: ModuleRequest, options: Options, by: str | None = None) -> None:
        self._request = request
        self._options = options
        self._kernel = request.compile_fresh(options)
        self._by = by or (UNASKED if self._kernel.signature.by_size else None)
        self._last = _Specialisation(request, self._kernel)
        self._by_sizes: dict[Any, _Specialisation] = {}
        # Operands of many sizes have the same schedule.
        self._kernels = {request: self._kernel}
        warn_user(self._kernel.signature.warnings)
        self.operand_names = self._kernel.argument_names
        function = request.function()
        dtypes = argument_dtypes(function)
        formats = _argument_formats(function)
        self._ranges = index_ranges(function)[0]
        self._bindings = [
            OperandBinding(name, format.rank, format, dtype, request.convert)
            for name, format, dtype in zip(self.operand_names, formats, dtypes, strict=True)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        # Native code stays in its process: a copy elsewhere compiles again.
        return ModuleKernel, (self._request, self._options, self._by)

    def __repr__(self) -> str:
        return f"<kernel @{self._request.function_name} of {self._request.file}>"

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """The result: a NumPy array or scalar, for a sparse format a Tensor; several are a tuple. Raises UserError."""
        data = self._read(operands, named)
        result = self._kernel_for(data)(data)
        return tuple(map(_handed_out, result)) if type(result) is tuple else _handed_out(result)

    def prepare(self, /, *operands: Any, **named: Any) -> ModuleKernel:
        """Compile for these operands without running; returns the kernel itself."""
        self._kernel_for(self._read(operands, named))
        return self

    def _kernel_for(self, data: Sequence[Any]) -> Kernel:
        if self._by is None:
            return self._kernel
        sizes = magnitudes(data)
        found = self._by_sizes.get(sizes)
        if found is None:
            found = self._by_sizes[sizes] = self._chosen(data, self._by)
        self._last = found
        return found.kernel

    def _chosen(self, data: Sequence[Any], by: str) -> _Specialisation:
        from irtensor.compiler.choose_schedule import with_chosen_schedule

        request, rated = with_chosen_schedule(self._request, data, by, self._options)
        if request not in self._kernels:
            self._kernels[request] = request.compile_fresh(self._options)
        return _Specialisation(request, self._kernels[request], rated)

    @property
    def chosen_schedule(self) -> Schedule | None:
        """The schedule of the last call, as it was given or found; None for loops without one."""
        from irtensor.compiler.default_schedule import with_default_schedule

        return with_default_schedule(self._last.request, self._options).schedule

    def _read(self, operands: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        given = {**dict(zip(self.operand_names, operands, strict=False)), **named}
        if len(given) != len(operands) + len(named) or given.keys() != set(self.operand_names):
            message = f"expected the operands {', '.join(self.operand_names)}, got {', '.join(given) or 'none'}"
            raise UserError("operand-count", message)
        data = [_exact(binding, binding.read(given[binding.name])) for binding in self._bindings]
        for binding, operand in zip(self._bindings, data, strict=True):
            binding.check_rank(operand)
        for (first, m), *others in self._ranges:
            for number, n in others:
                if data[number].shape[n] != data[first].shape[m]:
                    names = self.operand_names
                    raise UserError(
                        "extent-mismatch",
                        f"dimension {n} of {names[number]} has extent {data[number].shape[n]}, but dimension {m} of "
                        f"{names[first]}, over which the same index variable ranges, {data[first].shape[m]}",
                    )
        return data

    def explain(self, instead: str | None = None) -> str:
        """What the compiler does with the function and why; see NotationKernel.explain."""
        from irtensor.compiler.choose_schedule import rated_text
        from irtensor.compiler.explain import explain

        notes = [note for binding in self._bindings for note in binding.notes]
        rated = [] if self._by is None else rated_text(self._last.rated, self._by)
        return explain(self._last.request, notes, self._options, instead, rated)

    def ir(self, stage: str = "index_notation") -> str:
        """The IR after a stage or a pass."""
        from irtensor.compiler.stage_ir import stage_ir

        return stage_ir(self._last.request, stage, self._options)

    def llvm_ir(self, optimized: bool = False) -> str:
        """The LLVM IR of the kernel as generated, or as LLVM optimises it for this processor."""
        from irtensor.compiler.stage_ir import llvm_ir

        return llvm_ir(self._last.request, self._options, optimized=optimized)

    def assembly(self) -> str:
        """The machine code of the kernel as assembly text."""
        from irtensor.compiler.stage_ir import llvm_ir

        return llvm_ir(self._last.request, self._options, assembly=True)


def _argument_formats(function: FuncOp) -> list[Any]:
    from irtensor.dialects.storage import format_of

    return [format_of(argument.type) for argument in function.body.block.args]


def _handed_out(result: Any) -> Any:
    """A result of the code as users get it."""
    if type(result) is not np.ndarray:
        return result.to_numpy() if result.format.is_dense else result
    return result if result.ndim else result[()]


def _exact(binding: OperandBinding, operand: Any) -> Any:
    """The operand in exactly the declared format, widths included: the code exists for no other."""
    if type(operand) is np.ndarray or binding.format is None or operand.format == binding.format:
        return operand
    return operand.to_format(binding.format)
