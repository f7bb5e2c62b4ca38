"""What is kept is used only where nobody else can have written it, and only undamaged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base import store
from accache.base.store import Store, kept_folder
from accache.cli.main import main

BUILD = """\
import sys, time
from pathlib import Path
from accache.base.store import cache_folder, kept_folder

def fill(folder):
    (folder / "a.o").write_text("made")
    print(folder, flush=True)
    time.sleep(float(sys.argv[1]))

print(kept_folder(cache_folder() / "cpu" / "x", fill), flush=True)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(folder))
    monkeypatch.setattr(store, "_made_here", {})
    return folder


class Maker:
    """Makes a folder with two files, and counts."""

    def __init__(self, cache: Path) -> None:
        self.folder = cache / "cpu" / "x"
        self.made = 0

    def get(self) -> Path:
        return kept_folder(self.folder, self.fill)

    def fill(self, folder: Path) -> None:
        (folder / "inner").mkdir()
        (folder / "a.o").write_text("made")
        (folder / "inner" / "b.json").write_text("{}")
        self.made += 1


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
@pytest.mark.parametrize("below", ["", "cpu"])
def test_a_folder_that_others_can_write_is_not_used(cache: Path, mode: int, below: str) -> None:
    maker, keeper = Maker(cache), Store(cache / "cpu" / "objects")
    first = maker.get()
    keeper.put("01", b"data")
    (cache / below).chmod(mode)
    assert keeper.get("01") is None
    keeper.put("02", b"data")
    assert not list(cache.rglob("2"))
    again = maker.get()
    assert maker.made == 2
    assert cache not in again.parents
    assert maker.get() == again
    assert maker.made == 2
    (cache / below).chmod(0o700)
    store._made_here.clear()
    assert maker.get() == first
    assert keeper.get("01") == b"data"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(cache: Path) -> None:
    cache.mkdir()
    os.chown(cache, 12345, -1)
    maker = Maker(cache)
    assert cache not in maker.get().parents
    Store(cache / "objects").put("01", b"data")
    assert not list(cache.iterdir())
    result = CliRunner().invoke(main, ["doctor"])
    assert f"{cache} is not used, another user owns it" in result.output


def test_new_folders_are_the_users_alone(cache: Path) -> None:
    old = os.umask(0)
    try:
        maker, keeper = Maker(cache), Store(cache / "objects")
        folder = maker.get()
        keeper.put("01", b"data")
    finally:
        os.umask(old)
    assert {path.stat().st_mode & 0o022 for path in (cache, *cache.rglob("*"))} == {0}
    assert maker.get() == folder
    assert maker.made == 1


def test_what_is_not_kept_goes_at_the_end_of_the_process(cache: Path, tmp_path: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    command = [sys.executable, "-c", BUILD, "0"]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    assert not [line for line in output.splitlines() if Path(line).exists()]
    assert not list(cache.iterdir())


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _flip(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


DAMAGES = [_truncate, _flip, lambda path: path.write_bytes(b""), lambda path: path.chmod(0o666)]


@pytest.mark.parametrize("damage", [*DAMAGES, Path.unlink])
@pytest.mark.parametrize("name", ["a.o", "inner/b.json", ".contents"])
def test_a_damaged_folder_is_made_again(cache: Path, damage: Callable[[Path], object], name: str) -> None:
    maker = Maker(cache)
    folder = maker.get()
    damage(folder / name)
    assert maker.get() == folder
    assert maker.made == 2
    assert (folder / "a.o").read_text() == "made"
    assert sorted(path.name for path in folder.parent.iterdir()) == [store.LOCK, folder.name]
    assert maker.get() == folder
    assert maker.made == 2


def test_a_copied_folder_is_whole(cache: Path) -> None:
    maker = Maker(cache)
    os.utime(maker.get() / "a.o", (1, 1))
    maker.get()
    assert maker.made == 1


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_forgotten(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    keeper = Store(tmp_path)
    keeper.put("01", b"data")
    damage(tmp_path / "0" / "1")
    assert keeper.get("01") is None
    keeper.put("01", b"data")
    assert keeper.get("01") == b"data"


def test_what_a_killed_process_left_goes_when_it_is_old(cache: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", BUILD, "60"], stdout=subprocess.PIPE, text=True) as process:
        left = Path(process.stdout.readline().strip())
        process.kill()
    assert left.exists()
    maker, keeper = Maker(cache), Store(cache / "objects")
    keeper.put("01", b"data")
    entry = cache / "objects" / "0" / "writing-12345678"
    entry.write_text("half")
    maker.get()
    assert left.exists()
    for path in (left, entry):
        os.utime(path, (time.time() - 4000,) * 2)
    kept_folder(cache / "cpu" / "y", maker.fill)
    keeper.put("02", b"data")
    assert not left.exists()
    assert not entry.exists()


def test_the_doctor_tells_why_the_cache_is_not_used(cache: Path) -> None:
    assert "is not used" not in CliRunner().invoke(main, ["doctor"]).output
    cache.mkdir()
    cache.chmod(0o777)
    assert f"{cache} is not used, other users can write there" in CliRunner().invoke(main, ["doctor"]).output
