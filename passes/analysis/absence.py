"""What a statement computes where some of its operands have no entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Operator, Scalar, convert, fold_to_value, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator, identity_of, operator_of
from irtensor.dialects.algebra.evaluate import Apply, Part, evaluate_operation
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.iteration_graph import accesses_in, stores_into
from irtensor.passes.analysis.literals import literals_of
from irtensor.passes.analysis.named_values import value_read
from irtensor.passes.analysis.ranges import covered_by, forall_of

_Read = Callable[[AccessOp], Scalar | None]
_Apply = Callable[[ApplyOp, Sequence[Scalar | None]], Scalar | None]


def value_applied(op: ApplyOp, arguments: Sequence[Scalar | None]) -> Scalar | None:
    """The value of an application, if its known arguments decide it (None: known only at run time).

    A number that is chosen as an entry is not known: it is stored, like a value computed at run time.
    """
    if "entry" in op.properties and (arguments[0] is None or arguments[0]):
        return None
    elements = [element_name(argument.type) for argument in op.arguments]
    return fold_to_value(operator_of(op), arguments, elements, literals_of(op))


def evaluate(op: Operation | Block, read: _Read, part: Part, apply: _Apply = value_applied) -> Scalar | None:
    """The value of an operation of an expression, if known facts about its operands decide it.

    `read` gives the known value of an access, `part` that of an operand, and `apply` that of an operator.
    """
    if isinstance(op, AccessOp):
        return read(op)
    return None if isinstance(op, Block) else evaluate_operation(op, part, cast("Apply", apply))


def stores_out_of(loop: ForallOp) -> list[AssignOp]:
    """The assignments of a loop's body but those to temporaries inside it."""
    stores = [access for access in accesses_in(loop.body.block) if isinstance(access, AssignOp)]
    return [store for store in stores if not is_inside(store.tensor, loop)]


def value_without(value: SSAValue, is_absent: Callable[[AccessOp], bool]) -> Scalar | None:
    """The value of an expression where some accesses give the fill values of their tensors, if that decides it."""

    def read(access: AccessOp) -> Scalar | None:
        if is_absent(access):
            return fill_of(access.tensor.type)
        named = value_read(access)
        return None if named is None else value_without(named, is_absent)

    def of(one: SSAValue) -> Scalar | None:
        return evaluate(one.owner, read, of)

    return of(value)


def stores_nothing(op: AssignOp) -> bool:
    """Whether no coordinate of a sparse tensor gets an entry: the value stored beside an operand is the fill value."""
    constant = op.value.owner
    while isinstance(constant, CastOp) or (isinstance(constant, ApplyOp) and constant.operator == StringAttr("first")):
        constant = constant.operands[0].owner
    if op.operator is not None or constant is op.value.owner or not isinstance(constant, ConstantOp):
        return False
    if constant.absent is None or format_of(op.tensor.type).is_dense:
        return False
    return same_value(convert(constant.scalar, element_name(op.value.type)), fill_of(op.tensor.type))


class ValuesWithoutEntries:
    """The values of expressions where no tensor has an entry, if that decides them: if no dense operand does.

    A temporary has what its producer stores there then. Results are cached: for a temporary that is read twice, whose
    producer reads one twice, and so on.
    """

    def __init__(self) -> None:
        self._found: dict[SSAValue, Scalar | None] = {}

    def of(self, value: SSAValue) -> Scalar | None:
        if value not in self._found:
            self._found[value] = evaluate(value.owner, self._read, self.of)
        return self._found[value]

    def _read(self, access: AccessOp) -> Scalar | None:
        if is_temporary(access.tensor):
            return self._left_by_stores(access.tensor)
        return None if format_of(access.tensor.type).is_dense else fill_of(access.tensor.type)

    def _left_by_stores(self, temporary: SSAValue) -> Scalar | None:
        """What the producer leaves in an element of a temporary for which no tensor has an entry."""
        where = temporary.owner.parent_op()
        assert isinstance(where, WhereOp)
        left: Scalar | None = None
        for store in stores_into(where.producer.block, where.producer.block.args[0]):
            value = self.of(store.value)
            if value is None or (left is not None and not same_value(value, left)):
                return None
            if store.operator is not None and not _is_kept(find_operator(store.operator, store), value, store):
                return None
            left = value
        return left


def is_temporary(tensor: SSAValue) -> bool:
    """Whether a tensor is the temporary of a where, as one of its sides has it."""
    return isinstance(tensor.owner, Block) and isinstance(tensor.owner.parent_op(), WhereOp)


def _is_kept(operator: Operator, value: Scalar, store: AssignOp) -> bool:
    """Whether a reduction of any number of equal values, but none at all, is that value."""
    element = element_name(store.value.type)
    identity = operator.identity(element)
    constants = (*operator.annihilators(0, element), *(() if identity is None else (identity,)))
    return operator.idempotent or any(same_value(value, constant) for constant in constants)


def reduces_fills(access: AccessOp, variable: SSAValue) -> bool:
    """Whether a reduction over a variable that indexes nothing else that is read, or across it, combines something
    where an access has no entry: of a list in order, how often is known without a loop over all coordinates."""
    loop = forall_of(variable)
    if loop is None:
        return False
    others = [one for one in accesses_in(loop.body.block) if isinstance(one, AccessOp) and one is not access]
    if any(variable in other.indices for other in others):
        return False
    return any(_combines_fills(store, access) for store in stores_out_of(loop) if store.operator is not None)


def takes_fills_once(access: AccessOp, variable: SSAValue) -> bool:
    """Whether such a reduction may take what an access has between entries once, however many coordinates are there:
    by operators to which that makes no difference, over all dimensions where the access lists stored coordinates."""
    loop = forall_of(variable)
    stores = [] if loop is None else [store for store in stores_out_of(loop) if store.operator is not None]
    levels = format_of(access.tensor.type).levels
    listed = {access.indices[level.expression.dimension] for level in levels if not level.format.pattern.full}
    return all(_is_idempotent(store) and listed.isdisjoint(covered_by(store.indices)) for store in stores)


def _is_idempotent(store: AssignOp) -> bool:
    assert store.operator is not None
    operator = find_operator(store.operator, store)
    return operator.idempotent and operator.associative and operator.commutative


def _combines_fills(store: AssignOp, access: AccessOp) -> bool:
    assert store.operator is not None
    value = value_without(store.value, lambda read: read is access)
    return value is None or not same_value(value, identity_of(store.operator, store, store.value.type))
