"""What errors look like, where they come from, and that they survive a process boundary."""

import pickle

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, FileLineColLoc, IntAttr, StringAttr
from xdsl.dialects.func import Func

from irtensor.core.diagnostics import (
    InternalError,
    Note,
    SourceLocation,
    UserError,
    collect_remarks,
    location_of,
    remark,
    source_text,
)
from irtensor.dialects.support.located_parser import parse_module

TEXT = """func.func @f(%a : i32) -> i32 {
\t%sum = arith.addi %a, %a : i32
  func.return %sum : i32
}
"""


@pytest.fixture
def module():
    ctx = Context()
    for dialect in (Builtin, Func, Arith):
        ctx.load_dialect(dialect)
    return parse_module(ctx, TEXT, "k.mlir", first_line=11)


def _operations(module):
    return {op.name: op for op in module.walk()}


def test_an_operation_knows_where_its_name_stands(module):
    operations = _operations(module)
    assert str(location_of(operations["func.func"])) == "k.mlir:11:1"
    assert str(location_of(operations["arith.addi"])) == "k.mlir:12:9"
    assert str(location_of(operations["func.return"])) == "k.mlir:13:3"


def test_an_operation_without_a_place_has_that_of_the_one_around_it(module):
    addition = _operations(module)["arith.addi"]
    clone = addition.clone()
    assert location_of(clone) == location_of(addition)
    addition.location = module.location
    assert str(location_of(addition)) == "k.mlir:11:1"


def test_a_written_location_stays(module):
    addition = _operations(module)["arith.addi"]
    addition.location = FileLineColLoc(StringAttr("model.py"), IntAttr(3), IntAttr(4))
    assert str(UserError("s", "m", op=addition)) == "model.py:3:4: error: [s] m"


def test_the_whole_text_of_an_error():
    line = "\t%sum = arith.addi %a, %a : i32"
    error = UserError(
        "loop-order-cycle",
        "'A' needs i before j",
        location=SourceLocation("k.mlir", 12, 9, text_line=line),
        notes=[Note("A is stored (i, j)", location=SourceLocation("k.mlir", 3, 8)), Note("B is not")],
        help="convert B",
    )
    assert str(error).split("\n") == [
        "k.mlir:12:9: error: [loop-order-cycle] 'A' needs i before j",
        "  \t%sum = arith.addi %a, %a : i32",
        "  \t       ^^^^^^^^^^",
        "k.mlir:3:8: note: A is stored (i, j)",
        "note: B is not",
        "help: convert B",
    ]


@pytest.mark.parametrize(
    "column, end, carets",
    [(1, 4, "^^^"), (3, None, "^"), (5, 99, "    ^^^"), (99, None, "       ^"), (5, 5, "    ^")],
)
def test_carets_stay_within_the_line(column, end, carets):
    excerpt = SourceLocation("f", 1, column, end, "a+b+c+d").excerpt()
    assert excerpt[1].strip() == carets.strip()
    assert len(excerpt[1]) <= len(excerpt[0]) + 1


@pytest.mark.parametrize("place", [0, 30, 5000, 99_999])
def test_a_long_line_is_shown_around_the_marked_part(place):
    text = "." * place + "#" * 3 + "." * (100_000 - place)
    line, carets = SourceLocation("f", 1, place + 1, place + 4, text).excerpt()
    assert len(line) < 220 and len(carets) <= len(line)
    marked = [character for character, caret in zip(line, carets) if caret == "^"]
    assert marked == ["#"] * 3
    assert line.startswith("  ... ") is (place > 60) and line.endswith(" ...") is (place < 99_000)


def test_an_error_leaves_a_with_block_with_its_source_line(module):
    addition = _operations(module)["arith.addi"]
    whole = "\n" * 10 + TEXT
    with pytest.raises(UserError) as caught, source_text("k.mlir", whole):
        raise UserError("s", "m", op=addition, notes=[Note("here", op=addition)])
    assert str(caught.value).count("arith.addi %a, %a") == 2
    assert "^^^^^^^^^^" in str(caught.value)


def test_errors_survive_pickling():
    error = UserError("s", "m", location=SourceLocation("f", 1, 2), notes=[Note("n")], help="h")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    internal = InternalError("m", "text", "file.mlir")
    assert str(pickle.loads(pickle.dumps(internal))) == str(internal)


def test_an_error_is_a_value_error():
    assert issubclass(UserError, ValueError)
    assert not issubclass(InternalError, ValueError)


def test_remarks_reach_the_nearest_listener():
    remark("nobody listens")
    with collect_remarks() as outer:
        remark("one")
        with collect_remarks() as inner:
            remark("two", severity="warning")
        remark("three")
    assert [item.message for item in outer] == ["one", "three"]
    assert [str(item) for item in inner] == ["warning: two"]


def test_a_remark_says_which_pass_chose_and_what_about():
    with collect_remarks() as found:
        remark("'A' and 'B' are copied", by="copy-rows", about=["A", "B"])
    assert (found[0].by, found[0].about, found[0].message) == ("copy-rows", ("A", "B"), "'A' and 'B' are copied")
    assert str(found[0]) == "remark: copy-rows: 'A' and 'B' are copied"
