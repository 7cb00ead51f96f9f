"""The oracle finds what is wrong, and says what a reader needs to repeat it."""

import numpy as np
import pytest
from reference import compare_with_oracle as oracle
from reference.compare_with_oracle import Case, compare_with_oracle

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement

SUM = Case("y[i] = a[i] + b[i]", {"a": it.Format("compressed"), "b": None})


@pytest.fixture
def compiled_wrong(monkeypatch):
    """Lets the kernel of a statement be that of another one."""

    def compiled_wrong(notation):
        compile_statement = oracle.compile_statement

        def compile_other(statement, *arguments, **options):
            return compile_statement(parse_statement(notation), *arguments, **options)

        monkeypatch.setattr(oracle, "compile_statement", compile_other)

    return compiled_wrong


def test_a_right_kernel_agrees():
    compare_with_oracle(SUM)


def test_a_wrong_result_is_shown_with_its_operands(compiled_wrong):
    compiled_wrong("y[i] = a[i] - b[i]")
    with pytest.raises(AssertionError) as caught:
        compare_with_oracle(SUM)
    text = str(caught.value)
    assert text.startswith("y[i] = a[i] + b[i] with a: float64 (i) -> (i : compressed), b: float64 None -> None\n")
    said = {}
    for part in ("a", "b", "actual", "expected"):
        said[part] = eval(text.split(f"\n{part} =\n")[1].split("\n")[0], {"array": np.array})
    np.testing.assert_array_equal(said["actual"], said["a"] - said["b"])
    np.testing.assert_array_equal(said["expected"], said["a"] + said["b"])


def test_a_result_of_another_type_is_wrong(compiled_wrong):
    compiled_wrong("y[i] = a[i] < b[i]")
    with pytest.raises(AssertionError, match=r"\(4,\) bool, expected \(4,\) float64"):
        compare_with_oracle(SUM)
