"""A level format from a package outside of irtensor: all that a tensor and a kernel do with it, by one registration."""

import pickle
from typing import Any

import numpy as np
import pytest
from forget_registered import forget_registered
from outside_levels import load_level

import irtensor as it
from irtensor.core.level_properties import COORDINATES, POSITIONS, LevelArray, LevelProperties
from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp
from irtensor.levels.compressed.code import CompressedLevel
from irtensor.levels.compressed.store import CompressedStore
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.passes.level_formats.interface import LevelCode
from irtensor.storage.level_storage import LevelStorage

SHAPE = (5, 6)


@pytest.fixture(autouse=True)
def levels():
    """The packages register their levels when they are imported."""
    forget_registered()
    load_level("gapped")
    load_level("runs")
    yield
    forget_registered()


def wrong(*parts: Any, **named: Any) -> LevelProperties:
    """Properties with parts of any type."""
    return LevelProperties(*parts, **named)


ARRAY: list[Any] = ["positions", "pos", "zzz", "segments"]


class GapsOnly(LevelCode):
    """Reads as if nothing were stored."""

    def unfurl(self, emit, fiber):
        return emit.insert(RunOp.of(fiber.gap(emit))).result

    def locate(self, emit, fiber, coordinate):
        return self.unfurl(emit, fiber)


def with_room():
    """A matrix whose lists have room before, between and behind them, with what is no coordinate in there."""
    lists = {"begins": [1, 4, 4, 7, 7], "ends": [3, 4, 6, 7, 8], "coordinates": [99, 0, 5, -7, 2, 3, 99, 1, 50]}
    values = [8.0, 1.0, 2.0, 8.0, 4.0, 5.0, 8.0, 7.0, 8.0]
    dense = np.zeros(SHAPE)
    dense[[0, 0, 2, 2, 4], [0, 5, 2, 3, 1]] = [1, 2, 4, 5, 7]
    return it.Tensor.from_buffers(SHAPE, "dense, gapped", [None, lists], values), dense


def test_arrays_by_name():
    tensor, dense = with_room()
    np.testing.assert_array_equal(tensor.to_numpy(), dense)
    assert tensor.nnz == 5 and list(tensor.levels[1].named()) == ["begins", "ends", "coordinates"]
    np.testing.assert_array_equal(it.compile("y[i] = A[i,j]")(A=tensor), dense.sum(1))
    np.testing.assert_array_equal(tensor.copy().T.to_numpy(), dense.T)
    np.testing.assert_array_equal(tensor.to_format("csr").levels[1].coordinates, [0, 5, 2, 3, 1])
    twice = tensor + tensor
    np.testing.assert_array_equal(twice.to_numpy(), 2 * dense)
    assert twice.nnz == 5


@pytest.mark.parametrize(
    "change, message",
    [
        ({"ends": None}, "level 1 (j : gapped): ends are missing"),
        ({"positions": [0]}, "level 1 (j : gapped): has positions, which this level does not store"),
        ({"begins": [1, 4, 4, 7]}, "4 begins and 5 ends for 5 parents"),
        ({"ends": [5, 4, 6, 7, 8]}, "lists overlap"),
        ({"ends": [3, 4, 6, 7, -(2**63)]}, "lists overlap"),
        ({"ends": [3, 4, 6, 7, 80]}, "lists overlap, or end behind the 9 coordinates"),
        ({"begins": [0, 4, 4, 7, 7]}, "coordinates[0] is 99, outside 0..5"),
        ({"coordinates": [99, 5, 0, -7, 2, 3, 99, 1, 50]}, "not increasing"),
    ],
)
def test_damaged_arrays_are_refused(change, message):
    tensor, _ = with_room()
    lists = {**tensor.levels[1].named(), **change}
    with pytest.raises(it.UserError) as caught:
        it.Tensor.from_buffers(SHAPE, "dense, gapped", [None, lists], tensor.values)
    assert caught.value.slug == "bad-storage" and message in caught.value.message


