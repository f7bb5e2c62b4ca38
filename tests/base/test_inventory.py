"""`accache cache` tells what is kept, and deletes that and nothing else, beside processes that use it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import accache
from accache.base import store
from accache.base.inventory import KINDS, inventory
from accache.base.store import Store, kept_folder
from accache.cli.main import main

HOUR = 3600  # seconds
USER = """\
import sys
from accache.base.store import cache_folder, kept_folder

folder = kept_folder(cache_folder() / "cpu" / ("runtime-" + "0" * 20), lambda folder: (folder / "a.o").write_text("a"))
print(folder, flush=True)
sys.stdin.read()
print((folder / "a.o").read_text(), flush=True)
"""


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder with an object, a template and two kept folders, each used an hour later than the one before."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(folder))
    monkeypatch.setattr(store, "_made_here", {})
    monkeypatch.setattr(store, "_held", {})
    Store(folder / "objects").put(key(1), b"o" * 68)
    Store(folder / "templates" / key(2)[:16]).put(hashlib.sha1(b"t").hexdigest(), b"t" * 168)
    old = kept_folder(folder / "cpu" / f"runtime-{key(3)[:20]}", fill)
    new = kept_folder(folder / "ptx" / key(4)[:24], fill)
    release()
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.parent.parent.name in ("objects", key(2)[:16])
    ]
    for age, path in zip((4, 3, 2, 1), (*sorted(files), old, new), strict=True):
        os.utime(path, (time.time() - age * HOUR,) * 2)
    yield folder
    release()


def release() -> None:
    """End the use of what this process has made, as its end would."""
    for descriptor in store._held.values():
        os.close(descriptor)
    store._held.clear()


def fill(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "a.o").write_bytes(b"x" * 1000)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["cache", *words])


def kinds(folder: Path) -> list[str]:
    """The kinds of what is kept, the one that was not used for longest first."""
    return [entry.kind for entry in sorted(inventory(folder).entries, key=lambda entry: entry.used)]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_every_folder_of_the_cache_is_listed() -> None:
    text = "".join(path.read_text() for path in Path(accache.__path__[0]).rglob("*.py"))
    named = re.findall(
        r'cache_folder\(\) / "(\w+)"|(?:_store|kept_answer)\("(\w+)"|(?:_folder\(environment\)|\(folder), "(\w+)"',
        text,
    )
    assert {"".join(names) for names in named} == set(KINDS)


@pytest.mark.parametrize("words", [(), ("--stats",)])
def test_entries_and_bytes_are_told_by_kind(cache: Path, words: tuple[str, ...]) -> None:
    result = run(*words)
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == [str(cache)]
    rows = {line[0]: line[1:3] for line in lines[2:]}
    folders = {kind: f"{size(cache / kind):,}" for kind in ("cpu", "ptx")}
    assert rows == {
        "objects": ["1", "100"],
        "templates": ["1", "200"],
        "cpu": ["1", folders["cpu"]],
        "ptx": ["1", folders["ptx"]],
        "total": ["4", f"{size(cache):,}"],
    }
    oldest = time.strftime("%Y-%m-%d %H:%M", time.localtime(min(entry.used for entry in inventory(cache).entries)))
    assert oldest.split() == lines[-1][3:5]
    assert (result.stderr, result.exit_code) == ("", 0)


def test_an_empty_cache_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(tmp_path / "none"))
    assert re.search(r"^total +0 +0  -", run().stdout, re.M)
    assert run("--clear").stdout == "deleted 0 entries, 0 bytes; 0 bytes are left\n"
    assert not (tmp_path / "none").exists()


def test_clear_deletes_all(cache: Path) -> None:
    before = size(cache)
    assert run("--clear").stdout == f"deleted 4 entries, {before:,} bytes; 0 bytes are left\n"
    assert size(cache) == 0
    assert Store(cache / "objects").get(key(1)) is None
    assert (kept_folder(cache / "ptx" / key(4)[:24], fill) / "inner" / "a.o").exists()


def test_a_limit_deletes_what_was_not_used_for_longest(cache: Path) -> None:
    assert kinds(cache) == ["objects", "templates", "cpu", "ptx"]
    assert Store(cache / "objects").get(key(1)) is not None  # the newest from now on
    total = size(cache)
    run("--limit", str(total))
    assert len(kinds(cache)) == 4
    run("--limit", str(total - 1))
    assert kinds(cache) == ["cpu", "ptx", "objects"]
    run("--limit", "1.5K")
    assert kinds(cache) == ["ptx", "objects"]
    run("--limit", "0.1KB")
    assert kinds(cache) == ["objects"]


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        ("0", 0),
        ("7b", 7),
        ("1k", 1024),
        ("2KiB", 2048),
        ("2kB", 2000),
        ("1.5M", 3 << 19),
        ("1 GB", 10**9),
        ("1T", 1 << 40),
    ],
)
def test_sizes_have_the_units_of_gnu(text: str, bytes_: int, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int | None] = []
    monkeypatch.setattr("accache.cli.cache._delete", lambda found, limit: limits.append(limit))
    assert run("--limit", text).exit_code == 0
    assert limits == [bytes_]


@pytest.mark.parametrize("words", [("--limit", each) for each in ("x", "-1", "1X", "1e9", "", "9" * 16)])
def test_what_is_no_size_is_wrong_usage(words: tuple[str, ...], cache: Path) -> None:
    assert run(*words).exit_code == 2
    assert len(kinds(cache)) == 4


@pytest.mark.parametrize("words", [("--stats", "--clear"), ("--clear", "--limit", "0"), ("--stats", "--limit", "0")])
def test_one_action_at_a_time(words: tuple[str, ...], cache: Path) -> None:
    assert run(*words).exit_code == 2
    assert len(kinds(cache)) == 4


def test_damaged_entries_are_counted_and_deleted(cache: Path) -> None:
    entry = next(path for path in (cache / "objects").rglob("*") if path.is_file())
    entry.write_bytes(b"no checksum")
    folder = next((cache / "cpu").glob("runtime-*"))
    (folder / ".contents").unlink()
    (folder / "inner" / "a.o").write_bytes(b"")
    assert (inventory(cache).size, len(kinds(cache))) == (size(cache), 4)
    assert "deleted 4 entries" in run("--clear").stdout
    assert size(cache) == 0


def test_foreign_files_stay(cache: Path, tmp_path: Path) -> None:
    """ACCACHE_CACHE_DIR may name a folder with other things; links lead out of it."""
    thesis, notes = cache / "thesis.tex", tmp_path / "notes"
    (notes / "a").mkdir(parents=True)
    (notes / "a" / key(7)[1:]).write_text("mine")
    foreign = [
        thesis,
        cache / "own" / "a" / key(8)[1:],
        cache / "objects" / "notes.txt",
        cache / "objects" / "a" / "notes.txt",
        cache / "cpu" / "build" / "x.o",
        cache / "cpu" / key(9)[:20] / "deeper" / "x.o",
    ]
    for path in foreign:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    links = [
        cache / "calls",
        cache / "objects" / "b",
        cache / "ptx" / f"{key(5)[:24]}.1",
        cache / "objects" / "a" / key(6)[1:],
    ]
    for link in links[:3]:
        link.symlink_to(notes)
    links[3].symlink_to(notes / "a" / key(7)[1:])
    result = run("--clear")
    assert "deleted 4 entries" in result.stdout
    assert [path for path in (*foreign, *links, notes / "a" / key(7)[1:]) if not path.exists()] == []
    assert f"accache did not make it, or others can write it: {cache}/calls" in result.stderr
    assert result.stderr.endswith("and 5 more\n")


def test_what_is_being_written_stays_until_it_is_old(cache: Path) -> None:
    half = [
        cache / "objects" / key(1)[0] / "writing-x1",
        cache / "objects" / key(1)[0] / f"{key(9)[1:]}.4711",
        cache / "cpu" / "building-y_2",
    ]
    for path in half[:2]:
        path.write_text("half")
    half[2].mkdir()
    assert run("--clear").stderr == ""
    assert all(path.exists() for path in half)
    for path in half:
        os.utime(path, (time.time() - 2 * HOUR,) * 2)
    assert "deleted 3 entries" in run("--clear").stdout
    assert not any(path.exists() for path in half)


DAY = 24 * HOUR


def aged(path: Path, days: float) -> Path:
    """A folder with a file that was used so many days ago."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "x.o").write_text("mine")
    os.utime(path, (time.time() - days * DAY,) * 2)
    return path


