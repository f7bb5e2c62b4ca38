"""``accache preload``: kernels with copies leave the same memory; what cannot be rewritten is told and left alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from commands import accache

from accache import schema
from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER, gpu_named
from accache.preload.plan import Limits, planned
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload

ROOT = Path(__file__).resolve().parents[3]
KERNELS = Path(__file__).parents[1] / "kernels.cu"
NAIVE = ROOT / "samples" / "cuda" / "naive"
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")


@cache
def rewritten(block: tuple[int, int, int] = (16, 16, 1)) -> Preloaded:
    return preload(Invocation(str(KERNELS)), KEPLER, 2.0, block, reporter=Reporter())


def tiles(found: Preloaded) -> dict[str, dict[str, tuple[int, ...]]]:
    return {plan.view.name: {tile.array: tile.box.lengths for tile in plan.tiles} for plan in found.plans}


def reasons(found: Preloaded, kernel: str) -> dict[str, str]:
    (plan,) = (plan for plan in found.plans if plan.view.name == kernel)
    return {item.array: item.reason for item in plan.decisions if item.tile is None}


def preloaded(text: str, folder: Path, block: tuple[int, int, int] = (16, 1, 1), density: float = 2.0) -> Preloaded:
    path = folder / "program.cu"
    path.write_text(text)
    return preload(Invocation(str(path)), KEPLER, density, block, reporter=Reporter())


PHASES = """
template <class T> __global__ void phases(const T *__restrict__ a, const double *__restrict__ b, double *out, int n,
                                          int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int t = 0; t < m; ++t)
        sum += a[t] * i;
    for (int t = 0; t < m; ++t)
        sum += b[t] * (i + 1);
    if (i < n)
        out[i] = sum;
}
#include <cstdio>
int main()
{
    const int n = 1000, m = 77;
    double a[m], b[m], out[n], *a_there, *b_there, *out_there;
    for (int k = 0; k < m; ++k)
        a[k] = k % 7, b[k] = k % 11;
    cudaMalloc(&a_there, sizeof a);
    cudaMalloc(&b_there, sizeof b);
    cudaMalloc(&out_there, sizeof out);
    cudaMemcpy(a_there, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(b_there, b, sizeof b, cudaMemcpyHostToDevice);
    phases<<<(n + 63) / 64, 64>>>(a_there, b_there, out_there, n, m);
    cudaMemcpy(out, out_there, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < n; k += 37)
        printf("%g\\n", out[k]);
    return 0;
}
"""


def test_copies_for_loops_that_follow_each_other_lie_in_one_place(tmp_path: Path) -> None:
    found = preloaded(
        PHASES.replace("template <class T> ", "").replace("const T", "const double"), tmp_path, (64, 1, 1)
    )
    (plan,) = found.plans
    assert [tile.shared_bytes for tile in plan.tiles] == [256, 256]
    assert plan.layout.bytes == 256
    assert "double (&b_tile)[32] = *(double (*)[32])shared;" in found.text
    source, written = tmp_path / "program.cu", tmp_path / "preloaded.cu"
    written.write_text(found.text)
    checked = [accache("run", "--check", "--seed", seed, written) for seed in range(3)]
    assert [run.stdout for run in checked] == 3 * [accache("run", source).stdout]
    assert not any(run.returncode for run in checked)
    missing = found.text.rpartition("        __syncthreads();\n    }\n    for (long long t_chunk2")
    written.write_text(missing[0] + missing[1].partition("\n")[2] + missing[2])  # no barrier before the other's copy
    assert "race" in accache("run", "--check", written).stderr


@pytest.mark.parametrize(("is_template", "copied"), [(False, 2), (True, 1)])
def test_copies_that_share_memory_fit_together(is_template: bool, copied: int, tmp_path: Path) -> None:
    plain = PHASES.replace("template <class T> ", "").replace("const T", "const double")
    (plan,) = preloaded(PHASES if is_template else plain, tmp_path, (64, 1, 1)).plans
    assert len(planned(plan.view, (64, 1, 1), Limits(shared=100, l1=0, blocks=16), 2.0).tiles) == copied


@pytest.mark.parametrize(
    ("declared", "element", "is_shared"),
    [
        ("", "double2", True),
        ("struct alignas(32) P { double x, y; };\n", "P", False),
        ("struct P { float x; float4 y; };\n", "P", False),
        ("", "float3", True),
    ],
)
def test_copies_have_room_for_structures_that_are_aligned(
    declared: str, element: str, is_shared: bool, tmp_path: Path
) -> None:
    """Their place was as large as C's structures are, which the view has in the place of C++'s."""
    text = f"""{declared}__global__ void k(const {element} *a, const {element} *b, float *c, int n)
{{
    float sum = 0;
    for (int t = 0; t < n; ++t)
        sum += a[t].x * threadIdx.x;
    for (int t = 0; t < n; ++t)
        sum += b[t].x;
    c[threadIdx.x] = sum;
}}
#include <cstdio>
int main()
{{
    {element} *a, host[100];
    float *c, sums[64];
    for (int t = 0; t < 100; ++t)
        host[t].x = t;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&c, sizeof sums);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    k<<<1, 64>>>(a, a + 36, c, 64);
    cudaMemcpy(sums, c, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%g %g\\n", sums[0], sums[63]);
}}
"""
    found = preloaded(text, tmp_path, (64, 1, 1))
    assert [tile.array for tile in found.plans[0].tiles] == ["a", "b"]
    assert found.plans[0].layout.has_reuse == is_shared
    counted = found.text.replace(
        "    if (accache_holds)\n", "    if (!accache_holds)\n        return;\n    if (accache_holds)\n"
    )
    (tmp_path / "written.cu").write_text(counted)
    usual, other = (accache("run", "--check", tmp_path / name) for name in ("program.cu", "written.cu"))
    assert (other.returncode, other.stdout) == (0, usual.stdout), other.stderr


def test_what_a_copy_holds_and_nobody_uses_is_no_finding(tmp_path: Path) -> None:
    """The second copy of an array has a routine of its own, whose name ends with a number."""
    kernel, _, host = PHASES.replace("template <class T> ", "").replace("const T", "const double").partition("#include")
    twice = kernel.replace("sum += a[t] * i;", "sum += b[2 * t] * i;").replace("b[t] * (i + 1)", "b[2 * t] * (i + 1)")
    half = "cudaMemcpy2D(b_there, 16, b, 16, 8, 39, cudaMemcpyHostToDevice)"  # every second element
    host = host.replace("cudaMemcpy(b_there, b, sizeof b, cudaMemcpyHostToDevice)", half).replace("n, m);", "n, 39);")
    found = preloaded(f"{twice}#include{host}", tmp_path, (64, 1, 1), density=1.0)
    assert "phases_b_fetch2(" in found.text
    written = tmp_path / "preloaded.cu"
    written.write_text(found.text)
    checked = accache("run", "--check", written)
    assert (checked.returncode, checked.stdout) == (0, accache("run", tmp_path / "program.cu").stdout), checked.stderr


def test_instances_of_a_template_may_have_elements_of_other_sizes(tmp_path: Path) -> None:
    (plan,) = preloaded(PHASES, tmp_path, (64, 1, 1)).plans
    assert plan.layout.bytes == 512


def test_which_arrays_are_copied_and_how_much_of_them() -> None:
    assert tiles(rewritten()) == {
        "guarded": {"a": (16, 32), "b": (32, 16)},
        "inside_condition": {"a": (16, 32), "b": (32, 16)},
        "with_else": {"a": (16, 31)},
        "branches": {"a": (16, 32), "b": (32, 16)},
        "nested": {"a": (16, 32), "b": (32, 16)},
        "five_points": {"a": (18, 18)},
        "window": {"a": (20, 20)},
        "constant_pitch": {"a": (16, 32), "b": (32, 16)},
        "mirrored": {},
        "planes": {"a": (916,)},
        "in_place": {"b": (8, 16)},
        "leaves_loop": {},
        "declares": {"a": (16, 32)},
        "macros": {},
        "divides": {},
        "instance": {"a": (16, 32), "b": (32, 16)},
        "chain": {"a": (32,), "b": (32,)},
    }
    assert reasons(rewritten(), "leaves_loop") == {
        "a": "a jump leaves the loop",
        "b": "a jump leaves the loop",
        "c": "written",
    }


def test_a_kernel_in_digraphs_is_read_too(tmp_path: Path) -> None:
    text = """
__global__ void dig(const float *a, float *c, int n)
<%
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a<:k:>;
    c<:i:> = sum;
%>
"""
    assert tiles(preloaded(text, tmp_path)) == {"dig": {"a": (32,)}}


def test_copies_make_no_difference(tmp_path: Path) -> None:
    """The original runs without the checker, whose build takes as long as all else here."""
    path = tmp_path / "kernels.cu"
    path.write_text(rewritten().text)
    usual, other = accache("run", KERNELS), accache("run", "--check", "--seed", 2, path)
    assert (usual.returncode, other.returncode) == (0, 0), other.stderr
    assert other.stdout == usual.stdout


HEAD = "__global__ void k(const float *a, float *c, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
USE = "    for (int j = 0; j < n; ++j)\n        c[i] += a[j];\n}\n"
LOOP = "    for (int j = 0; j < n; ++j)\n        c[i] += a[j];\n"
MAIN = "int main() { float *p; cudaMalloc(&p, 64); k<<<1, 16>>>(p, p, 1); return 0; }\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('    asm("membar.gl;");\n', "it uses inline PTX"),
        ("    auto f = [=](int x) { return x; };\n", "it uses a lambda"),
        ("    if (i > 3) goto end;\n end:\n", "it uses goto"),
        ("    k<<<1, 1>>>(a, c, n);\n", "it launches kernels"),
        ("    cooperative_groups::thread_block_tile<32> t = tile();\n", "it uses cooperative groups"),
        ("    dim3 b = blockIdx;\n", "it uses 'blockIdx' as a whole"),
        ("    std::pair<int, int> q;\n", "C has no such construct"),
    ],
)
def test_what_has_no_view_is_told_and_the_file_is_unchanged(body: str, reason: str, tmp_path: Path) -> None:
    text = HEAD + body + USE
    found = preloaded(text, tmp_path)
    (told,) = found.diagnostics
    assert (told.code, told.location is not None and told.location.line) == ("ACC984", 4)
    assert f"the kernel 'k' cannot be rewritten: {reason}" in told.message
    assert found.text == text


def test_volatile_elements_are_not_copied(tmp_path: Path) -> None:
    found = preloaded((HEAD + USE).replace("const float *", "const volatile float *"), tmp_path)
    assert reasons(found, "k")["a"] == "volatile"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    __syncthreads();\n" + USE, "the kernel has barriers of its own"),
        ("    if (i < 9)\n        for (int j = i; j < n; ++j)\n            c[i] += a[j];\n}\n", "the loop's bounds"),
        (
            "    for (int j = 0; j < n; ++j) {\n        if (c[i] > 2) return;\n        c[i] += a[j];\n    }\n}\n",
            "a jump",
        ),
        ("    for (int j = 0; j < n; ++j)\n        c[i] += a[j * j];\n}\n", "its indices are not affine"),
        (
            "    const float *p = a + 1;\n    for (int j = 0; j < n; ++j)\n        c[i] += a[j] + p[j];\n}\n",
            "it is used",
        ),
        ("    float **q = (float **)c;\n    q[0][1] = 2;\n" + USE, "may alias"),
        (f"    int n2 = n;\n    while (n2--) {{\n{LOOP}    }}\n}}\n", "the loop stands in a while loop"),
        (f"    switch (n) {{ case 3:\n{LOOP}    }}\n}}\n", "the loop stands in a switch"),
    ],
)
def test_what_stands_against_a_copy(body: str, reason: str, tmp_path: Path) -> None:
    text = HEAD + body
    found = preloaded(text, tmp_path)
    assert not found.diagnostics
    assert reason in reasons(found, "k")["a"]
    assert found.text == text


def test_arrays_of_a_structure_are_told_of(tmp_path: Path) -> None:
    """The report of the kernel had no line."""
    parts = (
        "struct Rows { const float *of[2]; int n; };\nstruct Both { Rows rows; int m; };\nstruct Sizes { int m; };\n"
    )
    head = HEAD.replace("const float *a, float *c, int n", "Both a, Rows c, Sizes m, float *d")
    body = "    for (int j = 0; j < m.m; ++j)\n        d[i] += a.rows.of[1][j] + c.of[0][j];\n}\n"
    found = preloaded(parts + head + body, tmp_path)
    assert not found.diagnostics
    why = "its arrays are reached by members of a structure"
    assert reasons(found, "k") == {"a": why, "c": why, "d": "written"}
    assert found.text == parts + head + body


@pytest.mark.parametrize(
    "value",
    [
        "__shfl_xor_sync(0xffffffff, i, 5)",
        "__any_sync(0xffffffff, i == 3)",
        "(int)__ballot_sync(0xffffffff, i)",
        "(int)__activemask() + i",
        "__syncthreads_count(i)",
    ],
)
def test_an_index_that_other_threads_tell_is_not_known(value: str, tmp_path: Path) -> None:
    """``a[__shfl_xor_sync(m, i, 5)]`` was copied as ``a[i]``."""
    text = f"    const int j = {value};\n    c[i] = a[j] + a[j + 1] + a[j + 2];\n}}\n"
    found = preloaded(HEAD + text, tmp_path, density=1.0)
    assert not found.diagnostics
    assert tiles(found) == {"k": {}}
    known = text.replace(value, "i")
    assert tiles(preloaded(HEAD + known, tmp_path, density=1.0)) == {"k": {"a": (18,)}}


def test_templates_write_through_references(tmp_path: Path) -> None:
    """The view handed values to ``swap<1>(a[i], a[j])``, so nothing was written."""
    swap = "template <int S> __device__ void swap(float &x, float &y) { float t = x; x = S * y; y = t; }\n"
    text = HEAD.replace("const float", "float") + "    swap<1>(a[i], a[i + 1]);\n    c[i] = a[i + 1] + a[i + 2];\n}\n"
    assert reasons(preloaded(swap + text, tmp_path, density=1.0), "k")["a"] == "written"


OTHERWISE = "it is used otherwise than by subscripts"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("float at(const float *m, int k) { return m[k]; }", OTHERWISE),
        ("float in(const float *m) { return *m; } __device__ float at(const float *m, int k) { return in(m + k); }",
         OTHERWISE),
        ("float at(const float *m, int k) { *(float *)m = 1; return m[k]; }", "written"),
        ("float at(const float *m, int k) { float *p = (float *)m + 1; p[k] = 1; return 1; }", "written"),
        ("float in(float *m) { return *m = 2; } __device__ float at(const float *m, int k) { return in((float *)m); }",
         "written"),
        ("float at(const float *m, int k) { return atomicAdd((float *)m, 1.0f); }", "written"),
        ("float at(float *m, int k) { return m[k]; }", "written"),
    ],
)  # fmt: skip
def test_a_function_that_only_reads_writes_nothing(function: str, reason: str, tmp_path: Path) -> None:
    """What a function was handed as ``const float *`` was called written."""
    use = "    for (int j = 0; j < n; ++j)\n        c[i] += at((float *)a, j);\n}\n"
    use = use if "at(float" in function else use.replace("(float *)a", "a")
    assert reasons(preloaded(f"__device__ {function}\n{HEAD}{use}", tmp_path), "k")["a"] == reason


@pytest.mark.parametrize(
    ("use", "cause"),
    [
        ("c[i] += a[j] * __syncthreads_count(i);", "__syncthreads_count"),
        ("c[i] += a[j] * __reduce_or_sync(~0u, 1u);", "__reduce_or_sync"),
        ("c[i] += a[j]; __barrier_sync(0);", "__barrier_sync"),
        ("c[i] += a[j]; __cluster_barrier_wait();", "__cluster_barrier_wait"),
        ("c[i] += a[j]; while (atomicCAS((int *)c, 0, 1));", "atomicCAS"),
        ("c[i] += a[j]; *(volatile float *)c = 1;", "volatile data"),
    ],
)
def test_loops_in_kernels_whose_threads_wait_for_each_other_stay(use: str, cause: str, tmp_path: Path) -> None:
    text = f"    for (int j = 0; j < n; ++j) {{\n        {use}\n    }}\n}}\n"
    assert reasons(preloaded(HEAD + text, tmp_path), "k")["a"] == f"its threads may wait for each other by {cause}"


def test_printf_writes_to_no_array(tmp_path: Path) -> None:
    """Its format was a pointer that leads nobody knows where: "may alias"."""
    found = preloaded(HEAD + LOOP + '    printf("%f %p\\n", c[i], (void *)c);\n}\n', tmp_path)
    assert tiles(found) == {"k": {"a": (32,)}}


def test_threads_that_write_to_the_same_places_are_left_alone(tmp_path: Path) -> None:
    found = preloaded(HEAD + USE, tmp_path, (16, 4, 1))
    assert reasons(found, "k")["a"] == "threads that differ in y alone write to the same places"
    assert tiles(preloaded(HEAD + USE, tmp_path, (16, 1, 1))) == {"k": {"a": (32,)}}


def test_a_name_that_means_something_else_inside_is_not_used(tmp_path: Path) -> None:
    inner = "    for (int j = 0; j < n; ++j) {\n        int n = j;\n        c[i] += a[j] + n;\n    }\n}\n"
    assert tiles(preloaded(HEAD + inner, tmp_path)) == {"k": {"a": (32,)}}
    rows = inner.replace("int n = j", "int m = n, n = j").replace("a[j]", "a[m * 2 + j]")
    assert tiles(preloaded(HEAD + rows, tmp_path)) == {"k": {}}


SUMS = """__global__ void sums(const float *a, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[k];
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("inline namespace one {\n", "}\n"),
        ("/*\n# { */\n", ""),
        ("#ifdef SMALL\nextern int small;\n#else\n", "#endif\n"),
    ],
)
def test_kernels_are_found_in_all_places(before: str, behind: str, tmp_path: Path) -> None:
    found = preloaded(f"{before}{SUMS}{behind}", tmp_path)
    assert tiles(found) == {"sums": {"a": (32,)}}
    assert before in found.text
    runtime = found.text.index("// accache: what launches of kernels that preload must know.")
    assert found.text.count("#if", 0, runtime) == found.text.count("#endif", 0, runtime)
    assert found.text.count("{", 0, runtime) == found.text.count("}", 0, runtime) or "# {" in before


