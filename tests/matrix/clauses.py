"""Data clauses and directives: where the data lies, when it moves, and what a region's exit works on."""

from __future__ import annotations

from matrix.builder import Array, Program, c_program
from matrix.pairwise import Row, covering

FACTORS = {
    "kind": (
        "copy", "parts", "implicit-static", "create", "present", "enter", "update", "update-part", "nested", "swap",
        "pointer-offset", "if-clause", "if-present", "counted", "static-array", "vla", "copyout", "default-present",
        "two-regions", "deviceptr-free", "firstprivate", "row-parts",
    ),
    "construct": ("parallel", "kernels", "sized"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "cache": ("read", "write", "both", "no"),
    "pointer": ("restrict", "plain"),
}  # fmt: skip
CONSTRUCTS = {
    "parallel": "parallel loop",
    "kernels": "kernels loop independent",
    "sized": "parallel loop gang vector num_gangs(2) vector_length(64)",
}
RUNS = ((1, 1), (63, 2), (256, 3), (257, 4), (600, 5))


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"data{number}", row) for number, row in enumerate(covering(FACTORS))]


def _program(name: str, row: Row) -> Program:
    element, star = row["element"], "*restrict " if row["pointer"] == "restrict" else "*"
    kind = row["kind"]
    plain = kind in ("swap", "pointer-offset")
    arrays = (
        Array("a", element, "n + 40", f"{element} {'*' if plain else star}a"),
        Array("b", element, "n + 40", f"{element} {'*' if plain else star}b"),
    )
    before = f"static {element} table[64];\n" if kind in ("implicit-static", "static-array", "if-present") else ""
    return Program(
        name,
        c_program(name, arrays, _body(row), before=before),
        RUNS,
        tuple(row.items()),
        writes=row["cache"] in ("write", "both"),
        cached=row["cache"] != "no",
    )


