"""Errors about NVIDIA's cards and their driver, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import sys

import pytest
from check_error import check_error
from cuda_stub import has_bindings, run_with_stub

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
        "UserError: error: [no-cuda] GPU 2 does not exist: there are 0 to 1",
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
        """UserError: error: [cuda-conversion] the array begins at an address that is not a multiple of the 8 bytes of a number
help: pass a copy of it""",
    ),
    (
        "typestr='<m8[s]'",
        """UserError: error: [unsupported-dtype] the array has dtype timedelta64[s]
help: convert it with .astype; supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128""",
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
help: copy the sparse one: irtensor.as_tensor(A).to_device()""",
    ),
    (
        "it.cuda.to_device(np.ones(2), stream='first')",
        f"UserError: error: [bad-argument] stream='first' is not a stream\n{HELP_STREAM}",
    ),
    (
        "it.cuda.to_device(np.ones(2), stream=-1)",
        f"UserError: error: [bad-argument] stream=-1 is not a stream\n{HELP_STREAM}",
    ),
    ("it.cuda.to_device(np.ones(2), device=1)", "UserError: error: [no-cuda] GPU 1 does not exist: the only one is 0"),
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
        f"""error: [no-cuda] this machine has no driver for NVIDIA's cards ("cuda" is an NVIDIA driver library)
help: install the driver that your system, or NVIDIA, has for the card; {NOT_FOR_CPU}""",
    )


class Missing:
    """Finds no bindings, as if they were not installed."""

    def find_spec(self, name, path=None, target=None):
        if name == "cuda":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
