"""Compiles requests of the front ends to loaded kernels, cached in memory and on disk by the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from irtensor.compiler.compile_request import CompileRequest
from irtensor.compiler.kernel import Kernel
from irtensor.compiler.kernel_signature import KernelSignature
from irtensor.compiler.warn_user import warn_user
from irtensor.dialects.diagnostics import UserError, collect_remarks
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.options import Options, current_kernel_key, current_options
from irtensor.runtime.disk_cache import CachedObject, DiskCache, cache_key
from irtensor.runtime.room import ROOM, need_room

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from irtensor.compiler.default_schedule import PlanWatch
    from irtensor.compiler.module_request import ModuleRequest
    from irtensor.dialects.argument_layout import KernelKind
    from irtensor.dialects.diagnostics import Remark
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.schedule import Schedule

    Request = CompileRequest | ModuleRequest
    _Lowered = tuple[ModuleOp, list[Remark]]

_kernels: MemoryCache[Any, Kernel] = MemoryCache(code_of)


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
    wide: WideIndices | None = None,
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
    kernel = compiled(CompileRequest(*parts), options)
    warn_user(kernel.warnings)
    return kernel


def compiled(request: Request, options: Mapping[str, Any] | None = None) -> Kernel:
    """The kernel of a request; see `compile_statement`. What the kernel warns of is said by who asks for it."""
    if options:
        return compiled_with(request, current_options(**options))
    # Settings are read only where there is no kernel yet: this is a part of every call of einsum.
    kernel = _kernels[request, current_kernel_key()]
    return compiled_with(request, current_options()) if kernel is None else kernel


def compiled_with(request: Request, settings: Options) -> Kernel:
    """The kernel of a request under some settings."""
    if request.kind == "compute" and request.forgets_index:
        request = replace(request, kind="fused")
    key = (request, settings.kernel_key())
    kernel = _kernels[key]
    if kernel is None:
        code = (request, "code", settings.code_key())
        kernel = _kernels[code]
        if kernel is None:
            kernel = loaded(request, settings)
            # They are on the disk, or of no use to anybody: half of what a kernel takes.
            kernel.native.objects = ()
            _kernels[code] = kernel
        kernel = _kernels[key] = kernel.with_threads(settings.num_threads)
    return kernel


def loaded(request: Request, settings: Options) -> Kernel:
    """The kernel for one thread of a request, from the disk or compiled, without the memory of kernels."""
    with request.located():
        kernel = _compile_kind(request, settings)
    kernel.stored_as = request.stored_as
    return kernel


def _compile_kind(request: Request, settings: Options) -> Kernel:
    """The kernel for the arrays that are asked for, or for all of them if a schedule prevents replaying an index."""
    try:
        return _load_or_compile(request, settings)
    except UserError as error:
        if error.slug != "illegal-replay":
            raise
        return _load_or_compile(replace(request, kind="fused"), settings)


def _load_or_compile(request: Request, settings: Options) -> Kernel:
    """Load the kernel from the disk cache, or compile it and store it there."""
    # A check of the compiler needs the compiler to run.
    if not settings.disk_cache or settings.verify:
        return compile_fresh(request, settings)
    from irtensor.runtime.cpu_engine import load_objects, target_description

    start = perf_counter()
    cache = DiskCache(settings.cache_dir)
    key = cache_key(request.structure(settings), target_description(cache), cache)

    def read(found: CachedObject) -> Kernel:
        return Kernel(KernelSignature.from_json(found.metadata), load_objects(found.objects, request.function_name))

    kernel = cache.load_as(key, read)
    if kernel is not None:
        kernel.seconds["disk cache"] = perf_counter() - start
        return kernel
    kernel = compile_fresh(request, settings)
    cache.store(key, kernel.native.objects, kernel.signature.to_json())
    return kernel


def compile_fresh(request: Request, settings: Options) -> Kernel:
    """The kernel for one thread of a request, compiled without the caches; its `seconds` say how long each stage took.

    Raises UserError.
    """
    load_for("compiling")
    need_room(ROOM, "compiling")
    from irtensor.compiler.read_signature import kernel_function, read_signature
    from irtensor.runtime.cpu_engine import compile_llvm_text, uses_threads

    seconds: dict[str, float] = {}
    last = [perf_counter()]

    def finished(stage: str) -> None:
        now = perf_counter()
        seconds[stage] = now - last[0]
        last[0] = now

    built, names, extents = request.build(), request.names(), request.extent_sources()
    finished(request.start)
    signatures: list[KernelSignature] = []

    def read(lowered: ModuleOp) -> None:
        signature = read_signature(kernel_function(lowered, request.function_name), names, extents)
        signatures.append(replace(signature, nonempty=built.nonempty, kind=request.kind))

    text, warnings, by_size = lower_to_text(built.module, request, settings, read, finished)
    native = compile_llvm_text(text, request.function_name)
    finished("native code")
    signature = replace(signatures[-1], uses_threads=uses_threads(text), warnings=warnings, by_size=by_size)
    kernel = Kernel(signature, native)
    kernel.seconds = seconds
    return kernel


def lower_to_text(
    module: ModuleOp,
    request: Request,
    settings: Options,
    inspect: Callable[[ModuleOp], None],
    finished: Callable[[str], None] = lambda stage: None,
) -> tuple[str, tuple[str, ...], bool]:
    """LLVM IR text of a request's module at the stage that the request starts from, what passes warn of, and whether
    another schedule may be better for large operands.

    `inspect` sees the module in the concrete_index stage, when its operands and loops are final; `finished` is told
    every stage that is done.
    """
    from irtensor.compiler.default_schedule import PlanWatch, known_decision, with_decision, without_programs
    from irtensor.runtime.emit_llvm import emit_llvm

    # The decision is kept here as well: another thread may clear the caches at any time.
    decision = known_decision(request, settings)
    lowered = None
    while lowered is None:
        watch = PlanWatch(module) if decision is None else None
        scheduled = request if decision is None else with_decision(request, decision)
        try:
            lowered = _lower(module, scheduled, settings, inspect, finished, watch)
        except UserError:
            # Kernels of the other kinds have to have the same loops.
            if decision is None or scheduled is request or request.kind != "fused":
                raise
            decision = without_programs(request, decision)
        decision = decision or (watch and watch.decision)
        if lowered is None:
            module = request.build().module
    module, remarks = lowered
    assert decision is not None
    text = emit_llvm(module, settings.strict_fp)
    finished("llvm text")
    return text, tuple(remark.message for remark in remarks if remark.severity == "warning"), decision.is_open


def _lower(
    module: ModuleOp,
    request: Request,
    settings: Options,
    inspect: Callable[[ModuleOp], None],
    finished: Callable[[str], None],
    watch: PlanWatch | None,
) -> _Lowered | None:
    """A module in the llvm dialect, and what passes say. With `watch` it is decided on the way whether the request has
    a schedule; None if it has."""
    from irtensor.compiler.default_schedule import decide
    from irtensor.compiler.lower_module import lower_module
    from irtensor.compiler.pipeline_choices import PipelineChoices
    from irtensor.passes.pipelines import STAGE_NAMES

    if request.start == "concrete_index":
        # Loops in this stage are as the author wants them: nothing is converted or reordered.
        inspect(module)
    choices = PipelineChoices.of(request.convert, settings, request.kind, request.schedule, request.wide)
    first = STAGE_NAMES.index(request.start)
    with collect_remarks() as remarks:
        for before, stage in zip(STAGE_NAMES[first:], STAGE_NAMES[first + 1 :], strict=False):
            look = watch.look if watch is not None and stage == "concrete_index" else None
            lower_module(module, before, stage, choices=choices, verify=settings.verify, after=look)
            if stage == "concrete_index":
                if watch is not None and any(decide(request, watch).programs):
                    return None
                inspect(module)
            finished(stage)
    return module, remarks
