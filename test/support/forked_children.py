"""Child processes that run Python code, as forks of a process that has loaded modules: a start takes milliseconds.

Each ends as a process of Python's own does. Code may import what lies beside this file.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

# Seconds that a child may take.
LIMIT = 120


class Ended(NamedTuple):
    """The exit code of a child, -n after signal n, and what it printed."""

    code: int
    output: str
    errors: str


class Children:
    """Starts children that have modules loaded, and `environment` from the beginning: libraries are searched by it."""

    def __init__(self, modules: Sequence[str], environment: dict[str, str]) -> None:
        # A process with threads must not fork, and BLAS has some unless it is told otherwise.
        alone = environment | {"OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, __file__, *modules]
        pipe = subprocess.PIPE
        self._parent = subprocess.Popen(command, env=alone, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        atexit.register(self._end)

    def run(self, code: str, environment: dict[str, str]) -> Ended:
        """Run code in a child, and wait for its end."""
        asked, answers = self._parent.stdin, self._parent.stdout
        assert asked is not None and answers is not None
        with tempfile.TemporaryDirectory(prefix="irtensor-child-") as folder:
            streams = [str(Path(folder, name)) for name in ("output", "errors")]
            print(json.dumps([code, environment, streams]), file=asked)
            answer = answers.readline()
            assert answer, "the process that starts children has ended"
            return Ended(int(answer), *(Path(stream).read_text() for stream in streams))

    def _end(self) -> None:
        # The end of its input ends it.
        self._parent.communicate()


def _code_of_child() -> str:
    """Starts a child for each line of the input, and returns in the children only."""
    for line in sys.stdin:
        code, environment, streams = json.loads(line)
        child = os.fork()
        if child == 0:
            _begin(environment, streams)
            return code
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


def _begin(environment: dict[str, str], streams: list[str]) -> None:
    signal.alarm(LIMIT)
    os.environ.clear()
    os.environ.update(environment)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for stream, name in enumerate(streams, 1):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, stream)
        os.close(opened)
    os.dup2(nothing, 0)
    os.close(nothing)


if __name__ == "__main__":
    for module in sys.argv[1:]:
        import_module(module)
    # Among the names of this module, which live until the process ends.
    exec(compile(_code_of_child(), "<child>", "exec", dont_inherit=True))
