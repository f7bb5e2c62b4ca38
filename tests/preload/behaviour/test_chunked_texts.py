"""What the second version of a kernel has in the place of declarations and heads of loops around its chunks."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import accache

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload

KERNEL = """\
__global__ void k(const float *a, const float *b, float *c, int n, int lo, unsigned most)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {guard}
    {body}
}}
"""
LOOP = "float s = 0; for (int j = 0; j < n; ++j) s += a[j] * w; c[i] = s;"
MAIN = """\
#include <cstdio>
int main()
{
    float host[100], *a, *b, *c;
    for (int i = 0; i < 100; ++i)
        host[i] = i % 7 + 1;
    cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host), cudaMalloc(&c, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(c, host, sizeof host, cudaMemcpyHostToDevice);
    k<<<4, 32>>>(a, b, c, 100, -4, 64u);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 100; i += 9)
        printf("%g ", host[i]);
}
"""


def preloaded(folder: Path, body: str, *, before: str = "", guard: str = "if (i >= n) return;") -> Preloaded:
    path = folder / "program.cu"
    path.write_text(before + KERNEL.format(guard=guard, body=body) + MAIN)
    found = preload(Invocation(str(path)), KEPLER, 2.0, (32, 1, 1), reporter=Reporter())
    (folder / "written.cu").write_text(found.text)
    return found


def expect_no_difference(folder: Path) -> None:
    usual, other = (accache("run", "--check", folder / name) for name in ("program.cu", "written.cu"))
    assert (other.returncode, other.stdout) == (usual.returncode, usual.stdout), other.stderr
    assert usual.returncode == 0, usual.stderr


@pytest.mark.parametrize(
    ("declared", "made"),
    [
        ("float w = b[i];", "float w = active ? (b[i]) : decltype(w)();"),
        ("float w = (b[i]);", "float w = active ? (b[i]) : decltype(w)();"),
        ("float w = {b[i]};", "float w = active ? (b[i]) : decltype(w)();"),
        ("float w(b[i]);", "float w = active ? (b[i]) : decltype(w)();"),
        ("float w{b[i]};", "float w = active ? (b[i]) : decltype(w)();"),
        ("auto w = b[i] * 2;", "auto w = active ? (b[i] * 2) : decltype(accache_value(b[i] * 2))();"),
        ("int v = i, w = (int)b[v];", "int v = i, w = active ? ((int)b[v]) : decltype(w)();"),
        ("typedef float T; T w = 1;", "typedef float T; T w = 1;"),
        ("using T = int; T w = 1;", "using T = int; T w = 1;"),
        ("struct T { int x; }; int w = 1;", "struct T { int x; }; int w = 1;"),
    ],
)
def test_what_only_active_threads_may_compute(declared: str, made: str, tmp_path: Path) -> None:
    """Values in parentheses or braces were computed by all threads, which read beyond the end of the array."""
    found = preloaded(tmp_path, f"{declared}\n    {LOOP}")
    assert not found.diagnostics
    assert f"\n    {made}\n" in found.text[found.text.index("k_preloaded") :]


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("unsigned j = lo; j < most;", "(unsigned)(lo)"),
        ("unsigned int j = lo + 2; j < 40;", "(unsigned int)(lo + 2)"),
        ("signed char j = n + 100; j < 40;", "(signed char)(n + 100)"),
        ("unsigned j = most; j < 90;", "most"),
        ("int j = lo; j < n;", "lo"),
        ("long j = lo; j < n;", "lo"),
    ],
)
def test_a_loop_begins_where_its_variable_does(head: str, value: str, tmp_path: Path) -> None:
    """From -4 on an unsigned variable never comes to 64, and chunks of 64 bits did."""
    found = preloaded(tmp_path, f"float s = 1; for ({head} ++j) s += a[j]; c[i] = s;")
    assert f"for (long long j_chunk = {value}; " in found.text


def test_one_whose_variable_is_declared_before_does_so_too(tmp_path: Path) -> None:
    found = preloaded(tmp_path, "unsigned j; float s = 1; for (j = lo; j < most; ++j) s += a[j]; c[i] = s;")
    assert "for (long long j_chunk = (decltype(j))(lo); j_chunk < most; " in found.text


@pytest.mark.parametrize(
    ("head", "kind", "bound"),
    [
        ("unsigned j = lo; j < lo + 3;", "long long", "j_chunk <= 0xffffffff && (unsigned)j_chunk < lo + 3;"),
        ("unsigned j = lo; lo + 3 > j;", "long long", "j_chunk <= 0xffffffff && lo + 3 > (unsigned)j_chunk;"),
        ("unsigned j = -80; j < -1;", "long long", "j_chunk <= 0xffffffff && (unsigned)j_chunk < -1;"),
        ("unsigned j = most - 64; j <= most - 50;", "long long", "j_chunk <= most - 50;"),
        ("unsigned j = most - 64; j < 20;", "long long", "j_chunk < 20;"),
        ("size_t j = 0; j < n - 80;", "unsigned long long", "j_chunk < n - 80;"),
        ("unsigned long j = most - 64; j <= 19;", "unsigned long long", "j_chunk <= 19;"),
    ],
)
def test_a_loop_ends_where_its_variable_does(head: str, kind: str, bound: str, tmp_path: Path) -> None:
    """From -4 to -1 an unsigned variable has three values, and chunks of 64 bits with a sign had none."""
    found = preloaded(tmp_path, f"float s = 1; for ({head} ++j) s += a[(unsigned)j + 80]; c[i] = s;")
    assert f"for ({kind} j_chunk = " in found.text
    assert f"; {bound} j_chunk += " in found.text
    expect_no_difference(tmp_path)


@pytest.mark.parametrize(
    ("head", "made"),
    [
        ("int j{0}; j < n - 4;", "long long j_chunk = 0; j_chunk < n - 4; j_chunk += 32) {"),
        ("int j(lo); j < n - 9;", "if (active) for (int j = j_chunk; j < j_chunk + 32 && j < n - 9; ++j)"),
        ("int j = {lo}; j < n - 9;", "long long j_chunk = lo; j_chunk < n - 9; j_chunk += 32) {"),
        ("unsigned j(lo); j < most;", "long long j_chunk = (unsigned)(lo); j_chunk < most; j_chunk += 32) {"),
        ("int j = n >= 3; j < n - 4;", "if (active) for (int j = j_chunk; j < j_chunk + 32 && j < n - 4; ++j)"),
        ("auto j = most; j < 90;", "for (decltype(accache_value(most)) j = j_chunk; j < j_chunk + 32 && j < 90; ++j)"),
        ("auto j{0u}; j < most;", "for (decltype(accache_value(0u)) j = j_chunk; j < j_chunk + 32 && j < most; ++j)"),
    ],
)
def test_a_variable_of_a_loop_may_be_declared_in_any_form(head: str, made: str, tmp_path: Path) -> None:
    """Those without ``=``, and with a comparison in their values, ended with tracebacks, and auto became 64 bits."""
    found = preloaded(tmp_path, f"float s = 1; for ({head} ++j) s += a[j + 4] * ((j - 70) / 2 > 0); c[i] = s;")
    assert made in found.text
    expect_no_difference(tmp_path)


@pytest.mark.parametrize("head", ["size_t j = lo; j < lo + 3;", "size_t j = (size_t)n * 2; j < n;"])
def test_chunks_are_not_counted_past_64_bits(head: str, tmp_path: Path) -> None:
    found = preloaded(tmp_path, f"float s = 1; for ({head} ++j) s += a[j + 4]; c[i] = s;")
    told = {decision.array: decision.reason for decision in found.plans[0].decisions}
    assert told["a"] == "its variable has 64 bits and no sign, and may start far from 0"


@pytest.mark.parametrize("head", ["unsigned j = -4; j < -1;", "size_t j = -4; j < -1;", "int j = -4; j < -1;"])
def test_a_copy_at_the_entry_counts_as_an_int_does(head: str, tmp_path: Path) -> None:
    """From 4294967292 on, places in the tile were below zero."""
    found = preloaded(tmp_path, f"float s = 1; for ({head} ++j) s += a[j + 4 + threadIdx.x]; c[i] = s;")
    assert [tile.box.lengths for plan in found.plans for tile in plan.tiles] == [(34,)]
    assert "s += a_tile[(int)j + threadIdx.x + 4];" in found.text
    expect_no_difference(tmp_path)


def test_a_loop_that_passes_the_end_of_int_has_no_copy_at_the_entry(tmp_path: Path) -> None:
    text = "float s = 1; for (unsigned j = 2147483640u; j < 2147483660u; ++j) s += a[j - 2147483640u]; c[i] = s;"
    found = preloaded(tmp_path, text)
    assert all(tile.loop is not None for plan in found.plans for tile in plan.tiles)
    expect_no_difference(tmp_path)


def test_conditions_that_the_compiler_decides_stay(tmp_path: Path) -> None:
    """These ended with a traceback."""
    body = f"if constexpr (sizeof(int) == 4) {{ float w = 2; {LOOP} }} else c[i] = 1;"
    found = preloaded(tmp_path, body)
    assert "if constexpr (sizeof(int) == 4) { float w = 2; float s = 0; for (long long " in found.text
    assert "} else { if (active) c[i] = 1; }" in found.text


def test_the_name_of_an_array_may_stand_in_parentheses(tmp_path: Path) -> None:
    """These, too."""
    body = "float s = 0; for (int j = 0; j < n; ++j) s += (a)[j] + ((a)) [j + 1]; c[i] = s;"
    assert "s += a_tile[j - j_chunk] + a_tile[(j - j_chunk) + 1];" in preloaded(tmp_path, body).text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"float &w = c[i]; {LOOP}", "it declares a reference"),
        (f"float w = i[a]; {LOOP}", "a macro holds a reference, or it has the index in front of the array"),
    ],
)
def test_what_has_no_place_for_edits_is_told(body: str, reason: str, tmp_path: Path) -> None:
    found = preloaded(tmp_path, body)
    assert {decision.reason for decision in found.plans[0].decisions if decision.array == "a"} == {reason}


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("int j = n - 1; j >= 0; --j", "its step is below zero"),
        ("int j = 0; j != n; ++j", "its condition is !="),
        ("int j = lo; j < most; ++j", "it may compare what is below zero as a number without a sign"),
        ("int j = 0; j < n; j += n", "its step is not a constant"),
        ("int j = 0, m = 3; j < n; ++j", "its initialisation is not a single assignment"),
        ("int j = 0; j < n && s < 9; ++j", "its condition is not a comparison with a limit"),
    ],
)
def test_a_loop_that_is_not_counted_upwards_is_told_why(head: str, reason: str, tmp_path: Path) -> None:
    """It said that their bounds are not the same for all threads."""
    found = preloaded(tmp_path, f"float s = 0; for ({head}) s += a[j]; c[i] = s;")
    told = {decision.array: decision.reason for decision in found.plans[0].decisions}
    assert told["a"] == f"the loop is not counted upwards: {reason}"


@pytest.mark.parametrize(
    ("macro", "loop"),
    [
        ("#define LESS j < n\n", "int j; for (j = 0; LESS; ++j) s += a[j];"),
        ("#define J j\n", "int j = 9; { for (int j = 0; J < n; ++j) s += a[j]; } s += j;"),
        ("#define LESS(i, n) ((i) < (n))\n", "for (int j = 0; LESS(j, n); ++j) s += a[j];"),
    ],
)
def test_a_condition_that_a_macro_holds_stays(macro: str, loop: str, tmp_path: Path) -> None:
    """The chunks' condition asked for the variable of the loop inside, or one of its name further outside."""
    found = preloaded(tmp_path, f"float s = 0; {loop} c[i] = s;", before=macro)
    told = {decision.array: decision.reason for decision in found.plans[0].decisions}
    assert told["a"] == "a macro holds the loop"


