"""Storage of tensors that is wrong, or only looks so, as arrays of integers: on the host, and on a GPU."""

from __future__ import annotations

from typing import Any

POS, CRD, VALUES = [0, 2, 2, 3], [0, 2, 1], [1.0, 2, 3]
# Arrays of `dense, compressed` of shape (3, 4), and what is wrong.
MATRICES: list[tuple[Any, Any, Any, str]] = [
    ([0, 2, 3], CRD, VALUES, "positions has 3 entries, expected 4"),
    ([0, 2, 2, 3, 3], CRD, VALUES, "positions has 5 entries, expected 4"),
    ([], CRD, VALUES, "positions has 0 entries"),
    ([1, 2, 2, 3], CRD, VALUES, "positions[0] is 1, expected 0"),
    ([0, 2, 1, 3], CRD, VALUES, "positions decrease from 2 to 1 at entries 1, 2"),
    ([0, 2, 2, 4], CRD, VALUES, "positions ends with 4, but there are 3 coordinates"),
    ([0, 2, 2, 2], CRD, VALUES, "positions ends with 2"),
    ([0, 2**62, 2, 3], CRD, VALUES, "positions decrease"),
    ([0, -1, 2, 3], CRD, VALUES, "positions decrease from 0 to -1"),
    (POS, [0, 4, 1], VALUES, "coordinates[1] is 4, outside 0..3"),
    (POS, [0, 2, -1], VALUES, "coordinates[2] is -1, outside 0..3"),
    (POS, [2, 0, 1], VALUES, "coordinates[0] and [1] are not increasing: 2, 0"),
    (POS, [2, 2, 1], VALUES, "coordinates[0] and [1] are not increasing: 2, 2"),
    (POS, CRD, [1.0, 2], "2 values for 3 positions"),
]
# A format, arrays of shape (3, 4), and whether they are what it promises.
ORDERS: list[tuple[str, list[Any], bool]] = [
    ("compressed(nonunique), singleton", [([0, 3], [0, 0, 2]), (None, [0, 2, 1])], True),
    ("compressed(nonunique), singleton", [([0, 3], [0, 0, 2]), (None, [2, 0, 1])], False),
    ("compressed(nonunique), singleton", [([0, 3], [0, 0, 2]), (None, [2, 2, 1])], False),
    ("compressed(nonunique), singleton(nonunique)", [([0, 3], [0, 0, 2]), (None, [2, 2, 1])], True),
    ("compressed(nonunique), singleton(nonordered)", [([0, 3], [0, 0, 2]), (None, [2, 0, 1])], True),
    ("compressed(nonunique), singleton(nonordered)", [([0, 3], [0, 0, 0]), (None, [2, 0, 2])], False),
    ("compressed(nonunique, nonordered), singleton", [([0, 3], [2, 0, 2]), (None, [1, 1, 3])], True),
    ("compressed(nonunique, nonordered), singleton", [([0, 3], [2, 0, 2]), (None, [1, 1, 1])], False),
    ("compressed(nonunique), singleton", [([0, 3], [2, 0, 2]), (None, [0, 1, 2])], False),
    ("compressed, singleton", [([0, 3], [0, 1, 2]), (None, [3, 1, 2])], True),
    ("compressed, singleton", [([0, 3], [0, 1, 1]), (None, [3, 1, 2])], False),
    ("compressed, singleton", [([0, 3], [0, 1, 2]), (None, [3, 1])], False),
    ("compressed(nonunique), compressed", [([0, 2], [0, 0]), ([0, 2, 3], [0, 1, 2])], True),
    ("compressed(nonunique), compressed", [([0, 2], [0, 0]), ([0, 2, 3], [0, 1, 1])], False),
    ("compressed(nonunique), compressed", [([0, 2], [0, 1]), ([0, 2, 3], [0, 1, 1])], True),
    ("compressed(nonordered), compressed", [([0, 2], [1, 0]), ([0, 2, 3], [0, 1, 1])], True),
    ("dense, compressed(nonordered)", [None, (POS, [2, 0, 1])], True),
    ("dense, compressed(nonordered)", [None, (POS, [2, 2, 1])], False),
    ("dense, compressed(nonunique)", [None, (POS, [2, 2, 1])], True),
]
# A format, its positions and coordinates of shape (8,), and what is wrong, if anything.
SLOTS: list[tuple[str, Any, Any, str | None]] = [
    ("hashed", [6], [0, 1, 6, -1, 4, -1], None),
    ("hashed", [4], [4, 1, 6, 0], None),
    ("hashed", [6, 6], [0, 1, 6, -1, 4, -1], "positions has 2 entries, expected one"),
    ("hashed", [], [0, 1, 6, -1, 4, -1], "positions has 0 entries, expected one"),
    ("hashed", [0], [], "positions has entry 0, expected one: the slots per parent, at least 1"),
    ("hashed", [-6], [0], "positions has entry -6"),
    ("hashed", [5], [0, 1, 6, -1, 4, -1], "6 coordinates for 1 parents of 5 slots"),
    ("hashed", [6], [0, 1, 6, -2, 4, -1], "is -2, outside 0..7"),
    ("hashed", [6], [0, 1, 8, -1, 4, -1], "is 8, outside 0..7"),
    ("hashed", [6], [0, 6, 6, -1, 4, -1], "coordinates[1] and [2] store the same path twice: 6"),
    ("hashed", [6], [0, -1, 6, -1, 4, -1], "coordinates[2] is 6, which probing from slot 0 of 6 does not reach"),
    ("hashed", [6], [0, 1, -1, -1, 4, 3], "coordinates[5] is 3, which probing from slot 3 of 6 does not reach"),
    ("hashed", [3], [-1, 0, 1], "coordinates[1] is 0, which probing from slot 0 of 3 does not reach"),
    ("padded", [4], [0, 2, 8, 8], None),
    ("padded", [1], [8], None),
    ("padded", [4], [2, 0, 8, 8], "coordinates[0] and [1] are not increasing: 2, 0"),
    ("padded", [4], [2, 2, 8, 8], "coordinates[0] and [1] are not increasing: 2, 2"),
    ("padded", [4], [0, 8, 2, 8], "coordinates[1] and [2] are not increasing: 8, 2"),
    ("padded", [4], [0, 9, 9, 9], "coordinates[1] is 9"),
    ("padded", [4], [-1, 0, 8, 8], "coordinates[0] is -1"),
]
# The second level below diagonals, the arrays of shape (4, 6), how many values there are, and what is wrong.
DIAGONALS: list[tuple[str, list[Any], int, str | None]] = [
    ("i : range", [([0, 4], [-3, -1, 0, 1]), None, None], 16, None),
    ("i : range", [([0, 1], [6]), None, None], 4, r"coordinates\[0\] is 6, outside -3\.\.5"),
    ("i : range", [([0, 1], [-4]), None, None], 4, r"coordinates\[0\] is -4, outside -3\.\.5"),
    ("i : range", [([0, 2], [1, 0]), None, None], 8, "are not increasing: 1, 0"),
    ("i : range", [([0, 2], [0, 1]), None, None], 7, "7 values for 8 positions"),
    ("i : compressed", [([0, 1], [-3]), ([0, 1], [3]), None], 1, None),
    ("i : compressed", [([0, 1], [-3]), ([0, 1], [2]), None], 1, r"values\[0\] lies at -1 of dimension 1"),
]
