"""Compiles LLVM IR text to machine code of this computer and keeps it loaded while somebody can call it.

All llvmlite use of the CPU back end is here.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from threading import RLock
from typing import Any, Literal

from irtensor.errors import InternalError

Effort = Literal["full", "light"]
_FAST_MATH = re.compile(
    r"(?<== )(fadd|fsub|fmul|fdiv|frem|fneg|fcmp|select|call)((?: (?:fast|reassoc|nnan|ninf|nsz|arcp|contract|afn))+)"
)


class NativeFunction:
    """A loaded function. The code stays in memory as long as this object lives.

    `address` is its entry point, `object_code` the object file it came from, which `load_object` accepts.
    """

    __slots__ = ("_library", "address", "entry", "object_code")

    def __init__(self, address: int, object_code: bytes, entry: str, library: Any) -> None:
        self.address = address
        self.object_code = object_code
        self.entry = entry
        self._library = library

    def as_ctypes(self, *argument_types: Any) -> Any:
        """A Python callable that returns the function's i32 status; it keeps this object alive."""
        function = ctypes.CFUNCTYPE(ctypes.c_int32, *argument_types)(self.address)
        function.keep_alive = self  # pyright: ignore[reportAttributeAccessIssue]
        return function

    def __repr__(self) -> str:
        return f"<NativeFunction {self.entry} at {self.address:#x}>"


class _Engine:
    """LLVM for this process: target machine, linker, and the lock that all use of them takes."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm: Any = llvm
        self.cpu: str = llvm.get_host_cpu_name()
        self.features: str = llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_default_triple()
        self.triple: str = target.triple
        self.machine: Any = target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic", codemodel="small", jit=False
        )
        self.layout = str(self.machine.target_data)
        self.linker: Any = llvm.create_lljit_compiler(suppress_errors=True)
        self._numbers = itertools.count()
        self._load_mathematics()

    def _load_mathematics(self) -> None:
        """Make the mathematics library visible to the linker where the interpreter does not link it."""
        process = ctypes.CDLL(None)
        if not hasattr(process, "cexp"):
            ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)

    def parse(self, text: str) -> Any:
        module = self.llvm.parse_assembly(text)
        module.triple = self.triple
        module.data_layout = self.layout
        module.verify()
        return module

    def optimize(self, module: Any, effort: Effort) -> None:
        options = self.llvm.create_pipeline_tuning_options(speed_level=3)
        builder = self.llvm.create_pass_builder(self.machine, options)
        if effort == "full":
            options.slp_vectorization = True
            passes = builder.getModulePassManager()
        else:
            passes = self._light_passes()
        passes.run(module, builder)

    def _light_passes(self) -> Any:
        """A fifth of the full effort, for code that does not vectorise, such as merges of sparse operands."""
        passes = self.llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        for add in (
            "sroa",
            "simplify_cfg",
            "instruction_combine",
            "loop_rotate",
            "simplify_cfg",
            "loop_strength_reduce",
            "dead_store_elimination",
            "instruction_combine",
            "simplify_cfg",
            "aggressive_dce",
        ):
            getattr(passes, f"add_{add}_pass")()
        return passes

    def link(self, object_code: bytes, entry: str) -> NativeFunction:
        """Load an object file; every one becomes a library of its own, unloaded with its NativeFunction."""
        name = f"irtensor.{next(self._numbers)}"
        builder = self.llvm.JITLibraryBuilder()
        builder.add_object_img(object_code).add_current_process().export_symbol(entry)
        library = builder.link(self.linker, name)
        return NativeFunction(library[entry], object_code, entry, library)


_lock = RLock()
_engine: _Engine | None = None


def _get_engine() -> _Engine:
    global _engine
    if _engine is None:
        _engine = _Engine()
    return _engine


def target_description() -> str:
    """The compiler version, processor and features that object code of this process depends on."""
    with _lock:
        engine = _get_engine()
        import llvmlite

        return f"llvmlite {llvmlite.__version__} {engine.triple} {engine.cpu} {engine.features}"


def _effort_of(text: str) -> Effort:
    """The effort that the text asks for in an attribute of its functions."""
    return "light" if '"irtensor-effort"="light"' in text else "full"


def compile_llvm_text(text: str, entry: str, *, strict: bool = False, effort: Effort | None = None) -> NativeFunction:
    """Optimise, compile and load LLVM IR.

    `strict` removes fast-math flags. `effort` "light" compiles several times faster and does not vectorise; by default
    the text says, by the function attribute "irtensor-effort".
    Raises InternalError, with the text as reproducer, if LLVM rejects it or a symbol is missing.
    """
    if strict:
        text = without_fast_math(text)
    with _lock:
        engine = _get_engine()
        try:
            module = engine.parse(text)
            engine.optimize(module, effort or _effort_of(text))
            return engine.link(engine.machine.emit_object(module), entry)
        except RuntimeError as error:
            missing = _missing_symbols(text)
            reason = f"no library has {', '.join(missing)}" if missing else str(error)
            raise InternalError(f"LLVM rejected the code of '{entry}': {reason}", reproducer=text) from error


def without_fast_math(text: str) -> str:
    """LLVM IR without its fast-math flags: sums keep the order of the storage."""
    return _FAST_MATH.sub(r"\1", text)


def _missing_symbols(text: str) -> list[str]:
    """Functions that the text declares and this process does not have."""
    process = ctypes.CDLL(None)
    names = re.findall(r"^declare [^@\n]*@([\w.$]+)\(", text, re.MULTILINE)
    return [name for name in names if not name.startswith("llvm.") and not hasattr(process, name)]


def optimized_text(text: str, *, assembly: bool = False, effort: Effort | None = None) -> str:
    """LLVM IR after optimisation, or the assembly it becomes."""
    with _lock:
        engine = _get_engine()
        module = engine.parse(text)
        engine.optimize(module, effort or _effort_of(text))
        return engine.machine.emit_assembly(module) if assembly else str(module)


def load_object(object_code: bytes, entry: str) -> NativeFunction:
    """Load what an earlier NativeFunction had in `object_code`; raises InternalError if it is not loadable."""
    with _lock:
        engine = _get_engine()
        try:
            return engine.link(object_code, entry)
        except RuntimeError as error:
            raise InternalError(f"cannot load the object code of '{entry}': {error}") from error
