"""Storage formats as plain values: ordered levels over dimensions, a fill value and index widths, with a text form.

A tensor is stored as a tree with one level per storage axis; the formats and their properties follow the seed
dissertation, section 2.3. Nothing here knows arrays, IR or code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

from irtensor.core.cached_property import cached_property
from irtensor.core.check_tensor_format import check_levels, check_pattern, check_symmetric
from irtensor.core.fill_values import FillValue, canonical_fill, fill_text
from irtensor.core.index_widths import WIDTH_FIELDS, check_width
from irtensor.core.level_format import LIST, LevelFormat, bad_format
from irtensor.core.storage_levels import Level, LevelExpression, dimension_names, level_text
from irtensor.core.tensor_format_reader import FormatReader


def _as_stored(levels: Sequence[Level]) -> Iterator[Level]:
    """The levels, a list with one entry for each coordinate above as the level that has one anyway."""
    above: Level | None = None
    for level in levels:
        name, is_relaxed = level.format.properties.below_full, not (level.format.unique and level.format.ordered)
        if name is not None and not is_relaxed and above is not None and above.format.pattern.full:
            level = replace(level, format=LevelFormat(name))
        yield level
        above = level


@dataclass(frozen=True, eq=False)
class TensorFormat:
    """How a tensor of `rank` dimensions is stored: levels from the outermost to the innermost.

    `fill` is the value of every entry not stored; None stands for the zero of the element type, and a zero given
    here becomes None, so that equal formats compare equal. Widths are bits of the stored integers (8, 16, 32 or 64): of
    all levels that say nothing else. They become those of the widest level that has such an array. `symmetric` has the
    dimensions that may be exchanged: only entries whose coordinates do not decrease in them are stored. With
    `is_pattern` no values are stored: each stored element is true, and all others are false.
    """

    rank: int
    levels: tuple[Level, ...]
    fill: FillValue = None
    position_width: int = 64
    coordinate_width: int = 64
    symmetric: tuple[int, ...] = ()
    is_pattern: bool = False
    # Formats are part of each kernel call's cache key, so the hash is computed once.
    _key: tuple[Any, ...] = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(_as_stored(self.levels)))
        self._set_widths()
        object.__setattr__(self, "fill", canonical_fill(self.fill))
        check_levels(self.rank, self.levels)
        object.__setattr__(self, "symmetric", tuple(sorted(self.symmetric)))
        check_symmetric(self.rank, self.levels, self.symmetric)
        if self.is_pattern:
            check_pattern(self.levels, self.fill)
        # NaN differs from itself; its text does not.
        fill = self.fill if self.fill == self.fill else repr(self.fill)
        options = (fill, self.position_width, self.coordinate_width, self.symmetric, self.is_pattern)
        key = (self.rank, self.levels, *options)
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_hash", hash(key))

    def _set_widths(self) -> None:
        """Let the format have the width of the widest level, and only narrower levels one of their own."""
        for name, width, has in WIDTH_FIELDS:
            default: int = getattr(self, width)
            check_width(name, default)
            own: list[int | None] = [getattr(level, width) for level in self.levels]
            if not any(one is not None for one in own):
                continue
            for number, one in enumerate(own):
                if one is not None:
                    check_width(name, one, f"level {number} ({self.levels[number].format}): ")
            stored = [getattr(level.format.properties, has) for level in self.levels]
            widths = [(one or default) if there else 0 for one, there in zip(own, stored, strict=True)]
            widest = max(widths) or default
            kept = [one if 0 < one < widest else None for one in widths]
            levels = [replace(level, **{width: one}) for level, one in zip(self.levels, kept, strict=True)]
            object.__setattr__(self, "levels", tuple(levels))
            object.__setattr__(self, width, widest)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, TensorFormat) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Hashes of strings differ between processes, so the cached hash must not travel.
        widths = (self.position_width, self.coordinate_width)
        return TensorFormat, (self.rank, self.levels, self.fill, *widths, self.symmetric, self.is_pattern)

    @staticmethod
    def of(
        levels: Sequence[LevelFormat | str], order: Sequence[int] | None = None, fill: FillValue = None
    ) -> TensorFormat:
        """Unblocked format: `levels[n]` stores dimension `order[n]`, by default dimension n."""
        formats = [LevelFormat(level) if isinstance(level, str) else level for level in levels]
        dimensions = list(range(len(formats))) if order is None else list(order)
        if len(dimensions) != len(formats):
            raise bad_format(f"{len(formats)} levels but an order of {len(dimensions)} dimensions: {dimensions}")
        pairs = zip(dimensions, formats, strict=True)
        return TensorFormat(len(formats), tuple(Level(LevelExpression(d), level) for d, level in pairs), fill)

    @staticmethod
    @cache
    def dense(rank: int) -> TensorFormat:
        """Row-major array without index structure."""
        return TensorFormat.of(["dense"] * rank)

    @staticmethod
    def parse(text: str) -> TensorFormat:
        """Read `(i, j) -> (i : dense, j : compressed), fill = 0, pos = i32, crd = i16` or `dense, compressed`.

        A level may have widths of its own: `compressed(nonunique, pos = i32, crd = i8)`.

        Raises UserError [bad-format] that points into the text.
        """
        return FormatReader(text).read(TensorFormat)

    @property
    def dimension_order(self) -> tuple[int, ...]:
        """The dimension each level belongs to, from the outermost level."""
        return tuple(level.expression.dimension for level in self.levels)

    @cached_property
    def is_dense(self) -> bool:
        """Whether every level is dense, in any order and blocking, and there is a value for each element."""
        is_plain = not self.symmetric and not self.is_pattern
        return is_plain and all(level.format.properties.is_array for level in self.levels)

    @property
    def is_full(self) -> bool:
        """Whether every coordinate is stored at every level."""
        return not self.symmetric and all(level.format.pattern.full for level in self.levels)

    @property
    def is_positional(self) -> bool:
        """Whether the number of positions of every level follows from the extents."""
        return all(level.format.properties.has_known_positions for level in self.levels)

    @property
    def is_row_major(self) -> bool:
        """Whether the values are a C-contiguous array: dense, unblocked, dimensions in order."""
        return self.is_dense and len(self.levels) == self.rank and self.dimension_order == tuple(range(self.rank))

    @property
    def is_blocked(self) -> bool:
        return len(self.levels) != self.rank

    @cached_property
    def has_runs(self) -> bool:
        """Whether a position may stand for several coordinates."""
        return any(level.format.pieces == "runs" for level in self.levels)

    @property
    def has_pieces(self) -> bool:
        """Whether several stored elements, or elements that one stands for, are a piece: runs, and innermost blocks."""
        return self.has_runs or (bool(self.levels) and self.levels[-1].format.properties.has_pieces)

    @property
    def allows_duplicates(self) -> bool:
        """Whether one element may be stored in several parts that add up: the innermost level is nonunique."""
        return bool(self.levels) and not self.levels[-1].format.unique

    @property
    def has_diagonals(self) -> bool:
        """Whether a level stores the difference of two dimensions."""
        return any(level.expression.form == "minus" for level in self.levels)

    @property
    def tuples(self) -> range:
        """The levels whose coordinates make a list of tuples in any order, as in COO that is not sorted: each entry of
        the first has one of the others.
        """
        last = next((n for n in reversed(range(len(self.levels))) if self.levels[n].format.pattern.branchless), -1)
        first = last
        while first > 0 and self.levels[first].format.pattern.branchless:
            first -= 1
        outer = [level.format for level in self.levels[first:last]]
        unordered = not any(level.format.ordered for level in self.levels[first : last + 1])
        return range(first, last + 1) if outer and unordered and not any(one.unique for one in outer) else range(0)

    def follows(self, dimension: int) -> bool:
        """Whether the coordinates of a dimension follow from a diagonal and another dimension."""
        return any(one.format.properties.follows and one.expression.dimension == dimension for one in self.levels)

    @cached_property
    def determined(self) -> dict[int, frozenset[int]]:
        """The dimensions that have at most one stored coordinate for each coordinates of others, and these others."""
        found: dict[int, frozenset[int]] = {}
        for number, level in enumerate(self.levels):
            above, own = self.levels[:number], level.format
            dimension, others = level.expression.dimension, frozenset(one.expression.dimension for one in above)
            is_single = own.properties.is_single and all(one.format.unique for one in above)
            # A diagonal and one dimension determine the other one, but not one alone.
            if is_single and level.expression.form == "whole" and dimension not in others:
                found[dimension] = others
        return found

    def is_transposition_of(self, other: TensorFormat) -> bool:
        """Whether a matrix that is stored by rows is stored by columns here, or the other way round: as CSR and CSC,
        each with a segment of a list of coordinates, none of them twice, for each coordinate of the other dimension.
        """
        return self.has_segments and other.has_segments and self.dimension_order != other.dimension_order

    def is_half_of(self, other: TensorFormat) -> bool:
        """Whether this stores the entries of a symmetric matrix that do not decrease, in segments in order, and the
        other one all entries in such segments, which are the same by rows and by columns.
        """
        is_one = bool(self.symmetric) and not other.symmetric and self.whole.has_segments and other.has_segments
        return is_one and self._level_formats == other._level_formats and self.levels[1].format.ordered

    @property
    def has_segments(self) -> bool:
        """Whether a matrix is stored as in CSR and CSC: a segment of a list for each row, or for each column."""
        if len(self.levels) != 2 or self.symmetric or any(level.expression.form != "whole" for level in self.levels):
            return False
        outer, inner = (level.format for level in self.levels)
        return outer.properties.is_array and inner.properties.lists_segments and inner.unique

    @property
    def stores_fill(self) -> bool:
        """Whether the innermost entries are all coordinates of a dimension, those of the fill value among them."""
        return not self.is_pattern and self._ends_full

    @property
    def _ends_full(self) -> bool:
        """Whether the innermost level stores an element for each coordinate, be it an entry or not."""
        last = next((one.format.properties for one in reversed(self.levels) if not one.format.pattern.branchless), None)
        return last is not None and (last.pattern.full or last.pattern.has_padding)

    @property
    def fills_gaps(self) -> bool:
        """Whether elements between the innermost entries are stored, with the fill value."""
        return not self.is_pattern and self._ends_in_range

    @property
    def _ends_in_range(self) -> bool:
        """Whether the innermost level stores all elements of a range, be they entries or not."""
        return bool(self.levels) and self.levels[-1].format.pattern.fills_gaps

    @property
    def may_hold_fill(self) -> bool:
        """Whether elements that are not entries are stored, with the fill value: all of a dimension, or of a range."""
        return self.stores_fill or self.fills_gaps

    def bounding_levels(self, level: int) -> int:
        """How many levels above one have the coordinates that its positions depend on: those that bound it, and
        those that bound these."""
        count = 0
        while level - count < len(self.levels) and self.levels[level - count].format.pattern.bounded_by_above:
            count += 1
        return count

    @property
    def stores_absent(self) -> bool:
        """Whether values stand beside the entries, as in blocks, and only they tell which of them are entries."""
        return self.stores_fill and not self.is_dense

    @property
    def records_entries(self) -> bool:
        """Whether each entry is told apart from absent elements by more than its value."""
        return not self.is_dense and not self.stores_fill

    def padded_dimensions(self, shape: Sequence[int]) -> frozenset[int]:
        """Dimensions whose last block goes beyond their extent."""
        blocked = (level.expression for level in self.levels if level.expression.form == "mod")
        return frozenset(one.dimension for one in blocked if shape[one.dimension] % one.factor)

    @property
    def dense_tail(self) -> frozenset[LevelExpression]:
        """What the innermost levels store all coordinates of: a dimension also where they do of both of its parts."""
        tail = {one.expression for one in takewhile(lambda one: one.format.pattern.full, reversed(self.levels))}
        offsets = [one for one in tail if one.form == "mod" and replace(one, form="floordiv") in tail]
        return frozenset(tail).union(LevelExpression(one.dimension) for one in offsets)

    def level_extent(self, level: int | Level, shape: Sequence[int]) -> int:
        """Number of coordinates of a level (given by number or value) for a tensor of this shape."""
        return (self.levels[level] if isinstance(level, int) else level).expression.extent(shape)

    @property
    def writable(self) -> TensorFormat:
        """The nearest format that a kernel writes: levels with slots, whose number is not known before, as lists, and
        the dimensions of diagonals as they are. Entries put into a table have no order before, either. All mirrors are
        computed, and compared when one of them is stored. Where each element of a dimension or range is stored, there
        are values, which are all true if the result is a pattern.
        """
        if self.for_any_entries is not self:
            return self.for_any_entries.writable
        levels = [
            one if one.format.properties.written_as is None else replace(one, format=one.format.written)
            for one in self.without_diagonals.levels
        ]
        return self.whole if levels == list(self.levels) else replace(self.whole, levels=tuple(levels))

    @property
    def listed(self) -> TensorFormat:
        """The format with lists of coordinates in order, also in place of tables, which have none."""
        if all(one.format.ordered for one in self.levels):
            return self
        return replace(self, levels=tuple(replace(one, format=one.format.listed) for one in self.levels))

    @property
    def unstructured(self) -> TensorFormat:
        """The format with lists in place of structures, which may have entries anywhere."""
        structured = [one.format.pattern.structured for one in self.levels]
        if not any(structured):
            return self
        pairs = zip(self.levels, structured, strict=True)
        return replace(self, levels=tuple(replace(one, format=LIST) if its else one for one, its in pairs))

    @property
    def without_diagonals(self) -> TensorFormat:
        """The format with lists of coordinates in place of diagonals and the levels that follow from them."""
        if not self.has_diagonals:
            return self
        expressions = [one.expression for one in self.levels]
        pairs = [(one.dimension, one.other) for one in expressions if one.other is not None]
        levels = [
            replace(one, format=one.format.alone) if any(one.expression.dimension in pair for pair in pairs) else one
            for one in self.levels
            if one.expression.other is None
        ]
        return replace(self, levels=tuple(levels))

    @property
    def whole(self) -> TensorFormat:
        """The format of the same levels that stores all entries: not symmetric.

        The arrays of a symmetric tensor are those of its stored part, a tensor in this format.
        """
        return self._without_mirrors if self.symmetric else self

    @property
    def with_values(self) -> TensorFormat:
        """The format of the same levels that stores a value for each element, true ones among them."""
        return replace(self, is_pattern=False) if self.is_pattern else self

    @property
    def for_any_entries(self) -> TensorFormat:
        """The format itself; with values in place of a pattern that would be true at elements other than entries."""
        return self.with_values if self.is_pattern and (self._ends_full or self._ends_in_range) else self

    @property
    def with_mirrors(self) -> TensorFormat:
        """The format that has all entries of a symmetric tensor: structures are lists, as mirrors may not fit in."""
        return self.whole.unstructured.for_any_entries if self.symmetric else self

    @cached_property
    def _without_mirrors(self) -> TensorFormat:
        # Calls with symmetric operands ask for it.
        return replace(self, symmetric=())

    def level_text(self, level: int) -> str:
        """A level as it prints inside the format: `j floordiv 2 : compressed`."""
        return level_text(self.levels[level], self.rank)

    def with_fill(self, fill: FillValue) -> TensorFormat:
        return self if fill is None and self.fill is None else replace(self, fill=fill)

    def with_widths(self, position_width: int, coordinate_width: int) -> TensorFormat:
        """The format with positions, and coordinates, of so many bits in all levels. Raises UserError [bad-format]."""
        for name, width in (("pos", position_width), ("crd", coordinate_width)):
            if isinstance(width, list | tuple):
                help = "give one number for all levels, or say format.with_level_widths(positions, coordinates)"
                raise bad_format(f"width of {name} is {width!r}", help)
            check_width(name, width)
        return self._with_widths(position_width, coordinate_width)

    @lru_cache(maxsize=256)  # bounded, so few formats are kept alive
    def _with_widths(self, position_width: int, coordinate_width: int) -> TensorFormat:
        levels = tuple(Level(level.expression, level.format) for level in self.levels)
        return replace(self, levels=levels, position_width=position_width, coordinate_width=coordinate_width)

    def with_level_widths(self, positions: Sequence[int], coordinates: Sequence[int]) -> TensorFormat:
        """The format with so many bits in each level. Raises UserError [bad-format]."""
        for widths in (positions, coordinates):
            if not isinstance(widths, list | tuple):
                help = "give a list with a number for each level, or say format.with_widths(pos, crd)"
                raise bad_format(f"widths of levels are a {type(widths).__name__}", help)
        if not len(self.levels) == len(positions) == len(coordinates):
            given = f"{len(positions)} widths of positions and {len(coordinates)} of coordinates"
            raise bad_format(f"{given} for a format of {len(self.levels)} levels", "give one of each for each level")
        widths = zip(self.levels, positions, coordinates, strict=True)
        levels = [Level(level.expression, level.format, pos, crd) for level, pos, crd in widths]
        return replace(self, levels=tuple(levels))

    @property
    def structure(self) -> tuple[tuple[LevelExpression, LevelFormat], ...]:
        """The levels without the widths of their integers."""
        return tuple([(level.expression, level.format) for level in self.levels])

    @property
    def _level_formats(self) -> list[LevelFormat]:
        return [level.format for level in self.levels]

    def position_width_of(self, level: int) -> int:
        """How many bits the positions of a level have."""
        return self.levels[level].position_width or self.position_width

    def coordinate_width_of(self, level: int) -> int:
        """How many bits the coordinates of a level have."""
        return self.levels[level].coordinate_width or self.coordinate_width

    @property
    def symmetric_text(self) -> str:
        """The option as it is written: `symmetric`, or `symmetric(i, k)` where other dimensions are not."""
        names = dimension_names(self.rank)
        every = len(self.symmetric) == self.rank
        return "symmetric" if every else f"symmetric({', '.join(names[one] for one in self.symmetric)})"

    def __str__(self) -> str:
        levels = ", ".join(self.level_text(level) for level in range(len(self.levels)))
        text = f"({', '.join(dimension_names(self.rank))}) -> ({levels})"
        if self.symmetric:
            text += f", {self.symmetric_text}"
        if self.is_pattern:
            text += ", leaf = pattern"
        if self.fill is not None:
            text += f", fill = {fill_text(self.fill)}"
        if self.position_width != 64:
            text += f", pos = i{self.position_width}"
        if self.coordinate_width != 64:
            text += f", crd = i{self.coordinate_width}"
        return text

    def __repr__(self) -> str:
        return str(self)
