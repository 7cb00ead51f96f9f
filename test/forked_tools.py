"""lit runs irtensor-opt and filecheck in forks of a process that has loaded them: a start takes milliseconds.

Each command still has a process, an environment and standard streams of its own, so that tests cannot influence each
other. Other commands are started as usual.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import lit.formats

TOOLS = Path(sys.executable).parent


class ForkedTools(lit.formats.ShTest):
    """lit's internal shell, whose commands fork where the command is a tool of this Python environment."""

    def execute(self, test, litConfig):
        # A worker process that lit has forked inherits the tools; one that it has spawned loads them here.
        load_tools()
        subprocess.Popen = Process
        return super().execute(test, litConfig)


@cache
def load_tools() -> dict[Path, Callable[[], object]]:
    """The programs by path, with all that they import on demand."""
    import filecheck.main
    import xdsl.tools.xdsl_opt

    from irtensor.dialects import get_all_dialects, get_extended_llvm
    from irtensor.passes import get_all_passes
    from irtensor.tools import irtensor_opt

    for load in (*get_all_dialects().values(), get_extended_llvm, *get_all_passes().values()):
        load()
    gc.collect()
    gc.freeze()
    programs = {"irtensor-opt": irtensor_opt.main, "xdsl-opt": xdsl.tools.xdsl_opt.main}
    programs["filecheck"] = filecheck.main.main
    return {TOOLS / name: main for name, main in programs.items()}


class Process(subprocess.Popen[bytes]):
    """A child process; it calls a loaded tool where its executable is one."""

    def __init__(self, args, *, executable=None, env=None, **options):
        main = None if executable is None else load_tools().get(Path(executable))
        run = None if main is None else partial(run_and_exit, main, list(args), env)
        super().__init__(args, executable=executable, env=env, preexec_fn=run, **options)


def run_and_exit(main, arguments, environment) -> None:
    """Runs in the child, whose standard streams are in place, instead of the executable."""
    # The parent waits until the pipe that would report a failed start is closed.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    gc.disable()
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)
    # By line, as Python has it, so that errors and output stay in order where they go to one pipe.
    sys.stderr = open(2, "w", buffering=1, closefd=False)
    os._exit(_exit_code(main))


def _exit_code(main) -> int:
    """What `sys.exit(main())` would give to the shell."""
    try:
        code = main()
    except SystemExit as stop:
        code = stop.code
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code or 0
