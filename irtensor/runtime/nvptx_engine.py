"""Compiles LLVM IR text to PTX for a processor of NVIDIA.

All llvmlite use of the NVPTX back end is here.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from irtensor.dialects.llvm.kernel_attributes import MAXIMAL_THREADS, MINIMAL_BLOCKS
from irtensor.errors import InternalError, UserError
from irtensor.late_imports import lock
from irtensor.runtime.device_text import libdevice_functions, problem_of
from irtensor.runtime.kernel_pieces import NAME, joined, pieces_of
from irtensor.runtime.libdevice import libdevice_bitcode
from irtensor.runtime.llvm_modules import load_llvm, optimize_module, parse_text
from irtensor.runtime.nvptx_targets import Processor

TRIPLE = "nvptx64-nvidia-cuda"
# Before LLVM 21 the barrier of all threads had another name, which later versions still read.
_BARRIER = "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "@llvm.nvvm.barrier0()"
# LLVM numbers the calls of a process, in comments: the same text would become another one with each compilation.
_CALL_NUMBER = re.compile(r"[ \t]*// callseq \d+(?:, \d+)?$", re.MULTILINE)
_KERNEL = re.compile(r"^define[^@\n]*\bptx_kernel\b[^@\n]*@([\w$]+)\((.*)$", re.MULTILINE)
# An argument that points into memory of any kind: LLVM finds out which that is.
_ANY_MEMORY = re.compile(r"^define[^@\n]*\bptx_kernel\b[^\n]*\bptr (?!addrspace\()", re.MULTILINE)
_LAUNCH = re.compile(r'"(nvvm\.maxntid|nvvm\.minctasm)"="([\d,]+)')
_LIGHT = '"irtensor-effort"="light"'
_ANNOTATIONS = {MAXIMAL_THREADS: ("maxntidx", "maxntidy", "maxntidz"), MINIMAL_BLOCKS: ("minctasm",)}
_NODE = re.compile(r"^!(\d+) =", re.MULTILINE)


def compile_ptx(text: str, processor: Processor) -> str:
    """The PTX of LLVM IR.

    Functions of libdevice that the text declares are linked to it. Raises InternalError, with the text as reproducer,
    if the text has something for which LLVM makes no PTX; UserError [no-libdevice] if it needs libdevice and that is
    not there, and [cuda-arch] if the LLVM of this llvmlite does not know the processor yet.
    """
    problem = problem_of(text, processor)
    if problem is not None:
        raise InternalError(f"no PTX is made: {problem.reason}", reproducer=text)
    functions = libdevice_functions(text)
    with lock:
        _check_known(processor)
        # Before anything else of LLVM: an error about a missing library comes quickly.
        bitcode = libdevice_bitcode(functions, TRIPLE, _layout()) if functions else None
        try:
            return _assembly(text, processor.name, bitcode) if bitcode is not None else _joined(text, processor.name)
        except RuntimeError as error:
            raise InternalError(f"LLVM rejected the code for {processor.name}: {error}", reproducer=text) from error


def _joined(text: str, processor: str) -> str:
    """Compile each kernel for itself: many statements have those in common that compute prefix sums."""
    pieces, others = pieces_of(text)
    made = [_kernel_assembly(piece.text, processor).replace(NAME, piece.name) for piece in pieces]
    return joined([*made, _assembly(others, processor)] if others or not made else made)


@lru_cache(maxsize=64)
def _kernel_assembly(text: str, processor: str) -> str:
    return _assembly(text, processor)


def _assembly(text: str, processor: str, bitcode: bytes | None = None) -> str:
    llvm = load_llvm()
    machine = _machine(processor, optimizes=bitcode is not None or _ANY_MEMORY.search(text) is not None)
    module = parse_text(_adapted(text), TRIPLE, _layout(), bitcode)
    for symbol in (*module.functions, *module.global_variables) if bitcode is not None else ():
        # Only what a kernel calls is kept.
        if not symbol.is_declaration and symbol.name.startswith("__"):
            symbol.linkage = "internal"
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    # A library's functions call and branch far more than our loops do, and are for passes of all kinds.
    passes = _passes(text) if bitcode is None else builder.getModulePassManager()
    optimize_module(passes, module, builder)
    return _CALL_NUMBER.sub("", machine.emit_assembly(module))


def _passes(text: str) -> Any:
    """What the assembler of PTX does not do itself, which hoists, numbers values and has registers to allocate.

    It multiplies in each iteration where addresses can be added to, and unrolls few loops. Level 1 of LLVM takes three
    times as long for as many instructions of a processor. Loops are left as they are where all kernels say so.
    """
    passes = load_llvm().create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_loop_rotate_pass()
    if text.count(_LIGHT) < len(_KERNEL.findall(text)):
        # Before loops are unrolled, which it would take as long again for each copy of a body.
        passes.add_loop_strength_reduce_pass()
        passes.add_loop_unroll_pass()
    passes.add_simplify_cfg_pass()
    # What few need is computed there: threads have as many registers as the assembler is told to make do with.
    passes.add_sinking_pass()
    return passes


@cache
def _target() -> Any:
    llvm = load_llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE)


@cache
def _machine(name: str, *, optimizes: bool = False) -> Any:
    """A processor; without `optimizes`, instructions are selected as they come.

    What LLVM does beside that, by twenty passes, takes four times as long as the rest, and the assembler does it again.
    """
    return _target().create_target_machine(cpu=name, opt=3 if optimizes else 0)


@cache
def _layout() -> str:
    """How data lies in memory, which is the same on all processors."""
    return str(_machine("sm_75").target_data)


def _adapted(text: str) -> str:
    """The text for the LLVM that is there."""
    return text if load_llvm().llvm_version_info >= (21,) else _annotated(text.replace(*_BARRIER))


def _annotated(text: str) -> str:
    """The text with what its kernels say about their launch as metadata, as versions before LLVM 21 want it."""
    number = 1 + max(map(int, _NODE.findall(text)), default=-1)
    facts = [
        f'!{{ptr @{kernel}, !"{word}", i32 {value}}}'
        for kernel, attributes in _KERNEL.findall(text)
        for name, values in _LAUNCH.findall(attributes)
        for word, value in zip(_ANNOTATIONS[name], values.split(","), strict=False)
    ]
    if not facts:
        return text
    nodes = [f"!{number + position} = {fact}" for position, fact in enumerate(facts)]
    references = ", ".join(f"!{number + position}" for position in range(len(facts)))
    return "\n".join([text, *nodes, f"!nvvm.annotations = !{{{references}}}", ""])


def _check_known(processor: Processor) -> None:
    """LLVM says on the error stream, and nowhere else, that it does not know a processor."""
    if load_llvm().llvm_version_info < (processor.llvm,):
        raise UserError(
            "cuda-arch",
            f"the LLVM of this llvmlite does not know {processor.name}",
            help="install a newer llvmlite, or compile for an older processor",
        )
