"""Compiled templates are kept and used again, unless they are damaged or a template or its options changed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from accache.base import resources
from accache.emit import environments, templates

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
    code = entries[kernel][hashlib.sha256().digest_size :].replace(b"__global__", b"__GLOBAL__")
    changed = {**entries, kernel: hashlib.sha256(code).digest() + code}
    write(tmp_path, changed)
    assert translate(tmp_path) == text.replace(b"__global__", b"__GLOBAL__") != text


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"?" + data])
def test_damaged_entries_are_made_anew(
    filled: tuple[dict[str, bytes], bytes], damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    entries, text = filled
    write(tmp_path, {name: damage(data) for name, data in entries.items()})
    assert translate(tmp_path) == text
    assert kept(tmp_path) == {tmp_path / name: data for name, data in entries.items()}


def test_a_template_that_changed_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(resources, "templates", lambda: tmp_path)
    for text in ("first", "second", "{% if true %}\nthird\n{% endif %}"):
        (tmp_path / "text.jinja").write_text(text)
        templates.environment.cache_clear()
        assert templates.render("text.jinja") == ("third\n" if "third" in text else text)
    monkeypatch.setitem(environments.OPTIONS, "trim_blocks", False)
    templates.environment.cache_clear()
    assert templates.render("text.jinja") == "\nthird\n"
    monkeypatch.undo()
    templates.environment.cache_clear()


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
