"""Maps from pairs of integers to slots, in native code: slots in order of insertion, lists in that of pairs or not.

What is looked up is found at its slot, and nothing else is.
"""

import numpy as np
import pytest

# A map in memory of its own, for %n pairs, and what says that it was full.
PLACED = """%least = arith.constant 1 : index
  %capacity = arith.maxsi %n, %least : index
  %per_pair = arith.constant 8 : index
  %more = arith.constant 32 : index
  %pairs = arith.muli %capacity, %per_pair : index
  %words = arith.addi %pairs, %more : index
  %scratch = loop.scratch {zeroed} : i64
  %flag = loop.scratch {zeroed} : i64
  loop.reserve %scratch, %words : i64
  loop.reserve %flag, %least : i64
  %memory = loop.data %scratch : i64
  %full = loop.data %flag : i64
  %map = loop.index_map for %capacity in %memory : BUFFER full %full : BUFFER
""".replace("BUFFER", "!loop.buffer<i64>")


def text_of(text: str, memory: str) -> str:
    return text if memory == "grows" else text.replace("%map = loop.index_map\n", PLACED)


INSERT_AND_LIST = """
func.func @kernel(%rounds: index, %n: index, %outer: !loop.buffer<i64>, %inner: !loop.buffer<i64>, %parents: index,
                  %slots: !loop.buffer<i64>, %present: !loop.buffer<i1>, %count: !loop.buffer<i64>,
                  %positions: !loop.buffer<i64>, %coordinates: !loop.buffer<i64>, %listed: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %map = loop.index_map
  loop.for %round = %zero to %rounds {
    loop.map_clear %map
    loop.for %i = %zero to %n {
      %0 = loop.load %outer[%i] : i64
      %1 = arith.index_cast %0 : i64 to index
      %2 = loop.load %inner[%i] : i64
      %3 = arith.index_cast %2 : i64 to index
      %slot, %before = loop.map_insert %1, %3 into %map
      %4 = arith.index_cast %slot : index to i64
      loop.store %4, %slots[%i] : i64
      loop.store %before, %present[%i] : i1
    }
    %5 = loop.map_count %map
    %6 = arith.index_cast %5 : index to i64
    loop.store %6, %count[%zero] : i64
    loop.map_list %map for %parents into %positions, %coordinates, %listed : BUFFER, BUFFER, BUFFER
  }
  func.return
}
""".replace("BUFFER", "!loop.buffer<i64>")


@pytest.mark.one_in(12)
@pytest.mark.parametrize("extent", [1, 7, 3000, 2**62])
@pytest.mark.parametrize(("parents", "count"), [(1, 0), (1, 1), (3, 40), (1, 60), (50, 400)])
@pytest.mark.parametrize("order", ["any", "sorted"])
@pytest.mark.parametrize("listed_in", ["order", "any order"])
@pytest.mark.parametrize("memory", ["grows", "is given"])
def test_pairs_are_listed(run, parents, count, extent, order, listed_in, memory):
    random = np.random.default_rng(count)
    outer, inner = random.integers(0, parents, count), random.integers(0, extent, count)
    inner[: count // 3] = inner[count // 3 : 2 * (count // 3)]
    if order == "sorted":
        outer, inner = np.array(sorted(zip(outer, inner, strict=True)), np.int64).reshape(-1, 2).T.copy()
    empty = [np.zeros(count + 1, type) for type in (np.int64, bool)]
    lists = [np.zeros(parents + 1, np.int64), np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)]
    arguments = [np.int64(2), np.int64(count), outer, inner, np.int64(parents), *empty, np.zeros(1, np.int64), *lists]
    ordered = listed_in == "order"
    text = INSERT_AND_LIST if ordered else INSERT_AND_LIST.replace("%listed : ", "%listed unordered : ")
    text = text_of(text, memory)
    *_, slots, present, number, positions, coordinates, listed = run(text, *arguments)
    known: dict[tuple[int, int], int] = {}
    for pair, slot, was_there in zip(zip(outer, inner, strict=True), slots, present, strict=False):
        assert was_there == (pair in known)
        assert slot == known.setdefault(pair, len(known))
    assert number[0] == len(known)
    expected = sorted(known) if ordered else sorted(known, key=lambda pair: pair[0])
    parts = np.searchsorted([pair[0] for pair in expected], range(parents + 1))
    np.testing.assert_array_equal(positions, parts)
    np.testing.assert_array_equal(coordinates[: len(known)], [pair[1] for pair in expected])
    np.testing.assert_array_equal(listed[: len(known)], [known[pair] for pair in expected])


