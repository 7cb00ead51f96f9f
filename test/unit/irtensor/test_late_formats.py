"""Formats of operations are read when they are needed, and then parse and print what xDSL's do."""

import json
import subprocess
import sys

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, i32
from xdsl.dialects.test import Test
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from irtensor.late_formats import formats_read_late

LOAD = """
import json
from xdsl.irdl.declarative_assembly_format_parser import FormatParser
read = []
known = FormatParser.parse_format
FormatParser.parse_format = lambda parser: (read.append(parser.op_def.name), known(parser))[1]
from irtensor.late_imports import load_for
load_for("compiling")
loaded = len(read)
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import i32
one = ConstantOp.from_int_and_width(1, i32)
print(json.dumps([loaded, str(AddiOp(one, one)), str(AddiOp(one, one)), read]))
"""
MODULE = """builtin.module {
  %0 = "test.op"() : () -> i32
  %1 = demo.twice of %0
}"""


class Twice(IRDLOperation):
    name = "demo.twice"
    number = operand_def(i32)
    result = result_def(i32)
    assembly_format = "`of` $number attr-dict"


def test_the_compiler_is_loaded_without_reading_a_format():
    run = subprocess.run([sys.executable, "-c", LOAD], stdout=subprocess.PIPE, text=True, check=True)
    text = "%0 = arith.addi %1, %1 : i32"
    assert json.loads(run.stdout) == [0, text, text, ["arith.addi"]]


def test_a_late_format_parses_and_prints():
    with formats_read_late():
        twice = irdl_op_definition(Twice)
    context = Context()
    for dialect in (Builtin, Test, Dialect("demo", [twice])):
        context.load_dialect(dialect)
    assert str(Parser(context, MODULE).parse_module()) == MODULE
    with pytest.raises(ParseError):
        Parser(context, MODULE.replace(" of ", " from ")).parse_module()


def test_formats_are_read_at_once_outside_and_after_an_error():
    known = FormatProgram.from_str
    with pytest.raises(RuntimeError), formats_read_late():
        assert FormatProgram.from_str is not known
        raise RuntimeError
    assert FormatProgram.from_str is known
