"""Kernels of the programs that a search finds do only what was predicted, whatever formats operands are stored in.

Twice: the program that the passes make of one is contained in its class, and what a kernel executes grows as its
predicted tasks do.
"""

import random
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pytest
from count_operations import Counter, executed
from reference import interpret_loop
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

import irtensor as it
from irtensor.api.schedule import Schedule, Step
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.read_program import kernel_of, read_program
from irtensor.passes.autoschedule.statements import map_accesses, map_expressions, reads, stored_by, text_of
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import text_of as cost_text
from irtensor.passes.repairs.insert_conversions import converted_operands
from irtensor.passes.schedule import autoschedule
from irtensor.passes.support.operations_in import operations_in

KERNELS = {
    "SpMV": ("a[i] = B[i,j] * c[j]", "ij,j->i", "B"),
    "SpMV2": ("a[i] = B[i,j] * C[j,k] * d[k]", "ij,jk,k->i", "BC"),
    "SpGEMM": ("A[i,j] = B[i,k] * C[k,j]", "ik,kj->ij", "ABC"),
    "SpGEMM2": ("A[i,j] = B[i,k] * C[k,l] * D[j,l]", "ik,kl,jl->ij", "ABCD"),
    "SpGEMMH": ("A[i,j] = B[i,k] * C[j,k] * D[j,k]", "ik,jk,jk->ij", "ABCD"),
    "SpMTTKRP": ("A[i,j] = B[i,k,l] * C[j,k] * D[j,l]", "ikl,jk,jl->ij", "ABCD"),
    "SDDMM": ("A[i,j] = B[i,k] * C[k,j] * D[i,j]", "ik,kj,ij->ij", "AD"),
}
# Of operands with two and three dimensions, and of the result.
FORMATS = {
    "CSR": (it.CSR, it.CSF(3), it.CSR),
    "DCSR": (it.DCSR, it.Format("dense, compressed, compressed"), it.DCSR),
    "CSC": (it.CSC, it.CSF(3, [2, 0, 1]), it.CSC),
    "COO": (it.COO(2), it.COO(3), it.CSR),
    "hashed": (
        it.Format("(i, j) -> (j : dense, i : hashed)"),
        it.Format("(i, j, k) -> (k : dense, i : hashed, j : hashed)"),
        it.CSR,
    ),
}
EXTENTS = (8, 32)
AUTO = Schedule((Step("autoschedule", ()),))


def formats_of(name, stored):
    text, spec, sparse = KERNELS[name]
    pairs, triples, result = FORMATS[stored]
    operands: dict[str, str] = dict(
        zip([t for t in "BCDcd" if f"{t}[" in text], spec.partition("->")[0].split(","), strict=True)
    )
    found = {t: (triples if len(its) == 3 else pairs) if t in sparse else None for t, its in operands.items()}
    return found, operands, result if "A" in sparse else None


def lowered(name, stored, stage, last=None):
    """The module of a kernel at a stage, or after its last pass."""
    found, operands, result = formats_of(name, stored)
    described = {t: OperandDescription(np.dtype("f8"), len(operands[t]), format) for t, format in found.items()}
    request = build_index_notation(insert_reductions(parse_statement(KERNELS[name][0])), described, result)
    choices = PipelineChoices.of(True, current_options(num_threads=1), schedule=AUTO)
    lower_module(request.module, "index_notation", stage, choices=choices, after=lambda label: label == last)
    return request.module, request.argument_names


@cache
def searched(name):
    """The search for a kernel, which formats do not matter for, and its program before it."""
    module, _ = lowered(name, "DCSR", "concrete_index", "concretize")
    (compute,) = operations_in(module, ComputeOp)
    program = read_program(compute)
    return CountedSearch(kernel_of(program, compute), CountedOptions(budget=2000)), program.statement


def members(name, stored, count):
    """Some programs of least cost, of as many classes as possible."""
    draw = random.Random(f"{name} {stored}")
    classes = [draw.sample(programs, len(programs)) for programs in searched(name)[0].least.values()]
    draw.shuffle(classes)
    turns = [programs[turn] for turn in range(count) for programs in classes if turn < len(programs)]
    return turns[:count]


@pytest.fixture
def chosen(monkeypatch):
    """Lets the pass take a certain program."""

    def choose(member):
        monkeypatch.setattr(autoschedule, "preferred_programs", lambda search, preference: [member])

    return choose


