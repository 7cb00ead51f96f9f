"""Parts of numbers, and numbers of parts: magnitude, angle, conjugate, rounding."""

from __future__ import annotations

from typing import Any

from irtensor.core.arithmetic import (
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    UNSIGNED,
    Always,
    Arithmetic,
    Definition,
    Upstream,
    converted,
    everywhere,
    part_of,
    unchanged,
)
from irtensor.core.constant_functions import of_float
from irtensor.core.scalar_operator import Operator

_HYPOTENUSE = of_float("hypot")


def _magnitude(element: str, a: complex) -> Any:
    return _HYPOTENUSE(part_of(element), a.real, a.imag)


def _round_parts(by: Arithmetic, a: Any) -> Any:
    return by.join(*(by.exactly.round(part) for part in by.parts(a)))


def _rounding(name: str, op: str, numpy: str, *of_complex: Definition) -> Operator:
    return Operator(
        name,
        1,
        definitions={
            **{INTEGER: unchanged, BOOL: unchanged, FLOAT: Upstream(f"math.{op}", of_float(op))},
            **{COMPLEX: definition for definition in of_complex},
        },
        numpy=numpy,
        also=() if name == numpy else (numpy,),
        keeps_integers=True,
    )


_MAGNITUDES = {
    **{INTEGER: Upstream("math.absi", converted(lambda a: abs(a)))},
    **{UNSIGNED: unchanged, BOOL: unchanged},
    **{FLOAT: Upstream("math.absf", lambda element, a: abs(a)), COMPLEX: Upstream("complex.abs", _magnitude, "part")},
}
_CONJUGATES = {**everywhere(unchanged), COMPLEX: Upstream("complex.conj", lambda element, a: a.conjugate())}
_REAL_PARTS = {**everywhere(unchanged), COMPLEX: lambda by, a: by.parts(a)[0]}
_IMAGINARY_PARTS = {**everywhere(Always(0)), COMPLEX: lambda by, a: by.parts(a)[1]}
_JOINED = {FLOAT: lambda by, a, b: by.join(a, b)}
_ANGLES = {
    FLOAT: lambda by, a: by.atan2(by.constant(0.0, a), a),
    COMPLEX: lambda by, a: by.atan2(*by.parts(a)[::-1]),
}

FAMILY = (
    Operator("abs", 1, result="real", definitions=_MAGNITUDES, numpy="absolute", also=("absolute",)),
    Operator("real", 1, result="real", definitions=_REAL_PARTS),
    Operator("imag", 1, result="real", definitions=_IMAGINARY_PARTS),
    Operator("conj", 1, definitions=_CONJUGATES, numpy="conjugate", also=("conjugate",)),
    Operator("complex", 2, result="complex", definitions=_JOINED, types_of="arctan2", default=0),
    # NumPy's is arctan2(0, x), whose 0 is an integer beside a bool.
    Operator("angle", 1, result="real", definitions=_ANGLES, types_of="sqrt", counts_truth=True),
    *(_rounding(name, name, name) for name in ("floor", "ceil", "trunc")),
    _rounding("round", "roundeven", "rint", _round_parts),
)
