"""Arrays in the memory of a card, with a driver that has none: see test/support/cuda_stub.py."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cuda_stub import ROOT, run_with_stub

BEGIN = """
class Other:
    '''An array of another library, by what it says of itself.'''
    def __init__(self, array, **changes):
        memory = array.memory
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (memory.address, False), "version": 3, **changes
        }

"""


def run(code: str, **settings):
    return run_with_stub(BEGIN + code, **settings)


def test_the_names_load_no_bindings():
    code = "import sys, irtensor as it; it.cuda, it.DeviceArray; print(*[n for n in sys.modules if n[:5] == 'cuda.'])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_the_module_is_found_by_both_ways():
    ran = run("import irtensor.cuda\nshow(irtensor.cuda is it.cuda, it.cuda.__name__)")
    assert ran.shown == [True, "irtensor.cuda"]


def test_which_cards_there_are():
    ran = run("show([list(card) for card in it.cuda.devices()])", devices=2, memory=1000)
    assert ran.shown == [[[n, f"Stub {n}", [9, 0], 132, 1000] for n in (0, 1)]]
    assert not ran.named("cuDevicePrimaryCtxRetain")


def test_waiting_for_the_cards_that_were_used():
    ran = run(
        """
        it.cuda.synchronize()
        show(1)
        x = it.cuda.to_device(np.ones(3), device=1)
        it.cuda.synchronize()
        it.cuda.synchronize(0)
        """.replace("\n        ", "\n"),
        devices=2,
    )
    contexts = [call.split()[1] for call in ran.named("cuCtxSetCurrent") if call.split()[1] != "(nil)"]
    assert len(ran.named("cuCtxSynchronize")) == 2 and contexts[-3:-1] == ["0x1001", "0x1000"]


@pytest.mark.parametrize(
    "array",
    [
        "np.arange(6.0).reshape(2, 3)",
        "np.arange(6).reshape(2, 3).T",
        "np.float32(3)",
        "[[True, False]]",
        "np.ones((0, 3))",
    ],
)
def test_elements_come_back_as_they_were(array: str):
    ran = run(
        f"""
given = {array}
x = it.cuda.to_device(given)
back = x.to_numpy()
given = np.asarray(given)
show(back.dtype == given.dtype, back.shape == given.shape, bool((back == given).all()), repr(x))
show(x.shape == given.shape, x.ndim == given.ndim, x.size == given.size, x.nbytes == given.nbytes, x.device)
show(x.dtype == given.dtype)
del x
"""
    )
    right, same_shape, equal, text, *others = ran.shown
    assert right and same_shape and equal and text.startswith("DeviceArray(shape=(")
    assert others == [True, True, True, True, 0, True]
    assert ran.kept() == set()


def test_a_device_array_says_what_it_is():
    ran = run("show(repr(it.cuda.to_device(np.zeros((2, 1), 'int8'), device=1)))", devices=2)
    assert ran.shown == ["DeviceArray(shape=(2, 1), dtype=int8, device=1)"]


@pytest.mark.parametrize(
    "stream, handle",
    [
        ("None", "0x1"),
        ("0", "0x1"),
        ("2", "0x2"),
        ("0x5000", "0x5000"),
        ("types.SimpleNamespace(ptr=0x60)", "0x60"),
        ("types.SimpleNamespace(cuda_stream=0)", "0x1"),
        ("types.SimpleNamespace(__cuda_stream__=lambda: (0, 0x70))", "0x70"),
        ("types.SimpleNamespace(__cuda_stream__=(0, 0x70), ptr=3)", "0x70"),
    ],
)
def test_work_is_on_the_stream_that_is_given(stream: str, handle: str):
    ran = run(f"import types\nx = it.cuda.to_device(np.ones(2), stream={stream})\ny = x.to_numpy()\ndel x")
    calls = ran.named(
        "cuMemAllocAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuStreamSynchronize", "cuMemFreeAsync"
    )
    assert len(calls) == 6 and {call.split()[-1] for call in calls} == {handle}


def test_what_a_device_array_says_to_other_libraries():
    ran = run(
        """
