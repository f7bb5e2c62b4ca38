"""The text forms, and that nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sample_reports import NAMES, report_of

from accache.report.text import Report

Explain = Callable[..., Report]

REFUSED = """
void f(float *a, float *b, float *c, int n, int m)
{
#pragma acc parallel loop independent copyin(a[0:n], c[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float own[4];
#pragma acc cache(a[i:n], c, m, own, b[i : \\
                     1])
        for (int k = 0; k < 4; ++k)
            own[k] = a[i] + c[i] + m;
        b[i] = own[3];
    }
}
"""
STENCIL = """
void f(float *a, float *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3])
        b[i] = a[i-1] + a[i] + a[i+1];
    }
}
"""


@pytest.mark.parametrize(
    ("clauses", "why"),
    [
        ("gang vector_length(1)", "its loops are not all spread over both blocks and threads"),
        ("num_gangs(8)", "its threads go through the iterations in strides"),
    ],
)
def test_why_threads_do_not_have_several_iterations(clauses: str, why: str, explain: Explain) -> None:
    text = str(explain(STENCIL.replace("independent", f"independent {clauses}"), tune="model"))
    assert f" no form of several iterations a thread: {why}\n" in text


@pytest.mark.parametrize("name", NAMES)
def test_every_subarray_is_named(name: str) -> None:
    report = report_of(name)
    items = [item for kernel in report.kernels for item in kernel.subarrays]
    assert all(f"cache({item.written})" in str(report) for item in items)
    untold = [item for item in items if item.method != "none"]  # a diagnostic tells of the others
    assert all(f"cache({item.written})" in report.short() for item in untold)
    assert len(report.short().splitlines()) == len(untold)


def test_what_is_refused_says_why(explain: Explain) -> None:
    items = explain(REFUSED).kernels[0].subarrays
    found = {item.written: (item.method, len(item.refused)) for item in items}
    assert found == {
        "a[i:n]": ("none", 1),
        "c": ("none", 1),
        "m": ("register", 1),
        "own": ("local", 1),
        "b[i : 1]": ("none", 1),
    }
    text = str(explain(REFUSED))
    assert all(item.reason and item.reason in text for item in items)
    assert all(f"[{told.code}]" in text for item in items for told in item.refused)


@pytest.mark.parametrize(("method", "code"), [("rbi", "ACC409"), ("auto", "ACC409"), ("scratch", "ACC407")])
def test_a_method_that_does_not_serve_is_in_the_report(method: str, code: str, explain: Explain) -> None:
    report = explain(STENCIL.replace("a[i+1]", "a[i+2]"), method=method)
    item = report.kernels[0].subarrays[0]
    assert item.method == ("rbc" if method == "scratch" else "rbi")
    assert code in [told.code for told in item.refused]
    assert code in str(report)


RUN_TIME_LENGTH = """
void f(const float *restrict a, float *restrict b, int n, int m)
{
#pragma acc parallel loop copyin(a[0:m]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[0:m])
        for (int k = i; k < m; ++k)
            sum += a[k];
        b[i] = sum;
    }
}
"""


@pytest.mark.parametrize(("index", "saved"), [("i", "(66 % fewer)"), ("i + (n > 7 ? 0 : 1)", "(50 % fewer)")])
def test_how_sure_a_saving_is(index: str, saved: str, explain: Explain) -> None:
    assert saved in str(explain(STENCIL.replace("a[i]", f"a[{index}]")))


def test_trust_is_not_in_one_of_several_subarrays(explain: Explain) -> None:
    text = STENCIL.replace("a[i-1:3]", "a[i+2:3], a[n-i:3]")
    assert text != STENCIL
    first, second = explain(text, trust_range=True).kernels[0].subarrays
    assert (first.method, second.method) == ("rbc", "none")
    assert "may lie in another subarray of the same array" in first.reason


FLAT = """
void f(const float *restrict a, float *restrict b, int n, int m, int d)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(a[i-1:3][j-1:3])
            float sum = a[i*m + j] + a[i*m + j+1];
            for (int p = (i-1)*m + j, x = 0; x < 3; ++x, p += m)
                sum += a[(i-1)*m + j];
            b[i*m + j] = sum;
        }
}
"""


@pytest.mark.parametrize(("index", "method"), [("(i+d)*m + j", "rbi"), ("i*m + j+d", "rbc"), ("p", "rbc")])
def test_trust_is_in_the_range_not_in_a_row_and_a_column(index: str, method: str, explain: Explain) -> None:
    item = explain(FLAT.replace("+= a[(i-1)*m + j]", f"+= a[{index}]"), trust_range=True).kernels[0].subarrays[0]
    assert item.method == method
    assert method == "rbi" or "in what row and column is not proved" in item.reason


def test_trust_is_not_in_rows_that_no_reference_confirms(explain: Explain) -> None:
    text = FLAT.replace("[i-1:3][j-1:3]", "[2*i:1][j:1]").replace("j < m - 1", "j < 2*m")
    text = text.replace("(i-1)*m + j]", "2*i*m + j]")
    text = text.replace("a[i*m + j] + a[i*m + j+1]", "a[2*i*m + j]")
    item = explain(text, trust_range=True).kernels[0].subarrays[0]
    assert item.method == "rbc"
    assert "in what row and column is not proved" in item.reason


def test_trust_is_in_the_subarray_as_it_is_written(explain: Explain) -> None:
    misread = STENCIL.replace("a[i-1:3]", "a[i-1:i+2]")
    assert explain(misread, trust_range=True).kernels[0].subarrays[0].method == "rbi"
    item = explain(misread.replace("a[i+1]", "a[i+i/2]"), trust_range=True).kernels[0].subarrays[0]
    assert item.method == "rbc"
    assert "past its supposed end" in item.reason


def test_trust_is_in_the_subarray_not_in_a_smaller_tile(explain: Explain) -> None:
    item = explain(RUN_TIME_LENGTH, method="rbi", trust_range=True).kernels[0].subarrays[0]
    assert (item.method, [told.code for told in item.refused]) == ("rbc", ["ACC408"])
    assert (
        explain(STENCIL.replace("a[i+1]", "a[i+2]"), method="rbi", trust_range=True).kernels[0].subarrays[0].method
        == "rbi"
    )


@pytest.mark.parametrize(
    ("options", "width"),
    [({}, "kernel-args"), ({"width": "sync"}, "sync"), ({"width": "kernel-args"}, "kernel-args")],
)
def test_widths(options: dict[str, object], width: str, explain: Explain) -> None:
    assert explain(STENCIL, **options).kernels[0].subarrays[0].dimensions[0].width == width


def test_a_fixed_width_needs_full_blocks(explain: Explain) -> None:
    report = explain(STENCIL.replace("i < n - 1", "i <= 512"), width="fixed")
    assert report.kernels[0].subarrays[0].dimensions[0].width == "fixed"
    report = explain(STENCIL, width="fixed")
    assert report.kernels[0].subarrays[0].dimensions[0].width == "kernel-args"
    assert "ACC410" in str(report)


def test_without_sharing_each_thread_has_its_own(explain: Explain) -> None:
    item = explain(STENCIL, sharing=False, method="rbi").kernels[0].subarrays[0]
    assert (item.scope, item.obstacle, item.extents) == ("thread", "--sharing off", (3, 256))
    assert (item.dimensions[0].rate, item.dimensions[0].halo) == (1, 0)


@pytest.mark.parametrize(("arch", "blocks", "percent"), [("sm_75", 4, 100), ("sm_86", 6, 100), ("sm_90", 8, 100)])
def test_occupancy_of_the_target(arch: str, blocks: int, percent: int, explain: Explain) -> None:
    found = explain(STENCIL, arch=arch).kernels[0].occupancy
    assert (found.blocks, found.percent) == (blocks, percent)


def test_a_loop_only_data_decides_has_a_name_of_its_own(explain: Explain) -> None:
    report = explain("""
