"""Compiled templates are kept, and what was kept is used only where it is what compiling would give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "samples" / "stencil.c"


def translate(folder: Path) -> bytes:
    """The sample's translation by a process of its own whose cache is a folder."""
    command = [sys.executable, "-m", "accache", "translate", "-q", str(SAMPLE)]
    return subprocess.run(
        command, env={**os.environ, "ACCACHE_CACHE_DIR": str(folder)}, stdout=subprocess.PIPE, check=True, timeout=60
    ).stdout


def kept(folder: Path) -> dict[Path, bytes]:
    """The files of a cache by their places."""
    return {path: path.read_bytes() for path in (folder / "templates").rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], bytes]:
    """What the first translation keeps, by names in the cache, and the translation."""
    folder = tmp_path_factory.mktemp("filled")
    text = translate(folder)
    return {str(path.relative_to(folder)): data for path, data in kept(folder).items()}, text


def test_what_was_kept_is_used_again(filled: tuple[dict[str, bytes], bytes], tmp_path: Path) -> None:
    entries, text = filled
    assert entries
    kernel = next(name for name, data in entries.items() if b"__global__" in data)
    changed = {**entries, kernel: entries[kernel].replace(b"__global__", b"__GLOBAL__")}
    write(tmp_path, changed)
    assert translate(tmp_path) == text.replace(b"__global__", b"__GLOBAL__") != text


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"?" + data])
def test_damaged_entries_are_made_anew(filled: tuple[dict[str, bytes], bytes], damage: object, tmp_path: Path) -> None:
    entries, text = filled
    assert callable(damage)
    write(tmp_path, {name: damage(data) for name, data in entries.items()})
    assert translate(tmp_path) == text
    assert {str(path.relative_to(tmp_path)) for path in kept(tmp_path)} == set(entries)
    assert kept(tmp_path) == {tmp_path / name: data for name, data in entries.items()}


def test_no_place_to_keep_anything_is_no_error(filled: tuple[dict[str, bytes], bytes], tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_bytes(b"")
    assert translate(no_folder) == filled[1]


def write(folder: Path, entries: dict[str, bytes]) -> None:
    """Make a cache with these entries."""
    for name, data in entries.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
