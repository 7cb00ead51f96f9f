"""Every setting of irtensor: its IRTENSOR_* variable, type, default and meaning, in one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from irtensor.errors import UserError
from irtensor.late_imports import load_for
from irtensor.passes.pipelines import TARGETS


def _boolean(given: str | bool) -> bool:
    if isinstance(given, bool):
        return given
    word = given.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("expected 0 or 1")


def _positive(given: str | int) -> int:
    try:
        number = 0 if isinstance(given, bool) else int(given)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError("expected a number of at least 1")
    return number


@cache
def _available_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _default_cache() -> Path | None:
    """The platform's folder for a user's caches, or None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says to ignore a relative one.
    if os.path.isabs(base):
        return Path(base, "irtensor")
    if os.environ.get("HOME") == "":
        return None  # Python takes it for the root of all folders.
    try:
        return Path.home() / ".cache" / "irtensor"
    except RuntimeError:
        return None


def _folder(given: str | Path) -> Path:
    """A folder's name; one that begins with ~ is in a home."""
    text = str(given)
    if "\0" in text:
        raise ValueError("a path has no NUL character")
    if not text.strip():
        raise ValueError("expected the name of a folder")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{error}".rstrip(".").lower()) from error


_LISTED_TARGETS = f"{', '.join([*TARGETS][:-1])} or {[*TARGETS][-1]}"


def _target(text: str) -> str:
    if text not in TARGETS:
        raise ValueError(f"expected {_LISTED_TARGETS}")
    return text


# What each reads that is given by keyword, and what it is called. They read the texts of variables as well.
_TYPES: dict[Callable[[Any], Any], tuple[tuple[type, ...], str]] = {
    _boolean: ((bool,), "True or False"),
    _folder: ((str, Path), "the name of a folder"),
    _positive: ((int,), "a number of at least 1"),
    _target: ((str,), _LISTED_TARGETS),
}


class Setting(NamedTuple):
    """One line of the table; `read` takes a text or a value, and raises ValueError with what it expects."""

    name: str
    read: Callable[[Any], Any]
    default: Callable[[], Any]
    meaning: str
    # Whether it changes the code of a kernel, so that kernels compiled with different values are different.
    changes_code: bool = False

    @property
    def variable(self) -> str:
        return f"IRTENSOR_{self.name.upper()}"


SETTINGS: tuple[Setting, ...] = (
    Setting("num_threads", _positive, _available_processors, "threads a kernel uses at most"),
    Setting("cache_dir", _folder, _default_cache, "folder of compiled kernels kept between processes"),
    Setting("disk_cache", _boolean, lambda: True, "whether compiled kernels are kept in cache_dir"),
    Setting("verify", _boolean, lambda: False, "whether the compiler checks its own work after every pass"),
    Setting("strict_fp", _boolean, lambda: False, "whether floating-point sums keep the order of the storage", True),
    Setting(
        "deterministic",
        _boolean,
        lambda: False,
        "whether a call gives the same bits every time, also where a GPU would add numbers as its threads come",
        True,
    ),
    Setting(
        "gallop",
        _boolean,
        lambda: False,
        "whether intersections of sorted lists search each other's coordinates instead of walking over all of them",
        True,
    ),
    Setting(
        "target",
        _target,
        lambda: "cpu",
        "what runs kernels: cpu, cuda for a GPU of NVIDIA, or cuda-emulated for kernels of a GPU on the CPU",
        True,
    ),
)


CODE_SETTINGS = tuple(setting for setting in SETTINGS if setting.changes_code)
_CODE_VARIABLES = tuple(setting.variable for setting in (SETTINGS[0], *CODE_SETTINGS))
# The same as `os.environ` has them.
_ENCODED = tuple(map(getattr(os.environ, "encodekey", str), _CODE_VARIABLES))


