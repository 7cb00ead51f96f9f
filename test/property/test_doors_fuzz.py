"""Public functions and methods answer arguments of any kind with a result, or an error of the user's.

Python's own TypeError for an argument that a function does not have is as good.
"""

import inspect
import random
import re
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from odd_arguments import ODD
from sampling import few_or_many

import irtensor as it
from irtensor.tools import irtensor_autoschedule
from irtensor.tools.exit_code import USER_ERROR

pytestmark = pytest.mark.filterwarnings("ignore")

STATEMENTS = [
    "C[i,j] = A[i,k] * B[k,j]",
    "y[i] = A[i,j] * x[j] + z[i]",
    "s = sum(i, j, A[i,j] ** 2)",
    "C[i,j] = where(A[i,j] > 0, A[i,j], 0.1 * B[i,j])",
    "m[j] = max(i, A[i,j])",
    "C[i,j] += A[i,j] / sum(k, A[i,k])",
    "t[i] = log1p(A[i,i]) - 3",
]
SUBSCRIPTS = ["ij,jk->ik", "ij,ij->", "...i,i->...", "ii->i", "i,j,k->kji", "ij->ji", "ijk,kj->i"]
_SIGNS = "( ) [ ] , = += == * ** / // % - -> . ... < >= ~ ! && | _ ? ; @ é ²"
_WORDS = "i j A B 0 1 -1 1.5 1e999 nan inf True None sum max( where( sqrt if A[i] [i,i] 1j 0x1"
PIECES = [*_SIGNS.split(), *_WORDS.split(), "\n", "\0", '"', " ", "1" + 40 * "0"]
OPTIONS = (
    "schedule formats dtypes semiring operators num_threads convert exact disk_cache optimize out fill format dtype "
    "strict_fp gallop shape tune order casting"
).split()
FORMATS = ["CSR", "CSC", "COO(2)", "BCSR(2,2)", "(i, j) -> (i : dense, j : hashed)", "(i) -> (i : compressed)", "DIA"]
METHODS = [
    *(name for name in dir(it.Tensor) if not name.startswith("_")),
    *("__getitem__", "__add__", "__rsub__", "__mul__", "__matmul__", "__pow__", "__eq__", "__truediv__"),
    *("__setitem__", "__iter__", "__bool__", "__array__", "__len__"),
]
STEPS = [name for name in dir(it.schedule()) if not name.startswith("_") and callable(getattr(it.schedule(), name))]
FUNCTIONS = [
    *(it.indices, it.as_tensor, it.BCSR, it.COO, it.CSF, it.CSB, it.operator),
    *(it.tensor_variable, it.compile_module, it.schedule, it.Semiring, it.read, it.write),
]

Damaged = Callable[[str, random.Random, Sequence[str], Sequence[int]], str]


