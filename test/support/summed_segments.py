"""What the compiler makes of a matrix times a vector, in both ways in which a sum can read by coordinates."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np

import irtensor as it
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.runtime.emit_llvm import emit_llvm

# Where each is kept, and whether it gathers.
FOLDER = Path(it.__file__).parent / "runtime" / "llvm"
FILES = {FOLDER / "gathered_sums.ll": True, FOLDER / "single_sums.ll": False}


def text_of_sums(*, gathers: bool) -> str:
    """The LLVM IR of a kernel that asks for no interruption, and has no threads."""
    matrix = it.Format("dense, compressed, pos = i32, crd = i32")
    described = {
        "A": OperandDescription(np.dtype("f8"), 2, matrix),
        "x": OperandDescription(np.dtype("f8"), 1, it.Format("dense")),
    }
    parsed = insert_reductions(parse_statement("y[i] = A[i,j] * x[j]"))
    module = build_index_notation(parsed, described, None).module
    with patch("irtensor.compiler.compilation.pipeline_choices.gathers_pay", lambda: gathers):
        lower_module(module, "index_notation", "llvm", choices=PipelineChoices())
    return emit_llvm(module)


if __name__ == "__main__":
    for path, gathers in FILES.items():
        path.write_text(text_of_sums(gathers=gathers))
