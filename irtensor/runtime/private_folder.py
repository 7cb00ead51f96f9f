"""Whether nobody but the user can put a file into a folder: code that is loaded from there is run."""

from __future__ import annotations

import os
import stat

# For opening a file: a link is not followed, a pipe not waited for, and a child has no use for it.
CAREFULLY = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MOST_LINKS = 40
_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NotPrivate(Exception):
    """Others may write to a folder; the text names it and says how."""


def make_private_folder(folder: str) -> None:
    """Make a folder, and those around it that do not exist, for the user alone, whatever the umask. Raises OSError."""
    missing: list[str] = []
    folder = os.path.abspath(folder)
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:  # by another process meanwhile
            continue
        os.chmod(each, 0o700)


def check_private_folder(folder: str) -> None:
    """Raise NotPrivate if anybody but the user, or root, could put a file into a folder or another in its place.

    The folder itself belongs to the user, and nobody else may write to it. Those around it belong to the user or to
    root, and others may not write to them, or only add files of their own, as to /tmp. Raises OSError if the folder
    does not exist.
    """
    if not hasattr(os, "getuid"):
        return  # The system has other rights than these.
    user = os.geteuid()
    if os.getuid() != user:
        raise PermissionError("the program runs with the rights of another user than the one who started it")
    path = os.sep
    left = _parts(folder if os.path.isabs(folder) else os.path.join(os.getcwd(), folder))
    links = 0
    _check(path, os.lstat(path), user, last=not left)
    while left:
        name = left.pop()
        if name == os.pardir:
            path = os.path.dirname(path)
            continue
        inside = os.path.join(path, name)
        status = os.lstat(inside)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(f"{folder} has too many links")
            if status.st_uid not in (0, user):
                raise NotPrivate(f"the link '{inside}' belongs to another user ({status.st_uid})")
            target = os.readlink(inside)
            left += _parts(target)
            path = os.sep if os.path.isabs(target) else path
            continue
        path = inside
        _check(path, status, user, last=not left)


def check_own_folder(folder: str) -> None:
    """Raise NotPrivate if a folder inside a private one is not the user's alone. Raises OSError if there is none."""
    status = os.lstat(folder)
    if stat.S_ISLNK(status.st_mode):
        raise NotPrivate(f"'{folder}' is a link")
    if hasattr(os, "getuid"):
        _check(folder, status, os.geteuid(), last=True)


def is_own_file(status: os.stat_result) -> bool:
    """Whether a file is one that the user alone has written: code of others would be run."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    # It has no name any more where another process has put a new one in its place.
    return status.st_uid == os.getuid() and status.st_nlink <= 1 and not status.st_mode & _BY_OTHERS


def _parts(path: str) -> list[str]:
    """The names in a path, the first of them last."""
    return [name for name in reversed(path.split(os.sep)) if name not in ("", os.curdir)]


def _check(path: str, status: os.stat_result, user: int, *, last: bool) -> None:
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(path)
    if status.st_uid != user and (last or status.st_uid != 0):
        raise NotPrivate(f"'{path}' belongs to another user ({status.st_uid})")
    others = status.st_mode & _BY_OTHERS
    if others and (last or not status.st_mode & stat.S_ISVTX):
        mode = stat.S_IMODE(status.st_mode)
        who = "other users" if others & stat.S_IWOTH else f"the group {status.st_gid}"
        raise NotPrivate(f"'{path}' may be written to by {who} (its mode is {mode:04o})")