class Doors:
    """Ways to call irtensor, each with arguments that are drawn."""

    def __init__(self, seed: int, damaged: Damaged) -> None:
        self.draw = random.Random(seed)
        self._damaged = damaged

    def odd(self) -> Any:
        return self.draw.choice(ODD)()

    def _odds(self, *counts: int) -> list[Any]:
        return [self.odd() for _ in range(self.draw.choice(counts))]

    def _named(self, names: Sequence[str]) -> dict[str, Any]:
        return {self.draw.choice(names): self.odd() for _ in range(self.draw.choice((0, 1, 2)))}

    def _call(self, function: Callable[..., Any], given: Sequence[Any]) -> Any:
        """What a function gives for so many of the arguments as it has, and perhaps others by their names."""
        names = list(inspect.signature(function).parameters)
        given = given[: len(names)]
        return function(*given, **(self._named(names[len(given) :]) if len(given) < len(names) else {}))

    def _changed(self, text: str) -> str:
        return self._damaged(text, self.draw, PIECES, (1, 1, 1, 2, 3))

    def _matrix(self) -> Any:
        return self.draw.choice([np.ones((3, 3)), it.Tensor.from_numpy(np.eye(3), "csr"), sp.csr_array(np.eye(3))])

    def _operands(self, kernel: Any) -> dict[str, Any]:
        return {name: self._matrix() if name.isupper() else np.ones(3) for name in kernel.operand_names}

    def compile_damaged(self) -> None:
        formats = {name: self.draw.choice(FORMATS) for name in "AB" if self.draw.random() < 0.4}
        kernel = it.compile(self._changed(self.draw.choice(STATEMENTS)), formats)
        kernel(**self._operands(kernel))

    def compile_with_options(self) -> None:
        it.compile(self.draw.choice(STATEMENTS), **self._named(OPTIONS))

    def call_a_kernel(self) -> None:
        kernel = it.compile(self.draw.choice(STATEMENTS))
        given = self._operands(kernel)
        kernel(**{**given, self.draw.choice([*given, "out", "more"]): self.odd()})

    def einsum(self) -> None:
        text = self.draw.choice(SUBSCRIPTS)
        text = self._changed(text) if self.draw.random() < 0.5 else text
        operands = [self.draw.choice([self._matrix(), self.odd()]) for _ in range(text.count(",") + 1)]
        it.einsum(text, *operands, **self._named(OPTIONS))

    def einsum_of_lists(self) -> None:
        pairs = [
            (self.draw.choice([self._matrix(), self.odd()]), self.draw.choice([[0, 1], [1, 2], self.odd()]))
            for _ in range(self.draw.randrange(4))
        ]
        it.einsum(*[one for pair in pairs for one in pair], *self._odds(0, 1))

    def make_a_tensor(self) -> None:
        makers = [make for name in METHODS if name.startswith("from_") and callable(make := getattr(it.Tensor, name))]
        given = [np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0])] if self.draw.random() < 0.3 else []
        self._call(self.draw.choice(makers), [*given, *self._odds(0, 1, 2, 3)])

    def method(self) -> None:
        format = self.draw.choice(["csr", "coo", "(i, j) -> (j : dense, i : bitmap)"])
        called = getattr(it.Tensor.from_numpy(np.eye(3), format), self.draw.choice(METHODS))
        if callable(called):
            repr(self._call(called, self._odds(0, 1, 1, 2)))

    def expression(self) -> None:
        i, j = it.indices("i j")
        A, B = self._matrix(), it.Tensor.from_numpy(np.zeros((3, 3)), self.draw.choice(["csr", "dense"]))
        left = it.as_tensor(A)[i, j]
        found = getattr(left, self.draw.choice(["__add__", "__mul__", "__pow__", "__lt__", "__rsub__"]))(self.odd())
        function = getattr(
            it.functions, self.draw.choice(["sqrt", "where", "min", "max", "sum", "clip", "elementwise"])
        )
        B[i, j] = function(left if found is NotImplemented else found, *self._odds(0, 1, 2))

    def schedule(self) -> None:
        steps = it.schedule()
        for _ in range(self.draw.choice((1, 2, 3))):
            given = [self.draw.choice([self.odd(), "i", "k", "A[i,k]", 2, ["i", "j"]]) for _ in range(4)]
            steps = self._call(getattr(steps, self.draw.choice(STEPS)), given[: self.draw.randrange(5)])
        it.compile(STATEMENTS[0], schedule=steps)(A=np.ones((3, 3)), B=np.ones((3, 3)))

    def function(self) -> None:
        self._call(self.draw.choice(FUNCTIONS), self._odds(1, 1, 2, 3))

    def own_operator(self) -> None:
        value = self.odd()
        it.operator("own", lambda a, b: self.draw.choice([a + b, a * value, value]), **self._named(["identity"]))

    def module(self) -> None:
        text = it.compile(STATEMENTS[1], {"A": "csr"}).ir("index_notation")
        it.compile_module(self._changed(text), **self._named(OPTIONS))

    def autoschedule_tool(self) -> None:
        given = [self.draw.choice(STATEMENTS), "--dense", "x", "--stage", "trees", "--json", "--budget", "10"]
        at = self.draw.randrange(len(given))
        given[at] = self._changed(given[at])
        said = StringIO()
        with redirect_stdout(StringIO()), redirect_stderr(said):
            status = irtensor_autoschedule.main(given)
        assert status in (0, USER_ERROR) and "Traceback" not in said.getvalue(), said.getvalue()
        if slug := re.search(r"error: \[([\w-]+)\]", said.getvalue()):
            raise it.UserError(slug[1], "said by the tool")


DOORS = [name for name in vars(Doors) if not name.startswith("_") and name != "odd"]


def _outcome(door: str, seed: int, damaged: Damaged) -> str:
    try:
        getattr(Doors(seed, damaged), door)()
    except it.UserError as error:
        return error.slug
    except Exception as error:
        # Python refuses a call before there is a frame of what is called.
        last = traceback.extract_tb(error.__traceback__)[-1]
        if isinstance(error, TypeError) and last.filename == __file__:
            return "signature"
        raise AssertionError(f"{door}, seed {seed}: {type(error).__name__}") from error
    return "result"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("door", DOORS)
def test_arguments_of_any_kind(door: str, damaged: Damaged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = Counter[str]()
    for seed in range(few_or_many(60, 2000)):
        seen[_outcome(door, seed, damaged)] += 1
    assert len(seen) > 1


@pytest.mark.soak
def test_more_arguments(soak_seeds, damaged: Damaged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in soak_seeds:
        _outcome(random.Random(seed).choice(DOORS), seed, damaged)
