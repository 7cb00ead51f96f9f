"""Kernels for `target="cuda"`, called with arrays on a card, which is emulated: see test/support/stubbed_card.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from cuda_stub import run_on_card, run_with_stub

from irtensor.selftest_cases import GROUPS


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_results_are_those_of_numpy(number: int):
    ran = run_on_card(
        f"""
from irtensor.cuda_selftest import GROUPS, case_title, run_case
for case in [case for cases in GROUPS[{number}] for case in cases()]:
    if wrong := run_case(case):
        show(f"{{case_title(case)}}: {{wrong}}")
show("end")
del case
""",
        to_the_end=True,
    )
    assert ran.shown == ["end"]
    assert ran.kept() == set()


def test_result_into_memory_that_is_given():
    ran = run_on_card(
        """
kernel, out = compiled(SPMV), it.cuda.to_device(np.zeros(2))
kernel(A=A, x=X)
show("from here")
import os
os.truncate(os.environ["CUDA_STUB_LOG"], 0)
show(kernel(A=A, x=X, out=out) is out)
log = open(os.environ["CUDA_STUB_LOG"]).read()
show([name for name in ("cuMemAllocAsync", "cuMemFreeAsync", "cuModuleLoadDataEx", "cuMemcpyHtoDAsync") if name in log])
show(out.to_numpy().tolist())
"""
    )
    assert ran.shown == ["from here", True, [], [9.0, 12.0]]


def test_streams():
    """Work is on the stream of the operands, or on one that is given, which waits for the others and they for it."""
    ran = run_on_card(
        """
class Stream:
    def __cuda_stream__(self):
        return 0, 0x70

kernel = compiled(SPMV)
show(kernel(A=A, x=X).memory.stream)
Y = it.cuda.to_device(x, stream=0x60)
result = kernel(A=A, x=Y)
show(result.memory.stream, kernel(A=A, x=Y, stream=Stream()).memory.stream, result.to_numpy().tolist())
show(raised(lambda: it.compile("y[i] = x[i]")(x=x, stream=5)))
"""
    )
    assert ran.shown[:4] == [1, 0x60, 0x70, [9.0, 12.0]]
    assert ran.shown[4].startswith("UserError: error: [bad-argument] stream= is for kernels of a GPU")
    launches = [place for place, call in enumerate(ran.calls) if call.startswith("cuLaunchKernel")]
    streams = [ran.calls[place].split("stream ")[1].split()[0] for place in launches]
    assert streams == ["0x1", "0x60", "0x70"]
    places = [0, *launches, len(ran.calls)]
    for before, place, after, stream, others in zip(
        places, launches, places[2:], streams, ([], ["0x1"], ["0x1", "0x60"]), strict=False
    ):
        assert set(_waits(ran.calls[before:place], stream)) >= {*others}
        assert all(stream in _waits(ran.calls[place:after], other) for other in others)


def _waits(calls: list[str], stream: str) -> list[str]:
    """The streams that a stream waits for."""
    recorded: dict[str, str] = {}
    found: list[str] = []
    for call in calls:
        name, *words = call.split()
        if name == "cuEventRecord":
            recorded[words[0]] = words[1]
        elif name == "cuStreamWaitEvent" and words[0] == stream:
            found.append(recorded[words[1]])
    return found


@pytest.mark.parametrize(
    "statement, formats, given",
    [("y[i] = A[i,j] * x[j]", "A", "A=A, x=X"), ("C[i,j] = A[i,j] + B[i,j]", "ABC", "A=A, B=A")],
)
def test_memory_goes_back_whatever_call_fails(statement: str, formats: str, given: str):
    """Each call of the driver fails once, and the kernel works afterwards. What is not given back is what the driver
    refused to take back."""
    ran = run_on_card(
        f"""
import os
kernel = compiled({statement!r}, dict.fromkeys({formats!r}, it.CSR))
expected = kernel({given}).to_numpy().tolist()
library, path = ctypes.CDLL("libcuda.so.1"), os.environ["CUDA_STUB_LOG"]

def kept():
    with open(path) as log:
        lines = log.read().splitlines()
    left = {{line.split()[1] for line in lines if line.startswith("gives")}}
    return left - {{line.split()[1] for line in lines if line.startswith("cuMemFreeAsync")}}

with open(path) as log:
    begin = len(log.readlines())
kernel({given})
with open(path) as log:
    calls = [line.split()[0] for line in log.readlines()[begin:] if not line.startswith("gives")]
