"""irtensor-autoschedule: searches the schedules of a statement for those of least asymptotic cost, and counts them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from irtensor.core.diagnostics import UserError
from irtensor.tools.exit_code import exit_code

if TYPE_CHECKING:
    from irtensor.passes.autoschedule.kernel import Kernel
    from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
    from irtensor.tools.frontier_picture import FrontierPicture

# How many programs of one cost a report shows.
_SHOWN = 10

_STAGES = {
    "ordered_trees": "trees of the expression, arguments in any order",
    "trees": "trees of the expression",
    "groupings_raw": "groupings into workspaces, with duplicates",
    "groupings": "groupings into workspaces",
    "pushed": "programs with loops",
    "permuted": "programs with loops in all orders",
    "min_depth": "programs of least depth",
    "workspace_rank": "of them, workspaces have one mode at most",
    "protocolized": "programs with protocols for taco",
    "one_insert": "of them, one mode is inserted at most",
    "formattable": "of them, formats and workspaces are taco's",
    "distinct": "of them, different programs",
    "universe": "programs with protocols",
    "distinct_costs": "different costs",
    "frontier": "programs of least cost",
    "classes": "least costs, which are incomparable",
}

_EXAMPLES = """examples:
  irtensor-autoschedule 'A[i,j] += B[i,k] * C[k,j]'
  irtensor-autoschedule 'a[i] += B[i,j] * C[j,k] * d[k]' --dense d --stage groupings
  irtensor-autoschedule 'A[i,j] += B[i,k] * C[j,k] * D[j,k]' --taco --compat pldi2022 --json
  irtensor-autoschedule 'A[i,j] += B[i,k] * C[k,j]' --picture costs.svg
