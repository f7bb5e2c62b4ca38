"""Reductions at every level; sums and products of floating point numbers within n * eps * sum |x|."""
# ruff: noqa: E501

from __future__ import annotations

from matrix.builder import Array, Program, c_program
from matrix.pairwise import Row, covering

FACTORS = {
    "operation": ("+", "*", "min", "max", "&", "|", "^", "&&", "||"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "level": (
        "gang-vector", "gang", "vector", "worker-vector", "both", "collapse", "kernels", "sized", "construct",
        "cached", "sequential-inside", "two-variables", "rows", "after-scratch",
    ),
    "form": ("assign", "reverse", "branch"),
    "index": ("int", "long", "unsigned", "size_t"),
    "pointer": ("restrict", "plain"),
}  # fmt: skip
RUNS = ((1, 1), (31, 7), (128, 32), (257, 33), (600, 40))
WIDTH = 40
STARTS = {"*": "1", "&": "~0", "&&": "1", "|": "0", "||": "0", "min": "9", "max": "-9", "+": "5", "^": "5"}
EPSILON = {"float": "1.2e-7", "double": "2.3e-16"}


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"reduce{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _legal(row: Row) -> bool:
    floating = row["element"] in EPSILON
    return not (floating and row["operation"] in "&|^")


def _program(name: str, row: Row) -> Program:
    element, operation = row["element"], row["operation"]
    star = "*restrict " if row["pointer"] == "restrict" else "*"
    draw = {
        "*": f"({element})(draw(18) == 0 ? 2 : 1)",
        "&&": f"({element})(draw(300) + 300)",
        "||": f"({element})(draw(300) == 0)",
    }.get(operation, f"({element})draw(100)")
    if operation == "*" and element in EPSILON:
        draw = f"({element})(1 + draw(1000) / 100000.0)"
    elif operation == "+" and element in EPSILON:
        draw = f"({element})(draw(1000) / 1000.0)"
    arrays = (
        Array("a", element, f"(size_t){WIDTH}*(n + 4)", f"const {element} {star}a", draw),
        Array("b", element, f"(size_t){WIDTH}*(n + 4)", f"{element} {star}b"),
    )
    loose = element in EPSILON and operation in "+*"
    text = c_program(name, arrays, _body(row), results=_results(element, loose))
    if loose:
        text = "\n".join(line for line in text.splitlines() if '_report("b"' not in line) + "\n"
    return Program(name, text, RUNS, tuple(row.items()), cached=row["level"] == "cached")


def _results(element: str, loose: bool) -> str:
    """Print the sums with what they may differ by: the product's factors are close to 1."""
    if not loose:
        return ""
    return f"""double bound = 0;
for (size_t k = 0; k < a_count; ++k) bound += fabs((double)a[k]);
bound = 4 * bound * a_count * {EPSILON[element]};
for (size_t k = 0; k < b_count; ++k)
printf("b%zu %.17g ~%.17g\\n", k, (double)b[k], bound * fmax(1, fabs((double)b[k])));"""


def _update(row: Row, variable: str, value: str) -> str:
    operation, form = row["operation"], row["form"]
    if operation in ("min", "max"):
        less = "<" if operation == "min" else ">"
        return {
            "assign": f"{variable} = {variable} {less} {value} ? {variable} : {value};",
            "reverse": f"{variable} = {value} {less} {variable} ? {value} : {variable};",
            "branch": f"if ({value} {less} {variable}) {variable} = {value};",
        }[form]
    if operation in ("&&", "||"):
        left, right = (variable, value) if form != "reverse" else (value, variable)
        return f"{variable} = {left} {operation} {right};"
    return {
        "assign": f"{variable} {operation}= {value};",
        "reverse": f"{variable} = {value} {operation} {variable};",
        "branch": f"if ({value} != 3) {variable} = {variable} {operation} {value};",
    }[form]


def _body(row: Row) -> str:
    element, operation, index = row["element"], row["operation"], row["index"]
    start = f"{element} s = ({element}){STARTS[operation]};"
    clause = f"reduction({operation}:s)"
    data = f"copyin(a[0:{WIDTH}*(n + 4)])"
    both = f"{data} copy(b[0:{WIDTH}*(n + 4)])"
    simple = f"for ({index} i = 0; i < n; ++i)"
    update = _update(row, "s", "a[i]")
    inner = f"for ({index} j = 0; j < m; ++j)"
    cell = _update(row, "s", f"a[{WIDTH}*i + j]")
    per_row = f"""#pragma acc parallel loop gang LEVEL {both}
{simple} {{
{start}
#pragma acc loop INNER {clause}
{inner} {cell}
b[i] = s;
}}"""
    return {
        "gang-vector": f"{start}\n#pragma acc parallel loop {clause} {data}\n{simple} {update}\nb[0] = s;",
        "gang": f"{start}\n#pragma acc parallel loop gang {clause} {data}\n{simple} {update}\nb[0] = s;",
        "vector": per_row.replace("LEVEL", "").replace("INNER", "vector"),
        "worker-vector": per_row.replace("LEVEL", "num_workers(2) vector_length(32)").replace("INNER", "worker vector"),
        "both": f"""{start}
#pragma acc parallel loop gang {clause} {data}
{simple} {{
#pragma acc loop vector {clause}
{inner} {cell}
}}
b[0] = s;""",
        "collapse": f"{start}\n#pragma acc parallel loop collapse(2) {clause} {data}\n{simple}\n{inner} {cell}\nb[0] = s;",
        "kernels": f"{start}\n#pragma acc kernels loop independent {clause} {data}\n{simple} {update}\nb[0] = s;",
        "sized": f"""{start}
#pragma acc parallel loop gang vector num_gangs(3) vector_length(32) {clause} {data}
{simple} {update}
b[0] = s;""",
        "construct": f"""{start}
#pragma acc parallel {clause} {data}
#pragma acc loop gang vector {clause}
{simple} {update}
b[0] = s;""",
        "cached": f"""{start}
#pragma acc parallel loop gang vector {clause} {data}
for ({index} i = 1; i <= n; ++i) {{
#pragma acc cache(a[i - 1:3])
for (int k = -1; k <= 1; ++k) {_update(row, "s", "a[i + k]")}
}}
b[0] = s;""",
        "sequential-inside": f"""{start}
#pragma acc parallel loop {clause} {data}
{simple} {{
if (a[i] == 7) continue;
{inner} {cell}
}}
b[0] = s;""",
        "two-variables": f"""{start}
{element} s2 = ({element}){STARTS[operation]}; int count = 3;
#pragma acc parallel loop reduction({operation}:s,s2) reduction(+:count) {data}
{simple} {{ {update} {_update(row, "s2", "a[i + 1]")} count += i % 2; }}
b[0] = s; b[1] = s2; b[2] = count;""",
        "rows": f"""#pragma acc kernels loop independent gang(4) {both}
{simple} {{
{start}
#pragma acc loop independent vector(16) {clause}
{inner} {cell}
#pragma acc loop independent vector(16)
{inner} b[{WIDTH}*i + j] = s;
}}""",
        "after-scratch": f"""#pragma acc parallel loop gang {both}
{simple} {{
{element} t[{WIDTH}];
#pragma acc cache(t)
#pragma acc loop vector
{inner} t[j] = a[{WIDTH}*i + j];
{start}
#pragma acc loop vector {clause}
{inner} {_update(row, "s", "t[m - 1 - j]")}
b[{WIDTH}*i] = s;
}}""",
    }[row["level"]]
