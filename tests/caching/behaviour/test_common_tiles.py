"""Tiles that all iterations of a kernel have in common, in kernels whose threads have several iterations."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import parts, some
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain, run
from accache.base.options import Options
from accache.driver import translate

SAMPLES = Path(__file__).parents[3] / "samples"
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void {name}(int n, int m, int k, const unsigned char *restrict a, {table} *restrict w, unsigned char *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(w[0:k]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j) {{
#pragma acc cache(w[0:{length}])
            const int own = a[i*m + j];
            float sum = 0;
            for (int r = -1; r <= 1; ++r)
                for (int c = -1; c <= 1; ++c) {{
                    const int other = a[(i + r)*m + j + c];
                    sum += w[other]*(other - own);
                }}
            b[i*m + j] = (unsigned char)(int)(sum/16);
            {more}
        }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]), k = 256;
    unsigned char *a = malloc(n*m), *b = malloc(n*m);
    float *w = malloc(k*sizeof *w);
    for (int i = 0; i < n*m; ++i) {{
        a[i] = (unsigned char)((i * 7919u + seed) % 253);
        b[i] = (unsigned char)i;
    }}
    for (int i = 0; i < k; ++i)
        w[i] = 4.0f/(1 + i % 9);
    {name}(n, m, k, a, w, b);
    unsigned hash = 0;
    for (int i = 0; i < n*m; ++i)
        hash = hash*31 + b[i];
    printf("%u %g\\n", hash, w[3]);
    return 0;
}}
"""
SIZES = ((3, 3), (5, 400), (66, 514), (67, 515), (70, 530), (131, 258))
FORMS = ("4x2", "2x4", "8x1", "4", "4x1")


def program(name: str = "f", length: str = "256", more: str = "", table: str = "const float") -> str:
    return PROGRAM.format(name=name, length=length, more=more, table=table)


def emitted(folder: Path, text: str) -> str:
    path = folder / "a.c"
    path.write_text(text)
    return translate(str(path), Options(runtime=False)).device


def test_threads_with_several_iterations_share_a_tile(tmp_path: Path) -> None:
    found = emitted(tmp_path, program())
    assert "float sum[2][4]" in found
    assert found.count("float w_tile[256];") == 2  # of threads with one iteration in small launches, too
    assert found.count("w_tile[other]") == 3  # far from the edges, one by one, and in small launches


def test_the_launch_has_a_third_version_only_where_a_tile_may_not_hold(tmp_path: Path) -> None:
    assert "_plain(" not in emitted(tmp_path, program())
    doubtful = emitted(tmp_path, program(length="k"))
    assert "without caches, for launches where" in doubtful
    assert doubtful.count("k <= ") == 2  # of the two versions with tiles


def test_a_tile_that_is_written_keeps_one_iteration_a_thread(tmp_path: Path) -> None:
    found = emitted(tmp_path, program(more="if (i == 1 && j == 1) w[3] = 7;", table="float"))
    assert "sum[" not in found
    assert "w_tile[" in found


def test_both_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(program())
    kernel = explain(path).kernels[0]
    chosen = next(item for item in kernel.candidates if item.chosen)
    assert (chosen.subarrays, chosen.shared_bytes) == (("w[0:256]",), 1024)
    assert {f"{form} with tiles w[0:256]" for form in FORMS} <= {item.name for item in kernel.candidates}
    assert kernel.subarrays[0].method == "rbi"
    assert "with 2 x 4 iterations a thread, in blocks of 32 x 4 x 1, 1024 bytes shared" in str(explain(path))


@pytest.mark.parametrize("forms", parts(("", *FORMS), 2))
@pytest.mark.parametrize("length", some(["256", "k"], 2, 1))
def test_results_are_the_same_in_all_forms(tmp_path: Path, length: str, forms: list[str]) -> None:
    cases = []
    for form in forms:
        name = f"f{form or 'auto'}"
        text = program(name, length)
        choices = ((f"{name}_L7_kernel", f"{form} with tiles w[0:{length}]"),) if form else ()
        cases.append(Case(Program(f"by_{name}", text, SIZES, ()), Options(choices=choices)))
    assert Batch(tmp_path, cases).differences(check=True) == []


