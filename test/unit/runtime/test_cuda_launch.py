"""What host code does with a card: calls that a driver without a card receives, see test/support/cuda_stub.py."""

from __future__ import annotations

import pytest
from cuda_stub import Ran, run_with_stub

# Host code that launches two kernels, makes memory, and reads some; its slots are in `slots`.
BEGIN = r'''
from irtensor.runtime import cuda_launch
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.launch_code import KernelShape

PTX = """
.visible .entry kernel_0(.param .u64 a) { ret; }
.visible .entry kernel_1(.param .u64 a, .param .u8 b, .param .f32 c) { ret; }
.visible .entry kernel_2(.param .u64 a) { ret; }
"""
HOST = """
declare i32 @irtensor.launch(ptr, i64, i64, ptr)
declare i32 @irtensor.read(ptr, ptr, i64, ptr)
declare i32 @irtensor.memset(ptr, ptr, i32, i64, i64)
declare i32 @irtensor.reserve(ptr, i64, i64)
declare i32 @irtensor.grow(ptr, i64, i64)
declare i32 @irtensor.make_zeroed(ptr, i64, i64)
declare void @free(ptr)

define i32 @launches(i64 %number, i64 %iterations, ptr %words, ptr %context) {
  %status = call i32 @irtensor.launch(ptr %context, i64 %number, i64 %iterations, ptr %words)
  ret i32 %status
}
define i32 @reads(ptr %address, i64 %bytes, ptr %target, ptr %context) {
  %status = call i32 @irtensor.read(ptr %context, ptr %address, i64 %bytes, ptr %target)
  ret i32 %status
}
define i32 @fills(ptr %address, i64 %pattern, i64 %bytes, i64 %count, ptr %context) {
  %short = trunc i64 %pattern to i32
  %status = call i32 @irtensor.memset(ptr %context, ptr %address, i32 %short, i64 %bytes, i64 %count)
  ret i32 %status
}
define i32 @reserves(ptr %slot, i64 %needed, i64 %size, ptr %context) {
  %status = call i32 @irtensor.reserve(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
}
define i32 @grows(ptr %slot, i64 %needed, i64 %size, ptr %context) {
  %status = call i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
}
define i32 @zeroes(ptr %slot, i64 %needed, i64 %size, ptr %context) {
  %status = call i32 @irtensor.make_zeroed(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
}
define i32 @frees(ptr %data, ptr %context) {
  call void @free(ptr %data)
  ret i32 0
}
define i32 @refuses(ptr %context) {
  ret i32 2
}
"""
TYPES = {"launches": "nnp", "reads": "pnp", "fills": "pnnn", "reserves": "pnn", "grows": "pnn", "zeroes": "pnn"}
TYPES["frees"] = "p"
card = cuda_device.device()
shapes = {"kernel_0": KernelShape(1), "kernel_1": KernelShape(3), "kernel_2": KernelShape(1, 256)}
kernels = cuda_launch.LoadedKernels(card, PTX, shapes, "y[i] = x[i]")
native = compile_llvm_text(HOST, "refuses", imports=cuda_launch.host_imports(), exports=tuple(TYPES))
known = {"n": ctypes.c_int64, "p": ctypes.c_void_p}

def run(name, *arguments, stream=0x50):
    types = [known[letter] for letter in TYPES.get(name, "")] + [ctypes.c_void_p]
    address = native.address if name == "refuses" else native.address_of(name)
    return kernels.run(ctypes.CFUNCTYPE(ctypes.c_int32, *types)(address), list(arguments), stream)

def words(*values):
    return (ctypes.c_int64 * len(values))(*values)

slot = words(0, 0, 0)
at = ctypes.addressof(slot)
'''


def run(code: str, **settings: str) -> Ran:
    return run_with_stub(BEGIN + code, **settings)  # pyrefly: ignore[bad-argument-type]


def test_kernels_are_launched_with_the_words_of_their_arguments():
    ran = run(
        """
given = words(-1, 1, 0x3FC00000)
show(run("launches", 0, 1, given), run("launches", 1, 129, given), run("launches", 1, 128, given, stream=1))
"""
    )
    assert ran.shown == [0, 0, 0]
    assert ran.named("cuLaunchKernel") == [
        f"cuLaunchKernel {kernel} grid {blocks} 1 1 block 128 1 1 shared 0 stream {stream} arguments {given}"
        for kernel, blocks, stream, given in (
            ("kernel_0", 1, "0x50", f"{2**64 - 1:x}"),
            ("kernel_1", 2, "0x50", f"{2**64 - 1:x} 1 3fc00000"),
            ("kernel_1", 1, "0x1", f"{2**64 - 1:x} 1 3fc00000"),
        )
    ]


@pytest.mark.parametrize(
    "iterations, blocks",
    [(0, None), (-5, None), (1, 1), (2**31 * 128 - 257, 2**31 - 2), (2**31 * 128, 2**31 - 1), (2**63 - 1, 2**31 - 1)],
)
def test_blocks_of_a_grid(iterations: int, blocks: int | None):
    launches = run(f"show(run('launches', 0, {iterations}, words(1)))").named("cuLaunchKernel")
    assert [int(call.split()[3]) for call in launches] == ([] if blocks is None else [blocks])


