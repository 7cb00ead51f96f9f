"""What a search found is made ready to be run: operands that cannot be read as it asks for, and results scattered into.

The cases are those of the published implementation of Ahrens 2022, section 7.8, where they apply (research notes on the
paper, section 5); operands as a whole are converted by `support-protocols`, which has tests of its own.
"""

import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f64

from irtensor.core.operators import OPERATORS
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.autoschedule.collect_result import collect_result, store_in_place
from irtensor.passes.autoschedule.convert_operands import conversion_effort, convert_operands, filling_effort
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import Access, Assign, Call, Where, loops_over, text_of
from irtensor.passes.concrete_index.support.operand_formats import format_to_read

IKJ = "(i, j, k) -> (i : compressed, k : compressed, j : compressed)"
UC, CC, UU = "dense, compressed", "compressed, compressed", "dense, dense"
MARKS = {"s": STEP, "l": LOCATE}


def access(text):
    """`B[l(i),s(j)]`, `A[i,j]` or `w`."""
    tensor, _, rest = text.rstrip("]").partition("[")
    indices = [one for one in rest.split(",") if one]
    marks = tuple(MARKS[one[0]] for one in indices if "(" in one)
    return Access(tensor, tuple(one[2] if "(" in one else one for one in indices), marks)


def sum_of(target, *factors):
    reads = tuple(map(access, factors))
    return Assign(access(target), OPERATORS["add"], reads[0] if len(reads) == 1 else Call(OPERATORS["mul"], reads))


def program(statement, **formats):
    types = {}
    for name, text in formats.items():
        format = TensorFormat.parse(text)
        types[name] = TensorType(f64, [DYNAMIC_INDEX] * format.rank, FormatAttr(format))
    return Program(statement, {}, dict(zip(types, create_block(tuple(types.values())).args, strict=True)))


def converted(statement, **formats):
    return text_of(convert_operands(statement, program(statement, **formats)))


def collected(statement, **formats):
    return text_of(collect_result(statement, program(statement, **formats)))


def test_located_below_the_outermost_loop():
    """R1: the second read is located by columns, of which one is there at a time; the first is as it is stored."""
    statement = loops_over("ij", sum_of("A[i,j]", "B[l(i),s(j)]", "B[l(j),l(i)]"))
    assert converted(statement, A=UU, B=UC) == (
        "forall i: ((forall j: A[i,j] += B[l(i),s(j)] * B_row[l(j)]) where (forall j: B_row[j] = B[s(j),l(i)]))"
    )


@pytest.mark.parametrize("stored", [IKJ, CC + ", compressed"])
def test_other_orders_are_not_for_workspaces(stored):
    """R2: whole operands are put into the order of the loops."""
    statement = loops_over("ijk", sum_of("A[i,j]", "B[s(i),s(j),s(k)]"))
    assert converted(statement, A=UU, B=stored) == text_of(statement)
    assert (conversion_effort(statement, program(statement, A=UU, B=stored)) > 0) == (stored == IKJ)


def test_results_in_another_order():
    """R3: the result is stored by columns, and written by rows."""
    statement = loops_over("ij", sum_of("A[i,j]", "B[l(i),s(j)]"))
    assert collected(statement, A="(i, j) -> (j : dense, i : compressed)", B=UC) == (
        "(forall ji: A[i,j] = A_row[s(j),s(i)]) where (forall ij: A_row[j,i] += B[l(i),s(j)])"
    )


def test_results_that_rows_are_scattered_into():
    """R4 and R6: only what is appended to is collected, and one row at a time (Gustavson 1978)."""
    statement = loops_over("ikj", sum_of("A[i,j]", "B[l(i),s(k)]", "C[l(k),s(j)]"))
    assert collected(statement, A=UU, B=UC, C=UC) == text_of(statement)
    assert collected(statement, A=UC, B=UC, C=UC) == (
        "forall i: ((forall j: A[i,j] = A_row[s(j)]) where (forall kj: A_row[j] += B[l(i),s(k)] * C[l(k),s(j)]))"
    )


def test_the_outermost_level_takes_the_whole_operand():
    """R5: the order of levels and what they are change at once; deeper than one dimension a table would not be."""
    statement = loops_over("ijk", sum_of("A[i,j]", "B[s(i),s(j),l(k)]", "c[k]"))
    stored = "(i, j, k) -> (k : compressed, i : dense, j : compressed)"
    assert converted(statement, A=UU, B=stored, c="dense") == text_of(statement)
    # Loops over i, j and k bind the levels 1, 2 and 0.
    found = format_to_read(TensorFormat.parse(stored), [1, 2, 0], [STEP, STEP, LOCATE])
    assert str(found) == "(i, j, k) -> (i : compressed, j : compressed, k : hashed)"
    listed = TensorFormat.parse(CC)
    assert format_to_read(listed, [0, 1], [LOCATE, STEP]) == TensorFormat.parse(UC)
    assert format_to_read(listed, [0, 1], [LOCATE, LOCATE]) == TensorFormat.parse("dense, hashed")
    assert format_to_read(TensorFormat.parse(UC), [0, 1], [STEP, STEP]) == listed
    tuples = TensorFormat.parse("compressed(nonunique), singleton")
    assert format_to_read(tuples, [0, 1], [STEP, STEP]) == tuples
    assert format_to_read(tuples, [0, 1], [LOCATE, STEP]) == TensorFormat.parse(UC)
    # What finds any coordinate needs no order.
    assert format_to_read(TensorFormat.parse(UU), [1, 0], [LOCATE, LOCATE]) == TensorFormat.parse(UU)


