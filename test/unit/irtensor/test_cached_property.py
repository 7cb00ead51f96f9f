"""A property that is computed once: a child of a fork does not wait for a thread that computes it in the parent."""

import os
import threading
from signal import alarm

import pytest

from irtensor.core.cached_property import cached_property


class Counted:
    count = 0

    @cached_property
    def value(self) -> int:
        """How often it was computed."""
        self.count += 1
        return self.count


def test_a_value_is_computed_once_for_each_object():
    one, other = Counted(), Counted()
    assert (one.value, one.value, other.value, one.count) == (1, 1, 1, 1)
    assert type(Counted.value).__name__ == "cached_property" and "How often" in (Counted.value.__doc__ or "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_of_its_parent():
    begun, may_end = threading.Event(), threading.Event()

    class Slow:
        is_slow = True

        @cached_property
        def value(self) -> int:
            if self.is_slow:
                begun.set()
                may_end.wait()
            return 1

    thread = threading.Thread(target=lambda: Slow().value)
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        # A lock that is held by no thread of this process would be waited for without end.
        alarm(20)
        Slow.is_slow = False
        os._exit(Slow().value)
    may_end.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
