"""Which of several forms about as fast is emitted."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate
from accache.report.records import CandidateReport

SAMPLES = Path(__file__).parents[3] / "samples"


def candidates(name: str, *defines: str) -> tuple[CandidateReport, ...]:
    """Those of the first kernel of a sample."""
    options = Options(runtime=False, preprocessor=tuple(f"-D{text}" for text in defines))
    return translate(str(SAMPLES / name), options).report.kernels[0].candidates


def chosen(name: str, *defines: str) -> CandidateReport:
    (found,) = (item for item in candidates(name, *defines) if not item.refused)
    return found


def test_arrays_need_not_be_aligned_for_a_few_clocks() -> None:
    best = chosen("nbody.c")
    assert (best.iterations, best.accesses) == ((2,), "")
    form = (best.iterations, best.subarrays)
    wide = [item for item in candidates("nbody.c") if item.accesses and (item.iterations, item.subarrays) == form]
    assert len(wide) == 2  # a thread's iterations are neighbours, or a block's width apart
    assert all(item.clocks < best.clocks for item in wide)
    assert {item.refused for item in wide} == {"it needs aligned arrays, and saves less than 2% of the chosen one"}


PRODUCT = """void f(int n, const double (*restrict a)[n], const double (*restrict b)[n], double (*restrict c)[n])
{
#pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; ++i)
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
"""


CHUNKED = """void f(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i)
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += 16) {
#pragma acc cache(a[i:1][l:16], b[l:16][j:1])
                for (int k = l; k < l + 16 && k < n; ++k)
                    sum += a[i*n + k]*b[k*n + j];
            }
            c[i*n + j] = sum;
        }
}
"""
WINDOW = """void f(int n, int m, int first, const float *restrict a, float *restrict c)
{
#pragma acc parallel loop copyin(a[0:n*m]) copy(c[0:n*m])
    for (int i = 0; i < n - 8; ++i)
#pragma acc loop
        for (int j = 2; j < m - 2; ++j) {
#pragma acc cache(a[i+first:3][j-2:5])
            float sum = 0;
            for (int r = 0; r < 3; ++r)
                for (int s = -2; s <= 2; ++s)
                    sum += a[(i + r + first)*m + j + s];
            c[i*m + j] = sum;
        }
}
"""


def forms(text: str, folder: Path) -> tuple[CandidateReport, ...]:
    source = folder / "f.c"
    source.write_text(text)
    return translate(str(source), Options(runtime=False)).report.kernels[0].candidates


def emitted(found: tuple[CandidateReport, ...]) -> CandidateReport:
    return next(item for item in found if not item.refused)


def test_tiles_leave_room_for_threads_that_cover_the_latency_of_l2(tmp_path: Path) -> None:
    found = forms(CHUNKED.replace("16", "96"), tmp_path)
    assert not emitted(found).subarrays
    (reason,) = {item.refused for item in found if item.shared_bytes == 61440}
    assert reason == "its tiles leave room for 384 threads on a multiprocessor, fewer than 512"
    assert emitted(forms(CHUNKED.replace("16", "64"), tmp_path)).shared_bytes == 40960


def test_tiles_that_move_have_much_to_do_between_barriers(tmp_path: Path) -> None:
    inner = CHUNKED[CHUNKED.index("            for (int l") : CHUNKED.index("            c[i*n + j]")]
    one_row = """            for (int l = 0; l < n; ++l) {
#pragma acc cache(b[l*n+j:1])
                sum += a[i*n + l]*b[l*n + j];
            }
"""
    found = forms(CHUNKED.replace(inner, one_row), tmp_path)
    assert not emitted(found).subarrays
    assert any(item.iterations == (8, 4) and item.subarrays == ("b[l*n+j:1]",) for item in found)
    assert len(emitted(forms(CHUNKED, tmp_path)).subarrays) == 2


def test_tiles_for_all_iterations_of_a_block_are_estimated_where_they_may_win(tmp_path: Path) -> None:
    """Tiles save sectors of L1 and hardly any instructions; those that move along a loop are held to less."""

    def have_tiles(found: tuple[CandidateReport, ...]) -> bool:
        return any(item.subarrays and max(item.iterations, default=1) > 1 for item in found)

    assert have_tiles(candidates("strided.c"))  # L1 bounds it
    assert have_tiles(forms(CHUNKED, tmp_path))
    assert not have_tiles(candidates("jacobi.c"))
    assert not have_tiles(forms(WINDOW, tmp_path))


def test_a_tile_moves_along_loops_of_the_kernel_alone(tmp_path: Path) -> None:
    # one that the launch moves is held to what one that stays is
    found = emitted(forms(WINDOW, tmp_path))
    beside = emitted(forms(WINDOW.replace("+first", "+2").replace("+ first", "+ 2"), tmp_path))
    assert (found.iterations, found.accesses) == (beside.iterations, beside.accesses)
    assert found.subarrays == beside.subarrays == ()


def test_more_registers_than_usual_are_taken_where_a_tenth_of_the_clocks_is_saved(tmp_path: Path) -> None:
    found = forms(PRODUCT, tmp_path)
    best = emitted(found)
    usual = min((item for item in found if item.iterations and item.registers <= 32), key=lambda item: item.clocks)
    assert (best.iterations, best.registers) == ((8, 4), 64)
    assert best.clocks <= 0.9 * usual.clocks
    # sums of floats take half as many
    assert all(item.registers <= 32 for item in forms(PRODUCT.replace("double", "float"), tmp_path) if not item.refused)


def test_they_are_aligned_where_that_pays() -> None:
    assert chosen("stencil.c", "RADIUS=30").accesses == "wide"


def test_a_grid_that_is_known_to_be_large_has_no_kernel_for_small_ones(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    constant = WINDOW.replace("n*m", "4096*4096").replace("n - 8", "4088").replace("m - 2", "4094")
    source.write_text(constant.replace(")*m", ")*4096").replace("i*m", "i*4096"))
    emitted = translate(str(source), Options(runtime=False, wide="off")).device
    assert "i_base" in emitted
    assert "_single" not in emitted
    source.write_text(WINDOW)
    assert "_single" in translate(str(source), Options(runtime=False, wide="off")).device


STAR = """void f(int n, int m, const float *restrict a, float *restrict b, float w)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 4; i < n - 4; ++i)
        for (int j = 4; j < m - 4; ++j) {
#pragma acc cache(a[i*m+j-4:9])
            float s = 0;
            for (int r = 1; r <= 4; ++r)
                s += DIVISION*(a[i*m + j - r] + a[i*m + j + r] + a[(i - r)*m + j] + a[(i + r)*m + j]);
            b[i*m + j] = s;
        }
}
"""


def test_what_is_constant_once_loops_are_unrolled_costs_nothing(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    found = {}
    for division in ("0.5f", "(1.0f/r)", "(1.0f/(r + 1))", "(1.0f/w)", "(w/r)"):
        source.write_text(STAR.replace("DIVISION", division))
        (kernel,) = translate(str(source), Options(runtime=False)).report.kernels
        (chosen,) = (item for item in kernel.candidates if not item.refused)
        found[division] = (kernel.fewest_blocks * kernel.threads, chosen.clocks)
    assert found["(1.0f/r)"] == found["(1.0f/(r + 1))"] == found["0.5f"]
    assert found["0.5f"][0] == 16384
    assert found["(1.0f/w)"][0] == found["(w/r)"][0] == 131072
    assert found["(w/r)"][1] > found["0.5f"][1]
