"""An unchanged file is not translated again; a changed one is; nothing depends on the cache being there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from calls import KERNEL, Compiler

from accache.base.store import Store
from accache.cc import translation

HEADER = "#define FACTOR 2\n"


@pytest.fixture
def translations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are translated."""
    names: list[str] = []
    real = translation._translate

    def note(source: translation.Source, options: translation.Options, constructs: Store | None) -> translation.Pair:
        names.append(source.name)
        return real(source, options, constructs)

    monkeypatch.setattr(translation, "_translate", note)
    return names


def test_only_what_changes_the_program_translates_it_again(cc: Compiler, translations: list[str]) -> None:
    def count(*words: str) -> int:
        translations.clear()
        assert cc("-fsyntax-only", *words, "cached.c").status == 0
        return len(translations)

    Path("cached.h").write_text(HEADER)
    Path("cached.c").write_text('#include "cached.h"\n' + KERNEL.replace("factor*", "FACTOR*"))
    assert [count(), count()] == [1, 0]
    Path("cached.h").write_text(HEADER.replace("2", "3"))
    assert [count(), count()] == [1, 0]
    assert [count("-DFACTOR=4", "-UFACTOR"), count("-std=c99"), count("--accache-method=none")] == [1, 1, 1]
    assert [count("--accache-no-cache"), count("--accache-no-cache")] == [1, 1]
    Path("cached.h").write_text(HEADER)
    assert count() == 0


def test_a_file_with_directives_is_preprocessed_once(cc: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a dependency file is asked for, and where no directive is left, it is preprocessed for that, too."""
    compiler = Path("counting-cc").absolute()
    compiler.write_text('#!/bin/sh\ncase " $* " in *" -E "*) echo run >> runs;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("ACCACHE_CC", str(compiler))

    def runs(text: str, *words: str) -> int:
        Path("runs").write_text("")
        Path("once.c").write_text(text)
        assert cc("-c", "once.c", *words).status == 0
        return Path("runs").read_text().count("run")

    idle = KERNEL.replace("#pragma", "#if FACTOR\n#pragma").replace("n])\n", "n])\n#endif\n")
    assert runs(KERNEL.replace("factor*", "7*factor*")) == 1
    assert runs(KERNEL.replace("factor*", "8*factor*"), "-MD") == 2
    assert Path("once.d").read_text().split()[:2] == ["once.o:", "once.c"]
    assert runs(idle) == 2
    assert runs(idle, "-DFACTOR=1") == 1
    assert runs(idle.replace("8", "9"), "-DFACTOR=1", "--accache-no-cache") == 2


def test_kernels_are_not_compiled_again(cc: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("kernels.c").write_text(KERNEL.replace("factor*", "6*factor*"))
    assert cc("-c", "kernels.c").status == 0
    first = Path("kernels.o").read_bytes()
    monkeypatch.setattr("accache.cpu.build.compile_kernels", None)
    assert cc("-c", "kernels.c").status == 0
    assert Path("kernels.o").read_bytes() == first


def test_a_folder_that_cannot_be_written_keeps_nothing(
    cc: Compiler, monkeypatch: pytest.MonkeyPatch, translations: list[str]
) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("ACCACHE_CACHE_DIR", "file/cache")
    Path("a.c").write_text(KERNEL)
    for _ in range(2):
        assert cc("-fsyntax-only", "a.c").status == 0
    assert len(translations) == 2


def test_a_store_forgets_what_was_not_used_for_longest(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=16 * 1000)
    keys = [f"0{number}" for number in range(9)]
    for key in keys:
        store.put(key, key.encode() * 75)
        store.get(keys[0])
    kept = [key for key in keys if store.get(key) is not None]
    assert kept[0] == keys[0]
    assert kept[-1] == keys[-1]
    assert 5 <= len(kept) < len(keys)
    store.put("0b", b"x" * 5000)
    assert store.get("0b") is not None


def test_many_writers_and_readers_see_whole_entries(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=16 * 40_000)

    def work(number: int) -> bool:
        key = f"0{number % 7}"
        store.put(key, key.encode() * 10_000)
        found = store.get(key)
        return found is None or found == key.encode() * 10_000

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(300)))
    assert not list(tmp_path.rglob("writing-*"))
