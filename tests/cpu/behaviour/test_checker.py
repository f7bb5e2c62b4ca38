"""Every check has a kernel that provokes it, and a correct twin that is not reported."""

from __future__ import annotations

import re
from pathlib import Path

import copying_kernels
import kernels
import local_kernels
import order_kernels
import pytest
import structure_kernels
from copying_kernels import FETCH
from runs import Runner

from accache.cpu.findings import Finding

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "check.md"
CASES = {
    **kernels.CASES,
    **copying_kernels.CASES,
    **structure_kernels.CASES,
    **local_kernels.CASES,
    **order_kernels.CASES,
}
CLEAN = {
    **kernels.CLEAN,
    **copying_kernels.CLEAN,
    **structure_kernels.CLEAN,
    **local_kernels.CLEAN,
    **order_kernels.CLEAN,
}
TWINS = [name for name in CASES if CASES[name][1]]
# what lies behind a device variable depends on the others of the program, a name of C is one for all namespaces, and
# a bit-field changes how the others are compiled
ALONE = (
    "device variable beyond the end",
    "old values of exchanges in bit-fields and classes",
    *structure_kernels.WITH_NAMES_OF_C,
)

# all cases share one program, which one process should build
pytestmark = pytest.mark.xdist_group("checker")

# a: 64 floats with values; b: 64 floats nobody wrote; h: host memory
HOST = """
#include <cstdio>
#include <cstring>
int main(int argc, char **argv) {
    float h[64], *a, *b;
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    accache_cpu_label(a, sizeof h, "a", 4);
    accache_cpu_label(b, sizeof h, "b", 4);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    LAUNCHES;
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
}
"""


def program(cases: list[tuple[str, str]]) -> str:
    """A program of kernels and launches; its argument chooses one."""
    spaces = [
        f"namespace case_{number} {{\n{kernel}\nstatic void launch(float *h, float *a, float *b) {{ {launch}; }}\n}}\n"
        for number, (kernel, launch) in enumerate(cases)
    ]
    names = ", ".join(f"case_{number}::launch" for number, _ in enumerate(cases))
    launches = f"void (*const launches[])(float *, float *, float *) = {{ {names} }};"
    return (
        "#include <cuda/atomic>\n"
        + "".join(spaces)
        + HOST.replace("LAUNCHES", f"{launches}\n    launches[atoi(argv[1])](h, a, b)")
    )


def twin(name: str) -> tuple[str, str]:
    """The corrected kernel of a case, and the launch."""
    kernel, wrong, right, launch, _ = CASES[name]
    assert wrong in kernel
    return kernel.replace(wrong, right), launch


ALL = {
    **{("wrong", name): (case[0], case[3]) for name, case in CASES.items()},
    **{("right", name): twin(name) for name in TWINS},
    **{("clean", name): case for name, case in CLEAN.items()},
}
TOGETHER = [key for key in ALL if key[1] not in ALONE]


def check(run_cu: Runner, kernel: str, launch: str) -> tuple[Finding, ...]:
    """The findings of one kernel under one launch."""
    return findings(run_cu, program([(kernel, launch)]), 0)


def check_one_of_all(run_cu: Runner, key: tuple[str, str], seed: int | None = None) -> tuple[Finding, ...]:
    """The findings of one of all cases."""
    if key in TOGETHER:
        return findings(run_cu, program([ALL[key] for key in TOGETHER]), TOGETHER.index(key), seed)
    return findings(run_cu, program([ALL[key]]), 0, seed)


def findings(run_cu: Runner, text: str, number: int, seed: int | None = None) -> tuple[Finding, ...]:
    """The findings of one launch of a program."""
    result = run_cu(text, (str(number),), check=True, seed=seed)
    assert result.returncode == 0, result.stderr
    found: tuple[Finding, ...] = result.findings
    return found


