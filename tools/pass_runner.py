"""Runs the passes of irtensor-opt one by one: verifies, prints and times around each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from irtensor.dialects.diagnostics import InternalError, UserError
from irtensor.dialects.located_parser import one_line
from irtensor.passes.verify_dominance import check_dominance

# More errors than this tell a reader nothing new.
_ERROR_LIMIT = 20


class Stopwatch:
    """Wall time by step, in the order in which the steps first ran; the pieces of a split file add up."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, int], float] = {}

    @contextmanager
    def step(self, name: str, position: int = 0) -> Generator[None]:
        """Time one step; `position` tells runs of one pass at different places of the pipeline apart."""
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


def verification_errors(module: ModuleOp) -> list[UserError]:
    """Everything that is wrong with a module, each error located at its operation; empty if it is valid."""
    try:
        module.verify()
        check_dominance(module)
    except UserError as error:
        if error.location is not None:
            return [error]
        return _locate_failures(module)
    except VerifyException:
        return _locate_failures(module)
    return []


def _locate_failures(module: ModuleOp) -> list[UserError]:
    errors: list[UserError] = []
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except (VerifyException, UserError) as error:
            errors.append(_at(op, error))
            if len(errors) == _ERROR_LIMIT:
                break
    if errors:
        return errors
    # What remains are faults of blocks: the innermost operation that fails as a whole is the one around the block.
    for op in module.walk(region_first=True):
        try:
            op.verify()
        except VerifyException as error:
            return [_at(op, error)]
    return []


def _at(op: Operation, error: VerifyException | UserError) -> UserError:
    if isinstance(error, UserError):
        return UserError(error.slug, error.message, op=op, notes=error.notes, help=error.help)
    text = one_line(error)
    return UserError("verify", text if op.name in text else f"'{op.name}' op {text}", op=op)


class PassRunner:
    """Applies passes to modules as the options ask."""

    def __init__(self, passes: Sequence[ModulePass], options: argparse.Namespace, stopwatch: Stopwatch):
        self.passes = passes
        self.options = options
        self.stopwatch = stopwatch

    def run(self, ctx: Context, module: ModuleOp) -> None:
        """Apply all passes to a valid module. Raises UserError, or InternalError if a pass leaves invalid IR."""
        for position, step in enumerate(self.passes):
            if self.options.print_before_all or step.name in self.options.print_before:
                self._dump(module, f"IR Dump Before {step.name}")
            try:
                with self.stopwatch.step(step.name, position):
                    self._apply(step, ctx, module)
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
            raise InternalError(f"pass '{step.name}' builds invalid IR: {one_line(error)}") from error
        except DiagnosticException as error:
            raise UserError("pass-failed", f"pass '{step.name}': {one_line(error)}") from error

    def _verify_after(self, step: ModulePass, module: ModuleOp) -> None:
        with self.stopwatch.step("verify"):
            errors = verification_errors(module)
        if errors:
            raise InternalError(f"pass '{step.name}' leaves invalid IR: {errors[0]}")

    def _dump(self, module: ModuleOp, title: str) -> None:
        print(f"// -----// {title} //----- //", file=sys.stderr)
        printer = Printer(
            stream=sys.stderr,
            print_generic_format=self.options.print_op_generic,
            print_debuginfo=self.options.print_debuginfo,
        )
        printer.print_op(module)
        print("\n", file=sys.stderr, flush=True)
