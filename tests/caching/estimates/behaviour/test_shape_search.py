"""Which numbers of iterations a thread are tried: more of them only where fewer have helped."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate

KERNEL = """
void f(int n, int m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copyout(b[0:n*m])
    for (int i = 1; i < {rows} - 1; ++i)
        for (int j = 1; j < {columns} - 1; ++j) {{
#pragma acc cache(a[i*m+j:1])
            b[i*m+j] = {value};
        }}
}}
"""
ROWS_IN_COMMON = " + ".join(f"a[(i+{row})*m+j]" for row in range(9))
NOTHING_IN_COMMON = "a[i*m+j]"


def tried(folder: Path, value: str, rows: str = "n", columns: str = "m") -> set[str]:
    """The candidates of several iterations a thread for a kernel, without wide accesses."""
    path = folder / "a.c"
    path.write_text(KERNEL.format(value=value, rows=rows, columns=columns))
    (kernel,) = translate(str(path), Options(runtime=False, wide="off")).report.kernels
    return {item.name for item in kernel.candidates if item.iterations}


def test_no_more_are_tried_where_two_have_nothing_in_common(tmp_path: Path) -> None:
    assert tried(tmp_path, NOTHING_IN_COMMON) == {"2x1", "2"}


def test_rows_are_doubled_as_long_as_that_helps(tmp_path: Path) -> None:
    assert {"2x1", "4x1", "8x1"} <= tried(tmp_path, ROWS_IN_COMMON)


def test_no_more_are_tried_of_a_small_launch(tmp_path: Path) -> None:
    assert tried(tmp_path, ROWS_IN_COMMON, rows="20", columns="40") == {"2x1", "2"}
