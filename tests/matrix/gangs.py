"""Gangs with vector loops inside: gang-local arrays, private clauses, caches at gang level, broadcast rows."""
# ruff: noqa: E501

from __future__ import annotations

from matrix.builder import Array, Program, c_program, sum_type
from matrix.pairwise import Row, covering

WIDTH = 40
FACTORS = {
    "kind": (
        "scratch", "scratch-2d", "private-clause", "scratch-loop", "scan", "histogram", "row", "row-written",
        "shifted-row", "broadcast", "tile-loop", "lookup", "two-arrays", "scalars", "gang-if", "struct-scratch",
        "row-exchange", "leader-write", "three-levels", "gang-trips", "gang-continue", "gang-while", "scratch-reused",
    ),
    "mapping": ("gang-vector", "kernels", "sized", "few-gangs", "worker", "worker-vector"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "index": ("int", "long", "unsigned", "size_t"),
    "pointer": ("restrict", "plain"),
    "down": ("yes", "no"),
}  # fmt: skip
MAPPINGS = {
    "gang-vector": ("parallel loop gang", "loop vector"),
    "kernels": ("kernels loop independent gang", "loop independent vector"),
    "sized": ("parallel loop gang vector_length(64)", "loop vector"),
    "few-gangs": ("parallel loop gang num_gangs(3) vector_length(32)", "loop vector"),
    "worker": ("parallel loop gang num_workers(4) vector_length(16)", "loop worker vector"),
    "worker-vector": ("parallel loop gang num_workers(2)", "loop vector"),
}
RUNS = ((1, 1), (2, 31), (5, 32), (3, 33), (7, 40))


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"gang{number}", row) for number, row in enumerate(covering(FACTORS))]


def _program(name: str, row: Row) -> Program:
    element, star = row["element"], "*restrict " if row["pointer"] == "restrict" else "*"
    summed = sum_type(element)
    arrays = (
        Array("a", element, f"(size_t){WIDTH}*(n + 2)", f"const {element} {star}a"),
        Array("b", summed, f"(size_t){WIDTH}*(n + 2)", f"{summed} {star}b"),
        Array("c", "int", f"{WIDTH}", f"const int {star}c", f"(draw({WIDTH // 2 - 1}) + {WIDTH // 2})"),
    )
    outer, inner = MAPPINGS[row["mapping"]]
    index = row["index"]
    private = " private(t)" if row["kind"] == "private-clause" else ""
    loop = f"for ({index} i = n; i > 0; --i)" if row["down"] == "yes" else f"for ({index} i = 1; i <= n; ++i)"
    vector = f"#pragma acc {inner}\nfor ({index} j = 0; j < m; ++j)"
    lines = [f"{element} t[{WIDTH}];"] if private else []
    lines += [
        f"#pragma acc data copyin(a[0:{WIDTH}*(n + 2)], c[0:{WIDTH}]) copy(b[0:{WIDTH}*(n + 2)])",
        f"#pragma acc {outer}{private}",
        loop,
        "{",
        _body(row, vector, summed),
        "}",
    ]
    before = f"struct {name}_pair {{ {element} first; int second; }};" if row["kind"] == "struct-scratch" else ""
    text = c_program(name, arrays, "\n".join(lines).replace("NAME", name), before=before)
    # broadcast and lookup refer to elements that only data decides
    in_range = row["kind"] not in ("lookup",)
    return Program(
        name,
        text,
        RUNS,
        tuple(row.items()),
        in_range,
        writes=row["kind"] in ("row-written", "row-exchange", "leader-write"),
    )


