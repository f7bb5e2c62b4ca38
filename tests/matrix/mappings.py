"""Loops on gangs, workers and vectors: explicit sizes, collapse, outer variables, continue, structures, RBC look-ups."""
# ruff: noqa: E501

from __future__ import annotations

from matrix.builder import Array, Program, c_program, sum_type
from matrix.pairwise import Row, covering

FACTORS = {
    "kind": (
        "continue", "continue-nested", "break-inner", "structure", "data-lower", "data-range", "gemm", "gemm-collapsed",
        "no-tile-loop", "serial", "seq", "auto", "two-nests", "three-loops", "private-scalar", "while", "ternary",
        "switch", "same-twice", "loop-private-array", "wide-index", "negative-range", "end-clipped", "triangular",
        "negative-start", "short-index", "typedef-index", "limits", "outer-sequence", "same-name",
    ),
    "sizes": (
        "", "gang", "num_gangs(3)", "vector_length(32)", "num_gangs(2) vector_length(96)",
        "num_gangs(1) num_workers(2) vector_length(32)",
    ),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "index": ("int", "long", "unsigned", "size_t"),
    "pointer": ("restrict", "plain"),
    "clauses": ("construct", "data", "enter"),
}  # fmt: skip
RUNS = ((1, 1), (15, 17), (16, 16), (17, 31), (33, 35))
LONG_RUNS = ((1, 1), (31, 17), (96, 16), (257, 3), (600, 35))
SQUARE = ("gemm", "gemm-collapsed", "three-loops", "two-nests")
COUNT = "(size_t)40*(n + 40)"
STRUCT = "struct NAME_cell {{ {0} x; int y[2]; double z; }};"


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"map{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _legal(row: Row) -> bool:
    return not (row["kind"] in ("serial", "auto", "seq") and row["sizes"])


def _program(name: str, row: Row) -> Program:
    element, star = row["element"], "*restrict " if row["pointer"] == "restrict" else "*"
    summed, kind = sum_type(element), row["kind"]
    arrays = [
        Array("a", element, COUNT, f"const {element} {star}a"),
        Array("b", summed, COUNT, f"{summed} {star}b"),
        Array("c", "int", COUNT, f"const int {star}c", "(draw(20) + 20)"),
    ]
    if kind == "structure":
        draw = f"(struct {name}_cell) {{ draw(50) + 50, {{ draw(9), draw(9) }}, draw(9) }}"
        arrays.append(Array("s", f"struct {name}_cell", "n + 4", f"const struct {name}_cell {star}s", draw))
    names = "".join(array.name for array in arrays if array.name != "b")
    extents = {array.name: f"{array.name}[0:{array.count}]" for array in arrays}
    copyin, copy = ", ".join(extents[letter] for letter in names), extents["b"]
    clauses = {"construct": f"copyin({copyin}) copy({copy})"}.get(row["clauses"], "")
    body = _body(row, summed, clauses)
    if row["clauses"] == "data":
        body = f"#pragma acc data copyin({copyin}) copy({copy})\n{{\n{body}\n}}"
    if row["clauses"] == "enter":
        body = f"#pragma acc enter data copyin({copyin}, {copy})\n{body}\n#pragma acc exit data copyout({copy}) delete({names.replace('', ',')[1:-1]})"
    before = STRUCT.format(element) if kind == "structure" else ""
    text = c_program(name, arrays, body.replace("NAME", name), before=before.replace("NAME", name))
    # padding bytes of a structure are not copied by assignment, so only its effects are compared
    text = "\n".join(line for line in text.splitlines() if '_report("s"' not in line) + "\n"
    in_range = kind not in ("data-range", "negative-range", "end-clipped")
    writes = kind in ("gemm", "continue", "two-nests")
    return Program(name, text, RUNS if kind in SQUARE else LONG_RUNS, tuple(row.items()), in_range, writes)


