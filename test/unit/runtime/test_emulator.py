"""Kernels whose threads need each other, run by the emulator: barriers, shuffles, votes, and memory of a block."""

import ctypes
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from llvm_modules import parse_llvm

import irtensor as it
from irtensor.errors import InternalError, UserError
from irtensor.runtime import emulated_threads, emulator, fiber_code
from irtensor.runtime.emulator import BLOCKS, EmulatedKernels
from irtensor.runtime.thread_pool import raise_interruption

ROOT = Path(it.__file__).parents[1]
THREADS = 64
POISON = 0x7FF87FF8
FULL = 0xFFFFFFFF
BEGIN = """
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
  %size = nvvm.read.ptx.sreg.ntid.x : i32
  %before = llvm.mul %block, %size : i32
  %thread = llvm.add %before, %t : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %last = llvm.mlir.constant(31 : i32) : i32
  %full = llvm.mlir.constant(-1 : i32) : i32
"""


def kernel(arguments, body, threads=THREADS, shared=None):
    """A kernel `k` of blocks of so many threads; `shared` is the element of an array of the block, `%near`."""
    text = f"llvm.func @k({arguments}) attributes {{nvvm.kernel, nvvm.maxntid = array<i32: {threads}>}} {{{BEGIN}"
    if shared is not None:
        memory = f"llvm.mlir.global internal @near() {{addr_space = 3 : i32}} : !llvm.array<{threads} x {shared}>"
        text = f"""{memory}\n{text}
  %shared = llvm.mlir.addressof @near : !llvm.ptr<3>
  %near = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr
"""
    return f"{text}{textwrap.dedent(body)}  llvm.return\n}}\n"


def access(lines):
    """Short forms: `%v = load T %p[%i]` and `store T %v, %p[%i]`."""
    made = []
    for number, line in enumerate(lines.splitlines()):
        words = line.replace(",", " ").replace("[", " ").replace("]", " ").split()
        if "load" in words[2:3] and "[" in line:
            name, _, _, type, pointer, index = words
            made.append(f"%at{number} = llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i32) -> !llvm.ptr, {type}")
            made.append(f"{name} = llvm.load %at{number} : !llvm.ptr -> {type}")
        elif words[:1] == ["store"]:
            _, type, value, pointer, index = words
            made.append(f"%at{number} = llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i32) -> !llvm.ptr, {type}")
            made.append(f"llvm.store {value}, %at{number} : {type}, !llvm.ptr")
        else:
            made.append(line)
    return "\n".join(made) + "\n"


@cache
def compiled(text):
    return EmulatedKernels(parse_llvm(text))


def run(text, *arguments):
    """Launch the first kernel of a module for arrays and numbers."""
    kernels = compiled(text)
    words = np.array([each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments], np.int64)
    types = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    launch = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(kernels.imports["irtensor.launch"])
    if launch(None, 0, 1, words.ctypes.data):
        raise_interruption()


def orders():
    return ["forward", "backward", np.random.default_rng(0)]


@pytest.fixture(params=range(3), ids=["forward", "backward", "shuffled"])
def order(request, monkeypatch):
    """In which order threads run."""
    monkeypatch.setattr(emulator, "order", orders()[request.param])
    return request.param


in_each_order = pytest.mark.usefixtures("order")


def in_all_orders(is_right, monkeypatch):
    """Whether something is so in each order of threads."""
    found = []
    for each in orders():
        monkeypatch.setattr(emulator, "order", each)
        found.append(is_right())
    return found


# Each block takes every third row: it adds up the row in shared memory, and all its threads write the sum.
SUMS = kernel(
    "%from: !llvm.ptr, %to: !llvm.ptr, %rows: i32, %half: i32",
    access("""
  llvm.br ^row(%block : i32)
^row(%r: i32):
  %go = llvm.icmp "slt" %r, %rows : i32
  llvm.cond_br %go, ^fill, ^end
^fill:
  %begin = llvm.mul %r, %size : i32
  %own = llvm.add %begin, %t : i32
  %v = load f64 %from[%own]
  store f64 %v, %near[%t]
  nvvm.barrier0
  llvm.br ^step(%half : i32)
^step(%d: i32):
  %more = llvm.icmp "sgt" %d, %zero : i32
  llvm.cond_br %more, ^look, ^write
^look:
  %low = llvm.icmp "slt" %t, %d : i32
  llvm.cond_br %low, ^add, ^wait
^add:
  %other = llvm.add %t, %d : i32
  %a = load f64 %near[%t]
  %b = load f64 %near[%other]
  %sum = llvm.fadd %a, %b : f64
  store f64 %sum, %near[%t]
  llvm.br ^wait
^wait:
  nvvm.barrier0
  %next = llvm.lshr %d, %one : i32
  llvm.br ^step(%next : i32)
^write:
  %all = load f64 %near[%zero]
  store f64 %all, %to[%own]
  nvvm.barrier0
  %following = llvm.add %r, %blocks : i32
  llvm.br ^row(%following : i32)
^end:
"""),
    shared="f64",
)