def _body(row: Row, vector: str, summed: str) -> str:
    """The gang's work."""
    element, index = row["element"], row["index"]
    own = f"{WIDTH}*i"
    fill = f"{vector} t[j] = a[{own} + j];"
    return {
        "scratch": f"""{element} t[{WIDTH}];
#pragma acc cache(t)
{fill}
{vector} b[{own} + j] = t[m - 1 - j] + t[j];""",
        "scratch-2d": f"""{element} t[2][{WIDTH}];
#pragma acc cache(t[0:2][0:{WIDTH}])
{vector} {{ t[0][j] = a[{own} + j]; t[1][m - 1 - j] = a[{own} + j] / 2; }}
{vector} b[{own} + j] = t[0][m - 1 - j] - t[1][j];""",
        "private-clause": f"""#pragma acc cache(t[0:{WIDTH}])
{fill}
{vector} b[{own} + j] += t[m - 1 - j];""",
        "scratch-loop": f"""{element} t[{WIDTH}];
#pragma acc cache(t[0:{WIDTH}])
for (int k = 0; k < 3; ++k) {{
{vector} t[j] = (a[{own} + j] + k) / 2;
{vector} b[{own} + j] += t[(j + k + 1) % m];
}}""",
        "scan": f"""{element} t[{WIDTH}], u[{WIDTH}];
#pragma acc cache(t, u)
{vector} t[j] = a[{own} + j] / 8;
for (int d = 1; d < m; d *= 2) {{
{vector} u[j] = j >= d ? t[j] / 2 + t[j - d] / 2 : t[j];
{vector} t[j] = u[j];
}}
{vector} b[{own} + j] = t[j];""",
        "histogram": f"""int t[{WIDTH}];
#pragma acc cache(t[0:{WIDTH}])
{vector} t[j] = 0;
{vector} for (int k = 0; k < m; ++k) if (c[k] % m == (int)j) ++t[j];
{vector} b[{own} + j] = t[j] + a[{own} + j];""",
        "row": f"""#pragma acc cache(a[{own}:{WIDTH}])
{vector} b[{own} + j] = a[{own} + (j * 7 + 3) % {WIDTH}] - a[{own} + j];""",
        "row-written": f"""#pragma acc cache(b[{own}:{WIDTH}])
{{
{vector} b[{own} + j] += a[{own} + j];
{vector} if (a[{own} + j] > 2) b[{own} + j] += 3;
}}""",
        "shifted-row": f"""{row["index"]} p = i - 1;
#pragma acc cache(a[{WIDTH}*p:{2 * WIDTH}])
{vector} {{ {summed} sum = 0; for (int k = 0; k < 3; ++k) sum += a[{WIDTH}*p + {WIDTH} + j - k * (j > 2)]; b[{own} + j] = sum; }}""",
        "broadcast": f"""#pragma acc cache(c[0:{WIDTH}])
{vector} {{ {summed} sum = 0; for (int k = 0; k < m; ++k) sum += c[k] * (a[{own} + j] > 1 ? 1 : 2); b[{own} + j] = sum; }}""",
        "tile-loop": f"""{summed} base = i % 2;
for (int k = 0; k < {WIDTH}; k += 8) {{
#pragma acc cache(a[{own} + k:8])
{vector} {{ {summed} sum = base; for (int q = 0; q < 8; ++q) sum += a[{own} + k + q] / (int)(j + 1); b[{own} + j] += sum; }}
}}""",
        "lookup": f"""int p = c[i % {WIDTH}];
#pragma acc cache(a[p:8])
{vector} {{ {summed} sum = 0; for (int q = 0; q < 8; ++q) sum += a[p + q]; b[{own} + j] = sum + j; }}""",
        "two-arrays": f"""{element} t[{WIDTH}];
#pragma acc cache(t, a[{own} - {WIDTH}:{WIDTH}])
{vector} t[m - 1 - j] = a[{own} - {WIDTH} + j];
{vector} b[{own} + j] = t[j] + a[{own} - {WIDTH} + j];""",
        "scalars": f"""{summed} s = 0;
for (int k = 0; k < m; ++k) s += a[{own} + k] / 4;
b[{own} + {WIDTH - 1}] = s;
{summed} twice = 2*s;
#pragma acc cache(a[{own}:{WIDTH}])
{vector} if (j != {WIDTH - 1}) b[{own} + j] = a[{own} + j] + twice;
s += 1;
if (m < {WIDTH - 1}) b[{own} + {WIDTH - 2}] = s;""",
        "gang-if": f"""if (c[i % {WIDTH}] % 2 == 0) {{
#pragma acc cache(a[{own}:{WIDTH}])
{vector} b[{own} + j] = a[{own} + m - 1 - j];
}} else {{
{vector} b[{own} + j] = 1;
}}""",
        "row-exchange": f"""#pragma acc cache(b[{own}:{WIDTH}])
{{
{vector} b[{own} + j] += a[{own} + j];
{vector} if (j % 2) b[{own} + j] -= b[{own} + j - 1];
{vector} if (j % 2 == 0 && j + 1 < m) b[{own} + j] += b[{own} + j + 1] / 2;
}}""",
        "leader-write": f"""#pragma acc cache(b[{own}:{WIDTH}])
{{
b[{own} + {WIDTH - 1}] = 3;
{vector} if (j != {WIDTH - 1}) b[{own} + j] += a[{own} + j] * b[{own} + {WIDTH - 1}];
b[{own} + {WIDTH - 1}] = b[{own}] + 1;
}}""",
        "three-levels": f"""#pragma acc loop worker
for ({index} r = 0; r < 4; ++r) {{
{summed} first = a[{own} + 10*r] / 2;
#pragma acc loop vector
for ({index} q = 0; q < 10; ++q) {{
#pragma acc cache(a[{own} - 1 + q:2])
b[{own} + 10*r + q] += first + a[{own} + q] - a[{own} + q - 1];
}}
}}""",
        "gang-trips": f"""for (int k = 0; k < (int)(i % 4); ++k) {{
#pragma acc cache(a[{own} + k:{WIDTH}])
{vector} b[{own} + j] += a[{own} + k + j] / (k + 1);
}}""",
        "gang-continue": f"""if (c[i % {WIDTH}] % 3 == 0) continue;
#pragma acc cache(a[{own}:{WIDTH}])
{vector} b[{own} + j] = a[{own} + m - 1 - j];""",
        "gang-while": f"""{element} t[{WIDTH}];
#pragma acc cache(t)
int left = c[i % {WIDTH}] % 4 + 1;
while (left > 0) {{
{vector} t[j] = a[{own} + (j + left) % m] / 2;
{vector} b[{own} + j] += t[m - 1 - j];
--left;
}}""",
        "scratch-reused": f"""{element} t[{WIDTH}];
{summed} s = 0;
#pragma acc cache(t)
{fill}
for (int k = 0; k < m; ++k) s += t[k] / 4;
{vector} t[j] = s / 2 + (int)j;
{vector} b[{own} + j] += t[(j + 1) % m] - s;""",
        "struct-scratch": f"""struct NAME_pair t[{WIDTH}];
#pragma acc cache(t)
{vector} {{ t[j].first = a[{own} + j]; t[m - 1 - j].second = c[j]; }}
{vector} b[{own} + j] = t[m - 1 - j].first + t[j].second;""",
    }[row["kind"]]
