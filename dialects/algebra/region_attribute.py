"""`#algebra.region`: where an operator has a value, as an attribute of its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntAttr, StringAttr
from xdsl.ir import Attribute, Data
from xdsl.ir import Region as IrRegion
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from irtensor.core.diagnostics import UserError
from irtensor.core.regions import Region, parse_region, region_text
from irtensor.dialects.algebra.scalar_types import constant_type


class NamedRegion(NamedTuple):
    """A region, and what its operands are called in the text."""

    names: tuple[str, ...]
    region: Region


@irdl_attr_definition
class RegionAttr(Data[NamedRegion]):
    """Where an operator has a value, by which operands are stored: `#algebra.region<(a, b) -> a and not b>`.

    Operands are joined by `and`, `or`, `xor` and `not`; `everywhere` and `nowhere` are regions, too.
    """

    name = "algebra.region"

    @staticmethod
    def of(names: Sequence[str], region: Region) -> RegionAttr:
        return RegionAttr(NamedRegion(tuple(names), region))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> NamedRegion:
        with parser.in_angle_brackets():
            names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
            parser.parse_punctuation("->")
            words: list[str] = []
            position = parser.pos
            while (word := _optional_word(parser)) is not None:
                words.append(word)
            try:
                return NamedRegion(tuple(names), parse_region(" ".join(words), names))
            except UserError as error:
                parser.raise_error(f"[{error.slug}] {error.message}", position)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            names, region = self.data.names, self.data.region
            printer.print_string(f"({', '.join(names)}) -> {region_text(region, names)}")


def _optional_word(parser: AttrParser) -> str | None:
    for parenthesis in ("(", ")"):
        if parser.parse_optional_punctuation(parenthesis):
            return parenthesis
    return parser.parse_optional_identifier()


class _Declaration(Protocol):
    """What the rules of regions ask of `algebra.operator`."""

    sym_name: StringAttr
    function_type: FunctionType
    region: RegionAttr | None
    fill: Attribute | None
    cases: ArrayAttr[ArrayAttr[IntAttr]] | None

    @property
    def case_bodies(self) -> Sequence[IrRegion]: ...


def verify_regions(operator: _Declaration) -> None:
    """The region of an operator names its operands; its fill has the result's type; its cases differ."""
    name, inputs, outputs = operator.sym_name.data, operator.function_type.inputs.data, operator.function_type.outputs
    if operator.region is not None and len(operator.region.data.names) != len(inputs):
        count = len(operator.region.data.names)
        raise VerifyException(f"the region of operator @{name} names {count} operands, the operator has {len(inputs)}")
    if operator.fill is not None and constant_type(operator.fill) != outputs.data[0]:
        raise VerifyException(f"the fill of operator @{name} is {operator.fill}, not of its result type")
    cases = [tuple(number.data for number in case.data) for case in operator.cases or ()]
    if len(cases) != len(operator.case_bodies):
        raise VerifyException(f"operator @{name} has {len(cases)} cases and {len(operator.case_bodies)} bodies of them")
    for case in cases:
        if any(not 0 <= number < len(inputs) for number in case):
            raise VerifyException(f"a case of operator @{name} is {[*case]}, but it has {len(inputs)} operands")
        if list(case) != sorted(set(case)) or cases.count(case) > 1:
            raise VerifyException(f"a case of operator @{name} is {[*case]}; each has its numbers in order, once")
    for body in operator.case_bodies:
        if tuple(argument.type for argument in body.block.args) != inputs:
            raise VerifyException(f"a case of operator @{name} does not take what the operator takes")
