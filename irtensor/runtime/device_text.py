"""Whether LLVM can make PTX of a text: it ends the process for much that it cannot, and this is found out before.

Everything on the lists here was tried on each processor. All else is refused: other intrinsics, functions that are
neither in the text nor in libdevice, other types, scopes and instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from irtensor.dialects.llvm.kernel_attributes import MOST_SHARED
from irtensor.runtime.nvptx_targets import Processor

# The functions of libdevice begin so.
LIBDEVICE_PREFIX = "__nv_"

_FLOAT, _INTEGER, _LANES = "f(?:32|64)", "i(?:1|8|16|32|64)", r"(?:v\d+)?"
_PATTERNS = (
    # One float or more, to another. LLVM has the rest of mathematics for no processor of NVIDIA: that is in libdevice.
    rf"(?:sqrt|fabs|floor|ceil|trunc|rint|nearbyint|roundeven|round|copysign|fma|fmuladd)\.{_LANES}{_FLOAT}",
    rf"(?:minnum|maxnum|minimum|maximum)\.{_LANES}{_FLOAT}",
    r"exp2\.f32",
    rf"(?:smax|smin|umax|umin|abs|ctpop|ctlz|cttz|bitreverse|fshl|fshr)\.{_LANES}{_INTEGER}",
    rf"[su](?:add|sub|mul)\.with\.overflow\.{_INTEGER}",
    rf"vector\.reduce\.(?:add|mul|and|or|xor|smax|smin|umax|umin)\.v\d+{_INTEGER}",
    rf"vector\.reduce\.(?:fadd|fmul|fmax|fmin|fmaximum|fminimum)\.v\d+{_FLOAT}",
    r"masked\.(?:load|store|gather|scatter)\.[\w.]+",
    r"(?:memset|memcpy|memmove)\.[\w.]+",
    r"prefetch\.p0",
    r"assume",
    r"trap",
    r"nvvm\.read\.ptx\.sreg\.(?:(?:tid|ntid|ctaid|nctaid)\.x|laneid)",
    r"nvvm\.barrier\.cta\.sync\.aligned\.all",
    r"nvvm\.bar\.warp\.sync",
    r"nvvm\.shfl\.sync\.(?:bfly|up|down|idx)\.(?:i32|f32)",
    r"nvvm\.vote\.(?:any|all|ballot|uni)\.sync",
    r"nvvm\.match\.any\.sync\.(?:i32|i64)",
    r"nvvm\.match\.all\.sync\.(?:i32p|i64p)",
)
_INTRINSIC = re.compile(rf"llvm\.(?:{'|'.join(_PATTERNS)})")
# Intrinsics that only later processors have, and the first that does.
_LATER = {re.compile(r"llvm\.nvvm\.redux\.sync\.(?:add|and|max|min|or|umax|umin|xor)"): 80}

_INSTRUCTIONS = frozenset(
    "icmp fcmp select fneg load store atomicrmw cmpxchg fence alloca getelementptr call br ret extractvalue "
    "insertvalue freeze extractelement insertelement shufflevector unreachable phi add sub mul udiv sdiv urem srem and "
    "or xor shl lshr ashr fadd fsub fmul fdiv frem trunc zext sext fptrunc fpext sitofp uitofp fptosi fptoui bitcast "
    "ptrtoint inttoptr addrspacecast".split()
)
_SCOPES = ("", "block", "device")
_SPACES = ("0", "1", "3", "4", "5")
_WIDTHS = (1, 8, 16, 32, 64)

# Texts in quotes stay, comments go.
_COMMENT = re.compile(r'("[^"]*")|;[^\n]*')
_QUOTED = re.compile(r'"[^"]*"')
_NAME = re.compile(r"@([\w.$-]+)")
_DEFINED = re.compile(r"^define\b([^@\n]*)@([\w.$-]+)\(", re.MULTILINE)
_CALLED = re.compile(r"@([\w.$-]+)\s*\(")
_PTX_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SCOPE = re.compile(r'\bsyncscope\("([^"]*)"\)')
_SPACE = re.compile(r"addrspace\((\d+)\)")
_TYPE = re.compile(r"(?<![%@!.\w$-])(i\d+|half|bfloat|fp128|x86_fp80|ppc_fp128|x86_amx|vscale)\b")
_GLOBAL = re.compile(r"^@[\w.$-]+\s*=\s*([^\n]*)", re.MULTILINE)
# An array that a block shares.
_SHARED = re.compile(r"^@([\w.$-]+)\s*=[^\n]*\baddrspace\(3\)[^\n\[]*\[(\d+) x ([^]\n]*)\]", re.MULTILINE)
_ASSEMBLY = re.compile(r"\bcall\b[^@\n]*\basm\b")
_INSTRUCTION = re.compile(r"^[ \t]+(?:%[\w.$-]+\s*=\s*)?(?:tail\s+|musttail\s+|notail\s+)?([a-z]\w*)", re.MULTILINE)


class Problem(NamedTuple):
    """What no PTX is made for: the word of the text that it is about, and why; for a processor, the first that can."""

    word: str
    reason: str
    needs: int | None = None


def problem_of(text: str, processor: Processor) -> Problem | None:
    """What LLVM must not see of a text, or None."""
    return next(_problems(_COMMENT.sub(r"\1", text) if ";" in text else text, processor), None)


def libdevice_functions(text: str) -> list[str]:
    """The functions of libdevice that a text calls, in order."""
    called = {name for name in _CALLED.findall(text) if name.startswith(LIBDEVICE_PREFIX)}
    return sorted(called.difference(name for _, name in _DEFINED.findall(text)))


def _problems(text: str, processor: Processor) -> Iterator[Problem]:
    # To look for a word takes a small part of the time that an expression takes.
    for scope in _SCOPE.findall(text) if "syncscope" in text else ():
        if scope not in _SCOPES:
            yield Problem(scope, f"no threads are those of the scope '{scope}'")
    if '@"' in text or '%"' in text:
        yield Problem('"', "a name is in quotes")
    code = _QUOTED.sub("", text)
    yield from _function_problems(code, processor)
    yield from _global_problems(code)
    yield from _word_problems(code)


def _word_problems(code: str) -> Iterator[Problem]:
    for type in dict.fromkeys(_TYPE.findall(code)):
        if not (type[0] == "i" and int(type[1:]) in _WIDTHS):
            yield Problem(type, f"type '{type}' has no code on a GPU")
    for space in dict.fromkeys(_SPACE.findall(code)):
        if space not in _SPACES:
            yield Problem(space, f"address space {space} is none of a kernel's")
    for instruction in dict.fromkeys(_INSTRUCTION.findall(code)):
        if instruction not in _INSTRUCTIONS:
            yield Problem(instruction, f"instruction '{instruction}' has no code on a GPU")
    if "asm" in code and _ASSEMBLY.search(code):
        yield Problem("asm", "instructions of an assembler are not checked")


def _function_problems(code: str, processor: Processor) -> Iterator[Problem]:
    defined: set[str] = set()
    for words, name in _DEFINED.findall(code):
        defined.add(name)
        is_kernel = "ptx_kernel" in words.split()
        if is_kernel and words.split()[-1] != "void":
            yield Problem(name, f"kernel '{name}' has a result")
        if not ({"internal", "private"} & set(words.split())) and not _PTX_NAME.fullmatch(name):
            yield Problem(name, f"'{name}' is not a valid PTX name")
    for name in dict.fromkeys(_CALLED.findall(code)):
        if name in defined or name.startswith(LIBDEVICE_PREFIX) or _INTRINSIC.fullmatch(name):
            continue
        needs = next((first for pattern, first in _LATER.items() if pattern.fullmatch(name)), None)
        if needs is not None and needs > processor.number:
            yield Problem(name, f"{processor.name} has no '{name}'", needs)
        elif needs is None:
            yield Problem(name, f"a GPU has no function '{name}'")


def _bytes(type: str) -> int:
    return (int(type[1:]) + 7) // 8 if type.startswith("i") else 4 if type == "float" else 8


def _global_problems(code: str) -> Iterator[Problem]:
    """Memory of a block is small, and has no value at the start; no code runs before a kernel."""
    for name, count, type in _SHARED.findall(code):
        size = int(count) * sum(map(_bytes, re.findall(r"\w+", type)))
        if size > MOST_SHARED:
            yield Problem(name, f"'{name}' has {size} bytes, and a block shares at most {MOST_SHARED}")
    for definition in _GLOBAL.findall(code):
        words = set(re.findall(r"[\w.]+", definition))
        for word in ("alias", "ifunc", "thread_local", "appending"):
            if word in words:
                yield Problem(word, f"a global that is '{word}' is none on a GPU")
        if "addrspace(3)" in definition and not words & {"external", "undef", "poison"}:
            yield Problem("addrspace(3)", "memory of a block has no value at the start")
