"""The `concrete_index` dialect: HOW a tensor is computed: loops over index variables, temporaries, stores; no storage.

Source: Kjolstad 2020, section 4.3. The statements of a block run in order, which gives the paper's sequence and multi.
This module offers every statement of the dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, OpResult, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import ASSEMBLY_STRATEGIES
from irtensor.dialects.algebra.algebra import verify_operator
from irtensor.dialects.concrete_index.blocks import only_coordinate
from irtensor.dialects.concrete_index.index_loops import ForallOp, IfOp, LetOp, binder_of, is_whole_index, loop_sources
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.concrete_index.protocols import READS, WRITES, Protocols, parse_access, print_access
from irtensor.dialects.storage.static_extents import check_static_extents, indexed_by_dimension
from irtensor.dialects.storage.storage import format_of, verify_tensor
from irtensor.dialects.support.assembly import parse_stored, print_stored
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.dialects.support.define_operation import define_operation

__all__ = [
    "AccessOp",
    "AssignOp",
    "ComputeOp",
    "ConcreteIndex",
    "ForallOp",
    "IfOp",
    "LetOp",
    "WhereOp",
]


def _verify_access(access: AccessOp | AssignOp, words: Sequence[str]) -> TensorType[Attribute]:
    tensor, indices = access.tensor, access.indices
    assert isinstance(tensor.type, TensorType)
    verify_tensor(tensor.type)
    rank, levels = len(tensor.type.shape), len(format_of(tensor.type).levels)
    if len(indices) not in (rank, levels):
        raise VerifyException(f"the tensor has {rank} dimensions, the access has {len(indices)} indices")
    protocols = [] if access.protocols is None else [protocol.data for protocol in access.protocols]
    if protocols and len(protocols) != len(indices):
        raise VerifyException(f"{len(protocols)} of {len(indices)} indices have a protocol: all or none have one")
    for protocol in protocols:
        if protocol not in words:
            raise VerifyException(f"'{protocol}' is not a protocol of this access; protocols are {' and '.join(words)}")
    for number, index in enumerate(indices):
        if not isinstance(binder_of(index), ForallOp | LetOp):
            raise VerifyException(f"index {number} is not an index variable of a forall or let around the access")
    return tensor.type


@define_operation
class AccessOp(IRDLOperation):
    """Read one component of an operand or temporary.

    With protocols, `[locate %i, step %j]`, they say how the loop over each index reads the level that it is of.
    Rules: one index per dimension, each an index variable; gives the element type; a result under construction and the
    temporary that a producer computes are not read.
    """

    name = "concrete_index.access"
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    protocols = opt_prop_def(Protocols)
    result = result_def()
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, indices: Sequence[SSAValue], protocols: Protocols | None = None) -> AccessOp:
        assert isinstance(tensor.type, TensorType)
        properties = {} if protocols is None else {"protocols": protocols}
        return create_operation(AccessOp, (tensor, *indices), (tensor.type.element_type,), properties=properties)

    def verify_(self) -> None:
        tensor = _verify_access(self, READS)
        if self.result.type != tensor.element_type:
            raise VerifyException(f"an access gives {tensor.element_type}, not {self.result.type}")
        if _is_under_construction(self.tensor):
            raise VerifyException("a result under construction is not read; assign with an operator combines with it")
        if _is_produced(self.tensor):
            raise VerifyException("only the consumer of a where reads its temporary")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.tensor, self.indices, self.protocols)

    @classmethod
    def parse(cls, parser: Parser) -> AccessOp:
        return AccessOp.of(*parse_access(parser))


@define_operation
class AssignOp(IRDLOperation):
    """Store one component of a result or temporary: `=` without an operator, else combine with the old value.

    Rules: one index per dimension, each an index variable; the value has the element type; the target is the result of
    the enclosing compute or the temporary of an enclosing producer; a plain `=` reaches each component once.
    """

    name = "concrete_index.assign"
    value = operand_def()
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    operator = opt_prop_def(StringAttr | SymbolRefAttr)
    protocols = opt_prop_def(Protocols)

    @staticmethod
    def of(
        value: SSAValue,
        tensor: SSAValue,
        indices: Sequence[SSAValue],
        operator: Attribute | None,
        protocols: Protocols | None = None,
    ) -> AssignOp:
        properties: dict[str, Attribute | None] = {"operator": operator, "protocols": protocols}
        given = {name: value for name, value in properties.items() if value is not None}
        return create_operation(AssignOp, (value, tensor, *indices), properties=given)

    def verify_(self) -> None:
        tensor = _verify_access(self, WRITES)
        if self.value.type != tensor.element_type:
            raise VerifyException(f"cannot store {self.value.type} in a tensor of {tensor.element_type}")
        if not _is_under_construction(self.tensor) and not _is_produced(self.tensor):
            raise VerifyException("an assignment stores into a result under construction or a producer's temporary")
        if self.operator is None:
            self._verify_reaches_once()
        else:
            verify_operator(self.operator, self, (self.value.type, self.value.type), self.value.type)

    def _verify_reaches_once(self) -> None:
        """Without an operator, a loop whose variable does not index the target would overwrite what it stored.

        Not a loop that has one coordinate, nor those that count its windows.
        """
        once = set[SSAValue]().union(*map(loop_sources, self.indices))
        parent = self.parent_op()
        while parent is not None and parent is not binder_of(self.tensor):
            if isinstance(parent, ForallOp) and parent.variable not in once:
                only = only_coordinate(parent)
                if only is None:
                    name = f"%{parent.variable.name_hint}" if parent.variable.name_hint else "a variable"
                    loop = f"the loop over {name}, which does not index the target"
                    raise VerifyException(f"a plain assignment in {loop}, stores repeatedly")
                once |= loop_sources(parent.variable) - loop_sources(only)
            parent = parent.parent_op()

    def print(self, printer: Printer) -> None:
        print_stored(printer, self.operator, self.value)
        print_access(printer, self.tensor, self.indices, self.protocols)

    @classmethod
    def parse(cls, parser: Parser) -> AssignOp:
        operator, value = parse_stored(parser)
        tensor, indices, protocols = parse_access(parser)
        assert isinstance(tensor.type, TensorType)
        value = parser.resolve_operand(value, tensor.type.element_type)
        return AssignOp.of(value, tensor, indices, operator, protocols)


@define_operation
class WhereOp(IRDLOperation):
    """`consumer where producer`: the producer computes a temporary that the consumer reads.

    The temporary starts at the identity of the operator of the producer's first assignment each time the statement is
    reached, at its fill value if that is a plain one.
    Rules: both regions bind the temporary; only the producer stores into it, only the consumer reads it.
    """

    name = "concrete_index.where"
    producer = region_def("single_block")
    consumer = region_def("single_block")
    traits = traits_def(NoTerminator())

    @staticmethod
    def of(type: Attribute, name: str) -> WhereOp:
        """A where with nothing in its two regions yet; `name` is what its temporary is to be called."""
        producer, consumer = create_block((type,)), create_block((type,))
        producer.args[0].name_hint = consumer.args[0].name_hint = name
        return create_operation(WhereOp, regions=[create_region(producer), create_region(consumer)])

    def verify_(self) -> None:
        for block in (self.producer.block, self.consumer.block):
            if len(block.args) != 1 or not isinstance(block.args[0].type, TensorType):
                raise VerifyException("both regions of a where bind one temporary tensor")
        if self.producer.block.args[0].type != self.consumer.block.args[0].type:
            raise VerifyException("producer and consumer bind the temporary with the same type")
        for use in self.consumer.block.args[0].uses:
            if not isinstance(use.operation, AccessOp):
                raise VerifyException("only the producer of a where stores into its temporary")

    def print(self, printer: Printer) -> None:
        printer.print_string(" produce ")
        _print_temporary(printer, self.producer.block)
        printer.print_string(" : ")
        printer.print_attribute(self.producer.block.args[0].type)
        printer.print_string(" ")
        printer.print_region(self.producer, print_entry_block_args=False, print_empty_block=False)
        printer.print_string(" consume ")
        _print_temporary(printer, self.consumer.block)
        printer.print_string(" ")
        printer.print_region(self.consumer, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> WhereOp:
        parser.parse_keyword("produce")
        with parser.in_parens():
            produced = parser.parse_argument(expect_type=False)
        parser.parse_punctuation(":")
        tensor = parser.parse_type()
        producer = parser.parse_region([produced.resolve(tensor)])
        parser.parse_keyword("consume")
        with parser.in_parens():
            consumed = parser.parse_argument(expect_type=False)
        return create_operation(WhereOp, regions=[producer, parser.parse_region([consumed.resolve(tensor)])])


def _is_under_construction(tensor: SSAValue) -> bool:
    """Whether a value is the result of a compute inside of it, and not the finished one."""
    return isinstance(tensor.owner, Block) and isinstance(binder_of(tensor), ComputeOp)


def _is_produced(tensor: SSAValue) -> bool:
    """Whether a value is the temporary inside the producer of a where."""
    where = binder_of(tensor)
    return isinstance(where, WhereOp) and tensor.owner is where.producer.block


def _print_temporary(printer: Printer, block: Block) -> None:
    with printer.in_parens():
        printer.print_ssa_value(block.args[0])


@define_operation
class ComputeOp(IRDLOperation):
    """Define a tensor by statements that store into it; it starts at the identity of the first assignment's operator.

    If that is a plain one, it starts at its fill value. `assemble` says how positions of entries are determined: they
    are appended ("append") to lists that grow, or counted before ("insert"). `scheduled` names the passes by which a
    schedule has arranged the statements: those that follow keep what they find. Several tensors that the same loops
    compute are defined at once, after `fuse-definitions`. Rule: the region binds the tensors under construction.
    """

    name = "concrete_index.compute"
    tensors = var_result_def(TensorType)
    body = region_def("single_block")
    assemble = opt_prop_def(StringAttr)
    scheduled = opt_prop_def(ArrayAttr[StringAttr])
    traits = traits_def(NoTerminator())

    @staticmethod
    def of(
        body: Region,
        results: Attribute | Sequence[Attribute],
        assemble: StringAttr | None = None,
        scheduled: ArrayAttr[StringAttr] | None = None,
    ) -> ComputeOp:
        given = {"assemble": assemble, "scheduled": scheduled}
        properties = {name: value for name, value in given.items() if value is not None}
        types = (results,) if isinstance(results, Attribute) else results
        return create_operation(ComputeOp, regions=[body], result_types=types, properties=properties)

    @property
    def result(self) -> OpResult:
        """The only tensor. Raises UserError [wrong-stage] for several."""
        if len(self.results) != 1:
            message = f"{len(self.results)} tensors are defined at once, and each by itself is expected here"
            help = "run fuse-definitions as the last pass before lower-concrete-index-to-iteration-lattice"
            raise UserError("wrong-stage", message, op=self, help=help)
        return self.results[0]

    @property
    def target(self) -> BlockArgument:
        """The only tensor under construction. Raises UserError [wrong-stage] for several."""
        return self.body.block.args[self.result.index]

    def verify_(self) -> None:
        arguments = self.body.block.args
        if not self.results or [one.type for one in arguments] != [one.type for one in self.results]:
            raise VerifyException("a compute region binds its results under construction")
        if self.assemble is not None and self.assemble.data not in ASSEMBLY_STRATEGIES:
            known = " and ".join(ASSEMBLY_STRATEGIES)
            raise VerifyException(f"unknown assembly '{self.assemble.data}'; there are {known}")
        accesses = [op for op in self.body.walk() if isinstance(op, AccessOp | AssignOp)]
        whole = [access for access in accesses if all(map(is_whole_index, access.indices))]
        for argument in arguments:
            check_static_extents(indexed_by_dimension(whole, argument))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(self.result_types, printer.print_attribute)
        if self.assemble is not None:
            printer.print_string(" assemble ")
            printer.print_attribute(self.assemble)
        if self.scheduled is not None:
            printer.print_string(" scheduled ")
            printer.print_attribute(self.scheduled)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(types) != len(arguments):
            parser.raise_error(f"{len(arguments)} tensors are defined, and {len(types)} types given")
        assemble = None
        if parser.parse_optional_keyword("assemble"):
            assemble = StringAttr(parser.parse_str_literal())
        scheduled = None
        if parser.parse_optional_keyword("scheduled"):
            names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
            scheduled = ArrayAttr([StringAttr(name) for name in names])
        bound = [argument.resolve(type) for argument, type in zip(arguments, types, strict=True)]
        return ComputeOp.of(parser.parse_region(bound), types, assemble, scheduled)


ConcreteIndex = Dialect(
    "concrete_index",
    [
        AccessOp,
        AssignOp,
        ForallOp,
        LetOp,
        WhereOp,
        IfOp,
        ComputeOp,
        ExtentOp,
        EntryOp,
        EntryCountOp,
        EntryNumberOp,
        BoundOp,
    ],
    [],
)
