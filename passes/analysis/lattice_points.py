"""The lattice points of a loop: for which operands stored at a coordinate the loop's body does something.

Source: Kjolstad 2020, section 3.3; the points follow from the operators' algebra, as in Ahrens 2024, section 5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Scalar, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.absence import evaluate
from irtensor.passes.analysis.named_values import named_value

# Beyond this many operands the lattice is too large to read.
MAX_OPERANDS = 3


def lattice_points(body: Block, operands: Collection[SSAValue]) -> list[tuple[SSAValue, ...]]:
    """The sets of `operands`, stored at a coordinate together and alone, for which `body` has an effect; largest first.

    The empty set is among them if the body does something where none is stored.
    """
    names = list(operands)
    points: list[tuple[SSAValue, ...]] = []
    for size in range(len(names), -1, -1):
        for present in combinations(names, size):
            absent = {tensor for tensor in names if tensor not in present}
            if _Effect(absent, present=present).of(body):
                points.append(present)
    return points


def acts_without(
    body: Block, operands: Collection[SSAValue], supposed: Mapping[SSAValue, Scalar] | None = None
) -> bool:
    """Whether `body` has an effect at a coordinate where none of the operands is stored.

    `supposed` has other values in it than it computes.
    """
    return _Effect(operands, supposed).of(body)


def known_without(body: Block, operands: Collection[SSAValue]) -> Mapping[SSAValue, Scalar | None]:
    """The values in `body` where none of the operands is stored; None if only known at run time."""
    effect = _Effect(operands)
    effect.of(body)
    return effect.known


class _Effect:
    """Evaluates a body where some operands read as their fill; None is a value only known at run time."""

    def __init__(
        self,
        absent: Collection[SSAValue],
        supposed: Mapping[SSAValue, Scalar] | None = None,
        present: Collection[SSAValue] = (),
    ) -> None:
        self.absent = absent
        self.present = present
        # Of loops inside, it is not known where they are.
        self.inner: set[SSAValue] = set()
        self.supposed = supposed or {}
        self.known: dict[SSAValue, Scalar | None] = {}
        self.temporaries: dict[SSAValue, bool] = {}

    def of(self, block: Block) -> bool:
        """Whether the block changes anything but temporaries of its own."""
        changes = False
        for op in block.ops:
            if isinstance(op, WhereOp):
                changes |= self.of_where(op)
            elif isinstance(op, AssignOp):
                changes |= self.of_assign(op)
            elif op.regions:
                self.inner.update(argument for region in op.regions for argument in region.block.args)
                changes |= any([self.of(inner) for region in op.regions for inner in region.blocks])
            elif op.results:
                result = op.results[0]
                self.known[result] = self.supposed[result] if result in self.supposed else self.value(op)
        return changes

    def of_where(self, op: WhereOp) -> bool:
        producer, consumer = (region.block for region in op.regions)
        produced, consumed = producer.args[0], consumer.args[0]
        self.temporaries[produced] = False
        changes = self.of(producer)
        if (named := named_value(op)) is not None:
            self.known[consumed] = self.known.get(named)
        elif not self.temporaries[produced]:
            stores = [a for a in producer.walk() if isinstance(a, AssignOp) and a.tensor is produced]
            operator = next((a.operator for a in stores if a.operator), None)
            element = element_name(expect(produced.type, TensorType).element_type)
            # What nothing is stored into reads as what it starts at; an array holds every coordinate all the same.
            format = format_of(produced.type)
            start = None if format.rank and format.is_dense else fill_of(produced.type)
            self.known[consumed] = start if operator is None else find_operator(operator, op).identity(element)
        return self.of(consumer) or changes

    def of_assign(self, op: AssignOp) -> bool:
        value = self.known.get(op.value)
        changes = value is None or not self.is_neutral(op, value)
        if op.tensor in self.temporaries:
            self.temporaries[op.tensor] |= changes
            return False
        return changes

    def is_neutral(self, op: AssignOp, value: Scalar) -> bool:
        element = element_name(op.value.type)
        if op.operator is not None:
            identity = find_operator(op.operator, op).identity(element)
            return identity is not None and same_value(identity, value)
        return same_value(fill_of(op.tensor.type), value)

    def is_present(self, value: SSAValue) -> bool:
        """Whether a component is known to be an entry: of a tensor that is stored where all loops are."""
        access = value.owner
        return isinstance(access, AccessOp) and access.tensor in self.present and self.inner.isdisjoint(access.indices)

    def value(self, op: Operation) -> Scalar | None:
        if isinstance(op, ApplyOp) and asks_if_stored(op) and self.is_present(op.arguments[0]):
            return True
        return evaluate(op, self.read, self.known.get)

    def read(self, access: AccessOp) -> Scalar | None:
        return fill_of(access.tensor.type) if access.tensor in self.absent else self.known.get(access.tensor)
