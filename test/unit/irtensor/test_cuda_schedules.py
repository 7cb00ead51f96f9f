"""Schedules that are searched for kernels of a GPU, which convert no operand; see test/support/cuda_stub.py."""

from __future__ import annotations

from cuda_stub import run_on_card

BEGIN = """
import warnings
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
matrices = {name: (rng.random((30, 40)) < 0.2) * rng.random((30, 40)) for name in "AB"}
STORED = {name: it.Tensor.from_numpy(matrix, it.CSR).to_device() for name, matrix in matrices.items()}
a, b = matrices.values()

def run(statement, expected, *, formats=dict.fromkeys("ABC", it.CSR), **options):
    formats = {name: formats[name] for name in formats if name in statement}
    kernel = it.compile(statement, formats, target="cuda", **options)
    found = kernel(**STORED).to_numpy()
    show(bool(np.allclose(found, expected)), str(kernel.chosen_schedule))

"""
# Both matrices are read by rows, and the result is written as it comes.
BY_ROWS = 'autoschedule(program="forall kij: C[i,j] += A[l(k),s(i)] * B[l(k),s(j)]")'


def test_programs_that_convert_nothing_are_chosen():
    """Without a schedule, and on the CPU, an operand is converted."""
    ran = run_on_card(
        BEGIN
        + """
statement = "C[i,j] = A[k,i] * B[k,j]"
run(statement, a.T @ b, schedule="auto")
run(statement, a.T @ b, tune="samples")
show(raised(lambda: run(statement, a.T @ b)))
on_cpu = it.compile(statement, dict.fromkeys("ABC", it.CSR), schedule="auto")
on_cpu(**{name: one.to_host() for name, one in STORED.items()})
show([name for name, format in on_cpu.read_formats.items() if format != it.CSR])
"""
    )
    refused = "UserError: error: [cuda-conversion] operand A would have to be converted to "
    assert ran.shown[:4] == [True, BY_ROWS] * 2
    assert ran.shown[4].startswith(refused) and "schedule='auto'" in ran.shown[4]
    assert ran.shown[5] == ["A"]


def test_the_order_of_the_compiler_is_kept_where_nothing_is_converted():
    ran = run_on_card(
        BEGIN + "run('C[i,j] = A[i,j] + B[i,j]', a + b, schedule='auto')\nrun('y[i] = A[i,j] * B[i,j]', (a * b).sum(1))"
    )
    assert ran.shown[::2] == [True, True]


def test_where_every_program_converts_it_is_said():
    ran = run_on_card(
        BEGIN
        + """
STORED["B"] = it.Tensor.from_numpy(b, it.CSC).to_device()
for options in ({"schedule": "auto"}, {"tune": "operands"}):
    formats = dict(A=it.CSR, B=it.CSC, C=it.CSR)
    show(raised(lambda: run("C[i,j] = A[i,j] * B[i,j]", a * b, formats=formats, **options)))
"""
    )
    text = "UserError: error: [cuda-conversion] operand B would have to be converted to (i, j) -> (i : dense, "
    assert all(said.startswith(text) for said in ran.shown) and len(ran.shown) == 2


def test_what_is_shown_is_what_is_called():
    ran = run_on_card(
        BEGIN
        + """
kernel = it.compile("C[i,j] = A[k,i] * B[k,j]", dict.fromkeys("ABC", it.CSR), target="cuda", schedule="auto")
before = kernel.ptx()
kernel(**STORED)
show(before == kernel.ptx(), kernel.ir("nvvm").count("nvvm.kernel") == kernel.ptx().count(".entry"))
show("converted" in kernel.explain())
"""
    )
    assert ran.shown == [True, True, False]