PAIRS = """
#include <stdio.h>
#include <stdlib.h>
static void {name}(int n, int k, const float *restrict p, const float *restrict q, float *restrict out)
{{
#pragma acc parallel loop copyin(p[0:n], q[0:k]) copy(out[0:n])
    for ({loop}) {{
        const float own = p[{at}];
        float sum = 0, best = 1e9f;
        for (int t = 0; t < k; t += 256) {{
            const int end = t + 256 < k ? t + 256 : k;
#pragma acc cache(q[t:256])
            for (int j = t; j < end; ++j) {{
                const float d = q[j] - own;
                sum += d*d;
                best = d*d < best ? d*d : best;
            }}
        }}
        out[{at}] = sum + best;
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), k = atoi(argv[2]), seed = atoi(argv[3]);
    float *p = malloc(n*sizeof *p), *q = malloc(k*sizeof *q), *out = malloc(n*sizeof *out);
    for (int i = 0; i < n; ++i) {{
        p[i] = (i*7 + seed) % 101;
        out[i] = i;
    }}
    for (int i = 0; i < k; ++i)
        q[i] = (i*13 + seed) % 97;
    {name}(n, k, p, q, out);
    double total = 0;
    for (int i = 0; i < n; ++i)
        total = total*0.75 + out[i];
    printf("%.17g\\n", total);
    return 0;
}}
"""
LOOPS = {
    "up": ("int i = 0; i < n; ++i", "i"),
    "closed": ("int i = 1; i <= n; ++i", "i - 1"),
    "down": ("int i = n - 1; i >= 0; --i", "i"),
    "below": ("int i = -n; i < 0; ++i", "-i - 1"),
    "thirds": ("int i = 2; i < n; i += 3", "i"),
    "long": ("long i = 0; i < n; ++i", "i"),
}


def pairs(name: str = "f", loop: str = "up") -> str:
    header, at = LOOPS[loop]
    return PAIRS.format(name=name, loop=header, at=at)


def test_blocks_whose_threads_have_all_iterations_wait_for_each_other(tmp_path: Path) -> None:
    found = emitted(tmp_path, pairs())
    whole, _, others = found[found.index("if ((int)(") :].partition("} else if (active) {")
    assert "sum[di] +=" in whole
    assert whole.count("__syncthreads();") == 2
    assert "q_tile" not in others.partition("\n}")[0]


@pytest.mark.parametrize("loop", some(LOOPS, 6, 3))
def test_results_are_the_same_at_the_ends_of_all_loops(tmp_path: Path, loop: str) -> None:
    sizes = ((1, 5), (255, 300), (16383, 20), (16384, 256), (16385, 257))
    cases = []
    for form in ("", "2", "4", "4 neighbours wide"):
        name = f"f{form.partition(' ')[0] or 'auto'}{'n' * ('neighbours' in form)}"
        choices = ((f"{name}_L6_kernel", f"{form} with tiles q[t:256]"),) if form else ()
        cases.append(Case(Program(f"by_{name}", pairs(name, loop), sizes, ()), Options(choices=choices)))
    assert Batch(tmp_path, cases).differences(check=True) == []


def test_what_lies_outside_of_a_section_is_told_in_large_launches_too(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text((SAMPLES / "nbody.c").read_text().replace("copy(x[0:n], y", "copy(x[0:n/2], y"))
    result = run(path, ["16384", "1"], check=False)
    assert "the kernel uses elements 0 to 16383 of x, and on the device are 0 to 8191" in result.stderr


TWO_LOOPS = """
#include <stdio.h>
#include <stdlib.h>
static void f(int n, int m, const float *restrict a, const float *restrict b, const float *restrict q,
              float *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n], b[0:m], q[0:n]) copy(out[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            float sum = 0;
            for (int t = 0; t < n; t += 128) {
                const int end = t + 128 < n ? t + 128 : n;
#pragma acc cache(q[t:128])
                for (int k = t; k < end; ++k) {
                    const float x = (a[i] - q[k])*(b[j] - q[k]);
                    sum += x > 0 ? x : q[k];
                }
            }
            out[i*m + j] = sum;
        }
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(n*sizeof *a), *b = malloc(m*sizeof *b), *q = malloc(n*sizeof *q);
    float *out = calloc(n*m, sizeof *out);
    for (int i = 0; i < n; ++i) {
        a[i] = (i*7 + seed) % 31;
        q[i] = (i*13 + seed) % 41;
    }
    for (int i = 0; i < m; ++i)
        b[i] = (i*11 + seed) % 37;
    f(n, m, a, b, q, out);
    double total = 0;
    for (int i = 0; i < n*m; ++i)
        total = total*0.75 + out[i];
    printf("%.17g\\n", total);
    return 0;
}
"""


def test_results_are_the_same_at_the_ends_of_two_loops(tmp_path: Path) -> None:
    assert "+ 15) < n && (int)(64*blockIdx.x + 63) < m)" in emitted(tmp_path, TWO_LOOPS)
    sizes = ((127, 320), (128, 319), (128, 320), (129, 321), (191, 255))
    assert Batch(tmp_path, [Case(Program("by_f", TWO_LOOPS, sizes, ()), Options())]).differences(check=True) == []