def cost_as_lowered(name, module):
    """The cost of what the passes have made of a program, in terms of the kernel's tensors and dimensions."""
    search, written = searched(name)
    (compute,) = operations_in(module, ComputeOp)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    program = read_program(compute)
    arguments = list(function.body.block.args)
    operands = dict[SSAValue, int | None](zip(arguments, converted_operands(function), strict=True))
    names: dict[str, Any] = {}
    for its_name, tensor in program.tensors.items():
        number = operands.get(tensor)
        names[its_name] = its_name if number is None else arguments[number].name_hint
    renamed: dict[Any, Any] = {name: number for name, number in names.items() if name != number}
    statement = map_expressions(
        program.statement,
        lambda value: map_accesses(value, lambda one: one._replace(tensor=renamed.get(one.tensor, one.tensor))),
    )
    same, known = program.dimensions(compute), {}
    indices = {one.tensor: one.indices for one in (*reads(written), stored_by(written).target)}
    for one in (*reads(statement), stored_by(statement).target):
        for own, its in zip(one.indices, indices.get(one.tensor, ()), strict=False):
            known[same[own]] = search.kernel.dimension(its)
    dimensions = search.task_sets.dimensions
    assert isinstance(dimensions, dict)
    dimensions.update({own: known[first] for own, first in same.items()})
    tasks = TaskInterpreter(search.task_sets, search.kernel.fill_values).tasks(statement)
    return statement, search.compared_cost(tasks)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
def test_passes_keep_the_cost(name, stored, chosen):
    """What is inserted for operands and results, and what other passes rearrange, adds no tasks of another class."""
    search, _ = searched(name)
    for member in members(name, stored, 12):
        chosen(member)
        statement, cost = cost_as_lowered(name, lowered(name, stored, "concrete_index", "scalarize-reductions")[0])
        predicted = search.compared_cost(search._interpreter.tasks(member))
        missing = search.task_sets.missing(predicted, cost)
        assert search.task_sets.contains(predicted, cost) and missing is None, (
            f"{text_of(member)}\n{text_of(statement)}\n{cost_text(predicted)}\n"
            f"{'' if missing is None else cost_text(frozenset({missing}))}"
        )


def random_arrays(name, stored, extent, rng):
    """Arrays with as many entries as a dimension has coordinates, so that most fibers are empty."""
    found, operands, _ = formats_of(name, stored)
    arrays = {}
    for tensor, indices in operands.items():
        shape = (extent,) * len(indices)
        arrays[tensor] = array = np.zeros(shape)
        places = rng.choice(prod(shape), extent, replace=False) if found[tensor] is not None else range(prod(shape))
        array.reshape(-1)[places] = rng.integers(1, 5, len(places))
    return arrays


def predicted_tasks(cost, arrays, extent):
    """How many tasks a cost has on certain patterns."""
    count = 0
    for query in cost:
        letters = {v: chr(ord("a") + n) for n, v in enumerate({v for atom in query.condition for v in atom.arguments})}
        free = [head for head in query.heads if head not in letters]
        terms = ["".join(letters[v] for v in atom.arguments) for atom in query.condition]
        patterns = [(arrays[atom.tensor] != 0).astype(float) for atom in query.condition]
        bound = "".join(letters[head] for head in query.heads if head in letters)
        found = np.einsum(f"{','.join(terms)}->{bound}", *patterns, optimize=True) if terms else np.ones(())
        count += int(np.count_nonzero(found)) * extent ** len(free)
    return count


def execute(name, stored, arrays, extent):
    """The result of a kernel as an array, and how many operations it took."""
    module, names = lowered(name, stored, "concrete_index")
    rank = len(KERNELS[name][1].partition("->")[2])
    return executed(module, names, arrays, (extent,) * rank, AUTO)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
def test_work_grows_as_predicted(name, stored, chosen, monkeypatch):
    """For each predicted task a kernel executes as many operations in large operands as in small ones."""
    monkeypatch.setattr(interpret_loop, "Interpreter", Counter)
    rng = np.random.default_rng(7)
    search, _ = searched(name)
    for member in members(name, stored, 2):
        chosen(member)
        cost, found = search.compared_cost(search._interpreter.tasks(member)), []
        for extent in EXTENTS:
            arrays = random_arrays(name, stored, extent, rng)
            result, operations = execute(name, stored, arrays, extent)
            np.testing.assert_array_equal(result, np.einsum(KERNELS[name][1], *arrays.values(), optimize=True))
            found.append(operations / predicted_tasks(cost, arrays, extent))
        # One more loop than predicted would make it four times as much.
        assert found[1] < 2 * found[0], f"{found} operations for each task of {text_of(member)}"
