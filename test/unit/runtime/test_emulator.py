"""Kernels whose threads need each other, run by the emulator: barriers, memory of a block, and waiting in vain."""

import threading

import numpy as np
import pytest
from emulated_kernels import (
    EXCHANGE,
    SUMS,
    THREADS,
    access,
    exchange_is_right,
    in_all_orders,
    kernel,
    run,
    sums_are_right,
)
from llvm_modules import parse_llvm

from irtensor.errors import InternalError, UserError
from irtensor.runtime.emulator import BLOCKS, EmulatedKernels

in_each_order = pytest.mark.usefixtures("order")


def without(text, operation, number):
    """The module less one of its operations of a name."""
    lines = text.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if operation in line]
    del lines[places[number]]
    return "".join(lines)


@in_each_order
def test_a_block_adds_up_in_shared_memory():
    assert sums_are_right(SUMS)


@pytest.mark.parametrize("number", range(SUMS.count("nvvm.barrier0")))
def test_each_barrier_is_needed(number, monkeypatch):
    text = without(SUMS, "nvvm.barrier0", number)
    assert not all(in_all_orders(lambda: sums_are_right(text), monkeypatch))


@in_each_order
def test_a_warp_exchanges_in_memory():
    assert exchange_is_right(EXCHANGE)


@pytest.mark.parametrize("number", range(3))
def test_each_barrier_of_a_warp_is_needed(number, monkeypatch):
    text = without(EXCHANGE, "nvvm.bar.warp.sync", number)
    assert not all(in_all_orders(lambda: exchange_is_right(text), monkeypatch))


# Threads write which one of all they are, in the order in which they come.
ORDER = kernel(
    "%count: !llvm.ptr, %to: !llvm.ptr",
    access("""
  %place = llvm.atomicrmw add %count, %one monotonic : !llvm.ptr, i32
  store i32 %thread, %to[%place]
  WAIT
  %place2 = llvm.atomicrmw add %count, %one monotonic : !llvm.ptr, i32
  store i32 %thread, %to[%place2]
"""),
    threads=5,
)


# A function that waits, and one that calls it.
WAITING = """
llvm.func internal @wait() {
  nvvm.barrier0
  llvm.return
}
llvm.func internal @call() {
  llvm.call @wait() : () -> ()
  llvm.return
}
"""


def came(wait):
    """The threads of the grid as they come the first and the second time, with something in between."""
    count, found = np.zeros(1, np.int32), np.full(2 * BLOCKS * 5, -1, np.int32)
    run(ORDER.replace("WAIT", wait) + WAITING, count, found)
    return found


def test_orders_of_threads_that_do_not_wait(order):
    found = came("").reshape(-1, 2)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    check_order(found[:, 0].tolist(), list(range(BLOCKS * 5)), order)


