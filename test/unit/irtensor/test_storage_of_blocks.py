"""Levels of blocks as arrays: what is refused, with the whole text, and what comes back from every other level."""

# ruff: noqa: E501 (messages are whole lines)

from functools import partial
from itertools import product

import numpy as np
import pytest
from check_error import check_error
from round_trip_arrays import arrays

import irtensor as it


def blocks(positions, ends, offsets, values=(1.0, 2.0, 3.0, 4.0), shape=(2, 6)):
    given = {"positions": positions, "ends": ends, "offsets": offsets}
    return it.Tensor.from_buffers(shape, it.VBL, [None, given], list(values))


BLOCK = "error: [bad-storage] 'tensor' level 1 (j : block_list): "
END = "help: an end is one more than the last coordinate"
LENGTH = "help: offsets say how many elements each block has"
ORDER = "help: blocks of one parent are in order and do not overlap"
CALLS = [
    ("an end behind the extent", ([0, 1, 2], [7, 2], [0, 2, 4]), f"{BLOCK}ends[0] is 7, outside 1..6\n{END}"),
    ("an end at 0", ([0, 1, 2], [0, 2], [0, 2, 4]), f"{BLOCK}ends[0] is 0, outside 1..6\n{END}"),
    (
        "a block that would begin before 0",
        ([0, 1, 2], [1, 2], [0, 2, 4]),
        f"{BLOCK}ends[0] is 1, but the block has 2 elements, and would begin at -1\n{LENGTH}",
    ),
    (
        "blocks that overlap",
        ([0, 2, 2], [3, 4], [0, 2, 4]),
        f"{BLOCK}the block at 1 has 2 elements and ends with 4, so that it begins at 2, before the one at 0 ends: 3\n{ORDER}",
    ),
    (
        "ends that decrease",
        ([0, 2, 2], [5, 2], [0, 2, 4]),
        f"{BLOCK}the block at 1 has 2 elements and ends with 2, so that it begins at 0, before the one at 0 ends: 5\n{ORDER}",
    ),
    (
        "a block without elements",
        ([0, 1, 2], [2, 4], [0, 4, 4]),
        f"{BLOCK}offsets[1] and [2] are 4, so that block 1 has no element\nhelp: omit blocks without elements",
    ),
    (
        "offsets that decrease",
        ([0, 1, 2], [2, 4], [0, 5, 4]),
        f"{BLOCK}offsets decrease from 5 to 4 at entries 1, 2\nhelp: the entries of each block begin where those of the one before end",
    ),
    (
        "offsets that do not begin at 0",
        ([0, 1, 2], [2, 4], [1, 2, 4]),
        f"{BLOCK}offsets[0] is 1, expected 0\nhelp: build the tensor with Tensor.from_coo, which sorts and checks",
    ),
    (
        "as many offsets as blocks",
        ([0, 1, 2], [2, 4], [0, 2]),
        f"{BLOCK}offsets has 2 entries, expected 3\nhelp: one more than the 2 blocks",
    ),
    (
        "positions that decrease",
        ([0, 3, 2], [2, 4], [0, 2, 4]),
        f"{BLOCK}positions decrease from 3 to 2 at entries 1, 2\nhelp: build the tensor with Tensor.from_coo, which sorts and checks",
    ),
    (
        "positions of more blocks",
        ([0, 1, 3], [2, 4], [0, 2, 4]),
        f"{BLOCK}positions ends with 3, but there are 2 ends\nhelp: the last position is the number of ends",
    ),
    (
        "fewer values",
        ([0, 1, 2], [2, 4], [0, 2, 5]),
        "error: [bad-storage] 'tensor' 4 values for 5 positions\nhelp: values has one entry each",
    ),
]


@pytest.mark.parametrize(("given", "text"), [call[1:] for call in CALLS], ids=[call[0] for call in CALLS])
def test_bad_arrays(given, text):
    check_error(partial(blocks, *given), "bad-storage", text)


def test_blocks_of_an_empty_dimension():
    text = f"{BLOCK}ends[0] is 2, but the level has extent 0\n{END}"
    check_error(partial(blocks, [0, 1, 2], [2, 4], [0, 2, 4], shape=(2, 0)), "bad-storage", text)


