"""Which units of a device the iterations of a parallel loop are divided among: blocks, teams, lanes or threads."""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from irtensor.core.schedule_words import WARP

MOST_THREADS = 1024
# What a unit has its own number of: threads of a block, lanes of a team.
_SIZED = ("blocks", "teams")
_WORDS = (*_SIZED, "lanes", "threads")
# The unit around each one.
AROUND = {"blocks": None, "teams": "blocks", "threads": "blocks", "lanes": "teams"}


@irdl_attr_definition
class UnitsAttr(ParametrizedAttribute):
    """`blocks(128)`: blocks of 128 threads. `teams(8)`: teams of 8 lanes. `lanes` of a team, `threads` of a block.

    A team is a part of a warp: its size is a power of 2, and 32 at most.
    """

    name = "loop.units"
    unit: StringAttr
    size: IntAttr

    @staticmethod
    def of(word: str, size: int = 0) -> UnitsAttr:
        """The attribute of a word, and of its number if it has one."""
        return UnitsAttr(StringAttr(word), IntAttr(size))

    @property
    def word(self) -> str:
        return self.unit.data

    def verify(self) -> None:
        size = self.size.data
        if self.word not in _WORDS:
            raise VerifyException(f"expected {', '.join(_WORDS)}, got '{self.word}'")
        if self.word == "blocks" and not (0 < size <= MOST_THREADS and size % WARP == 0):
            raise VerifyException(f"a block has a multiple of {WARP} threads, up to {MOST_THREADS}, not {size}")
        if self.word == "teams" and size not in (1, 2, 4, 8, 16, 32):
            raise VerifyException(f"a team has 1, 2, 4, 8, 16 or 32 lanes, not {size}")
        if self.word not in _SIZED and size != 0:
            raise VerifyException(f"{self.word} have no number of their own: it is that of the unit around")


def parse_units(parser: Parser) -> UnitsAttr | None:
    """`on blocks(128)` and the like, if it is there."""
    if parser.parse_optional_keyword("on") is None:
        return None
    position = parser.pos
    word = parser.parse_identifier()
    size = 0
    if word in _SIZED:
        parser.parse_punctuation("(")
        size = parser.parse_integer(allow_negative=False)
        parser.parse_punctuation(")")
    try:
        return UnitsAttr.of(word, size)
    except VerifyException as error:
        parser.raise_error(str(error), position)


def print_units(units: UnitsAttr, printer: Printer) -> None:
    printer.print_string(f" on {units.word}" + (f"({units.size.data})" if units.word in _SIZED else ""))


def units_of(op: Operation | None) -> UnitsAttr | None:
    """The units of a parallel loop, if it says which; None for anything else."""
    found = op.properties.get("on") if op is not None else None
    return found if isinstance(found, UnitsAttr) else None


def loop_around(op: Operation, word: str | None) -> Operation | None:
    """The loop on some units that an operation is inside of, if there is one."""
    parent = op.parent_op()
    while parent is not None:
        units = units_of(parent)
        if units is not None and units.word == word:
            return parent
        parent = parent.parent_op()
    return None


def verify_units(loop: Operation, lower: SSAValue, upper: SSAValue, around: Operation | None) -> None:
    """Raise VerifyException unless a loop stands inside of the right one, with an iteration for each of its units.

    `around` is the next parallel loop that it is inside of, if there is one.
    """
    units = units_of(loop)
    outer = units_of(around)
    if units is None:
        if around is not None:
            raise VerifyException("a parallel loop inside another one says on which units it is")
        return
    wanted = AROUND[units.word]
    if wanted is None:
        if around is not None:
            raise VerifyException("a loop on blocks is not inside another parallel loop")
        return
    if outer is None or outer.word != wanted:
        raise VerifyException(f"a loop on {units.word} is directly inside a loop on {wanted}")
    expected = outer.size.data
    if units.word == "teams":
        expected //= units.size.data
    if _constant(lower) != 0 or _constant(upper) != expected:
        raise VerifyException(f"this loop on {units.word} goes from 0 to {expected}, which are constants")


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
