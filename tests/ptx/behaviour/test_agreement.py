"""What g++ and nvcc make of the same kernels leaves the same memory: programs and samples."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.execution import Comparison, Execution, run, run_cuda

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "tests" / "cuda" / "programs").glob("*.cu"))
SAMPLES = sorted((ROOT / "samples").glob("*.c"))
METHODS = ("auto", "none", "rbc", "ehc")

pytestmark = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")

WRONG = """
__global__ void k(int *p) {
#ifdef __CUDA_ARCH__
    p[threadIdx.x] = threadIdx.x / 3;
#else
    p[threadIdx.x] = threadIdx.x / 4;
#endif
}
int main() {
    int *p;
    cudaMalloc(&p, 16);
    k<<<1, 4>>>(p);
}
"""


def again(path: Path) -> Execution:
    """A CUDA program's run, its launches executed again."""
    return run_cuda(
        str(path), Options(), (), target="cpu", check=False, seed=None, comparison=Comparison(launches=1000)
    )


def test_a_program_agrees() -> None:
    found = again(ROOT / "tests" / "cuda" / "programs" / "stencil.cu")
    assert found == Execution(0, (), None, "--ptx, memory after 1 launch executed again from PTX")


@pytest.mark.ptx
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_program_agrees(path: Path) -> None:
    execution = again(path)
    assert (execution.status, [found for found in execution.findings if found.code != "ACC943"]) == (0, [])


def test_a_difference_is_told_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "wrong.cu").write_text(WRONG)
    done = accache("run", "--ptx", "wrong.cu", folder=tmp_path)
    assert done.returncode == 3
    place, message = "wrong.cu:2: error: ", "'p' differs in 1 elements, first at byte 12: 0 (0x0) on the CPU, 1 (0x1)"
    assert place in done.stderr
    assert message in done.stderr


@pytest.mark.nvcc
def test_translated_programs_agree(tmp_path: Path) -> None:
    source = tmp_path / "smooth.c"
    source.write_text(
        "#include <stdio.h>\nint main(void) {\n    static float a[100], b[100];\n    float sum = 0;\n"
        "    for (int i = 0; i < 100; i++) a[i] = i * 0.5f;\n"
        "#pragma acc parallel loop copyin(a) copy(b)\n    for (int i = 1; i < 99; i++) {\n"
        "#pragma acc cache(a[i-1:3])\n        b[i] = (a[i-1] + a[i] + a[i+1]) / 3;\n    }\n"
        "#pragma acc parallel loop copyin(b) reduction(+:sum)\n    for (int i = 0; i < 100; i++) sum += b[i];\n"
        '    printf("%g\\n", sum);\n}\n'
    )
    assert compared(source, Options()) == Execution(0, ())


def compared(path: Path, options: Options, *arguments: str) -> Execution:
    """A translated program's run, its launches executed again."""
    translation = translate(str(path), options)
    return run(
        translation,
        options,
        arguments,
        target="cpu",
        check=False,
        seed=None,
        comparison=Comparison(launches=1000),
    )


@pytest.mark.ptx
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_agrees(path: Path, method: str) -> None:
    sizes = ("33", "3") if path.stem == "jacobi" else ("33", "1")  # a grid of one row has no point inside
    execution = compared(path, Options(method=method), *sizes)
    assert [found for found in execution.findings if found.code != "ACC943"] == []
