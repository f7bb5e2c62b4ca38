"""Loops over a thread's own records, whose directives name whole arrays: lines of each thread's own serve them."""

from __future__ import annotations

from matrix.builder import Array, Program, block, c_program
from matrix.pairwise import Row, covering

FACTORS = {
    "element": ("char", "short", "int", "long", "float", "double", "rgb", "triple", "pair", "wide"),
    "write": (
        "own", "compound", "increment", "carry", "back", "conditional", "first", "gaps", "twice", "none", "scatter",
        "whole",
    ),
    "loop": ("up", "down", "while", "do", "steps", "nested", "block", "top", "continue"),
    "base": ("0", "1", "5"),
    "section": ("whole", "part"),
    "shape": ("flat", "rows"),
    "mapping": ("parallel loop", "parallel loop vector_length(32)", "kernels loop independent", "parallel loop gang"),
    "pointer": ("restrict", "plain"),
    "around": ("", "if", "loop"),
}  # fmt: skip
# structures without padding, what is random in them, and the member that the loops use
STRUCTURES = {
    "rgb": ("unsigned char r, g, b;", "{draw(9) + 9, draw(9) + 9, draw(9) + 9}", ".g"),
    "triple": ("short x, y, z;", "{draw(90), draw(90), draw(90)}", ".z"),
    "pair": ("int tag; float weight;", "{draw(90), draw(90)}", ".weight"),
    "wide": ("double x, y;", "{draw(90), draw(90)}", ".y"),
}
SIZES = ((1, 1), (3, 50), (33, 7), (70, 23), (300, 9))


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"records{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _legal(row: Row) -> bool:
    if row["shape"] == "rows" and (row["base"] != "0" or row["section"] == "part"):
        return False
    return row["write"] != "whole" or row["element"] in STRUCTURES


def _program(name: str, row: Row) -> Program:
    structure = STRUCTURES.get(row["element"])
    element = f"struct {name}_element" if structure else row["element"]
    before = f"{element} {{ {structure[0]} }};" if structure else ""
    rows, base = row["shape"] == "rows", row["base"]
    count = f"(size_t)n*m + {base} + 3"
    declared = {"a": _declared("a", f"const {element}", row), "w": _declared("w", element, row)}
    arrays = tuple(
        Array(array, element, count, declared[array], f"({element}){structure[1]}" if structure else "")
        for array in ("a", "w")
    )
    first, length = (base, "n*m") if row["section"] == "part" else ("0", f"n*m + {base}")
    section = "[0:n][0:m]" if rows else f"[{first}:{length}]"
    body = block(
        f"#pragma acc {row['mapping']} copyin(a{section}) copy(w{section})",
        "for (int t = 0; t < n; ++t) {",
        _around(row),
        "}",
    )
    return Program(
        name, c_program(name, arrays, body, before=before), SIZES, tuple(row.items()), writes=True, by_lines=True
    )


def _declared(name: str, element: str, row: Row) -> str:
    if row["shape"] == "rows":
        return f"{element} {name}[restrict n][m]" if row["pointer"] == "restrict" else f"{element} {name}[n][m]"
    return f"{element} *restrict {name}" if row["pointer"] == "restrict" else f"{element} *{name}"


def _at(row: Row, array: str, index: str) -> str:
    """An element of the thread's own, or the member of it that the loops use."""
    member = STRUCTURES[row["element"]][2] if row["element"] in STRUCTURES else ""
    place = f"[t][{index}]" if row["shape"] == "rows" else f"[t*m + {index} + {row['base']}]"
    return f"{array}{place}{member}"


def _statement(row: Row) -> str:
    """What the loop does with record ``i`` of ``m``."""
    a, w = _at(row, "a", "i"), _at(row, "w", "i")
    whole = [_at(row, array, "i").rpartition(".")[0] for array in ("w", "a")]
    return {
        "own": f"{w} = {a} + 1;",
        "compound": f"{w} -= {a} + i % 3;",
        "increment": f"if (i % 3) {w}++; else --{w};",
        "carry": f"{w} = ({_at(row, 'w', '(i > 0 ? i - 1 : i)')} + {a}) / 2;",
        "back": f"{_at(row, 'w', '(m - 1 - i)')} = {a};",
        "conditional": f"if ({a} > 3) {w} = {a} + {w};",
        "first": f"{_at(row, 'w', '0')} += {a} > 0;",
        "gaps": f"if (i % 2 == 0) {w} = {a};",
        "twice": f"{w} = {a}; {w} += 2;",
        "none": f"sum += (int){a} + (int){w};",
        "scatter": f"{_at(row, 'w', '(i*7 % m)')} += {a} > 1;",
        "whole": f"if (i % 4) {whole[0]} = {whole[1]}; else {w} += 1;",
    }[row["write"]]


def _loop(row: Row) -> str:
    """The directive with its loop."""
    work, cached = _statement(row), "#pragma acc cache(a, w)"
    return {
        "up": block("#pragma acc loop seq", cached, f"for (int i = 0; i < m; ++i) {{ {work} }}"),
        "down": block("#pragma acc loop seq", cached, f"for (int i = m - 1; i >= 0; --i) {{ {work} }}"),
        "while": block("int i = 0;", cached, f"while (i < m) {{ {work} ++i; }}"),
        "do": block("int i = 0;", cached, f"do {{ {work} ++i; }} while (i < m);"),
        "steps": block(cached, f"for (int i = 0; i < m; i += 3) {{ {work} }}"),
        "nested": block(cached, f"for (int q = 0; q < 3; ++q) for (int i = q; i < m; i += 3) {{ {work} }}"),
        "block": block(cached, "{", "int half = m / 2;", f"for (int i = 0; i < half; ++i) {{ {work} }}",
                       f"for (int i = half; i < m; ++i) {{ {work} }}", "}"),
        "top": block("#pragma acc loop seq", "for (int i = 0; i < m; ++i) {", cached, work, "}"),
        "continue": block(cached, f"for (int i = 0; i < m; ++i) {{ if (i % 5 == 4) continue; {work} }}"),
    }[row["loop"]]  # fmt: skip


def _around(row: Row) -> str:
    """The body of the parallel loop."""
    loop = {
        "": _loop(row),
        "if": block("if (t % 3 != 1) {", _loop(row), "}"),
        "loop": block(
            "for (int round = 0; round < 2; ++round) {", "int again = round;", _loop(row), "(void)again;", "}"
        ),
    }[row["around"]]
    if row["write"] != "none":
        return loop
    return block("int sum = 0;", loop, f"{_at(row, 'w', '0')} = sum % 50;")
