"""What is known of the windows that loops run over: numbers of iterations, and sizes of blocks."""

import re

import pytest
from xdsl.dialects.arith import AddiOp, MinSIOp
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block

import irtensor as it
from irtensor.dialects.concrete_index.blocks import block_of
from irtensor.passes.analysis.windows import Known, fixed_size, known_distance, known_number
from irtensor.passes.support.emit import Emitter

VECTOR = "y[i] = A[i,j] * x[j]"


@pytest.mark.parametrize(
    ("steps", "format", "iterations"),
    [
        ("split(i, i0, i1, 8); unroll(i1)", None, 8),
        ("divide(i, i0, i1, 5); unroll(i0)", None, 5),
        ("bound(i, 16); unroll(i)", None, 16),
        # Blocks of what is bounded, and parts of blocks, in both orders.
        ("bound(i, 30); split(i, i0, i1, 8); unroll(i0)", None, 4),
        ("bound(i, 30); divide(i, i0, i1, 4); unroll(i1)", None, 8),
        ("bound(i, 30); split(i, i0, i1, 8); reorder(i1, i0); unroll(i0)", None, 4),
        ("split(i, i0, i1, 8); split(i1, i2, i3, 3); unroll(i2)", None, 3),
        ("split(i, i0, i1, 8); split(i1, i2, i3, 3); unroll(i3)", None, 3),
        ("split(i, i0, i1, 8); reorder(i1, i0); split(i1, i2, i3, 3); unroll(i2)", None, 3),
        ("split(i, i0, i1, 8); divide(i1, i2, i3, 3); unroll(i3)", None, 3),
        # Entries, and combinations of coordinates.
        ("split(j, j0, j1, 8, tensor=A); unroll(j1)", it.CSR, 8),
        ("fuse(i, j, f); split(f, b, e, 8); unroll(e)", None, 8),
        ("fuse(i, j, f); split(f, b, e, 8); unroll(j)", None, 8),
        ("fuse(i, j, f); split(f, b, e, 8, tensor=A); unroll(e)", it.CSR, 8),
        ("fuse(i, j, f); split(f, b, e, 8); split(e, c, d, 3); unroll(c)", None, 3),
        ("fuse(i, j, f); split(f, b, e, 8); split(e, c, d, 3); unroll(d)", None, 3),
        ("fuse(i, j, f); split(f, b, e, 8); reorder(e, b); unroll(e)", None, 8),
        ("bound(i, 10); bound(j, 4); fuse(i, j, f); split(f, b, e, 8); unroll(b)", None, 5),
        ("bound(i, 10); bound(j, 4); fuse(i, j, f); split(f, b, e, 8); unroll(e)", None, 8),
    ],
)
def test_loops_that_are_written_out(steps, format, iterations):
    kernel = it.compile(VECTOR, formats={} if format is None else {"A": format}, schedule=it.schedule(steps))
    assert re.findall(r"unroll = (\d+)", kernel.ir(f"step {steps.count(';') + 1}")) == [str(iterations)]


@pytest.mark.parametrize(
    ("steps", "loop"),
    [
        ("unroll(i)", "i"),
        ("split(i, i0, i1, 8); unroll(i0)", "i0"),
        ("split(i, i0, i1, 65); unroll(i1)", "i1"),
        ("bound(i, 8, multiple); unroll(i)", "i"),
        ("fuse(i, j, f); split(f, b, e, 8); unroll(i)", "i"),
        ("fuse(i, j, f); unroll(f)", "f"),
    ],
)
def test_loops_of_any_length_are_refused(steps, loop):
    with pytest.raises(it.UserError, match=f"unroll: loop {loop} cannot be written out as a whole"):
        it.compile(VECTOR, schedule=it.schedule(steps)).ir("loop")


def test_blocks_begin_and_end_early_at_limits():
    block = Block(arg_types=[IndexType()] * 3)
    emit, (n, m, start) = Emitter(block), block.args
    size = emit.index(8)
    end = emit.add(start, size)
    inner = emit.add(start, emit.index(2))
    limit = emit.min(n, end)
    assert block_of(start, end) == block_of(start, limit) == block_of(emit.min(n, start), limit) == (start, size)
    # It is in a block of 8 as well, but has 2.
    assert block_of(start, emit.min(limit, inner)) == (start, inner.owner.operands[1])  # pyrefly: ignore[missing-attribute]
    assert block_of(emit.min(limit, start), emit.min(limit, inner)) == (start, inner.owner.operands[1])  # pyrefly: ignore[missing-attribute]
    # Behind the other limit there may be more.
    assert block_of(emit.min(m, start), limit) is None and block_of(m, limit) is None
    assert known_distance(start, end) == Known(8, 8) and known_distance(start, limit) == Known(0, 8)
    assert known_distance(emit.min(n, start), limit) == Known(0, 8)
    assert fixed_size(start, limit) is size and fixed_size(m, limit) is None


def test_numbers_of_numbers():
    block = Block(arg_types=[IndexType()])
    emit, (n,) = Emitter(block), block.args
    small = emit.min(n, emit.index(10))
    assert known_number(small).most == 10 and known_number(small).exact is None
    assert known_number(emit.max(small, emit.index(3))) == Known(3, 10)
    assert known_number(emit.sub(emit.index(20), emit.max(small, emit.index(3)))) == Known(10, 17)
    assert known_number(emit.divide(emit.max(small, emit.index(3)), emit.index(2))) == Known(1, 5)
    assert known_number(emit.mul(emit.max(small, emit.index(3)), emit.index(2))) == Known(6, 20)
    # It may be negative.
    assert known_number(emit.mul(small, emit.index(2))) == Known()
    less = emit.compare("slt", emit.max(small, emit.index(3)), emit.index(11))
    assert known_number(emit.select(less, small, n)) == known_number(small)
    assert known_number(emit.select(emit.compare("slt", n, small), small, emit.index(12))).most == 12


def test_least_values_of_least_values_are_looked_at_once():
    block = Block(arg_types=[IndexType()] * 2)
    n, start = block.args
    end, size = n, Emitter(block).index(4)
    # So many paths lead to the first that a search along all of them would not end.
    for _ in range(200):
        block.add_ops([step := AddiOp(start, size), one := MinSIOp(end, step), other := MinSIOp(one, end)])
        end = other.result
    assert fixed_size(start, end) is size
    assert known_distance(start, end).most == 4
