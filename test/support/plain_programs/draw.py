"""Whole programs, drawn from a seed."""

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .expressions import Access, Apply, accesses, walk
from .operands import Operand, draw_elements, draw_operand
from .programs import SEMIRINGS, Program, expected_values, statement_of
from .scalars import UFUNCS
from .schedules import draw_schedule
from .statements import Names, Statement, draw_accesses, draw_names, draw_statement, pointwise
from .storage import draw_format

OPTIONS = ("strict_fp=True", "gallop=True", "convert=False", "verify=True")
FAMILIES = {
    "floats": (("float64", "float64", "float64", "float32"), 10),
    "mixed": (("float64", "float32", "int32", "int8", "bool"), 4),
    "integers": (("int64", "int64", "int32", "int8"), 5),
    "booleans": (("bool", "bool", "bool", "int8"), 2),
    "complex": (("complex128", "complex128", "float64"), 2),
}


def draw_program(seed: int, special: str = "dense") -> Program:
    """The program of a seed; `special` says beside which operands NaN, infinity and zero divisors may be."""
    rng = random.Random(seed)
    door = rng.choices(("compile", "lazy", "operators", "einsum"), (12, 3, 3, 4))[0]
    family, _ = rng.choices(list(FAMILIES.values()), [weight for _, weight in FAMILIES.values()])[0]
    program = {"einsum": _einsum, "operators": _operators}.get(door, _statement)(
        rng, door, lambda: rng.choice(family), special
    )
    return replace(program, threads=rng.choice((1, 1, 2)))


def _operands(rng: random.Random, names: Names, special: str) -> dict[str, Operand]:
    where = special
    if special == "dense":
        where = "nowhere"
    found = {
        name: draw_operand(rng, names.dtypes[name], shape, where, name in names.divisors, 0.1 if names.hard else 0.3)
        for name, shape in names.shapes.items()
    }
    if special == "dense" and all(operand.is_dense for operand in found.values()):
        found = {name: _with_special(rng, operand) for name, operand in found.items()}
    return found


def _with_special(rng: random.Random, operand: Operand) -> Operand:
    values = operand.values.copy()
    if values.dtype.kind == "f" and values.size and rng.random() < 0.5:
        values[tuple(rng.randrange(extent) for extent in values.shape)] = rng.choice((np.nan, np.inf, -np.inf))
    return replace(operand, values=values)


def _statement(rng: random.Random, door: str, dtypes: Callable[[], str], special: str) -> Program:
    names = draw_names(rng)
    statement = draw_statement(rng, names, dtypes)
    used = {access.name for access in accesses(statement.right)}
    names.shapes = {name: shape for name, shape in names.shapes.items() if name in used}
    if door == "lazy":
        statement = replace(statement, operator="")
    operands = _operands(rng, names, special)
    result_format = _result_format(rng, len(statement.left))
    program = Program(door, statement, operands, names.extents, result_format)
    if door == "lazy":
        return program
    if rng.random() < 0.04:
        return _repeated_result(rng, program)
    program = _with_old_values(rng, program)
    sparse = result_format is not None
    if rng.random() < (0.7 if names.hard else 0.3):
        program = replace(program, schedule=draw_schedule(rng, statement, names.extents, sparse))
    formats = {
        name: draw_format(rng, operand.values.ndim)
        for name, operand in operands.items()
        if operand.is_dense and operand.values.ndim and operand.values.dtype.kind != "u" and rng.random() < 0.15
    }
    way = "call"
    if sparse and rng.random() < 0.1 and "R" not in program.operands:
        way = "assemble"
    elif not sparse and statement.left and rng.random() < 0.1 and "R" not in program.operands:
        way = "out"
    options = tuple(option for option in OPTIONS if rng.random() < 0.04)
    return replace(program, formats=formats, way=way, options=options, dtypes=_dtypes(rng, program))


def _dtypes(rng: random.Random, program: Program) -> dict[str, str]:
    """Other types for some operands, and the result, of floating-point programs."""
    floats = ("float32", "float64")
    if rng.random() < 0.9 or "R" in program.operands:
        return {}
    named = [name for name, operand in program.operands.items() if operand.values.dtype.name in floats]
    found = {name: rng.choice(floats) for name in named if rng.random() < 0.6}
    if expected_values(replace(program, dtypes=found)).values.dtype.name in floats:
        found |= {"R": rng.choice(floats)}
    return found


def _result_format(rng: random.Random, rank: int) -> str | None:
    return draw_format(rng, rank) if rank and rng.random() < 0.5 else None