def test_positions_of_several_coordinates():
    A = np.array([[1.0, 1, 1, 5, 5, 0, 0, 2], [0] * 8, [3] * 8])
    tensor = it.Tensor.from_numpy(A, "dense, runs")
    positions, ends = tensor.levels[1].arrays()
    assert positions.tolist() == [0, 4, 5, 6] and ends.tolist() == [3, 5, 7, 8, 8, 8]
    assert tensor.values.tolist() == [1, 5, 0, 2, 0, 3] and tensor.nnz == 6
    for given in (tensor, tensor.to_format("runs, runs"), tensor.copy(), tensor.T.T):
        np.testing.assert_array_equal(given.to_numpy(), A)
        np.testing.assert_array_equal(given.to_scipy().toarray(), A)
        assert given.to_format("csr").nnz == np.count_nonzero(A)
    kernel = it.compile("C[i,j] = 2 * A[i,j] + 1", {"C": "dense, runs"})
    assert kernel(A=tensor).values.tolist() == [3, 11, 1, 5, 1, 7]
    assert "converted to (i, j) -> (i : dense, j : runs)" in kernel.explain()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"coordinates": [3, 5, 7, 8, 8, 7]}, "do not end with 8"),
        ({"coordinates": [3, 5, 5, 8, 8, 8]}, "runs of a parent are empty"),
        ({"positions": [0, 4, 6, 6]}, "runs of a parent are empty"),
        ({"positions": [0, 4, 5]}, "positions do not delimit the 6 runs of 3 parents"),
    ],
)
def test_damaged_runs_are_refused(change, message):
    tensor = it.Tensor.from_numpy([[1.0, 1, 1, 5, 5, 0, 0, 2], [0] * 8, [3] * 8], "dense, runs")
    with pytest.raises(it.UserError) as caught:
        it.Tensor.from_buffers((3, 8), tensor.format, [None, {**tensor.levels[1].named(), **change}], tensor.values)
    assert caught.value.slug == "bad-storage" and message in caught.value.message


@pytest.mark.parametrize(
    "packed, message",
    [
        (None, "level 1 (j : made) was packed into a NoneType"),
        (LevelStorage(np.array([0, 1, 2])), "level 1 (j : made): coordinates are missing"),
        (
            LevelStorage(np.array([0.0, 1, 2]), np.array([0, 1])),
            "level 1 (j : made): positions has dtype float64, expected int64",
        ),
        (LevelStorage(np.array([0, 1, 9]), np.array([0, 1])), "level 1 (j : made): positions ends with 9"),
    ],
)
def test_what_a_store_packs_is_checked(packed, message):
    class Store(CompressedStore):
        def pack(self, entries, number):
            super().pack(entries, number)
            return packed

    it.register_level("made", LevelProperties((POSITIONS, COORDINATES), pieces="entries"), CompressedLevel(), Store())
    with pytest.raises(it.UserError) as caught:
        it.Tensor.from_numpy(np.eye(2), "dense, made")
    assert caught.value.slug == "bad-storage" and message in caught.value.message


def test_arrays_are_not_resized():
    """Kernels keep their addresses."""
    level = it.Tensor.from_numpy(np.eye(3), "dense, gapped").levels[1]
    # Nothing else here refers to the arrays.
    for name in [*level.named()]:
        with pytest.raises(ValueError, match="cannot resize"):
            level.array(name).resize(1)


def test_arrays_in_another_order_than_the_formats():
    properties = LevelProperties((COORDINATES, POSITIONS), pieces="entries")
    it.register_level("turned", properties, CompressedLevel(), CompressedStore())
    tensor = it.Tensor.from_numpy(np.eye(3), "dense, turned")
    assert list(tensor.levels[1].named()) == ["coordinates", "positions"]
    given = it.Tensor.from_buffers((3, 3), "dense, turned", it.Tensor.from_numpy(np.eye(3), "csr").levels, np.ones(3))
    for each in (tensor, given):
        np.testing.assert_array_equal(it.compile("y[i] = A[i,j] * x[j]")(A=each, x=np.arange(3.0)), np.arange(3.0))


