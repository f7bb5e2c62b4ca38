"""Tiles that hold what all iterations of a block use, in kernels whose threads have several."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

SAMPLES = Path(__file__).parents[2] / "samples"
MAIN = """
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(sizeof(float) * n*m), *b = malloc(sizeof(float) * n*m), *c = malloc(sizeof(float) * n*m);
    for (int i = 0; i < n*m; ++i) {{
        a[i] = (i * 7 + seed) % 11 - 4;
        b[i] = (i * 5 + seed) % 13 - 6;
        c[i] = i % 3;
    }}
    {name}(n, m, a, b, c);
    unsigned hash = 0;
    for (int i = 0; i < n*m; ++i)
        hash = hash*31 + (unsigned)(int)c[i];
    printf("%u\\n", hash);
    return 0;
}}
"""
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n"
LOOPS = """static void {name}(int n, int m, const float *restrict a, const float *restrict b, float *restrict c)
{{
#pragma acc parallel loop copyin(a[0:n*m], b[0:n*m]) copy(c[0:n*m])
    for (int i = {i}; i < n - {i}; ++i)
#pragma acc loop
        for (int j = {j}; j < m - {j}; ++j) {{
            {body}
        }}
}}
"""
PRODUCT = """float sum = 0;
            for (int l = 0; l < n; l += 8) {
#pragma acc cache(a[i:1][l:8], b[l:8][j:1])
                for (int k = l; k < l + 8 && k < n; ++k)
                    sum += a[i*m + k]*b[k*m + j];
            }
            c[i*m + j] = sum;"""
ROWS = """#pragma acc cache(a[i-1:3][j-2:5])
            const int above = i - 1, left = j - 2;
            c[i*m + j] = a[above*m + left] + 2*a[i*m + j] - a[(i + 1)*m + j + 2];"""
BEHIND = """float sum = 0;
            for (int k = 0; k < 3; ++k) {
#pragma acc cache(a[i + k:1][j:2])
                const int row = i + k;
                sum += a[row*m + j] - a[row*m + j + 1];
            }
            c[i*m + j] = sum;"""
EDGES = """#pragma acc cache(a[i-1:2][j:1])
            float sum = a[i*m + j];
            if (i > 0)
                sum += 2*a[(i - 1)*m + j];
            c[i*m + j] = sum;"""
ALONE = """#pragma acc cache(a[j*n+i:1])
            c[i*m + j] = a[j*n + i] * a[j*n + i] - b[i*m + j];"""
ODD = """#pragma acc cache(b[j:2])
            c[i*m + j] = b[j]*a[i*m + j] - b[j + 1];"""
SIZES = ((5, 6), (33, 40), (64, 68), (65, 132), (96, 160), (130, 260))
FORMS = (("2", "off"), ("4", "on"), ("2x2", "on"), ("2x4", "off"), ("8x4", "on"))


def text(name: str, body: str, i: int = 0, j: int = 0) -> str:
    return HEAD + LOOPS.format(name=name, body=body, i=i, j=j) + MAIN.format(name=name)


PROGRAMS = {
    "product": text("product", PRODUCT),
    "rows": text("rows", ROWS, 1, 2),
    "behind": text("behind", BEHIND, 3, 3),
    "edges": text("edges", EDGES),
    "alone": text("alone", ALONE),
    "odd": text("odd", ODD),
}


def device(folder: Path, source: str, options: Options) -> str:
    path = folder / "a.c"
    path.write_text(source)
    return translate(str(path), options).device


def test_tiles_are_as_large_as_what_all_iterations_use(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["product"], Options(runtime=False, method="rbi", coarsen="8x4"))
    assert "float a_tile[32][8];" in found
    assert "float b_tile[8][128];" in found
    assert "sum[di][dj] += a_tile[8*threadIdx.y + di][t]*b_tile[t][4*threadIdx.x + dj];" in found
    halo = device(tmp_path, PROGRAMS["rows"], Options(runtime=False, method="rbi", coarsen="4x2", wide="off"))
    assert "float a_tile[18][68];" in halo  # 4 x 4 rows of 2 x 32 columns, and those around


def test_a_thread_whose_iterations_lie_apart_reads_a_blocks_width_further(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["product"], Options(runtime=False, method="rbi", coarsen="4x2", wide="off"))
    assert "b_tile[t][threadIdx.x + 32*dj]" in found


def test_blocks_with_a_part_of_their_iterations_read_memory(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["rows"], Options(runtime=False, method="rbi", coarsen="4", wide="off"))
    whole, _, others = found.partition("} else if (active) {")
    assert "a_tile[" in whole
    assert others.partition("\n}")[0].count("a[above*m + left]") == 2  # threads with all their iterations, and others


def test_a_tile_that_is_written_is_none_of_these(tmp_path: Path) -> None:
    own = "#pragma acc cache(c[i:1][j:1])\n            c[i*m + j] += a[i*m + j];"
    found = device(tmp_path, text("own", own), Options(runtime=False, method="rbi", coarsen="2x2"))
    assert "c_tile[" in found
    assert "i_base" not in found


def test_threads_at_an_edge_wait_for_others_with_one_iteration_each(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["edges"], Options(runtime=False, method="rbi", coarsen="4", wide="off"))
    assert "a_tile[" in found
    assert "i_base" not in found


def test_tiles_are_filled_four_elements_at_a_time_where_rows_are_aligned(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["product"], Options(runtime=False, method="rbi", coarsen="8x4", wide="on"))
    assert "b_tile[row][column + next] = (&b[(b_row + row)*pitch + b_column + column])[next];" in found
    assert "__shared__ __align__(16) float b_tile[8][128];" in found
    aligned = device(tmp_path, PROGRAMS["rows"], Options(runtime=False, method="rbi", coarsen="2x4", wide="on"))
    assert "next < 4" in aligned
    shifted = device(tmp_path, text("rows", ROWS, 1, 3), Options(runtime=False, method="rbi", coarsen="2x4", wide="on"))
    assert "next < 4" not in shifted  # they begin one element behind an aligned place


def test_a_tile_that_lies_in_its_array_is_copied_without_a_question_of_each_element(tmp_path: Path) -> None:
    found = device(tmp_path, PROGRAMS["product"], Options(runtime=False, method="rbi", coarsen="8x4", wide="off"))
    quick, _, rarely = found[found.index("_b_fetch(") :].partition("} else {")
    assert "if (pitch >= 0 && b_row*pitch + b_column >= begin && (b_row + 7)*pitch + b_column + 127 < end) {" in quick
    assert quick.count("< end") == 1
    assert "< end)" in rarely.partition("\n}")[0]


def test_products_have_such_tiles_by_default() -> None:
    kernel = explain(str(SAMPLES / "gemm.c")).kernels[0]
    assert kernel.iterations == (8, 4)
    assert [item.extents for item in kernel.subarrays] == [(32, 16), (16, 128)]
    loads = kernel.subarrays[0].loads
    assert loads is not None
    assert (loads.before.formula, loads.after.formula) == ("4096*n", "512*ceil(n/16)")


def test_rows_that_are_not_aligned_keep_several_iterations_a_thread() -> None:
    found = translate(str(SAMPLES / "gemm.c"), Options(runtime=False)).device
    kernel = found[found.index("gemm_L24_kernel_unaligned(") :].partition("\n}\n")[0]
    assert "float sum[8][4];" in kernel
    assert "_tile[" not in kernel
    assert "gemm_L24_kernel_unaligned<<<" in found


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_plain_c(name: str, tmp_path: Path) -> None:
    assert differences(Program(name, PROGRAMS[name], SIZES, ()), tmp_path) == []


def test_a_block_may_lack_threads_whose_others_have_all_their_iterations(tmp_path: Path) -> None:
    constant = PROGRAMS["product"].replace("i < n - 0", "i < 40").replace("j < m - 0", "j < 136")
    assert differences(Program("product", constant, ((40, 136), (44, 140)), ()), tmp_path) == []


def differences(program: Program, folder: Path) -> list[str]:
    """What a program prints in several forms, under the checker, that is not what it does in plain C."""
    cases = [Case(program, Options(method="rbi", coarsen=factors, wide=wide)) for factors, wide in FORMS]
    batch = Batch(folder, cases)
    assert batch.failures == []
    return batch.differences(check=True)
