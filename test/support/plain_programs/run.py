"""Random programs of users, written from the manual alone, beside what plain Python loops say that they compute.

Nothing in this folder is shared with `test/support/reference`, so that one misunderstanding does not hide in both.
Programs run in forked processes, so that one that crashes or hangs is found, and those that fail are made smaller.

python -m plain_programs.run --first 0 --count 1000 --seconds 120
"""

import argparse
import collections
import gc
import os
import pickle
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from .draw import draw_program
from .judge import Verdict, judge

PER_CHILD = 100
PROCESSOR_SECONDS = 20.0  # a program that needs more counts as one that does not end
SECONDS = 120.0  # on a machine that does other things as well


def in_children(work: Callable[[Any], Any], items: list[Any], seconds: float = SECONDS) -> Iterator[tuple[Any, Any]]:
    """Each item with what the work gives in a forked process, or the Verdict that the process came to an end."""
    at = 0
    while at < len(items):
        share = items[at : at + PER_CHILD]
        read, write = os.pipe()
        if (child := os.fork()) == 0:
            _work(work, share, read, write)
        os.close(write)
        done = 0
        while done < len(share) and (answer := _answer(read, seconds)) is not None:
            yield share[done], answer[0]
            done += 1
        timed_out = done < len(share) and _is_running(child)
        if timed_out:
            os.kill(child, signal.SIGKILL)
        os.close(read)
        _, status = os.waitpid(child, 0) if _ended.get(child) is None else (child, _ended.pop(child))
        if done < len(share):
            yield share[done], Verdict("hang" if timed_out else f"crash {os.waitstatus_to_exitcode(status)}")
            done += 1
        at += done


_ended: dict[int, int] = {}


def _is_running(child: int) -> bool:
    """After half a second: a process that crashes closes its pipe before it has ended."""
    for _ in range(50):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            _ended[child] = status
            return False
        time.sleep(0.01)
    return True


def _work(work: Callable[[Any], Any], share: list[Any], read: int, write: int) -> None:
    os.close(read)
    try:
        for item in share:
            data = pickle.dumps((work(item),))
            os.write(write, struct.pack("q", len(data)) + data)
    except BaseException as error:
        print(f"a worker failed: {error!r}", file=sys.stderr)
        os._exit(3)
    os._exit(0)


def _answer(read: int, seconds: float) -> tuple[Any] | None:
    if (size := _exactly(read, 8, seconds)) is None:
        return None
    data = _exactly(read, struct.unpack("q", size)[0], seconds)
    return None if data is None else pickle.loads(data)


def _exactly(read: int, count: int, seconds: float) -> bytes | None:
    data = b""
    while len(data) < count:
        if not select.select([read], [], [], seconds)[0] or not (more := os.read(read, count - len(data))):
            return None
        data += more
    return data


def verdicts(seeds: list[int], special: str = "dense") -> Iterator[tuple[int, list[Verdict]]]:
    def work(seed: int) -> list[Verdict]:
        start = time.process_time()
        found = judge(draw_program(seed, special), special == "everywhere")
        return found if time.process_time() - start < PROCESSOR_SECONDS else [*found, Verdict("slow")]

    for seed, found in in_children(work, seeds):
        yield seed, [found] if isinstance(found, Verdict) else found


def warm_up() -> None:
    """Loads what children would load each, and lets threads have work however small it is."""
    os.environ["IRTENSOR_DISK_CACHE"] = "0"
    from irtensor.runtime import thread_pool

    thread_pool.GRAIN = 1
    for seed in range(30):
        judge(draw_program(seed))
    # IR is full of cycles, and what is there now stays.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def main() -> None:
    import effort

    from .reduce import reduced

    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--special", choices=("nowhere", "dense", "everywhere"), default="dense")
    parser.add_argument("--per-kind", type=int, default=2, help="how many faults of a kind are reduced")
    options = parser.parse_args()
    effort.lower_effort()
    warm_up()
    counts: collections.Counter[str] = collections.Counter()
    end = time.monotonic() + options.seconds
    for seed, found in verdicts(list(range(options.first, options.first + options.count)), options.special):
        for verdict in found:
            counts[f"{verdict.kind} {verdict.detail}" if verdict.kind == "refused" else verdict.kind] += 1
            if not verdict.is_fault:
                continue
            print(f"==== {seed}: {verdict.kind}", flush=True)
            if counts[verdict.kind] <= options.per_kind:
                small = reduced(draw_program(seed, options.special), verdict.kind, options.special == "everywhere")
                print(
                    small.stand_alone(options.special == "everywhere"), verdict.detail[-1500:], "", sep="\n", flush=True
                )
        if seed % 500 == 499:
            print(f"{seed}, {end - time.monotonic():.0f} s left", flush=True)
        if time.monotonic() > end:
            print(f"stopped at {seed}")
            break
    for name, count in sorted(counts.items()):
        print(f"{count:7} {name}")


if __name__ == "__main__":
    main()
