"""NumPy's own einsum tests with irtensor.einsum in the place of numpy.einsum; what cannot apply has its reason."""

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from irtensor.api import einsum_request

front = importlib.import_module("irtensor.api.einsum")

_OBJECTS = "arrays of Python objects have no native element type"
_EXTENDED = "extended precision (80-bit) floats are not an element type"
INAPPLICABLE = {
    "test_einsum_object_errors": _OBJECTS,
    "test_object_loop": _OBJECTS,
    "test_einsum_sums_object": _OBJECTS,
    "test_einsum_sums_longdouble": _EXTENDED,
    "test_einsum_sums_clongdouble": _EXTENDED,
    "test_einsum_0d_out": "writes a float64 result into an int64 `out` against casting='safe'; NumPy forgets the check",
}
# Cases of types and statements of which others are run each time.
LONG = (
    *(
        f"test_einsum_sums_{name}"
        for name in ("int8", "int16", "int32", "uint16", "uint32", "uint64", "float16", "cfloat64")
    ),
    *("test_random_cases", "test_edge_cases", "test_complex"),
)
_SOURCE = importlib.util.find_spec("numpy._core.tests.test_einsum")
_HAS_COMPILER = (
    importlib.util.find_spec("irtensor.compiler") is not None
    and importlib.util.find_spec("irtensor.compiler.compilation.compile_kernel") is not None
)


def _load_suite() -> None:
    if _SOURCE is None or _SOURCE.origin is None:
        pytest.skip("this NumPy comes without its tests", allow_module_level=True)
    # einsum_path stays NumPy's: only the word einsum itself is replaced.
    text = re.sub(r"\bnp\.einsum\b", "IRTENSOR_EINSUM", Path(_SOURCE.origin).read_text())
    scope: dict[str, Any] = {"IRTENSOR_EINSUM": front.einsum, "__name__": __name__}
    exec(compile(text, _SOURCE.origin, "exec"), scope)
    suite = scope["TestEinsum"]
    for name, reason in INAPPLICABLE.items():
        # Older versions of NumPy have fewer tests; one that has another name now runs, and fails.
        if hasattr(suite, name):
            setattr(suite, name, pytest.mark.skip(reason=reason)(getattr(suite, name)))
    for name in LONG:
        setattr(suite, name, pytest.mark.thorough(getattr(suite, name)))
    different_paths = suite.test_different_paths

    def test_different_paths(self, dtype):
        if dtype in "gG":
            pytest.skip(_EXTENDED)
        different_paths(self, dtype)

    vars(test_different_paths)["pytestmark"] = different_paths.pytestmark
    suite.test_different_paths = test_different_paths
    globals().update({name: value for name, value in scope.items() if name.lower().startswith("test")})


_load_suite()


@pytest.fixture(autouse=True)
def compiler(monkeypatch: pytest.MonkeyPatch):
    """The real compiler; the dense oracle as long as there is none."""
    if not _HAS_COMPILER:
        from reference.dense_compiler import compile_statement

        monkeypatch.setattr(einsum_request, "_load_compiler", lambda: compile_statement)