"""


def _parser() -> argparse.ArgumentParser:
    from irtensor.passes.autoschedule.papers.counted_options import PUBLISHED_SEARCHES
    from irtensor.tools.command_line import ArgumentParser

    parser = ArgumentParser(
        prog="irtensor-autoschedule",
        description="Finds the schedules of a statement with the least asymptotic cost over all inputs.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("statement", help="index notation such as 'A[i,j] += B[i,k] * C[k,j]'")
    parser.add_argument(
        "--dense",
        action="append",
        default=[],
        metavar="NAMES",
        help="tensors that have an entry everywhere, between commas; the others are sparse in every dimension",
    )
    parser.add_argument("--taco", action="store_true", help="only programs that the taco compiler can run")
    parser.add_argument(
        "--compat", choices=PUBLISHED_SEARCHES, help="count as a published search did, its mistakes included"
    )
    parser.add_argument("--budget", type=int, metavar="N", help="compute N costs at most (default: 200,000)")
    parser.add_argument("--stage", choices=_STAGES, default="classes", help="the stage to stop after", metavar="STAGE")
    parser.add_argument("--json", action="store_true", help="print counts and schedules as JSON")
    parser.add_argument(
        "--picture", metavar="FILE", help="draw which costs contain which, the least at the bottom; .png, .svg or .pdf"
    )
    parser.add_argument("--debug", action="store_true", help="print the Python traceback of an error")
    return parser


def _kernel(notation: str, dense: set[str]) -> Kernel:
    import numpy as np
    from xdsl.context import Context

    from irtensor.core.tensor_format import TensorFormat
    from irtensor.dialects.concrete_index.concrete_index import ComputeOp
    from irtensor.frontend.build_index_notation import build_index_notation
    from irtensor.frontend.expression_tree import accesses
    from irtensor.frontend.kernel_request import OperandDescription
    from irtensor.frontend.notation.notation_parser import parse_statement
    from irtensor.frontend.summation import insert_reductions
    from irtensor.passes.autoschedule.read_program import read_kernel
    from irtensor.passes.index_notation.concretize import ConcretizePass
    from irtensor.passes.support.operations_in import operations_in

    statement = insert_reductions(parse_statement(notation))
    ranks = {access.tensor: len(access.indices) for access in (*accesses(statement.expression), statement.target)}
    if unknown := sorted(dense - ranks.keys()):
        known = ", ".join(ranks)
        raise UserError(
            "bad-option", f"--dense names '{unknown[0]}', which is not a tensor", help=f"tensors are {known}"
        )
    formats = {
        name: TensorFormat.parse(", ".join(["compressed"] * rank)) if rank and name not in dense else None
        for name, rank in ranks.items()
    }
    result = formats.pop(statement.target.tensor)
    operands = {name: OperandDescription(np.dtype(float), ranks[name], format) for name, format in formats.items()}
    module = build_index_notation(statement, operands, result).module
    ConcretizePass().apply(Context(), module)
    (compute,) = operations_in(module, ComputeOp)
    return read_kernel(compute)


def _schedules(search: CountedSearch) -> Iterator[tuple[str, list[str]]]:
    """The programs of least cost, by the text of what they cost."""
    from irtensor.passes.autoschedule.statements import text_of
    from irtensor.passes.autoschedule.task_sets import text_of as cost_text

    for programs in search.least.values():
        yield cost_text(search.tasks(programs[0])), [text_of(program) for program in programs]


def _json(search: CountedSearch, last: str) -> str:
    from irtensor.passes.autoschedule.papers.counted_search import AFTER_COSTS

    start = perf_counter()
    found: dict[str, Any] = search.counts(last)
    if "permuted" in found:
        found["depths"] = search.depths
    if last in AFTER_COSTS:
        found["compared"] = search.compared
        found["complete"] = search.complete
    if last in ("frontier", "classes"):
        found["costs"] = [{"cost": cost, "programs": programs} for cost, programs in _schedules(search)]
    found["seconds"] = round(perf_counter() - start, 3)
    return json.dumps(found, indent=2)


def _report(search: CountedSearch, last: str) -> Iterator[str]:
    from irtensor.passes.autoschedule.papers.counted_search import AFTER_COSTS
    from irtensor.passes.autoschedule.statements import text_of

    width = max(map(len, _STAGES.values()))
    for stage, count in search.counts(last).items():
        yield f"{_STAGES[stage]:{width}} {count:9,}   {stage}"
    if last in AFTER_COSTS and not search.exhaustive:
        yield ""
        yield f"Found by branch and bound with {search.compared:,} costs: all programs are more than the budget."
        if not search.complete:
            yield "The budget ended the search, so that others may cost less: --budget N computes more costs."
    if last not in ("frontier", "classes"):
        yield ""
        yield from _some(list(map(text_of, search.programs(last))))
        return
    for number, (cost, programs) in enumerate(_schedules(search), 1):
        yield ""
        yield f"cost {number}: {cost}"
        yield from _some(programs)


def _some(programs: Sequence[str]) -> Iterator[str]:
    yield from (f"  {program}" for program in programs[:_SHOWN])
    if len(programs) > _SHOWN:
        yield f"  ... and {len(programs) - _SHOWN:,} more"


def _run(options: argparse.Namespace) -> None:
    from irtensor.io.progress import Progress
    from irtensor.passes.autoschedule.papers.counted_options import CountedOptions, published_search
    from irtensor.passes.autoschedule.papers.counted_search import CountedSearch

    dense = {name.strip() for names in options.dense for name in names.split(",") if name.strip()}
    settings = CountedOptions(taco=options.taco)
    if options.compat is not None:
        settings = published_search(options.compat, taco=options.taco)
    if options.budget is not None:
        if options.budget < 1:
            message = f"--budget takes a positive number of programs, not {options.budget}"
            raise UserError("bad-option", message, help="omit it for 200,000")
        settings = replace(settings, budget=options.budget)
    kernel = _kernel(options.statement, dense)
    if (why := kernel.too_large) is not None:
        raise UserError("no-asymptotic-cost", why, help="compute the statement in parts")
    picture = None if options.picture is None else _picture(options.picture, options.stage)
    bars: list[Progress] = []

    def progress(done: int) -> None:
        if not bars:
            most = search.count("universe") if search.exhaustive else search.options.budget
            bars.append(Progress("comparing programs", most))
        bars[0].update(done)

    search = CountedSearch(kernel, settings, progress)
    try:
        if options.json:
            print(_json(search, options.stage))
        else:
            print("\n".join(_report(search, options.stage)))
        if picture is not None:
            picture.draw(search, options.statement)
    finally:
        for bar in bars:
            bar.close()


def _picture(path: str, last: str) -> FrontierPicture:
    from irtensor.passes.autoschedule.papers.counted_search import AFTER_COSTS
    from irtensor.tools.frontier_picture import FrontierPicture

    if last not in AFTER_COSTS:
        message = f"--picture draws costs, which are not known after --stage {last}"
        raise UserError("bad-option", message, help=f"omit --stage, or give one of {', '.join(AFTER_COSTS)}")
    return FrontierPicture(path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run irtensor-autoschedule; see `exit_code` for what it returns."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return exit_code(lambda: _run(_parser().parse_args(given)), given)


if __name__ == "__main__":
    sys.exit(main())
