"""Every operator on every element type: native code against NumPy, on values that include the awkward ones."""

import numpy as np
import pytest
import scipy.special

from irtensor.core.arithmetic import kind_of
from irtensor.core.operators import OPERATORS, result_element

TYPES = {
    **{"i1": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"},
    **{"ui8": "u1", "ui32": "u4", "ui64": "u8", "complex<f32>": "c8", "complex<f64>": "c16"},
}


def join(real, imaginary):
    result = np.empty(len(real), np.result_type(real, np.complex64))
    result.real, result.imag = real, imaginary
    return result


def words(a):
    """Numbers as text, a one or a zero for each bit."""
    width = 1 if a.dtype == bool else 8 * a.itemsize
    return [f"{int(number) % (1 << width):0{width}b}" for number in a]


def count_bits(a):
    return np.array([word.count("1") for word in words(a)])


def reverse_bits(a):
    return np.array([int(word[::-1], 2) for word in words(a)], np.uint64)


NUMPY = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "floordiv": np.floor_divide},
    **{"mod": np.remainder, "pow": np.power, "min": np.minimum, "max": np.maximum, "xor": np.bitwise_xor},
    **{"and": np.bitwise_and, "or": np.bitwise_or, "eq": np.equal, "ne": np.not_equal, "lt": np.less},
    **{"le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "neg": np.negative, "abs": np.abs},
    **{name: getattr(np, name) for name in "sqrt exp log sin cos tan tanh sign square reciprocal conj".split()},
    **{"real": np.real, "imag": np.imag, "floor": np.floor, "ceil": np.ceil, "isnan": np.isnan},
    **{name: getattr(np, name) for name in "cbrt expm1 log1p log2 log10 sinh cosh trunc isinf isfinite".split()},
    **{name: getattr(np, f"arc{name[1:]}") for name in "asin acos atan atan2 asinh acosh atanh".split()},
    **{"copysign": np.copysign, "heaviside": np.heaviside, "round": np.round, "cube": lambda a: a * a * a},
    **{"shl": np.left_shift, "shr": np.right_shift, "popcount": count_bits, "bitreverse": reverse_bits},
    **{"erf": scipy.special.erf, "sigmoid": scipy.special.expit},
    **{"choose": lambda a, b: np.where(a != 0, a, np.where((b != 0) | ~np.signbit(a.real), b, a))},
    **{"stored": lambda a: np.ones_like(a, bool)},
    **{"complex": join, "angle": lambda a: np.arctan2(np.imag(a), np.real(a))},
    **{"not": np.invert, "identity": lambda a: a, "first": lambda a, b: a, "second": lambda a, b: b},
}
FUNCTIONS = {
    *"sqrt cbrt exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh erf sigmoid".split(),
    *"asin acos atan atan2 asinh acosh atanh angle".split(),
}


