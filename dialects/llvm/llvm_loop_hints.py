"""The attribute of a jump that closes a loop, which says how LLVM is to unroll and vectorise it, as MLIR spells it.

`#llvm.loop_annotation<vectorize = <width = 4 : i64>, unroll = <disable = true>>` has those hints that irtensor gives.
Loads and stores that have an `#llvm.access_group` in common with it are independent of those in other iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, IntegerAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


class _Hints(ParametrizedAttribute):
    """Names with values, `<width = 4 : i64, disable = false>`."""

    NAMES: ClassVar[tuple[str, ...]]
    values: DictionaryAttr

    @classmethod
    def of(cls, **values: Attribute) -> Self:
        return cls.new((DictionaryAttr(values),))

    def number(self, name: str) -> int | None:
        """The number that a name has, if it has one; a bool is 0 or 1."""
        value = self.values.data.get(name)
        return value.value.data if isinstance(value, IntegerAttr) else None

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[DictionaryAttr]:
        return (_parse(parser, lambda _: parser.parse_attribute()),)

    def print_parameters(self, printer: Printer) -> None:
        _print(printer, self.values.data, printer.print_attribute)

    def verify(self) -> None:
        for name, value in self.values.data.items():
            if name not in self.NAMES:
                raise VerifyException(f"{self.name} has no '{name}', only {', '.join(self.NAMES)}")
            if not isinstance(value, IntegerAttr):
                raise VerifyException(f"'{name}' is a number, not {value}")


@irdl_attr_definition
class LoopVectorizeAttr(_Hints):
    """How many lanes vectors have, whether a mask turns off lanes behind the end, or that there are to be none."""

    name = "llvm.loop_vectorize"
    NAMES: ClassVar = ("disable", "predicateEnable", "width")


@irdl_attr_definition
class LoopInterleaveAttr(_Hints):
    """How many vectors are computed at once."""

    name = "llvm.loop_interleave"
    NAMES: ClassVar = ("count",)


@irdl_attr_definition
class LoopUnrollAttr(_Hints):
    """How many iterations are written one after another, or that only one is."""

    name = "llvm.loop_unroll"
    NAMES: ClassVar = ("disable", "count")


@irdl_attr_definition
class AccessGroupAttr(ParametrizedAttribute):
    """A number for loads and stores that are independent of those in other iterations of a loop, as MLIR spells it:
    `#llvm.access_group<id = distinct[0]<>>`."""

    name = "llvm.access_group"
    number: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr]:
        with parser.in_angle_brackets():
            parser.parse_keyword("id")
            parser.parse_punctuation("=")
            parser.parse_keyword("distinct")
            with parser.delimited("[", "]"):
                number = parser.parse_integer()
            with parser.in_angle_brackets():
                pass
        return (IntAttr(number),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"id = distinct[{self.number.data}]<>")


# The part of the hints that names the group whose accesses are independent.
PARALLEL_ACCESSES = "parallelAccesses"
_PARTS: dict[str, type[_Hints | AccessGroupAttr]] = {
    "vectorize": LoopVectorizeAttr,
    "interleave": LoopInterleaveAttr,
    "unroll": LoopUnrollAttr,
    PARALLEL_ACCESSES: AccessGroupAttr,
}


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """Hints about a loop; those of one kind together."""

    name = "llvm.loop_annotation"
    parts: DictionaryAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[DictionaryAttr]:
        def parse_part(name: str) -> Attribute:
            # Upstream prints a part as an alias of the whole attribute, and reads the shorter form too.
            found = parser.parse_optional_attribute()
            if found is not None or name not in _PARTS:
                return found or parser.parse_attribute()
            return _PARTS[name].new(_PARTS[name].parse_parameters(parser))

        return (_parse(parser, parse_part),)

    def print_parameters(self, printer: Printer) -> None:
        def print_part(part: Attribute) -> None:
            if isinstance(part, AccessGroupAttr):
                printer.print_attribute(part)
                return
            assert isinstance(part, _Hints)
            part.print_parameters(printer)

        _print(printer, self.parts.data, print_part)

    def verify(self) -> None:
        for name, part in self.parts.data.items():
            if name not in _PARTS or not isinstance(part, _PARTS[name]):
                raise VerifyException(f"{self.name} has hints {', '.join(_PARTS)}, not '{name}' that is {part}")


def _parse(parser: AttrParser, parse_value: Callable[[str], Attribute]) -> DictionaryAttr:
    def parse_pair() -> tuple[str, Attribute]:
        name = parser.parse_identifier()
        parser.parse_punctuation("=")
        return name, parse_value(name)

    return DictionaryAttr(dict(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_pair)))


def _print(printer: Printer, values: Mapping[str, Attribute], print_value: Callable[[Attribute], None]) -> None:
    def print_pair(pair: tuple[str, Attribute]) -> None:
        printer.print_string(f"{pair[0]} = ")
        print_value(pair[1])

    with printer.in_angle_brackets():
        printer.print_list(values.items(), print_pair)
