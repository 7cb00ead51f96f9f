"""Operators, functions and reductions of tensors and arrays on a GPU, beside NumPy's; see test/support/cuda_stub.py."""

from __future__ import annotations

from cuda_stub import run_on_card

# Under one name: a tensor or array on the card, and the same elements as NumPy's array.
BEGIN = """
import copy, operator, warnings
warnings.simplefilter("ignore")
integers, flags = np.array([[1, 0, -2], [0, 0, 3]]), np.array([[True, False, True], [False, False, True]])
HOST = dict(A=a, I=integers, B=flags, F=a.astype("f4"), C=a + 2j * a, D=a, X=x, N=integers[0], L=flags[0])
CARD = {name: it.Tensor.from_numpy(HOST[name], "csr").to_device() for name in "AIBFC"}
CARD["D"] = it.Tensor.from_numpy(a).to_device()
CARD |= {name: it.cuda.to_device(HOST[name]) for name in "XNL"}
i, j = it.indices("i j")

def difference(use):
    '''What is wrong with what the card gives, if anything is.'''
    expected, found = eval(use, globals(), HOST), eval(use, globals(), CARD)
    if not isinstance(found, it.DeviceArray | type(CARD["A"])):
        return f"{use}: {type(found).__name__}"
    found = found.to_numpy()
    if found.dtype != np.asarray(expected).dtype or found.shape != np.shape(expected):
        return f"{use}: {found.dtype} {found.shape}"
    same = np.allclose(found, expected, rtol=1e-6, atol=0, equal_nan=True)
    return None if same else f"{use}: {found} {expected}"

def differences(uses):
    return [found for found in map(difference, uses) if found]
"""


def check(*uses: str) -> None:
    assert run_on_card(BEGIN + f"show(differences({uses!r}))").shown == [[]]


def test_reductions_of_tensors():
    names = ("sum", "prod", "mean", "max", "min", "any", "all")
    check(*(f"{tensor}.{name}(axis=0)" for tensor in "IB" for name in names), "F.mean()", "D.sum(axis=1)", "B.sum()")


def test_reductions_of_arrays():
    check(*(f"{array}.{name}()" for array in "XNL" for name in ("sum", "prod", "mean", "max", "min", "any", "all")))
    check("I.sum(axis=1, keepdims=True)", "N.sum(dtype='f4')", "B.sum(axis=())", "X.sum(axis=0)", "np.sum(N)")
    check("np.add.reduce(I)", "C.sum()", "I.mean(dtype='f4')", "N.sum(keepdims=True)", "B.prod(axis=1)")


def test_conversions_of_elements():
    types = ("bool", "int8", "int32", "int64", "float32", "float64", "complex128")
    check(*(f"{given}.astype('{dtype}')" for given in "IBXL" for dtype in types))
    check("C.astype('complex64')", "C.astype(bool)", "(I + 2).astype(float)")


def test_operators_of_arrays():
    signs = ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=")
    check(*(f"X {sign} X" for sign in signs), *(f"X {sign} 2" for sign in signs), *(f"2 {sign} X" for sign in signs))
    check("-X", "abs(-X)", "+X", "~N", "~L", "N & 1", "L | L", "L ^ L", "X @ X", "X + N", "np.float64(2) * X")
    check("A * X", "X + A", "X @ A.T", "np.matmul(A, X)", "np.matmul(X, X)", "D == D", "D * X")


def test_functions_of_arrays():
    check("np.sin(X)", "np.maximum(X, 2)", "np.logical_not(L)", "X.clip(2, 3)", "X.round(1)", "np.isnan(X)")
    check("copy.copy(X)", "copy.deepcopy(A)", "operator.iadd(X, 1.0)", "operator.imul(A, 2)")


def test_an_array_is_indexed_by_variables():
    ran = run_on_card(
        BEGIN
        + """
y = it.tensor_variable("y", 1)
y[i] = CARD["A"][i, j] * CARD["X"][j]
show(y.evaluate().to_numpy().tolist(), len(CARD["X"]), len(CARD["A"]))
z = it.cuda.to_device(np.zeros(2))
z[i] = CARD["A"][i, j] * CARD["X"][j]
np.negative(z, out=z)
show(z.to_numpy().tolist())
T = CARD["I"]
T[i, j] = T[i, j] * 2
show(T.to_numpy().tolist(), T.nnz, T.format == CARD["A"].format)
"""
    )
    assert ran.shown == [[9.0, 12.0], 3, 2, [-9.0, -12.0], [[2, 0, -4], [0, 0, 6]], 3, True]


def test_a_comparison_of_arrays_is_no_truth_value_and_they_are_no_keys():
    ran = run_on_card(
        """
        Y = it.cuda.to_device(x)
        show(type(X == Y).__name__, X == None, raised(lambda: hash(X)), raised(lambda: bool(X == Y)))
        """
    )
    assert ran.shown[:3] == ["DeviceArray", False, "TypeError: unhashable type: 'DeviceArray'"]
    assert ran.shown[3].startswith("UserError: error: [operand-on-device] an array of shape (3,) is on GPU 0")


def test_what_is_stored_as_asked_is_given_as_it_is():
    ran = run_on_card(
        "show(A.to_format('csr') is A, A.tocsr() is A, A.T.tocsc().format == A.T.format, it.as_tensor(A) is A)"
    )
    assert ran.shown == [True] * 4


def test_arrays_that_are_there_already():
    ran = run_on_card(
        """
        show(it.cuda.to_device(X) is X, X.astype(float) is X)
        other = it.cuda.to_device(X, device=1)
        show(other.device, other.to_numpy().tolist())
        """,
        devices=2,
    )
    assert ran.shown == [True, True, 1, [1.0, 2.0, 4.0]]


def test_a_page_of_a_tensor_copies_nothing():
    ran = run_on_card("show(A._repr_html_())")
    assert "<tr><th>stored</th><td>3</td></tr><tr><th>device</th><td>0</td></tr></table>" in ran.shown[0]
    assert not ran.named("cuMemcpyDtoHAsync_v2")


def test_memory_of_results_is_given_back():
    ran = run_on_card(
        """
        import gc
        z = (A.astype("f4") + 1).sum(), X == X, -X, X.astype(int).mean()
        Z = it.cuda.to_device(x)
        Z[it.indices("i")] = X[it.indices("i")] + 1
        del z, Z, A, X
        gc.collect()
        """,
        to_the_end=True,
    )
    assert ran.kept() == set()
