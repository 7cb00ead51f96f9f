"""Regions: where an operator has a value, by which of its operands are stored; plain values, no IR.

A region is a boolean formula over the numbers of the operands: `a & ~b` has the coordinates at which the first operand
has an entry and the second has none. Source: Henry et al. 2021 (iteration algebra).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from irtensor.core.diagnostics import SourceLocation, UserError
from irtensor.core.element_values import Scalar, same_value

_WORDS = {"nowhere": False, "everywhere": True}
_SYMBOLS = {"and": "&", "xor": "^", "or": "|", "not": "~"}
_NAMES = {symbol: word for word, symbol in _SYMBOLS.items()}
_TIGHTNESS = {"|": 0, "^": 1, "&": 2}
_TIGHTEST = 3
# Reading, printing and writing out a region call themselves for its parts.
_MAX_NESTING = 100
_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\S)")
_EXAMPLE = "join the operands' names by &, |, ^ and ~, as in a & ~b; everywhere and nowhere are regions, too"


def is_operand_name(name: str) -> bool:
    """Whether an operand can be called so in the text of a region."""
    return name.isascii() and name.isidentifier() and name not in _SYMBOLS and name not in _WORDS


@dataclass(frozen=True)
class Operand:
    """Where the operand with a number has an entry."""

    number: int


@dataclass(frozen=True)
class Complement:
    """Everywhere else."""

    inner: Region


@dataclass(frozen=True)
class Combination:
    """The intersection ("&"), union ("|") or symmetric difference ("^") of two regions."""

    symbol: str
    left: Region
    right: Region
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depth = 1 + max(_depth(self.left), _depth(self.right))
        if depth > _MAX_NESTING:
            message = f"a region has no more than {_MAX_NESTING} operators inside of each other"
            raise UserError("bad-region", message, help="remove repeated parts of the region")
        object.__setattr__(self, "depth", depth)


Region: TypeAlias = bool | Operand | Complement | Combination


def _depth(region: Region) -> int:
    """How many combinations are inside of each other."""
    region = region.inner if isinstance(region, Complement) else region
    return region.depth if isinstance(region, Combination) else 0


def complement(region: Region) -> Region:
    """The coordinates that a region does not have."""
    if isinstance(region, bool):
        return not region
    return region.inner if isinstance(region, Complement) else Complement(region)


def combined(symbol: str, left: Region, right: Region) -> Region:
    """Two regions joined by a symbol, without those that are everything or nothing."""
    for known, other in ((left, right), (right, left)):
        if isinstance(known, bool):
            if symbol == "^":
                return complement(other) if known else other
            return other if known == (symbol == "&") else known
    return Combination(symbol, left, right)


def holds(region: Region, stored: Sequence[bool]) -> bool:
    """Whether a region has the coordinates at which just these operands are stored."""
    match region:
        case bool():
            return region
        case Operand():
            return stored[region.number]
        case Complement():
            return not holds(region.inner, stored)
        case Combination():
            left, right = holds(region.left, stored), holds(region.right, stored)
            return {"&": left and right, "|": left or right, "^": left != right}[region.symbol]


def where_stored(region: Region, known: Mapping[int, bool]) -> Region:
    """The remaining region where it is known of some operands whether they are stored."""
    match region:
        case Operand():
            return known.get(region.number, region)
        case Complement():
            return complement(where_stored(region.inner, known))
        case Combination():
            return combined(region.symbol, where_stored(region.left, known), where_stored(region.right, known))
        case bool():
            return region


def operands_of(region: Region) -> Iterator[int]:
    """The numbers of the operands that a region names."""
    match region:
        case Operand():
            yield region.number
        case Complement():
            yield from operands_of(region.inner)
        case Combination():
            yield from operands_of(region.left)
            yield from operands_of(region.right)
        case bool():
            return


def just(stored: Sequence[int], count: int) -> Region:
    """Where just these of `count` operands are stored."""
    result: Region = True
    for number in range(count):
        one = Operand(number)
        result = combined("&", result, one if number in stored else Complement(one))
    return result


def any_of(numbers: Sequence[int]) -> Region:
    """Where one of some operands is stored."""
    result: Region = False
    for number in numbers:
        result = combined("|", result, Operand(number))
    return result


def region_text(region: Region, names: Sequence[str]) -> str:
    """A region as it is written, with the names of its operands and as few parentheses as keep its structure."""
    return _text(region, names, 0)


def _text(region: Region, names: Sequence[str], binding: int) -> str:
    match region:
        case bool():
            return "everywhere" if region else "nowhere"
        case Operand():
            return names[region.number]
        case Complement():
            return f"not {_text(region.inner, names, _TIGHTEST)}"
        case Combination():
            level = _TIGHTNESS[region.symbol]
            left, right = _text(region.left, names, level), _text(region.right, names, level + 1)
            text = f"{left} {_NAMES[region.symbol]} {right}"
            return f"({text})" if level < binding else text


def parse_region(text: str, names: Sequence[str]) -> Region:
    """The region of a text over operands with these names, as `a & ~b` or `a and not b`.

    Raises UserError [bad-region], which points into the text.
    """
    return _Reader(" ".join(text.split("\n")), names).read_all()


class _Reader:
    def __init__(self, text: str, names: Sequence[str]):
        self.text = text
        self.names = list(names)
        self.tokens = [(match[1], match.start(1)) for match in _TOKEN.finditer(text)]
        self.next = 0
        self.nesting = 0

    def read_all(self) -> Region:
        region = self.read(0)
        if self._peek():
            raise self._error(f"'{self._peek()}' follows a region")
        return region

    def read(self, level: int) -> Region:
        """What binds at least as tightly as a level."""
        if level == _TIGHTEST:
            return self._read_operand()
        found = self.read(level + 1)
        while (symbol := _SYMBOLS.get(self._peek(), self._peek())) in _TIGHTNESS and _TIGHTNESS[symbol] == level:
            self.next += 1
            found = combined(symbol, found, self.read(level + 1))
        return found

    def _read_operand(self) -> Region:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise self._error(f"a region nests no deeper than {_MAX_NESTING} complements and parentheses")
        region = self._read_innermost()
        self.nesting -= 1
        return region

    def _read_innermost(self) -> Region:
        text = self._peek()
        if text in ("~", "not"):
            self.next += 1
            return complement(self._read_operand())
        if text == "(":
            self.next += 1
            inner = self.read(0)
            if self._peek() != ")":
                raise self._error("expected ')' in a region")
            self.next += 1
            return inner
        if text in self.names or text in _WORDS:
            self.next += 1
            return Operand(self.names.index(text)) if text in self.names else _WORDS[text]
        if text.isidentifier() and text not in _SYMBOLS:
            operands = ", ".join(self.names)
            raise self._error(f"the region names {text}, which is not an operand; operands are {operands}")
        raise self._error(f"expected an operand in a region, found {repr(text) if text else 'its end'}")

    def _peek(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def _error(self, message: str) -> UserError:
        start = self.tokens[self.next][1] if self.next < len(self.tokens) else len(self.text)
        location = SourceLocation("<region>", 1, start + 1, None, self.text)
        return UserError("bad-region", message, location=location, help=_EXAMPLE)


def fill_in_common(operator: str, fills: Sequence[Scalar], keeps_type: bool) -> Scalar:
    """What an operator gives outside of its region if it does not say so: the fill value that its operands share.

    0 if it gives another type than it takes, or no operand has a fill value. Raises UserError [no-fill].
    """
    distinct: list[Scalar] = []
    for fill in fills:
        if not any(same_value(fill, other) for other in distinct):
            distinct.append(fill)
    if not keeps_type or not distinct:
        return 0
    if len(distinct) > 1:
        read = " and ".join(str(fill) for fill in distinct)
        message = f"nothing says what {operator} is outside of its region, where its operands read as {read}"
        raise UserError("no-fill", message, help=f"give the operator a fill value, as in fill={distinct[0]}")
    return distinct[0]