def _body(row: Row, summed: str, clauses: str) -> str:
    index, kind = row["index"], row["kind"]
    sizes = row["sizes"]
    loop = f"#pragma acc parallel loop {sizes} {clauses}\nfor ({index} i = 1; i <= ({index})n; ++i)"
    total = f"{summed} sum = 0;"
    square = f"#pragma acc kernels loop independent {clauses}\nfor ({index} i = 0; i < n; ++i)\n#pragma acc loop independent\nfor ({index} j = 0; j < n; ++j)"
    cross = "for (int k = -1; k <= 1; ++k) sum += a[i + k];"
    return {
        "continue": f"""{loop} {{
#pragma acc cache(a[i - 1:3], b[i:1])
if (c[i] > 20) continue;
{total}
{cross}
b[i] += sum;
}}""",
        "continue-nested": f"""{loop} {{
{total}
for (int t = 0; t < 3; ++t) {{
#pragma acc cache(a[i + t:2])
if (c[i + t] > 20) continue;
sum += a[i + t] + 2*a[i + t + 1];
}}
b[i] = sum;
}}""",
        "break-inner": f"""{loop} {{
{total}
#pragma acc cache(a[i:6])
for (int t = 0; t < 6; ++t) {{ if (c[i + t] > 36) break; sum += a[i + t]; }}
b[i] = sum;
}}""",
        "structure": f"""{loop} {{
{total}
#pragma acc cache(s[i - 1:3])
for (int k = -1; k <= 1; ++k) sum += s[i + k].x / 4 + s[i + k].y[k > 0] - (int)s[i + k].z;
b[i] = sum;
}}""",
        "data-lower": f"""{loop} {{
int p = c[i] + (int)i;
{total}
#pragma acc cache(a[p:5])
for (int q = p; q < p + 5; ++q) sum += a[q];
b[i] = sum;
}}""",
        "data-range": f"""{loop} {{
{total}
#pragma acc cache(a[i:4])
for (int q = 0; q < 6; ++q) sum += (q + 1)*a[i + c[i + q] % 7];
b[i] = sum;
}}""",
        "gemm": f"""{square} {{
{total}
for (int l = 0; l < 32; l += 16) {{
#pragma acc cache(a[i*40 + l:16])
for (int k = l; k < l + 16; ++k) sum += a[i*40 + k] * (c[k*(n + 1) + j] % 3);
}}
#pragma acc cache(b[i*n + j:1])
b[i*n + j] = sum - b[i*n + j];
}}""",
        "gemm-collapsed": f"""#pragma acc parallel loop collapse(2) {sizes} {clauses}
for ({index} i = 0; i < ({index})n; ++i)
for ({index} j = 0; j < ({index})n; ++j) {{
{total}
int wide = n;
for (int l = 0; l < 32; l += 8) {{
#pragma acc cache(a[l:8], c[l:8])
for (int k = l; k < l + 8; ++k) sum += a[k] / (int)(i + 1) + c[k] % (int)(j + 2);
}}
b[i*wide + j] = sum;
}}""",
        "no-tile-loop": f"""{loop} {{
b[i] = a[i - 1] / 2 + a[i + 1] / 3 + c[i];
}}""",
        "serial": f"""#pragma acc serial loop {clauses}
for ({index} i = 1; i <= n; ++i) {{
#pragma acc cache(b[i - 1:2])
b[i] = b[i - 1] / 2 + a[i];
}}""",
        "seq": f"""#pragma acc parallel {sizes} {clauses}
#pragma acc loop seq
for ({index} i = 1; i <= n; ++i) {{
#pragma acc cache(b[i - 1:2])
b[i] = b[i - 1] / 2 + a[i];
}}""",
        "auto": f"""#pragma acc kernels {clauses}
{{
for ({index} i = 1; i <= n; ++i) {{
#pragma acc cache(a[i - 1:3])
b[i] = a[i - 1] / 2 + a[i + 1];
}}
for ({index} i = 1; i <= n; ++i) b[i + 1] = b[i] / 2 + c[i];
}}""",
        "two-nests": f"""#pragma acc kernels {clauses}
{{
#pragma acc loop independent
for ({index} i = 0; i < n; ++i)
#pragma acc loop independent
for ({index} j = 0; j < n; ++j) {{
#pragma acc cache(b[i*n + j:1], a[i*n + j:2])
b[i*n + j] += a[i*n + j] - a[i*n + j + 1];
}}
#pragma acc loop independent
for ({index} i = 0; i < n; ++i) {{
#pragma acc cache(a[i:2])
b[i*n] -= a[i] + a[i + 1];
}}
}}""",
        "three-loops": f"""#pragma acc parallel loop collapse(3) {sizes} {clauses}
for (int p = 0; p < 3; ++p)
for ({index} i = 0; i < ({index})n; ++i)
for ({index} j = 2; j < 11; j += 2) {{
#pragma acc cache(a[j - 1:3])
b[(p*n + i)*12 + j] = a[j - 1] + a[j] / 2 - a[j + 1] + p + c[i];
}}""",
        "private-scalar": f"""{summed} t = 7; int low = 3;
#pragma acc parallel loop {sizes} private(t, low) {clauses}
for ({index} i = 1; i <= ({index})n; ++i) {{
low = i - 1;
t = 0;
#pragma acc cache(a[low:3])
for (int k = 0; k < 3; ++k) t += a[low + k];
b[i] = t + low % 2;
}}""",
        "while": f"""{loop} {{
{total}
int q = 0;
#pragma acc cache(a[i:4])
while (q < 4) {{ sum += a[i + q]; q += 1 + (c[i] > 20); }}
do {{ sum /= 3; }} while (sum > 1000);
b[i] = sum;
}}""",
        "ternary": f"""{loop} {{
#pragma acc cache(a[i - 1:3])
b[i] = c[i] > 20 ? a[i - 1] : c[i] > 10 && a[i] > 0 ? a[i] : a[i + 1] + (a[i] ? 2 : 3);
}}""",
        "switch": f"""{loop} {{
{total}
#pragma acc cache(a[i - 1:3])
switch (c[i] % 4) {{ case 0: sum = a[i - 1]; break; case 1: sum = a[i]; case 2: sum += a[i + 1]; break; default: sum = 5; }}
b[i] = sum;
}}""",
        "same-twice": f"""{loop} {{
{total}
{{
#pragma acc cache(a[i - 1:3])
{cross}
}}
{{
#pragma acc cache(a[i + 4:2])
sum -= a[i + 4] / 2 + a[i + 5];
}}
sum += a[i + 6];
b[i] = sum;
}}""",
        "loop-private-array": f"""{loop} {{
{summed} own[4];
#pragma acc cache(own[0:4])
for (int q = 0; q < 4; ++q) own[q] = a[i + q];
for (int q = 1; q < 4; ++q) own[q] += own[q - 1] / 2;
b[i] = own[3] - own[c[i] % 4];
}}""",
        "wide-index": f"""{loop} {{
long far = (long)i * 2 + 1;
#pragma acc cache(a[far - 1:3])
b[i] = a[far - 1] + a[far] / 2 - a[far + 1];
}}""",
        "negative-range": f"""{loop} {{
{total}
#pragma acc cache(a[i - 3:7])
for (int k = -3; k <= 3; ++k) if ((long)i + k >= 0) sum += a[i + k];
b[i] = sum + a[i - 1];
}}""",
        "end-clipped": f"""{loop} {{
{total}
#pragma acc cache(a[40*i - 20:64])
for (int k = -20; k < 44; ++k) if ((long)40*i + k < 40L*(n + 40)) sum += a[40*i + k] / 8;
b[i] = sum + a[i];
}}""",
        "negative-start": f"""#pragma acc parallel loop {sizes} {clauses}
for (int i = -5; i < n - 5; ++i) {{
#pragma acc cache(a[i + 5:2], b[i + 6:1])
b[i + 6] += a[i + 5] - a[i + 6] / 2;
}}""",
        "short-index": f"""#pragma acc parallel loop {sizes} {clauses}
for (short i = 1; i <= n; i += 3) {{
#pragma acc cache(a[i - 1:3])
b[i] = a[i - 1] - a[i + 1];
}}""",
        "typedef-index": f"""typedef {index} NAME_place;
#pragma acc parallel loop {sizes} {clauses}
for (NAME_place i = 1; i <= (NAME_place)n; ++i) {{
const NAME_place before = i - 1;
#pragma acc cache(a[before:3])
b[i] = a[before] - a[i + 1] / 2;
}}""",
        "limits": f"""int low = m / 2, high = low + n / 2 + 1;
#pragma acc parallel loop {sizes} {clauses}
for ({index} i = 2*low; i < 2*high - 1; i += 2) {{
#pragma acc cache(a[i + 1:2*2 - 1], b[i:1])
b[i] -= a[i + 1] / 3 + a[i + 3];
}}""",
        "outer-sequence": f"""for (int k = 0; k < 3; ++k) {{
{loop} {{
#pragma acc cache(a[i + k:2])
b[i] += a[i + k] / (k + 1) - a[i + k + 1];
}}
}}""",
        "same-name": f"""{loop} {{
{total}
#pragma acc cache(a[i:3])
for (int k = 0; k < 2; ++k) {{ int a_tile = k, i_first = 2*k; {{ {summed} sum = a[i + k]; sum += a_tile; i_first += sum > 3; a_tile = i_first; }} sum += a[i + a_tile % 3]; }}
b[i] = sum;
}}""",
        "triangular": f"""{loop} {{
{total}
for ({index} j = 0; j < i % 9; ++j) {{
#pragma acc cache(a[i - 1:3])
sum += a[i - 1] - a[i + 1] + (int)j;
}}
b[i] = sum;
}}""",
    }[kind]
