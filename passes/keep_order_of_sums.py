"""`keep-order-of-sums`: floating-point sums are added up in the order in which loops reach their terms."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import ModuleOp, UnitAttr

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.algebra.order_of_sums import KEEPS_ORDER
from irtensor.passes.support.pass_base import TensorPass, structured_functions

_NO_FLAGS = FastMathFlagsAttr("none")


class KeepOrderOfSumsPass(TensorPass):
    """Let functions add up floating-point numbers term by term, in the order in which their loops reach the terms.

    Functions are marked, and the fast-math flags that operations have already are removed. Passes before there are
    flags ask the function: no loop is parallel whose iterations meet in a sum, and no temporary holds a part of one.
    Reductions of a marked function get no flags, and later passes ask the flags. A product is rounded before it is
    added. Integers, and the least and the greatest of numbers, do not depend on the order, and stay as they are.

    Before: `func.func @f(%x: tensor<?xf64>) -> tensor<f64> { ... }`
    After:  `func.func @f(%x: tensor<?xf64>) -> tensor<f64> attributes {algebra.keeps_order} { ... }`
    """

    name = "keep-order-of-sums"
    accepts = leaves = ("index_notation", "concrete_index", "iteration_lattice", "storage", "algebra", "loop")
    before = {
        "precompute": "a temporary of a marked function holds no part of a sum",
        "parallelize": "iterations of a marked function do not meet in a sum",
        "scalarize-reductions": "a temporary of a marked function holds no part of a sum",
        "parallelize-outermost": "iterations of a marked function do not meet in a sum",
        "lower-iteration-lattice-to-loop": "reductions of a marked function get no flags",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            function.attributes[KEEPS_ORDER] = UnitAttr()
        for inner in op.walk():
            if isinstance(inner, ApplyOp):
                inner.fastmath = None
            elif "fastmath" in inner.properties:
                inner.properties["fastmath"] = _NO_FLAGS
