"""The bytes that the planner counts for a form are those that its kernel takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.report.records import KernelReport

SOURCE = """
void f(const double *restrict a, const {type} *restrict c, double *restrict b, int n)
{{
#pragma acc parallel loop copyin(a[0:n], c[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; ++i) {{
#pragma acc cache(c[i-1:3], a[i-1:3])
        b[i] = a[i-1] + a[i] + a[i+1] + c[i-1] + c[i] + c[i+1];
    }}
}}
"""


@pytest.mark.parametrize("element", ["char", "float", "double"])
def test_a_form_takes_the_bytes_that_are_told_of_it(element: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(SOURCE.format(type=element))

    def kernel(options: Options) -> KernelReport:
        return translate(str(path), options).report.kernels[0]

    [both] = [form for form in kernel(Options()).candidates if form.block == (256, 1, 1) and len(form.subarrays) == 2]
    assert both.shared_bytes == kernel(Options(method="rbi", tune="off")).shared_bytes > 0