void f(float *a, float *b, int *row, int n)
{
#pragma acc parallel loop independent copyin(a[0:n], row[0:n+1]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(row[i:2])
        float sum = 0;
        for (int k = row[i]; k < row[i+1]; ++k)
            sum += a[k];
        b[i] = sum;
    }
}
""")
    kernel = report.kernels[0]
    assert kernel.launch_loads.before.formula == "2*n*(trips_8 + 1)"
    assert "trips_8 is how often the loop at line 8 runs" in str(report)


def test_loads_by_pointers_of_the_kernel_and_in_routines(explain: Explain) -> None:
    report = explain("""
#pragma acc routine seq
float at(const float *a, int i) { return a[i]; }
float twice(float x) { return 2 * x; }
void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        const float *p = a;
        p += i;
        b[i] = twice(p[0]) + *p;
    }
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] = at(a, i) + a[i];
}
""")
    pointers, routines = (kernel.launch_loads.before for kernel in report.kernels)
    assert (pointers.formula, pointers.bound) == ("2*n", "at most")
    assert (routines.formula, routines.bound) == ("n", "at least")
    assert "pointers of the kernel may lead to its own arrays" in str(report)
    assert "loads in routines are not counted" in str(report)


def test_a_file_without_directives_has_an_empty_report(explain: Explain) -> None:
    report = explain("int main(void) { return 0; }\n")
    assert report.kernels == ()
    assert str(report) == "no compute construct: '#pragma acc parallel loop' in front of a loop makes one"
    assert report.short() == ""
