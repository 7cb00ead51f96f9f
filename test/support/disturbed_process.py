"""A process in which several threads compile and call kernels, while it is forked, signalled, and its children killed.

Run as a program with a seed. It prints how often each thing was done, or ends with what went wrong.
"""

import faulthandler
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it

SECONDS = 1.5
# A child that does three things takes a second at most; one that hangs is ended by a signal.
PATIENCE = 60
A = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(1)).tocsr()
D, X = A.toarray(), np.arange(30.0)
FLAT = np.arange(400_000.0)


def check(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)


def new_kernel(draw: random.Random) -> None:
    factor, threads = draw.randrange(1000) / 8, draw.choice([1, 2, 3])
    kernel = it.compile(f"y[i] = {factor} * A[i,j] * x[j]", num_threads=threads, disk_cache=draw.random() < 0.5)
    check(kernel(A=A, x=X), factor * (D @ X))


SHARED = it.compile("y[i] = A[i,j] * x[j]")


def shared_kernel(draw: random.Random) -> None:
    operand = draw.choice([A, A.tocsc(), A.tocoo(), D, it.as_tensor(A)])
    check(SHARED(A=operand, x=X), D @ X)


def product(draw: random.Random) -> None:
    check(it.einsum("ij,jk->ik", A, A, format=draw.choice([None, "csr", "csc", "coo", "dcsr"])), D @ D)


def expression(draw: random.Random) -> None:
    T, number = it.as_tensor(A), draw.randrange(1, 5)
    check(T * number + T, (number + 1) * D)


def reduction(draw: random.Random) -> None:
    axis = draw.choice([0, 1])
    check(it.as_tensor(A).max(axis=axis), D.max(axis=axis))


def long_loop(draw: random.Random) -> None:
    factor = draw.randrange(4)
    kernel = it.compile(
        f"s = sum(i, cos(a[i]) * cos(a[i]) + sin(a[i]) * sin(a[i]) + {factor})", num_threads=draw.choice([1, 2])
    )
    check(kernel(a=FLAT), FLAT.size * (factor + 1.0))


def forget(draw: random.Random) -> None:
    it.clear_caches(disk=draw.random() < 0.1)


def look(draw: random.Random) -> None:
    assert it.cache_info().kernels.bytes >= 0 and "A" in SHARED.explain()


OPERATIONS: list[Callable[[random.Random], None]] = [
    new_kernel,
    new_kernel,
    shared_kernel,
    product,
    expression,
    reduction,
    long_loop,
    forget,
    look,
]
done: Counter[str] = Counter()
wrong: list[str] = []


def operate(draw: random.Random) -> None:
    """Do one thing, which is right, or is interrupted in the main thread."""
    operation = draw.choice(OPERATIONS)
    try:
        operation(draw)
        done[operation.__name__] += 1
    except KeyboardInterrupt:
        done["interrupted"] += 1
        raise
    except BaseException as error:
        # Python 3.11 makes another error of what is raised while a class is made.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        wrong.append(f"{operation.__name__}: {error!r}"[:500])


def fork(draw: random.Random) -> None:
    """A child does some of the same; it is killed at some moment, or ends by itself with status 0."""
    seed, is_killed = draw.randrange(1 << 30), draw.random() < 0.3
    # What Python does around a fork is no place for a signal's handler to raise: modules of its own are locked then.
    signal.setitimer(signal.ITIMER_REAL, 0)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGALRM, chain=True)
        signal.alarm(PATIENCE)
        wrong.clear()
        own = random.Random(seed)
        for _ in range(3):
            operate(own)
        if wrong:
            os.write(2, f"in a child: {wrong[0]}\n".encode())
        os._exit(bool(wrong))
    if is_killed:
        time.sleep(draw.random() * 0.1)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    done["killed" if is_killed else "forked"] += 1
    if not is_killed and status != 0:
        wrong.append(f"a child ended with {status}")


def do_all(draw: random.Random) -> None:
    for operation in OPERATIONS:
        operation(draw)


def disturb(draw: random.Random, end: float) -> None:
    """What the main thread does until the end: it operates, forks, and may be interrupted at any moment."""
    is_interrupted = draw.random() < 0.7
    while time.monotonic() < end and not wrong:
        try:
            if is_interrupted:
                signal.setitimer(signal.ITIMER_REAL, 0.001 + draw.random() * 0.05)
            fork(draw) if draw.random() < 0.3 else operate(draw)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
    signal.setitimer(signal.ITIMER_REAL, 0)


def main(seed: int) -> None:
    draw = random.Random(seed)
    if draw.random() < 0.7:
        # The rest is the first use.
        do_all(draw)
    end = time.monotonic() + SECONDS

    def work(own: random.Random) -> None:
        while time.monotonic() < end and not wrong:
            operate(own)

    threads = [threading.Thread(target=work, args=(random.Random(draw.random()),)) for _ in range(draw.randrange(4))]
    for thread in threads:
        thread.start()
    disturb(draw, end)
    for thread in threads:
        thread.join()
    do_all(draw)


def interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, interrupt)
    faulthandler.dump_traceback_later(2 * PATIENCE, exit=True)
    main(int(sys.argv[1]))
    print(dict(done))
    sys.exit("\n".join(wrong) or None)