def test_using_declarations_name_what_launches_too(tmp_path: Path) -> None:
    launch = "using one::two::sums;\nvoid f(float *a) { sums<<<1, 16>>>(a, a, 3); }"
    found = preloaded(f"namespace one {{ namespace two {{\n{SUMS}}} }}\n{launch}", tmp_path)
    assert "using one::two::sums; using one::two::sums_preload;\nvoid f(float *a) { sums_preload(1, 16," in found.text


def test_a_kernel_behind_a_macro_without_semicolon_is_told(tmp_path: Path) -> None:
    found = preloaded(f"#define MAKE(x) struct x {{}};\nMAKE(box)\n{SUMS}", tmp_path)
    assert ["the kernel 'sums' cannot be rewritten" in each.message for each in found.diagnostics] == [True]


def test_a_parameter_of_the_kernels_name_is_told(tmp_path: Path) -> None:
    found = preloaded(SUMS.replace("int n)", "int n, int sums)"), tmp_path)
    assert ["'sums' cannot be rewritten: a parameter has its name" in each.message for each in found.diagnostics] == [
        True
    ]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_the_block_of_a_kernel_of_c_linkage_is_told(tmp_path: Path) -> None:
    """By itself, ``f`` is what C++ compilers call the type float."""
    main = "int main() { float *a; cudaMalloc(&a, 400); f<<<1, 8>>>(a, a + 64, 9); return cudaDeviceSynchronize(); }"
    path = tmp_path / "program.cu"
    path.write_text(f'extern "C" {SUMS.replace("sums", "f")}{main}')
    found = preload(Invocation(str(path)), KEPLER, 2.0, None, reporter=Reporter())
    assert [(plan.view.name, plan.block) for plan in found.plans] == [("f", (8, 1, 1))]


