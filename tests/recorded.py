"""Which tests a change of the translator can reach: the translations of all tests, recorded, and made again.

    python tests/recorded.py record FOLDER [ARGUMENTS OF PYTEST ...]    run tests, and keep what they translate
    python tests/recorded.py compare FOLDER    translate all of it again, and name the tests of what differs

Record with the tree as it was, change it, compare: tests that are not named translate to the same text, and need not be
run for the sake of the change. A test that translates in a process of its own, as ``accache`` does, is not seen.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from accache import driver
from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.emit.program import KERNELS, RUNTIME
from accache.emit.templates import read

Translate = Callable[[str | SourceFile, str, Options], driver.Translation]


class Recorded(msgspec.Struct, frozen=True):
    """One translation: of the text of ``path``, and a digest of what came out; '' if nothing did."""

    path: str
    text: str
    options: Options
    digest: str

    @property
    def name(self) -> str:
        """A name for what went in."""
        return digest_of(self.path if Path(self.path).exists() else "", self.text, repr(self.options))


def digest_of(*texts: str) -> str:
    """A short name for texts."""
    return hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()[:24]


def outcome(translation: driver.Translation) -> str:
    """A digest of host and device text, without the run-time library, which tests of its own hold."""
    library = "\n".join(read(f"runtime/{name}") for name in RUNTIME)
    device = translation.device.partition(KERNELS)[2].replace(library, "")
    return digest_of(translation.host, device)


class Recorder:
    """A plugin of pytest that keeps each translation of a test, and the test's name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.test = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what a test translates."""
        self.test = item.nodeid
        plain: Translate = driver._translate

        def noted(origin: str | SourceFile, path: str, options: Options) -> driver.Translation:
            text = origin.text if isinstance(origin, SourceFile) else _text(origin)
            try:
                made = plain(origin, path, options)
            except CompileError:
                self.keep(Recorded(path, text, options, ""))
                raise
            self.keep(Recorded(path, text, options, outcome(made)))
            return made

        driver._translate = noted
        try:
            return (yield)
        finally:
            driver._translate = plain

    def keep(self, recorded: Recorded) -> None:
        """Write down a translation of the running test."""
        (self.folder / f"{recorded.name}.json").write_bytes(msgspec.json.encode(recorded))
        with (self.folder / f"{recorded.name}.tests").open("a") as tests:
            tests.write(f"{self.test}\n")


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="surrogateescape")
    except OSError:
        return ""


def record(folder: Path, arguments: list[str]) -> int:
    """Run tests and keep their translations."""
    folder.mkdir(parents=True, exist_ok=True)
    return int(pytest.main([*arguments, "-n", "0", "-q"], plugins=[Recorder(folder)]))


def compare(folder: Path) -> dict[str, list[str]]:
    """The tests of which translations came out in another way now, each with the files."""
    reached: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        recorded = msgspec.json.decode(path.read_bytes(), type=Recorded)
        origin = recorded.path if Path(recorded.path).exists() else SourceFile(recorded.path, recorded.text)
        try:
            now = outcome(driver.translate(origin, recorded.options))
        except CompileError:
            now = ""
        if now != recorded.digest:
            for test in dict.fromkeys(path.with_suffix(".tests").read_text().splitlines()):
                reached[test].append(os.path.relpath(recorded.path))
    return dict(reached)


def main() -> int:
    """Do what the command line says."""
    command, folder, *arguments = [*sys.argv[1:], "", ""][: max(2, len(sys.argv) - 1)]
    if command == "record":
        return record(Path(folder), arguments)
    if command != "compare":
        print(__doc__)
        return 2
    reached = compare(Path(folder))
    for test, files in sorted(reached.items()):
        print(test, *dict.fromkeys(files))
    print(f"{len(list(Path(folder).glob('*.json')))} translations, {len(reached)} tests are reached", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
