"""Draws statements beyond the enumeration: element types, functions, declared operators, formats of every kind.

Arguments of functions are kept where the functions are finite: what is not a number does not survive an annihilating
fill value (docs/notation.md), so the oracle and the compiler may differ there.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, event
from hypothesis import strategies as st
from reference.compare_with_oracle import Case, compare_with_oracle
from reference.draw_widths import with_drawn_widths

from irtensor.api.expression import functions
from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.errors import UserError
from irtensor.frontend.user_operator import operator
from irtensor.named_formats import BCSC, BCSR, CSB, DIA

POOLS = {
    "bool": np.array([True, False, True]),
    "int8": np.array([-128, -3, 0, 1, 100, 127], np.int8),
    "int16": np.array([-(2**15), -3, 0, 2, 7, 2**15 - 1], np.int16),
    "int32": np.array([-(2**31), -7, 0, 1, 5, 2**31 - 1], np.int32),
    "int64": np.array([-(2**63), -7, 0, 1, 5, 2**62]),
    "float32": np.array([-2.5, 0.5, 3.0, 0.0], np.float32),
    "float64": np.array([-2.0, -1.0, 1.0, 3.0, 0.5]),
    "complex64": np.array([1 + 2j, -3j, 2.0], np.complex64),
    "complex128": np.array([1 + 2j, -3j, 2.0, -1.0]),
}
FILLS = {"b": [False, True], "i": [0, 1, -2, 5], "f": [0.0, 1.0, -2.0], "c": [0j, 1j, 2 + 1j]}
FAMILIES = {
    "bool": ["bool"],
    "integers": ["int8", "int16", "int32", "int64"],
    "floats": ["float32", "float64"],
    "complex": ["complex64", "complex128", "float64"],
    "all": list(POOLS),
}
RANKS = {"r": 0, "x": 1, "y": 1, "A": 2, "B": 2, "T": 3, "Q": 4}
LITERALS = {"bool": ["True"], "integers": ["1", "2", "-3"], "floats": ["2", "1.5", "-1.0"], "complex": ["2", "1j"]}

_COMMON = ["({} + {})", "({} * {})", "first({}, {})", "second({}, {})", "({} == {})", "({} != {})"]
_ORDERED = ["min({}, {})", "max({}, {})", "({} < {})", "({} <= {})", "({} > {})", "({} >= {})"]
_BITWISE = ["({} & {})", "({} | {})", "({} ^ {})"]
BINARY = {
    "bool": [*_COMMON, *_ORDERED, *_BITWISE],
    "integers": [*_COMMON, *_ORDERED, *_BITWISE, "({} - {})", "({} // {})", "({} % {})", "({} / (abs({}) + 200.0))"],
    "floats": [*_COMMON, *_ORDERED, "({} - {})", "({} // (abs({}) + 1))", "({} % (abs({}) + 1))", "({}/(abs({}) + 1))"],
    "complex": [*_COMMON, "({} - {})", "({} / (abs({}) + 1))"],
}
# As floats first: the absolute value of the least integer is negative, and a NaN is not what is tested here.
_REAL = [
    "sqrt(abs({} * 1.0))",
    "exp(min({}, 2))",
    "log(abs({} * 1.0) + 1)",
    "sin({})",
    "cos({})",
    "tanh({})",
    "sign({})",
    "erf({})",
    "sigmoid({})",
    "atan({})",
    "asinh({})",
    "cbrt({})",
    "log1p(abs({} * 1.0))",
]
_PLAIN = ["abs({})", "square({})", "real({})", "imag({})", "conj({})", "isnan({})", "isfinite({})", "isinf({})"]
UNARY = {
    "bool": ["~{}", "isnan({})", "real({})", "where({}, 2, 3)"],
    "integers": [*_PLAIN, *_REAL, "-{}", "~{}", "floor({})", "ceil({})", "({} ** 2)", "where({} > 0, 2, 3)"],
    "floats": [*_PLAIN, *_REAL, "-{}", "floor({})", "ceil({})", "reciprocal(abs({}) + 1)", "({} ** 2)"],
    "complex": [*_PLAIN, "-{}", "reciprocal(abs({}) + 1)"],
}
# Of integers these are zero where they divide by it, of other numbers NaN.
_UNGUARDED = ["({} // {})", "({} % {})"]
for table in (LITERALS, BINARY, UNARY):
    table["all"] = [text for texts in list(table.values()) for text in texts if text not in _UNGUARDED]
# What their arguments are made of: pieces whose values are whole numbers.
LITERALS["whole"] = LITERALS["integers"]
BINARY["whole"] = [text for text in BINARY["integers"] if "/ (" not in text]
UNARY["whole"] = [text for text in UNARY["integers"] if text not in _REAL]

REDUCTIONS = {
    "bool": ["sum", "prod", "and", "or", "xor", "min", "max"],
    "integers": ["sum", "prod", "and", "or", "xor", "min", "max", "@join"],
    "floats": ["sum", "prod", "min", "max", "@either", "@join"],
    "complex": ["sum", "prod"],
    "all": ["sum", "max", "or"],
}
OPERATORS = {
    "either": operator("either", lambda a, b: a + b - a * b, identity=0, associative=True, commutative=True),
    "join": operator(
        "join", lambda a, b: a + b + a * b, identity=0, annihilator=-1, associative=True, commutative=True
    ),
    "both": operator("both", lambda a, b: a * b, annihilator=0, commutative=True),
    "near": operator("near", lambda a, b: abs(a - b) < 2),
    "mix": operator("mix", lambda a, b, c: functions.where(a == b, c, b)),
    "share": operator("share", lambda a, b: (a + 1) / (abs(b) + 2)),
    "half": operator("half", lambda a, b: a * b / 2, annihilator=0, commutative=True),
}
DECLARED = [
    *("@either({}, {})", "@join({}, {})", "@both({}, {})", "@near({}, {})", "@mix({}, {}, 1)"),
    *("@share({}, {})", "@half({}, {})"),
]
# What a statement may be refused for; anything else is a failure.
REFUSALS = {
    *("loop-order-cycle", "output-needs-workspace", "unordered-merge", "unordered-search", "block-mismatch"),
    *("unsupported-operator", "unsupported-dtype", "number-too-large", "bad-operator"),
}

DENSE, COMPRESSED, SINGLETON = LevelFormat("dense"), LevelFormat("compressed"), LevelFormat("singleton")
HEAD, MIDDLE = LevelFormat("compressed", unique=False), LevelFormat("singleton", unique=False)
UNORDERED = LevelFormat("compressed", ordered=False)
FURTHER = tuple(map(LevelFormat, ("bitmap", "hashed", "padded", "run_list", "sparse_run_list", "block_list")))
SPECIAL = {
    1: [[UNORDERED], [HEAD], [LevelFormat("compressed", unique=False, ordered=False)]],
    2: [[HEAD, SINGLETON], [HEAD, MIDDLE], [DENSE, UNORDERED], [COMPRESSED, HEAD], [UNORDERED, COMPRESSED]],
    3: [[HEAD, MIDDLE, SINGLETON], [HEAD, SINGLETON, DENSE], [DENSE, HEAD, SINGLETON], [COMPRESSED, HEAD, SINGLETON]],
    4: [[HEAD, MIDDLE, MIDDLE, SINGLETON], [DENSE, HEAD, MIDDLE, SINGLETON], [HEAD, SINGLETON, DENSE, DENSE]],
}
# Formats of matrices whose levels are not their dimensions.
BLOCKS = BCSR(2, 3), BCSR(2, 3), BCSC(3, 2), CSB(2), DIA


@st.composite
def formats(draw: st.DrawFn, rank: int, fills: Sequence[Any]) -> TensorFormat | None:
    if rank == 0 or draw(st.integers(0, 4)) == 0:
        return None
    if draw(st.integers(0, 3)) == 0:
        levels = draw(st.sampled_from(SPECIAL[rank]))
    else:
        levels = draw(
            st.lists(st.sampled_from([DENSE, COMPRESSED, COMPRESSED, *FURTHER]), min_size=rank, max_size=rank)
        )
    format = TensorFormat.of(levels, draw(st.permutations(range(rank))))
    fill = None if format.is_dense else draw(st.sampled_from([0, *fills]))
    return with_drawn_widths(format, lambda widths: draw(st.sampled_from(widths))).with_fill(fill)


@st.composite
def terms(
    draw: st.DrawFn, family: str, names: Sequence[str], variables: Sequence[str], depth: int, declared: bool
) -> str:
    kind = draw(st.sampled_from(["access", *["apply"] * (3 * min(depth, 1)), *["literal"] * (depth < 2)]))
    if kind == "apply":
        declared = declared and family != "whole"
        table = draw(st.sampled_from([BINARY[family], BINARY[family], UNARY[family], *[DECLARED] * declared]))
        text = draw(st.sampled_from(table))
        inner = terms("whole" if text in _UNGUARDED else family, names, variables, depth - 1, declared)
        return text.format(*(draw(inner) for _ in range(text.count("{}"))))
    if kind == "literal":
        return draw(st.sampled_from(LITERALS[family]))
    name = draw(st.sampled_from(names))
    indices = draw(st.lists(st.sampled_from(variables), min_size=RANKS[name], max_size=RANKS[name]))
    return f"{name}[{','.join(indices)}]" if indices else name


@st.composite
def cases(draw: st.DrawFn, declared: bool = False) -> Case:
    family = draw(st.sampled_from(sorted(FAMILIES)))
    names = draw(st.lists(st.sampled_from(sorted(RANKS)), min_size=1, max_size=3, unique=True))
    target = draw(st.sampled_from(["", "i", "j", "ij", "ji", "ijk", "kij", "ijkl", "ljik"]))
    reduced = draw(st.sampled_from(["", "k", "j", "jk", "kl"]))
    variables = sorted({*target, *reduced})
    assume(variables)
    term = draw(terms(family, names, variables, 3, declared))
    used = [name for name in names if re.search(rf"\b{name}\b", term)]
    bound = sorted({index for index in variables if _reads(term, index)})
    assume(used and set(target) <= set(bound))
    inner = [index for index in bound if index not in target]
    operators = tuple(OPERATORS.values()) if declared or "@" in term else ()
    if inner:
        reductions = [r for r in REDUCTIONS[family] if declared or not r.startswith("@")]
        term = f"{draw(st.sampled_from(reductions))}({', '.join(inner)}, {term})"
    pools = {name: POOLS[draw(st.sampled_from(FAMILIES[family]))] for name in used}
    blocked = draw(st.sampled_from(BLOCKS)) if draw(st.integers(0, 9)) == 0 and family == "floats" else None
    chosen = {
        name: blocked
        if blocked is not None and RANKS[name] == 2
        else draw(formats(RANKS[name], FILLS[pools[name].dtype.kind]))
        for name in used
    }
    # A result has the fill value that follows from the statement, or one that is given.
    result = draw(formats(len(target), [0, 0, 1])) if target else None
    if blocked is not None and len(target) == 2 and draw(st.booleans()):
        result = blocked if blocked.writable == blocked else result
    text = f"{'C' if target else 's'}{f'[{chr(44).join(target)}]' if target else ''} = {term}"
    return Case(text, chosen, result, pools, operators)


def _reads(term: str, index: str) -> bool:
    return any(index in part.split("]")[0].split(",") for part in term.split("[")[1:])


def compare(case: Case, convert: bool, **options: Any) -> None:
    """What is drawn: compared with the oracle, unless it is refused for cause; `options` are a kernel's."""
    event(refusal_of(case, convert, **options) or "compiled")


def refusal_of(case: Case, convert: bool, **options: Any) -> str | None:
    """Why a case is refused, one of the causes; else None, once it has been compared with the oracle."""
    try:
        compare_with_oracle(case, convert=convert, **options)
    except UserError as error:
        # Operands by diagonals that a statement does not follow are converted, where that is allowed.
        if error.slug not in REFUSALS and (convert or error.slug != "diagonal-mismatch"):
            raise
        return error.slug
    return None


# The metaclass of HealthCheck has no types.
ALL_CHECKS: list[Any] = list(HealthCheck)