def test_copies_are_where_the_levels_above_are_known():
    """Both sides of a where are inside of the loop that a copy is made in; nothing else reads the operand."""
    inner = Where(
        loops_over("i", sum_of("A[i,j]", "w[s(i)]")),
        loops_over("ki", sum_of("w[i]", "B[s(k),s(i)]", "C[s(j),s(k)]", "D[s(j),l(k)]")),
    )
    assert converted(loops_over("j", inner), A=UU, B=CC, C=CC, D=CC) == (
        "forall j: (((forall i: A[i,j] += w[s(i)]) where "
        "(forall ki: w[i] += B[s(k),s(i)] * C[s(j),s(k)] * D_row[l(k)])) where (forall k: D_row[k] = D[s(j),s(k)]))"
    )
    # Where two levels are known, only what is below both is copied.
    deep = loops_over("ijk", sum_of("a", "B[s(i),s(j),l(k)]", "C[s(i),s(j),s(k)]"))
    assert converted(deep, B=CC + ", compressed", C=CC + ", compressed") == (
        "forall ij: ((forall k: a += B_row[l(k)] * C[s(i),s(j),s(k)]) where (forall k: B_row[k] = B[s(i),s(j),s(k)]))"
    )


def test_names_are_not_taken_twice():
    statement = loops_over("ij", sum_of("B_row[i,j]", "B[s(i),l(j)]", "C[s(i),s(j)]"))
    assert "B_row_[l(j)]" in converted(statement, B_row=UU, B=CC, C=CC)


def test_the_effort_of_conversions():
    """To fill a row anew in each iteration, to put an operand of two modes in another order, to hash it; of three."""
    statement = loops_over("ij", sum_of("A[i,j]", "B[s(i),l(j)]", "C[s(i),s(j)]"))
    row = conversion_effort(statement, program(statement, A=UU, B=CC, C=CC))
    listed = conversion_effort(statement, program(statement, A=UU, B=CC, C=UC)) - row
    assert conversion_effort(statement, program(statement, A=UU, B="compressed, hashed", C=CC)) == 0
    hashed = loops_over("kji", sum_of("A[i,j]", "B[l(j),l(i)]"))
    tables = conversion_effort(hashed, program(hashed, A=UU, B=CC))
    deep = loops_over("ijk", sum_of("A[i,j]", "B[s(i),s(j),s(k)]"))
    transposed = conversion_effort(deep, program(deep, A=UU, B=IKJ))
    assert row == filling_effort(1)
    assert filling_effort(0) == 0 < row < listed < tables < filling_effort(2) < transposed
    assert tables == 2 * listed


IN_PLACE = [
    # A row, whose variables are other ones where it is made, and all of a result.
    (
        "forall i: ((forall j: A[i,j] = w[s(j)]) where (forall km: w[m] += B[s(i),s(k)] * C[s(k),s(m)]))",
        "forall ikm: A[i,m] += B[s(i),s(k)] * C[s(k),s(m)]",
    ),
    ("(forall ij: A[j,i] = w[s(i),s(j)]) where (forall jki: w[i,j] += B[k,i,j])", "forall jki: A[j,i] += B[k,i,j]"),
    # What copies may be made in several steps.
    (
        "forall i: ((forall j: A[i,j] = w[s(j)]) where "
        "((forall j: w[j] = v[s(j)]) where (forall jk: v[j] += B[i,j,k])))",
        "forall ijk: A[i,j] += B[i,j,k]",
    ),
]
NOT_IN_PLACE = [
    # Stored again in each iteration over k.
    "forall k: ((forall j: A[j] = w[s(j)]) where (forall j: w[j] += B[k,j]))",
    # Of loops that are not there, added, scaled, or a part.
    "(A[i,j] = C[i]) where (w += B[i,j])",
    "forall i: ((forall j: A[i,j] += w[s(j)]) where (forall jk: w[j] += B[i,j,k]))",
    "forall i: ((forall j: A[i,j] = w[s(j)] * C[i,j]) where (forall jk: w[j] += B[i,j,k]))",
    "forall i: ((A[i] = w[s(i)]) where (forall jk: w[j] += B[i,j,k]))",
]


@pytest.mark.parametrize(("text", "expected"), IN_PLACE)
def test_copies_of_the_result_are_stored_in_place(text, expected):
    assert text_of(store_in_place(parse_program(text, "ijkm"))) == expected


@pytest.mark.parametrize("text", NOT_IN_PLACE)
def test_what_is_no_copy_of_the_result_stays(text):
    assert text_of(store_in_place(parse_program(text, "ijkm"))) == text