def _body(row: Row) -> str:
    element = row["element"]

    def work(clauses: str, read: str = "a", write: str = "b", shift: str = "0", low: str = "8") -> str:
        wanted = {"read": f"{read}[i - 1:3]", "write": f"{write}[i:1]", "both": f"{read}[i - 1:3], {write}[i:1]"}
        cached = wanted.get(row["cache"], "")
        directive = f"#pragma acc cache({cached})\n" if cached else ""
        return f"""#pragma acc {CONSTRUCTS[row["construct"]]} {clauses}
for (int i = {low}; i < {low} + n; ++i) {{
{directive}{write}[i] = {write}[i] / 2 + {read}[i - 1] / 3 + {read}[i + 1] / 5 + {read}[i] + {shift};
}}"""

    whole = "copyin(a[0:n + 40]) copy(b[0:n + 40])"
    return {
        "copy": work(whole),
        "parts": work("copyin(a[7:n + 2]) copy(b[8:n])"),
        "implicit-static": """for (int k = 0; k < 64; ++k) table[k] = k + n % 7;
#pragma acc parallel loop copy(b[0:n + 40])
for (int i = 8; i < 8 + n; ++i) {
#pragma acc cache(table[0:64])
b[i] = table[i % 64] + table[63 - i % 64];
}""",
        "create": f"""{element} *t = malloc((n + 40) * sizeof({element}));
#pragma acc data copyin(a[0:n + 40]) copy(b[0:n + 40]) create(t[0:n + 40])
{{
#pragma acc parallel loop
for (int i = 0; i < n + 40; ++i) t[i] = a[i] / 2;
{work("", read="t")}
}}
free(t);""",
        "present": f"""#pragma acc data {whole}
{{
{work("present(a[0:n + 40], b[8:n])")}
{work("present(a, b)", low="9")}
}}""",
        "enter": f"""#pragma acc enter data copyin(a[0:n + 40], b[0:n + 40])
{work("")}
{work("copy(b[8:n])", low="9")}
#pragma acc exit data copyout(b[0:n + 40]) delete(a[0:n + 40])""",
        "update": f"""#pragma acc enter data create(a[0:n + 40]) copyin(b[0:n + 40])
#pragma acc update device(a[0:n + 40])
{work("")}
#pragma acc update self(b[0:n + 40])
b[8] += 1;
#pragma acc update device(b[8:1])
{work("", shift="1")}
#pragma acc update host(b[0:n + 40])
#pragma acc exit data delete(a[0:n + 40], b[0:n + 40])""",
        "update-part": f"""#pragma acc data copyin(a[0:n + 40]) copy(b[0:n + 40])
{{
{work("")}
#pragma acc update self(b[4:n + 8])
for (int k = 4; k < 12; ++k) b[k] += k;
for (int k = 4; k < 7; ++k) a[k] += k;
#pragma acc update device(b[4:8], a[4:3])
{work("", low="6")}
}}""",
        "nested": f"""#pragma acc data copyin(a[0:n + 40])
{{
#pragma acc data copy(a[0:n + 40], b[0:n + 40])
{{
{work("copy(a[0:n + 40], b[0:n + 40])")}
}}
{work("copy(b[0:n + 40])", low="9")}
}}""",
        "swap": f"""#pragma acc data copy(a[0:n + 40], b[0:n + 40])
for (int k = 0; k < n % 4 + 1; ++k) {{
{work("")}
{element} *t = a; a = b; b = t;
}}""",
        "pointer-offset": f"""#pragma acc data copy(a[0:n + 40], b[0:n + 40])
{{
{element} *p = a + 3, *q = b + 2;
{work("present(p, q)", read="p", write="q")}
}}""",
        "if-clause": f"""{work(whole + " if(n > 100)")}
{work(whole + " if(n <= 100)")}""",
        "if-present": f"""#pragma acc data copyin(a[0:n + 40]) copy(b[0:n + 40]) if(n != 63)
{{
{work("copyin(a[0:n + 40]) copy(b[0:n + 40])")}
#pragma acc update self(b[0:n + 40]) if_present
#pragma acc update self(table) if_present
}}""",
        "counted": f"""#pragma acc enter data copyin(a[0:n + 40])
#pragma acc enter data copyin(a[0:n + 40]) copyin(b[0:n + 40])
{work("")}
#pragma acc exit data delete(a[0:n + 40])
{work("present(a[0:n + 40])")}
#pragma acc exit data delete(a[0:n + 40]) copyout(b[0:n + 40]) finalize""",
        "static-array": """for (int k = 0; k < 64; ++k) table[k] = k / 2;
#pragma acc parallel loop copy(table, b[0:n + 40])
for (int i = 1; i < 63; ++i) {
#pragma acc cache(table[i:1])
table[i] += i % 3;
}
#pragma acc parallel loop copyin(table[2:50]) copy(b[0:n + 40])
for (int i = 8; i < 8 + n; ++i) {
#pragma acc cache(table[2:50])
b[i] += table[2 + i % 50];
}""",
        "vla": f"""{element} local[n + 40];
for (int k = 0; k < n + 40; ++k) local[k] = a[k] / 2;
{work("copy(b[0:n + 40])", read="local")}
{work("copyin(local) copy(b[0:n + 40])", read="local", low="10")}""",
        "copyout": """#pragma acc parallel loop copyin(a[0:n + 40]) copyout(b[8:n])
for (int i = 8; i < 8 + n; ++i) {
#pragma acc cache(a[i - 1:3], b[i:1])
b[i] = a[i - 1] / 2 + a[i + 1];
}""",
        "default-present": f"""#pragma acc data {whole}
{{
{work("default(present)")}
}}""",
        "two-regions": f"""#pragma acc data {whole}
{{
{work("")}
}}
b[3] = 7;
#pragma acc data copyin(b[0:n + 40]) copy(a[0:n + 40])
{{
{work("", read="b", write="a")}
}}""",
        "deviceptr-free": f"""int low = 8, high = 8 + n;
#pragma acc {CONSTRUCTS[row["construct"]]} {whole}
for (int i = low; i < high; ++i) {{
#pragma acc cache(a[i - low + 8:2])
b[i] += a[i - low + 8] / 2 + a[i - low + 9];
}}""",
        "firstprivate": f"""{element} f = 3; int shift = 2;
#pragma acc parallel loop firstprivate(f, shift) {whole}
for (int i = 8; i < 8 + n; ++i) {{
#pragma acc cache(a[i + shift:2])
b[i] += a[i + shift] / 2 + a[i + shift + 1] + f;
}}""",
        "row-parts": """#pragma acc data copy(b[0:n + 40])
for (int part = 0; part < n + 8; part += 100) {
int end = part + 100 < n + 8 ? part + 100 : n + 8;
#pragma acc parallel loop copyin(a[part:end - part + 2])
for (int i = part; i < end; ++i) {
#pragma acc cache(a[i:3])
b[i] += a[i] / 2 + a[i + 1] + a[i + 2];
}
}""",
    }[row["kind"]]
