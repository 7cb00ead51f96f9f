"""Errors about NVIDIA's cards and their driver, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import sys

import pytest
from check_error import check_error
from cuda_stub import has_bindings, run_on_card, run_with_stub

from irtensor.runtime import cuda_device, cuda_driver
from irtensor.runtime.cuda_driver import _State

NOT_FOR_CPU = 'a kernel compiled for target="cpu" needs none of it'
# What fails, other settings of the driver without a card, what is done, and the text of the error.
DRIVERS = [
    (
        "",
        {"devices": 0},
        "cuda_device.device()",
        f"""UserError: error: [no-cuda] NVIDIA's driver finds no card on this machine
help: see whether nvidia-smi lists one; {NOT_FOR_CPU}""",
    ),
    (
        "",
        {"devices": 0, "CUDA_VISIBLE_DEVICES": "-1"},
        "cuda_device.device()",
        f"""UserError: error: [no-cuda] NVIDIA's driver finds no card on this machine
help: CUDA_VISIBLE_DEVICES is '-1', and hides all cards that it does not list; {NOT_FOR_CPU}""",
    ),
    (
        "",
        {"devices": 2},
        "cuda_device.device(2)",
        "UserError: error: [no-cuda] there is no GPU 2: there are 0 to 1",
    ),
    (
        "cuInit=803",
        {},
        "cuda_device.device()",
        f"""UserError: error: [no-cuda] the driver cannot be used: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: system has unsupported display driver / cuda driver combination
help: see what nvidia-smi says; after an update of the driver, restart the machine; {NOT_FOR_CPU}""",
    ),
    (
        "cuDevicePrimaryCtxRetain=46",
        {},
        "cuda_device.device().allocate(1)",
        f"""UserError: error: [no-cuda] GPU 0 (Stub 0) cannot be used: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or unavailable
help: see what nvidia-smi says; after an update of the driver, restart the machine; {NOT_FOR_CPU}""",
    ),
    (
        "cuModuleLoadDataEx=222",
        {},
        "cuda_device.device().load('')",
        """UserError: error: [no-cuda] the driver is older than the code for it: CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported toolchain.
help: update the driver""",
    ),
    (
        "",
        {"memory": 1000},
        "cuda_device.device().allocate(123456)",
        "MemoryError: GPU 0 (Stub 0) has no memory for 123,456 bytes: 250 of its 1,000 bytes are free",
    ),
    (
        "cuMemAllocAsync=2,cuMemGetInfo_v2=1",
        {},
        "cuda_device.device().allocate(123456)",
        "MemoryError: GPU 0 (Stub 0) has no memory for 123,456 bytes",
    ),
    (
        "cuStreamCreate=2",
        {},
        "cuda_device.device().new_stream()",
        "MemoryError: the GPU, or the driver, has no memory left: CUDA_ERROR_OUT_OF_MEMORY: out of memory, by cuStreamCreate",
    ),
]
HELP_STREAM = "help: pass a stream of CuPy or PyTorch, an object with __cuda_stream__, or the driver's number of one"
# What an array of another library says of itself beside `x`, which has two numbers, and the error.
INTERFACES = [
    (
        "shape=[2]",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has the shape [2], which the protocol does not allow",
    ),
    (
        "shape=(-2,)",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has the shape (-2,), which the protocol does not allow",
    ),
    (
        "data=None",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has the data None, which the protocol does not allow",
    ),
    (
        "data=(0, False)",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has elements and no address, which the protocol does not allow",
    ),
    (
        "data=(0x1230, False)",
        "UserError: error: [bad-argument] the array says that it is at the address 0x1230, which is not memory of a GPU",
    ),
    (
        "mask=1",
        """UserError: error: [bad-argument] the array: this is a masked array, and its mask would be ignored
help: pass its elements and its mask as two operands""",
    ),
    (
        "strides=(8, 8)",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has the strides (8, 8) for the shape (2,), which the protocol does not allow",
    ),
    (
        "stream=0",
        "UserError: error: [bad-argument] the array: its __cuda_array_interface__ has the stream 0, which the protocol does not allow",
    ),
    (
        "strides=(16,)",
        """UserError: error: [cuda-conversion] the array of shape (2,) has strides (16,): its elements do not follow each other
