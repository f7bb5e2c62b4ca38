"""What gangs hand to each other between the loops of a construct is told; what each gang keeps for itself is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
struct point {{ float x, y, f; }};
struct grid {{ float *cells; }};
void f(float *restrict a, float *restrict b, float *restrict c, float (*restrict q)[64], float (*restrict r)[64],
       struct point *restrict p, const struct grid *g, const int *restrict at, const int *restrict to,
       int *restrict h, int n, int m)
{{
#pragma acc parallel present(a, b, c, q, r, p, at, to, h) {clauses}
    {{
        {body}
    }}
}}
"""
GANG = "\n#pragma acc loop gang\n"
BOTH = "\n#pragma acc loop gang vector\n"
EACH = "for (int i = 0; i < n; ++i) "
LATER = "for (int i = 1; i < n; ++i) "
INNER = "for (int i = 1; i < n - 1; ++i) "
LANES = "{{\n#pragma acc loop vector\n for (int j = 0; j < m; ++j) {}; }}".format
COLUMNS = "{{ float t = 0; for (int j = 0; j < n; ++j) t += {}; c[i] = t; }}".format
ROUNDS = "for (int k = 0; k < 8; ++k) {{ {} }}".format
PLANE = "\n#pragma acc loop gang vector collapse(2)\nfor (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) "
FILL = BOTH + EACH + "a[i] = i;"
ROWS = GANG + EACH + LANES("a[i*m + j] = i")
SUM = BOTH + EACH + "{\n#pragma acc atomic\n a[0] += b[i]; }"
PICKED = BOTH + EACH + "b[i] = a[at[i]];"
COUNT = BOTH + EACH + "{{\n#pragma acc atomic {}\n {} }}"
BINS = COUNT.format("", "h[at[i]] += 1;")
FORCES = GANG + EACH + "{ float t = 0; for (int j = 0; j < n; ++j) t += p[j].x; p[i].f = t; }"


def warned(folder: Path, body: str, clauses: str = "") -> bool:
    path = folder / "a.c"
    path.write_text(PROGRAM.format(body=body, clauses=clauses))
    diagnostics = translate(str(path), Options()).diagnostics
    assert not [item for item in diagnostics if item.severity == "error"]
    return any(item.code == "ACC334" for item in diagnostics)


