"""Kernels of equal calls of `compile` and `compile_module`: what they share, and what each has of its own."""

import gc
import pickle
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from calls_made import calls_made

import irtensor as it
from irtensor.compiler.compilation import compile_kernel
from irtensor.compiler.kernel import specialiser
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.options import Options

A = sp.csr_array(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
x = np.array([1.0, 10.0, 100.0])
PRODUCT = "y[i] = A[i,j] * x[j]"
FORMATS = {"A": it.CSR}


@pytest.fixture(autouse=True)
def nothing_is_known():
    it.clear_caches()


@pytest.fixture
def parsed(monkeypatch):
    """The statements that are parsed."""
    from irtensor.frontend.notation.notation_parser import parse_notation

    texts: list[str] = []

    def parse(text, *others):
        texts.append(text)
        return parse_notation(text, *others)

    # The module, and not the function of its name.
    monkeypatch.setitem(it.compile.__globals__, "parse_notation", parse)
    return texts


@pytest.fixture
def asked(monkeypatch):
    """The settings with which specialisers ask for kernels."""
    settings: list[Options] = []

    def ask(request, given, *others):
        settings.append(given)
        return compile_kernel.compiled_with(request, given, *others)

    monkeypatch.setattr(specialiser, "compiled_with", ask)
    return settings


def test_equal_calls_parse_and_compile_once(parsed, asked):
    for _ in range(3):
        kernel = it.compile(PRODUCT, formats=FORMATS)
        np.testing.assert_array_equal(kernel(A=A, x=x), A @ x)
    assert parsed == [PRODUCT]
    assert len(asked) == 1


def test_compound_assignments_share_both_variants(asked):
    for _ in range(3):
        kernel = it.compile("y[i] += A[i,j] * x[j]", formats=FORMATS)
        np.testing.assert_array_equal(kernel(A=A, x=x), A @ x)
        np.testing.assert_array_equal(kernel(A=A, x=x, y=np.ones(2)), A @ x + 1)
    assert len(asked) == 2


def test_each_kernel_explains_its_own_calls():
    first, second = (it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSC}) for _ in range(2))
    first(A=A, x=x.astype(np.float32).astype(complex))
    assert "is converted" in first.explain()
    assert "is converted" not in second.explain()
    second(A=A, x=x)
    assert "complex<f64>" in first.ir() and "complex<f64>" not in second.ir()
    assert first.read_formats == second.read_formats


def differing():
    """Calls of which no two are equal."""
    declared = it.operator("f", lambda a, b: a + b, identity=0.0, associative=True)
    negative = it.operator("f", lambda a, b: a + b, identity=-0.0, associative=True)
    reduced = "y[i] = @f(j, A[i,j] * x[j])"
    return [
        lambda: it.compile(PRODUCT),
        lambda: it.compile(PRODUCT + " "),
        lambda: it.compile(PRODUCT, formats=FORMATS),
        lambda: it.compile(PRODUCT, formats={"A": "csc"}),
        lambda: it.compile(PRODUCT, formats={"x": it.CSR.of(["compressed"])}),
        lambda: it.compile(PRODUCT, dtypes={"x": "float32"}),
        lambda: it.compile(PRODUCT, convert=False),
        lambda: it.compile(PRODUCT, exact=True),
        lambda: it.compile(PRODUCT, schedule="auto"),
        lambda: it.compile(PRODUCT, schedule=it.schedule().parallelize("i")),
        lambda: it.compile(PRODUCT, tune="samples"),
        lambda: it.compile(PRODUCT, strict_fp=True),
        lambda: it.compile(PRODUCT, num_threads=1),
        lambda: it.compile(PRODUCT, num_threads=2),
        lambda: it.compile(PRODUCT, target="cuda-emulated"),
        lambda: it.compile(reduced, operators=[declared]),
        lambda: it.compile(reduced, operators=[negative]),
    ]


def test_every_argument_makes_a_difference(parsed):
    calls = differing()
    for number, call in enumerate(calls, 1):
        call()
        assert len(parsed) == number
    for call in calls:
        call()
    assert len(parsed) == len(calls)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"num_threads": 1}, {"num_threads": True}),
        ({"num_threads": 1}, {"num_threads": 1.0}),
        ({"verify": True}, {"verify": 1}),
        ({"convert": 1}, {"convert": 1.5}),
        ({"exact": True}, {"exact": "yes"}),
        ({}, {"formats": {"A": [it.CSR]}}),
        ({}, {"dtypes": {"A": {}}}),
        ({}, {"operators": [[]]}),
    ],
)
def test_what_is_wrong_is_refused_after_what_is_right(good, bad):
    it.compile(PRODUCT, **good)
    for _ in range(2):
        with pytest.raises(it.UserError):
            it.compile(PRODUCT, **bad)


def test_errors_are_not_remembered(parsed):
    for _ in range(2):
        with pytest.raises(it.UserError, match=r"\[syntax-error\]"):
            it.compile("y[i] = A[i,j] *")
    assert len(parsed) == 2


