"""A user's operator for arguments of one dtype, in the form that built-in operators have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irtensor.core.operators import Operator
from irtensor.frontend.promotion import type_bodies
from irtensor.frontend.user_operator import UserOperator
from irtensor.late_imports import load_for


def declared_operator(
    operator: UserOperator, dtype: np.dtype, stored: Sequence[int] = (), exact: bool = False
) -> Operator:
    """The operator as a plain value; it computes constants in the types that its body has for these arguments.

    Where it has cases, its body is that for the arguments that are `stored`. In `exact` arithmetic its body computes
    with what absent ones read as. The annihilator is believed, whatever the body says. Raises UserError [bad-operator]
    where `type_bodies` does.
    """
    load_for("compiling")
    from irtensor.frontend.build_operator import build_operator

    bodies = type_bodies(operator, dtype)
    value = build_operator(operator, operator.name, bodies, dtype).value_where(stored, exact)
    return replace(value, distributes_over=operator.distributes_over if bodies[0].dtype == dtype else ())
