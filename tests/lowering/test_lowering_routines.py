"""What kernels know of the shared memory that their routines take."""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import lowered_routines, map_source
from accache.lowering.routines import with_routines

TEXT = """
#pragma acc routine vector
static float sum_of(int m, const float *row)
{
    float s = 0;
#pragma acc loop vector reduction(+:s)
    for (int j = 0; j < m; ++j)
        s += row[j];
    return s;
}
void f(int n, int m, float *a, float *b, float *c)
{
#pragma acc parallel loop gang present(a[0:n*m], b[0:n*m], c[0:n])
    for (int i = 0; i < n; ++i) {
        c[i] = sum_of(m, a + i*m);
#pragma acc loop vector
        for (int k = 0; k < m; ++k)
            for (int j = 0; j < m; ++j)
                b[i*m + k] += a[i*m + j];
    }
}
"""


def test_versions_for_overlapping_arrays_know_it_too() -> None:
    reporter = Reporter()
    found = map_source(SourceFile("a.c", TEXT), Options(), reporter)
    ((kernel,),) = found.mapped
    routines = lowered_routines(found.program, Options(), reporter)
    prepared = with_routines(kernel, routines, reporter)
    assert prepared.variants.overlapping is not None
    assert prepared.routine_parts
    assert prepared.variants.overlapping.routine_parts == prepared.routine_parts
