"""Launches in a file that ``accache preload`` rewrote: they mean what they meant, and those that stay are told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accache

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile
from accache.cuda.text import read_cuda
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload
from accache.workflows.preload.report import told

BODY = "{ float s = 0; for (int j = 0; j < n; ++j) s += a[j]; o[blockIdx.x * blockDim.x + threadIdx.x] = s; }\n"
KERNEL = f"__global__ void k(const float *a, float *o, int n) {BODY}"
HEAD = """\
#include <cstdio>
static float *made(int n)
{
    float host[256], *there;
    for (int i = 0; i < n; ++i)
        host[i] = i % 7 + 1;
    cudaMalloc(&there, n * sizeof(float));
    cudaMemcpy(there, host, n * sizeof(float), cudaMemcpyHostToDevice);
    return there;
}
static void shown(const float *there)
{
    float host[256];
    cudaMemcpy(host, there, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i += 32)
        printf("%g ", host[i]);
}
"""


def preloaded(folder: Path, text: str, main: str, **headers: str) -> Preloaded:
    """The program for blocks of 64 threads; ``main`` has arrays ``a`` and ``o`` of 256 elements, and ``n``."""
    for name, header in headers.items():
        (folder / f"{name}.h").write_text(header)
    path = folder / "program.cu"
    whole = f"{HEAD}{text}int main() {{ float *a = made(256), *o = made(256); int n = 99;\n{main}\nshown(o); }}\n"
    path.write_text(whole)
    return preload(Invocation(str(path)), KEPLER, 2.0, (64, 1, 1), reporter=Reporter())


def expect_no_difference(found: Preloaded, folder: Path, compiles: bool = False) -> None:
    """The rewritten program prints the same; with ``compiles`` nvcc, if there is one, takes it, too."""
    written = folder / "written.cu"
    written.write_text(found.text)
    usual, other = accache("run", folder / "program.cu"), accache("run", written)
    assert (other.returncode, other.stdout) == (usual.returncode, usual.stdout), other.stderr
    assert usual.returncode == 0, usual.stderr
    if compiles and shutil.which("nvcc"):
        words = ["nvcc", "-arch=sm_90", "-c", written, "-o", folder / "written.o"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, "preload" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize(
    "launch",
    [
        "int c = 0; k<<<++c, 64>>>(a, o, 10 * ++c);",
        "int c = 2; k<<<c, 64>>>(a, o, c -= 1);",
        "int c = 0; auto next = [&] { return ++c; }; ::k<<<next(), 64, 0, 0>>>(a, o, next() * 9);",
        "int c = 0; if (n) k<<<NEXT(c), 64>>>(a, o, c * 10); else k<<<1, 64>>>(a, o, n);",
    ],
)
def test_configurations_are_evaluated_before_arguments(launch: str, tmp_path: Path) -> None:
    """As a call ``k_preload(++c, 64, 0, 0, a, o, 10 * ++c)`` the arguments came first, and one block was two."""
    found = preloaded(tmp_path, f"#define NEXT(x) ++x\n{KERNEL}", launch)
    assert not found.diagnostics
    assert found.launches == {"k": launch.count("<<<")}
    assert "[&](dim3 " in found.text
    expect_no_difference(found, tmp_path, compiles="next" in launch)


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<dim3(2, 1), 64>>>(a, o, n);",
        "k<<<n / 64 + 1, 64>>>(a + 1, o, n == 3 ? 2 : 90);",
        "k<<<2, 64>>>(a, o, n++);",
        "k<<<TWO, 64>>>(a, o, (int)(n * 0.5f));",
    ],
)
def test_launches_whose_order_makes_no_difference_are_calls(launch: str, tmp_path: Path) -> None:
    found = preloaded(tmp_path, f"#define TWO 2\n{KERNEL}", launch)
    assert "[&]" not in found.text
    configuration = launch[launch.index("<<<") + 3 : launch.index(">>>")]
    assert f"\nk_preload({configuration}, 0, 0, a" in found.text


def test_a_lambda_captures_no_structured_binding(tmp_path: Path) -> None:
    pair = "struct Pair { int x, y; };\n" + KERNEL
    found = preloaded(tmp_path, pair, "auto [x, y] = Pair{2, 64}; k<<<x, y>>>(a, o, x += 3);")
    (left,) = found.diagnostics
    assert "its arguments must be evaluated behind its configuration" in left.message
    expect_no_difference(found, tmp_path)


@pytest.mark.parametrize("name", ["__func__", "NAME"])
def test_nor_does_it_hold_the_name_of_the_function_around(name: str, tmp_path: Path) -> None:
    """In a lambda that is ``operator()``."""
    length = "#include <cstring>\n#define NAME __FUNCTION__\n" + KERNEL
    found = preloaded(tmp_path, length, f"int c = 1; k<<<++c, 64>>>(a, o, c + (int)strlen({name}));")
    (left,) = found.diagnostics
    assert "its arguments must be evaluated behind its configuration" in left.message
    expect_no_difference(found, tmp_path)


OVERLOADS = {
    "overloads": f"{KERNEL}__global__ void k(const float *a, float *o, int n, int m) "
    + BODY.replace("a[j]", "a[j] * m"),
    "one without copies": f"{KERNEL}__global__ void k(float *o, int n) {{ o[threadIdx.x + 64] = n; }}\n",
    "namespaces": f"namespace A {{ {KERNEL}}}\nnamespace B {{ {KERNEL.replace('s = 0', 's = 5')}}}\n",
    "templates": f"namespace A {{ template <int N, class T> __global__ void k(const T *a, T *o, int n) {BODY}}}\n",
}


@pytest.mark.parametrize(
    ("kernels", "main", "launches"),
    [
        ("overloads", "k<<<2, 64>>>(a, o, n); k<<<1, 64>>>(a, o + 128, n, 3);", 2),
        ("one without copies", "k<<<2, 64>>>(a, o, n); k<<<1, 64>>>(o, n);", 2),
        (
            "namespaces",
            "A::k<<<2, 64>>>(a, o, n); ::B::k<<<1, 64>>>(a, o + 128, n); using namespace A; k<<<1, 64>>>(a, o, 9);",
            3,
        ),
        ("templates", "A::k<4, float><<<2, 64>>>(a, o, n); A::k<1, float><<<1, 64>>>(a, o, 9);", 2),
    ],
)
def test_kernels_of_one_name(kernels: str, main: str, launches: int, tmp_path: Path) -> None:
    """Two overloads ended with a traceback: both rewrote every launch of the name."""
    found = preloaded(tmp_path, OVERLOADS[kernels], main)
    assert [each.code for each in found.diagnostics if each.code == "ACC992"] == []
    assert found.launches == {"k": launches}
    expect_no_difference(found, tmp_path, compiles=kernels in ("namespaces", "templates"))


@pytest.mark.parametrize(
    ("declared", "parameters"),
    [
        ("", "const float *a, float *o, int n = 77"),
        ("__global__ void k(const float *, float *, int = 77);\n", "const float *a, float *o, const int n"),
        ('#include "k.h"\n', "const float *a, float *o, int n"),
    ],
)
def test_default_arguments(declared: str, parameters: str, tmp_path: Path) -> None:
    """nvcc said "default argument missing" of the version with copies, which has one parameter more."""
    header = "__global__ void k(const float *a, float *o, int n = 77);\n"
    kernel = f"{declared}__global__ void k({parameters}) {BODY}"
    found = preloaded(tmp_path, kernel, "k<<<2, 64>>>(a, o); k<<<1, 64>>>(a, o, n);", k=header)
    assert found.launches == {"k": 2}
    path = tmp_path / "program.cu"
    path.write_text(path.read_text().replace("(a, o);", "(a, o, 77);"))
    expect_no_difference(found, tmp_path, compiles=not declared)


def test_launches_above_the_kernel_call_it_by_its_declaration(tmp_path: Path) -> None:
    early = (
        "namespace S { __global__ void k(const float *, float *o, int n);\n"
        + "void run(float *a, float *o) { k<<<2, 64>>>(a, o, 50); } }\n"
    )
    found = preloaded(tmp_path, f"{early}namespace S {{ {KERNEL}}}\n", "S::run(a, o);")
    assert not found.diagnostics
    assert "k_preload(2, 64, 0, 0, a, o, 50)" in found.text
    expect_no_difference(found, tmp_path)


GO = "template <class F> void go(F f, float *a, float *o) { f<<<2, 64>>>(a, o, 9); }\n"
OTHER = "__global__ void other(const float *, float *o, int) { o[threadIdx.x] = 3; }\n"
RUN = "void run(float *a, float *o) { k<<<2, 64>>>(a, o, 50); }\n"
SHORT = "__global__ void k(const float *a, float *o); "


@pytest.mark.parametrize(
    ("text", "main", "reason"),
    [
        (KERNEL, "auto f = k; f<<<2, 64>>>(a, o, n);", "the name is a value there"),
        (f"{KERNEL}{GO}", "go(k, a, o);", "the name is a value there"),
        (f"{KERNEL}#define LAUNCH(f) f<<<2, 64>>>(a, o, n)\n", "LAUNCH(k);", "the name is a value there"),
        (f"{KERNEL}#define LAUNCH k<<<2, 64>>>(a, o, n)\n", "LAUNCH;", "a macro holds the launch"),
        (f"{KERNEL}{OTHER}", "auto *k = other; k<<<1, 64>>>(a, o, n);", "the name may be that of a variable there"),
        (f'#include "k.h"\n{RUN}{KERNEL}', "run(a, o);", "only a header declares the kernel before that"),
        (f"namespace X {{ {SHORT}}}\n{KERNEL}", "k<<<2, 64>>>(a, o, n);", "is defined in another file"),
        (KERNEL, "k<< <2, 64>> >(a, o, n);", "the name is a value there"),
    ],
)
def test_launches_that_stay_are_told(text: str, main: str, reason: str, tmp_path: Path) -> None:
    """The report said "copied" of kernels that nothing launched with copies."""
    found = preloaded(tmp_path, text, main, k="__global__ void k(const float *a, float *o, int n);\n")
    (left,) = (each for each in found.diagnostics if each.code == "ACC992")
    assert reason in left.message
    assert left.location is not None
    assert "; no launch in the file uses them\n" in told(found, KEPLER)
    assert "k_preload(dim3 " in found.text
    expect_no_difference(found, tmp_path)


def test_functions_that_ask_about_a_kernel_launch_none(tmp_path: Path) -> None:
    asks = "int b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, k, 64, 0); k<<<2, 64>>>(a, o, n);"
    found = preloaded(tmp_path, KERNEL, asks)
    assert (found.diagnostics, found.launches) == ((), {"k": 1})


def test_an_instance_with_a_definition_of_its_own_is_launched_as_it_is(tmp_path: Path) -> None:
    text = f"template <class T> __global__ void k(const T *a, T *o, int n) {BODY}"
    own = "template <> __global__ void k<float>(const float *, float *o, int) { o[threadIdx.x] = 3; }\n"
    found = preloaded(tmp_path, text + own, "k<float><<<2, 64>>>(a, o, n);")
    assert all("has a definition of its own" in each.message for each in found.diagnostics if each.code == "ACC992")
    expect_no_difference(found, tmp_path)


def test_macros_of_the_program_meet_no_name_of_accache(tmp_path: Path) -> None:
    """Macros ``first``, ``end`` and ``bytes`` changed the text that stands above the kernels."""
    words = (
        "first end bytes start grid block stream holds entry found state range pointer before after there tile array"
    )
    words += " at from row_pitch active a_tile a_there j_chunk a_memory"
    macros = "".join(f"#define {word} {number}\n" for number, word in enumerate(words.split()))
    guarded = KERNEL.replace("{ float", "{ if (threadIdx.x > 60) return; float")
    found = preloaded(
        tmp_path, f'#include <string>\n#include "names.h"\n{guarded}', "k<<<2, 64>>>(a, o, n);", names=macros
    )
    assert found.launches == {"k": 1}
    expect_no_difference(found, tmp_path, compiles=True)


def test_no_copies_where_a_macro_changes_cudas_own_words(tmp_path: Path) -> None:
    found = preloaded(tmp_path, f"#define shared 7\n{KERNEL}", "k<<<2, 64>>>(a, o, n);")
    assert [
        "the macro 'shared' changes what '__shared__' stands for" in each.message for each in found.diagnostics
    ] == [True]
    assert found.text == (tmp_path / "program.cu").read_text()


TEMPLATE = f"template <class T> __global__ void k(const T *a, T *o, int n) {BODY}"
LAMBDA = "__global__ void other(const float *a, float *o, int n) { auto m = [=] { return a[n]; }; o[n] = m(); }\n"


def run_for_blocks(folder: Path, text: str, main: str) -> Preloaded:
    """The program for the blocks of its run."""
    preloaded(folder, text, main)
    return preload(Invocation(str(folder / "program.cu")), KEPLER, 2.0, None, reporter=Reporter())


@pytest.mark.parametrize(
    ("text", "main"),
    [
        (f"{KERNEL}#define LAUNCH(f) f<<<2, 64>>>(a, o, n)\n", "LAUNCH(k);"),
        (KERNEL, "void (*f)(const float *, float *, int) = k; f<<<2, 64>>>(a, o, n);"),
        (f"namespace {{ {KERNEL}}}\n{GO}", "go(k, a, o);"),
        (f"{TEMPLATE}{GO}", "go(k<float>, a, o); k<float><<<1, 64>>>(a, o, 1);"),
    ],
)
def test_a_run_tells_kernels_by_what_is_launched(text: str, main: str, tmp_path: Path) -> None:
    """Launches were known by what stands in front of ``<<<``, so the run launched ``f`` and "no kernel"."""
    found = run_for_blocks(tmp_path, text, main)
    assert [(plan.view.name, plan.block) for plan in found.plans] == [("k", (64, 1, 1))]
    assert {each.code for each in found.diagnostics} == {"ACC992"}


def test_a_run_that_launches_other_kernels_only_is_no_error(tmp_path: Path) -> None:
    found = run_for_blocks(tmp_path, KERNEL + LAMBDA, "other<<<2, 64>>>(a, o, n);")
    assert [each.code for each in found.diagnostics] == ["ACC984", "ACC978"]
    assert found.text == (tmp_path / "program.cu").read_text()


def test_a_rewritten_program_stays_as_it_is(tmp_path: Path) -> None:
    """There was an error: the run launched "no kernel", since what it launched had no view."""
    once = run_for_blocks(tmp_path, KERNEL, "k<<<2, 64>>>(a, o, n);")
    (tmp_path / "program.cu").write_text(once.text)
    again = preload(Invocation(str(tmp_path / "program.cu")), KEPLER, 2.0, None, reporter=Reporter())
    assert again.text == once.text
    assert [each.code for each in again.diagnostics] == ["ACC984", "ACC978"]


def test_the_lines_of_the_preprocessor_are_looked_for_once() -> None:
    """That took a third of the time for a file of 47 kernels with a few headers."""
    texts = [read_cuda(SourceFile("a.cu", f"#define N {k}\n__global__ void k() {{}}\n")) for k in range(9)]
    first = [cuda.directives for cuda in texts]
    assert all(cuda.directives is found for cuda, found in zip(texts, first, strict=True))
