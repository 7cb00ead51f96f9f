"""On a card: what users are told to run first."""

import irtensor as it


def test_nothing_fails():
    found = it.cuda.selftest()
    assert not found.failed, str(found)
