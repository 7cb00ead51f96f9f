"""Functions of mathematics for vectors: those of glibc's libmvec, which LLVM calls from loops that it vectorises.

A function that a kernel calls with leave to approximate (`afn`) becomes one of the library for all of its calls: what
vectors leave of a loop calls it for one number. So a value has the same bits wherever it stands, and on any number of
threads.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable, Set
from functools import cache
from typing import Any, NamedTuple

# Loop metadata: vectors with masks, where others leave a scalar loop for what remains; no vectors at all.
MASKED_VECTORS = '!"llvm.loop.vectorize.predicate.enable", i1 true'
NO_VECTORS = '!"llvm.loop.vectorize.enable", i1 false'
# Loop metadata of a loop whose last vector may be used in part, where the processor has masks; LLVM knows it not.
MASKED_REST = '!"irtensor.loop.masked.rest"'
_MASKED_LANES = '!"llvm.loop.vectorize.predicate.enable", i32 1'
_LIBRARY = "libmvec.so.1"
_SYSTEM_IS_KNOWN = sys.platform == "linux" and os.uname().machine == "x86_64"
# What all these calls begin with. To look for it takes a hundredth of what the pattern takes, and most texts have none.
_MARK = "call afn "
_OWN_NAMES = "irtensor.vector."
_CALL = re.compile(r"\bcall afn (float|double) @(?:llvm\.(\w+)\.f(?:32|64)|(\w+))\(")
_SYMBOL = re.compile(rb"_ZGV[bcde]N\d+v+_\w+")
# Of a vector of single numbers half as many lanes take half the time of a whole vector, or less.
_QUICK_IN_HALVES = frozenset(("expf",))
_PURE = "nounwind willreturn memory(none)"
# A function of LLVM IR up to the brace that opens its body, and the body.
_DEFINITION = re.compile(r"^(define [^\n]*)( \{\n)(.*?^\}\n)", re.MULTILINE | re.DOTALL)
# What lanes without a number hold: arguments for which no function is infinite or not a number.
_FILL, _OTHER_FILLS = "1.0", {"atanh": "0.5", "acosh": "2.0"}


class VectorSet(NamedTuple):
    """Vectors of a processor: the bits that LLVM takes, whether it has the instructions of AVX2, those of AVX-512."""

    bits: int
    has_avx2: bool
    has_masks: bool

    @property
    def widest(self) -> VectorSet:
        """The vectors of long loops with calls.

        LLVM takes half of AVX-512 for loops, since a processor may lower its clock for wide vectors. The library takes
        a half to two thirds of the time for a number in them (glibc 2.36: tanh 0.37 and 0.66 ns).
        """
        return self._replace(bits=512) if self.has_masks else self


class _Function(NamedTuple):
    """A function of C, by its name there without the `f` of single numbers."""

    name: str
    element: str
    parameters: int

    @property
    def symbol(self) -> str:
        return self.name + ("f" if self.element == "float" else "")

    @property
    def own_name(self) -> str:
        """What calls of it are replaced by."""
        return f"{_OWN_NAMES}{self.symbol}"

    @property
    def bits(self) -> int:
        return 32 if self.element == "float" else 64

    def variant(self, bits: int, has_avx2: bool) -> str:
        """The name in the library for vectors of so many bits, as the ABI of vector functions has it."""
        letter = {128: "b", 256: "d" if has_avx2 else "c", 512: "e"}[bits]
        return f"_ZGV{letter}N{bits // self.bits}{'v' * self.parameters}_{self.symbol}"


@cache
def _library() -> Any:
    """The library, or None on systems without it."""
    if not _SYSTEM_IS_KNOWN:
        return None
    try:
        return ctypes.CDLL(_LIBRARY)
    except OSError:
        return None


def vector_functions_are_from() -> str:
    """The version of the library; empty without one. It is a part of what code depends on."""
    if _library() is None:
        return ""
    return f"{_LIBRARY} {os.confstr('CS_GNU_LIBC_VERSION')}"


def vector_function(symbol: str) -> int | None:
    """The address of a function by its name in the library; None if it has none."""
    if not symbol.startswith("_ZGV"):
        return None
    library = _library()
    return ctypes.cast(library[symbol], ctypes.c_void_p).value if hasattr(library, symbol) else None


def called_vector_functions(objects: Iterable[bytes]) -> dict[str, int]:
    """The addresses of the library's functions whose names occur in object files."""
    names = {found.decode() for code in objects for found in _SYMBOL.findall(code)}
    addresses = {name: vector_function(name) for name in names}
    return {name: address for name, address in addresses.items() if address is not None}


def may_call_vector_functions(text: str) -> bool:
    """Whether LLVM IR has calls that may be approximated, and there is a library for that."""
    return _MARK in text and _CALL.search(text) is not None and _library() is not None


