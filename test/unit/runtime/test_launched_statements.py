"""Host code of whole statements with a driver that runs their kernels on the CPU: see test/support/stubbed_statements.

Results are NumPy's, all memory goes back, and so it does where any call of the driver fails.
"""

from __future__ import annotations

from cuda_stub import Ran, run_with_stub

BEGIN = """
import os
from stubbed_statements import Statement, arguments_of
from irtensor.core.argument_layout import INTERRUPTED

random = np.random.default_rng(0)
a, b = (random.integers(0, 3, (30, 20)).astype(float) for _ in "ab")
A, B = (it.Tensor.from_numpy(array, "csr") for array in (a, b))
x = random.integers(0, 9, 20).astype(float)
card = cuda_device.device()

def add(slots):
    '''C[i,j] = A[i,j] + B[i,j]: the positions and the status.'''
    pos = np.zeros(31, np.int64)
    given = arguments_of("A", A) | arguments_of("B", B) | dict(C_n0=30, C_n1=20, C_pos1=pos.ctypes.data)
    return pos, sum_of_two(given, slots)

def release(slots):
    for address in slots[::3]:
        if address:
            card.release(address)
"""
SPARSE = BEGIN + 'sum_of_two = Statement("C[i,j] = A[i,j] + B[i,j]", dict(A=it.CSR, B=it.CSR, C=it.CSR))\n'


def run(code: str, **settings: str) -> Ran:
    return run_with_stub(code, **settings)  # pyrefly: ignore[bad-argument-type]


DENSE = {
    "y[i] = A[i,j] * x[j]": "a @ x",
    "y[i] = A[i,j] * B[i,j]": "(a * b).sum(1)",
    "y[i] = max(j, A[i,j] * x[j])": "(a * x).max(1)",
    "y[j] = A[i,j] * B[i,j]": "(a * b).sum(0)",
}


def test_dense_results():
    ran = run(
        BEGIN
        + f"""
for text, expected in zip({[*DENSE]!r}, [{", ".join(DENSE.values())}]):
    statement = Statement(text, {{name: it.CSR for name in "AB" if name + "[" in text}})
    y = np.zeros(expected.shape)
    given = arguments_of("A", A) | arguments_of("B", B) | arguments_of("x", x) | arguments_of("y", y)
    show([text, statement(given), y.tolist() == expected.tolist()])
"""
    )
    assert ran.shown == [[text, 0, True] for text in DENSE]
    assert len(ran.named("cuLaunchKernel")) >= len(DENSE) and ran.kept() == set()


def test_sparse_results():
    ran = run(
        SPARSE
        + """
slots = (ctypes.c_int64 * 6)()
pos, status = add(slots)
count = slots[2]
crd = np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(slots[0]))
values = np.ctypeslib.as_array((ctypes.c_double * count).from_address(slots[3]))
rows = np.repeat(np.arange(30), np.diff(pos))
found = np.zeros((30, 20))
found[rows, crd] = values
show(status, [int(pos[-1]), count, slots[5]] == [np.count_nonzero(a + b)] * 3, found.tolist() == (a + b).tolist())
release(slots)
"""
    )
    assert ran.shown == [0, True, True]
    assert len(ran.named("cuMemAllocAsync")) > 2 and ran.kept() == set()


def test_a_failure_at_each_place_loses_no_memory():
    """Every call of every function of the driver fails once, while rows and columns of a result are counted."""
    ran = run(
        BEGIN
        + """
statement = Statement("C[i,j] = A[i,j] + B[i,j]", dict(A=it.CSR, B=it.CSR, C=it.DCSR))
pos = np.zeros(2, np.int64)
given = arguments_of("A", A) | arguments_of("B", B) | dict(C_n0=30, C_n1=20, C_pos0=pos.ctypes.data)
driver = ctypes.CDLL("libcuda.so.1")
names = ["cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemAllocAsync", "cuMemFreeAsync"]
names += ["cuMemsetD8Async", "cuMemsetD32Async", "cuMemcpyDtoDAsync_v2", "cuCtxGetCurrent", "cuCtxSetCurrent"]
for name in names:
    for code in (1, 2):
        for place in range(1, 100):
            driver.stub_forgets_calls()
            slots = (ctypes.c_int64 * 12)()
            os.environ["CUDA_STUB_FAIL"] = f"{name}#{place}={code}"
            said = raised(lambda: statement(given, slots)).split(chr(10))[0]
            os.environ["CUDA_STUB_FAIL"] = ""
            release(slots)
            if said == "nothing":
                break
            show([name, code, place, said])
"""
    )
    errors = {
        1: "InternalError: internal error: {} of the CUDA driver returned CUDA_ERROR_INVALID_VALUE: invalid argument, "
        "in a call of 'C[i,j] = A[i,j] + B[i,j]'",
        2: "MemoryError: the GPU, or the driver, has no memory left: CUDA_ERROR_OUT_OF_MEMORY: out of memory, by {}",
    }
    places: dict[str, int] = {}
    for name, code, place, said in ran.shown:
        places[name] = place
        if (name, code) == ("cuMemAllocAsync", 2):
            assert said.startswith("MemoryError: GPU 0 (Stub 0) has no memory for "), (name, code, place)
        else:
            assert said == errors[code].format(name), (name, code, place)
    assert {name for name, place in places.items() if place > 1} >= {
        "cuLaunchKernel",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
        "cuMemAllocAsync",
        "cuMemFreeAsync",
    }
    assert "cuMemsetD32Async" in places
    # Each block was given back once, or that was tried.
    assert ran.kept() == set()


def test_an_error_of_a_kernel_ends_the_call_and_names_the_statement():
    ran = run(
        SPARSE
        + """
slots = (ctypes.c_int64 * 6)()
show(raised(lambda: add(slots)), raised(lambda: add(slots)))
""",
        fail="cuStreamSynchronize#1=700",
    )
    text = (
        "UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, "
        "while 'C[i,j] = A[i,j] + B[i,j]' was running\nhelp: the card does nothing more for this process: start it anew"
    )
    assert ran.shown == [text, text]