def samples(dtype):
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "u":
        top = np.iinfo(dtype).max
        return np.array([0, 1, 2, 3, 5, 7, top // 2, top // 2 + 1, top - 1, top], dtype)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return np.array([info.min, info.min + 1, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, info.max - 1, info.max], dtype)
    reals = [-np.inf, -1e30, -7.5, -1.0, -0.1, -0.0, 0.0, 0.1, 0.3, 1.0, 2.0, 7.5, 1e30, np.inf, np.nan]
    if dtype.kind == "f":
        return np.array(reals, dtype)
    finite = [-2.0, -0.5, -0.0, 0.0, 1.0, 3.0, np.nan]
    return np.array([complex(a, b) for a in finite for b in finite], dtype)


def elementwise(body, inputs, output):
    parameters = [f"%b{number}: !loop.buffer<{type}>" for number, type in enumerate(inputs)]
    loads = "".join(f"    %x{n} = loop.load %b{n}[%i] : {type}\n" for n, type in enumerate(inputs))
    return f"""
func.func @kernel(%n: index, {", ".join(parameters)}, %out: !loop.buffer<{output}>) {{
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {{
{loads}{body}
    loop.store %r, %out[%i] : {output}
  }}
  func.return
}}
"""


def operator_cases():
    for name, operator in OPERATORS.items():
        for type in TYPES:
            if kind_of(type) in operator.definitions and name != "where" and (name, type) != ("sub", "i1"):
                yield pytest.param(name, type, operator.arity, id=f"{name}-{type}")


def test_operators_exist():
    assert set(NUMPY) | {"where"} == set(OPERATORS)


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("name", "type", "arity"), list(operator_cases()))
def test_operator(machine, name, type, arity):
    dtype = np.dtype(TYPES[type])
    operands = [samples(dtype)]
    if arity == 2:
        operands = [grid.ravel() for grid in np.meshgrid(operands[0], operands[0])]
    if name == "pow" and dtype.kind in "iu":
        operands[1] = np.abs(operands[1] % 23).astype(dtype)
    if name == "pow" and dtype.kind == "c":
        operands = [operand[np.isfinite(operands[0])] for operand in operands]
    output = result_element(OPERATORS[name], [type] * arity)
    names = ", ".join(f"%x{number}" for number in range(arity))
    types = ", ".join([type] * arity)
    text = elementwise(f"    %r = algebra.apply {name}({names}) : ({types}) -> {output}", [type] * arity, output)
    out = np.zeros(len(operands[0]), TYPES[output])
    module = machine.parse(text)
    assert machine.call_native(machine.compile_module(module, "kernel"), [np.int64(len(out)), *operands, out]) == 0
    with np.errstate(all="ignore"):
        expected = np.asarray(NUMPY[name](*operands)).astype(out.dtype)
    check(name, out, expected)


def powers(machine, type, exponent, a):
    """Those of numbers to a literal exponent, as native code."""
    part = type.removeprefix("complex<").removesuffix(">")
    is_complex = part != type
    literal = f"[{float(exponent)} : {part}, 0.0 : {part}]" if is_complex else f"{exponent} : {type}"
    number = f"    %e = algebra.constant {literal}\n"
    text = elementwise(f"{number}    %r = algebra.apply pow(%x0, %e) : ({type}, {type}) -> {type}", [type], type)
    out = np.zeros_like(a)
    assert machine.call_native(machine.compile_module(machine.parse(text), "kernel"), [np.int64(len(a)), a, out]) == 0
    return out


@pytest.mark.parametrize("type", ["complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, 7, 20, 63, 99, 0.5, -1, -3, -8])
@np.errstate(all="ignore")
def test_literal_powers_of_complex_numbers(machine, type, exponent):
    """Products, quotients and roots, as NumPy's: powers of short whole numbers are exact."""
    a = np.array([0, 1j, -1j, 3 - 4j, -2, 1 + 1j], TYPES[type])
    rtol = 0 if 0 <= exponent <= 7 and exponent != 0.5 else 3e-6 if type == "complex<f32>" else 1e-14
    np.testing.assert_allclose(powers(machine, type, exponent, a), a**exponent, rtol=rtol)
    found = [OPERATORS["pow"].value_of((complex(number), complex(exponent)), (type, type)) for number in a]
    np.testing.assert_allclose(np.array(found, a.dtype), a**exponent, rtol=rtol)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("exponent", [0, 1, 5, 7, 8, 31, 100, 127, -1, -2])
def test_literal_powers_of_integers(machine, type, exponent):
    """They wrap around. A negative exponent gives the integer part of the quotient, which NumPy refuses."""
    a = np.array([0, 1, -1, 2, -3, 7, 100, -100], TYPES[type])
    if exponent < 0:
        expected = [0 if abs(number) != 1 else number**exponent for number in map(int, a)]
    else:
        expected = np.power(a, np.array(exponent, a.dtype))
    np.testing.assert_array_equal(powers(machine, type, exponent, a), expected)


def check(name, out, expected):
    if name in FUNCTIONS | {"pow"}:
        np.testing.assert_allclose(out, expected, rtol=3e-6 if out.dtype.char in "fF" else 1e-13)
    elif out.dtype.kind == "c" and name in ("mul", "div", "square", "cube", "reciprocal", "sign"):
        np.testing.assert_allclose(out, expected, rtol=3e-7 if out.dtype.char == "F" else 1e-15)
    elif out.dtype.kind == "f" and name == "abs":
        np.testing.assert_allclose(out, expected, rtol=1e-7 if out.dtype.char == "f" else 1e-15)
    else:
        np.testing.assert_array_equal(out, expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_cast(machine, source, target):
    a = samples(np.dtype(TYPES[source]))
    if a.dtype.kind in "fc" and np.dtype(TYPES[target]).kind in "iu":
        a = a[np.isfinite(a) & (np.abs(a) < 100)]
    out = np.zeros(len(a), TYPES[target])
    text = elementwise(f"    %r = algebra.cast %x0 : {source} to {target}", [source], target)
    module = machine.parse(text)
    assert machine.call_native(machine.compile_module(module, "kernel"), [np.int64(len(a)), a, out]) == 0
    with np.errstate(all="ignore"):
        expected = (np.real(a) if a.dtype.kind == "c" and out.dtype.kind in "fiu" else a).astype(out.dtype)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("type", ["complex<f32>", "complex<f64>"])
def test_a_complex_number_is_true_where_a_part_is_not_zero(machine, type):
    a = np.array([0, 2, 3j, 1 + 1j, complex(-0.0, -0.0), complex(0, np.nan)], TYPES[type])
    out = np.zeros(len(a), bool)
    text = elementwise(f"    %r = algebra.cast %x0 : {type} to i1", [type], "i1")
    native = machine.compile_module(machine.parse(text), "kernel")
    assert machine.call_native(native, [np.int64(len(a)), a, out]) == 0
    assert out.tolist() == [False, True, True, True, False, True]


def test_where(run):
    text = elementwise(
        "    %r = algebra.apply where(%x0, %x1, %x2) : (i1, f64, f64) -> f64", ["i1", "f64", "f64"], "f64"
    )
    run(text, np.int64(2), np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.zeros(2))


def test_bytes_other_than_one_are_true(machine):
    text = elementwise("    %r = algebra.apply identity(%x0) : (i1) -> i1", ["i1"], "i1")
    a = np.array([0, 1, 2, 255], "u1")
    out = np.zeros(4, "u1")
    native = machine.compile_module(machine.parse(text), "kernel")
    assert machine.call_native(native, [np.int64(4), a, out]) == 0
    assert out.tolist() == [0, 1, 1, 1]


OPERATOR = """
algebra.operator @damp(%a: f64, %b: f64) -> f64 {
  %half = algebra.constant 0.5 : f64
  %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
  %t = algebra.apply mul(%s, %half) : (f64, f64) -> f64
  algebra.yield %t : f64
}
algebra.operator @twice(%a: f64, %b: f64) -> f64 {
  %s = algebra.apply @damp(%a, %b) : (f64, f64) -> f64
  %t = algebra.apply @damp(%s, %b) : (f64, f64) -> f64
  algebra.yield %t : f64
}
"""


def test_operator_of_the_user_is_inlined(run):
    text = elementwise("    %r = algebra.apply @twice(%x0, %x1) : (f64, f64) -> f64", ["f64", "f64"], "f64")
    a, b = np.array([1.0, 5.0]), np.array([3.0, -1.0])
    out = run(OPERATOR + text, np.int64(2), a, b, np.zeros(2))[-1]
    np.testing.assert_array_equal(out, ((a + b) * 0.5 + b) * 0.5)