def test_folders_that_nobody_used_for_a_month_go_when_a_new_one_comes(cache: Path) -> None:
    old, recent = (aged(next((cache / "cpu").glob("runtime-*")).with_name(f"{key(n)[:20]}.1"), n) for n in (31, 29))
    foreign = [aged(cache / "cpu" / name, 400) for name in ("build", "building-plans", f"notes {key(1)[:20]}.1")]
    link = cache / "cpu" / f"{key(2)[:20]}.1"
    link.symlink_to(aged(cache.parent / "elsewhere", 400))
    os.utime(link, (0, 0), follow_symlinks=False)
    elsewhere = aged(cache / "ptx" / f"{key(5)[:24]}.1", 31)
    made = kept_folder(cache / "cpu" / f"runtime-{key(6)[:20]}", fill)
    assert not old.exists()
    assert all(path.exists() for path in (made, recent, elsewhere, link, link.resolve(), *foreign))
    assert not [path for path in (cache / "cpu").iterdir() if re.fullmatch(r"building-\w{8}", path.name)]


def test_they_stay_while_another_process_may_use_them(cache: Path) -> None:
    with user("a\n"):
        used = cache / "cpu" / f"runtime-{'0' * 20}.1"
        os.utime(used, (time.time() - 31 * DAY,) * 2)
        kept_folder(cache / "cpu" / f"runtime-{key(7)[:20]}", fill)
        assert used.exists()
    kept_folder(cache / "cpu" / f"runtime-{key(8)[:20]}", fill)
    assert not used.exists()


