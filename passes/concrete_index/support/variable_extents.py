"""How many coordinates index variables run over, found in the tensors that they index."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.arith import AddiOp, DivSIOp, MuliOp, RemSIOp, SubiOp
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import EntryNumberOp
from irtensor.dialects.storage.storage import DimOp, format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.iteration_graph import first_store_of, level_variables, name_of
from irtensor.passes.analysis.ranges import counts_blocks, range_bounds
from irtensor.passes.concrete_index.support.equal_extents import equal_extents
from irtensor.passes.concrete_index.support.largest_value import largest_value
from irtensor.passes.concrete_index.support.where_laws import is_within
from irtensor.passes.level_formats.level_extent import level_extent, offsets_in_block
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in


class VariableExtents:
    """Extents of a definition's variables, computed where the function begins; `values` are tensors made meanwhile."""

    def __init__(self, root: Emitter, definition: Operation, values: Mapping[SSAValue, SSAValue]):
        self.root = root
        self.values = values
        self.equal = equal_extents(definition)
        self.levels: dict[tuple[SSAValue, int], SSAValue] = {}

    def of_variable(self, op: Operation, variable: SSAValue, emit: Emitter | None) -> SSAValue:
        """Number of coordinates of a variable inside a statement: the extent of any level that it indexes.

        Without an emitter it is the largest one, over all statements, known where the function begins.
        """
        extent = self._find(op, variable, emit)
        if extent is not None:
            return extent
        name = name_of(variable)
        problem = f"nothing indexed by '{name}' says how many coordinates it has"
        help = "use the variable in an operand or in the result"
        if range_bounds(variable):
            problem = f"how many blocks '{name}' counts is not known before the loops around it"
            help = f"remove {name} from the variables of the temporary, or split by coordinates"
        raise UserError("unknown-extent", problem, op=op, help=help)

    def of_temporary(self, op: WhereOp, store: AssignOp, dimension: int) -> SSAValue:
        """The extent of a temporary's dimension, which its stores give, or its reads."""
        uses = [store, *(use.operation for use in op.consumer.block.args[0].uses)]
        accesses = [access for access in uses if isinstance(access, AccessOp | AssignOp)]
        for variable in (_source(access.indices[dimension]) for access in accesses):
            if (extent := self._find(op, variable, None)) is not None:
                return extent
        return self.of_variable(op, _source(store.indices[dimension]), None)

    def _find(self, op: Operation, variable: SSAValue, emit: Emitter | None) -> SSAValue | None:
        unmade: list[tuple[WhereOp, int]] = []
        for access in operations_in(op, AccessOp, AssignOp):
            tensor = self._value(access)
            if not isinstance(tensor.type, TensorType):
                continue
            where = tensor.owner.parent_op() if isinstance(tensor.owner, Block) else None
            for level, indexed in enumerate(level_variables(access)):
                expression = format_of(tensor.type).levels[level].expression
                blocks = _blocks_of(variable) if expression.form == "floordiv" else None
                if blocks is not None and _source(blocks) is _source(indexed) and not isinstance(where, WhereOp):
                    return self.root.insert(DimOp.of(tensor, expression.dimension)).result
                if _source(indexed) is not variable:
                    continue
                if not isinstance(where, WhereOp):
                    extent = self._of_level(access, level, emit)
                    return extent if emit is None else self._before_the_end(op, access, variable, extent, emit)
                if isinstance(access, AccessOp):
                    unmade.append((where, level))
        # A temporary that is not made yet has the extents of the stores into it.
        for where, level in unmade:
            store = first_store_of(where)
            extent = self._find(where, _source(level_variables(store)[level]), emit)
            if extent is not None:
                return extent
        return self._of_part(op, variable) or self._of_blocks(variable)

    def _of_part(self, op: Operation, part: SSAValue) -> SSAValue | None:
        """How many blocks there are of the dimension that a block number is computed from, or offsets in one."""
        division = part.owner
        if not isinstance(division, DivSIOp | RemSIOp) or (size := constant_index(division.rhs)) is None:
            return None
        if isinstance(division, RemSIOp):
            return self.root.index(size)
        whole, root = self._find(op, _source(division.lhs), None), self.root
        return None if whole is None else root.divide(root.add(whole, root.index(size - 1)), root.index(size))

    def _of_blocks(self, variable: SSAValue) -> SSAValue | None:
        """How many blocks a variable counts at the most, or how many offsets there are in one."""
        if isinstance(variable.owner, EntryNumberOp):
            past = largest_value(variable, self.root, self.values)
            # One more slot is for coordinates without an entry.
            return None if past is None else self.root.add(past, self.root.index(1))
        if isinstance(variable.owner, SubiOp):
            return largest_value(variable, self.root, self.values)
        bounds = range_bounds(variable) if counts_blocks(variable) else ()
        return largest_value(bounds[1], self.root, self.values) if bounds else None

    def _of_level(self, access: AccessOp | AssignOp, level: int, emit: Emitter | None) -> SSAValue:
        tensor = self._value(access)
        expression = format_of(tensor.type).levels[level].expression
        if (dimension := (tensor, expression.dimension)) in self.equal and expression.form == "whole":
            return self.root.insert(DimOp.of(*self.equal[dimension])).result
        if expression.form != "mod":
            key = (tensor, level)
            if key not in self.levels:
                self.levels[key] = level_extent(self.root, tensor, level)
            return self.levels[key]
        if emit is None:
            return self.root.index(expression.factor)
        size = emit.index(expression.factor)
        whole, blocks = self._block_of_dimension(access, expression.dimension)
        # Inside of a loop that is not reached yet, the block may have another name.
        return offsets_in_block(emit, whole, self.values[blocks], size)

    def _block_of_dimension(self, access: AccessOp | AssignOp, dimension: int) -> tuple[SSAValue, SSAValue]:
        """How many coordinates a tensor has in all blocks of a dimension, and the number of the block at an access."""
        tensor = self._value(access)
        blocks = next(
            variable
            for variable, outer in zip(level_variables(access), format_of(tensor.type).levels, strict=True)
            if outer.expression.form == "floordiv" and outer.expression.dimension == dimension
        )
        return self.root.insert(DimOp.of(tensor, dimension)).result, _source(blocks)

    def _before_the_end(
        self, op: Operation, access: AccessOp | AssignOp, variable: SSAValue, extent: SSAValue, emit: Emitter
    ) -> SSAValue:
        """How many offsets a block has, where a temporary has room for all: the block may be a partial one,
        and everything else that is indexed by coordinates in it ends there.
        """
        if not is_temporary(access.tensor):
            return extent
        for coordinate in (let.coordinate for let in operations_in(op, LetOp)):
            blocks = _blocks_of(coordinate)
            if blocks is None or _offset_of(coordinate) is not variable:
                continue
            whole = self._find(op, coordinate, None)
            if whole is not None:
                return offsets_in_block(emit, whole, self.values[_source(blocks)], extent)
        for other in operations_in(op, AccessOp, AssignOp):
            tensor = self._value(other).type
            levels = format_of(tensor).levels if isinstance(tensor, TensorType) else ()
            for level, indexed in enumerate(level_variables(other) if levels else ()):
                if levels[level].expression.form == "mod" and _source(indexed) is variable:
                    return self._of_level(other, level, emit)
        block = self._block_of_stored(access, variable)
        if block is None or block[1] not in self.values:
            return extent
        return offsets_in_block(emit, block[0], self.values[block[1]], extent)

    def _block_of_stored(self, read: AccessOp | AssignOp, offset: SSAValue) -> tuple[SSAValue, SSAValue] | None:
        """How many coordinates there are in all blocks, and the number of the block that a temporary is read for at an
        offset: its stores give it.
        """
        side = read.tensor.owner
        where = side.parent_op() if isinstance(side, Block) else None
        if not isinstance(read, AccessOp) or not isinstance(where, WhereOp):
            return None
        producer, store = where.producer.block, first_store_of(where)
        reads, stores = ([_source(variable) for variable in level_variables(access)] for access in (read, store))
        found = self._block_of_offset(where, stores[reads.index(offset)])
        if found is None or found[1] in stores:
            return None if found is None else (found[0], reads[stores.index(found[1])])
        owner = found[1].owner
        binder = owner.parent_op() if isinstance(owner, Block) else owner
        return None if binder is None or is_within(binder, producer) else found

    def _block_of_offset(self, where: WhereOp, offset: SSAValue) -> tuple[SSAValue, SSAValue] | None:
        """The same for an offset in a block where a temporary is made."""
        producer = where.producer.block
        for coordinate in (let.coordinate for let in operations_in(producer, LetOp)):
            blocks = _blocks_of(coordinate)
            whole = self._find(where, coordinate, None) if _offset_of(coordinate) is offset else None
            if blocks is not None and whole is not None:
                return whole, _source(blocks)
        for read in operations_in(producer, AccessOp):
            tensor = self._value(read).type
            variables = [_source(variable) for variable in level_variables(read)]
            if offset not in variables or not isinstance(tensor, TensorType):
                continue
            expression = format_of(tensor).levels[variables.index(offset)].expression
            is_block = expression.form == "mod"
            found = (
                self._block_of_dimension(read, expression.dimension)
                if is_block
                else self._block_of_stored(read, offset)
            )
            if found is not None:
                return found
        return None

    def _value(self, access: AccessOp | AssignOp) -> SSAValue:
        return self.values.get(access.tensor, access.tensor)


def _source(variable: SSAValue) -> SSAValue:
    """What a `let` variable equals: a forall variable, or a coordinate put together from several."""
    owner = variable.owner
    parent = owner.parent_op() if isinstance(owner, Block) else None
    return _source(parent.coordinate) if isinstance(parent, LetOp) else variable


def _blocks_of(coordinate: SSAValue) -> SSAValue | None:
    """The number of the block, if a coordinate is composed of that and the offset in the block."""
    owner = coordinate.owner
    start = owner.lhs.owner if isinstance(owner, AddiOp) else None
    return start.lhs if isinstance(start, MuliOp) else None


def _offset_of(coordinate: SSAValue) -> SSAValue | None:
    """The offset in the block, of such a coordinate."""
    owner = coordinate.owner
    return _source(owner.rhs) if isinstance(owner, AddiOp) else None