help: pass a copy: cupy.ascontiguousarray(x), or x.contiguous() of PyTorch""",
    ),
    (
        "shape=(1,), data=(x.memory.address + 4, False)",
        """UserError: error: [cuda-conversion] the array begins at an address that is no multiple of the 8 bytes of a number
help: pass a copy of it""",
    ),
    (
        "typestr='<f2'",
        """UserError: error: [unsupported-dtype] the array has dtype float16
help: convert it with .astype; supported are bool, int8, int16, int32, int64, float32, float64, complex64, complex128""",
    ),
    (
        "typestr='>f8'",
        """UserError: error: [unsupported-dtype] the array has dtype >f8, whose bytes are in the other order
help: convert it with .astype""",
    ),
]
ARRAYS = [
    (
        "it.cuda.as_device_array(np.ones(3))",
        """UserError: error: [bad-argument] the array is a ndarray, which has no __cuda_array_interface__: it is not on a GPU
help: copy it there: irtensor.cuda.to_device(array)""",
    ),
    (
        "it.cuda.as_device_array(NeedsGradient())",
        """UserError: error: [bad-argument] the array: NeedsGradient does not give its elements: requires grad
help: of PyTorch, pass x.detach()""",
    ),
    (
        "it.cuda.to_device(it.Tensor.from_numpy(np.eye(2), 'csr'))",
        """UserError: error: [bad-argument] the array is sparse, and a DeviceArray is dense
help: copy its elements: to_device(A.to_numpy())""",
    ),
    (
        "it.cuda.to_device(np.ones(2), stream='first')",
        f"UserError: error: [bad-argument] stream='first' is no stream\n{HELP_STREAM}",
    ),
    (
        "it.cuda.to_device(np.ones(2), stream=-1)",
        f"UserError: error: [bad-argument] stream=-1 is no stream\n{HELP_STREAM}",
    ),
    ("it.cuda.to_device(np.ones(2), device=1)", "UserError: error: [no-cuda] there is no GPU 1: the only one is 0"),
    (
        "np.asarray(it.cuda.to_device(np.ones(3)))",
        """UserError: error: [operand-on-device] an array of shape (3,) is on GPU 0, and an array of the host is needed
help: copy it: .to_numpy()""",
    ),
    (
        "__import__('pickle').dumps(it.cuda.to_device(np.ones(3)))",
        """UserError: error: [operand-on-device] an array of shape (3,) is on GPU 0, and is pickled on the host only
help: copy it: .to_numpy()""",
    ),
    (
        "it.einsum('i,i->', it.cuda.to_device(np.ones(3)), np.ones(3))",
        """UserError: error: [operand-on-host] operand 1, a ndarray of shape (3,), is in the memory of the host
help: copy it: irtensor.cuda.to_device(array); or compile for target='cpu'""",
    ),
]
STATEMENT = "y[i] = sum(j, A[i, j] * x[j])"
CPU_HELP = "or compile for target='cpu'"
CSC = "(i, j) -> (j : dense, i : compressed)"
# What is done with a matrix A and a vector X on a card, and a and x on the host.
CALLS = [
    (
        "compiled(SPMV)(A=a, x=X)",
        f"""UserError: error: [operand-on-host] operand A, a ndarray of shape (2, 3), is in the memory of the host
help: copy it: irtensor.cuda.to_device(array); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A.to_host(), x=X)",
        f"""UserError: error: [operand-on-host] operand A, a Tensor of shape (2, 3), is in the memory of the host
help: copy it: .to_device(); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=scipy.sparse.csr_array(a), x=X)",
        f"""UserError: error: [operand-on-host] operand A, a csr_array of shape (2, 3), is in the memory of the host
help: copy it: irtensor.as_tensor(A).to_device(); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, out=np.zeros(2))",
        f"""UserError: error: [operand-on-host] out, a ndarray of shape (2,), is in the memory of the host
help: copy it: irtensor.cuda.to_device(array); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, out=it.cuda.to_device(np.zeros(3)))",
        """UserError: error: [bad-argument] out must be an array of shape (2,) and dtype float64, got shape (3,), float64
