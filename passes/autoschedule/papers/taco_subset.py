"""The programs that the taco compiler can run, to which the published search was restricted (Ahrens 2022, section 7).

They have at most one workspace, of one mode or none; a row into which the result is scattered counts as one. Operands
are stepped through below their outermost mode, and may be copied into any order and format before.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.passes.autoschedule.papers.protocol_choices import protocol_choices
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Indices,
    Statement,
    Where,
    assigns_within_loops,
    in_loop_order,
    path_to_store,
    reads,
    stored_by,
    wheres,
)


class TacoSubset(NamedTuple):
    """`tensors`: the names of all that are not workspaces, those that are `dense` among them.

    `stepped`: workspaces are stepped through wherever they are read (the preprint's rule), not only where nothing else
    is read beside them.
    """

    tensors: Collection[str]
    dense: Collection[str]
    stepped: bool = False

    def programs(self, nests: list[Statement]) -> tuple[list[Statement], dict[str, int]]:
        """What loop nests become, and how many programs there are after each restriction.

        As published, a program is there twice for each time that it reads a workspace without modes.
        """
        nests = [nest for nest in nests if all(len(self._workspace(where).indices) < 2 for where in wheres(nest))]
        counts = {"workspace_rank": len(nests)}
        programs = [program for nest in nests for program in protocol_choices(nest, self._choices)]
        counts["protocolized"] = len(programs)
        programs = [program for program in programs if _count_inserts(program) < 2]
        counts["one_insert"] = len(programs)
        programs = [one for one in programs if self._count_workspaces(one) < 2 and self._are_read(one)]
        counts["formattable"] = len(programs)
        return programs, counts

    def _workspace(self, where: Where) -> Access:
        return stored_by(where.producer).target

    def _choices(self, read: Access, loops: Indices) -> list[tuple[str, ...]]:
        """The outermost mode is stepped through or located, the others are stepped through."""
        if read.tensor in self.dense:
            return [()]
        if not read.indices:
            return [()] if read.tensor in self.tensors else [(), ()]
        return _ways_outermost(read, loops)

    def _are_read(self, program: Statement) -> bool:
        return all(self._is_read(assign) for assign, _ in assigns_within_loops(program))

    def _is_read(self, assign: Assign) -> bool:
        """Whether a workspace with a mode is stepped through where nothing else is read, and located elsewhere."""
        found = list(reads(assign.value))
        wanted = STEP if self.stepped or len(found) == 1 else LOCATE
        return all(read.protocols in ((), (wanted,)) for read in found if read.tensor not in self.tensors)

    def _count_workspaces(self, program: Statement) -> int:
        """The workspaces of a program, with the row that a result in lists needs which is not stored in order."""
        target = stored_by(program).target
        rows = len(target.indices) > 1 and target.tensor not in self.dense and _count_inserts(program) > 0
        return len(list(wheres(program))) + rows


def _ways_outermost(read: Access, loops: Indices) -> list[tuple[str, ...]]:
    """The two protocols for a read that differ in the mode of the outermost loop; one without modes has one."""
    first = in_loop_order(read.indices, loops)[:1]
    located = tuple([LOCATE if index in first else STEP for index in read.indices])
    return list(dict.fromkeys([(STEP,) * len(read.indices), located]))


def _count_inserts(program: Statement) -> int:
    """How many of the result's modes are not stored in order: those from the first on that a loop is around."""
    loops = path_to_store(program)
    indices = in_loop_order(stored_by(program).target.indices, loops)
    in_order = 0
    while in_order < len(indices) and indices[in_order] == loops[in_order]:
        in_order += 1
    return len(indices) - in_order
