"""explain, auto, suggest, suggest --apply and model --directives do not contradict each other.

Of each cache directive, written or not:

- explain tells a tile exactly where the emitted text declares one, and a directive that somebody wrote becomes the same
  with --auto-cache;
- model --directives keeps it as explain tells, written by somebody or by suggest --apply, and says no-go of a tile that
  auto keeps only in bytes that stand beside the estimate in clocks;
- suggest tells the same methods and reasons as explain, keeps an array that a directive keeps, and copies none whose
  directives auto refuses, or that no directive can ask for;
- what suggest --apply writes, explain keeps.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from families import some
from fuzz.choices import Choices
from fuzz.grammar import program
from matrix.builder import PRELUDE

import accache
from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate
from accache.report.records import KernelReport
from accache.workflows.suggest.directives import applied
from accache.workflows.without_directives import without_cache_directives

SAMPLES = sorted(path.stem for path in (Path(__file__).resolve().parents[3] / "samples").glob("*.c"))
RANDOM = 200
needs_nvcc = pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
HEADERS = "#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
# a gathered sum of which L1 holds all lines: a tile saves clocks, and no bytes
COUNTS = """\
static float a[4096];
static int counts[20000];
int main(void)
{
    for (int i = 0; i < 4096; ++i)
        a[i] = i;
#pragma acc parallel loop copyin(a) copy(counts)
    for (int i = 0; i < 4000; ++i) {
#pragma acc atomic
        counts[(int)(a[i] + a[i + 1] + a[i + 2]) % 20000] += (int)a[i + 3];
    }
    return counts[3] == 0;
}
"""
# rows of threads' own, which move more than L1 holds: a copy saves bytes, which no directive asks for without chunks
ROWS = """\
static float a[2048][64], sums[2048];
static int length = 64;
int main(void)
{
#pragma acc parallel loop vector_length(256) copyin(a) copyout(sums)
    for (int i = 0; i < 2048; ++i) {
        float sum = 0;
        for (int j = 0; j < length; ++j)
            sum += a[i][j];
        sums[i] = sum;
    }
    return 0;
}
"""


def of_sample(name: str) -> str:
    """The text of a sample."""
    return (Path(__file__).resolve().parents[3] / "samples" / f"{name}.c").read_text()


def of_random(number: int) -> tuple[str, tuple[str, ...]]:
    """A random program and its arguments; nvcc takes the declarations of the standard headers alone."""
    made = program("agreeing", Choices(f"agreement.{number}"))
    return made.text.replace(PRELUDE, HEADERS), (*map(str, made.runs[0]), "1")


def kept(kernels: Iterable[KernelReport]) -> list[tuple[str, str]]:
    """The directives that keep their data nearer than memory, with their methods."""
    return [(item.text, item.method) for kernel in kernels for item in kernel.subarrays if item.method != "none"]


def contradictions_in_text(text: str, path: Path) -> list[str]:
    """What explain, --auto-cache and suggest --apply say of a program's directives that does not go together."""
    found = []
    path.write_text(text)
    done = translate(str(path), Options())
    automatic = translate(str(path), Options(auto_cache=True))
    for translation in (done, automatic):
        device = translation.device
        for kernel in translation.report.kernels:
            for item in kernel.subarrays:
                if bool(item.tile) != bool(item.tile and re.search(rf"\b{item.tile}\b", device)):
                    found.append(f"{item.written}: the emitted text has no {item.tile}")
                if item.method == "none" and item.shared_bytes:
                    found.append(f"{item.written}: not kept, in {item.shared_bytes} bytes")
    for ours, theirs in zip(done.report.kernels, automatic.report.kernels, strict=True):
        if ours.subarrays and ours.subarrays != theirs.subarrays:
            found.append(f"{ours.name}: --auto-cache changes what was written")
    bare = path.with_suffix(".bare.c")
    bare.write_text(without_cache_directives(text))
    automatic = translate(str(bare), Options(auto_cache=True))
    written = translate(SourceFile(str(bare), applied(str(bare), Options(auto_cache=True)).text), Options())
    ours, theirs = ([method for _, method in kept(each.report.kernels)] for each in (automatic, written))
    if ours != theirs:
        found.append(f"--apply writes what becomes {theirs}, and --auto-cache keeps {ours}")
    lost = [item.written for kernel in written.report.kernels for item in kernel.subarrays if item.method == "none"]
    return [*found, *(f"--apply writes cache({name}), which explain does not keep" for name in lost)]


