"""--fast-math: nvcc is told, the estimate knows, and a run on a CPU does not claim a GPU's bits."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accache.base.options import Options
from accache.cc.settings import UsageError, read_settings
from accache.cc.targets import target_of
from accache.cc.words import read_words
from accache.cli.main import main
from accache.driver import translate

ROOT = Path(__file__).parents[3]
PROGRAM = """
#include <math.h>
int main(void)
{
    float a[64];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 64; ++i)
        a[i] = 1.0f / sqrtf(i + 1.0f);
    return a[3] != 0.5f;
}
"""
NVCC = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\nexit 7\\n' > "$2"
chmod +x "$2"
"""
needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def accache_(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "roots.c"
    path.write_text(PROGRAM)
    return str(path)


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with what nvcc was called with, in the place of which a script stands."""
    log, script = tmp_path / "called", tmp_path / "bin" / "nvcc"
    script.parent.mkdir()
    script.write_text(NVCC.format(log=log))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=":")
    return log


@pytest.mark.parametrize("suffix", [".c", ".cu"])
@pytest.mark.parametrize(("words", "is_told"), [(["--fast-math"], True), ([], False)])
def test_nvcc_is_told_by_run(words: list[str], is_told: bool, suffix: str, source: str, called: Path) -> None:
    program = Path(source).with_suffix(suffix)
    program.write_text(PROGRAM)
    assert accache_("run", "-q", "--target", "cuda", *words, str(program)).exit_code == 7
    assert ("-use_fast_math" in called.read_text().split()) == is_told


@pytest.mark.parametrize(("words", "is_told"), [(["--accache-fast-math"], True), ([], False)])
def test_nvcc_is_told_by_cc(words: list[str], is_told: bool, tmp_path: Path, called: Path) -> None:
    settings = read_settings(read_words(["--target=cuda", *words]), {})
    target_of(settings).compile("", "k.cu", tmp_path, ("-O2",), settings=settings)
    assert ("-use_fast_math" in called.read_text().split()) == is_told


def test_cc_for_a_cpu_refuses_it() -> None:
    with pytest.raises(UsageError, match="--accache-fast-math needs --target cuda"):
        read_settings(read_words(["--accache-fast-math"]), {})


@needs_compiler
def test_a_run_on_a_cpu_says_what_it_does_not_show(source: str) -> None:
    told = accache_("run", "--compare", "--fast-math", source)
    assert (told.exit_code, "[ACC607]" in told.stderr) == (0, True)
    assert "[ACC607]" not in accache_("run", source).stderr


def test_exact_ptx_is_nothing_to_compare_with(source: str) -> None:
    refused = accache_("run", "--ptx", "--fast-math", source)
    assert (refused.exit_code, "without --fast-math" in refused.stderr) == (2, True)


def test_explain_and_the_file_say_so(source: str) -> None:
    fast, exact = (translate(source, Options(fast_math=is_fast)) for is_fast in (True, False))
    assert fast.report.fast_math
    assert "nvcc -use_fast_math approximates divisions" in str(fast.report)
    assert "-use_fast_math" not in str(exact.report)
    assert "nvcc -use_fast_math: give it that option" in fast.device
    assert fast.host == exact.host
    assert [line for line in fast.device.splitlines() if "use_fast_math" not in line] == exact.device.splitlines()


def test_the_estimate_knows_what_roots_cost_then() -> None:
    """Of 40 instructions of an interaction of bodies 22 compute the reciprocal of a root: one, then."""
    nbody = str(ROOT / "samples" / "nbody.c")
    slots = [
        max(item.slots for item in translate(nbody, Options(fast_math=is_fast)).report.kernels[0].candidates)
        for is_fast in (False, True)
    ]
    assert 0.35 < slots[1] / slots[0] < 0.55


def test_rounds_with_approximated_roots_are_taken_together() -> None:
    """Where threads have several iterations, the rounds around these; exact ones are left to nvcc."""
    nbody = str(ROOT / "samples" / "nbody.c")
    together = re.compile(r"#pragma unroll 8\n +for \(int j = t; j < end; \+\+j\) \{\n +#pragma unroll\n")
    for is_fast in (True, False):
        device = translate(nbody, Options(fast_math=is_fast, choices=(("nbody_L28_kernel", "4"),))).device
        assert bool(together.search(device)) == is_fast
    gemm = translate(str(ROOT / "samples" / "gemm.c"), Options(fast_math=True)).device  # which divides nothing
    assert gemm.splitlines()[2:] == translate(str(ROOT / "samples" / "gemm.c"), Options()).device.splitlines()[1:]
