"""Cutting loops into blocks, in any legal order, keeps what a kernel means: interpreted, and run natively."""

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.printer import Printer

from irtensor.compile_module import compile_module
from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.errors import UserError
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import accesses, tensor_names
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.reference.evaluate_dense import evaluate_dense
from irtensor.reference.interpret_concrete_index import interpret_concrete_index
from irtensor.reference.interpret_iteration_lattice import interpret_iteration_lattice
from irtensor.reference.random_operands import PATTERNS, random_operand
from irtensor.tensor import Tensor

POOL = np.array([-2.0, -1.0, 1.0, 2.0, 3.0])
CSR, CSC = "(i, j) -> (i : dense, j : compressed)", "(i, j) -> (j : dense, i : compressed)"
DCSR = "(i, j) -> (i : compressed, j : compressed)"
COO = "(i, j) -> (i : compressed(nonunique), j : singleton)"
CSF = "(i, j, k) -> (i : compressed, j : compressed, k : compressed)"
COO3 = "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)"
VECTOR = "(i) -> (i : compressed)"
# Notation, formats of its sparse operands, format of its result.
KERNELS = [
    ("y[i] = A[i,j] * x[j]", {"A": CSR}, None),
    ("y[i] = A[i,j] * x[j]", {"A": DCSR, "x": VECTOR}, VECTOR),
    ("y[i] = A[i,j] * x[j]", {"A": COO}, None),
    ("y[i] = A[i,j] * x[j] + b[i]", {"A": CSR, "b": VECTOR}, None),
    ("y[i] = A[j,i] * x[j]", {"A": CSC}, None),
    ("y[i] = a[i] * b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR),
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR),
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, None),
    ("y[i] = a[i] + b[i]", {"a": VECTOR}, None),
    ("s = A[i,j] * B[i,j]", {"A": CSR, "B": DCSR}, None),
    ("C[i,j] = A[i,j] + B[i,j]", {"A": CSR, "B": CSR}, CSR),
    ("C[i,j] = A[i,j] + B[i,j]", {"A": DCSR, "B": COO}, DCSR),
    ("C[i,j] = A[i,j] * B[i,k] * D[k,j]", {"A": CSR}, CSR),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {}, None),
    ("C[i,j] = T[i,k,l] * B[k,j] * D[l,j]", {"T": CSF}, None),
    ("C[i,j] = T[i,j,k] * x[k]", {"T": CSF}, DCSR),
    ("U[i,j,k] = T[i,j,k] + S[i,j,k]", {"T": CSF, "S": COO3}, CSF),
    ("m max= A[i,j]", {"A": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR}, CSR),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": DCSR, "B": DCSR}, DCSR),
]
ILLEGAL = ("loop-order-cycle", "output-needs-workspace", "illegal-reorder", "no-such-loops", "unordered-search")


def format_of(text):
    return None if text is None else TensorFormat.parse(text)


def run(name, module, **options):
    get_all_passes()[name]()(**options).apply(Context(), module)
    module.verify()
    get_all_passes()["verify-dominance"]()().apply(Context(), module)


def chain(module):
    """Names of the loops, outermost first."""
    return [op.variable.name_hint for op in module.walk() if isinstance(op, ForallOp)]


class Problem:
    """A kernel as concrete index notation, its operands, and what it computes."""

    def __init__(self, notation, formats, result, extents, pattern, seed):
        self.statement = insert_reductions(parse_notation(notation))
        chosen = {name: format_of(formats.get(name)) for name in tensor_names(self.statement.expression)}
        ranks = {access.tensor: len(access.indices) for access in accesses(self.statement.expression)}
        shapes = {a.tensor: tuple(extents[i] for i in a.indices) for a in accesses(self.statement.expression)}
        random = np.random.default_rng(seed)
        made = {name: random_operand(shapes[name], chosen[name], POOL, pattern, random) for name in chosen}
        described = {name: OperandDescription(POOL.dtype, ranks[name], format) for name, format in chosen.items()}
        self.operands = [made[name][0] for name in chosen]
        self.dense = [made[name][1] for name in chosen]
        self.expected = evaluate_dense(self.statement, dict(zip(chosen, self.dense, strict=True)))
        self.module = build_index_notation(self.statement, described, format_of(result)).module
        run("concretize", self.module)

    def step(self, name, **options):
        """Run a schedule pass; the statement must still mean the same."""
        run(name, self.module, **options)
        (result,) = interpret_concrete_index(self.module, self.dense)
        self.same(result, f"{name} {options}")

    def same(self, actual, after):
        actual = np.asarray(actual, float)
        np.testing.assert_allclose(actual, self.expected, rtol=1e-9, atol=1e-9, err_msg=f"{after}\n{self.module}")

    def finish(self):
        """Lower it, interpreting what is left of concrete_index and iteration_lattice, and run native code."""
        names = passes_between("index_notation", "concrete_index")
        for name in names[names.index("match-blocks") + 1 :]:
            run(name, self.module)
            (result,) = interpret_concrete_index(self.module, self.dense)
            self.same(result, name)
        text = io.StringIO()
        Printer(text, print_generic_format=True).print_op(self.module)
        kernel = compile_module(text.getvalue(), disk_cache=False, convert=False)
        run("lower-concrete-index-to-iteration-lattice", self.module)
        self.same(interpret_iteration_lattice(self.module, self.operands, self.expected.shape), "lowering to lattices")
        result = kernel(*self.operands)
        if isinstance(result, Tensor):
            result.check("result")
            result = result.to_numpy()
        self.same(result, "native")


@st.composite
def problems(draw):
    kernel = draw(st.sampled_from(KERNELS))
    extents = {index: draw(st.sampled_from([0, 1, 2, 3, 5, 7, 8])) for index in "ijkl"}
    return Problem(*kernel, extents, draw(st.sampled_from(sorted(PATTERNS))), draw(st.integers(0, 1000)))


def cut(draw, problem, number):
    variable = draw(st.sampled_from(sorted(set(chain(problem.module)))))
    names = {"variable": variable, "outer": f"o{number}", "inner": f"n{number}"}
    number = draw(st.sampled_from([1, 2, 3, 4, 100]))
    if draw(st.booleans()):
        problem.step("split", **names, size=number)
    else:
        problem.step("divide", **names, parts=number)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)
@given(st.data())
def test_cut_and_reordered_loops(data):
    problem = data.draw(problems())
    for number in range(data.draw(st.integers(1, 3))):
        cut(data.draw, problem, number)
    loops = chain(problem.module)
    try:
        if data.draw(st.booleans()) and len(set(loops)) == len(loops):
            problem.step("reorder", order=tuple(data.draw(st.permutations(loops))))
        problem.finish()
    except UserError as error:
        assume(error.slug not in ILLEGAL)
        raise


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("size", [3])
def test_every_loop_is_split(kernel, size):
    problem = Problem(*kernel, {"i": 7, "j": 5, "k": 4, "l": 3}, "sparse", 1)
    for variable in dict.fromkeys(chain(problem.module)):
        problem.step("split", variable=variable, outer=f"{variable}0", inner=f"{variable}1", size=size)
    problem.finish()
