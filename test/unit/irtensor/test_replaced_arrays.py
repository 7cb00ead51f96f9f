"""A tensor that gets other arrays while a kernel reads it: the kernel reads those that it began with."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.storage import stored_tensor
from irtensor.storage.stored_tensor import HeldArrays
from irtensor.tensors import tensor

ROOT = Path(it.__file__).parent.parent
COUNT = 2000
X = np.arange(float(COUNT))


def diagonal(value: float, shift: int = 0) -> it.Tensor:
    places = np.arange(COUNT - shift)
    return it.Tensor.from_coo([places, places + shift], np.full(places.size, value), shape=(COUNT, COUNT), format="csr")


def test_values_are_replaced_before_the_code_runs(monkeypatch: pytest.MonkeyPatch):
    """Memory that is given back is overwritten: see MALLOC_PERTURB_ in conftest.py."""
    A, kernel = diagonal(1.0), it.compile("y[i] = A[i,j] * x[j]", {"A": "csr"}, num_threads=1)
    kernel(A=A, x=X)
    found = HeldArrays.arguments
    values = iter((2.0, 3.0))

    def arguments(self: HeldArrays) -> tuple[int, ...]:
        addresses = found(self)
        A.values = np.full(COUNT, next(values))
        return addresses

    monkeypatch.setattr(HeldArrays, "arguments", arguments)
    np.testing.assert_array_equal(kernel(A=A, x=X), X)
    np.testing.assert_array_equal(kernel(A=A, x=X), 2 * X)
    monkeypatch.undo()
    np.testing.assert_array_equal(kernel(A=A, x=X), 3 * X)


def test_a_new_index_comes_between_two_addresses(monkeypatch: pytest.MonkeyPatch):
    """What a kernel gets is all old; what it gets next is all new."""
    A, kernel = diagonal(1.0), it.compile("y[i] = A[i,j] * x[j]", {"A": "csr"}, num_threads=1)
    kernel(A=A, x=X)
    fresh, later = diagonal(5.0), diagonal(2.0, shift=7)
    A.replace_storage(fresh)
    address = stored_tensor.array_address
    asked: list[Any] = []

    def replaced(array: Any) -> int:
        asked.append(array)
        if len(asked) == 2:
            A.replace_storage(later)
        return address(array)

    monkeypatch.setattr(stored_tensor, "array_address", replaced)
    np.testing.assert_array_equal(kernel(A=A, x=X), 5 * X)
    monkeypatch.undo()
    assert len(asked) == 3
    expected = np.append(2 * X[7:], np.zeros(7))
    np.testing.assert_array_equal(kernel(A=A, x=X), expected)
    np.testing.assert_array_equal(later.to_numpy() @ X, expected)


def test_values_are_checked_against_the_index_that_they_get(monkeypatch: pytest.MonkeyPatch):
    """The index is another one while new values are looked at: values and index still fit each other."""
    A, check = diagonal(1.0), tensor.check_values

    def replaced(*arrays: Any) -> None:
        check(*arrays)
        A.replace_storage(diagonal(2.0, shift=1000))

    monkeypatch.setattr(tensor, "check_values", replaced)
    A.values = np.full(COUNT, 3.0)
    monkeypatch.undo()
    A.check()
    np.testing.assert_array_equal(A.to_numpy(), 3 * np.eye(COUNT))


def test_coordinates_are_those_that_were_checked(monkeypatch: pytest.MonkeyPatch):
    text = """func.func @gather(%p: tensor<?xi64, STORED>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    concrete_index.forall %i {
      %at = concrete_index.access %p[%i] : tensor<?xi64, STORED>
      %place = arith.index_cast %at : i64 to index
      concrete_index.let %j = %place {
        %v = concrete_index.access %x[%j] : tensor<?xf64>
        concrete_index.assign %v into %o[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
"""
    from irtensor.compiler.kernel.check_coordinates import CoordinateChecks

    p = it.Tensor.from_numpy(np.array([3, 1, 2]), "compressed")
    kernel, check = (
        it.compile_module(text.replace("STORED", "#storage.format<(i) -> (i : compressed)>")),
        CoordinateChecks.check,
    )

    def replaced(self: CoordinateChecks, operands: Any) -> None:
        check(self, operands)
        p.values = np.full(3, 1 << 40)

    monkeypatch.setattr(CoordinateChecks, "check", replaced)
    np.testing.assert_array_equal(kernel(p, X[:4] * 2), [6.0, 2.0, 4.0])


PROGRAM = """
import threading
import numpy as np
import irtensor as it

count = 100_000
places = np.arange(count)
A = it.Tensor.from_coo([places, places], np.ones(count), shape=(count, count), format="csr")
B = it.Tensor.from_coo([places[:-9], places[9:]], np.full(count - 9, 3.0), shape=(count, count), format="csr")
kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": "csr"})
x, done = np.ones(count), threading.Event()
first = A.copy()

def replace():
    while not done.is_set():
        A.values = np.full(A.values.size, A.values[0])
        A.replace_storage(B.copy())
        A.replace_storage(first.copy())
        np.full(count, 7.0)

thread = threading.Thread(target=replace)
thread.start()
found = set()
for number in range(300):
    found |= set(np.unique(kernel(A=A, x=x)).tolist())
    found |= set(np.unique(A.to_format("csc").values).tolist())
done.set()
thread.join()
print(sorted(found))
"""


def test_in_two_threads():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", "[0.0, 1.0, 3.0]\n")
