"""A level format that is added from outside: passes may know it, storage does not, which is said by name."""

import numpy as np
import pytest

import irtensor as it
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.levels.level_codes import LEVEL_CODES
from irtensor.tools import irtensor_opt

LOOSE = "(i, j) -> (i : dense, j : loose)"
ROW_SUMS = f"""
func.func @kernel(%A: tensor<?x?xf64, #storage.format<{LOOSE}>>) -> tensor<?xf64> {{
  %y = index_notation.assign (%i) : tensor<?xf64> {{
    %0 = index_notation.reduce add (%j) : f64 {{
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #storage.format<{LOOSE}>>
      index_notation.yield %1 : f64
    }}
    index_notation.yield %0 : f64
  }}
  func.return %y : tensor<?xf64>
}}
"""


@pytest.fixture(autouse=True, params=["no code", "code"])
def loose(request, monkeypatch):
    monkeypatch.setitem(LEVEL_PROPERTIES, "loose", LEVEL_PROPERTIES["compressed"])
    if request.param == "code":
        monkeypatch.setitem(LEVEL_CODES, "loose", LEVEL_CODES["compressed"])


def compile_with(formats):
    return it.compile("Y[i,j] = A[i,j]", formats, disk_cache=False)(A=np.eye(2))


@pytest.mark.parametrize(
    "use, name",
    [
        (lambda: it.Tensor.from_numpy(np.eye(2), LOOSE), "tensor"),
        (lambda: it.Tensor.from_coo([[0], [1]], [1.0], shape=(2, 2), format=LOOSE), "tensor"),
        (lambda: it.Tensor.from_numpy(np.eye(2), it.CSR).to_format(LOOSE), "tensor"),
        (lambda: it.Tensor.from_buffers((2, 2), it.Format(LOOSE), [None, None], np.ones(2)), "tensor"),
        (lambda: compile_with({"A": LOOSE}), "tensor"),
        (lambda: compile_with({"A": it.CSR, "Y": LOOSE}), "Y"),
        (lambda: it.einsum("ij->ij", it.Tensor.from_numpy(np.eye(2), it.CSR), format=LOOSE), "result"),
        (lambda: it.compile_module(ROW_SUMS), "A"),
    ],
)
def test_what_has_no_storage_is_refused(use, name):
    with pytest.raises(it.UserError, match=rf"level \d of '{name}' is 'loose'.*added from outside") as caught:
        use()
    assert caught.value.slug == "level-has-no-storage"


def test_the_passes_lower_what_has_code(request, tmp_path, capsys):
    path = tmp_path / "k.mlir"
    path.write_text(ROW_SUMS)
    has_code = request.node.callspec.params["loose"] == "code"
    assert irtensor_opt.main([str(path), "--index-notation-to-loop"]) == (0 if has_code else 1)
    output, errors = capsys.readouterr()
    assert ("loop.for" in output, "[level-has-no-code]" in errors) == (has_code, not has_code)
