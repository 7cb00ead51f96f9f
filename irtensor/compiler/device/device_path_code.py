"""IR of checks that look at the coordinates of positions in several levels of a tensor on a GPU: see device_checks.

Each function takes how many positions there are, then for each of its levels four numbers (extent, least coordinate,
parents, slots per parent), further numbers, the arrays of the levels, and last a counter of faults.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from irtensor.compiler.device.device_function import DeviceFunction
from irtensor.compiler.device.device_ir_text import Code, LevelArrays, Path, parameters_of

# The fractional part of the golden ratio in 62 bits, an odd number: multiples of it are scattered.
_MIX = 2850178459395338505


class Merge(NamedTuple):
    """How a level's coordinate gives one of a dimension: times a factor, plus or minus that of another dimension."""

    level: int
    dimension: int
    factor: int = 1
    other: int | None = None
    sign: str = "addi"


@cache
def flags_check() -> DeviceFunction:
    """The check that flags are 0 or 1 in memory."""
    code = Code()
    position = code.begin(code.zero, "%count")
    byte = code.value(f"loop.load %flags[{position}] : i8")
    code.end(code.compare("ugt", byte, code.value("arith.constant 1 : i8"), "i8"))
    return code.function("check_flags", ["%count: index", "%flags: !loop.buffer<i8>"], "the check of flags")


@cache
def order_check(
    levels: tuple[LevelArrays, ...], is_at_root: bool, *, ordered: bool, unique: bool, in_range: bool
) -> DeviceFunction:
    """The check of the coordinates of the last level below equal coordinates of those before it, and equal parents.

    They do not fall with `ordered`, which is asked for where levels before it are in order, and rise with `unique` too.
    With `in_range` they are coordinates of the level.
    """
    code = Code()
    last = len(levels) - 1
    here = code.begin(code.zero, "%count")
    before = code.both("maxsi", code.both("subi", here, code.one), code.zero)
    new, old = (code.climb(levels, position, is_at_root) for position in (here, before))
    same = [code.compare("sgt", here, code.zero), code.compare("eq", new.parent, old.parent)]
    pairs = [(a, b) for a, b in zip(new.coordinates, old.coordinates, strict=True) if a is not None and b is not None]
    same += [code.compare("eq", a, b) for a, b in pairs[:-1]]
    wrong: list[str] = []
    if ordered:
        wrong.append(code.all([*same, code.compare("sle" if unique else "slt", *pairs[-1])]))
    if in_range:
        past = code.both("addi", f"%first_{last}", f"%extent_{last}")
        wrong.append(code.is_outside(pairs[-1][0], f"%first_{last}", past))
    code.end(code.any(wrong))
    return code.function("check_order", parameters_of(levels), "the check of coordinates in order")


@cache
def repetition_check(levels: tuple[LevelArrays, ...], is_at_root: bool) -> DeviceFunction:
    """The check that no two positions have equal coordinates and equal parents, in whatever order they are.

    It takes, as further numbers, a size that is a power of 2, and at least twice as large as how many positions there
    are, and before the counter a table of that size, in which each position is put into the first free slot from one
    that follows from its coordinates: equal ones meet.
    """
    code = Code()
    index = code.begin(code.zero, "%size")
    code.line(f"loop.store {code.value('arith.constant 0 : i64')}, %table[{index}] : i64")
    code.line("}")
    here = code.begin(code.zero, "%count")
    path = code.climb(levels, here, is_at_root)
    number = code.value(f"arith.index_cast {code.both('addi', here, code.one)} : index to i64")
    mask = code.both("subi", "%size", code.one)
    probed = code.value(f"loop.cell {_index_in_table(code, path, mask)} : index")
    goes_on, repeated = (
        code.value(f"loop.cell {code.compare(predicate, here, here)} : i1") for predicate in ("eq", "ne")
    )
    code.line("loop.while {")
    code.line(f"loop.condition {code.value(f'loop.get {goes_on} : i1')}")
    code.line("} do {")
    now = code.value(f"loop.get {probed} : index")
    held = _put(code, now, number)
    is_other = code.compare("ne", held, number, "i64")
    there = code.both("subi", code.value(f"arith.index_cast {held} : i64 to index"), code.one)
    other = code.climb(levels, there, is_at_root)
    same = [code.compare("eq", path.parent, other.parent)]
    same += [code.compare("eq", a, b) for a, b in zip(path.coordinates, other.coordinates, strict=True) if a and b]
    is_same = code.all(same)
    code.line(f"loop.set {code.all([is_other, is_same])}, {repeated} : i1")
    code.line(f"loop.set {code.all([is_other, code.compare('ne', is_same, is_other, 'i1')])}, {goes_on} : i1")
    code.line(f"loop.set {code.both('andi', code.both('addi', now, code.one), mask)}, {probed} : index")
    code.line("}")
    code.end(code.value(f"loop.get {repeated} : i1"))
    parameters = [*parameters_of(levels, ["%size"]), "%table: !loop.buffer<i64>"]
    return code.function("check_repetitions", parameters, "the check of coordinates in no order")