ZERO = "its bounds may divide by zero for threads that do not come to it"
LEAVE = "threads leave the kernel, or a loop around, in the middle of a statement"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "float s = 0; for (int t = 0; t < 4; ++t) { if (t == lo + 6) return; {loop} c[i] += s; }",
            "a jump leaves the loop",
        ),
        ("float s = 0; if (n > lo) { if (b[i] > 3) return; {loop} } c[i] += s;", LEAVE),
        ("float s = 0; { if (b[i] > 3) return; {loop} } c[i] += s;", LEAVE),
        ("float s = 0; if (b[i] > 3) return; for (int t = 0; t < 4; ++t) { {loop} } c[i] += s;", ""),
        ("float s = 0; {loop} c[i] += s; return;", ""),
        ("float s = 0; {loop} { c[i] += s; return; }", LEAVE),
    ],
)
def test_who_returns_does_not_come_back(body: str, reason: str, tmp_path: Path) -> None:
    """Threads that returned in a round of a loop took part in the next one."""
    found = preloaded(tmp_path, body.replace("{loop}", "for (int j = 0; j < n; ++j) s += a[j];"))
    assert [decision.reason for decision in found.plans[0].decisions if decision.array == "a"] == [reason]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (lo == 0) return; float s = 0; {loop} c[i] = s;", ZERO),
        ("float s = 0; if (lo) {loop} c[i] = s;", ZERO),
        (
            "float s = 0; if (lo) for (int t = 0; t < 9 % lo; ++t) for (int j = 0; j < n; ++j) s += a[j]; c[i] = s;",
            ZERO,
        ),
        ("if (lo == 0) return; float s = 0; for (int j = 0; j < n / (int)blockDim.x; ++j) s += a[j]; c[i] = s;", ""),
    ],
)
def test_all_threads_compute_the_bounds_of_a_loop_in_chunks(body: str, reason: str, tmp_path: Path) -> None:
    """Those that had returned, since the divisor was zero, divided by it."""
    loop = "for (int j = 0; j < n / lo; ++j) s += a[j];"
    found = preloaded(tmp_path, body.replace("{loop}", loop), guard="")
    assert [decision.reason for decision in found.plans[0].decisions if decision.array == "a"] == [reason]


