"""What `irtensor.cuda.selftest` does: runs statements on a GPU, and compares what they give with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from irtensor.api.compile import compile
from irtensor.core.diagnostics import UserError
from irtensor.interop.device_copies import copied_array
from irtensor.runtime import cuda_device
from irtensor.runtime.cuda_driver import call
from irtensor.runtime.nvptx_targets import processor_of
from irtensor.selftest_cases import GROUPS, Case
from irtensor.tensors.device_array import DeviceArray
from irtensor.tensors.tensor import Tensor


class Outcome(NamedTuple):
    """A test, the time that it took with its compilation, and its failure; nothing if it passed."""

    what: str
    seconds: float
    problem: str


class SelfTest(NamedTuple):
    """What a GPU was found to do; printed as a table.

    `card` is its name, `processor` what code is made for, and `driver` the version of CUDA that the driver has.
    """

    card: str
    processor: str
    driver: str
    outcomes: tuple[Outcome, ...]

    @property
    def failed(self) -> list[Outcome]:
        """The failures."""
        return [outcome for outcome in self.outcomes if outcome.problem]

    def __str__(self) -> str:
        count = len(self.outcomes)
        lines = [f"{self.card}, {self.processor}, driver for CUDA {self.driver}"]
        for what, seconds, problem in self.outcomes:
            lines.append(f"  {'FAILED' if problem else 'passed'}  {1e3 * seconds:7.0f} ms  {what}")
            lines += [f"          {line}" for line in problem.splitlines()]
        seconds = sum(outcome.seconds for outcome in self.outcomes)
        lines.append(f"{count - len(self.failed)} of {count} passed, in {seconds:.1f} s")
        return "\n".join(lines)


def run_selftest(number: int) -> SelfTest:
    """Try everything on a GPU. Raises UserError [no-cuda] where there is none; all other errors are outcomes."""
    card = cuda_device.device(number)
    version = call("cuDriverGetVersion")
    outcomes: list[Outcome] = []
    for what, attempt in _attempts(number):
        start = perf_counter()
        try:
            problem = attempt()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            # After that error a GPU does nothing more for the process.
            is_over = isinstance(error, UserError) and error.slug == "cuda-launch"
        else:
            is_over = False
        outcomes.append(Outcome(what, perf_counter() - start, problem))
        if is_over:
            break
    driver = f"{version // 1000}.{version % 1000 // 10}"
    return SelfTest(str(card), processor_of(*card.compute_capability).name, driver, tuple(outcomes))


def _attempts(number: int) -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of each test, and a function that runs it and describes a failure."""
    yield "copies there and back", lambda: _copies(number)
    yield "a stream of its own", lambda: _stream(number)
    yield "wrong storage is seen", lambda: _validation(number)
    for case in [case for group in GROUPS for cases in group for case in cases()]:
        yield case_title(case), lambda case=case: run_case(case, number)


def case_title(case: Case) -> str:
    """The statement, with the formats and the element type of its operands."""
    formats = ", ".join(f"{name} {format}" for name, format in case.formats.items())
    types = {str(one.dtype) for one in case.operands.values() if isinstance(one, np.ndarray)}
    return f"{case.statement}   {formats or 'dense'}   {', '.join(sorted(types))}"


def run_case(case: Case, number: int = 0) -> str:
    """The fault of the result of a statement; nothing if it is right."""
    kernel = compile(case.statement, formats=case.formats, target="cuda")
    given = {name: _on_device(value, case.formats.get(name), number) for name, value in case.operands.items()}
    result = kernel(**given)
    is_sparse = case.statement[0] in case.formats
    if not isinstance(result, Tensor if is_sparse else DeviceArray):
        return f"the result is a {type(result).__name__}"
    if isinstance(result, Tensor):
        result.to_host().check("the result")
    return _difference(result.to_numpy(), case.expected)


def _on_device(value: Any, format: Any, number: int) -> Any:
    """An operand on the GPU, stored in a format; numbers are passed as they are."""
    if not isinstance(value, np.ndarray):
        return value
    return copied_array(value, number) if format is None else Tensor.from_numpy(value, format).to_device(number)


def _difference(found: np.ndarray, expected: Any) -> str:
    expected = np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"the result is {found.dtype} {found.shape}, and NumPy's {expected.dtype} {expected.shape}"
    tolerance = 1e-5 if found.dtype.itemsize <= 4 else 1e-9
    wrong = ~np.isclose(found, expected, rtol=tolerance, atol=0, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(index) for index in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ: at {at} it is {found[at]}, and NumPy's {expected[at]}"


def _copies(number: int) -> str:
    array = np.arange(100_000.0)
    there = copied_array(array, number)
    return _difference(there.copy().to_numpy(), array)


def _stream(number: int) -> str:
    card = cuda_device.device(number)
    stream = card.new_stream()
    try:
        begin = card.record(stream)
        x = copied_array(np.arange(1000.0), number, stream)
        result = compile("y[i] = 2 * x[i]", target="cuda")(x=x)
        time = card.record(stream).milliseconds_since(begin)
        problem = _difference(result.to_numpy(), 2 * np.arange(1000.0))
        del x, result
        return problem or ("" if time >= 0 else f"events are {time} ms apart")
    finally:
        card.destroy_stream(stream)


def _validation(number: int) -> str:
    tensor = Tensor.from_numpy(np.eye(300), "csr").to_device(number)
    tensor.check()
    levels = [None, (tensor.levels[1].positions, copied_array(np.arange(300) // 2 * 600, number))]
    try:
        Tensor.from_buffers(tensor.shape, tensor.format, levels, tensor.values)
    except UserError as error:
        return "" if error.slug == "bad-storage" else str(error)
    return "coordinates beyond the shape were accepted"
