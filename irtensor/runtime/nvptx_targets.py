"""The processors of NVIDIA that PTX is made for, and what each of them needs.

LLVM takes any name for a processor, and makes code for the oldest one if it does not know it. So the names are here.
"""

from __future__ import annotations

from typing import NamedTuple

from irtensor.errors import UserError

# The version of PTX and the version of LLVM that are the first to know each processor, by its compute capability times
# ten.
_VERSIONS = {
    75: ("6.3", 20),
    80: ("7.0", 20),
    86: ("7.1", 20),
    87: ("7.4", 20),
    88: ("9.0", 22),
    89: ("7.8", 20),
    90: ("7.8", 20),
    100: ("8.6", 20),
    103: ("8.8", 21),
    110: ("9.0", 22),
    120: ("8.7", 20),
    121: ("8.8", 21),
}


class Processor(NamedTuple):
    """A processor: its name, as in `sm_90`, its number, and the first versions of PTX and LLVM that know it."""

    name: str
    number: int
    version: str
    llvm: int


PROCESSORS: dict[str, Processor] = {
    f"sm_{number}": Processor(f"sm_{number}", number, *versions) for number, versions in _VERSIONS.items()
}
# All others run its code.
OLDEST = min(PROCESSORS.values(), key=lambda processor: processor.number)


def processor_named(name: str) -> Processor:
    """The processor of a name. Raises UserError [cuda-arch] if there is none, or it is too old."""
    if not isinstance(name, str):
        raise UserError("cuda-arch", f"a processor has a name such as 'sm_90', not {name!r}", help=_known())
    found = PROCESSORS.get(name)
    if found is not None:
        return found
    digits = name.removeprefix("sm_")
    if digits[:-1] in _VERSIONS_AS_TEXT and digits[-1] in "af":
        message = f"code for {name} runs on no later processor, and irtensor makes none"
        raise UserError("cuda-arch", message, help=f"write sm_{digits[:-1]}")
    if digits.isdecimal() and name != digits and int(digits) < OLDEST.number:
        raise _too_old(name)
    raise UserError("cuda-arch", f"unknown processor '{name}'", help=_known())


def processor_of(major: int, minor: int) -> Processor:
    """The processor whose code a device of a compute capability runs: its own, or the newest one before it.

    Raises UserError [cuda-arch] if it is too old.
    """
    number = 10 * major + minor
    known = [processor for processor in PROCESSORS.values() if processor.number <= number]
    if not known:
        raise _too_old(f"sm_{number}")
    return max(known, key=lambda processor: processor.number)


_VERSIONS_AS_TEXT = {str(number) for number in _VERSIONS}


def _too_old(name: str) -> UserError:
    return UserError("cuda-arch", f"processor {name} is too old: the oldest one is {OLDEST.name}", help=_known())


def _known() -> str:
    return f"processors are {', '.join(PROCESSORS)}; a newer one runs code for any of those before it"
