"""Compiles LLVM IR text to machine code of this computer and keeps it loaded while somebody can call it.

All llvmlite use of the CPU back end is here.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from irtensor.errors import InternalError
from irtensor.late_imports import lock as _lock
from irtensor.runtime.cold_code import split_cold_code
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.runtime.extremes_of_vectors import with_quick_extremes
from irtensor.runtime.link_objects import link_objects
from irtensor.runtime.llvm_modules import dispose_of, load_llvm, optimize_module, parse_text
from irtensor.runtime.native_function import NativeFunction
from irtensor.runtime.processor_identity import processor_identity
from irtensor.runtime.support_code import MAP_FUNCTIONS, SHARED_FUNCTIONS, SUPPORT_FUNCTIONS, support_code
from irtensor.runtime.vector_functions import (
    MASKED_VECTORS,
    NO_VECTORS,
    VectorSet,
    called_vector_functions,
    may_call_vector_functions,
    vector_function,
    vector_functions_are_from,
    with_scalar_functions,
    with_vector_functions,
)

# Processor features that bring vector instructions with masks, gathers among them.
_WITH_MASKS = ("avx512vl", "sve")
# LLVM then takes what would be gathered one by one.
_WITHOUT_GATHERS = ",+prefer-no-gather,+prefer-no-scatter"
_GATHERS = "gathers"  # the end of the description of a processor where they pay
# Processors for which LLVM has functions that keep the registers of whoever calls them.
_KEEPS_REGISTERS = ("x86_64", "aarch64", "arm64")
# A loop that LLVM vectorises for every processor.
_SUMS_OF_VECTORS = """define void @sums(ptr noalias %x, ptr noalias %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr float, ptr %x, i64 %i
  %number = load float, ptr %from
  %sum = fadd float %number, 1.0
  %to = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %to
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, 4096
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
Effort = Literal["full", "scalar", "light", "none"]
# What a function may ask for, the greatest one first.
_EFFORTS: tuple[Effort, ...] = ("full", "scalar", "light")
# Attribute of a function whose loops may be too short for the widest vectors.
_NARROW_VECTORS = '"irtensor-vectors"="narrow"'


class _Engine:
    """LLVM for this process: target machine, linker, and the lock that all use of them takes."""

    def __init__(self) -> None:
        llvm = load_llvm()
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        # Code that changes stacks is written in instructions of the processor.
        llvm.initialize_native_asmparser()
        self.llvm: Any = llvm
        self.cpu: str = llvm.get_host_cpu_name()
        self.features: str = llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_default_triple()
        self.triple: str = target.triple
        self.machine: Any = self._machine()
        self.quick_machine: Any = self._machine(optimizes=False)
        self.has_masks = any(f"+{feature}" in self.features.split(",") for feature in _WITH_MASKS)
        self.layout = str(self.machine.target_data)
        self.linker: Any = llvm.create_lljit_compiler(suppress_errors=True)
        self._numbers = itertools.count()
        self._vectors: VectorSet | None = None
        from irtensor.runtime.gather_speed import gathers_pay_for

        self.gathers_pay: bool = gathers_pay_for(self._processor(), self._compiled)
        if self.triple.startswith("x86_64") and not self.gathers_pay:
            self.features += _WITHOUT_GATHERS
            self.machine = self._machine()
            self.quick_machine = self._machine(optimizes=False)
            self.has_masks = False  # they have lost as well

    def _machine(self, *, optimizes: bool = True) -> Any:
        target = self.llvm.Target.from_default_triple()
        effort = 3 if optimizes else 0
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=effort, reloc="pic", codemodel="small", jit=False
        )

    def _compiled(self, text: str) -> NativeFunction:
        """The function `kernel` of a text, with the effort that it asks for."""
        module = self.parse(text)
        self.optimize(module, _effort_of(text))
        return self.link((self.machine.emit_object(module),), "kernel")

    def _processor(self) -> str:
        import llvmlite

        return f"llvmlite {llvmlite.__version__} {self.triple} {self.cpu} {self.features}"

    def description(self) -> str:
        """The compiler version, processor and features that object code depends on."""
        return f"{self._processor()}, {_GATHERS if self.gathers_pay else 'single reads'}"

    def parse(self, text: str) -> Any:
        if not self.has_masks:
            # Lanes would be tested one by one.
            text = text.replace(MASKED_VECTORS, NO_VECTORS)
        if not self.triple.startswith(_KEEPS_REGISTERS):
            text = text.replace(" preserve_mostcc ", " ")
        return parse_text(text, self.triple, self.layout)

    def optimize(self, module: Any, effort: Effort) -> None:
        """LLVM's passes: those of level 1 with its vectoriser, those for scalars and loops, or the fewest.

        Kernels arrive with sums in registers and loops in their final form. Levels 2 and 3 take up to twice as long and
        leave the same inner loops; code that loops have nothing to gain in is as fast after three passes.
        """
        builder = self.llvm.create_pass_builder(self.machine, self.llvm.create_pipeline_tuning_options(speed_level=1))
        if effort == "scalar":
            passes = builder.getFunctionPassManager()
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)
            dispose_of(passes)
            return
        if effort == "full":
            passes = builder.getModulePassManager()
        else:
            passes = self.llvm.create_new_module_pass_manager()
            passes.add_sroa_pass()
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
        optimize_module(passes, module, builder)

    def vectors(self) -> VectorSet:
        """The vectors that LLVM takes for loops, which are not the widest ones of every processor."""
        if self._vectors is None:
            module = self.parse(_SUMS_OF_VECTORS)
            self.optimize(module, "full")
            lanes = max(map(int, re.findall(r"<(\d+) x float>", str(module))), default=4)
            features = self.features.split(",")
            self._vectors = VectorSet(32 * lanes, "+avx2" in features, "+avx512vl" in features)
        return self._vectors

    def modules(self, text: str, effort: Effort | None) -> Iterator[tuple[Any, Any]]:
        """LLVM's modules of a text, as optimised, each with the target machine that makes code of it.

        Code that runs once per call is left as it is, and its instructions are selected the quick way; so is all code
        with effort "none".
        """
        if effort == "none":
            yield self.parse(text), self.quick_machine
            return
        hot, cold = split_cold_code(text)
        if hot:
            effort = effort or _effort_of(text)
            vectors = effort == "full" and may_call_vector_functions(hot)
            if vectors:
                hot = with_vector_functions(hot, self.vectors(), widest=_NARROW_VECTORS not in text)
            else:
                hot = with_scalar_functions(hot)
            module = self.parse(with_quick_extremes(hot) if self.triple.startswith("x86_64") else hot)
            self.optimize(module, effort)
            yield module, self.machine
        if cold:
            yield self.parse(cold), self.quick_machine

    def link(
        self, objects: Iterable[bytes], entry: str, imports: Mapping[str, int] = {}, exports: Sequence[str] = ()
    ) -> NativeFunction:
        """Load object files as a library of their own, which is unloaded with its NativeFunction.

        Functions of the runtime that it calls are linked to it.
        """
        name = f"irtensor.{next(self._numbers)}"
        objects = tuple(objects)
        _process()
        # Whoever gives other ones of their names means those.
        shared = [symbol for symbol in SHARED_FUNCTIONS if symbol not in (entry, *exports, *imports)]
        called = [symbol for symbol in shared if any(symbol.encode() in code for code in objects)]
        imports = {**called_vector_functions(objects), **imports}
        imports |= {symbol: _support_function(symbol) for symbol in called}
        builder = self.llvm.JITLibraryBuilder()
        builder.add_current_process()
        for code in objects:
            builder.add_object_img(code)
        for symbol, address in imports.items():
            builder.import_symbol(symbol, address)
        for symbol in (entry, *exports):
            builder.export_symbol(symbol)
        library = builder.link(self.linker, name)
        return NativeFunction(library[entry], objects, entry, library)


