"""Arguments that are not what their name promises: the message says what each has to be."""

# All arguments are wrong on purpose.
# pyrefly: ignore-errors[bad-argument-type]

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.frontend.arguments import as_flag, as_integer, as_mapping, as_text, is_list, is_word

A = it.Tensor.from_numpy(np.eye(3), it.CSR)
i, j = it.indices("i j")
MANY = np.ones((3, 3))


def row_sums():
    C = it.tensor_variable("C", 1)
    C[i] = it.functions.sum(j, A[i, j])
    return C


CALLS = [
    (lambda: it.compile(b"y[i] = x[i]"), "the notation is a text, not bytes"),
    (lambda: it.compile("y[i] = x[i]", MANY), "formats maps names of tensors, as in formats={'A': ...}; got ndarray"),
    (
        lambda: it.compile("y[i] = x[i]", dtypes=sp.dok_matrix(MANY)),
        "dtypes maps names of tensors, as in dtypes={'A': ...}; got dok_matrix",
    ),
    (lambda: it.compile("y[i] = x[i]", operators=1.5), "operators are made by irtensor.operator; got float"),
    (
        lambda: it.compile("y[i] = x[i]", operators=sp.bsr_matrix(MANY)),
        "operators are made by irtensor.operator; got bsr_matrix",
    ),
    (lambda: it.compile("y[i] = x[i]", exact=MANY), "exact= is True or False, not ndarray"),
    (lambda: it.compile("y[i] = x[i]", convert="no"), "convert= is True or False, not 'no'"),
    (lambda: it.compile("y[i] = x[i]", schedule=MANY), "schedule= is made by irtensor.schedule(), not ndarray"),
    (lambda: it.compile_module("", convert=MANY), "convert= is True or False, not ndarray"),
    (lambda: it.einsum("i->", MANY[0], exact=2), "exact= is True or False, not 2"),
    (lambda: it.einsum("i->", MANY[0], convert=MANY), "convert= is True or False, not ndarray"),
    (
        lambda: it.einsum(MANY, sp.bsr_matrix(MANY)),
        "subscripts must be a string, or a list of integers after each operand, not bsr_matrix",
    ),
    (lambda: it.indices(3), "a list of index variables is a text, not int"),
    (lambda: it.tensor_variable(A, 2), "the name of a tensor is a text, not Tensor"),
    (lambda: it.tensor_variable("C", 1.5), "the rank of a tensor is an integer, not 1.5"),
    (lambda: row_sums().evaluate([1]), "operands maps names of tensors, as in operands={'A': ...}; got list"),
    (lambda: row_sums().evaluate(exact="yes"), "exact= is True or False, not 'yes'"),
    (lambda: it.operator([], lambda a, b: a), "the name of an operator is a text, not list"),
    (lambda: it.functions.elementwise(A[i, j], 1), "the name of an operator is a text, not LazyExpression"),
    (lambda: A.sum(MANY), "axis is an integer, not ndarray"),
    (lambda: A.sum(axis="rows"), "axis is an integer, not 'rows'"),
    (lambda: A.max(0, keepdims=MANY), "keepdims= is True or False, not ndarray"),
    (lambda: A.diagonal(A), "offset is an integer, not Tensor"),
    (lambda: A.round(0.5), "decimals is an integer, not 0.5"),
    (lambda: A.clip(0, 1, out=[1]), "out= is a NumPy array or a Tensor, not list"),
    (lambda: A.round(400), "decimals is 400, outside of -308 to 308"),
    (lambda: it.einsum("i->", MANY[0], casting=1), "casting must be str, not int"),
    (lambda: it.einsum("i->", MANY[0], order=1), "order must be str, not int"),
    (lambda: it.einsum("i->", MANY[0], dtype=it.MIN_PLUS), f"dtype={it.MIN_PLUS!r} is not a dtype"),
    (lambda: it.einsum("i->", MANY[0], semiring=it.Semiring("min", "add", it.MIN_PLUS)), "is not a dtype"),
    (lambda: it.Semiring([], "add"), "the addition of a semiring is the name of an operator, not list"),
    (lambda: it.Semiring("min", 3), "the multiplication of a semiring is the name of an operator, not int"),
    (
        lambda: it.compile("y[i] = x[i]", dtypes={"x": it.MIN_PLUS})(x=MANY[0]),
        f"dtypes['x'] = {it.MIN_PLUS!r} is not a",
    ),
    (lambda: A.astype(it.MIN_PLUS), f"the result: {it.MIN_PLUS!r} is not a dtype"),
    (lambda: it.Tensor.from_coo([[0], [0]], [1.0], shape=sp.bsr_matrix(MANY)), "is not a tuple of integers"),
    (lambda: it.CSF(3, [MANY, 0, 1]), "does not name each dimension from 0 to 2 once"),
    (lambda: it.CSF(3, sp.bsr_matrix(MANY)), "does not name each dimension from 0 to 2 once"),
    (
        lambda: A.clip(0, 1, out=np.zeros(2)),
        "out has shape (2,) and dtype float64, the result has (3, 3) and float64",
    ),
    (
        lambda: A.clip(0, 1, out=np.zeros((3, 3), int)),
        "out has shape (3, 3) and dtype int64, the result has (3, 3) and float64",
    ),
    (lambda: A.replace_storage("csr"), "the storage is that of a Tensor, not of str"),
    (lambda: it.Tensor.from_scipy(sp.csr_array(MANY), check=MANY), "check= is True or False, not ndarray"),
    (lambda: it.operator("f", lambda a, b: a, associative=MANY), "associative= is True or False, not ndarray"),
    (lambda: it.compile("y[i] = x[i]").llvm_ir(MANY), "optimized= is True or False, not ndarray"),
    (lambda: it.write("a.tns", A, header=MANY), "header= is True or False, not ndarray"),
    (lambda: A.with_fill(MANY), f"fill value {MANY!r} is not a number"),
    (lambda: it.read(MANY), "the name of a file is a text or a path, not ndarray"),
    (lambda: it.write(3, A), "the name of a file is a text or a path, not int"),
    (lambda: it.Tensor.from_coo(sp.bsr_matrix(MANY), [1.0]), "of type bsr_matrix are not (rank, entries) integers"),
    (lambda: it.Tensor.from_coo([[0], [0]], [1.0], duplicates=MANY), f"duplicates={MANY!r} is not a policy"),
    (lambda: it.schedule().precompute("A[i,j]", over=sp.dia_matrix(MANY)), "over= takes a name or several, not"),
    (lambda: it.schedule().parallelize("i", races=MANY), f"not {MANY!r}"),
]