def test_bounds_that_all_threads_compute_may_divide(tmp_path: Path) -> None:
    body = "float s = 0; for (int j = 0; j < n / lo; ++j) s += a[j]; c[i] = s;"
    assert [tile.array for tile in preloaded(tmp_path, body, guard="").plans[0].tiles] == ["a"]


@pytest.mark.parametrize(
    ("state", "is_told"),
    [
        ("static int calls;", True),
        ("static unsigned calls[2] = {1, 2};", True),
        ("__device__ static int calls;", True),
        ("STATE int calls;", True),
        ("static const int calls = 2;", False),
        ("const static int calls = 2;", False),
        ("static constexpr int calls = 2;", False),
        ("static __shared__ int calls;", False),
    ],
)
def test_a_kernel_with_a_state_stays(state: str, is_told: bool, tmp_path: Path) -> None:
    """Each version had a state of its own, and a program may launch both."""
    found = preloaded(tmp_path, f"{state} float w = 2; {LOOP}", before="#define STATE static\n")
    told = ["static variable" in item.message for item in found.diagnostics if item.code == "ACC984"]
    assert told == [True] * is_told


@pytest.mark.parametrize("element", ["const float x; float y;", "struct { const float x[2]; } x[2];"])
def test_elements_that_cannot_be_assigned_are_told(element: str, tmp_path: Path) -> None:
    text = f"struct P {{ {element} }};\n__global__ void k(const P *a, int *c, int n)\n{{\n    int s = 0;\n"
    path = tmp_path / "program.cu"
    path.write_text(
        text
        + "    for (int j = 0; j < n; ++j) s += a[j].y;\n    c[threadIdx.x] = s;\n}\n".replace(
            ".y", ".x[0].x[1]" if "[2]" in element else ".y"
        )
    )
    found = preload(Invocation(str(path)), KEPLER, 2.0, (32, 1, 1), reporter=Reporter())
    assert [item.reason for item in found.plans[0].decisions] == ["its elements have const members", "written"]


