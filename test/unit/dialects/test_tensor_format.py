"""Storage formats as values: text round trips, equality, validation."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes, with_widths_of


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(i, j) -> (i : dense, j : compressed)", None),
        ("(i, j) -> (j : dense, i : compressed), fill = inf", None),
        ("(i, j) -> (i : dense, j : compressed), pos = i32, crd = i32", None),
        (
            "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)",
            None,
        ),
        ("(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique, nonordered), k : singleton)", None),
        ("(i, j) -> (j - i : compressed, i : range, j : offset)", None),
        (
            "(row, col) -> (row-col:dense, row:compressed, col:offset)",
            "(i, j) -> (i - j : dense, i : compressed, j : offset)",
        ),
        ("(i, j) -> (i : dense, j : compressed), pos = i8, crd = i16", None),
        ("(i, j) -> (i : compressed(nonunique, crd = i8), j : singleton), pos = i16, crd = i32", None),
        ("(i, j) -> (i : compressed(pos = i8, crd = i32), j : compressed)", None),
        ("dense, compressed(pos = i8, crd = i16)", "(i, j) -> (i : dense, j : compressed), pos = i8, crd = i16"),
        (
            "compressed(crd = i8), compressed, crd = i16",
            "(i, j) -> (i : compressed(crd = i8), j : compressed), crd = i16",
        ),
        ("compressed, compressed(crd = i64), crd = i8", "(i, j) -> (i : compressed(crd = i8), j : compressed)"),
        ("compressed(crd = i8), compressed(crd = i8)", "(i, j) -> (i : compressed, j : compressed), crd = i8"),
        ("() -> ()", None),
        ("dense, compressed", "(i, j) -> (i : dense, j : compressed)"),
        ("(row,col)->(col:dense,row:compressed)", "(i, j) -> (j : dense, i : compressed)"),
        ("compressed, fill = - inf, pos = i64", "(i) -> (i : compressed), fill = -inf"),
        ("compressed, fill = 1e-5", "(i) -> (i : compressed), fill = 1.0e-05"),
        ("compressed, fill = 0.0", "(i) -> (i : compressed)"),
        ("compressed, fill = false", "(i) -> (i : compressed)"),
        ("compressed, fill = -0.0", "(i) -> (i : compressed), fill = -0.0"),
        ("compressed, fill = true", "(i) -> (i : compressed), fill = true"),
        ("compressed, fill = nan", "(i) -> (i : compressed), fill = nan"),
        ("compressed, fill = (0, 1.5)", "(i) -> (i : compressed), fill = (0.0, 1.5)"),
        ("compressed(nonordered,nonunique)", "(i) -> (i : compressed(nonunique, nonordered))"),
        (
            ", ".join(["dense"] * 9),
            f"({', '.join(f'd{n}' for n in range(9))}) -> ({', '.join(f'd{n} : dense' for n in range(9))})",
        ),
    ],
)
def test_text_round_trip(text: str, canonical: str | None):
    format = TensorFormat.parse(text)
    assert str(format) == (canonical or text)
    again = TensorFormat.parse(str(format))
    assert again == format
    assert hash(again) == hash(format)
    assert pickle.loads(pickle.dumps(format)) == format


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a level format, found the end"),
        ("(", "expected a dimension name, found the end"),
        ("dense,", "expected a level format"),
        ("singleton", "is outermost, but a singleton level needs a level with coordinates"),
        ("bitmap, singleton", "is below 'bitmap'"),
        ("(i, j) -> (i : dense)", "dimension j is stored by no level"),
        ("(i) -> (i : dense, i : dense)", "dimension i is stored as 'i' and 'i'"),
        ("(i) -> (i mod 2 : dense, i floordiv 2 : dense)", "dimension i is stored as 'i mod 2' and 'i floordiv 2'"),
        ("(i) -> (i floordiv 2 : dense, i mod 3 : dense)", "dimension i is stored as"),
        ("(i) -> (i floordiv 2 : dense)", "dimension i is stored as 'i floordiv 2'"),
        ("(i) -> (i floordiv 0 : dense, i mod 0 : dense)", "block factor 0 is not a number from 1"),
        ("(i, i) -> (i : dense)", "dimension 'i' is named twice"),
        ("(i) -> (j : dense)", "'j' is not a dimension"),
        ("dense(nonunique)", "level format 'dense(nonunique)' is impossible"),
        ("compressed(unordered)", "'unordered' is not a level property"),
        ("compressed(nonunique", "expected ')' after the level properties, found the end"),
        ("sparse", "unknown level format 'sparse'"),
        ("dense compressed", "expected ',' before an option"),
        ("dense, fill =", "'' is not a number"),
        ("dense, fill = x", "'x' is not a number"),
        ("dense, fill = 0, fill = 1", "'fill' is given twice"),
        ("dense, pos = i12", "'i12' is not an index width"),
        ("dense, compressed(crd = )", "')' is not an index width"),
        ("dense, compressed(crd i8)", "expected '=' after 'crd', found 'i8'"),
        ("dense, compressed(crd = i8, crd = i8)", "'crd' is given twice"),
        ("dense(crd = i8)", "a dense level has no coordinates, so that crd has no width"),
        ("(i, j) -> (i : compressed(nonunique), j : singleton(pos = i8))", "a singleton level has no positions"),
        ("dense, color = 1", "'color' is not an option"),
        ("(i) -> (i mod 99999999999999999999999999999999999999999999 : dense)", "is too long"),
        (", ".join(["dense"] * 100), "rank 100 is outside"),
    ],
)
def test_bad_text_is_refused(text: str, message: str):
    with pytest.raises(UserError) as caught:
        TensorFormat.parse(text)
    assert caught.value.slug == "bad-format"
    assert message in caught.value.message
    assert caught.value.location is not None


@given(st.text(alphabet="(),:->=ij 02.e-²ñ", max_size=30) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str):
    try:
        TensorFormat.parse(text)
    except UserError:
        pass


def test_bad_values_are_refused():
    for build in (
        lambda: LevelFormat("hash"),
        lambda: LevelFormat("dense", unique=False),
        lambda: LevelExpression(-1),
        lambda: LevelExpression(0, "mod", 0),
        lambda: LevelExpression(0, "whole", 2),
        lambda: LevelExpression(0, "times", 2),  # pyrefly: ignore[bad-argument-type]
        lambda: TensorFormat(-1, ()),
        lambda: TensorFormat(1, (Level(LevelExpression(3), LevelFormat("dense")),)),
        lambda: TensorFormat.dense(1).with_widths(24, 64),
        lambda: TensorFormat(1, (Level(LevelExpression(3), LevelFormat("compressed"), 8),)),
        lambda: TensorFormat(1, (Level(LevelExpression(3), LevelFormat("compressed"), 12),)),
        lambda: TensorFormat.dense(1).with_fill("zero"),  # pyrefly: ignore[bad-argument-type]
        lambda: TensorFormat.of(["dense"], order=[0, 1]),
    ):
        with pytest.raises(UserError) as caught:
            build()
        assert caught.value.slug == "bad-format"


def test_extents_of_blocks_round_up():
    format = TensorFormat.parse(
        "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
    )
    assert [format.level_extent(level, (5, 6)) for level in range(4)] == [3, 2, 2, 3]
    assert [format.level_extent(level, (0, 1)) for level in format.levels] == [0, 1, 2, 3]
    assert format.dimension_order == (0, 1, 0, 1)
    assert format.is_blocked and not format.is_dense


def test_properties():
    assert TensorFormat.dense(2).is_row_major
    assert not TensorFormat.of(["dense", "dense"], order=[1, 0]).is_row_major
    assert TensorFormat.of(["dense", "dense"], order=[1, 0]).is_dense
    assert TensorFormat.parse("dense, compressed(nonunique)").allows_duplicates
    assert TensorFormat.dense(0).is_dense
    assert TensorFormat.dense(1).with_fill(0.0) == TensorFormat.dense(1)
    assert TensorFormat.dense(1).with_fill(1) == TensorFormat.dense(1).with_fill(1.0)
    assert TensorFormat.dense(1).with_fill(float("nan")) == TensorFormat.dense(1).with_fill(-float("nan"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(i, j) -> (j - i : hashed, i : range, j : offset)", r"\(j - i : hashed\) marks unused slots"),
        ("(i, j) -> (j - i : compressed, i : dense, j : offset)", "stored by a range or a list"),
        ("(i, j) -> (j - i : compressed, i : range, j : compressed)", "the other is its offset"),
        ("(i, j) -> (i : range, j - i : compressed, j : offset)", "below no level of diagonals|below 'j - i'"),
        ("(i, j) -> (i : dense, j : offset)", r"level 1 \(j : offset\) is below no level of diagonals"),
        ("(i, j) -> (j - i : compressed, i : compressed(nonunique), j : offset)", "is nonunique, below 'j - i'"),
        ("(i, j) -> (j - j : compressed, i : range, j : offset)", "difference of two dimensions"),
        ("(i, j) -> (j - k : compressed, i : range, j : offset)", "'k' is not a dimension"),
        (
            "(i, j, k) -> (j - i : compressed, i : range, j : offset, k floordiv 2 : dense, k mod 2 : dense)",
            "diagonals or blocks, not both",
        ),
    ],
)
def test_diagonals_stand_above_what_lies_on_them(text: str, message: str):
    with pytest.raises(UserError, match=message):
        TensorFormat.parse(text)


def test_extents_of_diagonals():
    diagonals = TensorFormat.parse("(i, j) -> (j - i : dense, i : range, j : offset)")
    for shape, first, extent in (((4, 6), -3, 9), ((1, 1), 0, 1), ((0, 3), 1, 2), ((0, 0), 1, 0)):
        assert diagonals.levels[0].expression.first(shape) == first
        assert diagonals.level_extent(0, shape) == extent
    assert str(diagonals.without_diagonals) == "(i, j) -> (i : dense, j : compressed)"
    assert diagonals.writable == diagonals.without_diagonals


_LEVELS = ["dense", "compressed", "compressed(nonunique)", "bitmap", "hashed", "padded"]
_WIDTH = st.sampled_from([None, 8, 16, 32, 64])
_ARRAYS = {"pos": "positions", "crd": "coordinates"}


@given(st.lists(st.tuples(st.sampled_from(_LEVELS), _WIDTH, _WIDTH), min_size=1, max_size=4), _WIDTH, _WIDTH)
def test_widths_of_levels_are_read_as_they_are_printed(levels: list[Any], position: int | None, coordinate: int | None):
    parts = [TensorFormat.parse(name).levels[0].format for name, _, _ in levels]
    own = [Level(LevelExpression(n), part, *levels[n][1:]) for n, part in enumerate(parts)]
    defaults = {"position_width": position or 64, "coordinate_width": coordinate or 64}
    format = TensorFormat(len(own), tuple(own), **defaults)
    read = TensorFormat.parse(str(format))
    assert read == format and hash(read) == hash(format) and str(read) == str(format)
    assert pickle.loads(pickle.dumps(format)) == format
    for number, level in enumerate(own):
        for short, array in _ARRAYS.items():
            width = getattr(level, f"{array[:-1]}_width")
            if getattr(level.format.properties, f"has_{array}"):
                found = getattr(format, f"{array[:-1]}_width_of")(number)
                assert found == (width or defaults[f"{array[:-1]}_width"]), (short, number)
    # Whatever says the same is the same.
    positions = [format.position_width_of(number) for number in range(len(own))]
    coordinates = [format.coordinate_width_of(number) for number in range(len(own))]
    assert format.with_level_widths(positions, coordinates) == format
    assert with_widths_of(format.with_widths(16, 8), format) == format
    assert format.with_widths(64, 64).structure == format.structure


def test_formats_for_all_sizes_have_no_narrow_integers():
    for text, expected in (
        ("dense, compressed", "(i, j) -> (i : dense, j : compressed)"),
        ("dense, compressed, pos = i32, crd = i32", "(i, j) -> (i : dense, j : compressed), pos = i32, crd = i32"),
        ("dense, compressed, pos = i32, crd = i16", "(i, j) -> (i : dense, j : compressed), pos = i32"),
        (
            "compressed(crd = i8), compressed(pos = i8), crd = i32",
            "(i, j) -> (i : compressed, j : compressed(crd = i32))",
        ),
        ("compressed(pos = i8), compressed(pos = i32)", "(i, j) -> (i : compressed, j : compressed), pos = i32"),
    ):
        wide = for_all_sizes(TensorFormat.parse(text))
        assert wide == TensorFormat.parse(expected), (text, wide)
        assert for_all_sizes(wide) == wide
    csr = TensorFormat.parse("dense, compressed, crd = i16")
    assert with_widths_of(TensorFormat.parse("compressed, compressed"), csr).coordinate_width == 64


def test_widths_of_a_level_without_the_array_say_nothing():
    level = Level(LevelExpression(0), LevelFormat("dense"), 8, 16)
    assert TensorFormat(1, (level,)) == TensorFormat.dense(1)
    with pytest.raises(UserError, match=r"level 0 \(compressed\): width of crd is 12 bits"):
        TensorFormat(1, (Level(LevelExpression(0), LevelFormat("compressed"), None, 12),))


def test_widths_are_ints():
    """Also where a format with equal numbers is known."""
    format = TensorFormat.of(["dense", "compressed"])
    format.with_widths(8, 8)
    for wrong, kind in ((8.0, "float"), (np.int64(8), "int64")):
        with pytest.raises(UserError, match=f"width of pos is a {kind}"):
            format.with_widths(wrong, 8)  # pyrefly: ignore[bad-argument-type]
    with pytest.raises(UserError, match="1 widths of positions and 1 of coordinates for a format of 2 levels"):
        format.with_level_widths([8], [8])
