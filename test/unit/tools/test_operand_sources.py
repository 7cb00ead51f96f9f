"""What `A=...` on the command line of irtensor-run becomes."""

import numpy as np
import pytest

import irtensor
from irtensor.core.diagnostics import UserError
from irtensor.tools import irtensor_run
from irtensor.tools.operand_sources import format_named, load_operand, split_binding, store_result

MATRIX = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 -2\n"


@pytest.mark.parametrize(
    "source, expected", [("3", 3), ("-2.5", -2.5), ("1e3", 1000.0), ("inf", float("inf")), ("1+2j", 1 + 2j)]
)
def test_numbers(source, expected):
    value = load_operand("a", source)
    assert value == expected
    assert type(value) is type(expected)


def test_generated_arrays():
    assert np.array_equal(load_operand("x", "ones(2, 3)"), np.ones((2, 3)))
    assert np.array_equal(load_operand("x", "zeros(4)"), np.zeros(4))
    assert np.array_equal(load_operand("x", "random(5)"), load_operand("x", "random(5)"))


def test_files(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    assert np.array_equal(load_operand("x", str(tmp_path / "x.npy")), [0, 1, 2])
    (tmp_path / "a.mtx").write_text(MATRIX)
    matrix = load_operand("A", str(tmp_path / "a.mtx"), format_named("DCSR"))
    assert np.array_equal(matrix.to_numpy(), [[1.5, 0, 0], [0, 0, -2]])
    assert matrix.format == irtensor.DCSR
    store_result(matrix, str(tmp_path / "b.mtx"))
    assert np.array_equal(load_operand("B", str(tmp_path / "b.mtx")).to_numpy(), matrix.to_numpy())


@pytest.mark.parametrize("source, slug", [("absent.mtx", "cannot-read"), (__file__, "bad-binding")])
def test_what_cannot_be_an_operand(source, slug):
    with pytest.raises(UserError) as caught:
        load_operand("A", source)
    assert caught.value.slug == slug


@pytest.mark.parametrize(
    "source, slug, text",
    [
        ("text.npy", "bad-file", "operand 'A': 'text.npy' is not a .npy file of numbers: "),
        ("empty.npy", "bad-file", "operand 'A': 'empty.npy' is not a .npy file of numbers: "),
        ("folder.npy", "cannot-read", "'folder.npy': Is a directory"),
        ("folder.mtx", "cannot-read", "'folder.mtx': Is a directory"),
        ("ones(99999999999999)", "storage-too-large", "operand 'A': ones(99999999999999) does not fit into memory"),
        ("zeros(99999999999999999999)", "storage-too-large", "zeros(99999999999999999999) does not fit into memory"),
    ],
)
def test_what_cannot_be_loaded(tmp_path, monkeypatch, source, slug, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.npy").write_text("1 2 3\n")
    (tmp_path / "empty.npy").touch()
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "folder.mtx").mkdir()
    with pytest.raises(UserError) as caught:
        load_operand("A", source)
    assert caught.value.slug == slug
    assert text in caught.value.message
    assert caught.value.help


@pytest.mark.parametrize("text", ["A", "=x", "A=", "2=x"])
def test_bindings_have_a_name_and_a_value(text):
    with pytest.raises(UserError, match="expects NAME=VALUE"):
        split_binding(text, "an operand")


def test_formats_by_name_with_numbers_and_by_map():
    assert format_named("CSR") == irtensor.CSR
    assert format_named("csr, crd = i8") == irtensor.CSR.with_widths(64, 8)
    assert format_named("coo, pos = i32")(2) == irtensor.COO(2).with_widths(32, 64)
    assert format_named("CSF(3)") == irtensor.CSF(3)
    assert format_named("BCSR(2, 3)") == irtensor.BCSR(2, 3)
    assert format_named("(i, j) -> (j : dense, i : compressed)") == irtensor.CSC


def test_an_unknown_format_is_a_user_error():
    with pytest.raises(UserError, match="CSX"):
        format_named("CSX")
    with pytest.raises(UserError, match="Blocks"):
        format_named("Blocks(2, 2)")


@pytest.mark.parametrize(
    "text", ["Sequence(2)", "TensorFormat(2)", "ModeGeneric(2)", "Dense(3, 3)", f"CSF({'9' * 5000})"]
)
def test_what_is_no_format(text):
    with pytest.raises(UserError) as caught:
        format_named(text)
    assert caught.value.slug == "bad-format" and caught.value.help
    assert len(caught.value.message) < 200


def test_numbers_of_thousands_of_digits():
    with pytest.raises(UserError, match="has a number of 5000 digits"):
        load_operand("x", f"ones({'9' * 5000})")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["y[i] = x[i]", "x=ones(3)", "x=ones(4)"], "an operand for 'x' is given twice: 'ones(3)' and 'ones(4)'"),
        (["y[i] = x[i]", "--format", "x=CSR", "--format", "x=CSC"], "--format for 'x' is given twice: 'CSR' and 'CSC'"),
        (["y[i] = x[i]", "x=ones(3)", "-o", "\0.npy"], "embedded null byte"),
        (["\0.mlir"], "embedded null byte"),
        (["bytes.mlir"], "'bytes.mlir' is not UTF-8 text (byte 0)"),
    ],
)
def test_what_names_no_file_or_two(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bytes.mlir").write_bytes(b"\xff\xfe")
    assert irtensor_run.main(arguments) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["y[i] = A[i]", "A"], ["y[i] = A[i]", "--format", "A"], ["absent.mlir"], [], ["y = A", "--nothing"]]
)
def test_mistakes_are_user_errors(arguments, capsys):
    assert irtensor_run.main(arguments) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("error: [")
    assert "Traceback" not in errors
