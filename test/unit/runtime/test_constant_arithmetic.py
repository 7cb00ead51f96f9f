"""Constants fold to what compiled code computes of them: every operator, every element type, awkward numbers."""

from itertools import product

import numpy as np
import pytest

from irtensor.core.arithmetic import Upstream, kind_of
from irtensor.core.operators import OPERATORS, convert, result_element

TYPES = {
    **{"i1": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"},
    **{"ui8": "u1", "ui32": "u4", "ui64": "u8", "complex<f32>": "c8", "complex<f64>": "c16"},
}
# What ends in a call of a library, which may know more of a constant than of a register.
ROUNDED = {
    *"exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh pow sqrt cbrt erf sigmoid".split(),
    *"asin acos atan atan2 asinh acosh atanh".split(),
}


def numbers(element):
    dtype = np.dtype(TYPES[element])
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "u":
        greatest = int(np.iinfo(dtype).max)
        return [0, 1, 2, 7, greatest // 2, greatest // 2 + 1, greatest]
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return [int(info.min), int(info.min) + 1, -3, -1, 0, 1, 2, 7, int(info.max)]
    greatest = float(np.finfo(dtype).max)
    tiny = float(np.finfo(dtype).smallest_subnormal)
    reals = [-np.inf, -greatest, -2.5, -1.0, -0.0, 0.0, tiny, 0.1, 0.5, 1.0, 3.0, greatest, np.inf, np.nan]
    if dtype.kind == "f":
        return [convert(value, element) for value in reals]
    parts = [-np.inf, -2.0, -0.0, 0.0, 0.1, 1.0, greatest, np.nan]
    return [convert(complex(a, b), element) for a in parts for b in parts]


def cases():
    for name, operator in OPERATORS.items():
        for element in TYPES:
            if kind_of(element) in operator.definitions:
                yield pytest.param(name, (element,) * operator.arity, id=f"{name}-{element}")


def arguments_of(name, elements):
    if name == "where":
        return list(product([False, True], numbers(elements[1])[:3], numbers(elements[2])[:3]))
    rows = list(product(*(numbers(element) for element in elements)))
    if name == "pow" and elements[0].startswith("complex"):
        # Constant exponents that are small are products, in code as well; those here are read from an array.
        return [(base, exponent) for base, exponent in rows if exponent not in (1, -2)]
    return rows


def compiled(machine, name, elements, result, rows):
    inputs = ["i1", *elements[1:]] if name == "where" else list(elements)
    parameters = "".join(f"%b{n}: !loop.buffer<{element}>, " for n, element in enumerate(inputs))
    loads = "".join(f"    %x{n} = loop.load %b{n}[%i] : {element}\n" for n, element in enumerate(inputs))
    values = ", ".join(f"%x{n}" for n in range(len(inputs)))
    text = f"""
func.func @kernel(%n: index, {parameters}%out: !loop.buffer<{result}>) {{
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {{
{loads}    %r = algebra.apply {name}({values}) : ({", ".join(inputs)}) -> {result}
    loop.store %r, %out[%i] : {result}
  }}
  func.return
}}
"""
    operands = [
        np.array(column, TYPES[element]) for column, element in zip(zip(*rows, strict=True), inputs, strict=True)
    ]
    out = np.zeros(len(rows), TYPES[result])
    native = machine.compile_module(machine.parse(text), "kernel")
    assert machine.call_native(native, [np.int64(len(rows)), *operands, out]) == 0
    return out


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("name", "elements"), list(cases()))
def test_a_constant_is_what_compiled_code_computes(machine, name, elements):
    operator, rows = OPERATORS[name], arguments_of(name, elements)
    types = ("i1", *elements[1:]) if name == "where" else elements
    result = result_element(operator, elements)
    with np.errstate(all="ignore"):
        expected = compiled(machine, name, elements, result, rows)
        folded = np.array([operator.value_of(row, types) for row in rows], TYPES[result])
    if name in ROUNDED or (expected.dtype.kind == "c" and name in ("div", "reciprocal")):
        rtol = 3e-7 if expected.dtype.char in "fF" else 1e-15
        np.testing.assert_allclose(folded, expected, rtol=rtol)
        return
    wrong = [
        (*row, one, other)
        for row, one, other in zip(rows, folded.tolist(), expected.tolist(), strict=True)
        if not np.array_equal(one, other, equal_nan=True)
    ]
    assert not wrong
    for part in ("real", "imag"):
        of_numbers = getattr(expected, part) == getattr(expected, part)
        signs = [np.signbit(getattr(one, part)[of_numbers].astype(float)) for one in (folded, expected)]
        np.testing.assert_array_equal(*signs)


def test_every_operator_has_definitions_of_operations_that_exist():
    from irtensor.passes.loop.support.code_arithmetic import upstream_operation

    for name, operator in OPERATORS.items():
        assert operator.definitions, name
        for definition in operator.definitions.values():
            assert not isinstance(definition, Upstream) or upstream_operation(definition.op) is not None, definition.op