def sums_are_right(text, rows=8):
    values = np.random.default_rng(1).integers(1, 1000, (rows, THREADS)).astype(float)
    found = np.full_like(values, -1)
    run(text, values, found, rows, THREADS // 2)
    return np.array_equal(found, np.repeat(values.sum(1, keepdims=True), THREADS, 1))


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


# Teams of eight lanes: each has a mask of its own, and takes one iteration more than the team before.
TEAMS = kernel(
    "%from: !llvm.ptr, %to: !llvm.ptr",
    access("""
  %ones = llvm.mlir.constant(255 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %upper = llvm.mlir.constant(24 : i32) : i32
  %shift = llvm.and %lane, %upper : i32
  %mask = llvm.shl %ones, %shift : i32
  %team = llvm.lshr %t, %three : i32
  %v = load f32 %from[%thread]
  llvm.br ^head(%zero, %v : i32, f32)
^head(%i: i32, %x: f32):
  %x4 = nvvm.shfl.sync bfly %mask, %x, %four, %last : f32 -> f32
  %y4 = llvm.fadd %x, %x4 : f32
  %x2 = nvvm.shfl.sync bfly %mask, %y4, %two, %last : f32 -> f32
  %y2 = llvm.fadd %y4, %x2 : f32
  %x1 = nvvm.shfl.sync bfly %mask, %y2, %one, %last : f32 -> f32
  %y1 = llvm.fadd %y2, %x1 : f32
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "sle" %next, %team : i32
  llvm.cond_br %more, ^head(%next, %y1 : i32, f32), ^end
^end:
  store f32 %y1, %to[%thread]
"""),
)


@in_each_order
def test_teams_of_a_warp_are_in_different_iterations():
    values = np.random.default_rng(2).integers(0, 9, (BLOCKS, 8, 8)).astype(np.float32)
    found = np.zeros_like(values)
    run(TEAMS, values, found)
    expected = values.sum(2, keepdims=True) * 8.0 ** np.arange(8).reshape(8, 1)
    np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))


# Neighbours exchange what they have through memory.
EXCHANGE = kernel(
    "%from: !llvm.ptr, %to: !llvm.ptr",
    access("""
  %v = load i32 %from[%thread]
  store i32 %v, %near[%t]
  nvvm.bar.warp.sync %full : i32
  %mirrored = llvm.xor %t, %last : i32
  %w = load i32 %near[%mirrored]
  nvvm.bar.warp.sync %full : i32
  store i32 %w, %near[%t]
  nvvm.bar.warp.sync %full : i32
  %neighbour = llvm.xor %t, %one : i32
  %u = load i32 %near[%neighbour]
  store i32 %u, %to[%thread]
"""),
    shared="i32",
)


def exchange_is_right(text):
    values = np.arange(BLOCKS * THREADS, dtype=np.int32).reshape(-1, 32)
    found = np.zeros_like(values)
    run(text, values, found)
    return np.array_equal(found, values[:, np.arange(32) ^ 31 ^ 1])


@in_each_order
def test_a_warp_exchanges_in_memory():
    assert exchange_is_right(EXCHANGE)


@pytest.mark.parametrize("number", range(3))
def test_each_barrier_of_a_warp_is_needed(number, monkeypatch):
    text = without(EXCHANGE, "nvvm.bar.warp.sync", number)
    assert not all(in_all_orders(lambda: exchange_is_right(text), monkeypatch))


def lanes_of(operation, values, masks, others=0, number=0, result="i32"):
    """What an operation `%r` of `%v`, `%mask` and `%w`, which are arrays by thread, and `%number` gives each thread."""
    arguments = "%values: !llvm.ptr, %masks: !llvm.ptr, %others: !llvm.ptr, %number: i32, %to: !llvm.ptr"
    type = {4: "i32", 8: "i64"}[values.itemsize]
    body = f"""
  %v = load {type} %values[%thread]
  %mask = load i32 %masks[%thread]
  %w = load i32 %others[%thread]
  {operation}
  {"%out = llvm.zext %r : i1 to i32" if result == "i1" else "%out = llvm.add %r, %zero : i32"}
  store i32 %out, %to[%thread]
"""
    found = np.zeros(values.shape, np.uint32)
    masks, others = (np.ascontiguousarray(np.broadcast_to(each, values.shape), np.uint32) for each in (masks, others))
    run(kernel(arguments, access(body)), values, masks, others, number, found)
    return found


