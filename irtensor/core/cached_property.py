"""`cached_property` without a lock: one that another thread holds during a fork is never given back in the child.

That of Python before 3.12 has a lock for each property, which all its objects share. Threads may compute a value twice
here, as they may from 3.12 on.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """A property that is computed once for each object, and then an attribute of it."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            known = instance.__dict__
            if self.attrname not in known:
                known[self.attrname] = self.func(instance)
            return known[self.attrname]
