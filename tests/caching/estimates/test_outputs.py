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
    emitted = chosen("nbody.c")
    assert (emitted.iterations, emitted.accesses) == ((2,), "")
    form = (emitted.iterations, emitted.subarrays)
    wide = [item for item in candidates("nbody.c") if item.accesses and (item.iterations, item.subarrays) == form]
    assert len(wide) == 2  # a thread's iterations are neighbours, or a block's width apart
    assert all(item.clocks < emitted.clocks for item in wide)
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


def test_more_registers_than_usual_are_taken_where_a_tenth_of_the_clocks_is_saved(tmp_path: Path) -> None:
    source = tmp_path / "product.c"
    source.write_text(PRODUCT)
    found = translate(str(source), Options(runtime=False)).report.kernels[0].candidates
    emitted = next(item for item in found if not item.refused)
    usual = min((item for item in found if item.iterations and item.registers <= 32), key=lambda item: item.clocks)
    assert (emitted.iterations, emitted.registers) == ((8, 4), 64)
    assert emitted.clocks <= 0.9 * usual.clocks
    # sums of floats take half as many
    source.write_text(PRODUCT.replace("double", "float"))
    found = translate(str(source), Options(runtime=False)).report.kernels[0].candidates
    assert all(item.registers <= 32 for item in found if not item.refused)


def test_they_are_aligned_where_that_pays() -> None:
    assert chosen("stencil.c", "RADIUS=30").accesses == "wide"