def test_a_kernel_may_say_how_many_threads_its_blocks_have():
    (launch,) = run("show(run('launches', 2, 1000, words(1)))").named("cuLaunchKernel")
    assert launch.startswith("cuLaunchKernel kernel_2 grid 1000 1 1 block 256 1 1")


def test_elements_are_read_and_waited_for():
    ran = run(
        """
address = card.allocate(16)
card.copy_to_device(address, np.array([3.5, 4.5]).ctypes.data, 16)
got = np.zeros(1)
show(run("reads", address + 8, 8, got.ctypes.data), got[0])
card.release(address)
"""
    )
    assert ran.shown == [0, 4.5]
    calls = ran.named("cuMemcpyDtoHAsync", "cuStreamSynchronize")
    assert calls[-2:] == ["cuMemcpyDtoHAsync 8 0x50", "cuStreamSynchronize 0x50"]


def test_memory_is_filled_with_patterns():
    ran = run(
        """
address = card.allocate(16)
got = np.zeros(16, np.uint8)
for pattern, bytes, count in ((0, 4, 4), (0x81, 1, 5), (0xABCD, 2, 2), (0x89ABCDEF, 4, 2), (7, 1, 0), (7, 4, -3)):
    show(run("fills", address, pattern, bytes, count))
    card.copy_to_host(got.ctypes.data, address, 16)
    show(got.tobytes().hex())
card.release(address)
"""
    )
    zeros = "00" * 16
    contents: list[str] = [zeros]
    for written in ("81" * 5, "cdab" * 2, "efcdab89" * 2, "", ""):
        contents.append(written + contents[-1][len(written) :])
    assert ran.shown == [shown for content in contents for shown in (0, content)]
    calls = ran.named("cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async")
    assert calls == [
        "cuMemsetD32Async 0 4 0x50",
        f"cuMemsetD8Async {0x81} 5 0x50",
        f"cuMemsetD16Async {0xABCD} 2 0x50",
        f"cuMemsetD32Async {0x89ABCDEF} 2 0x50",
    ]


def test_growing_keeps_elements_and_gives_old_memory_back():
    ran = run(
        """
show(run("reserves", at, 3, 8), slot[1])
ctypes.memset(slot[0], 7, 64 * 8)
show(run("reserves", at, 64, 8), run("reserves", at, 65, 8), slot[1], ctypes.string_at(slot[0], 512) == b"\\7" * 512)
show(run("grows", at, 1000, 8), slot[1], run("frees", slot[0]), run("frees", None))
"""
    )
    assert ran.shown == [0, 64, 0, 0, 128, True, 0, 1000, 0, 0]
    names = ("cuMemAllocAsync", "cuMemcpyDtoDAsync")
    assert ran.named(*names) == [
        "cuMemAllocAsync 512 0x50",
        "cuMemAllocAsync 1024 0x50",
        "cuMemcpyDtoDAsync 512 0x50",
        "cuMemAllocAsync 8000 0x50",
        "cuMemcpyDtoDAsync 1024 0x50",
    ]
    assert {call.split()[2] for call in ran.named("cuMemFreeAsync")} == {"0x50"}
    assert len(ran.named("cuMemFreeAsync")) == 3 and ran.kept() == set()


def test_memory_of_zeros_takes_the_place_of_what_there_was():
    ran = run(
        """
show(run("reserves", at, 3, 8), run("zeroes", at, 100, 4), slot[1], ctypes.string_at(slot[0], 400) == bytes(400))
show(run("zeroes", at, 0, 4), slot[1], slot[0] != 0, run("frees", slot[0]))
"""
    )
    assert ran.shown == [0, 0, 100, True, 0, 0, True, 0]
    assert ran.named("cuMemsetD8Async") == ["cuMemsetD8Async 0 400 0x50", "cuMemsetD8Async 0 16 0x50"]
    assert ran.kept() == set()


def test_another_context_of_the_driver_is_current_again_after_a_call():
    ran = run(
        """
for before in (None, 0x777, card.context):
    cuda_driver.call("cuCtxSetCurrent", before or 0)
    show(run("launches", 0, 1, words(1)), run("refuses"), int(cuda_driver.call("cuCtxGetCurrent")))
"""
    )
    assert ran.shown == [0, 2, 0, 0, 2, 0x777, 0, 2, 0x1000]


def test_what_host_code_reads_of_the_context_is_where_the_pool_of_threads_has_it():
    ran = run(
        """
from irtensor.runtime.thread_pool_code import Context
made = kernels.context()
seen = Context.from_buffer(made)
show((seen.most_parts, seen.threads) == (512 * 132, 8 * 132), seen.grain, made.stream, made.last_kernel)
"""
    )
    assert ran.shown == [True, 1, 1, 0]


