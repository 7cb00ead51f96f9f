"""`vectorize`: several iterations of a counted loop become vector instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import Note, UserError
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.loop.loop import VECTORIZE
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    edges_of,
    level_variables,
    name_of,
    needs_splitting,
)
from irtensor.passes.analysis.races import is_marked, repeating_access
from irtensor.passes.analysis.windows import known_iterations
from irtensor.passes.concrete_index.support.loop_paths import chain_in
from irtensor.passes.concrete_index.support.loop_ranges import FOLLOWS, MOST_ITERATIONS, nests_named, step_name
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.bound import BoundPass
from irtensor.passes.schedule.reorder import ReorderPass
from irtensor.passes.schedule.split import SplitPass
from irtensor.passes.schedule.unroll import UNROLL
from irtensor.passes.support.advised_pass import AdvisedPass, is_allowed
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import option

# The powers of two up to the number of iterations that may be written out.
_WIDTHS = tuple(1 << number for number in range(MOST_ITERATIONS.bit_length()))


@dataclass(frozen=True)
class VectorizePass(AdvisedPass):
    """Tag the loops over a variable, so that LLVM does `width` iterations of them in vector instructions.

    The loop is a counted one, over coordinates or over the entries of one list. Each iteration appends as many entries
    of a result. Loops inside of it that have a fixed number of iterations, up to 64 in all, are written out. Around
    others, blocks of `width` iterations are cut off, which become the innermost loop, so that each operation is done
    for all of a block.

    Before: `forall %j { assign %s into %y[%j] }`
    After:  `forall %j attributes {vectorize = 8 : i64} { assign %s into %y[%j] }`, by `vectorize{variable=j width=8}`
    Before: `forall %i { forall %j { ... } }`
    After:  `forall %i_blocks { forall %j { forall %i attributes {vectorize = 8 : i64} { ... } } }`,
            by `vectorize{variable=i width=8}`
    """

    name = "vectorize"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable of the loops; of fused loops, the innermost.", "")
    width: int = option("The iterations that one vector instruction does: a power of two up to 64.", 0)

    def take(self, ctx: Context, op: ModuleOp) -> None:
        loops = self._loops(op)
        if self.width not in _WIDTHS:
            help = f"give a width of {', '.join(map(str, _WIDTHS[:-1]))} or {_WIDTHS[-1]}"
            raise UserError("bad-schedule-step", f"{self.name}: width is {self.width}", op=loops[0], help=help)
        record_step(self.name, loops)
        for loop in loops:
            _check_stores(loop)
            if self.width > 1 and not _write_out_loops_inside(loop):
                self._put_lanes_inside(ctx, op, loop)
            loop.attributes[VECTORIZE] = IntegerAttr(self.width, i64)

    def _put_lanes_inside(self, ctx: Context, module: ModuleOp, loop: ForallOp) -> None:
        """Cut a loop into blocks of one vector, and put the loop over the offsets of a block inside of all others.

        A loop along a list is put there as a whole: where the entries of a block begin would have to be searched.
        """
        inside = _loops_to_pass(loop)
        name = name_of(loop.variable)
        # A loop over an offset in a block goes with the loops that give the offset.
        names = [step_name(one) for one in inside if FOLLOWS not in one.attributes]
        before = copy_of(module)
        # Other loops may have the name too.
        loop.variable.name_hint = own = f"{name}_lanes"
        if not any(isinstance(one, AccessOp) and _walks(one, loop.variable) for one in accesses_in(loop.body.block)):
            SplitPass(own, f"{name}_blocks", own, self.width).apply(ctx, module)
        try:
            ReorderPass((*dict.fromkeys(names), own)).apply(ctx, module)
        except UserError as error:
            reason = error.message.removeprefix(f"{ReorderPass.name}: ").replace(own, name)
            refused = _around(name, inside[0], f"which cannot go outside of it: {reason}")
            module.detach_region(module.body)
            module.add_region(before.detach_region(before.body))
            raise refused from None
        for moved in operations_in(module, ForallOp):
            if name_of(moved.variable) == own:
                moved.variable.name_hint = name
                moved.attributes[VECTORIZE] = IntegerAttr(self.width, i64)

    def ways_out(self, ctx: Context, module: ModuleOp, error: UserError) -> str | None:
        if error.help is not None:
            return error.help
        inside = [one for loop in self._loops(module) for one in operations_in(loop.body, ForallOp)]
        names = list(dict.fromkeys(step_name(one) for one in inside if FOLLOWS not in one.attributes))
        instead = (name for name in names if is_allowed(ctx, module, [VectorizePass(name, self.width)]))
        before = (name for name in names if is_allowed(ctx, module, [BoundPass(name, 2), self]))
        ways = [f"vectorize {name}" for name in islice(instead, 1)]
        for name in islice(before, 1):
            ways.append(f"say bound({name}, n) before where it has a few iterations, which are then written out")
        return ", or ".join(ways) or "omit the step"

    def _loops(self, module: ModuleOp) -> list[ForallOp]:
        return [nest[-1] for nest in nests_named(module, self.variable, self.name)]


def _around(name: str, inner: ForallOp, problem: str, op: Operation | None = None) -> UserError:
    """A loop is around another one, and stays there."""
    message = f"vectorize: loop {name} is around loop {name_of(inner.variable)}, {problem}"
    notes = [Note(f"the loop over {name_of(inner.variable)}", op=inner)]
    return UserError("illegal-vectorize", message, op=op or inner, notes=notes)


def _check_stores(loop: ForallOp) -> None:
    """Results have a slot for each iteration, which no other iteration stores into."""
    repeated = repeating_access(loop)
    if repeated is None:
        return
    variable, source = name_of(loop.variable), name_of(repeated.tensor)
    for store in accesses_in(loop.body.block):
        if isinstance(store, AssignOp) and loop.variable in store.indices and not _walks(store, loop.variable):
            tensor = name_of(store.tensor)
            problem = f"stores into '{tensor}' where '{source}' has entries, and several may have one {variable}"
            notes = [Note(f"'{source}' is stored {format_of(repeated.tensor.type)}", op=repeated)]
            help = f"vectorize a loop that does not index '{tensor}', or store '{source}' without repeated coordinates"
            message = f"vectorize: loop {variable} {problem}"
            raise UserError("illegal-vectorize", message, op=store, notes=notes, help=help)


def _walks(access: AccessOp | AssignOp, variable: SSAValue) -> bool:
    """Whether a loop over a variable iterates over the entries of a level, or appends them."""
    format = format_of(access.tensor.type)
    if variable not in access.indices:
        return False
    if needs_splitting(access):
        dimension = list(access.indices).index(variable)
        own = [number for number, level in enumerate(format.levels) if level.expression.dimension == dimension]
        return not all(can_locate(format, number) for number in own)
    levels = enumerate(level_variables(access))
    return any(index is variable and not can_locate(format, number) for number, index in levels)


def _write_out_loops_inside(loop: ForallOp) -> bool:
    """Tag the loops inside to be written out, if all are short; says whether they are."""
    # The next loop has one iteration at the most: it asks whether there is an element at an offset in a block.
    inside = [one for one in operations_in(loop.body, ForallOp) if FOLLOWS not in one.attributes]
    counts = [known_iterations(one).exact for one in inside]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or prod(known) > MOST_ITERATIONS:
        return False
    for one, count in zip(inside, known, strict=True):
        one.attributes[UNROLL] = IntegerAttr(max(count, 1), i64)
    return True


def _loops_to_pass(loop: ForallOp) -> Sequence[ForallOp]:
    """The loops inside of one, if it may go inside of them all. Raises UserError [illegal-vectorize]."""
    name, chain = name_of(loop.variable), chain_in(loop.body.block)
    inside = operations_in(loop.body, ForallOp)
    if len(chain) < len(inside):
        other = next(one for one in inside if one not in chain)
        raise _around(name, other, "which stands next to other statements")
    if is_marked(loop):
        problem = "and parallel: threads share the blocks of a loop, vectors the offsets in them"
        raise _around(name, chain[0], problem, loop)
    for access in accesses_in(chain[-1].body.block):
        if needs_splitting(access) and loop.variable in access.indices:
            problem = f"and '{name_of(access.tensor)}' is stored in blocks, and its loops stay inside of these"
            raise _around(name, chain[0], problem, access)
        for edge in edges_of(access) if not needs_splitting(access) else ():
            inner = next((one for one in chain if one.variable is edge.after), None)
            if edge.hard and edge.before is loop.variable and inner is not None:
                how = "appends" if isinstance(access, AssignOp) else "iterates over"
                problem = f"which {how} entries of '{name_of(access.tensor)}' of one {name} after another"
                raise _around(name, inner, problem, access)
    return chain