names = [name + ("_v2" if name.startswith("cuMemcpy") else "") for name in calls]
numbers, wrong, lost = {{}}, [], set()
for name in names:
    numbers[name] = numbers.get(name, 0) + 1
    for code in (2, 1):
        before = len(kept())
        library.stub_forgets_calls()
        os.environ["CUDA_STUB_FAIL"] = f"{{name}}#{{numbers[name]}}={{code}}"
        said = raised(lambda: kernel({given}))
        os.environ["CUDA_STUB_FAIL"] = ""
        if not said.startswith(("MemoryError", "InternalError", "nothing")):
            wrong.append([name, numbers[name], code, said])
        if kernel({given}).to_numpy().tolist() != expected:
            wrong.append([name, numbers[name], "another result"])
        if len(kept()) != before:
            lost.add(name)
show(wrong, len(names) > 5, sorted(lost))
"""
    )
    # Without a context nothing can be given back.
    assert ran.shown[:2] == [[], True]
    assert {*ran.shown[2]} <= {"cuCtxGetCurrent", "cuCtxSetCurrent"}


def test_index_is_assembled_and_values_are_computed_on_the_card():
    ran = run_on_card(
        """
kernel = compiled("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR))
index = kernel.assemble(A=A, B=A)
show(repr(index), index.to_host().values.tolist())
result = kernel.compute(index, A=A, B=A)
show(result.to_numpy().tolist(), result.levels[1].coordinates is index.levels[1].coordinates)
show(raised(lambda: kernel.compute(index.to_host(), A=A, B=A)))
show(compiled(SPMV).assemble(A=A, x=X).to_numpy().tolist())
"""
    )
    text = "Tensor(shape=(2, 3), dtype=float64, nnz=3, format='(i, j) -> (i : dense, j : compressed)', device=0)"
    assert ran.shown[:4] == [text, [0.0, 0.0, 0.0], [[2.0, 0.0, 4.0], [0.0, 0.0, 6.0]], True]
    assert ran.shown[4].startswith("UserError: error: [operand-on-host] the index of the result")
    assert ran.shown[5] == [0.0, 0.0]


def test_tensors_move_where_they_are_told_to():
    ran = run_on_card(
        """
show(A.is_on_device, A.to_device() is A, A.to_host().is_on_device, A.to_host().to_host().to_numpy().tolist())
show(A.copy().to_numpy().tolist(), A.with_fill(1).to_numpy().tolist(), A.nnz, A.nbytes)
show(raised(lambda: A.to_scipy()))
"""
    )
    assert ran.shown == [
        True,
        True,
        False,
        [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]],
        [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]],
        [[1.0, 1.0, 2.0], [1.0, 1.0, 3.0]],
        3,
        72,
        "UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and to_scipy works on the host\n"
        "help: copy it: .to_host().to_scipy(...)",
    ]


def test_importing_and_compiling_for_a_processor_does_not_load_the_bindings():
    ran = run_with_stub(
        """
kernel = it.compile("y[i] = A[i,j] * x[j]", formats=dict(A=it.CSR))
show(".target sm_90" in kernel.ptx("sm_90"), "cuda.bindings.driver" in sys.modules)
""",
        modules=(),
    )
    assert ran.shown == [True, False]
    assert ran.calls == []


def test_second_process_takes_code_from_the_disk(tmp_path: Path):
    """PTX is kept by the kernel and the processor, host code as for a CPU: LLVM is not even loaded."""
    code = """
A = it.Tensor.from_numpy(np.eye(3), "csr").to_device()
A.check()
it.compile("y[i] = A[i,j] * x[j]", formats=dict(A=it.CSR), target="cuda")(A=A, x=it.cuda.to_device(np.ones(3)))
show([name for name in ("llvmlite.binding", "xdsl.ir") if name in sys.modules])
"""
    first, second = (run_with_stub(code, modules=(), IRTENSOR_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert (first.shown, second.shown) == ([["llvmlite.binding", "xdsl.ir"]], [[]])
    loads = [[call for call in ran.calls if call.startswith(("cuModule", "cuLaunch"))] for ran in (first, second)]
    assert len(loads[0]) == len(loads[1]) > 4


def test_numbers_are_copied_without_waiting():
    """They go to the GPU and the stream of the call."""
    ran = run_on_card(
        """
import os
Y = it.cuda.to_device(x, device=1, stream=0x90)
kernel = compiled("y[i] = a * x[i] + b", {})
size = os.path.getsize(os.environ["CUDA_STUB_LOG"])
result = kernel(a=2.0, x=Y, b=np.complex128(1 + 2j))
with open(os.environ["CUDA_STUB_LOG"]) as log:
    log.seek(size)
    show(sorted({line.split()[0] for line in log if "Memcpy" in line or "Synchronize" in line}))
show(result.device, result.memory.stream, str(result.to_numpy().tolist()))
show(it.einsum(",i->i", 3, Y).to_numpy().tolist(), compiled("s = 2 * a", {})(a=np.float32(4)).to_numpy().item())
""",
        devices=2,
    )
    assert ran.shown == [[], 1, 0x90, "[(3+2j), (5+2j), (9+2j)]", [3.0, 6.0, 12.0], 8.0]
    assert {call.split()[-1] for call in ran.named("cuMemsetD32Async")} == {"0x90", "0x1"}


def test_functions_of_ir():
    ran = run_on_card(
        """
text = '''func.func @twice(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
    index_notation.yield %b : f64
  }
  func.return %y : tensor<?xf64>
}'''
kernel = it.compile_module(text, target="cuda")
result = kernel(X, stream=0x30)
show(repr(result), result.memory.stream, result.to_numpy().tolist(), raised(lambda: kernel(x)).split(",")[0])
"""
    )
    said = "UserError: error: [operand-on-host] operand x"
    assert ran.shown == ["DeviceArray(shape=(3,), dtype=float64, device=0)", 0x30, [2.0, 4.0, 8.0], said]


def test_schedules_are_measured_by_events():
    ran = run_on_card(
        """
kernel = compiled("C[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABC", it.CSR), tune="operands")
B = it.Tensor.from_numpy(a.T.copy(), "csr").to_device()
show(kernel(A=A, B=B).to_numpy().tolist(), "target  cuda: a GPU of NVIDIA" in kernel.explain())
"""
    )
    assert ran.shown == [[[5.0, 6.0], [6.0, 9.0]], True]
    assert ran.named("cuEventElapsedTime")


def test_entries_are_counted_in_any_format():
    """Levels with holes are counted on the host, for whoever asks: a schedule that is searched for does."""
    ran = run_on_card(
        """
