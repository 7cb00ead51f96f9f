"""How a command-line program ends: errors go to stderr, and what kind they were is the exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from irtensor.core.diagnostics import InternalError, UserError

USER_ERROR, INTERNAL_ERROR, INTERRUPTED = 1, 2, 130
# What writing to a file without a name, as standard output is, may fail of.
_UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT)


def exit_code(run: Callable[[], None], given: Sequence[str]) -> int:
    """Run a program. 0 is success, 1 an error of the user's, 2 a defect in irtensor; `given` are its arguments."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal has no letters for is shown by numbers.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has gone; there is nobody to tell.
        _write_no_more()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
            _write_no_more()
            error = UserError("cannot-write", f"the output cannot be written: {os.strerror(error.errno)}")
        if "--debug" in given:
            traceback.print_exc()
        elif isinstance(error, (UserError, InternalError)):
            print(error, file=sys.stderr)
        else:
            print(InternalError(f"{type(error).__name__}: {error}"), file=sys.stderr)
            print("note: --debug shows the Python traceback", file=sys.stderr)
        return USER_ERROR if isinstance(error, UserError) else INTERNAL_ERROR
    return 0


def _write_no_more() -> None:
    """Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
