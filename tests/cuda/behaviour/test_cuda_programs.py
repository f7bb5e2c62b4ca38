"""CUDA C++ programs as people write them run on a CPU: each of programs/ says of itself whether it is right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.cli.main import main
from accache.workflows.execution import Execution, run_cuda

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.cu"))
ALWAYS = (
    "reduction",
    "simd_intrinsics",
    "cooperative_groups",
)  # the others with make ptx; stencil in tests/ptx/behaviour/test_agreement.py

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def run_here(path: Path, *flags: str, seed: int | None = None, check: bool = False) -> Execution:
    return run_cuda(str(path), Options(preprocessor=flags), (), target="cpu", check=check, seed=seed)


def refused(path: Path, *flags: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        run_here(path, *flags)
    return caught.value


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=() if path.stem in ALWAYS else pytest.mark.ptx, id=path.stem) for path in PROGRAMS],
)
def test_program_is_right(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    execution = run_here(path, seed=3)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == "right\n"


def test_findings_of_check_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "race.cu"
    path.write_text(
        "__global__ void race(int *p) {\n    p[0] = threadIdx.x;\n}\n"
        "int main() { int *p; cudaMalloc(&p, 4); race<<<1, 2>>>(p); return cudaDeviceSynchronize(); }\n"
    )
    execution = run_here(path, check=True)
    assert execution.has_errors
    assert {(found.code, found.location and found.location.line) for found in execution.findings} == {("ACC701", 2)}
    assert all(found.location and found.location.file == str(path) for found in execution.findings)


def test_kernels_and_launches_in_headers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "include" / "tools").mkdir(parents=True)
    (tmp_path / "main.cu").write_text(
        '#include "kernels/fill.cuh"\n#include <tools/launch.h>\n#include <cstdio>\n'
        'int main() { std::printf("%d\\n", launched(VALUE)); }\n'
    )
    (tmp_path / "kernels" / "fill.cuh").write_text(
        '#pragma once\n#include "../kernels/twice.h"\n'
        "template <class T> __global__ void fill(T *p, int n) {\n"
        "    extern __shared__ int room[];\n    room[0] = n; p[0] = twice(T(room[0]));\n}\n"
    )
    (tmp_path / "kernels" / "twice.h").write_text("template <class T> __device__ T twice(T x) { return 2 * x; }\n")
    (tmp_path / "include" / "tools" / "launch.h").write_text(
        "inline int launched(int n) {\n    int *p, result = 0;\n    cudaMalloc(&p, 4);\n    fill<<<1, 1, 4>>>(p, n);\n"
        "    cudaMemcpy(&result, p, 4, cudaMemcpyDeviceToHost);\n    return result;\n}\n"
    )
    execution = run_here(tmp_path / "main.cu", f"-I{tmp_path / 'include'}", "-DVALUE=21", "-std=c++14")
    assert (execution.status, capfd.readouterr().out) == (0, "42\n")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("#include <thrust/device_vector.h>", "<thrust/device_vector.h>"),
        ("#include <cooperative_groups/memcpy_async.h>", "<cooperative_groups/memcpy_async.h>"),
        ("#include <cublas_v2.h>", "<cublas_v2.h>"),
        ("texture<float, 1> image;", "texture"),
        ("cudaTextureObject_t image;", "cudaTextureObject_t"),
        ("cudaGraph_t graph;", "cudaGraph_t"),
    ],
)
def test_what_only_gpus_have_is_refused_by_name(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "a.cu"
    path.write_text(f"#include <cstdio>\n{line}\nint main() {{}}\n")
    error = refused(path)
    assert [(found.code, found.location and found.location.line) for found in error.diagnostics] == [("ACC950", 2)]
    assert f"'{word}'" in error.diagnostics[0].message


@pytest.mark.parametrize(
    "line",
    [
        '__device__ void f() { asm volatile("bar.sync 1, 64;"); }',
        '__device__ int f() { int x; asm("mov.u32 %0, %clusterid.x;" : "=r"(x)); return x; }',
        '__device__ void f(long p) { asm volatile("cp.async.wait_all;"); }',
        '__device__ float f(float x) { asm("add.rn.ftz.f32 %0, %0, %0;" : "+f"(x)); return x; }',
        '__device__ void f() { asm("{ L: bra L; }"); }',
    ],
)
def test_unknown_assembly_is_refused_with_its_text(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.cu"
    path.write_text(f"#include <cstdio>\n{line}\nint main() {{}}\n")
    error = refused(path)
    assert [(found.code, found.location and found.location.line) for found in error.diagnostics] == [("ACC948", 2)]
    assert line.partition('"')[2].partition('"')[0] in error.diagnostics[0].message


@pytest.mark.parametrize("error", ["int x = nowhere;", '#include "nowhere.h"'])
def test_assembly_that_is_left_out_does_not_hide_an_error(tmp_path: Path, error: str) -> None:
    path = tmp_path / "a.cu"
    left_out = '#ifdef __CUDA_ARCH__\n__device__ void f(long p) { asm volatile("cp.async.wait_all;"); }\n#endif\n'
    path.write_text(f"#include <cstdio>\n{left_out}{error}\nint main() {{}}\n")
    found = refused(path).diagnostics
    assert [each.code for each in found] == ["ACC602"]
    assert "nowhere" in found[0].message


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("command", ["run", "bypass"])
def test_what_nvcc_reads_is_not_the_programs_fault(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.cu"
    path.write_text(
        "__global__ void k(size_t *p) {\n    __shared__ int room[4];\n    p[0] = __cvta_generic_to_shared(room);\n}\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n"
    )
    result = CliRunner().invoke(main, [command, str(path)])
    assert result.exit_code == 1
    told = "the run on a CPU cannot read what nvcc reads: '__cvta_generic_to_shared'"
    assert f"{path}:3:12: error: {told}" in result.stderr


def test_assembly_of_processors_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text('int main() { int x = 1; asm("" : "+r"(x)); asm volatile("nop"); return x - 1; }\n')
    assert run_here(path).status == 0


def test_headers_find_the_guards_of_cuda(tmp_path: Path) -> None:
    (tmp_path / "helper.h").write_text(
        "#include <driver_types.h>\n#include <vector_functions.h>\n"
        "#if defined __DRIVER_TYPES_H__ && defined __CUDA_RUNTIME_H__ && defined __VECTOR_TYPES_H__\n"
        "inline int mode() { int value; cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, 0); return value; }\n"
        "#endif\n"
    )
    path = tmp_path / "a.cu"
    path.write_text("#include <helper.h>\nint main() { return mode() == cudaComputeModeProhibited; }\n")
    assert run_here(path, f"-I{tmp_path}").status == 0


def test_what_is_left_out_is_not_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(
        "#ifdef TEXTURES\n#include <cub/cub.cuh>\ntexture<float> image;\n#endif\n"
        "int surface = 0;\nint main() { return surface; }\n"
    )
    assert run_here(path).status == 0


def test_what_a_program_defines_itself_is_not_lacking(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("int tex1Dfetch(int x) { return x; }\nint main() { return tex1Dfetch(0) + missing; }\n")
    (found,) = refused(path).diagnostics
    assert (found.code, "'missing'" in found.message) == ("ACC602", True)


def test_version_of_cuda(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(
        "#include <cuda.h>\n#if CUDART_VERSION < 3000\nstruct double3 { double x, y, z; };\n#endif\n"
        "int main() { int version; cudaRuntimeGetVersion(&version);\n"
        "    return version != CUDART_VERSION || version != CUDA_VERSION; }\n"
    )
    assert run_here(path).status == 0


def test_errors_of_the_compiler_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("int main() {\n    return missing;\n}\n")
    (found,) = refused(path).diagnostics
    assert (found.code, str(found.location)) == ("ACC602", f"{path}:2:12")


def test_missing_file(tmp_path: Path) -> None:
    assert [found.code for found in refused(tmp_path / "a.cu").diagnostics] == ["ACC101"]
