"""irtensor-opt: reads IR, runs passes, prints IR; takes mlir-opt's flags and xDSL's."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.universe import Universe
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import DiagnosticException, ShrinkException
from xdsl.xdsl_opt_main import xDSLOptMain

from irtensor.core.diagnostics import InternalError, Remark, UserError, collect_remarks, refused_file
from irtensor.dialects import get_all_dialects, get_extended_llvm
from irtensor.dialects.support.located_parser import one_line, parse_module
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import TARGETS
from irtensor.passes.support.verification import verification_errors
from irtensor.runtime.nvptx_targets import processor_named
from irtensor.tools import command_line
from irtensor.tools.crash_report import write_reproducer
from irtensor.tools.exit_code import INTERNAL_ERROR, INTERRUPTED, USER_ERROR
from irtensor.tools.expected_diagnostics import mismatches, read_expectations
from irtensor.tools.llvm_target import LlvmTarget
from irtensor.tools.pass_help import pass_help, pass_list
from irtensor.tools.pass_runner import PassRunner, Stopwatch
from irtensor.tools.pipeline_text import build_passes, named_pipelines, pipeline_of, printed_at_end
from irtensor.tools.ptx_target import PtxTarget

_SPLIT_LINE = re.compile(r"^// -----[ \t\r]*$", re.MULTILINE)


class Chunk(NamedTuple):
    """A piece of the input: its text and the number of its first line."""

    text: str
    first_line: int


@dataclass
class Outcome:
    """What became of a chunk: the text to print, or errors, and the remarks made on the way."""

    output: str | None = None
    errors: list[UserError] = field(default_factory=list[UserError])
    remarks: list[Remark] = field(default_factory=list[Remark])


class IrtensorOpt(xDSLOptMain):
    """The driver: xDSL's registries and targets, with located errors, and instrumentation as in mlir-opt."""

    def __init__(self, arguments: Sequence[str]):
        # xDSL's constructor parses the arguments before passes can be told from options, so it is not called.
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.register_all_dialects()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()
        self.args = self._parse_arguments(arguments)
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        if (target := parse_spec(self.args.target).name) not in self.available_targets:
            help = f"targets are {', '.join(self.available_targets)}"
            if target in TARGETS:
                help += f", which are languages; irtensor-run --target {target} runs a kernel there"
            raise UserError("bad-option", f"unknown target '{self.args.target}'", help=help)
        self._choose_processor()
        if self.args.disable_verify:
            Attribute.__post_init__ = lambda self: None
        Diagnostic.colored = self.args.syntax_highlight
        self.stopwatch = Stopwatch()
        passes = build_passes(self.args.passes, self.available_passes, self.args.verify_order)
        self.runner = PassRunner(passes, self.args, self.stopwatch)

    def _choose_processor(self) -> None:
        """Make `--cuda-arch` an option of the target."""
        if self.args.cuda_arch is None:
            return
        if self.args.target != "ptx":
            raise UserError(
                "bad-option",
                f"--cuda-arch says nothing about target '{self.args.target}'",
                help="write -t ptx, or omit --cuda-arch",
            )
        self.args.target = f"ptx{{arch={processor_named(self.args.cuda_arch).name}}}"

    def _parse_arguments(self, arguments: Sequence[str]) -> argparse.Namespace:
        parser = command_line.ArgumentParser(
            prog="irtensor-opt",
            usage="irtensor-opt [options] [passes] [input_file]",
            description="Reads MLIR text, runs passes over it and prints the result.",
        )
        command_line.add_arguments(parser, self.available_targets, self.available_frontends)
        passes = {*self.available_passes, *named_pipelines()}
        remaining, pipeline = command_line.separate_passes(arguments, parser.option_names(), passes)
        if "-h" in remaining or "--help" in remaining:
            parser.epilog = pass_list(self.available_passes, named_pipelines(), "--")
        options = parser.parse_args(remaining)
        options.passes = pipeline
        options.target = options.target or printed_at_end(pipeline) or "mlir"
        return options

    def register_all_dialects(self) -> None:
        # Ours are named again because the entry point is only found where irtensor is installed.
        dialects = {**get_all_dialects(), **Universe.get_multiverse().all_dialects, "llvm": get_extended_llvm}
        for name, factory in dialects.items():
            self.ctx.register_dialect(name, factory)

    def register_all_frontends(self) -> None:
        self.available_frontends["mlir"] = self._parse_stream

    def register_all_passes(self) -> None:
        super().register_all_passes()
        for name, factory in get_all_passes().items():
            self.available_passes.setdefault(name, factory)

    def register_all_targets(self) -> None:
        super().register_all_targets()
        self.available_targets |= {"llvm": lambda: LlvmTarget, "ptx": lambda: PtxTarget}

    def _parse_stream(self, stream: IO[bytes]) -> ModuleOp:
        return self._parse(Chunk(stream.read().decode("utf-8"), 1))

    def _parse(self, chunk: Chunk) -> ModuleOp:
        return parse_module(
            self.ctx,
            chunk.text,
            self.get_input_name(),
            first_line=chunk.first_line,
            implicit_module=not self.args.no_implicit_module,
        )

    def get_input_name(self) -> str:
        return "<stdin>" if self.args.input_file in (None, "-") else self.args.input_file

    def main(self) -> int:
        """Process the input; returns the exit code."""
        if self.args.show_dialects:
            print(f"Available Dialects: {', '.join(sorted(self.ctx.registered_dialect_names))}")
            return 0
        if self.args.list_passes:
            print(pass_list(self.available_passes, named_pipelines()))
            return 0
        if self.args.help_pass is not None:
            print(pass_help(self.args.help_pass, self.available_passes, named_pipelines()))
            return 0
        if self.args.dump_pass_pipeline:
            print(pipeline_of(self.runner.passes, with_defaults=True), file=sys.stderr)
        text = self._read_input()
        results = [self._process(chunk, text) for chunk in self._split(text)]
        if self.args.time_passes:
            print(self.stopwatch.report(), file=sys.stderr)
        failed = any(not succeeded for _, succeeded in results)
        # As in mlir-opt, a file is written only if everything succeeded; standard output gets what there is.
        if self.args.output_file is None or not failed:
            self._write_output("// -----\n".join(output for output, _ in results))
        return USER_ERROR if failed else 0

    def _read_input(self) -> str:
        try:
            if self.args.input_file in (None, "-"):
                return sys.stdin.buffer.read().decode("utf-8-sig")
            return Path(self.args.input_file).read_bytes().decode("utf-8-sig")
        # A path with a null character is a ValueError.
        except (OSError, ValueError) as error:
            raise refused_file("cannot-read", self.get_input_name(), error) from error

    def _write_output(self, text: str) -> None:
        if self.args.output_file in (None, "-"):
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        try:
            Path(self.args.output_file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise refused_file("cannot-write", self.args.output_file, error) from error

    def _split(self, text: str) -> list[Chunk]:
        if not self.args.split_input_file:
            return [Chunk(text, 1)]
        chunks: list[Chunk] = []
        line = 1
        for piece in _SPLIT_LINE.split(text):
            chunks.append(Chunk(piece, line))
            line += piece.count("\n")
        return chunks

    def _process(self, chunk: Chunk, text: str) -> tuple[str, bool]:
        """Run one chunk and report on it: its output, and whether all went as it should."""
        outcome = self._compile(chunk)
        for error in outcome.errors:
            error.attach_source(self.get_input_name(), text)
        if self.args.verify_diagnostics:
            expectations = read_expectations(chunk.text, self.get_input_name(), chunk.first_line)
            problems = mismatches(expectations, [*outcome.errors, *outcome.remarks])
            for problem in problems:
                print(problem, file=sys.stderr)
            return outcome.output or "", not problems
        for remark in outcome.remarks:
            if self.args.remarks or remark.severity == "warning":
                print(remark, file=sys.stderr)
        if self.args.parsing_diagnostics and [error.slug for error in outcome.errors] == ["syntax-error"]:
            return f"{outcome.errors[0]}\n", True
        for error in outcome.errors:
            self._print_error(error)
        return outcome.output or "", not outcome.errors

    def _compile(self, chunk: Chunk) -> Outcome:
        """Parse, verify, transform and print one chunk."""
        outcome = Outcome()
        try:
            with collect_remarks() as outcome.remarks:
                with self.stopwatch.step("Parser"):
                    module = self._parse(chunk)
                    outcome.errors = [] if self.args.disable_verify else verification_errors(module)
                if not outcome.errors:
                    self.runner.run(self.ctx, module)
                    with self.stopwatch.step("Output"):
                        outcome.output = self._emit(module)
        except UserError as error:
            outcome.errors = [error]
        except ShrinkException:
            raise
        except Exception as error:
            internal = error if isinstance(error, InternalError) else InternalError(f"{type(error).__name__}: {error}")
            internal.reproducer_file, internal.reproducer = write_reproducer(
                self._command(), chunk.text, error.__cause__ or error
            )
            raise internal from error
        return outcome

    def _emit(self, module: ModuleOp) -> str:
        """The module as text of the target. xDSL's back ends refuse, or trip over, what they cannot express."""
        try:
            return self.output_resulting_program(module)
        except (UserError, InternalError):
            raise
        except Exception as error:
            if self.args.target == "mlir":
                raise
            name = type(error).__name__
            text = one_line(error) if isinstance(error, DiagnosticException) else f"{name}: {one_line(error)}"
            help = "lower the module to the dialects of the target first"
            raise UserError("target-failed", f"target '{self.args.target}': {text}", help=help) from error

    def _command(self) -> list[str]:
        """The command line that repeats this run on one chunk, without the name of the input."""
        command = ["irtensor-opt"]
        if self.runner.passes:
            command.append(f"--pass-pipeline={pipeline_of(self.runner.passes)}")
        if self.args.target != "mlir":
            command.append(f"--target={self.args.target}")
        for name in ("verify_each", "verify_order"):
            if not getattr(self.args, name):
                command.append(f"--{name.replace('_', '-')}=false")
        for name in ("allow_unregistered_dialect", "no_implicit_module", "disable_verify"):
            if getattr(self.args, name):
                command.append(f"--{name.replace('_', '-')}")
        return command

    def _print_error(self, error: UserError) -> None:
        if self.args.debug:
            traceback.print_exception(error)
        else:
            print(error, file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run irtensor-opt. Exit codes: 0 success, 1 an error of the user's, 2 a defect in irtensor."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = 0
    try:
        tool = IrtensorOpt(given)
        code = tool.main()
        if tool.args.shrink:
            print("Failure, can't shrink")
            return USER_ERROR
        return code
    except (UserError, InternalError) as error:
        if "--debug" in given:
            traceback.print_exc()
        else:
            print(error, file=sys.stderr)
        return USER_ERROR if isinstance(error, UserError) else INTERNAL_ERROR
    except ShrinkException:
        print("Success, can shrink")
        return 0
    except BrokenPipeError:
        # The reader of a pipe has gone; there is nobody to tell, and Python must not try again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
