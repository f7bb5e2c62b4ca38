"""Forms that public CUDA has often: kernels in them get their copies, or a reason; what they leave stays the same."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from commands import accache

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload

FORMS = Path(__file__).parents[1] / "common_forms.cu"
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")


@cache
def rewritten() -> Preloaded:
    return preload(Invocation(str(FORMS)), KEPLER, 2.0, (64, 1, 1), reporter=Reporter())


def preloaded(text: str, folder: Path, density: float = 2.0) -> Preloaded:
    path = folder / "program.cu"
    path.write_text(text)
    return preload(Invocation(str(path)), KEPLER, density, (64, 1, 1), reporter=Reporter())


def copied(found: Preloaded) -> dict[str, set[str]]:
    return {plan.view.name: {tile.array for tile in plan.tiles} for plan in found.plans}


def reason(found: Preloaded, array: str) -> str:
    return next(item.reason for plan in found.plans for item in plan.decisions if item.array == array)


def test_kernels_in_common_forms_get_their_copies() -> None:
    assert not rewritten().diagnostics
    assert copied(rewritten()) == {
        "bounded": {"a"},
        "greatest": {"a", "b"},
        "greatest_by_macro": {"a", "b"},
        "read_only": {"b"},
        "with_borders": {"a"},
        "product": {"a", "b"},
        "weighted": {"a"},
        "scaled": {"a"},
    }


@pytest.mark.parametrize("seed", [0, 1])
def test_copies_in_common_forms_make_no_difference(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "forms.cu"
    path.write_text(rewritten().text)
    usual, other = accache("run", FORMS), accache("run", "--check", "--seed", seed, path)
    assert (usual.returncode, other.returncode) == (0, 0), other.stderr
    assert other.stdout == usual.stdout


@needs_nvcc
@pytest.mark.thorough
def test_copies_in_common_forms_make_no_difference_in_ptx(tmp_path: Path) -> None:
    path = tmp_path / "forms.cu"
    path.write_text(rewritten().text)
    usual, other = accache("run", FORMS), accache("run", "--ptx", path)
    assert (other.returncode, other.stdout) == (0, usual.stdout), other.stderr


LOOP = """__global__ void k(const float *a, const float *b, float *c, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {before}
    for (int t = 0; t < n; ++t)
        c[i] += {value};
}}
"""


@pytest.mark.parametrize(
    ("head", "value", "why"),
    [
        ("#define TOP(x, y) ((y) > (x) ? (y) : (x))\n", "TOP(a[t], a[t + 1])", "a macro holds a reference"),
        ("#define SUM(x) ((x) + a[0])\n", "SUM(a[t])", "a macro holds a reference"),
        ("#define INNER a[1]\n#define SUM(x) ((x) + INNER)\n", "SUM(a[t])", "a macro holds a reference"),
        ("#define PAIR(x) (x + #x[0])\n", "PAIR(a[t])", "a macro holds a reference"),
        ("#define A(k) a[k] + 1\n", "A(t) + a[0]", "a macro holds a reference"),
        ("#define A(k) a[k]\n#undef A\n#define A(k) a[k + 1]\n", "A(t)", "a macro holds a reference"),
        (
            "#define A(k) a[k]\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n",
            "MAX(A(t), A(t + 1))",
            "a macro holds a reference",
        ),
        ("#define A(m, k) m[k]\n", "A((a + 1), t)", "it is used otherwise"),
        ("#define A a[1]\n", "A * a[t]", "a macro holds a reference"),
        ("#define OF(x) (*&(x))\n", "OF(a[t])", "the address of an element is taken"),
        ("", "max(a[t], *(a + t))", "it is used otherwise than by subscripts"),
        ("", "__ldg(&(&a[t])[1])", "the address of an element is taken"),
    ],
)
def test_what_a_macro_may_make_something_else_of_stays(head: str, value: str, why: str, tmp_path: Path) -> None:
    found = preloaded(head + LOOP.format(before="", value=value), tmp_path)
    assert not found.diagnostics
    assert "a" not in copied(found)["k"]
    assert why in reason(found, "a")


def test_the_greatest_of_two_is_no_index(tmp_path: Path) -> None:
    """Nothing is known of its value: not that it is the sum by which the view has its type."""
    found = preloaded(LOOP.format(before="int top = max(i, (int)b[i]);", value="a[top + t]"), tmp_path)
    assert copied(found) == {"k": set()}


@pytest.mark.parametrize(
    "guard",
    [
        "if (i >= n) { if (i > n) return; c[i] = 0; return; }",
        "if (i >= n) { c[i] = 0; return; } else c[i] = 1;",
        "{ if (i >= n) { c[i] = 0; return; } }",
        "if (i >= n) { for (int t = 0; t < n; ++t) c[i] += b[t]; if (i == n) return; }",
    ],
)
def test_threads_that_leave_in_other_ways_keep_loops_whole(guard: str, tmp_path: Path) -> None:
    found = preloaded(LOOP.format(before=guard, value="a[t]"), tmp_path)
    assert reason(found, "a") == "threads leave the kernel, or a loop around, in the middle of a statement"


@pytest.mark.parametrize(
    ("declared", "is_copied"),
    [
        ("__constant__ int bound;", True),
        ("__constant__ int before, bound = 4;", True),
        ("__device__ int bound;", False),
        ("namespace other { __constant__ int bound; } using other::bound;", False),
    ],
)
def test_bounds_in_constant_memory_are_those_of_all_threads(declared: str, is_copied: bool, tmp_path: Path) -> None:
    text = LOOP.format(before="", value="a[t + bound]").replace("t < n", "t < bound")
    assert copied(preloaded(f"{declared}\n{text}", tmp_path)).get("k", set()) == ({"a"} if is_copied else set())


def test_a_constant_that_a_local_name_hides_is_another_one(tmp_path: Path) -> None:
    text = LOOP.format(before="int bound = i;", value="a[t]").replace("t < n", "t < bound")
    assert copied(preloaded(f"__constant__ int bound;\n{text}", tmp_path)) == {"k": set()}


@needs_nvcc
def test_what_launches_copies_may_stay_unused(tmp_path: Path) -> None:
    """It was "declared but never referenced", which is an error with ``-Werror all-warnings``."""
    text = LOOP.format(before="", value="a[t]")
    found = preloaded(
        f"#define GO(kernel, ...) kernel<<<1, 64>>>(__VA_ARGS__)\n{text}void f(float *p) {{ GO(k, p, p, p, 1); }}\n",
        tmp_path,
    )
    assert copied(found) == {"k": {"a"}}
    assert [each.code for each in found.diagnostics] == ["ACC992"]
    path = tmp_path / "written.cu"
    path.write_text(found.text)
    for standard in ("c++14", "c++17"):
        words = ("nvcc", "-arch=sm_90", f"-std={standard}", "-Werror", "all-warnings", "-c", path, "-o", "/dev/null")
        subprocess.run(words, check=True)


@needs_nvcc
def test_variables_that_only_replaced_indices_use_are_no_warning(tmp_path: Path) -> None:
    """``p`` was "declared but never referenced" in the second version."""
    text = """__global__ void k(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t p = 2 * n, r = n;
    const int left = i - 1;
    int unused;
    if (i < n && i > 0)
        c[i] = a[p + left] + a[p + i] + a[p + i + 1] + r;
}
"""
    path = tmp_path / "written.cu"
    path.write_text(preloaded(text, tmp_path, density=1.0).text)
    assert "[[maybe_unused]] const int left = i - 1;" in path.read_text()
    words = ("nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-c", path, "-o", tmp_path / "k.o")
    found = subprocess.run(words, capture_output=True, text=True)
    assert found.stderr.count("error #") == 2, found.stderr  # the program's own unused variable, in both versions
    assert found.stderr.count('"unused" was declared but never referenced') == 2


PRAGMAS = """__global__ void k(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    #pragma unroll 2
    for (int d = 0; d < 3; ++d)
        c[i] += d;
    for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int t = 0; t < n; ++t)
            c[i] += a[t];