def test_threads_have_calls_of_their_own():
    ran = run(
        """
from concurrent.futures import ThreadPoolExecutor

def work(number):
    own = words(0, 0, 0)
    statuses = [run("grows", ctypes.addressof(own), 100, 8, stream=0x100 * number) for _ in range(6)]
    return sum(statuses) + run("frees", own[0], stream=0x100 * number)

with ThreadPoolExecutor(4) as pool:
    show(list(pool.map(work, range(1, 5))))
"""
    )
    assert ran.shown == [[0, 0, 0, 0]]
    # Each block went back on the stream that it was made on.
    streams: dict[str, list[str]] = {}
    for call in ran.named("cuMemAllocAsync", "cuMemFreeAsync"):
        streams.setdefault(call.split()[2], []).append(call.split()[0])
    assert {stream: len(calls) for stream, calls in streams.items()} == {f"0x{n}00": 12 for n in range(1, 5)}
    assert ran.kept() == set()


# Names of functions of the driver with the version, the host code that calls them, and what is asked of it.
CALLS = {
    "cuCtxGetCurrent": "run('refuses')",
    "cuCtxSetCurrent": "run('refuses')",
    "cuLaunchKernel": "run('launches', 0, 1, words(1))",
    "cuMemcpyDtoHAsync_v2": "run('reads', slot[0], 8, got.ctypes.data)",
    "cuStreamSynchronize": "run('reads', slot[0], 8, got.ctypes.data)",
    "cuMemAllocAsync": "run('grows', at, 1, 8)",
    "cuMemcpyDtoDAsync_v2": "run('grows', at, 1, 8)",
    "cuMemsetD8Async": "run('zeroes', at, 1, 8)",
    "cuMemsetD16Async": "run('fills', slot[0], 0, 2, 1)",
    "cuMemsetD32Async": "run('fills', slot[0], 0, 4, 1)",
    "cuMemFreeAsync": "run('frees', slot[0])",
}


def test_a_failure_of_each_call_is_an_error_and_loses_no_memory():
    ran = run(
        f"""
import os
run("reserves", at, 3, 8)
begin, got = list(slot), np.zeros(1)
for name, use in {list(CALLS.items())}:
    os.environ["CUDA_STUB_FAIL"] = name + "=1"
    show(raised(lambda: eval(use)))
    os.environ["CUDA_STUB_FAIL"] = ""
show(list(slot) == begin, run("frees", slot[0]))
"""
    )
    *errors, unchanged, freed = ran.shown
    for name, said in zip(CALLS, errors, strict=True):
        text = f"{name} of the CUDA driver returned CUDA_ERROR_INVALID_VALUE: invalid argument"
        assert said.split("\n")[0] == f"InternalError: internal error: {text}, in a call of 'y[i] = x[i]'"
    assert unchanged and freed == 0
    # The one that could not be given back was given back at last.
    assert len(ran.named("gives")) == len({call.split()[1] for call in ran.named("cuMemFreeAsync")})


@pytest.mark.parametrize(
    "use, wanted",
    [
        ("run('grows', at, 1000, 8)", 8000),
        ("run('zeroes', at, 500, 4)", 2000),
        ("run('grows', at, 2**62, 8)", 2**64 - 1),
    ],
)
def test_too_little_memory_is_an_error_with_sizes(use: str, wanted: int):
    ran = run(f"show(raised(lambda: {use}), list(slot))", memory=1000)  # pyrefly: ignore[bad-argument-type]
    text = f"GPU 0 (Stub 0) has no memory for {wanted:,} bytes: 250 of its 1,000 bytes are free"
    assert ran.shown == [f"MemoryError: {text}", [0, 0, 0]]


def test_statuses_of_host_code_are_for_the_caller():
    assert run("show(run('refuses'))").shown == [2]


FAULT = (
    "UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered{}\n"
    "help: the card does nothing more for this process: start it anew"
)


def test_an_error_of_a_kernel_is_reported_where_it_is_waited_for():
    ran = run(
        """
show(run("launches", 0, 1, words(1)))
show(raised(lambda: run("reads", at, 8, at)), raised(lambda: run("launches", 0, 1, words(1))))
""",
        fail="cuStreamSynchronize=700",
    )
    assert ran.shown == [0, *[FAULT.format(", while 'y[i] = x[i]' was running")] * 2]


def test_kernels_that_were_waited_for_are_not_named():
    ran = run(
        """
address = card.allocate(8)
run("launches", 0, 1, words(1))
run("reads", address, 8, at)
show(raised(card.synchronize))
""",
        fail="cuCtxSynchronize=700",
    )
    assert ran.shown == [FAULT.format("")]


def test_a_child_of_a_process_that_used_the_card_launches_nothing():
    ran = run(
        """
import os
if (child := os.fork()) == 0:
    show(raised(lambda: run("launches", 0, 1, words(1))).partition("]")[0])
    os._exit(0)
show(os.waitpid(child, 0)[1])
"""
    )
    assert ran.shown == ["UserError: error: [cuda-after-fork", 0]
    assert not ran.named("cuLaunchKernel")
