"""Programs in concrete index notation as immutable values, on which schedules are searched.

A search makes millions of programs; only the chosen ones become IR (Ahrens 2022, sections 4 and 7).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Reversible
from typing import NamedTuple

from irtensor.core.operators import Operator, Scalar
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP

Indices = tuple[str, ...]
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^"}


class Access(NamedTuple):
    """A component of a tensor: an index variable and, where it is read, a protocol for each of its modes.

    A write to a workspace has protocols where some of its modes are located: a workspace has a slot for each coordinate
    of these, and is emptied in as much time. In the others it has the inserted coordinates. `tensor` is a name. That of
    a workspace is a number first: that of the `where` that owns it, counted from the innermost one around the access,
    which is 1 (De Bruijn), so that equal programs are equal values. `modes` are the variables that its modes are taken
    for, where that is not what it is indexed by.
    """

    tensor: str | int
    indices: Indices = ()
    protocols: tuple[str, ...] = ()
    modes: Indices = ()


class Literal(NamedTuple):
    """A constant."""

    value: Scalar


class Call(NamedTuple):
    """An operator on arguments; one that is associative may have more than two."""

    operator: Operator
    arguments: tuple[Expression, ...]


class Assign(NamedTuple):
    """`target = value`, or `target op= value` where there is an operator."""

    target: Access
    operator: Operator | None
    value: Expression


class Forall(NamedTuple):
    """A loop over all values of an index variable."""

    variable: str
    body: Statement


class Where(NamedTuple):
    """The producer computes a workspace, which begins as the identity of its operator, and the consumer uses it.

    A producer that stores nothing becomes an assignment of the constant that the workspace begins as.
    """

    consumer: Statement
    producer: Statement


class Sequence(NamedTuple):
    """Statements one after the other, which store into one tensor; all but the first combine what they store with it.

    A first statement that stores nothing becomes an assignment of the constant that the tensor begins as.
    """

    statements: tuple[Statement, ...]


Expression = Access | Literal | Call
Statement = Assign | Forall | Where | Sequence
Node = Expression | Statement


def parts(statement: Statement) -> tuple[Statement, ...]:
    """The parts of a statement, which are statements; what it computes is stored by the first one."""
    # Asked for so often in a search that patterns take too long.
    if isinstance(statement, Forall):
        return (statement.body,)
    if isinstance(statement, Where):
        return statement.consumer, statement.producer
    return () if isinstance(statement, Assign) else statement.statements


def with_parts(statement: Statement, changed: Iterable[Statement]) -> Statement:
    """The same statement made of other ones."""
    match statement:
        case Assign():
            return statement
        case Forall(variable, _):
            return Forall(variable, *changed)
        case Where():
            return Where(*changed)
        case Sequence():
            return Sequence(tuple(changed))


def reads(node: Node) -> Iterator[Access]:
    """The accesses that are read, in the order in which they are written down."""
    left: list[Node] = [node]
    while left:
        one = left.pop()
        if isinstance(one, Access):
            yield one
        elif isinstance(one, Call):
            left += one.arguments[::-1]
        elif isinstance(one, Assign):
            left.append(one.value)
        elif not isinstance(one, Literal):
            left += parts(one)[::-1]


def accesses(statement: Statement) -> Iterator[Access]:
    """The reads and the writes."""
    return (access for access, _ in accesses_within_loops(statement))


def accesses_within_loops(statement: Statement) -> Iterator[tuple[Access, Indices]]:
    """The reads and the writes, with the loops around each, outermost first."""
    return (
        (access, loops)
        for assign, loops in assigns_within_loops(statement)
        for access in (assign.target, *reads(assign))
    )


def leaves_of(value: Expression) -> list[Expression]:
    """The accesses and numbers of an expression, last one first."""
    left, found = [value], list[Expression]()
    while left:
        one = left.pop()
        if isinstance(one, Call):
            left += one.arguments
        else:
            found.append(one)
    return found


def reads_within_loops(statement: Statement, loops: Indices = ()) -> Iterator[tuple[Access, Indices]]:
    """The reads, with the loops around each, outermost first; `loops` are around all of them."""
    return ((read, around) for assign, around in assigns_within_loops(statement, loops) for read in reads(assign))


def within_loops(statement: Statement, loops: Indices = ()) -> Iterator[tuple[Statement, Indices]]:
    """A statement and all its parts, with the loops around each, outermost first; `loops` are around all of them."""
    left = [(statement, loops)]
    while left:
        one, around = left.pop()
        yield one, around
        if isinstance(one, Forall):
            left.append((one.body, (*around, one.variable)))
        else:
            left += [(part, around) for part in parts(one)[::-1]]


def assigns_within_loops(statement: Statement, loops: Indices = ()) -> Iterator[tuple[Assign, Indices]]:
    """All assignments, as `within_loops`."""
    return ((one, around) for one, around in within_loops(statement, loops) if isinstance(one, Assign))


def count_assigns(statement: Statement) -> int:
    """How many assignments there are."""
    return sum(1 for _ in assigns_within_loops(statement))


def operators_in(statement: Statement) -> Iterator[Operator]:
    """The operators by which values are reduced and computed, each as often as it is applied."""
    for assign, _ in assigns_within_loops(statement):
        if assign.operator is not None:
            yield assign.operator
        yield from _operators_called(assign.value)


def _operators_called(value: Expression) -> Iterator[Operator]:
    if isinstance(value, Call):
        yield value.operator
        for argument in value.arguments:
            yield from _operators_called(argument)


def accessed(node: Node) -> frozenset[str]:
    """The index variables that accesses use, those that are written among them."""
    left: list[Node] = [node]
    found = set[str]()
    while left:
        one = left.pop()
        if isinstance(one, Access):
            found.update(one.indices)
        elif isinstance(one, Call):
            left += one.arguments
        elif isinstance(one, Assign):
            found.update(one.target.indices)
            left.append(one.value)
        elif not isinstance(one, Literal):
            left += parts(one)
    return frozenset(found)


def bound(statement: Statement) -> frozenset[str]:
    """The index variables of the loops in a statement."""
    inside = frozenset[str]().union(*map(bound, parts(statement)))
    return inside | {statement.variable} if isinstance(statement, Forall) else inside


def stored_by(statement: Statement) -> Assign:
    """The assignment to what a statement computes, the first one in a sequence."""
    while not isinstance(statement, Assign):
        statement = parts(statement)[0]
    return statement


def path_to_store(statement: Statement, loops: Indices = ()) -> Indices:
    """The loops around the assignment to what a statement computes, outermost first; `loops` are around all of it."""
    return next(assigns_within_loops(statement, loops))[1]


def in_loop_order(indices: Indices, loops: Indices) -> Indices:
    """The indices of an access, that of the outermost loop first."""
    return tuple([variable for variable in loops if variable in indices])


def loops_over(indices: Reversible[str], body: Statement) -> Statement:
    """A statement within loops, the first one outermost."""
    for index in reversed(indices):
        body = Forall(index, body)
    return body


def loops_of(statement: Statement) -> tuple[Indices, Statement]:
    """The index variables of the loops around everything else, outermost first, and their body."""
    found: list[str] = []
    while isinstance(statement, Forall):
        found.append(statement.variable)
        statement = statement.body
    return tuple(found), statement


def wheres(statement: Statement) -> Iterator[Where]:
    """All `where` in a statement."""
    return (where for where, _ in wheres_within_loops(statement))


def wheres_within_loops(statement: Statement, loops: Indices = ()) -> Iterator[tuple[Where, Indices]]:
    """All `where`, as `within_loops`."""
    return ((one, around) for one, around in within_loops(statement, loops) if isinstance(one, Where))


def located(access: Access) -> Indices:
    """The indices of the modes that are located."""
    return _accessed_by(LOCATE, access)


def stepped(access: Access) -> Indices:
    """The indices of the modes that are stepped through."""
    return _accessed_by(STEP, access)


def _accessed_by(protocol: str, access: Access) -> Indices:
    return tuple([index for index, own in zip(access.indices, access.protocols, strict=False) if own == protocol])


def wide_modes(statement: Statement) -> int:
    """How many modes the workspaces have that may be larger than a dimension, all together."""
    modes = (len(stored_by(where.producer).target.indices) for where in wheres(statement))
    return sum(count for count in modes if count > 1)


def depth(statement: Statement) -> int:
    """The most loops that are inside each other."""
    return isinstance(statement, Forall) + max(map(depth, parts(statement)), default=0)


def map_accesses(node: Expression, change: Callable[[Access], Expression]) -> Expression:
    """An expression in which accesses are changed, in the order in which they are written down."""
    if isinstance(node, Access):
        return change(node)
    if isinstance(node, Call):
        return Call(node.operator, tuple([map_accesses(argument, change) for argument in node.arguments]))
    return node


def map_expressions(statement: Statement, change: Callable[[Expression], Expression]) -> Statement:
    """A statement in which the values of all assignments are changed."""
    if isinstance(statement, Assign):
        return statement._replace(value=change(statement.value))
    return with_parts(statement, [map_expressions(part, change) for part in parts(statement)])


def map_all_accesses(statement: Statement, change: Callable[[Access], Access]) -> Statement:
    """A statement in which all accesses are changed, the target first in each assignment."""
    if isinstance(statement, Assign):
        target = change(statement.target)
        return Assign(target, statement.operator, map_accesses(statement.value, change))
    return with_parts(statement, [map_all_accesses(part, change) for part in parts(statement)])


def renamed(statement: Statement, indices: Mapping[str, str], tensors: Mapping[str, str]) -> Statement:
    """A program with other index variables, and other names of those tensors that have some here."""

    def access(one: Access) -> Access:
        tensor = tensors.get(str(one.tensor), one.tensor)
        return one._replace(tensor=tensor, indices=tuple([indices[index] for index in one.indices]))

    def loops(one: Statement) -> Statement:
        inner = with_parts(one, [loops(part) for part in parts(one)])
        return inner._replace(variable=indices[inner.variable]) if isinstance(inner, Forall) else inner

    return loops(map_all_accesses(statement, access))


def without_protocols(statement: Statement) -> Statement:
    """A program that does not say how it reads and writes."""
    return map_all_accesses(statement, lambda access: access._replace(protocols=()))


def is_associative(operator: Operator) -> bool:
    return operator.associative and operator.arity == 2


def flattened(node: Expression) -> Expression:
    """An expression in which calls of an associative operator on its own results are one, arguments in one order."""
    if not isinstance(node, Call):
        return node
    arguments = [flattened(argument) for argument in node.arguments]
    if is_associative(node.operator):
        parts = (a.arguments if isinstance(a, Call) and a.operator is node.operator else (a,) for a in arguments)
        arguments = [one for part in parts for one in part]
    if node.operator.commutative:
        arguments.sort(key=order_of)
    return Call(node.operator, tuple(arguments))


def order_of(node: Expression) -> tuple[object, ...]:
    """A key by which expressions are put in one order."""
    match node:
        case Access(tensor, indices, protocols):
            return (0, isinstance(tensor, int), str(tensor), indices, protocols)
        case Literal(value):
            return (1, str(value))
        case Call(operator, arguments):
            return (2, operator.name, tuple(order_of(argument) for argument in arguments))


def text_of(node: Node) -> str:
    """The program as people write it; a workspace that has no name yet is its number."""
    match node:
        case Access(tensor, indices, protocols):
            marks = (f"{protocol[0]}({index})" for index, protocol in zip(indices, protocols, strict=False))
            return f"{tensor}[{','.join(marks if protocols else indices)}]" if indices else str(tensor)
        case Literal(value):
            return str(value)
        case Call(operator, arguments):
            texts, name = [text_of(argument) for argument in arguments], operator.name
            if name not in INFIX or len(texts) < 2:
                return f"{'-' if name == 'neg' else name}({', '.join(texts)})"
            calls = (isinstance(argument, Call) and len(argument.arguments) > 1 for argument in arguments)
            return f" {INFIX[name]} ".join(f"({t})" if call else t for t, call in zip(texts, calls, strict=True))
        case Assign(target, operator, value):
            sign = "=" if operator is None else f"{INFIX.get(operator.name, operator.name)}="
            return f"{text_of(target)} {sign} {text_of(value)}"
        case Forall():
            variables, body = loops_of(node)
            separator = "" if all(len(name) == 1 for name in variables) else " "
            return f"forall {separator.join(variables)}: {_part_text(body)}"
        case Where(consumer, producer):
            return f"({text_of(consumer)}) where ({text_of(producer)})"
        case Sequence(statements):
            return "; ".join(map(_part_text, statements))


def _part_text(statement: Statement) -> str:
    return text_of(statement) if isinstance(statement, Assign) else f"({text_of(statement)})"


def fresh_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken yet."""
    while name in taken:
        name += "_"
    return name