for format in ("csr", "dense, hashed", "dense, bitmap", "ell", "dia", "dense, run_list", "dense, block_list"):
    T = it.Tensor.from_numpy(a, format)
    D = T.to_device()
    show((D.nnz, D.pieces) == (T.nnz, T.pieces) and f"nnz={T.nnz}," in repr(D))
    show(it.compile(SPMV, target="cuda", schedule="auto")(A=D, x=X).to_numpy().tolist() == (a @ x).tolist())
"""
    )
    assert ran.shown == [True] * 14


def test_operators_and_expressions_are_computed_on_the_card():
    ran = run_on_card(
        """
import warnings
warnings.simplefilter("ignore", it.DenseResultWarning)
D, y = it.cuda.to_device(a), it.cuda.to_device(np.ones(2))
B = it.Tensor.from_numpy(a.T.copy(), "csr").to_device()
results = [
    (A @ X, a @ x), (A @ B, a @ a.T), (y @ A, np.ones(2) @ a), (A + A, a + a), (A * 2, a * 2), (A + 1, a + 1),
    (A * D, a * a), (A + D, a + a), (A * X, a * x), (A > 1, a > 1), (-A, -a), (np.sqrt(A), np.sqrt(a)),
    (A.sum(), a.sum()), (A.max(axis=1), a.max(1)), (it.einsum("ij->ji", D), a.T),
    (it.einsum("ij->ji", A, format="csc"), a.T), (it.einsum("ij,j,i->", A, X, y, optimize=True), (a @ x).sum()),
    (it.einsum("ij,ij->i", A, it.cuda.to_device(np.ones((2, 1)))), a.sum(1)),
    (it.einsum("ij,j->i", A, X, semiring=it.MAX_TIMES), (a * x).max(1)),
    (A.T, a.T), (A.T @ y, a.T @ np.ones(2)), (A.mean(), a.mean()), (A.mean(axis=0), a.mean(0)),
    (A / A.sum(), a / a.sum()),
    (A.sum(keepdims=True), a.sum(keepdims=True)), (A.sum(axis=0, keepdims=True), a.sum(0, keepdims=True)),
]
for number, (found, expected) in enumerate(results):
    where = type(found).__name__
    array = found.to_numpy()
    is_there = where in ("DeviceArray", "DeviceTensor")
    if not is_there or array.shape != expected.shape or not np.allclose(array, expected):
        show([number, where, str(array)])
out = it.cuda.to_device(np.zeros(2))
show(it.einsum("ij,j->i", A, X, out=out) is out, out.to_numpy().tolist())
"""
    )
    assert ran.shown == [True, [9.0, 12.0]]