@pytest.mark.parametrize(("call", "text"), CALLS, ids=[str(number) for number in range(len(CALLS))])
def test_what_an_argument_has_to_be(call, text):
    with pytest.raises(it.UserError) as caught:
        call()
    assert text in caught.value.message


def test_what_passes():
    assert as_text("the text", np.str_("a")) == "a"
    assert [as_flag("it", value) for value in (None, 0, 1, np.False_, np.True_)] == [False, False, True, False, True]
    assert as_integer("it", np.int8(3)) == 3 and as_integer("it", np.array(4)) == 4
    assert as_mapping("formats", None) == {} and as_mapping("formats", {"A": 1}) == {"A": 1}
    assert is_word("auto", "auto") and not is_word(np.array("auto"), "auto")
    assert [is_list(value) for value in ([], (1,), iter([1]), {}, np.arange(3))] == [True] * 5
    assert not any(is_list(value) for value in ("ij", 1, None, MANY, np.array(1), sp.csr_matrix(MANY)))


def test_a_dtype_that_is_that_of_an_array():
    """As NumPy reads it, whether the array has a hash or none."""
    for array in (sp.dia_matrix(MANY.astype("f4")), A.astype("f4")):
        assert it.einsum("i,i->i", MANY[0], MANY[0], dtype=array, casting="unsafe").dtype == np.float32
