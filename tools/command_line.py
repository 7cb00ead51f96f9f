"""The arguments of tools; those of irtensor-opt have mlir-opt's and xDSL's spellings, brought to one form."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from irtensor.core.diagnostics import UserError

_PIPELINE_OPTIONS = ("-p", "--passes", "--pass-pipeline")
_TRUE, _FALSE = ("true", "1", "on", "yes"), ("false", "0", "off", "no")


class ArgumentParser(argparse.ArgumentParser):
    """An argument parser whose complaints are user errors like all others; options are written out, help as it is.

    Every tool has `--version`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)
        self.add_argument("-v", "--version", action=_VersionAction, nargs=0, help="print the versions and stop")

    def error(self, message: str) -> NoReturn:
        raise UserError("bad-option", message, help=f"{self.prog} --help lists the options")

    def option_names(self) -> set[str]:
        return {name for action in self._actions for name in action.option_strings}


class _VersionAction(argparse.Action):
    """Prints the versions; they are looked up only here, as that takes time at each start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from irtensor.tools.versions import version_line

        print(version_line(parser.prog))
        parser.exit()


def separate_passes(
    arguments: Sequence[str], options: Collection[str], passes: Collection[str]
) -> tuple[list[str], str]:
    """Take the passes out of an argument list: the remaining arguments, and one pipeline text in the order given.

    Passes come as `--pass-pipeline=...`, `-p ...`, `--name` and `--name=options`; long options may have one dash.
    """
    remaining: list[str] = []
    pipeline: list[str] = []
    iterator = iter(arguments)
    for argument in iterator:
        if argument == "--":
            remaining += ["--", *iterator]
            break
        if not argument.startswith("-") or argument == "-":
            remaining.append(argument)
            continue
        name, equals, value = argument.partition("=")
        if not name.startswith("--") and len(name) > 2 and (f"-{name}" in options or name[1:] in passes):
            name = f"-{name}"
        if name in _PIPELINE_OPTIONS:
            pipeline.append(value if equals else _next_value(name, iterator))
        elif name[2:] in passes and name not in options:
            pipeline.append(_pass_with_options(name[2:], value))
        elif name in ("--verify-each", "--verify-order") and not equals:
            remaining.append(f"{name}=true")
        elif name.startswith("--") and name not in options:
            raise _unknown_option(name, [*options, *(f"--{known}" for known in passes)])
        else:
            remaining.append(name + equals + value)
    return remaining, ",".join(text for text in pipeline if text.strip())


def _unknown_option(name: str, known: Sequence[str]) -> UserError:
    close = get_close_matches(name, known, n=3)
    help = f"did you mean {' or '.join(close)}?" if close else "irtensor-opt --help lists options and passes"
    return UserError("bad-option", f"'{name}' is neither an option nor a pass", help=help)


def _next_value(name: str, rest: Iterable[str]) -> str:
    for value in rest:
        return value
    raise UserError("bad-option", f"{name} needs a value", help=f"write {name}='builtin.module(pass-a,pass-b)'")


def _pass_with_options(name: str, value: str) -> str:
    options = value.strip()
    if options.startswith("{") and options.endswith("}"):
        options = options[1:-1].strip()
    return f"{name}{{{options}}}" if options else name


def _truth(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise argparse.ArgumentTypeError(f"expected true or false, got '{text}'")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def add_arguments(parser: argparse.ArgumentParser, targets: Iterable[str], frontends: Iterable[str]) -> None:
    """Declare every option except the passes themselves, which `separate_passes` takes out before."""
    _add_input_output(parser, targets, frontends)
    _add_passes(parser)
    _add_printing(parser)
    _add_checking(parser)


def _add_input_output(parser: argparse.ArgumentParser, targets: Iterable[str], frontends: Iterable[str]) -> None:
    group = parser.add_argument_group("input and output")
    group.add_argument("input_file", nargs="?", help="path to the input, - or nothing for standard input")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the result there, only if all succeeds")
    group.add_argument("-f", "--frontend", choices=list(frontends), help="language of the input (default: mlir)")
    group.add_argument(
        "-t",
        "--target",
        metavar="TARGET",
        help=f"output: {', '.join(targets)} (default: what the last pipeline is named after, else mlir)",
    )
    group.add_argument(
        "--cuda-arch",
        metavar="NAME",
        help="the processor that -t ptx is for, such as sm_90 (default: sm_75, whose code all later ones run)",
    )
    flag(group, "--split-input-file", help="treat the pieces between lines '// -----' as separate files")
    flag(group, "--allow-unregistered-dialect", help="accept operations of unknown dialects")
    flag(group, "--no-implicit-module", help="do not wrap the input in a module")
    flag(group, "--show-dialects", help="print the names of the known dialects and stop")


def _add_passes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "passes", "Passes run in the order given. Each pass is an option as well: --dce, --name='x=1 y=2'."
    )
    group.add_argument(
        "--pass-pipeline",
        "-p",
        "--passes",
        dest="passes",
        default="",
        metavar="PIPELINE",
        help="'builtin.module(a,b{x=1})' or 'a,b{x=1}'; named pipelines may stand in it, with options of their passes, "
        "and with optional passes that are asked for: 'c{a.x=1 d}'",
    )
    flag(group, "--list-passes", help="print the passes by stage, with a line about each, and stop")
    group.add_argument("--help-pass", metavar="NAME", help="print the description of a pass or pipeline, and stop")
    flag(group, "--dump-pass-pipeline", help="print the pipeline that runs, with all options (stderr)")
    flag(group, "--mlir-timing", "--time-passes", dest="time_passes", help="print a table of times to stderr")
    flag(group, "--mlir-disable-threading", help="accepted, without effect")


def _add_printing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("printing")
    flag(group, "--mlir-print-op-generic", "--print-op-generic", dest="print_op_generic", help="generic form")
    flag(group, "--mlir-print-debuginfo", "--print-debuginfo", dest="print_debuginfo", help="locations as well")
    flag(group, "--print-no-properties", help="print properties as attributes")
    flag(group, "--syntax-highlight", help="colours")
    flag(group, "--mlir-print-ir-before-all", dest="print_before_all", help="print the IR before each pass (stderr)")
    flag(
        group,
        "--mlir-print-ir-after-all",
        "--print-between-passes",
        dest="print_after_all",
        help="print the IR after each pass (stderr)",
    )
    flag(group, "--mlir-print-ir-after-failure", dest="print_after_failure", help="print the IR a pass failed on")
    for when in ("before", "after"):
        group.add_argument(
            f"--mlir-print-ir-{when}",
            dest=f"print_{when}",
            type=_names,
            default=[],
            metavar="PASSES",
            help=f"print the IR {when} these passes (stderr)",
        )
    flag(group, "--remarks", help="print the remarks of passes about their choices (stderr)")


def _add_checking(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("checking")
    group.add_argument(
        "--verify-each",
        type=_truth,
        default=True,
        metavar="BOOL",
        help="verify the IR and its dominance after each pass (default: true)",
    )
    group.add_argument(
        "--verify-order",
        type=_truth,
        default=True,
        metavar="BOOL",
        help="compare the order of the passes with what they say about it (default: true)",
    )
    flag(group, "--disable-verify", help="verify nothing, not even the input")
    flag(
        group,
        "--verify-diagnostics",
        help="compare the errors, notes and remarks with comments '// expected-error@+1 {{text}}'",
    )
    flag(group, "--parsing-diagnostics", help="print a syntax error to stdout and exit with 0")
    flag(group, "--shrink", help="exit with 0 if ShrinkException was raised (for shrinkray)")
    flag(group, "--debug", help="print the Python traceback of an error")


def flag(group: argparse._ArgumentGroup, *names: str, help: str, dest: str | None = None) -> None:
    """An option that is off unless given."""
    if dest is None:
        group.add_argument(*names, action="store_true", help=help)
    else:
        group.add_argument(*names, action="store_true", help=help, dest=dest)
