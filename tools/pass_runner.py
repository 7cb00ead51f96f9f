"""Runs the passes of irtensor-opt one by one: verifies, prints and times around each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import StringIO
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from irtensor.core.diagnostics import InternalError, UserError
from irtensor.dialects.support.located_parser import one_line
from irtensor.passes.support.verification import verification_errors
from irtensor.tools.pipeline_text import Step


class Stopwatch:
    """Wall time by step, in the order in which the steps first ran; the pieces of a split file add up."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, int], float] = {}

    @contextmanager
    def step(self, name: str, position: int = 0) -> Generator[None]:
        """Time one step; `position` tells runs of one pass at different positions of the pipeline apart."""
        start = perf_counter()
        try:
            yield
        finally:
            key = (name, position)
            self.seconds[key] = self.seconds.get(key, 0.0) + perf_counter() - start

    def report(self) -> str:
        """MLIR's table of execution times."""
        total = sum(self.seconds.values())
        rule = f"===-{'-' * 73}-==="
        rows = [*((name, seconds) for (name, _), seconds in self.seconds.items()), ("Total", total)]
        lines = [rule, f"{'... Execution time report ...':^81}", rule]
        lines += [f"  Total Execution Time: {total:.4f} seconds", "", "  ----Wall Time----  ----Name----"]
        lines += [f"    {seconds:.4f} ({100 * seconds / max(total, 1e-9):5.1f}%)  {name}" for name, seconds in rows]
        return "\n".join(lines)


def _misbehaved(step: ModulePass, text: str) -> Exception:
    """The error about a pass that did what no pass may do: a defect, unless the pass is xDSL's."""
    message = f"pass '{step.name}' {text}"
    return UserError("pass-failed", message) if _is_of_xdsl(step) else InternalError(message)


def _is_of_xdsl(step: ModulePass) -> bool:
    return type(step).__module__.startswith("xdsl.")


class PassRunner:
    """Applies passes to modules as the options ask."""

    def __init__(self, passes: Sequence[Step], options: argparse.Namespace, stopwatch: Stopwatch):
        self.passes = passes
        self.options = options
        self.stopwatch = stopwatch

    def run(self, ctx: Context, module: ModuleOp) -> None:
        """Apply all passes to a valid module. Raises UserError, or InternalError if a pass leaves invalid IR."""
        for position, planned in enumerate(self.passes):
            step = planned.step
            if self.options.print_before_all or step.name in self.options.print_before:
                self._dump(module, f"IR Dump Before {step.name}")
            try:
                with self.stopwatch.step(step.name, position):
                    for target in planned.targets(module):
                        self._apply(step, ctx, target)
            except Exception:
                if self.options.print_after_failure:
                    self._dump(module, f"IR Dump After {step.name} Failed")
                raise
            if self.options.print_after_all or step.name in self.options.print_after:
                self._dump(module, f"IR Dump After {step.name}")
            if self.options.verify_each and not self.options.disable_verify:
                self._verify_after(step, module)

    def _apply(self, step: ModulePass, ctx: Context, module: ModuleOp) -> None:
        try:
            step.apply(ctx, module)
        except VerifyException as error:
            raise _misbehaved(step, f"builds invalid IR: {one_line(error)}") from error
        except DiagnosticException as error:
            raise UserError("pass-failed", f"pass '{step.name}': {one_line(error)}") from error
        except RecursionError as error:
            message = f"pass '{step.name}': the module is nested too deeply, or a value depends on too many others"
            help = "compute parts of it in statements of their own"
            raise UserError("notation-too-deep", message, op=module, help=help) from error
        except Exception as error:
            if isinstance(error, UserError) or not _is_of_xdsl(step):
                raise
            # xDSL's passes do not only refuse IR, they also trip over what they do not expect.
            raise _misbehaved(step, f"fails: {type(error).__name__}: {one_line(error)}") from error

    def _verify_after(self, step: ModulePass, module: ModuleOp) -> None:
        with self.stopwatch.step("verify"):
            errors = verification_errors(module)
        if errors:
            raise _misbehaved(step, f"leaves invalid IR: {errors[0]}")

    def _dump(self, module: ModuleOp, title: str) -> None:
        try:
            text = self._text(module, self.options.print_op_generic)
        except Exception:
            # What a failed pass leaves may be so broken that only the generic form can show it.
            text = self._text(module, True)
        print(f"// -----// {title} //----- //\n{text}\n", file=sys.stderr, flush=True)

    def _text(self, module: ModuleOp, generic: bool) -> str:
        stream = StringIO()
        Printer(stream, print_generic_format=generic, print_debuginfo=self.options.print_debuginfo).print_op(module)
        return stream.getvalue()