_engine: _Engine | None = None
_support: NativeFunction | None = None
_maps: NativeFunction | None = None
_description: str | None = None


def _get_engine() -> _Engine:
    global _engine
    if _engine is None:
        _engine = _Engine()
    return _engine


def gathers_pay() -> bool:
    """Whether sums read by vectors of coordinates on this processor; see `gather_speed`."""
    with _lock:
        return _get_engine().gathers_pay if _description is None else _description.endswith(_GATHERS)


def target_description(cache: DiskCache) -> str:
    """The compiler version, processor and features that object code of this process depends on.

    The cache has what LLVM said about this processor: to load code, LLVM itself need not be loaded.
    """
    global _description
    with _lock:
        if _description is None:
            import llvmlite

            known_as = processor_identity()
            key = None if known_as is None else cache_key(f"llvmlite {llvmlite.__version__}", known_as, cache)
            found = None if key is None or _engine is not None else cache.load(key)
            known = None if found is None else found.metadata
            _description = known if isinstance(known, str) else _get_engine().description()
            if known != _description and key is not None:
                cache.store(key, (), _description)
        return f"{_description} {vector_functions_are_from()}"


@cache
def _process() -> Any:
    """This process as a library; with mathematics where the interpreter does not link it."""
    process = ctypes.CDLL(None)
    if not hasattr(process, "cexp"):
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    return process


def _support_function(name: str) -> int:
    """The address of a function that all kernels share."""
    global _support, _maps
    with _lock:
        if name in MAP_FUNCTIONS:
            if _maps is None:
                from irtensor.runtime.loop_text import exported_functions, llvm_of_loops, text_of_maps

                text = text_of_maps()
                entry, *others = exported_functions(text)
                _maps = compiled_once(text, entry, effort="light", exports=others, lower=llvm_of_loops)
            return _maps.address_of(name)
        if _support is None:
            # Loaded with the first kernel that calls one.
            from irtensor.runtime.interruption_code import interpreter_functions

            entry, *others = SUPPORT_FUNCTIONS
            imports = interpreter_functions()
            _support = compiled_once(support_code(), entry, effort="light", imports=imports, exports=others)
        return _support.address_of(name)