def _index_in_table(code: Code, path: Path, mask: str) -> str:
    """Where to begin to look for coordinates."""
    index = path.parent
    for coordinate in filter(None, path.coordinates):
        mixed = code.both("muli", index, code.value(f"arith.constant {_MIX} : index"))
        index = code.both("addi", mixed, coordinate)
    scattered = code.both("muli", index, code.value(f"arith.constant {_MIX} : index"))
    high = code.both("shrui", scattered, code.value("arith.constant 29 : index"))
    return code.both("andi", code.both("xori", scattered, high), mask)


def _put(code: Code, index: str, number: str) -> str:
    """Put a number into a free slot of the table; gives the number there, which stays."""
    zero = code.value("arith.constant 0 : i64")
    code.line(f"loop.atomic %table[{index}] (%there: i64) {{")
    is_free = code.compare("eq", "%there", zero, "i64")
    chosen = code.value(f"arith.select {is_free}, {number}, %there : i64")
    code.line(f"loop.yield {chosen} : i64 }}")
    return code.value(f"loop.load %table[{index}] {{ordered}} : i64")


@cache
def used_check(levels: tuple[LevelArrays, ...]) -> DeviceFunction:
    """The check that coordinates of the last level are in range, where the positions above are used."""
    code = Code()
    last = len(levels) - 1
    position = code.begin(code.zero, "%count")
    path = code.climb(levels, position)
    found = path.coordinates[last]
    assert found is not None and path.used is not None
    past = code.both("addi", f"%first_{last}", f"%extent_{last}")
    code.end(code.all([path.used, code.is_outside(found, f"%first_{last}", past)]))
    return code.function("check_used", parameters_of(levels), "the check of coordinates that are used")


@cache
def slots_check(level: LevelArrays, is_table: bool) -> DeviceFunction:
    """The check of segments of equal length: tables in which probing finds all entries, or sorted lists and padding.

    The number of slots per parent is the one in the positions. A level without parents, for which 0 is given, may have
    any number.
    """
    code = Code()
    position = code.begin(code.zero, code.one)
    width = code.load("%pos_0", position, str(level.positions))
    differs = code.both("andi", *_differ(code, width), "i1")
    code.end(code.any([code.compare("slt", width, code.one), differs]))
    slot = code.begin(code.zero, "%count")
    found = code.load("%crd_0", slot, str(level.coordinates))
    wrong = _not_found(code, slot, found, level) if is_table else _not_sorted(code, slot, found, level)
    code.end(wrong)
    return code.function("check_slots", parameters_of([level]), "the check of slots")


def _differ(code: Code, width: str) -> tuple[str, str]:
    return code.compare("ne", "%slots_0", code.zero), code.compare("ne", width, "%slots_0")


def _not_sorted(code: Code, slot: str, found: str, level: LevelArrays) -> str:
    """Coordinates rise up to the padding, whose coordinate is the extent."""
    before = code.both("maxsi", code.both("subi", slot, code.one), code.zero)
    earlier = code.load("%crd_0", before, str(level.coordinates))
    is_inner = code.compare("sgt", code.both("remsi", slot, "%slots_0"), code.zero)
    falls = code.compare("slt", found, earlier)
    stays = code.all([code.compare("eq", found, earlier), code.compare("ne", found, "%extent_0")])
    past = code.both("addi", "%extent_0", code.one)
    return code.any([code.all([is_inner, code.any([falls, stays])]), code.is_outside(found, code.zero, past)])