@pytest.mark.parametrize(
    "body",
    [
        FILL + BOTH + LATER + "b[i] = a[i - 1];",
        FILL + BOTH + EACH + "if (i > 0) b[i] = a[i - 1];",
        FILL + BOTH + EACH + "b[i] = i ? a[i - 1] : 0;",
        FILL + BOTH + EACH + "{ int k = i + 1; if (k < n) b[i] = a[k]; }",
        FILL + BOTH + EACH + "b[i] = a[0];",
        FILL + BOTH + EACH + "b[i] = a[n - 1 - i];",
        FILL + BOTH + EACH + COLUMNS("a[j]*b[i*n + j]"),
        FILL + GANG + EACH + "b[i] = a[i];",  # an iteration has another gang where gangs have no vectors of them
        FILL + BOTH + LATER + "b[i] = a[i];",  # and where they are counted from another one
        FILL + "float t = 0; for (int i = 0; i < n; ++i) t += a[i];" + BOTH + EACH + "b[i] = t;",
        ROWS + GANG + LATER + LANES("b[i*m + j] = a[(i - 1)*m + j]"),
        ROWS + GANG + EACH + "{ float t = 0; for (int k = 0; k < n; ++k) t += a[k*m + 1]; c[i] = t; }",
        GANG + EACH + LANES("q[i][j] = i") + GANG + INNER + LANES("r[i][j] = q[i - 1][j] + q[i + 1][j]"),
        GANG + EACH + LANES("q[i][j] = i") + GANG + EACH + LANES("r[i][j] = q[j][i]"),
        BOTH + INNER + "b[i] = a[i - 1] + a[i + 1];" + BOTH + INNER + "a[i] = b[i];",
        ROUNDS(BOTH + INNER + "b[i] = a[i - 1] + a[i + 1];" + BOTH + INNER + "a[i] = b[i];"),
        ROUNDS(GANG + EACH + LANES("a[i*m + j] -= a[i*m + k]*a[k*m + j]")),
        ROUNDS(GANG + "for (int i = k; i < n; ++i) " + LANES("a[i*m + j] += 1")),
        FORCES + GANG + EACH + "p[i].x += p[i].f;",
        BOTH + EACH + "g->cells[i] = i;" + BOTH + LATER + "b[i] = g->cells[i - 1];",
        SUM + BOTH + EACH + "c[i] = a[0];",
        PLANE + "a[i*m + j] = i;" + BOTH + "for (int k = 0; k < n*m; ++k) b[k] = a[k];",
        PLANE + "q[i][j] = i;" + PLANE + "if (j) r[i][j] = q[i][j - 1];",
        FILL + PICKED,
        FILL + BOTH + EACH + "b[i] = a[at[0]];",
        FILL + BOTH + EACH + "{ int k = at[i] - 1; if (k >= 0 && k < n) b[i] = a[k]; }",
        FILL + BOTH + EACH + "{ const int k = at[to[i]]; b[i] = k < 0 ? 0 : a[k]; }",
        FILL + GANG + EACH + "{ float t = 0; for (int j = at[i]; j < at[i + 1]; ++j) t += a[to[j]]; c[i] = t; }",
        FILL + GANG + EACH + LANES("b[i*m + j] = a[to[j]]"),
        PICKED + FILL,
        BOTH + EACH + "a[at[i]] = i;" + BOTH + EACH + "b[i] = a[i];",
        ROWS + GANG + EACH + LANES("b[i*m + j] = a[at[j]*m + j]"),
        GANG + EACH + LANES("q[i][j] = i") + GANG + EACH + LANES("r[i][j] = q[at[i]][j]"),
        ROUNDS(GANG + EACH + "{ float t = 0; for (int j = 0; j < m; ++j) t += a[at[i*m + j]]; b[i] = t; }"
               + GANG + EACH + "a[i] = b[i];"),
        BINS + BOTH + EACH + "c[i] = h[i];",
        BOTH + EACH + "h[i] = 0;" + BINS,
        COUNT.format("write", "h[m] = i;") + BOTH + EACH + "c[i] = h[m];",
        COUNT.format("capture", "h[at[i] + 1] = h[0]++;") + BOTH + EACH + "c[i] = h[0];",
        COUNT.format("capture", "h[n - 1 - i] = h[n]++;") + BOTH + EACH + "c[i] = h[i];",
        FILL + COUNT.format("read", "c[i] = a[n - 1 - i];"),
        BOTH + EACH + "if (b[i] > 0) {\n#pragma acc atomic\n h[0] += 1; }" + BOTH + EACH + "c[i] = h[0];",
        COUNT.format("", "h[0] = h[0] > at[i] ? at[i] : h[0];") + BOTH + EACH + "c[i] = h[0];",
        COUNT.format("read", "h[i] = at[i];") + BOTH + LATER + "c[i] = h[i - 1];",
        FILL + BOTH + LATER + "{ float x = b[i]; if (x > 0 && i < n - 1) c[i] = a[i - 1]; }",
        FILL + BOTH + LATER + "if (at[i] > 0) b[i] = 0; else b[i] = a[i - 1];",
    ],
)  # fmt: skip
def test_what_gangs_hand_over_is_told(body: str, tmp_path: Path) -> None:
    assert warned(tmp_path, body)
    assert not warned(tmp_path, body, "num_gangs(1)")


