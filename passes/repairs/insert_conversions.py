"""`insert-conversions`: break contradictions between storage orders by asking for operands in another level order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue, Use

from irtensor.core.diagnostics import remark
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import DimOp, FormatAttr, format_of
from irtensor.passes.analysis.connected_order import connected_order
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    accesses_in,
    chain_edges,
    edges_of,
    enclosing_variables,
    level_variables,
    levels_in_order,
    name_of,
    range_edges,
    workspace_edges,
)
from irtensor.passes.analysis.loop_order import find_order
from irtensor.passes.analysis.ranges import range_bounds, sources
from irtensor.passes.concrete_index.support.operand_formats import reordered, supporting_access
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.schedule.reorder import forall_chains
from irtensor.passes.support.operations_in import computed_from, is_argument
from irtensor.passes.support.pass_base import TensorPass

# Attribute of a function argument: it is the operand of this number, converted to the argument's format.
CONVERTS = "storage.converts"
# Of an argument that is a conversion: that it is true where the operand has an entry, whatever the value.
PATTERN = "storage.pattern"
# Of an argument: that it has the stored entries of its operand, whose format is symmetric, without their mirrors.
STORED_PART = "storage.stored_part"
# Steps that give the order of all loops, or take it as given: which lists a loop merges depends on it. An order that
# nobody asked for may be much more work than another with an operand converted.
_ORDERING = {"reorder", "autoschedule", "merge"}
_READS = (AccessOp, EntryOp, EntryCountOp, EntryNumberOp)


class InsertConversionsPass(TensorPass):
    """Change the level order of operands whose storage order contradicts the others'; the caller then converts them.

    Before: `func @f(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csc>)` reading %A[%i, %j] and %B[%i, %j]
    After:  `func @f(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr> {storage.converts = 1 : index})`
    An operand that is also read in its own order keeps it, and the converted one becomes a further argument. What no
    conversion repairs is left for choose-loop-order to report. Results are taken to be collected in workspaces where
    that is needed (`insert-workspaces`), and operands are converted where even that does not do, or where the loops
    would combine all rows of one operand with all rows of another. Loops whose order a schedule gives stay in it if it
    suits everything.
    """

    name = "insert-conversions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"choose-loop-order": "contradictions between operands are refused unless a conversion removes them first"}
    needs = "conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            function = chain[0].parent_op()
            while function is not None and not isinstance(function, FuncOp):
                function = function.parent_op()
            if function is not None:
                _repair(function, chain)


def _repair(function: FuncOp, chain: list[ForallOp]) -> None:
    variables = [forall.variable for forall in chain]
    accesses = list(accesses_in(chain[-1].body.block))
    edges = chain_edges(chain)
    for access in dict.fromkeys(edge.access for edge in edges if _is_bound_inside(edge, chain)):
        if isinstance(access, AccessOp) and is_convertible(access, list(enclosing_variables(access))):
            order = find_order(variables, [edge for edge in edges if edge.access is not access]) or variables
            _convert(function, access, _nesting(access, variables, order))
            edges = chain_edges(chain)
    if (
        _ORDERING.intersection(recorded_steps(chain[0]))
        and find_order(variables, [edge for edge in edges if edge.hard]) == variables
    ):
        return
    own, order, chosen = edges, find_order(variables, edges), list[AccessOp]()
    ranges = range_edges(chain)
    # Where no operand is left to convert, workspaces hold all of the results.
    for outside in (None, ()) if order is None else ():
        edges = [*_edges_with_workspaces(variables, accesses, outside), *ranges]
        order, chosen = _order_with_conversions(function, variables, edges)
        if order is not None:
            break
    if order is None:
        return
    operands = [access for access in accesses if isinstance(access, AccessOp)]
    around = list(enclosing_variables(chain[0]))
    convertible = readily_convertible(operands, [*around, *variables])
    order, chosen = connected_order(order, accesses, own, convertible, chosen, around) or (order, chosen)
    for access in chosen:
        _convert(function, access, _nesting(access, variables, order))


def _nesting(access: AccessOp, variables: Sequence[SSAValue], order: Sequence[SSAValue]) -> list[SSAValue]:
    """The loops around an access, outermost first, when those of a chain are in an order."""
    nesting = list(enclosing_variables(access))[::-1]
    outer = nesting.index(variables[0])
    nesting[outer : outer + len(variables)] = order
    return nesting


def _edges_with_workspaces(
    variables: Sequence[SSAValue], accesses: Sequence[AccessOp | AssignOp], outside: Sequence[SSAValue] | None
) -> list[Edge]:
    """The order constraints if results are collected in workspaces, which hold all levels but those `outside`."""
    edges: list[Edge] = []
    for access in accesses:
        edges += workspace_edges(access, variables, outside) if isinstance(access, AssignOp) else edges_of(access)
    return edges


def _order_with_conversions(
    function: FuncOp, variables: Sequence[SSAValue], edges: Sequence[Edge]
) -> tuple[list[SSAValue] | None, list[AccessOp]]:
    """An order of the loops, and the accesses to convert for it; no order if no conversions are enough."""
    order, chosen = find_order(variables, edges), list[AccessOp]()
    while order is None:
        found = _next_to_convert(function, variables, edges, chosen)
        if found is None:
            break
        chosen.append(found[0])
        order = found[1]
    return order, chosen


def _is_bound_inside(edge: Edge, chain: list[ForallOp]) -> bool:
    """Whether a loop of the chain would have to go inside one that is nested in it, which no order achieves."""
    variables = [forall.variable for forall in chain]
    outside = list(enclosing_variables(chain[0]))
    return edge.hard and edge.after in variables and edge.before not in [*variables, *outside]


def _next_to_convert(
    function: FuncOp, variables: Sequence[SSAValue], edges: Sequence[Edge], chosen: Sequence[AccessOp]
) -> tuple[AccessOp, list[SSAValue] | None] | None:
    """The access to convert next, and the loop order if that is enough: preferably one that is, the last of those."""
    remaining = [edge for edge in edges if edge.access not in chosen]
    candidates = [
        edge.access
        for edge in remaining
        if edge.hard
        and isinstance(edge.access, AccessOp)
        and is_convertible(edge.access, list(enclosing_variables(edge.access)))
    ]
    if not candidates:
        return None
    # An operand read in parts of so many entries is read position by position only where it is stored.
    candidates = [access for access in candidates if not _goes_by_entries(access)] or candidates
    asked = {(edge.access, edge.before, edge.after) for edge in remaining if edge.hard}
    times = Counter((before, after) for _, before, after in asked)
    # Only these ask for something that no other access asks for, so that without them there are fewer constraints.
    alone = {edge.access for edge in remaining if edge.hard and times[edge.before, edge.after] == 1}
    for access in reversed([access for access in candidates if access in alone]):
        order = find_order(variables, [edge for edge in remaining if edge.access is not access])
        if order is not None:
            return access, order
    return candidates[-1], None


def is_convertible(access: AccessOp, variables: Sequence[SSAValue]) -> bool:
    """Only operands of a function, all of whose loops are given."""
    if format_of(access.tensor.type).has_diagonals:
        return False  # its levels are in the only order there is
    return is_argument(access.tensor) and all(sources(index) <= set(variables) for index in access.indices)


def readily_convertible(accesses: Sequence[AccessOp], variables: Sequence[SSAValue]) -> list[AccessOp]:
    """The accesses that can be converted and lose nothing by it, when loops over these variables are around them."""
    return [one for one in accesses if is_convertible(one, variables) and not _goes_by_entries(one)]


def _goes_by_entries(access: AccessOp) -> bool:
    """Whether loops iterate over levels of an operand in parts of so many of its entries."""
    for number, variable in enumerate(level_variables(access)):
        for entry in computed_from(range_bounds(variable), EntryOp):
            first = len(entry.prefix)
            if entry.tensor is access.tensor and first <= number < first + entry.levels.value.data:
                return True
    return False


def _convert(function: FuncOp, access: AccessOp, order: Sequence[SSAValue]) -> None:
    tensor = access.tensor
    before = format_of(tensor.type)
    variables = level_variables(access)
    levels = levels_in_order(access, order)
    after = supporting_access(reordered(before, levels), access)
    if after == before:
        return
    access.operands[0] = converted_argument(function, access, after)
    if before.is_blocked:
        # These accesses have an index per level.
        access.operands = [access.tensor, *(variables[level] for level in levels)]
        if access.protocols is not None:
            access.protocols = ArrayAttr([access.protocols.data[level] for level in levels])
    remark(
        f"'{name_of(tensor)}', stored {before}, is converted to {for_all_sizes(after)}, so that the loops can "
        f"go in the order {', '.join(name_of(variable) for variable in order)}",
        access,
        by="insert-conversions",
        about=[name_of(tensor)],
    )


def converted_argument(function: FuncOp, access: AccessOp, format: TensorFormat) -> SSAValue:
    """The argument of this format: the operand's own, unless others read it as it is, else a further one.

    Narrow indices of the operand are wide ones there: how much is stored in another format is not known.
    """
    format = for_all_sizes(format).for_any_entries
    tensor = access.tensor
    assert isinstance(tensor, BlockArgument)
    type = _type_with(tensor, format)
    operand, marks = operand_of(function, tensor.index), _marks(function, tensor.index)
    known = _known_conversion(function, type, operand, marks)
    if known is not None:
        return known
    if len(reads_of(tensor)) > 1:
        return _further_argument(function, tensor, type, "converted", operand, marks)
    return convert_argument(function, tensor, format)


def pattern_argument(function: FuncOp, tensor: BlockArgument, format: TensorFormat) -> SSAValue:
    """An argument of this format, which is true where the operand of another argument has an entry."""
    assert isinstance(tensor.type, TensorType)
    operand = operand_of(function, tensor.index)
    type = TensorType(i1, tensor.type.shape, FormatAttr(for_all_sizes(format).with_fill(None)))
    marks = {PATTERN, *_marks(function, tensor.index)}
    known = _known_conversion(function, type, operand, marks)
    if known is not None:
        return known
    return _further_argument(function, tensor, type, "stored", operand, marks)


def _further_argument(
    function: FuncOp, tensor: BlockArgument, type: Attribute, word: str, operand: int, marks: set[str]
) -> BlockArgument:
    """Another argument for the operand of one, behind all others."""
    block = function.body.block
    argument = block.insert_arg(type, len(block.args))
    argument.name_hint = f"{tensor.name_hint or 'operand'}_{word}"
    _mark(function, argument, operand, marks)
    return argument


def reads_of(argument: SSAValue) -> list[Use]:
    """Where concrete index notation reads a tensor, in whatever format it is."""
    return [use for use in argument.uses if isinstance(use.operation, _READS)]


def _is_bound_to_format(argument: BlockArgument) -> bool:
    """Whether something else than loops and accesses has an argument, such as a return, which wants it as it is."""
    return not all(isinstance(use.operation, (*_READS, ExtentOp, DimOp)) for use in argument.uses)


def _known_conversion(function: FuncOp, type: Attribute, operand: int, marks: set[str]) -> SSAValue | None:
    """The argument that an operand is already in a type."""
    for number, argument in enumerate(function.body.block.args):
        same = argument.type == type and operand_of(function, number) == operand
        if same and _marks(function, number) == marks:
            return argument
    return None


def convert_argument(function: FuncOp, argument: BlockArgument, format: TensorFormat) -> SSAValue:
    """Replace an argument by the same operand in another format, for all that read it; as `converted_argument`."""
    operand, marks = operand_of(function, argument.index), _marks(function, argument.index)
    format = for_all_sizes(format).for_any_entries
    if _is_bound_to_format(argument):
        reads, type = reads_of(argument), _type_with(argument, format)
        converted = _further_argument(function, argument, type, "converted", operand, marks)
        for use in reads:
            use.operation.operands[use.index] = converted
        return converted
    converted = _with_format(function, argument, format)
    _mark(function, converted, operand, marks)
    return converted


def stored_part_argument(function: FuncOp, argument: BlockArgument) -> None:
    """Replace an argument in a symmetric format by its stored part. Nothing is converted: it has the arrays."""
    stored = _with_format(function, argument, format_of(argument.type).whole)
    _mark(function, stored, None, {STORED_PART, *_marks(function, stored.index)})


def _with_format(function: FuncOp, argument: BlockArgument, format: TensorFormat) -> BlockArgument:
    """Another argument, in this format, in place of one."""
    block = function.body.block
    converted = block.insert_arg(_type_with(argument, format), argument.index)
    converted.name_hint = argument.name_hint
    argument.replace_all_uses_with(converted)
    block.erase_arg(argument)
    return converted


def _type_with(argument: BlockArgument, format: TensorFormat) -> TensorType:
    assert isinstance(argument.type, TensorType)
    return TensorType(argument.type.element_type, argument.type.shape, FormatAttr(format))


def _attribute(function: FuncOp, number: int, name: str) -> Attribute | None:
    attributes = () if function.arg_attrs is None else function.arg_attrs.data
    return attributes[number].data.get(name) if number < len(attributes) else None


def is_pattern_of_operand(function: FuncOp, number: int) -> bool:
    """Whether an argument says where its operand has entries, and not what they are."""
    return _attribute(function, number, PATTERN) is not None


def is_stored_part_of_operand(function: FuncOp, number: int) -> bool:
    """Whether an argument is the stored part of its operand, whose format is symmetric."""
    return _attribute(function, number, STORED_PART) is not None


def _marks(function: FuncOp, number: int) -> set[str]:
    """What an argument has of its operand, where that is not all of it."""
    return {name for name in (PATTERN, STORED_PART) if _attribute(function, number, name) is not None}


def _converts(function: FuncOp, number: int) -> int | None:
    """The operand that an argument is a conversion of."""
    attribute = _attribute(function, number, CONVERTS)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def operand_of(function: FuncOp, number: int) -> int:
    """The operand that an argument is, or is a conversion of: one may be converted by two passes."""
    converted = _converts(function, number)
    return number if converted is None else converted


def _mark(function: FuncOp, argument: BlockArgument, operand: int | None, marks: set[str]) -> None:
    """Let the function's type and attributes say that an argument is the conversion of an operand, if of one, or of
    what the marks say."""
    arguments = function.body.block.args
    outputs = function.function_type.outputs.data
    function.function_type = FunctionType.from_lists([argument.type for argument in arguments], outputs)
    count, number = len(arguments), argument.index
    attributes = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attributes += [DictionaryAttr({})] * (count - len(attributes))
    words: dict[str, Attribute] = {name: UnitAttr() for name in (PATTERN, STORED_PART) if name in marks}
    if operand is not None:
        words[CONVERTS] = IntegerAttr(operand, IndexType())
    attributes[number] = DictionaryAttr({**attributes[number].data, **words})
    function.arg_attrs = ArrayAttr(attributes)


def converted_operands(function: FuncOp) -> list[int | None]:
    """For every argument of a function, the operand that it is a conversion of, or None if it is an operand itself."""
    return [_converts(function, number) for number in range(len(function.body.block.args))]