LANES = np.arange(32)
# All of a warp, teams of eight lanes, every second lane, and each lane by itself.
MASKS = [np.full(32, FULL), 0xFF << (LANES & 24), np.where(LANES % 2, 0xAAAAAAAA, 0x55555555), 1 << LANES]
WARPS = BLOCKS * THREADS // 32


def by_lane(values, masks, combine):
    """What `combine` gives for the values of the lanes of each lane's mask, by their numbers, and that of the lane."""
    found = np.zeros(values.shape, np.uint32)
    for warp, lane in np.ndindex(values.shape):
        inside = [other for other in range(32) if int(masks[lane]) >> other & 1]
        found[warp, lane] = combine({other: values[warp, other] for other in inside}, lane) & FULL
    return found


def source(kind, lane, offset, clamp):
    """The lane that a shuffle reads, as PTX has it."""
    segment, bound = clamp >> 8 & 31, clamp & 31
    last = lane & segment | bound & ~segment
    place = {
        "up": lane - offset,
        "down": lane + offset,
        "bfly": lane ^ offset,
        "idx": lane & segment | offset & ~segment,
    }[kind]
    return place if (place >= last if kind == "up" else place <= last) else lane


@in_each_order
@pytest.mark.parametrize("kind", ["bfly", "up", "down", "idx"])
def test_shuffles(kind):
    random = np.random.default_rng(3)
    values = random.integers(0, 2**32, (WARPS, 32), np.uint32)
    offsets = random.integers(0, 32, values.shape)
    operation = f"%r = nvvm.shfl.sync {kind} %mask, %v, %w, %number : i32 -> i32"
    for masks, clamp in itertools.product(MASKS, (0x1F, 0, 0x181F, 0x1800, 0x101F)):
        found = lanes_of(operation, values, masks, offsets, clamp)
        for warp, lane in np.ndindex(values.shape):
            other = source(kind, lane, int(offsets[warp, lane]), clamp)
            # Lanes outside a mask have nothing to give.
            assert found[warp, lane] == (values[warp, other] if int(masks[lane]) >> other & 1 else POISON)


@in_each_order
def test_broadcasts():
    """Each lane gets the value of the first one of its mask."""
    values = np.random.default_rng(4).integers(0, 2**32, (WARPS, 32), np.uint32)
    for masks in MASKS:
        first = np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in masks])
        found = lanes_of("%r = nvvm.shfl.sync idx %mask, %v, %w, %last : i32 -> i32", values, masks, first)
        np.testing.assert_array_equal(found, values[:, first])


VOTES = {
    "ballot": lambda said: sum(1 << lane for lane, yes in said.items() if yes),
    "any": lambda said: any(said.values()),
    "all": lambda said: all(said.values()),
    "uni": lambda said: len({*said.values()}) == 1,
}


@in_each_order
@pytest.mark.parametrize("kind", VOTES)
def test_votes(kind):
    operation = f"""%yes = llvm.icmp "ne" %v, %zero : i32
  %r = nvvm.vote.sync {kind} %mask, %yes -> {"i32" if kind == "ballot" else "i1"}"""
    for masks, density in itertools.product(MASKS, (0.0, 0.1, 0.9, 1.0)):
        values = (np.random.default_rng(5).random((WARPS, 32)) < density).astype(np.uint32)
        found = lanes_of(operation, values, masks, result="i32" if kind == "ballot" else "i1")
        expected = by_lane(values, masks, lambda said, lane: VOTES[kind]({other: bool(v) for other, v in said.items()}))
        np.testing.assert_array_equal(found, expected)


REDUCTIONS = {
    "add": lambda values: np.sum(values, dtype=np.int64),
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
    "min": np.min,
    "max": np.max,
    "umin": lambda values: np.min(values.view(np.uint32)),
    "umax": lambda values: np.max(values.view(np.uint32)),
}


@in_each_order
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions(kind):
    values = np.random.default_rng(6).integers(-(2**31), 2**31, (WARPS, 32), np.int32)
    for masks in MASKS:
        found = lanes_of(f"%r = nvvm.redux.sync {kind} %v, %mask : i32 -> i32", values, masks)
        reduce = REDUCTIONS[kind]
        expected = by_lane(values, masks, lambda said, lane, of=reduce: int(of(np.array([*said.values()], np.int32))))
        np.testing.assert_array_equal(found, expected)


