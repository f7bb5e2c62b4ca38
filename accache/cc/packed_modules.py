"""The bytecode of accache's modules in one file: to find and read hundreds of them takes a fifteenth of a call.

The file lies where Python keeps the bytecode of the package. It holds the modules that calls have imported, and is made
anew where they import others; one of another state of accache, or a damaged one, is not used.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import accache
from accache.base.output import write_binary

_PACKAGE = accache.__name__
_NAME = f"modules.{sys.implementation.cache_tag}.{sys.flags.optimize}.pack"
PLACE = Path(accache.__file__).resolve().parent / "__pycache__" / _NAME
_LENGTH = 8  # bytes of the number that says how long the index is


class _Entry(NamedTuple):
    """A module: its source's name, and where its bytecode lies behind the index."""

    file: str
    start: int
    size: int

    @property
    def is_package(self) -> bool:
        return self.file.endswith("__init__.py")


class PackedModules:
    """A finder and loader of the modules of a ``state`` of accache, as ``reuse.own_state`` names it.

    The file begins with that state, and an index of the modules by their names.
    """

    def __init__(self, state: str, place: Path = PLACE) -> None:
        self._state = f"{state} {sys.hexversion:x}\n".encode()
        self._place = place
        self._entries: dict[str, _Entry] = {}
        self._descriptor, self._begin = -1, 0
        with suppress(OSError, EOFError, ValueError, TypeError):  # there is none, or it is damaged
            self._descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            self._read_index()

    def _read_index(self) -> None:
        head = os.read(self._descriptor, len(self._state) + _LENGTH)
        if not head.startswith(self._state):
            return
        length = int.from_bytes(head[len(self._state) :], "little")
        index = marshal.loads(os.read(self._descriptor, length))
        entries = {name: _Entry(*entry) for name, entry in index.items()}
        self._begin = len(head) + length
        if os.fstat(self._descriptor).st_size == self._begin + sum(entry.size for entry in entries.values()):
            self._entries = entries

    def install(self) -> None:
        """Let what is imported from now on come from here, if it is here."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How to import a module; None if it is not here."""
        entry = self._entries.get(fullname)
        if entry is None:
            return None
        loader: Any = self  # which has what Python asks for, but for what importlib.abc adds
        spec = ModuleSpec(fullname, loader, origin=entry.file, is_package=entry.is_package)
        spec.has_location = True
        spec.cached = str(self._place)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(entry.file))  # noqa: PTH120  (as Python's own does)
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Python's own kind of module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code of a module."""
        exec(marshal.loads(self._code(self._entries[module.__name__])), module.__dict__)

    def _code(self, entry: _Entry) -> bytes:
        return os.pread(self._descriptor, entry.size, self._begin + entry.start)

    def keep(self) -> None:
        """Write the file, if modules were imported that are not in it, and if Python keeps bytecode at all."""
        found = {
            name: module.__spec__.loader
            for name, module in sys.modules.items()
            if name.startswith(f"{_PACKAGE}.") and name not in self._entries and module.__spec__ is not None
        }
        read = {name: loader for name, loader in found.items() if isinstance(loader, SourceFileLoader)}
        if not read or sys.dont_write_bytecode:
            return
        codes = [(name, entry.file, self._code(entry)) for name, entry in self._entries.items()]
        codes += [(name, loader.path, marshal.dumps(loader.get_code(name))) for name, loader in read.items()]
        index, start = {}, 0
        for name, file, code in codes:
            index[name] = (file, start, len(code))
            start += len(code)
        head = marshal.dumps(index)
        data = b"".join((self._state, len(head).to_bytes(_LENGTH, "little"), head, *(code for _, _, code in codes)))
        with suppress(OSError):
            write_binary(str(self._place), data)
