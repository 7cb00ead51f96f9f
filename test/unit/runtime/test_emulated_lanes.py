"""What lanes of a warp do together in the emulator: shuffles, votes, reductions and matches, by masks of lanes."""

import itertools

import numpy as np
import pytest
from emulated_kernels import THREADS, access, kernel, run

from irtensor.runtime.emulator import BLOCKS

pytestmark = pytest.mark.usefixtures("order")
POISON = 0x7FF87FF8
FULL = 0xFFFFFFFF


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


def test_teams_of_a_warp_are_in_different_iterations():
    values = np.random.default_rng(2).integers(0, 9, (BLOCKS, 8, 8)).astype(np.float32)
    found = np.zeros_like(values)
    run(TEAMS, values, found)
    expected = values.sum(2, keepdims=True) * 8.0 ** np.arange(8).reshape(8, 1)
    np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))


def lanes_of(operation, values, masks, others=None, number=0, result="i32"):
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
    others = 0 if others is None else others
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


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions(kind):
    values = np.random.default_rng(6).integers(-(2**31), 2**31, (WARPS, 32), np.int32)
    for masks in MASKS:
        found = lanes_of(f"%r = nvvm.redux.sync {kind} %v, %mask : i32 -> i32", values, masks)
        reduce = REDUCTIONS[kind]
        expected = by_lane(values, masks, lambda said, lane, of=reduce: int(of(np.array([*said.values()], np.int32))))
        np.testing.assert_array_equal(found, expected)


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
