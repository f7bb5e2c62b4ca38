"""Import one module of accache with a bug planted in its source; files stay as they are."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[2]


def planted(source: str, before: str, after: str) -> str:
    """A module's text with a bug; what it changes must stand there once."""
    count = source.count(before)
    assert count == 1, f"{count} times in the text: {before}"
    return source.replace(before, after)


class _Loader(SourceFileLoader):
    """Compiles a text in the place of the file's; no bytecode of it is kept."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        super().__init__(name, str(path))
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name = name
        self.loader = _Loader(name, path, text)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.loader.path, loader=self.loader)


def install(module: str, before: str, after: str) -> None:
    """From now on ``accache/MODULE.py``, which was not imported yet, has the bug."""
    path = ROOT / "accache" / f"{module}.py"
    name = f"accache.{module.replace('/', '.')}"
    assert name not in sys.modules, name
    sys.meta_path.insert(0, _Finder(name, path, planted(path.read_text(), before, after)))