def test_what_is_missing():
    given = {"positions": [0, 1, 2], "ends": [2, 4]}
    text = f"{BLOCK}offsets are missing\nhelp: build the tensor with Tensor.from_coo, which sorts and checks"
    check_error(lambda: it.Tensor.from_buffers((2, 6), it.VBL, [None, given], [1.0] * 4), "bad-storage", text)


def test_ends_need_room_for_the_extent():
    np.testing.assert_array_equal(it.Tensor.from_numpy(np.ones(127), "block_list, crd = i8").to_numpy(), np.ones(127))
    text = (
        "error: [index-overflow] level 0 (i : block_list) has extent 128, beyond 8-bit coordinates\nhelp: use crd = i16"
    )
    check_error(partial(it.Tensor.from_numpy, np.ones(128), "block_list, crd = i8"), "index-overflow", text)


def test_positions_of_many_elements():
    long = it.Tensor.from_numpy(np.ones((2, 100)), it.VBL)
    with pytest.raises(it.UserError, match="index-overflow"):
        long.to_format(it.VBL.with_widths(8, 8))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("dense, block_list(nonunique)", "level format 'block_list(nonunique)' is impossible"),
        ("dense, block_list(nonordered)", "level format 'block_list(nonordered)' is impossible"),
        ("(i, j) -> (j - i : block_list, i : range, j : offset)", "level 0 (j - i : block_list) would join diagonals"),
        ("block_list, singleton", "level 1 (j : singleton) is below 'block_list'"),
    ],
)
def test_where_blocks_cannot_be(text, problem):
    with pytest.raises(it.UserError) as caught:
        it.Format(text)
    assert caught.value.slug == "bad-format" and caught.value.message.startswith(problem)


OTHERS = ("dense", "compressed", "bitmap", "padded", "hashed", "run_list", "sparse_run_list", "band", "ragged")


@pytest.mark.parametrize("shape", [(4, 6), (0, 3), (3, 0), (1, 1)], ids=str)
def test_round_trips(shape):
    outers = ("dense", "compressed", "block_list")
    for array, outer, other, fill in product(arrays(*shape), outers, (*OTHERS, "block_list"), ("0", "2", "nan")):
        stored = it.Tensor.from_numpy(array, f"{outer}, block_list, fill = {fill}")
        between = stored.to_format(f"dense, {other}, fill = {fill}")
        for one in (stored, between, between.to_format(stored.format)):
            one.check()
            np.testing.assert_array_equal(one.to_numpy(), array)


def test_only_what_is_an_entry_is_stored():
    stored = it.Tensor.from_coo([[1, 2, 4, 5, 6]], [1.0, 0.0, 2.0, -0.0, np.nan], shape=(8,), format="compressed")
    found = stored.to_format("block_list")
    (positions, ends, offsets), values = found.levels[0].arrays(), found.values
    assert (positions.tolist(), ends.tolist(), offsets.tolist()) == ([0, 2], [3, 7], [0, 2, 5])
    np.testing.assert_array_equal(values, [1, 0, 2, 0, np.nan])
    assert np.signbit(values).tolist() == [False, False, False, True, False]
    back = found.to_format("compressed")
    assert back.levels[0].array("coordinates").tolist() == [1, 2, 4, 5, 6] and back.nnz == 5


def test_pieces():
    stored = it.Tensor.from_numpy(np.array([[0, 1, 2, 3, 0, 4], [5, 6, 0, 0, 0, 0]]), "VBL")
    assert (stored.nnz, stored.pieces) == (6, 3)
    assert repr(stored) == (
        "Tensor(shape=(2, 6), dtype=int64, nnz=6, pieces=3, format='(i, j) -> (i : dense, j : block_list)')"
    )
    assert it.Tensor.from_numpy(np.eye(3), "block_list, dense").pieces == 9


def test_blocks_may_touch():
    """As those of BSR side by side do."""
    touching = blocks([0, 2, 2], [2, 4], [0, 2, 4])
    np.testing.assert_array_equal(touching.to_numpy(), [[1, 2, 3, 4, 0, 0], [0] * 6])
    joined = touching.to_format("csr").to_format(it.VBL)
    assert joined.levels[1].array("ends").tolist() == [4]
    x = np.arange(6.0)
    np.testing.assert_array_equal(it.einsum("ij,j->i", touching, x), touching.to_numpy() @ x)