def test_programs_with_such_texts_give_what_they_gave(tmp_path: Path) -> None:
    """The last 28 threads return."""
    body = """float v{b[i]};
    float w(b[i]);
    auto x = b[i];
    typedef float T;
    T s = v * x;
    if constexpr (sizeof(T) == 4)
        for (unsigned j = lo; j < most; ++j) s += a[j] * w;
    for (int j = 0; j < n; ++j) s += (a)[j] * w;
    c[i] = s;"""
    assert len(preloaded(tmp_path, body).plans[0].tiles) == 2
    expect_no_difference(tmp_path)


def test_a_launch_asks_for_what_copies_take_for_granted(tmp_path: Path) -> None:
    """Of each array its allocation, which nothing lies in that the kernel writes; the block; no dynamic memory."""
    text = preloaded(tmp_path, "float s = 0; for (int j = 0; j < n; ++j) s += a[j] + b[j]; c[i] = s;").text
    launcher = text[text.index("[[maybe_unused]] static inline void k_preload(") :]
    for condition in (
        "accache_block.x == 32 && accache_block.y == 1 && accache_block.z == 1 && accache_shared == 0;",
        "accache_holds = accache_elements_of(accache_a_memory, a, a_there) && accache_holds;",
        "accache_holds = accache_elements_of(accache_b_memory, b, b_there) && accache_holds;",
        "accache_holds = accache_apart(accache_a_memory, accache_c_memory) && accache_holds;",
        "accache_holds = accache_apart(accache_b_memory, accache_c_memory) && accache_holds;",
    ):
        assert condition in launcher
    assert "(size_t)accache_array % alignof(accache_Element) == 0" in text  # 12 bytes lie at any multiple of 4
    assert launcher.index("if (accache_holds)\n        k_preloaded<<<") < launcher.index("else\n        k<<<")