def test_a_use_makes_a_folder_young(cache: Path) -> None:
    folder = next((cache / "cpu").glob("runtime-*"))
    os.utime(folder, (time.time() - 31 * DAY,) * 2)
    assert kept_folder(folder.with_suffix(""), fill) == folder
    kept_folder(cache / "cpu" / f"runtime-{key(9)[:20]}", fill)
    assert folder.exists()


@contextmanager
def user(end: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has asked for a kept folder, and will use it when its input ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", USER], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith(".1\n")
        yield process
        assert process.communicate(timeout=60)[0] == end


@pytest.mark.parametrize("words", [("--clear",), ("--limit", "0")])
def test_folders_that_a_process_uses_stay(cache: Path, words: tuple[str, ...]) -> None:
    with user("a\n"):
        result = run(*words)
        assert result.stderr == "accache is running and may use them, so these stayed: cpu\n"
        assert kinds(cache) == ["cpu", "cpu"]
    assert "deleted 2 entries" in run(*words).stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("words", [(), ("--clear",), ("--limit", "0")])
def test_a_folder_of_another_user_is_refused(cache: Path, words: tuple[str, ...]) -> None:
    before = size(cache)
    os.chown(cache, 12345, -1)
    result = run(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {cache} is not used, another user owns it: set ACCACHE_CACHE_DIR, or mend it\n"
    assert size(cache) == before


@pytest.mark.parametrize("below", ["objects", "cpu"])
def test_what_others_can_write_is_left_alone(cache: Path, below: str) -> None:
    (cache / below).chmod(0o777)
    result = run("--clear")
    assert "deleted 3 entries" in result.stdout
    assert result.stderr == f"left alone, accache did not make it, or others can write it: {cache / below}\n"
    assert size(cache / below) > 0
