"""Compiles statements: from the front ends' request to a loaded kernel, cached in memory and on disk by the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from irtensor.compiler.kernel import Kernel
from irtensor.compiler.kernel_signature import KernelSignature
from irtensor.compiler.warn_user import warn_user
from irtensor.compiler.written_format import written_format
from irtensor.dialects.diagnostics import UserError, collect_remarks, source_text
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import bind_extents
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.kernel_request import KERNEL_NAME, OperandDescription
from irtensor.frontend.notation_errors import NOTATION
from irtensor.options import Options, current_kernel_key, current_options
from irtensor.runtime.disk_cache import DiskCache, cache_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from irtensor.dialects.argument_layout import KernelKind
    from irtensor.dialects.diagnostics import Remark
    from irtensor.frontend.build_index_notation import IndexNotation
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.schedule import Schedule

    _Lowered = tuple[ModuleOp, list[Remark]]

_kernels: dict[Any, Kernel] = {}
_KERNEL_LIMIT = 1024


@dataclass(frozen=True)
class CompileRequest:
    """All that a kernel's code depends on: equal requests have equal code."""

    statement: Statement
    operands: tuple[tuple[str, OperandDescription], ...]
    result_format: TensorFormat | None = None
    operators: tuple[UserOperator, ...] = ()
    convert: bool = True
    kind: KernelKind = "fused"
    schedule: Schedule | None = None
    wide: tuple[str, ...] = ()

    # The stage that `build` gives a module of, and its function.
    start = "index_notation"
    function_name = KERNEL_NAME

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        operands = [(n, d.dtype.str, d.rank, str(d.format), str(d.read_as)) for n, d in self.operands]
        code = options.code_key()
        schedule = str(self.schedule or "")
        parts = (self.statement, operands, str(self.result_format), self.operators, self.convert, self.kind, code)
        parts = (*parts, schedule, self.wide)
        return repr(parts)

    @property
    def any_kind(self) -> CompileRequest:
        """The request that has the same loops, whichever arrays of the result its kernel writes."""
        return replace(self, kind="fused")

    def extent_sources(self) -> tuple[tuple[int, int], ...]:
        """For every dimension of the result, the operand and dimension that have its extent."""
        names = self.names()
        sources: dict[str, tuple[int, int]] = {}
        for access in accesses(self.statement.expression):
            for dimension, index in enumerate(access.indices):
                sources.setdefault(index, (names.index(access.tensor), dimension))
        return tuple(sources[index] for index in self.statement.target.indices)

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the text of the statement that they point into."""
        return source_text(NOTATION, self.statement.source or "")

    def names(self) -> tuple[str, ...]:
        """The operands in the order of their first appearance."""
        return tuple(dict.fromkeys(access.tensor for access in accesses(self.statement.expression)))

    def extents(self, operands: Sequence[Any]) -> dict[str, float]:
        """The extents of the operands of a call, by index variable."""
        shapes = dict(zip(self.names(), [one.shape for one in operands], strict=True))
        return {index: float(extent) for index, extent in bind_extents(self.statement, shapes).items()}

    def build(self) -> IndexNotation:
        """The index_notation module; raises UserError."""
        from irtensor.frontend.build_index_notation import build_index_notation

        return build_index_notation(self.statement, dict(self.operands), self._written_as(), self.operators)

    def _written_as(self) -> TensorFormat | None:
        if self.result_format is None:
            return None
        formats = {name: description.format for name, description in self.operands}
        return written_format(self.statement, formats, self.result_format)

    @property
    def stored_as(self) -> TensorFormat | None:
        """What the result is converted to, if kernels do not write the format that was asked for."""
        return None if self._written_as() == self.result_format else self.result_format

    @property
    def forgets_index(self) -> bool:
        """Whether the index that a kernel writes does not follow from that of the result, which is converted.

        Whole blocks and diagonals do not tell entries from what is stored beside them, and tables not in which order
        their entries came.
        """
        written, stored = self._written_as(), self.result_format
        if written is None or stored is None or written == stored:
            return False
        return stored.stores_fill or not all(level.format.ordered for level in written.levels)

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

    def loaded(self, settings: Options) -> Kernel:
        """See `loaded`."""
        return loaded(self, settings)

    def compile_fresh(self, options: Options) -> Kernel:
        """A kernel compiled without the caches; its `seconds` say how long each stage took."""
        return _compile(self, options)


def compile_statement(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    operators: tuple[UserOperator, ...] = (),
    convert: bool = True,
    options: Mapping[str, Any] | None = None,
    kind: KernelKind = "fused",
    schedule: Schedule | None = None,
    wide: tuple[str, ...] = (),
) -> Kernel:
    """The kernel of a statement with explicit reductions; equal requests give the same kernel.

    `convert` allows operands to be converted before the call where their storage orders contradict each other;
    `options` are those of irtensor.options, in place of the environment's; `kind` says which arrays of a sparse result
    the kernel writes (all, where it cannot replay the index: the signature of the kernel says what it does); `schedule`
    rearranges the loops first; `wide` names the index variables whose extents are so large that no memory is taken for
    them (`wide_indices`).
    Raises UserError if the statement cannot be compiled over these formats, saying what prevents it.
    """
    parts = (statement, tuple(operands.items()), result_format, operators, convert, kind, schedule, wide)
    return compiled(CompileRequest(*parts), options)


def compiled(request: CompileRequest, options: Mapping[str, Any] | None = None) -> Kernel:
    """The kernel of a request; see `compile_statement`."""
    if request.kind == "compute" and request.forgets_index:
        request = replace(request, kind="fused")
    settings = current_options(**options) if options else None
    key = (request, current_kernel_key() if settings is None else settings.kernel_key())
    kernel = _kernels.get(key)
    if kernel is None:
        settings = settings or current_options()
        code = (request, "code", settings.code_key())
        kernel = _kernels.get(code)
        if kernel is None:
            kernel = loaded(request, settings)
            warn_user(kernel.signature.warnings)
        if len(_kernels) >= _KERNEL_LIMIT:
            _kernels.clear()
        _kernels[code] = kernel
        kernel = _kernels[key] = kernel.with_threads(settings.num_threads)
    return kernel


def loaded(request: CompileRequest, settings: Options) -> Kernel:
    """The kernel for one thread of a request, from the disk or compiled, without the memory of kernels and warnings."""
    with request.located():
        kernel = _compile_kind(request, settings)
    kernel.stored_as = request.stored_as
    return kernel


def _compile_kind(request: CompileRequest, settings: Options) -> Kernel:
    """The kernel for the arrays that are asked for, or for all of them if a schedule prevents replaying an index."""
    try:
        return compile_request(request, settings)
    except UserError as error:
        if error.slug != "illegal-replay":
            raise
        return compile_request(replace(request, kind="fused"), settings)


def compile_request(request: CompileRequest, settings: Options) -> Kernel:
    """Load the kernel from the disk cache, or compile it and store it there."""
    # A check of the compiler needs the compiler to run.
    if not settings.disk_cache or settings.verify:
        return _compile(request, settings)
    from irtensor.runtime.cpu_engine import load_objects, target_description

    start = perf_counter()
    cache = DiskCache(settings.cache_dir)
    key = cache_key(request.structure(settings), target_description(cache))
    found = cache.load(key)
    if found is not None:
        kernel = Kernel(KernelSignature.from_json(found.metadata), load_objects(found.objects, KERNEL_NAME))
        kernel.seconds["disk cache"] = perf_counter() - start
        return kernel
    kernel = _compile(request, settings)
    cache.store(key, kernel.native.objects, kernel.signature.to_json())
    return kernel


def _compile(request: CompileRequest, settings: Options) -> Kernel:
    from irtensor.compiler.default_schedule import depends_on_sizes
    from irtensor.compiler.read_signature import kernel_function, read_signature
    from irtensor.runtime.cpu_engine import compile_llvm_text, uses_threads

    seconds: dict[str, float] = {}
    last = [perf_counter()]

    def finished(stage: str) -> None:
        now = perf_counter()
        seconds[stage] = now - last[0]
        last[0] = now

    notation = request.build()
    finished("index_notation")
    signatures: list[KernelSignature] = []

    def read(lowered: ModuleOp) -> None:
        signature = read_signature(kernel_function(lowered), request.names(), [request.extent_sources()])
        signatures.append(replace(signature, nonempty=notation.nonempty, kind=request.kind))

    text, warnings = lower_to_text(notation.module, request, settings, read, finished)
    native = compile_llvm_text(text, KERNEL_NAME, strict=settings.strict_fp)
    finished("native code")
    by_size = depends_on_sizes(request, settings)
    signature = replace(signatures[0], uses_threads=uses_threads(text), warnings=warnings, by_size=by_size)
    kernel = Kernel(signature, native)
    kernel.seconds = seconds
    return kernel


def lower_to_text(
    module: ModuleOp,
    request: Any,
    settings: Options,
    inspect: Callable[[ModuleOp], None],
    finished: Callable[[str], None] = lambda stage: None,
) -> tuple[str, tuple[str, ...]]:
    """LLVM IR text of a request's module at the stage that the request starts from, and what passes warn of.

    `inspect` sees the module after the concrete_index stage, when its operands and loops are final; `finished` is told
    every stage that is done.
    """
    from irtensor.compiler.default_schedule import decided, forget
    from irtensor.runtime.emit_llvm import emit_llvm

    lowered = None
    while lowered is None:
        scheduled = decided(request, settings)
        try:
            lowered = _lower(module, scheduled, settings, inspect, finished)
        except UserError:
            # Kernels of the other kinds have to have the same loops.
            if scheduled is request or request.kind != "fused":
                raise
            forget(request)
        if lowered is None:
            module = request.build().module
    module, remarks = lowered
    text = emit_llvm(module)
    finished("llvm text")
    return text, tuple(remark.message for remark in remarks if remark.severity == "warning")


def _lower(
    module: ModuleOp,
    request: Any,
    settings: Options,
    inspect: Callable[[ModuleOp], None],
    finished: Callable[[str], None],
) -> _Lowered | None:
    """A module in the llvm dialect, and what passes say; None if it has just been decided that it has a schedule."""
    from irtensor.compiler.default_schedule import PlanWatch, decide, is_undecided
    from irtensor.compiler.lower_module import lower_module
    from irtensor.compiler.pipeline_choices import PipelineChoices
    from irtensor.passes.pipelines import STAGE_NAMES

    choices = PipelineChoices.of(request.convert, settings, request.kind, request.schedule, request.wide)
    first = STAGE_NAMES.index(request.start)
    watch = PlanWatch(module) if is_undecided(request, settings) else None
    with collect_remarks() as remarks:
        for before, stage in zip(STAGE_NAMES[first:], STAGE_NAMES[first + 1 :], strict=False):
            look = watch.look if watch is not None and stage == "concrete_index" else None
            lower_module(module, before, stage, choices=choices, verify=settings.verify, after=look)
            if stage == "concrete_index":
                if watch is not None and decide(request, watch):
                    return None
                inspect(module)
            finished(stage)
    return module, remarks