SIZES = "struct Sizes { int x, y; unsigned u; size_t z; float f; };\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("float s = 0; for (int j = 0; j < size.x; ++j) s += a[j + size.y] * size.f; c[i] = s;", ""),
        ("int most = size.x, o = size.u * 2; float s = 0; for (int j = 0; j < most; ++j) s += a[j + o]; c[i] = s;", ""),
        ("if (i >= size.x) return; float s = 0; for (size_t j = 0; j < size.z; ++j) s += a[j]; c[i] = s;", ""),
        ("c[i] = a[threadIdx.x + size.x] + a[threadIdx.x + 1 + size.x];", ""),
        ("float s = 0; for (int x = 0; size.x > x; ++x) s += a[x + size.y]; c[i] = s;", ""),
        (
            "int o = size.y; float s = 0; { int size = 3; for (int j = size; j < n; ++j) s += a[j + o]; } c[i] = s;",
            "its indices are not affine in positions, parameters and loop variables",
        ),
        (
            "Sizes *p = &size; p->x = 3; float s = 0; for (int j = 0; j < size.x; ++j) s += a[j]; c[i] = s;",
            "may alias: the kernel writes to what no parameter points to",
        ),
        (
            "size.y = i % 3; float s = 0; for (int j = 0; j < n; ++j) s += a[j + size.y]; c[i] = s;",
            "may alias 'size', which the kernel writes",
        ),
        (
            "Sizes other = size; float s = 0; for (int j = 0; j < other.x; ++j) s += a[j]; c[i] = s;",
            "the loop's bounds are not the same for all threads of a block",
        ),
    ],
)
def test_members_of_a_structure_that_is_handed_over_are_the_same_for_all(
    body: str, reason: str, tmp_path: Path
) -> None:
    kernel = KERNEL.format(guard="", body=body).replace("int n, int lo, unsigned most", "int n, Sizes size")
    main = MAIN.replace("100, -4, 64u", "50, Sizes{40, 20, 24u, 40, 2.0f}").replace("<<<4", "<<<3")
    path = tmp_path / "program.cu"
    path.write_text(SIZES + kernel + main)
    found = preload(Invocation(str(path)), KEPLER, 1.5, (32, 1, 1), reporter=Reporter())
    (tmp_path / "written.cu").write_text(found.text)
    assert [each.reason for each in found.plans[0].decisions if each.array == "a"] == [reason]
    expect_no_difference(tmp_path)


@pytest.mark.parametrize(
    ("body", "start"),
    [
        ("int o = n / 2; float s = 0; for (int j = 0; j < 9; ++j) s += a[o + j]; c[i] = s;", "(unsigned)(n/2)"),
        ("float s = 0; for (int j = 0; j < n / 2; ++j) s += a[n / 4 + j];", "(unsigned)j_chunk + (unsigned)(n/4)"),
        (
            "short o = n * 700; float s = 0; for (int j = 0; j < 9; ++j) s += o > 0 ? a[o / 999 + j] : 1; c[i] = s;",
            "(unsigned)((short)(n*700)/999)",
        ),
        ("float s = 0; for (int j = 0; j < 9; ++j) s += a[n / own::N + j];", "(unsigned)(n/(unsigned)4)"),
        (
            "enum { TWO = 2 }; typedef short T; float s = 0; for (int j = 0; j < 9; ++j) s += a[(T)n / TWO + j];",
            "(unsigned)((short)n/2)",
        ),
        ("float s = 0; for (int j = 0; j < 9; ++j) s += a[min(n, 9) + j];", "(unsigned)(n < 9 ? n : 9)"),
        ("float s = 0; for (int j = 0; j < 9; ++j) s += a[blockIdx.x / 3 + j];", "(unsigned)(blockIdx.x/3)"),
        ("int o = n / 2; float s = 0; { int n = 9; for (int j = 0; j < n; ++j) s += a[o + j]; } c[i] = s;", ""),
        ("float s = 0; for (int j = 0; j < 9; ++j) s += a[n / (lo + 9) + j];", ""),
        ("float s = 0; for (int j = 0; j < 9; ++j) s += a[i / 9 + j];", ""),
        ("lo = n / 2; float s = 0; for (int j = 0; j < 9; ++j) s += a[lo / 2 + j];", ""),
    ],
)
def test_an_index_may_have_what_a_block_computes_alike(body: str, start: str, tmp_path: Path) -> None:
    """It is computed where the copy begins, by the names of the parameters; others may hide them there."""
    text = body if "c[i]" in body else f"{body} c[i] = s;"
    found = preloaded(tmp_path, text, before="namespace own { const unsigned N = 4; }\n")
    assert f"_fetch(a_tile, a, a_there, {start});" in found.text if start else "a_tile" not in found.text
    expect_no_difference(tmp_path)