#pragma unroll 1
    while (c[i] > 3)
        c[i] /= 2;
}
"""


def test_what_comes_in_front_of_a_loop_stands_in_front_of_its_pragma(tmp_path: Path) -> None:
    """nvcc said that "the #pragma unroll must precede a loop", and unrolled none."""
    lines = [line.strip() for line in preloaded(PRAGMAS, tmp_path).text.partition("k_preloaded")[2].splitlines()]
    places = [number for number, line in enumerate(lines) if line.startswith("#pragma unroll")]
    assert [lines[place - 1] for place in places] == ["if (active)", "{", "if (active)"]
    assert [lines[place + 1].split()[0] for place in places] == ["for", "for", "while"]


@pytest.mark.parametrize("words", ["__device__ const", "static const", "__constant__", "__device__ constexpr"])
def test_a_table_of_the_file_is_no_macro(words: str, tmp_path: Path) -> None:
    """The front end declares it in the kernel, and "a macro holds a statement" was said of that."""
    found = preloaded(f"{words} float w[3] = {{1, 2, 3}};\n{LOOP.format(before='', value='a[t] * w[t % 3]')}", tmp_path)
    assert copied(found) == {"k": {"a"}}


def test_a_macro_with_a_name_that_copies_use_is_told(tmp_path: Path) -> None:
    """The file was one that no compiler takes."""
    text = f"#define accache_start 5\n{LOOP.format(before='', value='a[t]')}"
    found = preloaded(text, tmp_path)
    (told,) = found.diagnostics
    assert "the macro 'accache_start' changes what 'accache_start' stands for" in told.message
    assert found.text == text


def test_a_copy_is_not_read_as_global_memory() -> None:
    """Shared memory is nowhere that ``__ldg`` may read; the CPU takes it."""
    version = rewritten().text.partition("read_only_preloaded(")[2].partition("\n}\n")[0]
    assert "b_tile[" in version
    assert "sum += b_tile[k - k_chunk].x - b_tile[k - k_chunk].w;" in version
    assert "__ldg(&b_tile" not in version


def test_a_reference_in_an_element_of_another_array_is_its_own(tmp_path: Path) -> None:
    text = "#define B(k) b[(int)(k)]\n" + LOOP.format(before="", value="B(a[t])")
    found = preloaded(text, tmp_path)
    assert copied(found) == {"k": {"a"}}
    assert "B(a_tile[t - t_chunk])" in found.text


def test_constants_of_other_namespaces_are_not_named(tmp_path: Path) -> None:
    text = "namespace other { __constant__ int bound; }\n" + LOOP.format(before="", value="a[t + other::bound]")
    assert copied(preloaded(text, tmp_path)) == {"k": set()}
