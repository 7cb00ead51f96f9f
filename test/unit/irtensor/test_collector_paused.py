"""The garbage collector is asked not to walk what stays; everything else is collected as before."""

import gc
import subprocess
import sys

from irtensor.collector_paused import collector_paused

# Tests freeze what those before have left.
START = """
import gc, weakref
from irtensor.collector_paused import keep_what_is_there
class Node: pass
def is_in(generation): return any(one is node for one in gc.get_objects(generation))
node = Node()
node.itself = node
"""


def run(code: str) -> list[str]:
    return subprocess.check_output([sys.executable, "-c", START + code], text=True).split()


def test_what_is_there_is_old_and_can_be_collected():
    code = """
young = is_in(0)
keep_what_is_there()
print(young, is_in(0), is_in(2))
gone = weakref.ref(node)
del node
gc.collect()
print(gone() is None)
"""
    assert run(code) == ["True", "False", "True", "True"]


def test_what_is_frozen_stays_frozen():
    code = (
        "gc.freeze(); before = gc.get_freeze_count(); keep_what_is_there(); print(gc.get_freeze_count() == before > 0)"
    )
    assert run(code) == ["True"]


def test_a_pause_in_a_pause_ends_with_the_outer_one():
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
