"""The whole texts of errors about schedules that `strict_fp` forbids; see test_error_texts.py for those of the library."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error
from row_sums import ROW_SUMS

import irtensor as it
from irtensor.tools import irtensor_opt


@pytest.mark.parametrize(
    ("schedule", "slug", "text"),
    [
        (
            "parallelize(j, races=temporary)",
            "parallel-race",
            """<notation>:1:1: error: [parallel-race] the loop over j cannot be parallel: j does not index 'y', so that iterations store into the same component, and floating-point sums keep their order (strict_fp)
  y[i] = A[i,j] * x[i]
  ^
note: this is step 1: parallelize(j, temporary)
help: parallelize i, or omit strict_fp, and sums are added up in parts""",
        ),
        (
            "reorder(j, i); precompute(A[i,j], over=i)",
            "illegal-precompute",
            """<notation>:1:1: error: [illegal-precompute] precompute: 'A[i, j]' would be a part of a floating-point sum, whose order is kept (strict_fp)
  y[i] = A[i,j] * x[i]
  ^
note: this is step 2: precompute(A[i, j], over=i)
help: precompute over all variables of the expression, or omit strict_fp""",
        ),
    ],
)
def test_strict_fp(schedule, slug, text):
    def call():
        kernel = it.compile("y[i] = A[i,j] * x[i]", schedule=it.schedule(schedule), strict_fp=True)
        kernel(A=np.ones((2, 2)), x=np.ones(2))

    check_error(call, slug, text)


def test_functions_that_keep_the_order_of_sums(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(ROW_SUMS)
    steps = "keep-order-of-sums,parallelize{variable=j races=temporary}"
    assert irtensor_opt.main(["k.mlir", "-p", steps]) == 1
    assert (
        capsys.readouterr().err
        == """k.mlir:6:9: error: [parallel-race] the loop over j cannot be parallel: j does not index 'r', so that iterations store into the same component, and floating-point sums keep their order (strict_fp)
          concrete_index.assign add %b into %r[%i] : tensor<?xf64>
          ^^^^^^^^^^^^^^^^^^^^^
help: parallelize i, or omit strict_fp, and sums are added up in parts
"""
    )