def test_only_launches_of_known_blocks_copy(tmp_path: Path) -> None:
    path = tmp_path / "kernels.cu"
    path.write_text(rewritten((8, 8, 1)).text)
    assert "accache_block.x == 8 && accache_block.y == 8 && accache_block.z == 1" in path.read_text()
    assert "guarded_preload(grid, block, 0, 0, a, b, c, n);" in path.read_text()
    assert "nested_preload(grid, block, 0, 0, a, b, c, n);" in path.read_text()


@pytest.mark.parametrize(
    ("name", "gpu", "copied"),
    [
        ("gemm", "kepler", {"gemm": {"a", "b"}}),
        ("gemm", "h100", {"gemm": set()}),
        ("convolution", "kepler", {"convolution": {"a"}}),
        ("stencil", "kepler", {"stencil": {"a"}}),
        ("stencil", "h100", {"stencil": set()}),
        ("mvt", "kepler", {"rows": {"y"}, "columns": {"y"}}),
        ("covariance", "kepler", {"covariance": set()}),
        ("frontier", "kepler", {"step": set()}),
    ],
)
def test_own_kernels(name: str, gpu: str, copied: dict[str, set[str]]) -> None:
    blocks = {"gemm": (16, 16, 1), "convolution": (32, 8, 1), "stencil": (16, 16, 1)}
    preset = KEPLER if gpu == "kepler" else gpu_named(gpu)
    path = NAIVE / f"{name}.cu"
    found = preload(Invocation(str(path)), preset, 2.0, blocks.get(name, (256, 1, 1)), reporter=Reporter())
    assert {kernel: set(arrays) for kernel, arrays in tiles(found).items()} == copied
    if not any(copied.values()):
        assert found.text == path.read_text()


