"""irtensor-run: compiles a notation or an .mlir file, binds files to its tensors, prints the result or the time."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from irtensor.core.diagnostics import UserError, refused_file
from irtensor.tools.exit_code import exit_code
from irtensor.tools.operand_sources import format_named, load_operand, split_binding, store_result

_EXAMPLES = """examples:
  irtensor-run 'y[i] = A[i,j] * x[j]' A=matrix.mtx x='ones(1000)'
  irtensor-run 'C[i,j] = A[i,k] * B[k,j]' A=a.mtx B=b.mtx --format A=CSR --format C=CSR -o c.mtx
  irtensor-run kernel.mlir A=tensor.tns x='random(100)' --time
  irtensor-run 'y[i] = A[i,j] * x[j]' A=matrix.mtx x='ones(1000)' --format A=CSR --target cuda
"""


def _parser() -> argparse.ArgumentParser:
    from irtensor.api.schedule import TUNED_ON
    from irtensor.passes.pipelines import TARGETS
    from irtensor.tools.command_line import ArgumentParser

    parser = ArgumentParser(
        prog="irtensor-run",
        description="Compiles a notation or an .mlir file, binds its tensors, and prints the result.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("program", help="a notation such as 'y[i] = A[i,j] * x[j]', or the path of an .mlir file")
    parser.add_argument(
        "operands",
        nargs="*",
        metavar="NAME=SOURCE",
        help="a .mtx, .ttx, .tns, .rb, .hb, .npz or .npy file, a number, ones(n, m), zeros(n) or random(n)",
    )
    parser.add_argument(
        "--format",
        dest="formats",
        action="append",
        default=[],
        metavar="NAME=FORMAT",
        help="storage of a tensor, the result included: CSR, 'csr, crd = i32', 'CSF(3)', "
        "'(i, j) -> (j : dense, i : compressed)'",
    )
    parser.add_argument(
        "--schedule",
        metavar="STEPS",
        help="how to rearrange the loops: 'reorder(i, k, j); precompute(A[i], over=i)', or auto",
    )
    parser.add_argument(
        "--tune",
        choices=TUNED_ON,
        help="take the schedule that is the fastest on the operands, or on samples like them",
    )
    parser.add_argument(
        "--target",
        metavar="TARGET",
        help=f"what runs the kernel: {_listed(TARGETS)} (default: IRTENSOR_TARGET, else cpu); files are read, and "
        "results written, in the memory of the host",
    )
    parser.add_argument(
        "-o",
        "--output",
        dest="outputs",
        action="append",
        default=[],
        metavar="FILE",
        help="write the result to a .mtx, .ttx, .tns, .npz or .npy file; once for each of several results",
    )
    parser.add_argument(
        "--time", dest="repeats", type=int, metavar="N", help="call it N times (10 without =N), print times"
    )
    parser.add_argument("--explain", action="store_true", help="print what the compiler decided and why")
    parser.add_argument("--ir", metavar="STAGE", help="print the IR at a stage, such as iteration_lattice, and stop")
    parser.add_argument("--debug", action="store_true", help="print the Python traceback of an error")
    return parser


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"


def _compile(options: argparse.Namespace, formats: dict[str, Any]) -> Any:
    import irtensor

    program, steps, tune, target = options.program, options.schedule, options.tune, options.target
    schedule = steps if steps is None or steps == "auto" else irtensor.schedule(steps)
    if not program.endswith(".mlir"):
        return irtensor.compile(program, formats=formats, schedule=schedule, tune=tune, target=target)
    if formats:
        raise UserError(
            "bad-option", "--format applies to a notation; an .mlir file states the formats of its tensors itself"
        )
    try:
        text = Path(program).read_text(encoding="utf-8-sig")
    # A path with a null character is a ValueError.
    except (OSError, ValueError) as error:
        raise refused_file("cannot-read", program, error) from error
    return irtensor.compile_module(text, file=program, schedule=schedule, tune=tune, target=target)


def _bindings(items: Sequence[str], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in (split_binding(item, option) for item in items):
        if name in found:
            message = f"{option} for '{name}' is given twice: '{found[name]}' and '{value}'"
            raise UserError("bad-binding", message, help="omit one of them")
        found[name] = value
    return found


def _to_device(kernel: Any, operands: dict[str, Any]) -> dict[str, Any]:
    """Operands where the kernel reads them, which for a GPU are copied there."""
    from irtensor.compiler.device.device_binding import moved_operands

    return moved_operands(kernel.bindings_for(operands), operands)


def _to_host(result: Any) -> Any:
    """A result of a GPU as one of the CPU: an array, a number, or a sparse tensor."""
    if result.format is not None and not result.format.is_dense:
        return result.to_host()
    array = result.to_numpy()
    return array if array.ndim else array[()]


def _wait_for_device() -> None:
    import irtensor

    irtensor.cuda.synchronize()


def _report_times(kernel: Any, operands: dict[str, Any], repeats: int, compile_seconds: float, wait: Any) -> None:
    seconds: list[float] = []
    for _ in range(max(repeats, 1)):
        start = perf_counter()
        kernel(**operands)
        wait()
        seconds.append(perf_counter() - start)
    print(f"compile     {1e3 * compile_seconds:10.3f} ms")
    print(f"first call  {1e3 * seconds[0]:10.3f} ms")
    if len(seconds) > 1:
        later = seconds[1:]
        print(f"best        {1e3 * min(later):10.3f} ms")
        print(f"median      {1e3 * median(later):10.3f} ms of {len(later)}")


def _run(options: argparse.Namespace) -> None:
    from irtensor.options import current_options

    formats = {name: format_named(text) for name, text in _bindings(options.formats, "--format").items()}
    bindings = _bindings(options.operands, "an operand")
    operands = {name: load_operand(name, source, formats.get(name)) for name, source in bindings.items()}
    start = perf_counter()
    kernel = _compile(options, formats)
    is_on_device = current_options(target=options.target).target == "cuda"
    if operands:
        if is_on_device:
            before = perf_counter()
            operands = _to_device(kernel, operands)
            # The copy is not part of compiling.
            start += perf_counter() - before
        # Dtypes and formats are the operands': only now the code is known.
        kernel.prepare(**operands)
    compile_seconds = perf_counter() - start
    if options.explain:
        print(kernel.explain())
    if options.ir is not None:
        print(kernel.ir(options.ir))
    if options.ir is not None or (options.explain and not operands):
        return
    if options.repeats is not None:
        wait = _wait_for_device if is_on_device else lambda: None
        _report_times(kernel, operands, options.repeats, compile_seconds, wait)
        return
    result = kernel(**operands)
    results = result if isinstance(result, tuple) else (result,)
    _give_out([*map(_to_host, results)] if is_on_device else results, options.outputs)


def _give_out(results: Sequence[Any], paths: Sequence[str]) -> None:
    """Write each result to its file, or print them where no files are named."""
    if not paths:
        print(*results, sep="\n")
        return
    if len(paths) != len(results):
        message = f"-o names {_counted(len(paths), 'file')} for {_counted(len(results), 'result')}"
        raise UserError("bad-option", message, help="give -o once for each result, in the order of func.return")
    for result, path in zip(results, paths, strict=True):
        store_result(result, path)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _show_warning(message: Warning | str, category: type[Warning], *_where: object) -> None:
    """A warning as the tools write theirs: the user knows of no line of Python."""
    print(f"warning: {message}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run irtensor-run. Exit codes: 0 success, 1 an error of the user's, 2 a defect in irtensor."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # An option with an optional value would take the operand after it for its value.
    given = ["--time=10" if argument == "--time" else argument for argument in given]

    def run() -> None:
        options = _parser().parse_intermixed_args(given)
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _run(options)

    return exit_code(run, given)


if __name__ == "__main__":
    sys.exit(main())
