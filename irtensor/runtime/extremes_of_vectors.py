"""The least and the greatest of two floats, or vectors of them, in fewer instructions than LLVM takes on x86.

These processors have instructions that give the second operand where numbers are equal or one is NaN. LLVM makes IEEE
754's `minimum` and `maximum` of them in seven instructions. Three or five do: where two numbers are equal, only the
signs of zeros can differ, and NaN combined with any bits by `or` is NaN.
"""

from __future__ import annotations

import re
from functools import cache

_CALL = (
    r"^ *(?P<result>%\S+) = call [a-z ]*(?P<type>(?:<(?P<lanes>\d+) x )?(?P<element>float|double)>?) "
    r"@llvm\.(?P<name>minimum|maximum)\.\w+\((?P=type) (?P<a>\S+), (?P=type) (?P<b>\S+)\)$"
    # Of numbers, those that are stored in an element.
    r"(?(lanes)|(?=\n *(?P<address>%\S+) = getelementptr .*, i64 (?P<index>%\S+)"
    r"\n *store (?P=type) (?P=result), ptr (?P=address)\b))"
)
_BITS = {"float": "i32", "double": "i64"}


def with_quick_extremes(text: str) -> str:
    """LLVM IR in which `llvm.minimum` and `llvm.maximum` are comparisons and selections, of equal value.

    Those of vectors, and those of numbers that elements become, another one in each iteration. Where it is the same one
    or a register, LLVM makes a reduction by vectors of the intrinsic, and of nothing else.
    """
    return _calls().sub(_replaced, text) if "@llvm.minimum" in text or "@llvm.maximum" in text else text


# It takes several milliseconds, and most texts have no such call.
@cache
def _calls() -> re.Pattern[str]:
    return re.compile(_CALL, re.MULTILINE)


def _replaced(call: re.Match[str]) -> str:
    result, type, lanes, element, name, a, b, _, index = call.groups()
    if index is not None and not _is_found_beside(call, index):
        return call[0]
    bits, truth = (_BITS[element], "i1") if lanes is None else (f"<{lanes} x {_BITS[element]}>", f"<{lanes} x i1>")
    is_least = name == "minimum"
    values = iter(f"{result}.{number}" for number in range(12))
    lines: list[str] = []

    def line(code: str) -> str:
        lines.append(f"  {(value := next(values))} = {code}")
        return value

    def chosen(condition: str, value: str, other: str) -> str:
        return f"select {truth} {condition}, {type} {value}, {type} {other}"

    first = line(chosen(line(f"fcmp {'olt' if is_least else 'ogt'} {type} {a}, {b}"), a, b))
    both = [line(f"bitcast {type} {value} to {bits}") for value in (a, b)]
    # Of zeros the least is negative if any is, the greatest if both are.
    equal = line(f"{'or' if is_least else 'and'} {bits} {both[0]}, {both[1]}")
    same = line(f"bitcast {bits} {equal} to {type}")
    if is_least:
        last = chosen(line(f"fcmp ueq {type} {a}, {b}"), same, first)
    else:
        first = line(chosen(line(f"fcmp oeq {type} {a}, {b}"), same, first))
        last = chosen(line(f"fcmp uno {type} {a}, {b}"), line(f"fadd {type} {a}, {b}"), first)
    return "\n".join([*lines, f"  {result} = {last}"])


def _is_found_beside(call: re.Match[str], value: str) -> bool:
    """Whether a value is computed in the basic block of a call."""
    start = call.string.rfind(":\n", 0, call.start())
    return call.string.find(f" {value} = ", max(start, 0), call.start()) >= 0