def test_densities_are_those_of_the_paper() -> None:
    """The oracle values of the issue; the trace counts the edges of the array, too."""
    found = preload(Invocation(str(NAIVE / "convolution.cu")), KEPLER, 2.0, (32, 8, 1), reporter=Reporter())
    assert [round(tile.measures.density, 2) for plan in found.plans for tile in plan.tiles] == [6.78]
    found = preload(Invocation(str(NAIVE / "stencil.cu")), KEPLER, 2.0, (16, 16, 1), reporter=Reporter())
    assert [round(tile.measures.density, 2) for plan in found.plans for tile in plan.tiles] == [3.95]
    found = preload(Invocation(str(NAIVE / "gemm.cu")), KEPLER, 2.0, (32, 8, 1), reporter=Reporter())
    assert [round(tile.measures.density, 2) for plan in found.plans for tile in plan.tiles] == [32, 8]


@needs_nvcc
@pytest.mark.parametrize("gpu", ["h100", "kepler"])
def test_the_block_is_that_of_the_run_and_nvcc_agrees(gpu: str, tmp_path: Path) -> None:
    path = tmp_path / "g.cu"
    done = accache("preload", NAIVE / "gemm.cu", "--gpu", gpu, "-o", path)
    assert done.returncode == 0
    assert "gemm, blocks of 16 x 16 x 1 threads" in done.stderr
    assert ("__shared__" in path.read_text()) == (gpu == "kepler")
    expected = accache("run", NAIVE / "gemm.cu").stdout
    for option in ("--check", "--ptx"):
        checked = accache("run", option, path)
        assert (checked.returncode, checked.stdout) == (0, expected), checked.stderr
    compiled = ["nvcc", "-arch=sm_90", "-c", str(path), "-o", str(tmp_path / "g.o")]
    assert subprocess.run(compiled, check=False).returncode == 0


