"""Loads object files without LLVM, whose own loading takes longer than all that a cached first result needs otherwise.

It knows what kernels have on x86-64 under Linux: calls, and addresses relative to the code. The rest is left to LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from struct import Struct, error
from typing import NamedTuple

_SYSTEM_IS_KNOWN = sys.platform == "linux" and os.uname().machine == "x86_64"
# 64 bits, lowest byte first; a relocatable file for x86-64.
_ELF, _RELOCATABLE, _X86_64 = b"\x7fELF\x02\x01", 1, 62
_HEADER = Struct("<16sHHI3QI6H")
_SECTION = Struct("<II4QII2Q")
_SYMBOL = Struct("<IBBHQQ")
_ENTRY = Struct("<QQq")
_OFFSET = Struct("<i")
# Types of sections that have contents, tables, relocations, or zeros; flags of those that are loaded.
_CONTENTS, _SYMBOLS, _RELOCATIONS, _ZEROS = 1, 2, 4, 8
_WRITABLE, _LOADED, _PER_THREAD = 1, 2, 0x400
_UNDEFINED, _FIRST_RESERVED = 0, 0xFF00
# Kinds of relocations: the distance to a symbol, and the same for a call.
_DISTANCE, _CALL = 2, 4
# jmp *0(%rip), then the address: a way to any function from calls that reach two gigabytes.
_JUMP, _JUMP_SIZE = b"\xff\x25\0\0\0\0", 16


class _Unknown(Exception):
    """The object files have something that this linker does not know."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    start: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Object:
    """The tables of one object file; `offsets` says where its sections are loaded."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        header = _HEADER.unpack_from(content)
        if not content.startswith(_ELF) or header[1:3] != (_RELOCATABLE, _X86_64):
            raise _Unknown
        start, count = header[6], header[12]
        self.sections = [_Section(*_SECTION.unpack_from(content, start + _SECTION.size * n)) for n in range(count)]
        self.offsets: dict[int, int] = {}
        # Name, number of the section and offset in it, of each symbol; local ones need no name.
        self.symbols: list[tuple[str, int, int]] = []
        for section in self.sections:
            if section.type == _SYMBOLS:
                names = self.sections[section.link].start
                for name, info, _, number, value, _ in _SYMBOL.iter_unpack(self.bytes_of(section)):
                    is_local = info >> 4 == 0
                    text = b"" if is_local else content[names + name : content.index(b"\0", names + name)]
                    self.symbols.append((text.decode(), number, value))
            if section.flags & _LOADED and (section.type not in (_CONTENTS, _ZEROS) or section.flags & _PER_THREAD):
                raise _Unknown

    def bytes_of(self, section: _Section) -> bytes:
        return self.content[section.start : section.start + section.size]

    def loaded(self, writable: bool) -> list[tuple[int, _Section]]:
        """Numbers and sections that are in memory while the code runs."""
        flags = _LOADED | (_WRITABLE if writable else 0)
        return [(n, s) for n, s in enumerate(self.sections) if s.flags & (_LOADED | _WRITABLE) == flags]


class LinkedCode:
    """Loaded code: addresses by name. It stays in memory as long as this object lives."""

    def __init__(self, objects: list[_Object], resolve: Callable[[str], int | None]) -> None:
        self._addresses: dict[str, int] = {}
        end = _give_offsets(objects, 0, writable=False)
        defined = {name for each in objects for name, number, _ in each.symbols if number != _UNDEFINED}
        missing = {name for each in objects for name, _, _ in each.symbols} - defined - {""}
        jumps = {name: end + _JUMP_SIZE * number for number, name in enumerate(sorted(missing))}
        # Pages of code cannot be written to.
        code_end = -(-(end + _JUMP_SIZE * len(jumps)) // mmap.PAGESIZE) * mmap.PAGESIZE
        size = _give_offsets(objects, code_end, writable=True)
        # A fork must leave each process its own.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._memory = mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self._pin = ctypes.c_char.from_buffer(self._memory)
        base = ctypes.addressof(self._pin)
        for name, offset in jumps.items():
            address = resolve(name)
            if address is None:
                raise _Unknown
            self._memory[offset : offset + 14] = _JUMP + address.to_bytes(8, "little")
        for each in objects:
            for number, offset in each.offsets.items():
                if each.sections[number].type == _CONTENTS:
                    self._memory[offset : offset + each.sections[number].size] = each.bytes_of(each.sections[number])
            for name, number, value in each.symbols:
                if number in each.offsets:
                    self._addresses[name] = base + each.offsets[number] + value
        for each in objects:
            self._relocate(each, base, jumps)
        process = ctypes.CDLL(None)
        if process.mprotect(ctypes.c_void_p(base), ctypes.c_size_t(code_end), mmap.PROT_READ | mmap.PROT_EXEC):
            raise _Unknown

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return len(self._memory)

    def __getitem__(self, name: str) -> int:
        return self._addresses[name]

    def __contains__(self, name: str) -> bool:
        return name in self._addresses

    def _relocate(self, each: _Object, base: int, jumps: dict[str, int]) -> None:
        for section in each.sections:
            if section.type != _RELOCATIONS or section.info not in each.offsets:
                continue
            for offset, info, addend in _ENTRY.iter_unpack(each.bytes_of(section)):
                relocation, (name, number, value) = info & 0xFFFFFFFF, each.symbols[info >> 32]
                if relocation not in (_DISTANCE, _CALL) or number >= _FIRST_RESERVED:
                    raise _Unknown
                if number != _UNDEFINED:
                    target = each.offsets[number] + value
                elif name in self._addresses:
                    target = self._addresses[name] - base
                elif relocation == _CALL:
                    target = jumps[name]
                else:
                    raise _Unknown
                patched = each.offsets[section.info] + offset
                _OFFSET.pack_into(self._memory, patched, target + addend - patched)


def _give_offsets(objects: list[_Object], end: int, *, writable: bool) -> int:
    """Give sections their offsets from `end` on; returns where they end."""
    for each in objects:
        for number, section in each.loaded(writable):
            alignment = section.alignment or 1
            each.offsets[number] = -(-end // alignment) * alignment
            end = each.offsets[number] + section.size
    return end


def link_objects(objects: Sequence[bytes], resolve: Callable[[str], int | None]) -> LinkedCode | None:
    """Load object files; `resolve` gives addresses of functions that they call. None if LLVM has to do it."""
    if not _SYSTEM_IS_KNOWN:
        return None
    try:
        return LinkedCode([_Object(content) for content in objects], resolve)
    except (_Unknown, error, LookupError, ValueError, OSError):
        return None