def kinds(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    """Kind of finding and name of array."""
    return {(finding.kind, finding.array) for finding in findings}


@pytest.mark.parametrize("name", CASES)
def test_finds(run_cu: Runner, name: str) -> None:
    expected = CASES[name][4]
    found = kinds(check_one_of_all(run_cu, ("wrong", name)))
    # a missing barrier also shows as a value that is not there yet
    assert expected <= found <= expected | {("uninitialised", array) for _, array in expected}


@pytest.mark.parametrize("name", TWINS)
def test_correct_twin(run_cu: Runner, name: str) -> None:
    for seed in (None, 7):
        assert [str(finding) for finding in check_one_of_all(run_cu, ("right", name), seed)] == []


@pytest.mark.parametrize("name", CLEAN)
def test_clean(run_cu: Runner, name: str) -> None:
    assert [str(finding) for finding in check_one_of_all(run_cu, ("clean", name))] == []


def test_a_finding_says_who_and_where(run_cu: Runner) -> None:
    kernel = (
        "__global__ void kernel(float *a) {\n    __shared__ float tile[8][8];\n"
        '#line 70 "user.c"\n    tile[threadIdx.y][threadIdx.x] = 1;\n\n'
        "    a[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n}\n"
    )
    findings = check(run_cu, kernel, "kernel<<<dim3(2, 3), dim3(8, 8)>>>(a)")
    (race,) = [f for f in findings if f.kind == "race" and f.array == "tile" and f.party.access == "write"]
    assert race.kernel == "kernel"
    assert race.other is not None
    assert (str(race.party.location), str(race.other.location)) == ("user.c:70", "user.c:72")
    assert (race.party.block, race.other.block) == ((0, 0, 0), (0, 0, 0))
    assert (race.other.access, race.memory, race.array_elements) == ("read", "shared", 64)
    assert race.element == race.party.thread[1] * 8 + race.party.thread[0]
    assert race.times > 1
    assert str(race).startswith("user.c:70: race in kernel kernel: write at user.c:70 by block (0,0,0) thread ")


def test_an_index_past_each_row_is_counted_beside_those_out_of_the_array(run_cu: Runner) -> None:
    found = check_one_of_all(run_cu, ("wrong", "rows of a tile"))
    assert {finding.kind: finding.times for finding in found} == {"out-of-bounds": 2, "index": 16}


def test_a_variable_without_a_value_is_named_at_its_use(run_cu: Runner) -> None:
    kernel = (
        '__global__ void kernel(float *b) {\n#line 40 "user.c"\n    float x, t[3];\n    if (threadIdx.x == 5)\n'
        "        x = t[0] = 1;\n    b[threadIdx.x] = 2 *\n        x;\n    b[threadIdx.x] += t[1];\n}\n"
    )
    one, two = check(run_cu, kernel, "kernel<<<1, 64>>>(b)")
    assert (one.kind, str(one.party.location), one.place, one.times) == (
        "uninitialised",
        "user.c:43",
        "local variable x",
        63,
    )
    assert (str(two.party.location), two.place) == ("user.c:45", "local array t[1] (it has 3 elements)")


EXAMPLES = dict(re.findall(r"^```cuda\n// (\S+)\n(.*?)^```", DOCUMENT.read_text(), re.M | re.S))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_examples_of_the_document_are_found(run_cu: Runner, kind: str) -> None:
    text = program([(kernel, "kernel<<<1, 64>>>(a, b, h)") for kernel in EXAMPLES.values()])
    result = run_cu(text, (str([*EXAMPLES].index(kind)),), check=True)
    found = {finding.kind for finding in result.findings}
    # an access that ends the program is told for what it is, too
    assert found == ({kind, "host-pointer"} if kind == "illegal-address" else {kind})


def test_the_document_has_an_example_of_each_kind_of_cuda() -> None:
    kinds = {"barrier-divergence", "use-after-free", "invalid-free", "host-pointer", "illegal-address", "misaligned"}
    assert set(EXAMPLES) == kinds


@pytest.mark.parametrize("shift", [-2048, 2048])
def test_the_shared_memory_of_another_kernel_is_out_of_bounds(run_cu: Runner, shift: int) -> None:
    other = (
        "__global__ void NAME(float *b) {\nconst int i = threadIdx.x;\n__shared__ float large[4096];\n"
        "large[i] = 1;\nb[i] = large[i];\n}\n"
    )
    kernel = (
        "template <class T> __global__ void k(T *b, int shift) {\n__shared__ T own[32];\nT *p = own + threadIdx.x;\n"
        "p[shift] = 1;\nb[threadIdx.x] = own[threadIdx.x] = 2;\n}\n"
    )
    text = other.replace("NAME", "before") + kernel + other.replace("NAME", "behind")
    for launch, expected in (
        (f"k<float><<<1, 32>>>(b, {shift})", {("out-of-bounds", "own")}),
        ("k<float><<<1, 32>>>(b, 0), before<<<1, 32>>>(b), behind<<<1, 32>>>(b)", set[tuple[str, str]]()),
    ):
        assert kinds(check(run_cu, text, launch)) == expected


def test_other_block_of_a_race(run_cu: Runner) -> None:
    kernel = "__global__ void k(float *b) { if (threadIdx.x == blockIdx.x) b[5] = 1; }"
    (race,) = check(run_cu, kernel, "k<<<3, 4>>>(b)")
    assert race.other is not None
    assert (race.element, race.party.block, race.party.thread) == (5, (1, 0, 0), (1, 0, 0))
    assert (race.other.block, race.other.thread, race.times) == ((0, 0, 0), (0, 0, 0), 2)


def test_a_race_with_a_reader_of_an_earlier_block_has_its_line(run_cu: Runner) -> None:
    kernel = (
        '__global__ void k(float *a, float *b) {\n#line 10 "user.c"\n    if (blockIdx.x == 0) b[0] = a[7];\n'
        "    if (blockIdx.x == 1) {\n        float own = a[7];\n        a[7] = own + 1;\n    }\n}\n"
    )
    (race,) = check(run_cu, kernel, "k<<<2, 1>>>(a, b)")
    assert race.other is not None
    assert (str(race.party.location), str(race.other.location)) == ("user.c:13", "user.c:10")


def test_the_use_of_a_raced_copy_says_who_copied_and_who_used(run_cu: Runner) -> None:
    kernel = (
        "__device__ __forceinline__ void tile_fetch(float *tile, const float *from) {\n"
        '#line 20 "user.c"\n    tile[threadIdx.x] = from[threadIdx.x];\n}\n'
        "__global__ void k(float *a, float *b) {\n    __shared__ float s[64];\n    tile_fetch(s, a);\n"
        "    __syncthreads();\n    if (blockIdx.x == 0 && threadIdx.x == 9)\n        a[40] = 1;\n"
        "    if (blockIdx.x == 1 && threadIdx.x == 5)\n        b[0] = s[40];\n}\n"
    )
    (race,) = check(run_cu, kernel, "k<<<2, 64>>>(a, b)")
    assert str(race) == (
        "user.c:20: race in kernel k: read at user.c:20 by block (1,0,0) thread (40,0,0), global array a[40] "
        "(it has 64 elements); conflicts with write at user.c:27 by block (0,0,0) thread (9,0,0); "
        "used at user.c:29 by block (1,0,0) thread (5,0,0)"
    )


def test_counters_tell_copy_routines_apart(run_cu: Runner) -> None:
    kernel = (
        FETCH
        + "__global__ void k(float *a, float *b) { __shared__ float s[64]; tile_fetch(s, a, 64); __syncthreads();\n"
        "int i = threadIdx.x; b[i] = s[i] + s[63 - i]; atomicAdd(a, 0.0f); }"
    )
    result = run_cu(program([(kernel, "k<<<1, 64>>>(a, b)")]), ("0",), check=True)
    (k,) = result.counters
    assert (k.kernel, k.launches) == ("k", 1)
    assert (k.copying.global_loads, k.copying.shared_stores, k.copying.shared_loads) == (64, 64, 0)
    assert (k.own.global_stores, k.own.shared_loads, k.own.global_loads, k.own.global_atomics) == (64, 128, 0, 64)
    assert k.total.global_loads == 64


def test_a_kernel_named_like_a_copy_routine_is_none(run_cu: Runner) -> None:
    kernel = "__global__ void data_fetch(float *a, float *b) { a[threadIdx.x] = b[threadIdx.x]; }"
    assert kinds(check(run_cu, kernel, "data_fetch<<<1, 64>>>(a, b)")) == {("uninitialised", "b")}


def test_launches_that_are_not_started_are_told(run_cu: Runner) -> None:
    text = "__global__ void k() {}\nint main() { k<<<96 / 256, 256>>>(); k<<<1, 1>>>(); }"
    told = "accache-cpu: kernel k, grid (0,1,1), block (256,1,1), 0 bytes of dynamic shared memory: not started: "
    assert run_cu(text).stderr == ""
    assert run_cu(text, check=True).stderr == told + "invalid configuration argument\n"
