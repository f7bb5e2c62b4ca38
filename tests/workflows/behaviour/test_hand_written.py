"""Directives that nobody wrote serve the samples nearly as well as those that somebody did, in clocks and in bytes.

Lines of each thread's own (records.c) are for whoever asks for them: ``suggest`` tells where they pay.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from families import some

import accache
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate
from accache.report.records import KernelReport
from accache.workflows.suggest.directives import applied
from accache.workflows.without_directives import without_cache_directives

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
WRITTEN = sorted(path.stem for path in SAMPLES.glob("*.c") if "#pragma acc cache" in path.read_text())
NEARLY = 0.95


def clocks(kernels: Iterable[KernelReport]) -> list[float]:
    """What a warp of each kernel is estimated to take as it is emitted; 0 where nothing is estimated of that."""
    return [next((item.clocks for item in each.candidates if item.chosen), 0) for each in kernels]


@pytest.mark.parametrize("name", WRITTEN)
def test_auto_cache_takes_hardly_more_clocks(name: str) -> None:
    text = (SAMPLES / f"{name}.c").read_text()
    hand = clocks(translate(SourceFile(f"{name}.c", text), Options()).report.kernels)
    bare = SourceFile(f"{name}.c", without_cache_directives(text))
    automatic = clocks(translate(bare, Options(auto_cache=True)).report.kernels)
    assert all(NEARLY * ours <= theirs or not theirs for ours, theirs in zip(automatic, hand, strict=True))


def saved(path: Path) -> int:
    """The bytes from L2 that a program's directives save on h100, those of registers and lines uncounted."""
    record = accache.model(str(path), gpu="h100", directives=True).record
    return sum(item["verdict"]["saved"] for item in record["directives"] if item["verdict"] is not None)


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
@pytest.mark.parametrize("name", some(WRITTEN, 4, WRITTEN.index("write_sparse")))
def test_what_suggest_writes_saves_no_fewer_bytes(name: str, tmp_path: Path) -> None:
    bare, path = tmp_path / "bare.c", tmp_path / "written.c"
    bare.write_text(without_cache_directives((SAMPLES / f"{name}.c").read_text()))
    path.write_text(applied(str(bare), Options(auto_cache=True)).text)
    ours = saved(path) if "acc cache" in path.read_text() else 0
    assert ours >= NEARLY * saved(SAMPLES / f"{name}.c")