def _not_found(code: Code, slot: str, found: str, level: LevelArrays) -> str:
    """Probing from the slot of a coordinate meets no empty slot, nor the coordinate, before where it is stored."""
    is_stored = code.compare("ne", found, code.value("arith.constant -1 : index"))
    outside = code.is_outside(found, code.zero, "%extent_0")
    index = code.both("remsi", slot, "%slots_0")
    begin = code.both("subi", slot, index)
    # An empty slot has no coordinate to search for.
    home = code.both("remsi", code.both("maxsi", found, code.zero), "%slots_0")
    searched = code.value(f"arith.select {is_stored}, {home}, {index} : index")
    probed = code.value(f"loop.cell {searched} : index")
    missed = code.value(f"loop.cell {code.compare('ne', code.zero, code.zero)} : i1")
    code.line("loop.while {")
    before = code.value(f"loop.get {probed} : index")
    hit = code.value(f"loop.get {missed} : i1")
    goes_on = code.all(
        [code.compare("ne", before, index), code.compare("eq", hit, code.value("arith.constant false"), "i1")]
    )
    code.line(f"loop.condition {goes_on}")
    code.line("} do {")
    now = code.value(f"loop.get {probed} : index")
    held = code.load("%crd_0", code.both("addi", begin, now), str(level.coordinates))
    stops = code.any([code.compare("slt", held, code.zero), code.compare("eq", held, found)])
    code.line(f"loop.set {stops}, {missed} : i1")
    following = code.both("remsi", code.both("addi", now, code.one), "%slots_0")
    code.line(f"loop.set {following}, {probed} : index")
    code.line("}")
    lost = code.value(f"loop.get {missed} : i1")
    return code.all([is_stored, code.any([outside, lost])])


@cache
def values_check(
    levels: tuple[LevelArrays, ...],
    merges: tuple[Merge, ...],
    padded: tuple[int, ...],
    inside: tuple[int, ...],
    word: str,
    words: int,
) -> DeviceFunction:
    """The check of values beyond the shape: elements of blocks hold the fill value, and other entries lie inside.

    It takes, as further numbers, the extents of the dimensions `padded` and `inside`, and the words of the fill value.
    """
    code = Code()
    position = code.begin(code.zero, "%count")
    path = code.climb(levels, position)
    dimensions: dict[int, str] = {}
    for merge in merges:
        coordinate = path.coordinates[merge.level]
        assert coordinate is not None
        if merge.factor != 1:
            coordinate = code.both("muli", coordinate, code.value(f"arith.constant {merge.factor} : index"))
        if merge.other is not None:
            coordinate = code.both(merge.sign, dimensions[merge.other], coordinate)
        dimensions[merge.dimension] = coordinate
    wrong = [code.is_outside(dimensions[d], code.zero, f"%shape_{d}") for d in inside]
    if padded:
        beyond = code.any([code.compare("sge", dimensions[d], f"%shape_{d}") for d in padded])
        wrong.append(code.all([beyond, _differs_from_fill(code, position, word, words)]))
    found = code.any(wrong)
    code.end(found if path.used is None else code.all([path.used, found]))
    numbers = [f"%shape_{d}" for d in dict.fromkeys((*padded, *inside))] + [f"%fill_{k}" for k in range(words)]
    parameters = [*parameters_of(levels, numbers), f"%vals: !loop.buffer<{word}>"]
    return code.function("check_values", parameters, "the check of values beyond the shape")


def _differs_from_fill(code: Code, position: str, word: str, words: int) -> str:
    """Whether the bits of a value are others than those of the fill value."""
    begin = code.both("muli", position, code.value(f"arith.constant {words} : index"))
    differs: list[str] = []
    for number in range(words):
        index = code.both("addi", begin, code.value(f"arith.constant {number} : index"))
        held = code.value(f"loop.load %vals[{index}] : {word}")
        fill = code.value(f"arith.index_cast %fill_{number} : index to {word}")
        differs.append(code.compare("ne", held, fill, word))
    return code.any(differs)
