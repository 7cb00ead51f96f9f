"""The pool: forks, Ctrl-C, several callers, idle threads, exit."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from irtensor.runtime import thread_pool
from irtensor.runtime.cpu_engine import compile_llvm_text

# Each iteration counts itself, and then up to the number that it finds in element 0.
BODY = """
define i32 @body(ptr %counts, i64 %iteration, ptr %context) {
  %length = load i64, ptr %counts
  %place = getelementptr i64, ptr %counts, i64 %iteration
  %before = atomicrmw add ptr %place, i64 1 seq_cst
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %j, %loop ]
  %j = add i64 %i, 1
  store volatile i64 %j, ptr %counts.unused
  %more = icmp slt i64 %j, %length
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
""".replace("%counts.unused", "@unused")

# Each iteration writes down the thread that runs it, as Python names it.
WHO = "declare i64 @pthread_self()\n" + BODY.replace(
    "%before = atomicrmw add ptr %place, i64 1 seq_cst", "%who = call i64 @pthread_self()\n  store i64 %who, ptr %place"
)


class Job:
    """Runs iterations 1 to `iterations` of a body that counts; element 0 of its memory says how long each takes."""

    def __init__(self, iterations: int, length: int = 0) -> None:
        self.native = compile_llvm_text(f"@unused = internal global i64 0\n{BODY}", "body")
        self.counts = np.zeros(iterations + 1, np.int64)
        self.counts[0] = length

    def run(self, threads: int = 2) -> int:
        address = thread_pool.context_address(threads)
        context = thread_pool.Context.from_address(address)
        types = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 2
        function = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(context.run)
        return function(address, self.native.address, self.counts.ctypes.data, 1, len(self.counts))

    def check(self, times: int = 1) -> None:
        assert (self.counts[1:] == times).all()


SLOW = 3_000_000


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_every_iteration_runs_once(threads):
    job = Job(1000)
    for _ in range(50):
        assert job.run(threads) == 0
    job.check(50)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_caller_takes_iterations_in_order_and_others_the_last_ones(threads):
    """Every iteration of the caller's may go on where its last one ended."""
    job = Job(40, length=20_000)
    job.native = compile_llvm_text(f"@unused = internal global i64 0\n{WHO}", "body")
    for _ in range(20):
        job.run(threads)
        own = job.counts[1:] == threading.get_ident()
        assert own[: own.sum()].all()


def switches() -> dict[str, int]:
    """How often each thread of this process has gone to sleep."""
    found = {}
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/status") as file:
            found[thread] = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads cannot be watched")
@pytest.mark.parametrize(("iterations", "threads"), [(2, 16), (40, 2)])
def test_no_more_threads_wake_than_there_is_work_for(iterations, threads):
    """Be they too many for the iterations, or started for another kernel."""
    Job(2).run(16)
    job = Job(iterations, length=1000)
    times = 200
    job.run(threads)
    time.sleep(0.01)
    before = switches()
    for _ in range(times):
        job.run(threads)
        # So that they are asleep again.
        time.sleep(0.001)
    after = switches()
    own = str(threading.get_native_id())
    slept = sum(count - before.get(thread, 0) for thread, count in after.items() if thread != own)
    assert slept < 5 * times


def test_several_callers_at_once():
    jobs = [Job(500, length=100) for _ in range(6)]

    def call(job):
        for _ in range(100):
            assert job.run() == 0

    threads = [threading.Thread(target=call, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    for job in jobs:
        job.check(100)


def in_child(work) -> int:
    """The exit status of a forked child that does some work; -1 if it hangs."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


def run_some() -> None:
    job = Job(200, length=1000)
    assert job.run() == 0
    job.check()


@pytest.mark.filterwarnings("ignore:This process")
def test_a_child_starts_threads_of_its_own():
    run_some()
    assert in_child(run_some) == 0
    run_some()


@pytest.mark.filterwarnings("ignore:This process")
def test_a_child_of_a_child():
    run_some()

    def work():
        run_some()
        assert in_child(run_some) == 0
        run_some()

    assert in_child(work) == 0


@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_while_another_thread_runs_a_kernel():
    job = Job(300, length=SLOW)
    thread = threading.Thread(target=job.run)
    thread.start()
    while not job.counts[1]:
        time.sleep(0.001)
    forks = 0
    while thread.is_alive():
        assert in_child(run_some) == 0
        forks += 1
    thread.join()
    assert forks, "the kernel was too short for this test"
    job.check()


def test_a_fork_before_there_are_threads():
    text = """
        import os, sys
        sys.path.insert(0, sys.argv[1])
        from test_thread_pool import in_child, run_some
        assert in_child(run_some) == 0
        run_some()
    """
    run_python(text)


def run_python(text: str, *, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(text), os.path.dirname(__file__)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)


def test_ctrl_c_ends_a_kernel_between_two_iterations():
    job = Job(100_000, length=SLOW)
    # What runs the tests may have another handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert job.run() == thread_pool.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            thread_pool.raise_interruption()
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < job.counts[1:].sum() < 50_000
    run_some()


def test_what_a_signal_handler_raises_is_what_the_caller_sees():
    def handler(number, frame):
        raise TimeoutError("too long")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        assert Job(100_000, length=SLOW).run() == thread_pool.INTERRUPTED
        with pytest.raises(TimeoutError, match="too long"):
            thread_pool.raise_interruption()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_raises_nothing_does_not_end_the_kernel():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    try:
        job = Job(200, length=SLOW)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        assert job.run() == 0
        job.check()
        assert seen == [signal.SIGALRM]
    finally:
        # Where the kernel was faster, the signal would end the process once nobody handles it.
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_python_threads_run_meanwhile():
    count = 0
    job = Job(100, length=SLOW)
    thread = threading.Thread(target=job.run)
    thread.start()
    while thread.is_alive():
        count += 1
        time.sleep(0.0001)
    assert count > 10


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in /proc")
def test_one_thread_needs_no_pool():
    text = """
        import os, sys
        sys.path.insert(0, sys.argv[1])
        from irtensor.runtime import thread_pool
        from test_thread_pool import Job
        Job(10)
        before = len(os.listdir("/proc/self/task"))
        Job(10).run(1)
        assert len(os.listdir("/proc/self/task")) == before
        Job(10).run(4)
        assert len(os.listdir("/proc/self/task")) == before + 3
        Job(10).run(2)
        assert len(os.listdir("/proc/self/task")) == before + 3
    """
    run_python(text)


def test_idle_threads_use_no_processor_time():
    run_some()
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.05


def test_other_threads_than_the_main_one_need_no_interpreter():
    """They end without the GIL: when the interpreter ends, there is none that they could take."""
    job = Job(400, length=10_000_000)
    thread = threading.Thread(target=job.run, args=(1,))
    thread.start()
    while not job.counts[1]:
        time.sleep(0.001)
    interval, end = sys.getswitchinterval(), time.monotonic() + 30
    sys.setswitchinterval(1000)
    try:
        # Nothing in this loop gives the GIL away.
        while 0 in memoryview(job.counts.data) and time.monotonic() < end:
            pass
        assert time.monotonic() < end
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    job.check()


def test_exit_waits_for_no_thread():
    text = """
        import sys, threading
        sys.path.insert(0, sys.argv[1])
        from test_thread_pool import Job
        Job(100).run(4)
        threading.Thread(target=Job(10_000_000, length=1000).run, daemon=True).start()
    """
    start = time.monotonic()
    run_python(text)
    assert time.monotonic() - start < 60