class Options(NamedTuple):
    """The settings in force for one call."""

    num_threads: int
    cache_dir: Path | None
    disk_cache: bool
    verify: bool
    strict_fp: bool
    deterministic: bool
    gallop: bool
    target: str
    # How many threads of a GPU share an iteration; 0 is up to a call. No setting: schedules say it (`parallelize`).
    team: int = 0

    @property
    def may_regroup(self) -> bool:
        """Whether the sums of a statement may be computed in another order, by several kernels or by none of loops."""
        return self.target == "cpu" and not self.strict_fp and not self.deterministic

    @property
    def keeps_order(self) -> str | None:
        """The setting for which sums have their terms in one order on the CPU; None if there is none."""
        return "strict_fp" if self.strict_fp else "deterministic" if self.deterministic else None

    def as_keywords(self) -> dict[str, Any]:
        """The settings by name, as functions take them that have options."""
        return {setting.name: getattr(self, setting.name) for setting in SETTINGS}

    def code_key(self) -> tuple[Any, ...]:
        """The values of those settings on which a kernel's code depends."""
        return (self.num_threads > 1, *self.kernel_key()[1:])

    def kernel_key(self) -> tuple[Any, ...]:
        """The values of those settings on which a kernel depends: one code serves all numbers of threads above 1."""
        return (self.num_threads, *[getattr(self, setting.name) for setting in CODE_SETTINGS], self.team)


def current_kernel_key() -> tuple[Any, ...]:
    """`current_options().kernel_key()`, in a tenth of the time: every call that compiles nothing new asks for it."""
    return _kernel_key_in(environment_of_code())


# The environment says all that these settings depend on.
@lru_cache(maxsize=64)
def _kernel_key_in(environment: tuple[Any, ...]) -> tuple[Any, ...]:
    return (_value_of(SETTINGS[0]), *[_value_of(setting) for setting in CODE_SETTINGS], 0)


def environment_of_code() -> tuple[Any, ...]:
    """The texts of the variables on which kernels depend: a cheap key; equal keys mean equal settings."""
    # `os.environ.get` raises and catches an error for each variable that is not set: four microseconds for all.
    data = getattr(os.environ, "_data", None)
    if isinstance(data, dict):
        return tuple([data.get(name) for name in _ENCODED])
    return tuple(map(os.environ.get, _CODE_VARIABLES))


def _value_of(setting: Setting) -> Any:
    text = os.environ.get(setting.variable)
    if text is None or not text.strip():
        return setting.default()
    return _read(setting, setting.variable, text)


def _check_override(setting: Setting, value: Any) -> Any:
    types, expected = _TYPES[setting.read]
    if isinstance(value, types):
        return _read(setting, setting.name, value)
    raise UserError("bad-option", f"{setting.name}={value!r} is not usable: expected {expected}")


def _read(setting: Setting, name: str, given: Any) -> Any:
    try:
        return setting.read(given)
    except ValueError as error:
        raise UserError("bad-option", f"{name}={given!r} is not usable: {error}") from error


def check_names(given: Iterable[str], others: Iterable[str] = ()) -> None:
    """Raise UserError [bad-option] for a name of no option; `others` are keywords that may have been meant."""
    known = [setting.name for setting in SETTINGS]
    for name in given:
        if name not in known:
            load_for("suggestions")
            import difflib

            near = difflib.get_close_matches(name, [*others, *known], 1)
            help = f"did you mean {near[0]}=?" if near else f"options are {', '.join(known)}"
            raise UserError("bad-option", f"unknown option '{name}'", help=help)


def current_options(**overrides: Any) -> Options:
    """The settings from the environment, replaced by those given by keyword; None counts as not given.

    Raises UserError [bad-option] for an unknown name or an unusable value.
    """
    known = {setting.name: setting for setting in SETTINGS}
    check_names(overrides)
    values: dict[str, Any] = {}
    for name, setting in known.items():
        given = overrides.get(name)
        values[name] = _value_of(setting) if given is None else _check_override(setting, given)
    return Options(**values)