x = it.cuda.to_device(np.ones((2, 3), "float32"), stream=0x50)
said = x.__cuda_array_interface__
show(said.pop("data") == (x.memory.address, False), said)
show(it.cuda.to_device(np.ones((2, 0))).__cuda_array_interface__["data"])
show(x.__dlpack_device__())
"""
    )
    said = {"shape": [2, 3], "typestr": "<f4", "strides": None, "version": 3, "stream": 0x50}
    assert ran.shown == [True, said, [0, False], [2, 0]]


def test_memory_that_others_use_goes_back_after_them():
    """What they have begun on the default stream comes before; streams of their own are waited for."""
    ran = run(
        """
x = it.cuda.to_device(np.ones(2), stream=0x50)
x.__cuda_array_interface__
cuda_driver.call("cuDeviceGetCount")
del x
"""
    )
    last = ran.calls[len(ran.calls) - ran.calls[::-1].index("cuDeviceGetCount") :]
    assert [call.split()[0] for call in last if "Ctx" not in call] == [
        "cuEventCreate",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuEventDestroy",
        "cuMemFreeAsync",
    ]
    assert [call.split()[2] for call in ran.named("cuMemFreeAsync")] == ["0x50"]
    ran = run("x = it.cuda.to_device(np.ones(2)); x.__dlpack__(stream=0x60); del x")
    names = [call.split()[0] for call in ran.named("cuCtxSynchronize", "cuMemFreeAsync")]
    assert names == ["cuCtxSynchronize", "cuMemFreeAsync"]


@pytest.mark.parametrize(
    "stream, waits", [("None", "0x1"), ("2", "0x2"), ("0x60", "0x60"), ("-1", None), ("0x50", None)]
)
def test_whoever_takes_an_array_waits_for_its_stream(stream: str, waits: str | None):
    ran = run(
        f"""
x = it.cuda.to_device(np.ones(2), stream=0x50)
taken = x.__dlpack__(stream={stream}, max_version=(1, 0))
show(type(taken).__name__)
import os
os._exit(0)
"""
    )
    assert ran.shown == ["PyCapsule"]
    assert [call.split()[2] for call in ran.named("cuEventRecord")] == ([] if waits is None else ["0x50"])
    assert [call.split()[1] for call in ran.named("cuStreamWaitEvent")] == ([] if waits is None else [waits])


def test_a_capsule_keeps_the_memory():
    ran = run(
        """
x = it.cuda.to_device(np.ones(2))
taken = x.__dlpack__()
del x
cuda_driver.call("cuDeviceGetCount")
del taken
"""
    )
    names = [call.split()[0] for call in ran.named("cuDeviceGetCount", "cuMemFreeAsync")]
    assert names[-2:] == ["cuDeviceGetCount", "cuMemFreeAsync"]


def test_what_dlpack_is_refused():
    ran = run(
        """
x = it.cuda.to_device(np.ones(2))
show(raised(lambda: x.__dlpack__(copy=True)), raised(lambda: x.__dlpack__(dl_device=(1, 0))))
show(raised(lambda: x.__dlpack__(stream=0)), raised(lambda: x.__dlpack__(dl_device=(2, 0), copy=False)))
y = it.cuda.as_device_array(Other(x, data=(x.memory.address, True)))
show(raised(y.__dlpack__), raised(lambda: y.__dlpack__(max_version=(1, 0))), y.__cuda_array_interface__["data"][1])
show(raised(lambda: np.from_dlpack(x)).split(":")[0] in ("RuntimeError", "BufferError"))
"""
    )
    own = "BufferError: a DeviceArray passes on its own memory: use to_numpy() for a copy"
    zero = "ValueError: DLPack does not allow stream 0: 1 is the default stream"
    read_only = "BufferError: the array is read-only, which DLPack says since version 1.0"
    assert ran.shown == [own, own, zero, "nothing", read_only, "nothing", True, True]


def test_arrays_of_others_are_taken_without_a_copy():
    ran = run(
        """