INSERT_AND_FIND = """
func.func @kernel(%rounds: index, %n: index, %outer: !loop.buffer<i64>, %inner: !loop.buffer<i64>,
                  %all: index, %slots: !loop.buffer<i64>, %present: !loop.buffer<i1>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %map = loop.index_map
  loop.for %round = %zero to %rounds {
    loop.map_clear %map
    // Each round puts one pair fewer into the map, and looks up all.
    %left = arith.subi %n, %round : index
    %some = arith.maxsi %left, %zero : index
    loop.for %i = %zero to %some {
      %0 = loop.load %outer[%i] : i64
      %1 = arith.index_cast %0 : i64 to index
      %2 = loop.load %inner[%i] : i64
      %3 = arith.index_cast %2 : i64 to index
      %slot, %before = loop.map_insert %1, %3 into %map
    }
    %first = arith.muli %round, %all : index
    LOOP %i = %zero to %all {
      %0 = loop.load %outer[%i] : i64
      %1 = arith.index_cast %0 : i64 to index
      %2 = loop.load %inner[%i] : i64
      %3 = arith.index_cast %2 : i64 to index
      %slot, %found = loop.map_find %1, %3 in %map
      %4 = arith.index_cast %slot : index to i64
      %place = arith.addi %first, %i : index
      loop.store %4, %slots[%place] : i64
      loop.store %found, %present[%place] : i1
    }
  }
  func.return
}
"""


@pytest.mark.one_in(12)
@pytest.mark.parametrize("extent", [1, 7, 3000, 2**62])
@pytest.mark.parametrize(("parents", "count"), [(1, 0), (1, 1), (3, 40), (1, 60), (50, 400)])
@pytest.mark.parametrize(("loop", "threads"), [("loop.for", None), ("loop.parallel", 1), ("loop.parallel", 3)])
@pytest.mark.parametrize("memory", ["grows", "is given"])
def test_pairs_are_found(run, parents, count, extent, loop, threads, memory):
    """A map that is read in a parallel loop is the one that was filled before it."""
    random, rounds = np.random.default_rng(count), 3
    outer, inner = random.integers(0, parents, 2 * count + 1), random.integers(0, extent, 2 * count + 1)
    size = rounds * len(outer)
    arguments = [np.int64(rounds), np.int64(count), outer, inner, np.int64(len(outer))]
    text, empty = text_of(INSERT_AND_FIND.replace("LOOP", loop), memory), (np.full(size, -1), np.zeros(size, np.bool_))
    *_, slots, present = run(text, *arguments, *empty, threads=threads)
    pairs = list(zip(outer, inner, strict=True))
    for number in range(rounds):
        known: dict[tuple[int, int], int] = {}
        for pair in pairs[: max(count - number, 0)]:
            known.setdefault(pair, len(known))
        part = slice(number * len(pairs), (number + 1) * len(pairs))
        assert list(present[part]) == [pair in known for pair in pairs]
        assert list(slots[part]) == [known.get(pair, 0) for pair in pairs]


FILL = """
func.func @kernel(%n: index, %x: BUFFER, %capacity: index, %memory: BUFFER, %full: BUFFER, %slots: BUFFER) {
  %zero = arith.constant 0 : index
  %map = loop.index_map for %capacity in %memory : BUFFER full %full : BUFFER
  loop.for %i = %zero to %n {
    %0 = loop.load %x[%i] : i64
    %1 = arith.index_cast %0 : i64 to index
    %slot, %before = loop.map_insert %zero, %1 into %map
    %2 = arith.index_cast %slot : index to i64
    loop.store %2, %slots[%i] : i64
  }
  func.return
}
""".replace("BUFFER", "!loop.buffer<i64>")


@pytest.mark.parametrize("capacity", [1, 2, 5, 8, 100])
def test_a_map_does_not_leave_its_memory(machine, capacity):
    """What comes again is found where there is no room for more; what does not is said to have come."""
    random = np.random.default_rng(capacity)
    coordinates = np.concatenate([random.permutation(capacity) * 10**9, [0], [7]]).astype(np.int64)
    for count, full in ((capacity + 1, 0), (capacity + 2, 1)):
        words = 8 * capacity + 32
        memory = np.full(words + 64, -1)
        memory[: 4 * capacity + 1] = 0
        flag, slots = np.zeros(1, np.int64), np.full(capacity + 2, -1)
        arguments = [np.int64(count), coordinates, np.int64(capacity), memory, flag, slots]
        machine.call_native(machine.compile_module(machine.parse(FILL), "kernel"), arguments)
        first = int(np.flatnonzero(coordinates[:capacity] == 0)[0])
        np.testing.assert_array_equal(slots[:count], [*range(capacity), first, 0][:count])
        assert flag[0] == full and memory[0] == capacity
        assert (memory[words:] == -1).all()
