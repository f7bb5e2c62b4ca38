"""Calls of the driver that were made before give back what they gave then, if nothing has changed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from calls import KERNEL
from families import some

from accache.cc.reuse import reused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs gcc")
WORDS = ("-Iearlier", "-Ilater", "-MMD", "-c", "a.c", "-o", "a.o")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: Path) -> Path:
    """A folder with a program, in which a call has been made once; its cache is of its own, but for the runtime."""
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(0o700)
    (tmp_path / "cache" / "cpu").symlink_to(runtime)
    for name in ("earlier", "later"):
        (tmp_path / name).mkdir()
    (tmp_path / "later" / "size.h").write_text("#define SIZE 4\n")
    (tmp_path / "a.c").write_text('#include "size.h"\n' + KERNEL)
    os.utime(tmp_path / "a.c")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compile_once(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "accache", "cc", *words]
    root = str(Path(__file__).parents[2])
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": root})


def test_an_unchanged_call_writes_its_files_again(folder: Path) -> None:
    compile_once(*WORDS)
    files = [folder / name for name in ("a.o", "a.d")]
    before = [path.read_bytes() for path in files]
    for path in files:
        path.unlink()
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[2]))
    assert reused(WORDS, environment)
    assert [path.read_bytes() for path in files] == before
    assert not reused((*WORDS, "-O1"), environment)
    assert not reused(WORDS, {**environment, "CPATH": "/somewhere"})
    (folder / "earlier" / "size.h").write_text("#define SIZE 5\n")
    assert not reused(WORDS, environment)
    (folder / "earlier" / "size.h").unlink()
    assert reused(WORDS, environment)
    (folder / "later" / "size.h").write_text("#define SIZE 6\n")
    assert not reused(WORDS, environment)


def test_headers_are_watched_where_no_dependencies_are_asked_for(folder: Path) -> None:
    """The file is then preprocessed as the front end reads it: headers beside it come before the current folder's."""
    (folder / "sub").mkdir()
    (folder / "beside.h").write_text("#define FACTOR 7\n")
    (folder / "sub" / "beside.h").write_text("#define FACTOR 2\n")
    (folder / "sub" / "a.c").write_text('#include "beside.h"\n#include "size.h"\n' + KERNEL)
    words = ("-Iearlier", "-Ilater", "-c", "sub/a.c", "-o", "a.o")
    time.sleep(0.1)
    compile_once(*words)
    assert reused(words, now())
    (folder / "beside.h").write_text("#define FACTOR 8\n")
    assert reused(words, now())
    for path in (folder / "sub" / "beside.h", folder / "later" / "size.h"):
        text = path.read_text()
        path.write_text("#define FACTOR 3\n")
        assert not reused(words, now())
        path.write_text(text)
        assert reused(words, now())
    (folder / "earlier" / "size.h").write_text("#define SIZE 5\n")
    assert not reused(words, now())


def test_damaged_entries_and_those_of_others_are_not_used(folder: Path) -> None:
    compile_once(*WORDS)
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[2]))
    (entry,) = (folder / "cache" / "calls").glob("*/*")
    entry.chmod(0o620)
    assert not reused(WORDS, environment)
    entry.chmod(0o600)
    assert reused(WORDS, environment)
    data = entry.read_bytes()
    for damaged in (b"", data[:-1], data[:100], data[:50] + b"?" + data[51:]):
        entry.write_bytes(damaged)
        assert not reused(WORDS, environment)


