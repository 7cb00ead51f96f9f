"""Compiles requests of the front ends to loaded kernels, cached in memory and on disk by the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.collector_paused import collector_paused
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.compiler.compilation.warn_user import warn_user
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.late_imports import load_for
from irtensor.levels.known_levels import names_outside_level
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.operators.known_operators import names_outside_operator
from irtensor.options import Options, current_kernel_key, current_options
from irtensor.runtime.disk_cache import CachedObject, DiskCache, cache_key
from irtensor.runtime.room import ROOM, need_room

if TYPE_CHECKING:
    import numpy as np
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.api.schedule import Schedule
    from irtensor.compiler.compilation.lower_request import Lowered
    from irtensor.compiler.compilation.request import Request
    from irtensor.core.argument_layout import KernelPurpose
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator


_kernels: MemoryCache[Any, Kernel] = MemoryCache(code_of)


def compile_statement(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    operators: tuple[UserOperator, ...] = (),
    convert: bool = True,
    options: Mapping[str, Any] | None = None,
    purpose: KernelPurpose = "fused",
    schedule: Schedule | None = None,
    wide: WideIndices | None = None,
    result_dtype: np.dtype | None = None,
) -> Kernel:
    """The kernel of a statement with explicit reductions; equal requests give the same kernel.

    `convert` allows operands to be converted before the call where their storage orders contradict each other;
    `options` are those of irtensor.options, in place of the environment's; `purpose` says which arrays of a sparse
    result the kernel writes (all, where it cannot replay the index: the signature says what it does); `schedule`
    rearranges the loops first; `wide` names the index variables whose extents are so large that no memory is taken for
    them (`wide_indices`); the result is converted to `result_dtype`, in which its sums are computed if it is wider.
    Raises UserError if the statement cannot be compiled over these formats, saying what prevents it.
    """
    parts = (
        statement,
        tuple(operands.items()),
        result_format,
        operators,
        convert,
        purpose,
        schedule,
        wide,
        result_dtype,
    )
    kernel = compiled(CompileRequest(*parts), options)
    warn_user(kernel.warnings)
    return kernel


def compiled(request: Request, options: Mapping[str, Any] | None = None) -> Kernel:
    """The kernel of a request; see `compile_statement`. The caller says what it warns of."""
    if options:
        return compiled_with(request, current_options(**options))
    # Settings are read only if the cache has no kernel: this runs in every call of einsum.
    kernel = _kernels[request, current_kernel_key()]
    return compiled_with(request, current_options()) if kernel is None else kernel


def compiled_with(request: Request, settings: Options, lowered: Lowered | None = None) -> Kernel:
    """The kernel of a request under some settings; `lowered` is the request as planning has lowered it."""
    is_whole = request.selects_entries or (request.purpose == "compute" and request.forgets_index)
    if is_whole and request.purpose != "fused":
        request = replace(request, purpose="fused")
    key = (request, settings.kernel_key())
    kernel = _kernels[key]
    if kernel is None:
        code = (request, "code", settings.code_key())
        kernel = _kernels[code]
        if kernel is None:
            kernel = loaded(request, settings, lowered)
            if kernel.signature.lane_iterations and not settings.team:
                kernel = kernel.with_teams(lambda team: compiled_with(request, settings._replace(team=team)))
            # They are on the disk, or of no use to anybody: half of what a kernel takes.
            kernel.native.objects = ()
            _kernels[code] = kernel
        kernel = _kernels[key] = kernel.with_threads(settings.num_threads)
    return kernel


def loaded(request: Request, settings: Options, lowered: Lowered | None = None) -> Kernel:
    """The kernel for one thread of a request, from the disk or compiled, without the memory of kernels."""
    other = request.whatever_fits
    try:
        with request.located():
            kernel = _compile_purpose(request, settings, lowered)
    except UserError:
        # What prevents it may be a level that the entries would have to fit into.
        if other is None:
            raise
        return loaded(other, settings)
    kernel.stored_as = request.stored_as
    if other is not None:
        kernel.whatever_fits = lambda: compiled_with(other, settings)
    return kernel


def compiled_for(request: Request, kernel: Kernel) -> Request:
    """The request that a kernel computes: another one where what was requested cannot be compiled for all entries."""
    other = request.whatever_fits
    return request if other is None or kernel.whatever_fits is not None else other


def _compile_purpose(request: Request, settings: Options, lowered: Lowered | None) -> Kernel:
    """The kernel for the arrays that are asked for, or for all of them if a schedule prevents replaying an index."""
    try:
        return _load_or_compile(request, settings, lowered)
    except UserError as error:
        if error.slug != "illegal-replay":
            raise
        return _load_or_compile(replace(request, purpose="fused"), settings)


def _load_or_compile(request: Request, settings: Options, lowered: Lowered | None = None) -> Kernel:
    """Load the kernel from the disk cache, or compile it and store it there."""
    # A check of the compiler needs the compiler to run.
    if not settings.disk_cache or settings.verify or settings.target == "cuda-emulated":
        return compile_fresh(request, settings, lowered)
    from irtensor.runtime.cpu_engine import target_description

    start = perf_counter()
    structure = request.structure(settings)
    # The code of such a level or operator may be another one in the next process.
    if names_outside_level(structure) or names_outside_operator(structure):
        return compile_fresh(request, settings, lowered)
    cache = DiskCache(settings.cache_dir)
    key = cache_key(structure, target_description(cache), cache)

    def read(found: CachedObject) -> Kernel:
        return _loaded_kernel(request, KernelSignature.from_json(found.metadata), found.objects)

    kernel = cache.load_as(key, read)
    if kernel is not None:
        kernel.seconds["disk cache"] = perf_counter() - start
        return kernel
    kernel = compile_fresh(request, settings, lowered)
    cache.store(key, kernel.objects, kernel.signature.to_json())
    return kernel


def _loaded_kernel(request: Request, signature: KernelSignature, objects: Sequence[bytes]) -> Kernel:
    """The kernel that `objects` of an earlier one are of."""
    from irtensor.runtime.cpu_engine import load_objects

    if signature.target == "cpu":
        return Kernel(signature, load_objects(objects, request.function_name))
    load_for("cards")
    from irtensor.compiler.device.device_kernel import DeviceKernel
    from irtensor.runtime.cuda_launch import host_imports

    native = load_objects(objects[:-1], request.function_name, imports=host_imports())
    return DeviceKernel(signature, native, objects[-1].decode(), request.title)


class _Generated(NamedTuple):
    """What native code is made of: LLVM IR for the host, and the module of the kernels that it launches, if any."""

    signature: KernelSignature
    text: str
    kernels: ModuleOp | None
    seconds: dict[str, float]


def compile_fresh(request: Request, settings: Options, lowered: Lowered | None = None) -> Kernel:
    """The kernel for one thread of a request, compiled without the caches; its `seconds` say how long each stage took.

    Raises UserError.
    """
    load_for("compiling")
    need_room(ROOM, "compiling")
    # IR is garbage when the collector runs again: a collection on the way would find it in use, and walk it again.
    with collector_paused():
        generated = _generate(request, settings, lowered)
    start = perf_counter()
    kernel = _new_kernel(request, generated)
    kernel.seconds = {**generated.seconds, "native code": perf_counter() - start}
    return kernel


def seconds_of(request: Request, settings: Options) -> dict[str, float]:
    """How long each stage of a request's compilation took; it is compiled anew if this process did not compile it.

    Raises UserError.
    """
    kernel = _kernels[request, "code", settings.code_key()]
    # Code from the disk has no such stage, nor code of loops that were lowered before.
    if kernel is not None and "planning" in kernel.seconds:
        return kernel.seconds
    return compile_fresh(request, settings).seconds


def _generate(request: Request, settings: Options, lowered: Lowered | None) -> _Generated:
    from irtensor.planning.planner import plan_for
    from irtensor.runtime.cpu_engine import uses_threads
    from irtensor.runtime.emit_llvm import emit_llvm, kernels_of

    start = perf_counter()
    may_be_beaten = False
    if lowered is None:
        plan = plan_for(request, settings)
        may_be_beaten = plan.may_be_beaten
        lowered = plan.lower(settings)
        lowered.seconds["planning"] = perf_counter() - start - sum(lowered.seconds.values())
    start = perf_counter()
    text = emit_llvm(lowered.module)
    lowered.seconds["llvm text"] = perf_counter() - start
    signature = lowered.signature._replace(
        uses_threads=uses_threads(text),
        warnings=tuple(remark.message for remark in lowered.remarks if remark.severity == "warning"),
        by_size=may_be_beaten,
        target=settings.target,
    )
    kernels = None if settings.target == "cpu" else kernels_of(lowered.module)
    return _Generated(signature, text, kernels, lowered.seconds)


def _new_kernel(request: Request, generated: _Generated) -> Kernel:
    from irtensor.runtime.cpu_engine import compile_llvm_text

    signature, text, kernels, _ = generated
    name = request.function_name
    if kernels is None:
        return Kernel(signature, compile_llvm_text(text, name))
    load_for("gpus")
    if signature.target == "cuda":
        load_for("cards")
        from irtensor.compiler.device.device_kernel import DeviceKernel, refuse_conversions
        from irtensor.runtime.cuda_launch import host_imports
        from irtensor.runtime.emit_nvvm import emit_nvvm
        from irtensor.runtime.kernel_shapes import kernel_shapes

        refuse_conversions(request, signature)
        signature = signature._replace(kernels=tuple((name, *shape) for name, shape in kernel_shapes(kernels).items()))
        native = compile_llvm_text(text, name, imports=host_imports())
        return DeviceKernel(signature, native, emit_nvvm(kernels), request.title)
    from irtensor.runtime.emulator import EmulatedKernels

    emulated = EmulatedKernels(kernels)
    native = compile_llvm_text(text, name, imports=emulated.imports)
    native.linked_with = emulated
    return Kernel(signature, native)