def _effort_of(text: str) -> Effort:
    """The greatest effort that functions of the text ask for in an attribute; the full one if none does."""
    for effort in _EFFORTS:
        if f'"irtensor-effort"="{effort}"' in text:
            return effort
    return "full"


def uses_threads(text: str) -> bool:
    """Whether a function of the text takes a context for threads; see thread_pool."""
    return '"irtensor-threads"' in text


def compile_llvm_text(
    text: str,
    entry: str,
    *,
    effort: Effort | None = None,
    imports: Mapping[str, int] = {},
    exports: Sequence[str] = (),
) -> NativeFunction:
    """Optimise, compile and load LLVM IR.

    `effort` "scalar" and "light" compile faster and do not vectorise, "none" takes a
    twentieth of the time and optimises nothing; by default the text says, by the function attribute "irtensor-effort".
    `imports` has addresses of functions that the text declares and the process does not show; `exports` names functions
    that can be called beside `entry`.
    Raises InternalError, with the text as reproducer, if LLVM rejects it or a symbol is missing.
    """
    with _lock:
        engine = _get_engine()
        try:
            objects = [machine.emit_object(module) for module, machine in engine.modules(text, effort)]
            return _linked(objects, entry, imports, exports)
        except RuntimeError as error:
            missing = _missing_symbols(text)
            reason = f"no library has {', '.join(missing)}" if missing else str(error)
            raise InternalError(f"LLVM rejected the code of '{entry}': {reason}", reproducer=text) from error


def compiled_once(
    text: str,
    entry: str,
    *,
    effort: Effort | None = None,
    imports: Mapping[str, int] = {},
    exports: Sequence[str] = (),
    lower: Callable[[str], str] | None = None,
) -> NativeFunction:
    """The loaded code of LLVM IR that is the same in all processes, from the disk cache where there is one.

    No kernel has a part in it, as in functions of the runtime. `lower` makes LLVM IR of the text, if it is another one.
    The other arguments are those of compile_llvm_text.
    """
    from irtensor.options import current_options

    def compiled() -> NativeFunction:
        generated = text if lower is None else lower(text)
        return compile_llvm_text(generated, entry, effort=effort, imports=imports, exports=exports)

    settings = current_options()
    if not settings.disk_cache:
        return compiled()
    cache = DiskCache(settings.cache_dir)
    key = cache_key(text, target_description(cache), cache)
    found = cache.load_as(key, lambda kept: load_objects(kept.objects, entry, imports=imports, exports=exports))
    if found is not None:
        return found
    native = compiled()
    cache.store(key, native.objects)
    return native


def _missing_symbols(text: str) -> list[str]:
    """Functions that the text declares and this process does not have."""
    process = ctypes.CDLL(None)
    names = set(re.findall(r"^declare [^@\n]*@([\w.$]+)\(", text, re.MULTILINE)).difference(SHARED_FUNCTIONS)
    return [name for name in sorted(names) if not name.startswith("llvm.") and not hasattr(process, name)]


def optimized_text(text: str, *, assembly: bool = False) -> str:
    """LLVM IR after optimisation, or the assembly it becomes."""
    with _lock:
        modules = _get_engine().modules(text, None)
        return "\n".join(machine.emit_assembly(module) if assembly else str(module) for module, machine in modules)


def load_objects(
    objects: Iterable[bytes], entry: str, *, imports: Mapping[str, int] = {}, exports: Sequence[str] = ()
) -> NativeFunction:
    """Load what an earlier NativeFunction had in `objects`; raises InternalError if it is not loadable."""
    try:
        return _linked(tuple(objects), entry, imports, exports)
    except RuntimeError as error:
        raise InternalError(f"cannot load the object code of '{entry}': {error}") from error


def _linked(objects: Sequence[bytes], entry: str, imports: Mapping[str, int], exports: Sequence[str]) -> NativeFunction:
    """Object files as code that can be called. LLVM, which keeps some memory of each library that it unloads, loads
    what the linker here does not know. Raises RuntimeError."""

    def resolve(symbol: str) -> int | None:
        if symbol in imports:
            return imports[symbol]
        if symbol in SHARED_FUNCTIONS:
            return _support_function(symbol)
        vector = vector_function(symbol)
        if vector is not None:
            return vector
        process = _process()
        return ctypes.cast(getattr(process, symbol), ctypes.c_void_p).value if hasattr(process, symbol) else None

    linked = link_objects(objects, resolve)
    if linked is not None and entry in linked:
        return NativeFunction(linked[entry], tuple(objects), entry, linked)
    with _lock:
        return _get_engine().link(objects, entry, imports, exports)