def test_messages_are_repeated(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.c").write_text(KERNEL.replace("return", "char small = 4000;\n    factor += small;\n    return"))
    said = compile_once("-Wall", *WORDS).stderr
    assert "overflow" in said
    assert reused(("-Wall", *WORDS), dict(os.environ, PYTHONPATH=str(Path(__file__).parents[2])))
    assert capfd.readouterr().err == said


NOT_KEPT = [
    ("static const char *when = __DATE__;\n", WORDS),
    ("#include <si\\ze.h>\n", WORDS),
    ("static const char *when = WHEN;\n", ("-DWHEN=__TIME__", *WORDS)),
    ("", ("--include-directory=earlier", *WORDS)),
    ("", ("-specs=own.specs", *WORDS)),
    ("", (*WORDS, "-save-temps")),
    ("", ("a.c", "-o", "a.out")),
]


@pytest.mark.parametrize(("text", "words"), some(NOT_KEPT, 2, 1))
def test_what_is_not_the_same_again_is_not_kept(text: str, words: tuple[str, ...], folder: Path) -> None:
    (folder / "a.c").write_text(text + KERNEL + "int main(void) { return 0; }\n")
    (folder / "own.specs").write_text("*cc1:\n+ -DOWN\n\n")
    (folder / "later" / "si\\ze.h").write_text("")  # markers spell it in another way
    time.sleep(0.1)  # what is younger than a call is not kept
    compile_once(*words)
    assert not list((folder / "cache").glob("calls/*/*"))


def now() -> dict[str, str]:
    return dict(os.environ, PYTHONPATH=str(Path(__file__).parents[2]))


def test_a_header_in_the_working_folder_comes_before_one_on_the_search_path(folder: Path) -> None:
    words = ("-Ilater", "-include", "size.h", "-c", "sub/a.c", "-o", "a.o")
    (folder / "sub").mkdir()
    (folder / "sub" / "a.c").write_text(KERNEL)
    time.sleep(0.1)
    compile_once(*words)
    assert reused(words, now())
    (folder / "size.h").write_text("#define SIZE 5\n")
    assert not reused(words, now())


def test_a_compiler_behind_a_launcher_is_looked_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCACHE_CC", "env ./own-gcc")
    compiler = folder / "own-gcc"
    compiler.write_text('#!/bin/sh\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    time.sleep(0.1)
    compile_once(*WORDS)
    assert reused(WORDS, now())
    compiler.write_text('#!/bin/sh\nexec gcc -DOWN "$@"\n')
    assert not reused(WORDS, now())


def test_a_folder_that_others_can_write_is_not_used(folder: Path) -> None:
    compile_once(*WORDS)
    for writable in (folder / "cache", folder / "cache" / "calls"):
        writable.chmod(0o770)
        assert not reused(WORDS, now())
        writable.chmod(0o700)
    assert reused(WORDS, now())


def test_an_entry_that_cannot_be_touched_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    compile_once(*WORDS)
    monkeypatch.setattr("os.utime", refused)
    assert reused(WORDS, now())


def test_an_object_may_be_a_link_to_another_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def within_a_disk(source: str, target: str) -> None:
        if Path(source).parent != Path(target).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replace(source, target)

    (folder / "elsewhere").mkdir()
    (folder / "a.o").symlink_to(folder / "elsewhere" / "a.o")
    compile_once(*WORDS)
    before = sorted(path.name for path in folder.iterdir())
    monkeypatch.setattr("os.replace", within_a_disk)
    assert reused(WORDS, now())
    assert (folder / "a.o").is_symlink()
    assert [path.name for path in (folder / "elsewhere").iterdir()] == ["a.o"]
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_full_disk_leaves_no_part_of_an_object(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    compile_once(*WORDS)
    before = sorted(path.name for path in folder.iterdir())
    monkeypatch.setattr("os.replace", full)
    assert not reused(WORDS, now())
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_working_folder_that_is_gone_is_none_that_calls_are_kept_for(folder: Path) -> None:
    (folder / "gone").mkdir()
    script = 'cd gone && rmdir ../gone && exec "$0" -m accache cc -c "$1/a.c" "-I$1/later" -o "$1/b.o"'
    root = str(Path(__file__).parents[2])
    command = ["sh", "-c", script, sys.executable, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": root})
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "b.o").exists()
