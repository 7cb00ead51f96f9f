"""irtensor-run as a process."""

import subprocess
import sys


def test_a_reader_that_has_gone_is_no_error():
    command = [sys.executable, "-m", "irtensor.tools.irtensor_run", "y[i] = x[i]", "x=ones(9)", "--explain"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