@pytest.mark.parametrize(
    "body",
    [
        FILL + BOTH + EACH + "b[i] = a[i];",
        FILL + BOTH + "for (int i = 0; i < n - 1; ++i) b[i] = a[i];",
        FILL + BOTH + EACH + "b[i] = a[i + n];",
        FILL + BOTH + EACH + "b[i] = a[i + m];",  # m may be n
        BOTH + EACH + "a[2*i] = i;" + BOTH + EACH + "b[i] = a[2*i + 1];",
        BOTH + EACH + "if (i % 2) a[i] = i;" + BOTH + EACH + "if (i % 2) b[i] = a[i - 1];",
        BOTH + EACH + "a[at[i]] = i;" + BOTH + EACH + "b[i] = a[at[i]];",
        BOTH + EACH + "b[i] = a[i];" + BOTH + LATER + "c[i] = a[i - 1];",
        BOTH + EACH + "a[at[i]] = i;" + BOTH + EACH + "b[i] = a[to[i]];",
        FILL + BOTH + EACH + "b[i] = a[h[i]]; " + BOTH + EACH + "h[i] = i;",
        ROWS + GANG + EACH + LANES("b[i*m + j] = a[i*m + at[j]]"),  # at[j] is less than m
        ROWS + GANG + EACH + LANES("b[i*m + j] = a[at[i] + to[j]]"),
        GANG + EACH + LANES("q[i][j] = i") + GANG + EACH + LANES("r[i][j] = q[i][at[j]]"),
        FILL + BOTH + EACH + "{ int k = at[i]; k = i; b[i] = a[k]; }",
        BOTH + EACH + "if (at[i] > 0) a[i] = i;" + BOTH + LATER + "if (at[i] < 0) b[i] = a[i - 1];",
        FILL + BOTH + LATER + "if (at[i] > 0 && i % 2) b[i] = a[i - 1];",
        FILL + BOTH + EACH + "if (at[i] > 0) b[i] = a[i];",
        COUNT.format("write", "h[0] = i;") + COUNT.format("read", "c[i] = h[0];"),
        ROUNDS(BOTH + EACH + "if (h[0] > at[i]) {\n#pragma acc atomic\n h[0] = h[0] > i ? i : h[0]; }"),
        ROWS + GANG + EACH + "{\n#pragma acc loop vector\n for (int j = 1; j < m; ++j) b[i*m + j] = a[i*m + j - 1]; }",
        GANG + EACH + "for (int j = 0; j < 4; ++j) a[4*i + j] = i;"
        + GANG + EACH + "for (int j = 0; j < 4; ++j) b[4*i + j] = a[4*i + 3 - j];",
        GANG + EACH + "for (int j = i*m; j < (i + 1)*m; ++j) a[j] = i;"
        + GANG + EACH + "for (int j = i*m; j < (i + 1)*m; ++j) b[j] = a[j];",
        GANG + EACH + "for (int j = at[i]; j < at[i + 1]; ++j) a[j] = i;"
        + GANG + EACH + "for (int j = at[i]; j < at[i + 1]; ++j) b[j] = a[j];",
        FORCES + GANG + EACH + "p[i].y += p[i].f;",
        ROUNDS(BOTH + EACH + "b[i] = a[i];" + BOTH + EACH + "a[i] = b[i] + 1;"),
        ROUNDS(GANG + EACH + LANES("a[i*m + j] += a[i*m + k]")),
        "int now = 0;" + ROUNDS(BOTH + EACH + "a[(1 - now)*n + i] = a[now*n + i]; now = 1 - now;"),
        PLANE + "a[i*m + j] = i;" + BOTH + "for (int k = 0; k < m; ++k) b[k] = a[k];",
        PLANE + "q[i][j] = i;" + PLANE + "if (i) r[i][j] = q[i - 1][j];",  # which lanes of one gang pass on
        "if (m == 0) {" + FILL + "} if (m == 1) {" + BOTH + EACH + "b[i] = a[n - i]; }",
        SUM + SUM,
        SUM.replace("atomic", "atomic write").replace("+=", "=") + SUM,
        "for (int i = 0; i < 8; ++i) a[i] = 0;" + BOTH + LATER + "b[i] = a[3];",  # which each gang has written itself
        "float t[8]; for (int k = 0; k < 8; ++k) t[k] = k;" + GANG + EACH + "{ t[1] = i; b[i] = t[1]; } c[0] = t[1];",
        BOTH + "for (int i = 0; i < 32; ++i) a[i] = 1;" + BOTH + "for (int i = 0; i < 32; ++i) b[i] = a[31 - i];",
    ],
)  # fmt: skip
def test_what_gangs_keep_is_not(body: str, tmp_path: Path) -> None:
    assert not warned(tmp_path, body)