def with_scalar_functions(text: str) -> str:
    """LLVM IR whose functions of mathematics are not approximated."""
    return _CALL.sub(lambda call: call[0].replace(" afn ", " ", 1), text) if _MARK in text else text


def with_vector_functions(text: str, vectors: VectorSet, *, widest: bool) -> str:
    """LLVM IR in which calls that may be approximated are calls of the library, where it has them.

    All calls of a text have vectors of one width, so that equal arguments give equal values.
    """
    called = {_function(call, text) for call in _CALL.finditer(text)}
    chosen_vectors = vectors.widest if widest else vectors
    variants = _variants(called, chosen_vectors)
    chosen = {function.symbol: function for function in variants}

    def replaced(call: re.Match[str]) -> str:
        function = chosen.get(_symbol(call))
        return call[0] if function is None else f"call {function.element} @{function.own_name}("

    text = _CALL.sub(replaced, text)
    if chosen_vectors.bits != vectors.bits:
        text = _with_vectors_of(chosen_vectors.bits, text)
    if vectors.has_masks:
        text = text.replace(MASKED_REST, _MASKED_LANES)
    definitions = [_definition(function, variants[function]) for function in sorted(variants)]
    return "\n".join([with_scalar_functions(text), *definitions, *_kept_parameters(variants)])


def _with_vectors_of(bits: int, text: str) -> str:
    """LLVM IR whose functions with calls of the library have vectors of so many bits."""

    def widened(function: re.Match[str]) -> str:
        if f"@{_OWN_NAMES}" not in function[3]:
            return function[0]
        return f'{function[1]} "prefer-vector-width"="{bits}"{function[2]}{function[3]}'

    return _DEFINITION.sub(widened, text)


def _symbol(call: re.Match[str]) -> str:
    element, intrinsic, function = call.groups()
    return function or intrinsic + ("f" if element == "float" else "")


def _function(call: re.Match[str], text: str) -> _Function:
    symbol, element = _symbol(call), call[1]
    name = symbol.removesuffix("f") if element == "float" else symbol
    return _Function(name, element, text[call.end() : text.index(")", call.end())].count(",") + 1)


def _variants(called: Set[_Function], vectors: VectorSet) -> dict[_Function, str]:
    """The names in the library of those functions that it has.

    LLVM takes one number of lanes for all of a loop. So functions of single and double numbers have as many.
    """
    symbols = {function.symbol for function in called}
    mixed = len({function.element for function in called}) > 1
    halves = vectors.bits > 128 and (mixed or (vectors.bits > 256 and not symbols.isdisjoint(_QUICK_IN_HALVES)))
    result: dict[_Function, str] = {}
    for function in called:
        bits = vectors.bits // 2 if halves and function.element == "float" else vectors.bits
        variant = function.variant(bits, vectors.has_avx2)
        if vector_function(variant) is not None:
            result[function] = variant
    return result


def _kept_parameters(functions: Iterable[_Function]) -> list[str]:
    """A use that keeps the parameters of functions of several.

    If all calls had the same constant, as in `x ** 3`, LLVM would move it into the function and drop the parameter.
    What takes its place for vectors would no longer fit, and there would be a call for each number.
    """
    names = [f"ptr @{function.own_name}" for function in sorted(functions) if function.parameters > 1]
    if not names:
        return []
    values = ", ".join(names)
    return [f'@llvm.compiler.used = appending global [{len(names)} x ptr] [{values}], section "llvm.metadata"', ""]


def _definition(function: _Function, variant: str) -> str:
    """The function for one number, which says what takes its place for vectors."""
    element, lanes = function.element, int(variant[len("_ZGVeN") : variant.index("v")])
    name, vector = function.own_name, f"<{lanes} x {element}>"
    fill = _OTHER_FILLS.get(function.name, _FILL)
    constant = f"<{', '.join([f'{element} {fill}'] * lanes)}>"
    numbers = range(function.parameters)
    inputs = [f"  %v{n} = insertelement {vector} {constant}, {element} %x{n}, i64 0" for n in numbers]
    parameters = ", ".join(f"{element} %x{n}" for n in numbers)
    arguments = ", ".join(f"{vector} %v{n}" for n in numbers)
    abi = f"_ZGV_LLVM_N{lanes}{'v' * function.parameters}_{name}({variant})"
    lines = [
        f"declare {vector} @{variant}({', '.join([vector] * function.parameters)}) {_PURE}",
        f'define internal {element} @{name}({parameters}) noinline {_PURE} "vector-function-abi-variant"="{abi}" {{',
        *inputs,
        f"  %all = call {vector} @{variant}({arguments})",
        f"  %one = extractelement {vector} %all, i64 0",
        f"  ret {element} %one",
        "}",
        "",
    ]
    return "\n".join(lines)