help: leave out= out to get a new array""",
    ),
    (
        "compiled('y[i] += A[i,j] * x[j]')(A=A, x=X, y=Y, out=Y)",
        """UserError: error: [bad-argument] out shares memory with an operand
help: pass another array""",
    ),
    (
        "it.compile(SPMV)(A=A, x=x)",
        """UserError: error: [operand-on-device] a tensor of shape (2, 3) is on GPU 0, and the kernel runs on the CPU
help: copy it: .to_host(), or compile for target='cuda'""",
    ),
    (
        "it.compile(SPMV)(A=a, x=X)",
        """UserError: error: [operand-on-device] an array of shape (3,) is on GPU 0, and the kernel runs on the CPU
help: copy it: .to_numpy(), or compile for target='cuda'""",
    ),
    (
        "it.einsum('ij,j->i', A, X, target='cpu')",
        """UserError: error: [operand-on-device] operand 0 is on a GPU, and target='cpu' computes on the CPU
help: copy it: .to_numpy() or .to_host(), or leave target= out""",
    ),
    (
        "np.asarray(A)",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and an array of the host is needed
help: copy it: .to_host()""",
    ),
    (
        "__import__('pickle').dumps(A)",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and is pickled on the host only
help: copy it: .to_host()""",
    ),
    (
        "A.to_format('csc')",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and to_format works on the host
help: copy it: .to_host().to_format(...)""",
    ),
    (
        "A.to_host().to_torch()",
        """UserError: error: [operand-on-host] the tensor of shape (2, 3) is in the memory of the host
help: copy it: .to_device()""",
    ),
    (
        "compiled(SPMV, dict(A=it.CSC))(A=A, x=X)",
        f"""UserError: error: [cuda-conversion] operand A, stored (i, j) -> (i : dense, j : compressed), would have to be converted to {CSC}
help: convert it on the host: .to_host().to_format('{CSC}').to_device(); or leave it out of formats=""",
    ),
    (
        "compiled(SPMV)(A=it.cuda.to_device(a), x=X)",
        """UserError: error: [cuda-conversion] operand A, a dense array, would have to be converted to (i, j) -> (i : dense, j : compressed)
help: make a tensor of it on the host: irtensor.Tensor.from_numpy(x, '(i, j) -> (i : dense, j : compressed)').to_device(); or leave it out of formats=""",
    ),
    (
        "compiled(SPMV, dtypes=dict(x='float32'))(A=A, x=X)",
        """UserError: error: [cuda-conversion] operand x has dtype float64, and the kernel reads float32
help: convert it first, or change dtypes=""",
    ),
    (
        "compiled('C[i,j] = A[i,j]', dict(A=it.CSR, C=it.CSC))(A=A)",
        f"""UserError: error: [cuda-conversion] operand A would have to be converted to {CSC} before the call
help: convert it on the host, and compile for that: A.to_host().to_format('{CSC}').to_device()""",
    ),
    (
        "compiled('C[i,j] = A[i,j]', dict(A=it.CSR, C=it.ELL))(A=A)",
        """UserError: error: [cuda-conversion] a result stored (i, j) -> (i : dense, j : padded) is computed as (i, j) -> (i : dense, j : compressed), and converted on the host
help: ask for the format in which it is computed, and convert it: .to_host().to_format(...)""",
    ),
    (
        "it.einsum('ij->ij', A, order='F')",
        """UserError: error: [cuda-conversion] a result in column-major order would be a transposed view, and a DeviceArray has none
help: leave order= out, or swap the labels of the result""",
    ),
    (
        "it.einsum('i->', it.cuda.to_device(np.ones(3, np.float32)), dtype=np.float16, casting='unsafe')",
        """UserError: error: [cuda-conversion] the result would be computed in float32, and converted to float16
help: leave dtype= out, or convert the operands first""",
    ),
    (
        "it.einsum('i,i->', X, X, dtype=np.float16, casting='unsafe')",
        """UserError: error: [cuda-conversion] operand 0 of dtype float64 would have to be converted to float32
help: convert it first, or give all operands one dtype""",
    ),
    (
        "it.compile(SPMV)(A=a, x=x, stream=5)",
        """UserError: error: [bad-argument] stream= is for kernels of a GPU, and this one is compiled for target='cpu'
help: leave stream= out""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, stream='first')",
        f"UserError: error: [bad-argument] stream='first' is no stream\n{HELP_STREAM}",
    ),
    (
        "compiled(SPMV)(A=A, x=it.cuda.to_device(x, device=1))",
        """UserError: error: [bad-argument] x is on GPU 1, and A on GPU 0
help: copy one of them to the GPU of the other""",
    ),
]
STICKY = "help: the card does nothing more for this process: start it anew"
# What was launched, on which streams and which were waited for, and what is said about an error.
RUNNING = [
    (
        "",
        """UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered""",
    ),
    (
        "running.launched(1, 'y[i] = x[i]'); running.launched(1, 'y[i] = x[i]')",
        """UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, while 'y[i] = x[i]' was running""",
    ),
    (
        "[running.launched(s, f'k{s}') for s in (5, 6, 7)]; card.synchronize(6)",
        """UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, while one of these was running: 'k5', 'k7'""",
    ),
    (
        "[running.launched(1, f'k{s}') for s in range(7)]",
        """UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, while one of these was running: 'k3', 'k4', 'k5', 'k6' or 3 more""",
    ),
]


@pytest.mark.parametrize("fail, settings, use, text", DRIVERS)
def test_driver(fail, settings, use, text):
    assert run_with_stub(f"show(raised(lambda: {use}))", fail=fail, **settings).shown == [text]


def test_array_of_another_library():
    ran = run_with_stub(
        f"""
        class Other:
            def __init__(self, **changes):
                self.__cuda_array_interface__ = x.__cuda_array_interface__ | changes

        x = it.cuda.to_device(np.ones(2))
        for said in {[said for said, _ in INTERFACES]}:
            show(raised(lambda: it.cuda.as_device_array(eval("Other(" + said + ")"))))
        """
    )
    assert ran.shown == [text for _, text in INTERFACES]


def test_array_that_is_not_where_it_has_to_be():
    ran = run_with_stub(
        f"""
        class NeedsGradient:
            @property
            def __cuda_array_interface__(self):
                raise RuntimeError("requires grad")

        for use in {[use for use, _ in ARRAYS]}:
            show(raised(lambda: eval(use)))
        """
    )
    assert ran.shown == [text for _, text in ARRAYS]


def test_calls_of_kernels():
    ran = run_on_card(
        f"""
        import scipy.sparse
        Y = it.cuda.to_device(np.zeros(2))
        for use in {[use for use, _ in CALLS]!r}:
            show(raised(lambda: eval(use)))
        """,
        devices=2,
    )
    assert ran.shown == [text for _, text in CALLS]


def test_kernel_that_fails():
    """The first call that waits says so, and so does every later one."""
    ran = run_on_card(
        """
        kernel = compiled(SPMV)
        show(raised(lambda: kernel(A=A, x=X).to_numpy()), raised(lambda: kernel(A=A, x=X)))
        """,
        fail="cuMemcpyDtoHAsync_v2#1=700",
    )
    text = f"UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, while '{STATEMENT}' was running\n{STICKY}"
    assert ran.shown == [text] * 2


def test_card_that_is_too_old():
    ran = run_on_card("show(raised(lambda: compiled(SPMV)(A=A, x=X)))", CUDA_STUB_SM="60")
    (said,) = ran.shown
    assert said.startswith("UserError: error: [cuda-arch] processor sm_60 is too old: the oldest one is sm_75\nhelp: ")


def test_kernel_in_a_forked_process():
    ran = run_on_card(
        """
        import os
        kernel = compiled(SPMV)
        kernel(A=A, x=X)
        if (child := os.fork()) == 0:
            show(raised(lambda: kernel(A=A, x=X)), raised(lambda: compiled(SPMV)))
            os._exit(0)
        os.waitpid(child, 0)
        """
    )
    assert len(ran.shown) == 2 and ran.shown[0] == ran.shown[1]
    assert ran.shown[0].startswith(
        "UserError: error: [cuda-after-fork] the GPU was used before this process was forked"
    )


@pytest.mark.parametrize(
    "code, settings, text",
    [
        ("", {"devices": 0}, "NVIDIA's driver finds no card on this machine"),
        (
            "sys.modules['cuda'] = None",
            {},
            "NVIDIA's Python bindings, by which kernels for a GPU are run, are not installed",
        ),
    ],
)
def test_compiling_where_no_card_can_be_used(code, settings, text):
    """What is missing is said at once; PTX is made all the same."""
    ran = run_with_stub(
        f"""
        {code}
        show(raised(lambda: it.compile("y[i] = x[i]", target="cuda")))
        show(".target sm_80" in it.compile("y[i] = x[i]").ptx("sm_80"))
        """,
        **settings,
    )
    assert ran.shown[0].startswith(f"UserError: error: [no-cuda] {text}\nhelp: ")
    assert ran.shown[1] is True


@pytest.mark.parametrize("launches, text", RUNNING)
def test_error_that_the_card_reports_later(launches, text):
    ran = run_with_stub(
        f"""
        card, running = cuda_device.device(), cuda_errors.RUNNING
        {launches}
        # It is that of any later call as well.
        show(raised(card.synchronize), raised(lambda: card.allocate(1)))
        """,
        fail="cuCtxSynchronize=700",
    )
    assert ran.shown == [f"{text}\n{STICKY}"] * 2


def test_what_has_been_waited_for_is_not_named():
    ran = run_with_stub(
        """
        card, running = cuda_device.device(), cuda_errors.RUNNING
        running.launched(1, "k")
        card.synchronize()
        show(raised(card.synchronize))
        """,
        fail="cuCtxSynchronize#2=700",
    )
    assert ran.shown == [f"{RUNNING[0][1]}\n{STICKY}"]


def test_forked_process():
    ran = run_with_stub(
        """
        import os
        cuda_device.device()
        if (child := os.fork()) == 0:
            show(raised(cuda_device.device))
            os._exit(0)
        os.waitpid(child, 0)
        """
    )
    text = """UserError: error: [cuda-after-fork] the GPU was used before this process was forked, and the driver does not work in a child after that
help: start processes with multiprocessing.get_context("spawn"), or use the GPU in the children only"""
    assert ran.shown == [text]


@pytest.fixture
def unused(monkeypatch):
    """As in a process that has not used a card."""
    monkeypatch.setattr(cuda_driver, "_state", _State())
    monkeypatch.setattr(cuda_device, "_devices", {})


@pytest.mark.usefixtures("unused")
def test_bindings_that_are_not_there(monkeypatch):
    for name in [name for name in sys.modules if name == "cuda" or name.startswith("cuda.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    check_error(
        cuda_device.device,
        "no-cuda",
        f"""error: [no-cuda] NVIDIA's Python bindings, by which kernels for a GPU are run, are not installed
help: install them: pip install 'cuda-bindings>=12.9,<14'; {NOT_FOR_CPU}""",
    )


@pytest.mark.usefixtures("unused")
@pytest.mark.skipif(not has_bindings(), reason="needs cuda-bindings")
def test_driver_that_is_not_there(monkeypatch):
    def start(flags):
        raise RuntimeError('"cuda" is an NVIDIA driver library.')

    monkeypatch.setattr(cuda_driver._bindings(), "cuInit", start)
    check_error(
        cuda_device.device,
        "no-cuda",
        f"""error: [no-cuda] there is no driver for NVIDIA's cards on this machine ("cuda" is an NVIDIA driver library)
help: install the driver that your system, or NVIDIA, has for the card; {NOT_FOR_CPU}""",
    )


class Missing:
    """Finds no bindings, as if they were not installed."""

    def find_spec(self, name, path=None, target=None):
        if name == "cuda":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