def contradictions_in_runs(text: str, path: Path, arguments: tuple[str, ...] = ()) -> list[str]:
    """What suggest and model --directives say of a program's directives that explain does not."""
    path.write_text(text)
    report = {kernel.name: kernel for kernel in translate(str(path), Options(auto_cache=True)).report.kernels}
    found = []
    suggestions = accache.suggest(str(path), arguments=arguments)
    for kernel in suggestions.kernels:
        explained = report[kernel.kernel].subarrays if kernel.kernel in report else ()
        told = [(item.text, item.method, item.reason) for item in kernel.directives]
        if told != [(item.written, item.method, item.reason) for item in explained]:
            found.append(f"{kernel.kernel}: suggest tells {told}")
        keeping = {item.written.partition("[")[0].strip() for item in explained if item.method not in ("none", "off")}
        refused = {item.written.partition("[")[0].strip() for item in explained} - keeping
        for item in kernel.suggestions:
            if item.array in keeping and not (item.is_chosen or item.directive):
                found.append(f"{kernel.kernel}: suggest leaves {item.array}, which a directive keeps")
            if item.array in refused and item.is_chosen:
                found.append(f"{kernel.kernel}: suggest copies {item.array}, whose directives are refused")
    path.write_text(applied(str(path), Options(auto_cache=True)).text)
    try:
        model = accache.model(str(path), gpu="h100", directives=True, arguments=arguments)
    except CompileError as error:
        codes = {item.code for item in error.diagnostics}
        return found if codes & {"ACC816", "ACC974"} else [*found, f"model fails with {codes}"]  # nothing to judge
    usual = translate(str(path), Options()).report.kernels
    explained = next(kernel for kernel in usual if kernel.name == model.record["kernel"]).subarrays
    for item, judged in zip(explained, model.record["directives"], strict=True):
        if item.method != judged["method"]:
            found.append(f"model keeps {item.written} by {judged['method']}, explain by {item.method}")
        verdict = judged["verdict"]
        if item.tile and verdict is not None and not verdict["pays"] and not judged["estimate"]:
            found.append(f"model calls {item.written} a loss, in bytes alone")
    return found


@pytest.mark.parametrize("name", some(SAMPLES, 4))
def test_the_texts_of_samples(name: str, tmp_path: Path) -> None:
    assert contradictions_in_text(of_sample(name), tmp_path / f"{name}.c") == []


@pytest.mark.parametrize("number", some(range(RANDOM), 20))
def test_the_texts_of_random_programs(number: int, tmp_path: Path) -> None:
    assert contradictions_in_text(of_random(number)[0], tmp_path / "random.c") == []


@needs_nvcc
@pytest.mark.parametrize("name", some([*SAMPLES, *(f"bare {name}" for name in SAMPLES)], 8, SAMPLES.index("nbody")))
def test_the_runs_of_samples(name: str, tmp_path: Path) -> None:
    text = of_sample(name.removeprefix("bare "))
    text = without_cache_directives(text) if name.startswith("bare ") else text
    assert contradictions_in_runs(text, tmp_path / "sample.c") == []


@needs_nvcc
@pytest.mark.parametrize("number", some(range(RANDOM), 100, 9))
def test_the_runs_of_random_programs(number: int, tmp_path: Path) -> None:
    text, arguments = of_random(number)
    (tmp_path / "joined.c").write_text(text)
    if translate(str(tmp_path / "joined.c"), Options()).joined is None:
        pytest.skip("it has no joined form, which alone is run here")
    assert contradictions_in_runs(text, tmp_path / "random.c", arguments) == []


@needs_nvcc
@pytest.mark.parametrize("text", [COUNTS, ROWS], ids=["clocks without bytes", "bytes without a directive"])
def test_the_currencies_of_a_decision(text: str, tmp_path: Path) -> None:
    assert contradictions_in_runs(text, tmp_path / "program.c") == []


@needs_nvcc
def test_what_is_kept_for_its_clocks_shows_both_currencies(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(COUNTS)
    found = accache.suggest(str(path))
    (record,) = found.to_dict()["kernels"]
    (array,) = (item for item in record["arrays"] if item["name"] == "a")
    assert (array["decision"], array["rule"]) == ("keep", "saves nothing")
    (directive,) = record["directives"]
    assert (directive["text"], directive["written"], directive["kept"]) == ("a[i:4]", False, True)
    assert f"{directive['clocks']}, {directive['clocks_without']} without it; bytes: " in str(found)
