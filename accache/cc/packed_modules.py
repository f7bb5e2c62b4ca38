"""The bytecode of accache's modules in one file: to find and read hundreds of them takes a fifteenth of a call.

The file lies in the user's cache folder. It holds the modules that calls have imported, and is made anew where they
import others. Each state of accache has one of its own; what is damaged is not used.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from zlib import crc32

import accache
from accache.cc.reuse import open_kept, write_kept

_PACKAGE = accache.__name__
_LIMIT = 32 << 20  # bytes: six states of accache
_NUMBER = 8  # bytes of the numbers that the file begins with: how long the index is, and its checksum


class _Entry(NamedTuple):
    """A module: its source's name, and where its bytecode lies behind the index."""

    file: str
    start: int
    size: int
    checksum: int

    @property
    def is_package(self) -> bool:
        return self.file.endswith("__init__.py")


class PackedModules:
    """A finder and loader of the modules of a ``state`` of accache, as ``reuse.exact_state`` names it."""

    def __init__(self, state: str, folder: str) -> None:
        self._state = state
        self._place = str(Path(folder, "modules", "0", hashlib.sha256(state.encode()).hexdigest()[1:]))
        self._entries: dict[str, _Entry] = {}
        self._codes: dict[str, bytes] = {}
        self._descriptor, self._begin = -1, 0
        with suppress(OSError):  # there is none
            self._descriptor = open_kept(self._place)
            self._read_index()

    def _read_index(self) -> None:
        head = os.read(self._descriptor, 2 * _NUMBER)
        length, checksum = (int.from_bytes(part, "little") for part in (head[:_NUMBER], head[_NUMBER:]))
        self._begin = len(head) + length
        size = os.fstat(self._descriptor).st_size
        index = os.read(self._descriptor, length) if self._begin <= size else b""
        if index and crc32(index) == checksum:
            self._entries = {name: _Entry(*entry) for name, entry in marshal.loads(index).items()}

    def install(self) -> None:
        """Let what is imported from now on come from here, if it is here."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How to import a module; None if it is not here."""
        entry = self._entries.get(fullname)
        code = self._code(entry) if entry is not None else b""
        if entry is None or crc32(code) != entry.checksum:
            self._entries.pop(fullname, None)
            return None
        self._codes[fullname] = code
        loader: Any = self  # which has what Python asks for, but for what importlib.abc adds
        spec = ModuleSpec(fullname, loader, origin=entry.file, is_package=entry.is_package)
        spec.has_location = True
        spec.cached = self._place
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(entry.file))  # noqa: PTH120  (as Python's own does)
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Python's own kind of module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code of a module."""
        exec(marshal.loads(self._codes.pop(module.__name__)), module.__dict__)

    def _code(self, entry: _Entry) -> bytes:
        return os.pread(self._descriptor, entry.size, self._begin + entry.start)

    def keep(self, state: Callable[[], str]) -> None:
        """Write the file, if modules were imported that are not in it, and if Python keeps bytecode at all.

        Sources of another ``state`` than they had in the beginning have changed since, and are not kept. The call that
        this is done for has its results: no error here is one of it.
        """
        found = {
            name: module.__spec__.loader
            for name, module in sys.modules.items()
            if name.startswith(f"{_PACKAGE}.") and name not in self._entries and module.__spec__ is not None
        }
        read = {name: loader for name, loader in found.items() if type(loader) is SourceFileLoader}
        if read and not sys.dont_write_bytecode:
            with suppress(Exception):
                write_kept(self._place, lambda: self._packed(read, state), _LIMIT)

    def _packed(self, read: dict[str, SourceFileLoader], state: Callable[[], str]) -> bytes:
        """What the file holds with some more modules; ValueError if they have changed."""
        codes = [(name, entry.file, self._code(entry)) for name, entry in self._entries.items()]
        codes += [(name, loader.path, marshal.dumps(_compiled(name, loader))) for name, loader in read.items()]
        if state() != self._state:
            raise ValueError(self._state)
        index, start = {}, 0
        for name, file, code in codes:
            index[name] = (file, start, len(code), crc32(code))
            start += len(code)
        head = marshal.dumps(index)
        numbers = (number.to_bytes(_NUMBER, "little") for number in (len(head), crc32(head)))
        return b"".join((*numbers, head, *(code for _, _, code in codes)))


def _compiled(name: str, loader: SourceFileLoader) -> Any:
    """The code of a module: Python takes what was compiled from a source that was changed in the same second."""
    source, cached = Path(loader.path), Path(cache_from_source(loader.path))
    if cached.exists() and cached.stat().st_mtime_ns > source.stat().st_mtime_ns:
        return loader.get_code(name)
    return loader.source_to_code(source.read_bytes(), loader.path)
