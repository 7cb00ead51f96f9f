"""`expand-regions`: the stored entries decide where operators have a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import located_at
from irtensor.core.operators import Scalar, convert, fold_to_value, same_value
from irtensor.core.regions import Region, any_of, combined, fill_in_common, holds, just, where_stored
from irtensor.dialects.algebra.algebra import (
    ApplyOp,
    CastOp,
    ConstantOp,
    OperatorOp,
    YieldOp,
    find_declaration,
)
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import constant_value, element_name
from irtensor.dialects.index_notation import index_notation
from irtensor.dialects.index_notation.index_notation import AccessOp, AssignOp, ReduceOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.entry_conditions import (
    Condition,
    EntryConditions,
    accesses_behind,
    condition_of,
    constant_condition,
)
from irtensor.passes.analysis.literals import is_literal
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class ExpandRegionsPass(TensorPass):
    """Write out operators with regions or cases, by whether entries of tensors are stored.

    Before: `%c = apply @mask(%a, %b)`, where `@mask` gives `%a` in its region `a and not b`
    After:  `%c = where(and(stored(%a), not(stored(%b))), %a, 0) entry`
    Afterwards `stored` is asked of accesses alone: for values computed from them, the algebra of operators decides it.
    """

    name = "expand-regions"
    accepts = ("index_notation",)
    leaves = ("index_notation",)
    before = {
        "share-equal-sums": "reductions are compared as they are computed",
        "concretize": "operators are applied to accesses, and not to temporaries",
    }

    def on_function(self, function: FuncOp) -> None:
        for definition in operations_of(function.body.block):
            if isinstance(definition, AssignOp):
                _expand(definition)


def _expand(definition: AssignOp) -> None:
    applications = operations_in(definition, ApplyOp)
    with_regions = [
        one
        for one in applications
        if isinstance(one.operator, SymbolRefAttr) and find_declaration(one.operator, one).has_regions
    ]
    asked = [one for one in applications if asks_if_stored(one)]
    if not with_regions and not asked:
        return
    conditions = EntryConditions()
    for one in applications:
        with located_at(one):
            if one in with_regions:
                _Application(one, conditions).expand()
            elif one in asked:
                _ask_accesses(one, conditions)
            elif one.operator == StringAttr("where"):
                _say_entries(one, conditions)
    for around in (*operations_in(definition, ReduceOp), definition):
        erase_unused(operations_of(around.body.block))


def _ask_accesses(op: ApplyOp, conditions: EntryConditions) -> None:
    emit = Insertion(op)
    condition = constant_condition(conditions.of(op.arguments[0], emit), emit)
    _replace(op, _keep_indices(condition, [op.arguments[0]], emit))


def _say_entries(op: ApplyOp, conditions: EntryConditions) -> None:
    """Say where a choice by stored entries is an entry: where it is none, a number that it chooses reads as one that is
    absent, and where it is one as a number that is written. A located operand has no loop over its entries alone."""
    condition, *branches = op.arguments
    uses = [use for use in op.result.uses if _combines(use.operation)]
    is_open = any(map(is_literal, branches)) or any(map(_is_looked_up, accesses_behind(op.result)))
    if not uses or not is_open or not conditions.decide(condition):
        return
    emit = Insertion(op, behind=True)
    stored = conditions.of(op.result, emit)
    absent = conditions.absent(op.result)
    if stored is True and absent is not None:
        # A number as any other, which is there without anything that is stored.
        number = _keep_indices(emit.constant(absent, op.result.type), [op.result], emit)
        for use in uses:
            use.operation.operands[use.index] = number
        return
    stored = constant_condition(stored, emit)
    rest = _absent_constant(convert(0, element_name(op.result.type)) if absent is None else absent, op.result, emit)
    chosen = emit.apply("where", (stored, op.result, rest), op.result.type)
    choice = expect(chosen.owner, ApplyOp)
    choice.entry, choice.location = UnitAttr(), op.location
    for use in uses:
        use.operation.operands[use.index] = chosen


def _is_looked_up(op: Operation) -> bool:
    """Whether something asks at each coordinate if a tensor has an entry there."""
    levels = format_of(op.tensor.type).levels if isinstance(op, AccessOp) else ()
    return any(level.format.properties.has_flags for level in levels)


def _combines(op: Operation) -> bool:
    """Whether an operation combines a value with others, or stores it as entries, and neither chooses it as it is nor
    asks if it is stored."""
    if isinstance(op, index_notation.YieldOp):
        definition = op.parent_op()
        return isinstance(definition, AssignOp) and not format_of(definition.result.type).is_dense
    return isinstance(op, ApplyOp) and op.operator != StringAttr("where") and not asks_if_stored(op)


def _replace(op: ApplyOp, value: SSAValue) -> None:
    if value.name_hint is None:
        value.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _keep_indices(value: SSAValue, dropped: Sequence[SSAValue], emit: Insertion) -> SSAValue:
    """The value with what gives an index variable its extent, where that is not read any more."""
    around = _blocks_around(emit.block)
    bound = {index for access in accesses_behind(value) for index in _indices(access)}
    for argument in dropped:
        for access in accesses_behind(argument):
            free = [index for index in _indices(access) if index.owner in around]
            if not bound.issuperset(free):
                bound.update(free)
                kept = argument
                if argument.type != value.type:
                    kept = emit.insert(CastOp.of(argument, value.type))
                value = emit.apply("first", (value, kept), value.type)
    return value


def _blocks_around(block: Block | None) -> set[Block]:
    found: set[Block] = set()
    while block is not None:
        found.add(block)
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    return found


def _indices(access: Operation) -> Sequence[SSAValue]:
    return access.indices if isinstance(access, AccessOp) else ()


class _Application:
    """One application of an operator with a region, with cases, or with a body that asks whether an entry is stored."""

    def __init__(self, op: ApplyOp, conditions: EntryConditions):
        assert isinstance(op.operator, SymbolRefAttr)
        self.op = op
        self.declared: OperatorOp = find_declaration(op.operator, op)
        self.arguments = tuple(op.arguments)
        self.conditions = conditions
        self.emit = Insertion(op)
        self.absent = [conditions.absent(argument) for argument in self.arguments]
        self.stored: dict[int, Condition] = {}

    @property
    def _count(self) -> int:
        return len(self.arguments)

    def expand(self) -> None:
        value = self._in_region() if self.declared.region is not None else self._by_case()
        _replace(self.op, _keep_indices(value, self.arguments, self.emit))

    def _is_stored(self, number: int) -> Condition:
        if number not in self.stored:
            self.stored[number] = self.conditions.of(self.arguments[number], self.emit)
        return self.stored[number]

    def _condition(self, region: Region) -> Condition:
        return condition_of(region, _Asked(self), self.emit)

    # Values.

    def _by_case(self) -> SSAValue:
        """What the operator computes, by which operands are stored."""
        value = self._inlined(self.declared.body.block)
        bodies = zip(self.declared.cases or (), self.declared.case_bodies, strict=True)
        for case, body in bodies:
            condition = self._condition(just([number.data for number in case], self._count))
            if condition is True:
                value = self._inlined(body.block)
            elif condition is not False:
                value = self.emit.apply("where", (condition, self._inlined(body.block), value), value.type)
        return value

    def _inlined(self, body: Block) -> SSAValue:
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, self.arguments, strict=True))
        for op in body.ops:
            if isinstance(op, YieldOp):
                return values[op.value]
            if isinstance(op, ApplyOp) and asks_if_stored(op):
                asked = self.conditions.of(values[op.arguments[0]], self.emit)
                values[op.result] = constant_condition(asked, self.emit)
                continue
            new = clone_operation(op, values)
            if isinstance(new, ApplyOp) and self.op.exact is not None:
                new.exact = UnitAttr()
            new.location = self.op.location
            values[op.results[0]] = self.emit.insert(new)
        raise AssertionError("an operator's body ends in algebra.yield")

    # Regions.

    def _in_region(self) -> SSAValue:
        assert self.declared.region is not None
        optional = [number for number in range(self._count) if not isinstance(self._is_stored(number), bool)]
        fixed = {number: bool(self._is_stored(number)) for number in range(self._count) if number not in optional}
        region = where_stored(self.declared.region.data.region, fixed)
        outside = self._outside()
        nowhere = self._value_nowhere(optional) if holds(region, [False] * self._count) else None
        if nowhere is None:
            return self._choice(self._condition(region), outside)
        # A coordinate that no operand stores is not an entry, but part of the region all the same.
        somewhere = any_of(optional)
        condition = self._condition(combined("&", region, somewhere))
        rest = self._constant(nowhere)
        if not same_value(nowhere, outside):
            beyond = self._condition(somewhere)
            rest = self._where(beyond, self._constant(outside), rest)
        return self._where(condition, self._by_case(), rest, is_entry=True)

    def _choice(self, condition: Condition, outside: Scalar) -> SSAValue:
        if condition is False:
            return self._constant(outside)
        value = self._by_case()
        return value if condition is True else self._where(condition, value, self._constant(outside), is_entry=True)

    def _where(self, condition: Condition, value: SSAValue, rest: SSAValue, is_entry: bool = False) -> SSAValue:
        result = self.emit.apply("where", (constant_condition(condition, self.emit), value, rest), value.type)
        assert isinstance(result.owner, ApplyOp)
        result.owner.location = self.op.location
        if is_entry:
            result.owner.entry = UnitAttr()
        return result

    def _constant(self, value: Scalar) -> SSAValue:
        return _absent_constant(value, self.op.result, self.emit)

    def _outside(self) -> Scalar:
        """What the operator gives outside of its region."""
        declared = self.declared
        given = None if declared.fill is None else constant_value(declared.fill)
        if given is not None:
            return given
        fills = [fill for fill in self.absent if fill is not None]
        keeps_type = all(argument.type == self.op.result.type for argument in self.arguments)
        return fill_in_common(f"@{declared.sym_name.data}", fills, keeps_type)

    def _value_nowhere(self, optional: Sequence[int]) -> Scalar | None:
        """What the operator computes where no entry is stored, if nothing else decides that."""
        stored = [number for number in range(self._count) if number not in optional and self._is_stored(number) is True]
        return self._folded(stored, dict(enumerate(self.absent)))

    def _folded(self, stored: Sequence[int], absent: Mapping[int, Scalar | None]) -> Scalar | None:
        """What the body for some stored operands gives, if what absent ones read as decides it."""
        plain = self.declared.value_where(stored, self.op.exact is not None)
        elements = [element_name(argument.type) for argument in self.arguments]
        literals = [number for number, argument in enumerate(self.arguments) if is_literal(argument)]
        numbers = {number: _scalar(self.arguments[number]) for number in literals}
        known = [numbers.get(number, absent.get(number)) for number in range(self._count)]
        value = fold_to_value(plain, known, elements, literals)
        return None if value is None else convert(value, element_name(self.op.result.type))


def _absent_constant(value: Scalar, like: SSAValue, emit: Insertion) -> SSAValue:
    """A number that is read where no entry is stored, of the type of a value."""
    constant = emit.constant(convert(value, element_name(like.type)), like.type)
    expect(constant.owner, ConstantOp).absent = UnitAttr()
    return constant


def _scalar(value: SSAValue) -> Scalar:
    assert isinstance(value.owner, ConstantOp)
    return value.owner.scalar


class _Asked(Sequence[Condition]):
    """Whether operands are stored, found out when a region asks."""

    def __init__(self, application: _Application):
        self._application = application

    def __getitem__(self, number: Any) -> Any:
        return self._application._is_stored(number)

    def __len__(self) -> int:
        return len(self._application.arguments)