def test_decisions_as_json_and_notes_at_the_loads(tmp_path: Path) -> None:
    written = tmp_path / "g.cu"
    words = ("preload", NAIVE / "gemm.cu", "--block", "16,16", "--gpu", "kepler", "--json", "--diagnostics", "sarif")
    done = accache(*words, "-o", written)
    record = json.loads(done.stdout)
    jsonschema.validate(record, schema("preload"))
    (kernel,) = record["kernels"]
    assert [(array["name"], array["lines"], array["decision"], array["reason"]) for array in kernel["arrays"]] == [
        ("a", [14], "copy", None),
        ("b", [14], "copy", None),
        ("c", [], "leave", "written"),
    ]
    copies = [array["copy"] for array in kernel["arrays"]]
    assert [copy and (copy["loop"], copy["chunk"], copy["density"], copy["box"]) for copy in copies] == [
        (13, 32, 16, [16, 32]),
        (13, 32, 16, [32, 16]),
        None,
    ]
    assert "gemm_preloaded" in written.read_text()
    results = json.loads(done.stderr)["runs"][0]["results"]
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in results]
    assert [(region["startLine"], region["startColumn"]) for region in regions] == [(14, 16), (14, 31), (6, 1)]
    assert accache(*words).stdout == done.stdout, "without -o the program is not written"
    refused = accache("preload", NAIVE / "gemm.cu", "--private", "--json")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_bad_input(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int a;\n")
    idle = tmp_path / "idle.cu"
    idle.write_text(HEAD + USE + "int main() { return 0; }\n")
    fails = tmp_path / "fails.cu"
    fails.write_text(HEAD + USE + "int main() { return 3; }\n")
    for words, code in (
        ((tmp_path / "a.c",), "ACC983"),
        ((tmp_path / "missing.cu",), "ACC101"),
        ((idle,), "ACC972"),
        ((fails,), "ACC979"),
        ((idle, "--block", "16", "-o", tmp_path / "none" / "b.cu"), "ACC982"),
    ):
        done = accache("preload", *words)
        assert (done.returncode, code in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
    done = accache("preload", idle, "--block", "16,0")
    assert done.returncode == 2
    assert "up to three extents" in done.stderr
