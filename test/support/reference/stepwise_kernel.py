"""A kernel whose loops are changed step by step: each step is interpreted, and at the end native code is run."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from reference.evaluate_dense import evaluate_dense
from reference.interpret_concrete_index import interpret_concrete_index
from reference.interpret_iteration_lattice import interpret_iteration_lattice
from reference.random_operands import random_operand
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer

from irtensor.api.compile_module import compile_module
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.storage.storage import format_of as storage_format
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import accesses, tensor_names
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.tensors.tensor import Tensor

POOL = np.array([-2.0, -1.0, 1.0, 2.0, 3.0])
CSR, CSC = "(i, j) -> (i : dense, j : compressed)", "(i, j) -> (j : dense, i : compressed)"
DCSR = "(i, j) -> (i : compressed, j : compressed)"
COO = "(i, j) -> (i : compressed(nonunique), j : singleton)"
CSF = "(i, j, k) -> (i : compressed, j : compressed, k : compressed)"
COO3 = "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)"
VECTOR = "(i) -> (i : compressed)"


def format_of(text: str | None) -> TensorFormat | None:
    return None if text is None else TensorFormat.parse(text)


def run(name: str, module: ModuleOp, **options: Any) -> None:
    get_all_passes()[name]()(**options).apply(Context(), module)
    module.verify()
    get_all_passes()["verify-dominance"]()().apply(Context(), module)


def chain(module: ModuleOp) -> list[str]:
    """Names of the loops, outermost first."""
    return [str(op.variable.name_hint) for op in module.walk() if isinstance(op, ForallOp)]


def fused(module: ModuleOp) -> list[str]:
    """Names under which loops are fused."""
    loops = [op for op in module.walk() if isinstance(op, ForallOp)]
    names = {loop.attributes.get("fused") for loop in loops}
    return sorted(name.data for name in names if isinstance(name, StringAttr))


class Problem:
    """A kernel as concrete index notation, its operands, and what it computes."""

    def __init__(
        self,
        notation: str,
        formats: Mapping[str, str | None],
        result: str | None,
        extents: Mapping[str, int],
        pattern: str,
        seed: int,
    ) -> None:
        self.statement = insert_reductions(parse_statement(notation))
        chosen = {name: format_of(formats.get(name)) for name in tensor_names(self.statement.expression)}
        ranks = {access.tensor: len(access.indices) for access in accesses(self.statement.expression)}
        shapes = {a.tensor: tuple(extents[i] for i in a.plain_indices) for a in accesses(self.statement.expression)}
        random = np.random.default_rng(seed)
        made = {name: random_operand(shapes[name], chosen[name], POOL, pattern, random) for name in chosen}
        described = {name: OperandDescription(POOL.dtype, ranks[name], format) for name, format in chosen.items()}
        self.names = list(chosen)
        self.operands = [made[name][0] for name in chosen]
        self.dense = [made[name][1] for name in chosen]
        self.expected = evaluate_dense(self.statement, dict(zip(chosen, self.dense, strict=True)))
        self.module = build_index_notation(self.statement, described, format_of(result)).module
        run("concretize", self.module)

    def step(self, name: str, **options: Any) -> None:
        """Run a schedule pass; the statement must still mean the same."""
        run(name, self.module, **options)
        (result,) = interpret_concrete_index(self.module, self.dense)
        self.same(result, f"{name} {options}")

    def same(self, actual: object, after: str) -> None:
        np.testing.assert_allclose(
            np.asarray(actual, float), self.expected, rtol=1e-9, atol=1e-9, err_msg=f"{after}\n{self.module}"
        )

    def arguments(self) -> list[Any]:
        """The operands in the formats that the function now takes them in."""
        function = next(op for op in self.module.walk() if isinstance(op, FuncOp))
        return [
            operand.to_format(storage_format(argument.type)) if isinstance(operand, Tensor) else operand
            for operand, argument in zip(self.operands, function.body.block.args, strict=True)
        ]

    def finish(self) -> None:
        """Lower it, interpreting what is left of concrete_index and iteration_lattice, and run native code."""
        names = passes_between("index_notation", "concrete_index")
        for name in names[names.index("match-blocks") + 1 :]:
            run(name, self.module)
            (result,) = interpret_concrete_index(self.module, self.dense)
            self.same(result, name)
        text = io.StringIO()
        Printer(text, print_generic_format=True).print_op(self.module)
        kernel = compile_module(text.getvalue(), disk_cache=False, convert=False)
        run("lower-concrete-index-to-iteration-lattice", self.module)
        operands = self.arguments()
        self.same(interpret_iteration_lattice(self.module, operands, self.expected.shape), "lowering to lattices")
        result = kernel(*operands)
        if isinstance(result, Tensor):
            result.check("result")
            result = result.to_numpy()
        self.same(result, "native")
