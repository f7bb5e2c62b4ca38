"""Modules whose bytecode lies in one file: imported from there, unless it is another state's, damaged or not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CALL = """
import sys
from accache.cc.packed_modules import PackedModules
folder, state, module, after = sys.argv[1:]
modules = PackedModules(state, folder)
modules.install()
found = __import__(module, fromlist=["*"])
print(found.__spec__.loader is modules, found.__file__, found.__package__, [*getattr(found, "__path__", ())])
modules.keep(lambda: after)
"""
ROOT = Path(__file__).parents[2]
STATE, MODULE = "a", "accache.ir.types"


def call(folder: Path, state: str = STATE, module: str = MODULE, *options: str, after: str = "") -> list[str]:
    """Whether a module comes from the file, and what it knows of itself."""
    command = [sys.executable, *options, "-c", CALL, str(folder), state, module, after or state]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)})
    return done.stdout.split()


def packs(folder: Path) -> list[Path]:
    return [path for path in (folder / "modules").rglob("*") if path.is_file()]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache folder of the user's own."""
    folder = tmp_path / "cache"
    folder.mkdir(0o700)
    return folder


@pytest.mark.parametrize("module", [MODULE, "accache.ir"])
def test_a_module_is_the_same_wherever_it_comes_from(module: str, cache: Path) -> None:
    first, again = (call(cache, module=module) for _ in range(2))
    assert (first[0], again[0]) == ("False", "True")
    assert first[1:] == again[1:]


def test_a_call_that_imports_more_adds_it(cache: Path) -> None:
    call(cache)
    assert call(cache, module="accache.base.dump")[0] == "False"
    assert call(cache, module="accache.base.dump")[0] == call(cache)[0] == "True"
    (place,) = packs(cache)
    written = place.stat().st_mtime_ns
    call(cache)
    assert place.stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", ["cut", "empty", "zeros", "length", "index", "code"])
def test_a_damaged_file_is_made_anew(damage: str, cache: Path) -> None:
    call(cache)
    (place,) = packs(cache)
    data = bytearray(place.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "empty":
        data = bytearray()
    else:
        first = {"zeros": len(data) // 4, "length": 0, "index": 20, "code": len(data) // 4}[damage]
        last = {"zeros": len(data), "length": 8, "index": 24, "code": len(data)}[damage]
        data[first:last] = bytes(0 if damage == "zeros" else byte ^ 0x41 for byte in data[first:last])
    place.write_bytes(data)
    call(cache)
    assert call(cache)[0] == "True"


def test_another_state_is_not_used(cache: Path) -> None:
    call(cache)
    assert call(cache, state="b")[0] == "False"
    assert call(cache, state="b")[0] == call(cache)[0] == "True"


def test_what_changed_meanwhile_is_not_kept(cache: Path) -> None:
    """The sources were read again when all was done, under the state that they had had in the beginning."""
    call(cache, after="b")
    assert packs(cache) == []


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_what_others_can_write_is_not_used(mode: int, cache: Path) -> None:
    call(cache)
    (place,) = packs(cache)
    place.chmod(0o666)
    assert call(cache)[0] == "False"
    place.chmod(0o600)
    assert call(cache)[0] == "True"
    cache.chmod(mode)
    assert call(cache)[0] == "False"


def test_nothing_is_written_where_python_writes_no_bytecode_or_cannot(cache: Path) -> None:
    call(cache, STATE, MODULE, "-B")
    assert not list(cache.iterdir())
    (cache / "file").touch()
    assert call(cache / "file")[0] == "False"


@pytest.fixture
def copied(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of accache that may be changed, and a program beside it."""
    for name in ("accache", "templates"):
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, ignore=shutil.ignore_patterns("*.pyc"))
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(cache))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "copy"))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    return tmp_path / "copy" / "accache"


def compiled() -> str:
    command = [sys.executable, "-m", "accache", "cc", "-c", "a.c", "-o", "a.o"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def say(place: Path, text: str) -> None:
    """Let a module tell when it is run."""
    source = place.read_text().partition("\nimport sys as told")[0]
    place.write_text(f"{source}\nimport sys as told; told.stderr.write({text!r})\n")


def test_a_changed_module_is_run_at_once(copied: Path, tmp_path: Path) -> None:
    """Be it in a linked folder, or beside an editor's link.

    Python itself takes one for unchanged that is as long as before and was changed in the same second, but no later
    call has it from the file.
    """
    module = copied / "cc" / "words.py"
    (copied / "cc" / ".#words.py").symlink_to("user@host.1:2")
    for text in ("one", "two", "six"):
        say(module, text)
        compiled()
        assert compiled() == text
    (copied / "cc").rename(tmp_path / "elsewhere")
    (copied / "cc").symlink_to(tmp_path / "elsewhere")
    say(module, "eleven")
    assert compiled() == compiled() == "eleven"
    say(module, "twelve")
    os.utime(module, ns=(0, 0))
    assert compiled() == compiled() == "twelve"


def test_a_call_succeeds_whatever_becomes_of_its_sources(copied: Path, tmp_path: Path) -> None:
    """A source that was half saved when the call ended made it fail, with all of its results there."""
    compiler, module = tmp_path / "compiler", copied / "cc" / "words.py"
    compiler.write_text(f'#!/bin/sh\necho "def (" >> {module}\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    before = module.read_text()
    environment = {**os.environ, "ACCACHE_CC": str(compiler)}
    command = [sys.executable, "-m", "accache", "cc", "-c", "a.c", "-o", "a.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    module.write_text(before)
    assert compiled() == ""