@in_each_order
@pytest.mark.parametrize("type", ["i32", "i64"])
def test_matches(type):
    # Those of 64 bits differ in their upper halves.
    values = np.random.default_rng(7).integers(0, 3, (WARPS, 32)).astype(np.int64) << (40 if type == "i64" else 0)
    values[0] = values[0, 0]
    values = values.astype(np.int64 if type == "i64" else np.int32)
    all_same = f"""%both = nvvm.match.sync all %mask, %v : {type} -> !llvm.struct<(i32, i1)>
  %r = llvm.extractvalue %both[{{}}] : !llvm.struct<(i32, i1)>"""
    for masks in MASKS:
        same = by_lane(
            values, masks, lambda said, lane: sum(1 << other for other, value in said.items() if value == said[lane])
        )
        found = lanes_of(f"%r = nvvm.match.sync any %mask, %v : {type} -> i32", values, masks)
        np.testing.assert_array_equal(found, same)
        agree = same == masks.astype(np.uint32)
        found = lanes_of(all_same.format(0), values, masks)
        np.testing.assert_array_equal(found, np.where(agree, same, 0))
        found = lanes_of(all_same.format(1), values, masks, result="i1")
        np.testing.assert_array_equal(found, agree)


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


@pytest.mark.parametrize("wait", ["nvvm.barrier0", "llvm.call @call() : () -> ()", ""])
def test_orders_of_threads(wait, order):
    count, found = np.zeros(1, np.int32), np.full(2 * BLOCKS * 5, -1, np.int32)
    run(ORDER.replace("WAIT", wait) + WAITING, count, found)
    if not wait:
        assert sorted(found) == sorted([*range(BLOCKS * 5)] * 2)
        np.testing.assert_array_equal(found[::2], found[1::2])
        found = found[::2]
        expected = np.arange(BLOCKS * 5)
    else:
        expected = np.arange(BLOCKS * 5).reshape(BLOCKS, 1, 5).repeat(2, 1)
        found = found.reshape(expected.shape)
        assert (np.sort(found, 2) == np.sort(expected, 2)).all() or order
    if order == 0:
        np.testing.assert_array_equal(found, expected)
    elif order == 1:
        np.testing.assert_array_equal(found, np.flip(expected, (0, 2) if wait else 0))
    else:
        assert sorted(found.ravel()) == sorted(expected.ravel())
        assert found.tolist() != expected.tolist()
        # Threads come in another order behind the barrier.
        assert not wait or not (found[:, 0] == found[:, 1]).all()


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
    if order < 2:
        block = 0 if order == 0 else BLOCKS - 1
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


def test_the_switch_of_the_library(monkeypatch):
    """Fibers of a machine that the emulator has no instructions for."""
    assert "swapcontext" in fiber_code.fiber_code("riscv64").text
    functions = emulated_threads.EmulatorFunctions("riscv64")
    monkeypatch.setattr(emulator, "emulator_functions", lambda: functions)
    compiled.cache_clear()
    assert all(in_all_orders(lambda: sums_are_right(SUMS) and exchange_is_right(EXCHANGE), monkeypatch))
    assert compiled(SUMS)._grids[0]._functions is functions
    compiled.cache_clear()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_runs_kernels():
    """Also where another thread of its parent was running one."""
    code = """
        import os, signal, sys
        from irtensor.runtime import emulated_threads
        import test_emulator, threading
        assert test_emulator.sums_are_right(test_emulator.SUMS)
        held, done = threading.Event(), threading.Event()
        def hold():
            with emulated_threads._lock:
                held.set()
                done.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(40)
            os._exit(0 if test_emulator.sums_are_right(test_emulator.SUMS) else 3)
        print(os.waitpid(child, 0)[1])
        done.set()
    """
    assert in_process(code) == (0, "0\n")


def test_a_stack_that_overflows_ends_the_process():
    """Rather than what other threads have there is overwritten."""
    code = """
        import test_emulator as tests
        tests.run(tests.kernel("%many: i64", tests.access('''
          %most = llvm.sub %size, %one : i32
          %is_last = llvm.icmp "eq" %t, %most : i32
          llvm.cond_br %is_last, ^take, ^end
        ^take:
          %own = llvm.alloca %many x i32 : (i64) -> !llvm.ptr
          store i32 %thread, %own[%zero]
          llvm.br ^end
        ^end:
          nvvm.barrier0
        ''')), SIZE)
        print("fine")
    """
    assert in_process(code.replace("SIZE", "1000")) == (0, "fine\n")
    # The array would end in the middle of another stack.
    status, shown = in_process(code.replace("SIZE", "25000"))
    assert -status in (signal.SIGSEGV, signal.SIGBUS)
    assert shown == ""


def in_process(code):
    """The status of a program, and what it prints."""
    folders = [ROOT, ROOT / "test" / "support", Path(__file__).parent]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    program = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)]
    ran = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout


def test_several_threads_launch():
    """One after the other, as they share what registers are to kernels."""
    found = []
    threads = [threading.Thread(target=lambda: found.append(sums_are_right(SUMS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
