"""irtensor-cache: what compiled kernels are kept on disk, whether they are whole, and deleting them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.runtime.cache_folder import bytes_of, clear, files_in, size_text
from irtensor.tools.exit_code import exit_code

_EXAMPLES = """examples:
  irtensor-cache size
  irtensor-cache list
  irtensor-cache verify --cache-dir /scratch/kernels
  irtensor-cache clear
"""


def _parser() -> argparse.ArgumentParser:
    from irtensor.tools.command_line import ArgumentParser

    parser = ArgumentParser(
        prog="irtensor-cache",
        description="Shows, checks and deletes the compiled kernels that are kept on disk between processes.",
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "command",
        choices=list(_COMMANDS),
        help="size: how many there are and how much room they take; list: each file, the last used first; "
        "verify: whether files are whole and used, exit code 1 if not; clear: delete all of them",
    )
    parser.add_argument("--cache-dir", metavar="FOLDER", help="another folder than that of IRTENSOR_CACHE_DIR")
    parser.add_argument("--debug", action="store_true", help="print the Python traceback of an error")
    return parser


def _size(cache: Any) -> None:
    files = list(files_in(str(cache.folder)))
    print(f"{_count(len(files))}, {size_text(bytes_of(files))} of at most {size_text(cache.bound)} in {cache.folder}")


def _list(cache: Any) -> None:
    is_used = cache.refusal() is None
    for file in sorted(files_in(str(cache.folder)), key=lambda file: file.used, reverse=True):
        used = datetime.fromtimestamp(file.used).isoformat(" ", "seconds")
        holds = _holds(cache.look(file.key)) if is_used else "not used, see verify"
        print(f"{used}  {size_text(bytes_of([file])):>10}  {holds:<24}  {file.key}")


def _holds(found: Any) -> str:
    """What a file holds, in a few words: the operands of a kernel, or code and notes of irtensor's own."""
    if found is None:
        return "damaged"
    described = found.metadata
    if isinstance(described, dict) and isinstance(names := described.get("operands"), list):
        return f"kernel of {', '.join(map(str, names)) or 'no operand'}"
    return "runtime" if found.objects else "note"


def _verify(cache: Any) -> None:
    if (refusal := cache.refusal()) is not None:
        help = "set IRTENSOR_CACHE_DIR to a folder that only you may write to"
        raise UserError("cache-refused", f"no kernels are loaded from the disk: {refusal}", help=help)
    files = list(files_in(str(cache.folder)))
    damaged = [file.path for file in files if cache.look(file.key) is None]
    if damaged:
        shown = [f"'{path}'" for path in damaged[:3]]
        rest = f", and {len(damaged) - len(shown)} more" if len(damaged) > len(shown) else ""
        message = f"{len(damaged)} of {len(files)} files cannot be used: {', '.join(shown)}{rest}"
        help = "they count as absent and are compiled again; delete them, or all files with irtensor-cache clear"
        raise UserError("cache-damaged", message, help=help)
    print(f"{_count(len(files))} in {cache.folder}, all whole")


def _clear(cache: Any) -> None:
    print(f"deleted {_count(clear(str(cache.folder)))} in {cache.folder}")


def _count(files: int) -> str:
    return f"{files} file" if files == 1 else f"{files} files"


_COMMANDS: dict[str, Callable[[Any], None]] = {"list": _list, "size": _size, "clear": _clear, "verify": _verify}


def _run(options: argparse.Namespace) -> None:
    from irtensor.options import current_options
    from irtensor.runtime.disk_cache import DiskCache

    cache = DiskCache(current_options(cache_dir=options.cache_dir).cache_dir)
    if cache.folder is None:
        help = "name a folder with --cache-dir, or set IRTENSOR_CACHE_DIR"
        raise UserError("bad-option", "no cache on disk: the user has no home folder", help=help)
    for folder in (cache.folder.parent, cache.folder):
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise UserError("bad-option", f"'{folder}' is not a folder", help="name another one, or move it away")
    _COMMANDS[options.command](cache)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run irtensor-cache. Exit codes: 0 success, 1 an error of the user's, 2 a defect in irtensor."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return exit_code(lambda: _run(_parser().parse_args(given)), given)


if __name__ == "__main__":
    sys.exit(main())