@pytest.mark.parametrize("wait", ["nvvm.barrier0", "llvm.call @call() : () -> ()"])
def test_orders_of_threads_that_wait(wait, order):
    found = came(wait).reshape(BLOCKS, 2, 5)
    check_order((found[:, 0, 0] // 5).tolist(), list(range(BLOCKS)), order)
    for block, both in enumerate(found[found[:, 0, 0].argsort()].tolist()):
        for each in both:
            check_order(each, list(range(5 * block, 5 * block + 5)), order)
    # Shuffled threads come in another order behind a barrier.
    assert (found[:, 0] == found[:, 1]).all() == (order != "shuffled")


def check_order(found, expected, order):
    assert sorted(found) == expected
    if order != "shuffled":
        assert found == (expected if order == "forward" else expected[::-1])


@in_each_order
@pytest.mark.parametrize("type", ["f64", "f32", "i64", "i32"])
def test_memory_of_a_block_has_no_value_at_the_start(type):
    text = kernel(
        "%to: !llvm.ptr",
        access(f"""
  %v = load {type} %near[%t]
  store {type} %v, %to[%thread]
  %n = llvm.mlir.constant(1 : i64) : i64
  store i64 %n, %near[%zero]
"""),
        shared=type,
    )
    found = np.zeros(BLOCKS * THREADS, {"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4"}[type])
    run(text, found)
    firsts = found.reshape(BLOCKS, THREADS)[:, -1]
    assert np.isnan(firsts).all() if type[0] == "f" else (firsts > 2**30).all()


# In vain, and what the error says.
BRANCH = """
  %few = llvm.mlir.constant(40 : i32) : i32
  %low = llvm.icmp "slt" %t, %few : i32
  llvm.cond_br %low, ^one, ^two
^one:
  {one}
  llvm.br ^end
^two:
  {two}
  llvm.br ^end
^end:
"""
VAIN = {
    "two barriers": (
        BRANCH.format(one="nvvm.barrier0", two="nvvm.barrier0"),
        "threads 0 to 39: at nvvm.barrier0, which is number 1 of those that wait\n"
        "threads 40 to 63: at nvvm.barrier0, which is number 2 of those that wait",
    ),
    "two votes": (
        BRANCH.format(one="%x = nvvm.vote.sync any %full, %low -> i1", two="%y = nvvm.vote.sync any %full, %low -> i1"),
        "threads 0 to 31: ended\n"
        "threads 32 to 39: at nvvm.vote.sync any for lanes 0xffffffff, which is number 1 of those that wait\n"
        "threads 40 to 63: at nvvm.vote.sync any for lanes 0xffffffff, which is number 2 of those that wait",
    ),
    "lanes have ended": (
        BRANCH.format(one="%x = nvvm.vote.sync ballot %full, %low -> i32", two=""),
        "threads 0 to 31: ended\n"
        "threads 32 to 39: at nvvm.vote.sync ballot for lanes 0xffffffff, which is number 1 of those that wait\n"
        "threads 40 to 63: ended",
    ),
    "other lanes wait for other lanes": (
        """
  %mask = llvm.select %odd, %full, %last : i1, i32
  nvvm.bar.warp.sync %mask : i32
""",
        "thread 0: at nvvm.bar.warp.sync for lanes 0x0000001f, which is number 1 of those that wait\n"
        "thread 1: at nvvm.bar.warp.sync for lanes 0xffffffff, which is number 1 of those that wait\n",
    ),
    "a lane that is not in its mask": (
        "nvvm.bar.warp.sync %one : i32\n",
        "thread 0: ended\n"
        "threads 1 to 31: at nvvm.bar.warp.sync for lanes 0x00000001, which is number 1 of those that wait\n"
        "thread 32: ended\n",
    ),
    "no lanes": (
        "nvvm.bar.warp.sync %zero : i32\n",
        "threads 0 to 63: at nvvm.bar.warp.sync for lanes 0x00000000, which is number 1 of those that wait",
    ),
}


@pytest.mark.parametrize("case", VAIN)
def test_threads_that_wait_in_vain(case, order):
    body, states = VAIN[case]
    head = """
  %bit = llvm.and %t, %one : i32
  %odd = llvm.icmp "ne" %bit, %zero : i32
"""
    with pytest.raises(InternalError) as raised:
        run(kernel("", head + body))
    head, _, found = raised.value.message.partition("\n")
    if order != "shuffled":
        block = 0 if order == "forward" else BLOCKS - 1
        assert head == f"kernel 'k', block {block}: threads wait for others that do not come"
    assert found.startswith(states)
    # What was left standing is in nobody's way.
    assert sums_are_right(SUMS)


def test_a_warp_that_is_not_full():
    """Lanes that a block does not have do not come."""
    with pytest.raises(InternalError, match=r"threads 0 to 7: at nvvm\.bar\.warp\.sync"):
        run(kernel("", "  nvvm.bar.warp.sync %full : i32\n", threads=8))


@in_each_order
def test_threads_that_have_ended_are_not_waited_for():
    found = np.zeros(BLOCKS * THREADS, np.int32)
    body = BRANCH.format(one="nvvm.barrier0\n  llvm.br ^three\n^three:\n  STORE", two="").replace(
        "STORE", access("store i32 %one, %to[%thread]")
    )
    run(kernel("%to: !llvm.ptr", body), found)
    np.testing.assert_array_equal(found.reshape(BLOCKS, THREADS), np.broadcast_to(np.arange(THREADS) < 40, (3, 64)))


def test_threads_have_room_for_what_they_keep():
    """More than the stack of a thread has else."""
    text = kernel(
        "%to: !llvm.ptr",
        access("""
  %many = llvm.mlir.constant(65536 : i32) : i32
  %own = llvm.alloca %many x i64 : (i32) -> !llvm.ptr
  %end = llvm.mlir.constant(65535 : i32) : i32
  store i32 %thread, %own[%zero]
  store i32 %t, %own[%end]
  nvvm.barrier0
  %v = load i32 %own[%zero]
  store i32 %v, %to[%thread]
"""),
    )
    found = np.zeros(BLOCKS * THREADS, np.int32)
    run(text, found)
    np.testing.assert_array_equal(found, np.arange(BLOCKS * THREADS))


@pytest.mark.parametrize("count", [0, 1025])
def test_blocks_have_up_to_1024_threads(count):
    text = f"llvm.func @k() attributes {{nvvm.kernel, nvvm.maxntid = array<i32: {count}>}} {{\n  llvm.return\n}}"
    with pytest.raises(UserError, match=f"a block of 'k' has {count} threads") as raised:
        EmulatedKernels(parse_llvm(text))
    assert raised.value.slug == "wrong-stage"


def test_memory_whose_size_a_launch_says():
    text = "llvm.mlir.global external @near() {addr_space = 3 : i32} : !llvm.array<0 x f64>\n"
    with pytest.raises(UserError, match="the size of 'near' is said by a launch") as raised:
        EmulatedKernels(parse_llvm(text))
    assert raised.value.slug == "wrong-stage"


def test_several_threads_launch():
    """One after the other, as they share what registers are to kernels."""
    found = []
    threads = [threading.Thread(target=lambda: found.append(sums_are_right(SUMS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
