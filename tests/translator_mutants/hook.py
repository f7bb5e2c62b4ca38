"""Use one file of accache with a bug planted in its text; the files themselves stay as they are."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from accache.base import resources
from translator_mutants.mutant import Mutant


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


def install(mutant: Mutant, folder: Path) -> None:
    """From now on the module, which was not used yet, has the bug; a copy of C++ with it may lie in ``folder``."""
    text = planted(mutant.path.read_text(), mutant.before, mutant.after)
    name = f"accache.{mutant.module.replace('/', '.')}"
    if mutant.is_cpp:
        name = "accache.cpu.toolchain"  # which asks for the folder
        runtime = resources.cpu_runtime()
        copy = shutil.copytree(runtime, folder / "runtime")
        (copy / mutant.path.relative_to(runtime)).write_text(text)
        resources.cpu_runtime = lambda: copy
    else:
        sys.meta_path.insert(0, _Finder(name, mutant.path, text))
    assert name not in sys.modules, name