def test_kernels_are_not_kept_on_the_disk(tmp_path):
    """The code of a level from outside may be another one in the next process."""
    tensor, _ = with_room()
    ours, known = (it.compile("y[i] = A[i,j] * 3", cache_dir=tmp_path / name) for name in ("ours", "known"))
    ours(A=tensor)
    known(A=tensor.to_format("csr"))
    count = [len({*(tmp_path / name).rglob("*.object")}) for name in ("ours", "known")]
    assert count[0] < count[1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("gapped", LevelProperties()), "there is a format 'gapped' already"),
        (("dense", LevelProperties()), "there is a format 'dense' already"),
        (("My List", LevelProperties()), "'My List' is not a name of a level format"),
        ((3, LevelProperties()), "3 is not a name of a level format"),
        (("csr", LevelProperties()), "there is a format 'csr' already"),
        (("fill", LevelProperties()), "'fill' is not a name of a level format"),
        (
            ("lists", LevelProperties(written_as="nowhere")),
            "written_as of level format 'lists' is 'nowhere', which is not a level format",
        ),
        (
            ("lists", LevelProperties((POSITIONS, COORDINATES)), GapsOnly()),
            "the code of level format 'lists' writes no results, and properties name no level that loops write",
        ),
        (
            ("lists", LevelProperties((POSITIONS, COORDINATES), pieces="entries", written_as="compressed"), GapsOnly()),
            "level format 'lists' has positions that each hold an entry, and its code finds none by number",
        ),
        (("lists", "compressed"), "the properties of level format 'lists' are of type str, not LevelProperties"),
        (
            ("lists", LevelProperties(), CompressedLevel),
            "the code of level format 'lists' is of type ABCMeta, not LevelCode",
        ),
        (
            ("lists", wrong((POSITIONS,), "full")),
            "pattern of level format 'lists' is of type str, not Pattern",
        ),
        (
            ("lists", wrong((POSITIONS,), access=True)),
            "access of level format 'lists' is of type bool, not Access",
        ),
        (("lists", wrong((POSITIONS,), pieces="zzz")), "level format 'lists' has pieces='zzz'"),
        (
            ("lists", wrong(("positions",))),
            "arrays of level format 'lists' are ('positions',), not a tuple of LevelArray",
        ),
        (
            ("lists", wrong((LevelArray(*ARRAY),))),
            "level format 'lists' has array 'positions': holds='zzz'",
        ),
        (
            ("lists", LevelProperties(in_workspace="zz")),
            "in_workspace of level format 'lists' is 'zz', which is not a level format",
        ),
        (("lists", LevelProperties(), None, 1), "the store of level format 'lists' is of type int, not LevelStore"),
    ],
)
def test_what_is_no_level_is_refused(arguments, message):
    with pytest.raises(it.UserError) as caught:
        it.register_level(*arguments)
    assert (caught.value.slug, caught.value.message) == ("bad-level", message)
    assert "lists" not in LEVEL_PROPERTIES and caught.value.help


def test_a_level_without_storage_or_code_is_refused_by_name():
    it.register_level("bare", LevelProperties((POSITIONS, COORDINATES)), CompressedLevel())
    with pytest.raises(it.UserError, match="level 1 of 'tensor' is 'bare'") as caught:
        it.Tensor.from_numpy(np.eye(2), "dense, bare")
    assert caught.value.slug == "level-has-no-storage"
    it.register_level("mute", LevelProperties((POSITIONS, COORDINATES)), None, LEVEL_STORES["compressed"])
    tensor = it.Tensor.from_numpy(np.eye(2), "dense, mute")
    np.testing.assert_array_equal(tensor.to_numpy(), np.eye(2))
    with pytest.raises(it.UserError) as caught:
        it.compile("y[i] = A[i,j] * x[j]")(A=tensor, x=np.ones(2))
    assert caught.value.slug == "level-has-no-code"


def test_a_tensor_whose_level_nobody_has_registered_is_refused():
    sent = pickle.dumps(it.Tensor.from_numpy(np.eye(2), "dense, gapped"))
    forget_registered()
    with pytest.raises(it.UserError) as caught:
        pickle.loads(sent).nnz
    assert caught.value.slug == "bad-format" and "'gapped'" in caught.value.message and caught.value.help


@pytest.mark.parametrize("result", ["dense, gapped", "gapped, gapped", "(i, j) -> (j : dense, i : gapped)"])
def test_parents_that_loops_never_reach(result):
    """Loops along the rows with entries close the lists of these alone."""
    A = np.zeros((6, 5))
    A[1, [0, 3]], A[4, 2] = [1.0, 2.0], 3.0
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": result}, convert=True)
    made = kernel(A=it.Tensor.from_numpy(A, "compressed, compressed"))
    np.testing.assert_array_equal(made.to_numpy(), 2 * A)
    made.check()
    assert made.nnz == 3