x = it.cuda.to_device(np.arange(6.0).reshape(2, 3))
other = Other(x, strides=(24, 8), stream=0x70)
y = it.cuda.as_device_array(other, stream=0x50)
show(y.memory.address == x.memory.address, y.shape, str(y.dtype), y.device, y.to_numpy().tolist())
show(y.memory.owner is other, it.cuda.as_device_array(y) is y)
z = it.cuda.as_device_array(Other(x, strides=None, stream=None))
del y, z, other
"""
    )
    assert ran.shown == [True, [2, 3], "float64", 0, [[0, 1, 2], [3, 4, 5]], True, True]
    # One stream waits for the other, where it is said which has the elements.
    assert [call.split()[2] for call in ran.named("cuEventRecord")] == ["0x70"]
    assert [call.split()[1] for call in ran.named("cuStreamWaitEvent")] == ["0x50"]
    # What belongs to others is not given back for them.
    assert len(ran.named("cuMemFreeAsync")) == 1


@pytest.mark.parametrize(
    "shape, strides", [((2, 1, 3), (24, 999, 8)), ((1, 3), (7, 8)), ((0, 3), (8, 999)), ((), ()), ((2, 3), (24, 8))]
)
def test_strides_that_do_not_matter(shape, strides):
    ran = run(
        f"""
x = it.cuda.to_device(np.arange(6.0))
show(it.cuda.as_device_array(Other(x, shape={shape}, strides={strides})).shape)
"""
    )
    assert ran.shown == [list(shape)]


def test_pytorch_says_its_stream_by_its_module():
    ran = run(
        """
import types
class Tensor(Other):
    device = "cuda:0"
streams = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=0x90))
sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor, cuda=streams)
x = it.cuda.to_device(np.arange(6.0))
y = it.cuda.as_device_array(Tensor(x))
"""
    )
    assert [call.split()[2] for call in ran.named("cuEventRecord")] == ["0x90"]


@pytest.mark.parametrize("name", ["cuMemAllocAsync", "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"])
def test_memory_goes_back_where_the_copy_fails(name: str):
    ran = run("show(raised(lambda: it.cuda.to_device(np.ones(3)))[:13])", fail=f"{name}=1")
    assert ran.shown == ["InternalError"] and ran.kept() == set()


def test_an_array_that_is_alive_at_the_end_of_the_process():
    assert run("x = it.cuda.to_device(np.ones(3)); show(1)").shown == [1]


def test_copies_have_memory_of_their_own():
    ran = run(
        """
import copy
x = it.cuda.to_device(np.arange(4.0), stream=0x50)
for make in (it.DeviceArray.copy, copy.copy, copy.deepcopy):
    y = make(x)
    show(y.to_numpy().tolist() == [0, 1, 2, 3], y.memory.address != x.memory.address)
show(it.cuda.to_device(np.ones((0, 2))).copy().shape)
del x, y
"""
    )
    assert ran.shown == [True] * 6 + [[0, 2]]
    assert ran.named("cuMemcpyDtoDAsync") == ["cuMemcpyDtoDAsync 32 0x50"] * 3
    assert ran.kept() == set()


def test_a_child_of_a_process_that_has_arrays():
    ran = run(
        """
import os
x = it.cuda.to_device(np.ones(3))
if (child := os.fork()) == 0:
    show(raised(x.to_numpy).partition("]")[0], raised(lambda: x.__cuda_array_interface__).partition("]")[0])
    del x
    os._exit(0)
show(os.waitpid(child, 0)[1])
"""
    )
    assert ran.shown == ["UserError: error: [cuda-after-fork"] * 2 + [0]
    # By the parent, if at all: it ends.
    assert len(ran.named("cuMemFreeAsync")) <= 1
