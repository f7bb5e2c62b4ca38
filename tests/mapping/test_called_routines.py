"""What gangs hand to each other between the loops of routines, and those beside their calls, is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#pragma acc routine gang
static void fill(float *x, int count)
{{
    int t;
#pragma acc loop gang vector private(t)
    for (int i = 0; i < count; ++i) {{
        t = 2*i;
        x[i] = t;
    }}
}}
#pragma acc routine gang
static void shift(float *restrict y, const float *restrict x, int count)
{{
#pragma acc loop gang vector
    for (int i = 1; i < count; ++i)
        y[i] = x[i - 1];
}}
#pragma acc routine gang
static void rows(float (*x)[64], int count)
{{
#pragma acc loop gang
    for (int i = 0; i < count; ++i)
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            x[i][j] = j;
}}
#pragma acc routine gang
static void both(float *x, float (*q)[64], int count)
{{
    fill(x, count);
    rows(q, count);
}}
#pragma acc routine vector
static void line(float *x, int count)
{{
#pragma acc loop vector
    for (int j = 0; j < count; ++j)
        x[j] = j;
}}
void f(float *restrict a, float *restrict b, float (*restrict q)[64], float (*restrict r)[64], int n)
{{
#pragma acc parallel present(a, b, q, r) {clauses}
    {{
        {body}
    }}
}}
"""
EACH = "\n#pragma acc loop gang vector\nfor (int i = 0; i < n; ++i) "
LATER = "\n#pragma acc loop gang vector\nfor (int i = 1; i < n; ++i) "
ROW = "\n#pragma acc loop gang\nfor (int i = {}; i < n; ++i)\n#pragma acc loop vector\nfor (int j = 0; j < 64; ++j) "


def warned_lines(folder: Path, body: str, clauses: str = "") -> list[str]:
    """The lines of the program that are warned of."""
    path = folder / "a.c"
    text = PROGRAM.format(body=body, clauses=clauses)
    path.write_text(text)
    diagnostics = translate(str(path), Options()).diagnostics
    assert not [item for item in diagnostics if item.severity == "error"]
    found = [item.location for item in diagnostics if item.code == "ACC334"]
    return [text.splitlines()[item.line - 1].strip() for item in found if item is not None]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("fill(a, n);" + LATER + "b[i] = a[i - 1];", "for (int i = 1; i < n; ++i) b[i] = a[i - 1];"),
        (EACH + "a[i] = i;\nshift(b, a, n);", "y[i] = x[i - 1];"),
        ("fill(a, n); shift(b, a, n);", "y[i] = x[i - 1];"),
        ("fill(a + 1, n - 1);" + EACH + "b[i] = a[i];", "for (int i = 0; i < n; ++i) b[i] = a[i];"),
        ("fill(a, n);" + EACH + "b[i] = a[n - 1 - i];", "for (int i = 0; i < n; ++i) b[i] = a[n - 1 - i];"),
        (
            "rows(q, n);" + ROW.format(1) + "r[i][j] = q[i - 1][j];",
            "for (int j = 0; j < 64; ++j) r[i][j] = q[i - 1][j];",
        ),
        ("both(a, q, n);" + LATER + "b[i] = a[i - 1];", "for (int i = 1; i < n; ++i) b[i] = a[i - 1];"),
        ("for (int k = 0; k < 8; ++k) { shift(b, a, n); shift(a, b, n); }", "y[i] = x[i - 1];"),
    ],
)
def test_what_routines_hand_over_is_told(body: str, where: str, tmp_path: Path) -> None:
    assert set(warned_lines(tmp_path, body)) == {where}
    assert not warned_lines(tmp_path, body, "num_gangs(1)")


@pytest.mark.parametrize(
    "body",
    [
        "fill(a, n);" + EACH + "b[i] = a[i];",
        "fill(a, n); fill(a, n);",
        "fill(a, n); shift(r[0], b, n);",
        "fill(a, n);" + EACH + "b[i] = a[i + n];",
        "rows(q, n);" + ROW.format(0) + "r[i][j] = q[i][63 - j];",
        "both(a, q, n);" + EACH + "b[i] = a[i];",
        "\n#pragma acc loop gang\nfor (int i = 0; i < n; ++i) line(q[i], 64);" + ROW.format(0) + "r[i][j] = q[i][j];",
    ],
)
def test_what_gangs_keep_is_not(body: str, tmp_path: Path) -> None:
    assert not warned_lines(tmp_path, body)
