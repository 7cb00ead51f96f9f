"""Methods of dataclasses are compiled when they are called, and then do what Python's do."""

import dataclasses
import subprocess
import sys
from typing import Any

import pytest

from irtensor.late_dataclasses import methods_compiled_late

COUNT = """
import dataclasses
counted = []
create = getattr(dataclasses, "_create_fn", None)
if create is not None:
    dataclasses._create_fn = lambda *given, **named: (counted.append(given[0]), create(*given, **named))[1]
from irtensor.late_imports import load_for
load_for("tensors")
before = len(counted)
load_for("compiling")
print(len(counted) - before)
"""


def _defined() -> tuple[type[Any], type[Any]]:
    @dataclasses.dataclass(frozen=True)
    class Base:
        number: int
        names: list[str] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass(frozen=True, slots=True)
    class Derived(Base):
        other: int = 3

        def __post_init__(self) -> None:
            object.__setattr__(self, "other", self.other + 1)

    return Base, Derived


def _shown(classes: tuple[type[Any], type[Any]]) -> list[object]:
    """What objects of these classes do."""
    base, derived = classes
    one, two = derived(1), derived(number=1, other=3)
    shown: list[object] = [
        repr(base(2)),
        repr(base(2, ["a"])),
        repr(one),
        repr(one),
        one == two,
        one == base(1),
        one.names,
    ]
    shown += [hash(dataclasses.replace(one, names=())) == hash((1, (), 5)), dataclasses.replace(base(1), number=7)]
    for wrong in (
        lambda: derived(),
        lambda: base(1, 2, 3),
        lambda: setattr(one, "other", 1),
        lambda: delattr(one, "other"),
        lambda: hash(one),
    ):
        with pytest.raises((TypeError, AttributeError)) as error:
            wrong()
        shown.append(str(error.value))
    return list(map(str, shown))


def test_late_methods_are_those_of_dataclasses():
    with methods_compiled_late():
        late = _defined()
    assert _shown(late) == _shown(_defined())


@pytest.mark.skipif(
    not hasattr(dataclasses, "_create_fn"), reason="this Python compiles the methods of a class at once"
)
def test_a_late_method_is_compiled_once_and_takes_its_place():
    with methods_compiled_late():
        base, _ = _defined()
    late: Any = base.__init__
    one = base(1)
    assert base.__init__ is not late and base.__init__.__code__.co_argcount == 3
    late(one, 2, [])
    assert one == base(2)
    run = subprocess.run([sys.executable, "-c", COUNT], stdout=subprocess.PIPE, text=True, check=True)
    assert int(run.stdout) < 300


def test_methods_are_compiled_at_once_outside_and_after_an_error():
    known = getattr(dataclasses, "_create_fn", None)
    with pytest.raises(RuntimeError), methods_compiled_late():
        assert known is None or getattr(dataclasses, "_create_fn", None) is not known
        raise RuntimeError
    assert getattr(dataclasses, "_create_fn", None) is known
