"""Which floating-point operations may be done in another order: flags of operations, and functions that allow none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag

from irtensor.core.element_values import is_complex, is_float
from irtensor.dialects.support.is_inside import innermost_around

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Block, Operation

    from irtensor.core.operators import Operator

# Attribute of functions whose sums are added up in the order in which their loops reach the terms.
KEEPS_ORDER = "algebra.keeps_order"
# Of reductions in other functions: partial sums may be formed in any order, and products may be part of an addition.
REDUCTION_FLAGS = FastMathFlagsAttr([FastMathFlag.REASSOC, FastMathFlag.ALLOW_CONTRACT])


def keeps_order(op: Operation) -> bool:
    """Whether the function that an operation is in, or is, keeps the order of its sums."""
    around = op if isinstance(op, FuncOp) else innermost_around(op, FuncOp)
    return around is not None and KEEPS_ORDER in around.attributes


def rounds(operator: Operator, element: str) -> bool:
    """Whether what many values are combined to depends on the order: every step rounds."""
    return (is_float(element) or is_complex(element)) and not operator.idempotent


def may_reassociate(flags: Attribute | None) -> bool:
    """Whether fast-math flags say that an operation may be regrouped with others of its kind."""
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.REASSOC in flags.data


def may_approximate(flags: Attribute | None) -> bool:
    """Whether fast-math flags say that a function may be replaced by one that is nearly as accurate."""
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data


def approximates(block: Block) -> bool:
    """Whether a block applies functions that may be replaced, as by those of vectors."""
    return any(may_approximate(op.properties.get("fastmath")) for op in block.ops)
