"""What the system says about the processor, in as many words as tell machines apart on which LLVM makes other code."""

from __future__ import annotations

# Lines of /proc/cpuinfo that are the same for all cores and at all times.
_TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")


def processor_identity(path: str = "/proc/cpuinfo") -> str | None:
    """Model and features of the first core; None where the system does not name them."""
    try:
        with open(path, encoding="utf-8") as lines:
            found: list[str] = []
            for line in lines:
                name, separator, value = line.partition(":")
                # An empty line ends the text about the first core.
                if not separator:
                    break
                if name.strip() in _TELLING:
                    found.append(value.strip())
    except OSError:
        return None
    return "\n".join(found) if len(found) == len(_TELLING) else None