def _with_old_values(rng: random.Random, program: Program) -> Program:
    """Old values of the result, that a compound assignment starts from, of the type that it has anyway."""
    if not program.statement.operator or rng.random() < 0.5:
        return program
    made = expected_values(program).values
    values, stored = draw_elements(rng, made.dtype.name, made.shape, rng.choice((0.3, 0.7)))
    old = Operand(values, stored, "numpy")
    if program.result_format is not None and rng.random() < 0.5:
        old = Operand(values, stored, "from_coo", program.result_format)
    return replace(program, operands=program.operands | {"R": old})


def _repeated_result(rng: random.Random, program: Program) -> Program:
    """A result with a dimension of its own, whose extent it says itself."""
    statement = program.statement
    wide = replace(statement, left=(*statement.left, "m"))
    program = replace(program, statement=wide, extents=program.extents | {"m": 2}, result_format=None)
    if not statement.operator:
        return replace(program, way="out")
    made = expected_values(program).values
    values, stored = draw_elements(rng, made.dtype.name, made.shape, 0.7)
    return replace(program, operands=program.operands | {"R": Operand(values, stored, "numpy")})


def _operators(rng: random.Random, door: str, dtypes: Callable[[], str], special: str) -> Program:
    while True:
        names = draw_names(rng)
        statement = pointwise(rng, names, dtypes)
        called = {part.operator for part in walk(statement.right) if isinstance(part, Apply)}
        signs = {operator for operator in called if not operator[0].isalpha()}
        if called - signs <= UFUNCS.keys() | {"neg", "not"} and _whole(statement):
            break
    used = {access.name for access in accesses(statement.right)}
    names.shapes = {name: shape for name, shape in names.shapes.items() if name in used}
    return Program(door, statement, _operands(rng, names, special), names.extents)


def _whole(statement: Statement) -> bool:
    return any(access.indices == statement.left for access in accesses(statement.right))


def _einsum(rng: random.Random, door: str, dtypes: Callable[[], str], special: str) -> Program:
    names = draw_names(rng)
    semiring = rng.choice(list(SEMIRINGS)) if rng.random() < 0.2 else None
    kinds = dtypes if semiring is None else (lambda: "bool" if semiring == "OR_AND" else "float64")
    if semiring is None and rng.random() < 0.1:
        kinds = lambda: rng.choice(("uint8", "uint8", "int32", "float32"))  # noqa: E731
    factors = draw_accesses(rng, names, kinds)
    if rng.random() < 0.2:
        factors.append(rng.choice(factors))
    variables = sorted({index for factor in factors for index in factor.indices})
    left = tuple(rng.sample(variables, rng.randint(0, min(3, len(variables)))))
    if semiring is None:
        operands = _operands(rng, names, special)
    else:
        operands = {name: _edges(rng, names, name) for name in names.shapes}
    unsigned = any(operand.values.dtype.kind == "u" for operand in operands.values())
    result_format = None if unsigned else _result_format(rng, len(left))
    program = Program(door, statement_of(left, factors), operands, names.extents, result_format, semiring=semiring)
    loops = [*left, *(variable for variable in variables if variable not in left)]
    if len(loops) > 1 and rng.random() < 0.15:
        program = replace(program, schedule=(f"reorder({', '.join(map(repr, rng.sample(loops, len(loops))))})",))
    elif rng.random() < 0.1:
        program = replace(program, options=("optimize=True",))
    if result_format is None and left and semiring is None and rng.random() < 0.1:
        program = replace(program, way="out")
    if semiring is None and not unsigned and rng.random() < 0.2:
        return _matrix_product(rng, special, dtypes)
    return program


def _matrix_product(rng: random.Random, special: str, dtypes: Callable[[], str]) -> Program:
    names = Names({name: rng.choice((0, 1, 2, 3, 5) if name == "i" else (1, 2, 3, 5)) for name in "ijk"})
    shapes = rng.choice(("ij,jk->ik", "ij,jk->ik", "ij,j->i", "j,jk->k", "j,j->"))
    inputs, left = shapes.split("->")
    factors = [Access(name, tuple(indices)) for name, indices in zip("AB", inputs.split(","), strict=True)]
    for factor in factors:
        names.shapes[factor.name] = tuple(names.extents[index] for index in factor.indices)
        names.dtypes[factor.name] = dtypes()
    operands = _operands(rng, names, special)
    return Program("einsum", statement_of(tuple(left), factors), operands, names.extents, way="matmul")


def _edges(rng: random.Random, names: Names, name: str) -> Operand:
    """An operand for a semiring: whole, or in lists, where what is missing is the semiring's zero."""
    shape, dtype = names.shapes[name], names.dtypes[name]
    values, stored = draw_elements(rng, dtype, shape, 0.4)
    if not shape or rng.random() < 0.3:
        return Operand(values, stored, "numpy")
    outer = "compressed" if len(shape) == 1 else rng.choice(("dense", "compressed"))
    levels = [outer, *["compressed"] * (len(shape) - 1)]
    return Operand(values, stored, "from_coo", ", ".join(levels))