def test_an_operator_alone_is_one():
    plus = it.operator("plus", lambda a, b: a + b)
    given: list[Any] = [plus, iter([plus])]
    for operators in given:
        np.testing.assert_array_equal(it.compile("y[i] = @plus(a[i], b[i])", operators=operators)(a=x, b=x), x + x)


def test_formats_that_change_later_change_no_kernel():
    formats: dict[str, Any] = {"y": it.CSR}
    first = it.compile("y[i,j] += A[i,j]", formats=formats)
    formats["y"] = "csc"
    assert it.compile("y[i,j] += A[i,j]", formats={"y": it.CSR})(A=A).format == it.CSR
    assert first(A=A, y=it.Tensor.from_scipy(A)).format == it.CSR


def test_the_environment_counts_when_a_kernel_is_made_and_when_it_compiles(monkeypatch, asked):
    text, single = "s = sum(i, x[i] * z[i] * z[i])", x.astype(np.float32)
    monkeypatch.setenv("IRTENSOR_STRICT_FP", "0")
    it.compile(text)(x=x, z=x)
    early = it.compile(text)
    monkeypatch.setenv("IRTENSOR_STRICT_FP", "1")
    it.compile(text)(x=x, z=x)
    # What is new to a kernel that is older than a setting is compiled as the setting says, and shared with no other.
    early(x=single, z=single)
    # What is not new is as it was.
    early(x=x, z=x)
    monkeypatch.setenv("IRTENSOR_STRICT_FP", "0")
    it.compile(text)(x=single, z=single)
    assert [settings.strict_fp for settings in asked] == [False, True, True, False]


def test_the_target_may_come_from_the_environment(monkeypatch):
    assert it.compile(PRODUCT).options["target"] == "cpu"
    monkeypatch.setenv("IRTENSOR_TARGET", "cuda-emulated")
    assert it.compile(PRODUCT).options["target"] == "cuda-emulated"


def test_each_kernel_warns(asked):
    for _ in range(2):
        kernel = it.compile("X[i,j] = A[i,j] + w[j]", formats={"A": it.CSR, "X": it.CSR})
        with pytest.warns(it.DenseResultWarning):
            kernel(A=A, w=x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kernel(A=A, w=x)
    assert len(asked) == 1


def test_sizes_choose_for_each_kernel(asked):
    for _ in range(2):
        kernel = it.compile(PRODUCT, schedule="auto")
        np.testing.assert_array_equal(kernel(A=A, x=x), A @ x)
        assert "schedule" in kernel.explain()
    assert len(asked) == 1


def test_modules_are_remembered(asked):
    text = it.compile("y[i] = 2 * x[i]").ir()
    kernels = [it.compile_module(text) for _ in range(2)]
    for kernel in kernels:
        np.testing.assert_array_equal(kernel(x), 2 * x)
        assert "tensor<?xf64>" in kernel.explain()
    assert len(asked) == 1
    unusable: dict[str, Any] = {"convert": 2}
    with pytest.raises(it.UserError, match=r"\[bad-argument\]"):
        it.compile_module(text, **unusable)
    strict = it.compile_module(text, strict_fp=True)
    np.testing.assert_array_equal(strict(x), 2 * x)
    assert len(asked) == 2


def test_modules_warn_each_time():
    text = it.compile("X[i,j] = A[i,j] + w[j]", formats={"A": it.CSR, "X": it.CSR}).ir()
    for _ in range(2):
        with pytest.warns(it.DenseResultWarning):
            it.compile_module(text)


def test_copies_go_to_other_processes():
    it.compile(PRODUCT, formats=FORMATS)(A=A, x=x)
    kernel = pickle.loads(pickle.dumps(it.compile(PRODUCT, formats=FORMATS)))
    assert isinstance(kernel, NotationKernel)
    np.testing.assert_array_equal(kernel(A=A, x=x), A @ x)


def test_what_is_remembered_goes_with_the_caches():
    def remembered():
        return len(it.compile.__globals__["_kernels"].entries())

    kernel = it.compile(PRODUCT, formats=FORMATS)
    assert remembered() == 1
    gone = weakref.ref(it.compile.__globals__["_kernels"].entries()[0])
    it.clear_caches()
    assert it.cache_info().kernels.entries == 0
    np.testing.assert_array_equal(kernel(A=A, x=x), A @ x)
    del kernel
    gc.collect()
    assert gone() is None


def test_threads_get_kernels_of_their_own():
    wrong: list[object] = []

    def work(number: int) -> None:
        for k in range(9):
            factor = 2 + (number + k) % 3
            kernel = it.compile(f"y[i] = {factor} * A[i,j] * x[j]", formats=FORMATS)
            if not np.array_equal(kernel(A=A, x=x), factor * (A @ x)) or f"{factor} *" not in kernel.explain():
                wrong.append(factor)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_another_call_does_little():
    it.compile(PRODUCT, formats=FORMATS)
    assert calls_made(lambda: it.compile(PRODUCT, formats=FORMATS)) < 100
    # To parse it would be more.
    assert calls_made(lambda: it.compile(PRODUCT + " + 0", formats=FORMATS)) > 300
