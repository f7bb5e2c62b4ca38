"""Tiles of two and three dimensions: flat pointers, static arrays, VLAs; stencils, rows and columns; two loops."""

from __future__ import annotations

from matrix.builder import Array, Program, block, c_program, sum_type
from matrix.pairwise import Row, covering

ROWS, COLUMNS = 56, 80
FACTORS = {
    "layout": ("flat", "flat-1d", "static", "vla", "flat-3d", "static-3d", "vla-3d"),
    "shape": ("box", "cross", "row", "column", "corner", "point", "wide"),
    "references": ("direct", "temporaries", "loops", "outside"),
    "mapping": (
        "collapse",
        "two-loops",
        "kernels",
        "gang-vector",
        "worker-vector",
        "vector16",
        "swapped",
        "outer-only",
    ),
    "row-step": ("1", "2", "-1"),
    "column-step": ("1", "2", "-1", "-2"),
    "write": ("none", "own", "compound", "conditional"),
    "place": ("top", "inner", "sequence", "divergent-if"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "index": ("int", "long"),
    "pointer": ("restrict", "plain"),
}
# lower and upper end of each shape, relative to the element: rows, columns
SHAPES = {
    "box": ((-1, 1), (-1, 1)),
    "cross": ((-1, 1), (-1, 1)),
    "row": ((0, 0), (-1, 1)),
    "column": ((-1, 1), (0, 0)),
    "corner": ((0, 1), (-2, 0)),
    "point": ((0, 0), (0, 0)),
    "wide": ((-1, 0), (-2, 3)),
}
EDGE = 4
RUNS = ((1, 1), (1, 17), (15, 31), (16, 16), (17, 33), (33, 50), (34, 66))


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"tile{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _legal(row: Row) -> bool:
    return not (row["layout"].endswith("3d") and row["shape"] == "cross")


def _element(row: Row, array: str, i: str, j: str, plane: str = "1") -> str:
    """One element in the row's layout; planes only where there are three dimensions."""
    layout = row["layout"]
    if layout in ("flat", "flat-1d"):
        return f"{array}[({i})*m + {j}]" if i != "i" else f"{array}[i*m + {j}]"
    if layout == "flat-3d":
        return f"{array}[(({plane})*{ROWS} + {i})*{COLUMNS} + {j}]"
    return f"{array}[{plane}][{i}][{j}]" if layout.endswith("3d") else f"{array}[{i}][{j}]"


def _range(row: Row, array: str) -> str:
    """The subarray of the directive."""
    (up, down), (left, right) = SHAPES[row["shape"]]
    rows, columns = down - up + 1, right - left + 1
    if row["layout"] == "flat-1d":
        return f"{array}[i*m + j{_sign(left)}:{columns}]"
    plane = "[k0:1]" if row["layout"].endswith("3d") else ""
    return f"{array}{plane}[i{_sign(up)}:{rows}][j{_sign(left)}:{columns}]"


def _sign(offset: int) -> str:
    return f" + {offset}" if offset > 0 else f" - {-offset}" if offset else ""


def _references(row: Row) -> str:
    """Statements that add the elements of the shape to ``sum``."""
    (up, down), (left, right) = SHAPES[row["shape"]]
    form, index = row["references"], row["index"]
    plane = "k0" if row["layout"].endswith("3d") else "1"
    cells = [(di, dj) for di in range(up, down + 1) for dj in range(left, right + 1)]
    if row["shape"] == "cross":
        cells = [(di, dj) for di, dj in cells if di * dj == 0]
    if row["layout"] == "flat-1d" and form != "outside":
        cells = [(di, dj) for di, dj in cells if di == 0]
    if form == "loops" and row["shape"] != "cross":
        rows = (0, 0) if row["layout"] == "flat-1d" else (up, down)
        return (
            f"for (int p = {rows[0]}; p <= {rows[1]}; ++p) for (int q = {left}; q <= {right}; ++q)"
            f" sum += (p + q + 5)*{_element(row, 'a', 'i + p', 'j + q', plane)};"
        )
    if form == "temporaries":
        names = [
            f"{index} i{number} = i{_sign(di)}, j{number} = j{_sign(dj)};" for number, (di, dj) in enumerate(cells)
        ]
        uses = [
            f"sum += {number + 1}*{_element(row, 'a', f'i{number}', f'j{number}', plane)};"
            for number in range(len(cells))
        ]
        return "{ " + " ".join(names + uses) + " }"
    uses = [
        f"sum += {k + 1}*{_element(row, 'a', f'i{_sign(di)}', f'j{_sign(dj)}', plane)};"
        for k, (di, dj) in enumerate(cells)
    ]
    if form == "outside":
        uses.append(f"sum -= {_element(row, 'a', 'i - 2', 'j + 1', plane)};")
    return "{ " + " ".join(uses) + " }"


def _program(name: str, row: Row) -> Program:
    element, layout = row["element"], row["layout"]
    summed = sum_type(element)
    planes = 3 if layout.endswith("3d") else 1
    fixed = layout not in ("flat", "flat-1d", "vla", "vla-3d")
    width = str(COLUMNS) if fixed else "m"
    height = str(ROWS) if fixed else "h"
    restrict = "restrict " if row["pointer"] == "restrict" else ""

    def parameter(kind: str, array: str) -> str:
        if layout.startswith("flat"):
            return f"{kind} *{restrict}{array}"
        plane = f"[{restrict}3][{height}]" if planes == 3 else f"[{restrict}{height}]"
        return f"{kind} {array}{plane}[{width}]"

    count = f"(size_t){planes}*{ROWS}*{COLUMNS}"
    arrays = (
        Array("a", element, count, parameter(f"const {element}", "a")),
        Array("b", summed, count, parameter(summed, "b")),
    )
    if layout.startswith("flat"):
        shape = f"[0:{planes}*{ROWS}*{COLUMNS}]"
    else:
        shape = ("[0:3]" if planes == 3 else "") + f"[0:{height}][0:{width}]"
    body = block(
        "int k0 = 1;" if planes == 3 else "",
        f"#pragma acc data copyin(a{shape}) copy(b{shape})",
        _loops(row, _place(row, summed)),
    )
    text = c_program(name, arrays, body, scalars=f"int h={ROWS}; int rows=n0; int columns=m0")
    # the arrays have a fixed size; n and m of the command line say how much of them the loops cover
    text = text.replace(
        "n = atoi(argv[1]), m = atoi(argv[2]);", f"n0 = atoi(argv[1]), m0 = atoi(argv[2]), n = {ROWS}, m = {COLUMNS};"
    )
    return Program(name, text, RUNS, tuple(row.items()), row["references"] != "outside", row["write"] != "none")


def _loops(row: Row, body: str) -> str:
    """The parallel loops around the body."""

    def header(variable: str, limit: str, step: str) -> str:
        index, distance = row["index"], abs(int(step))
        if int(step) > 0:
            return f"for ({index} {variable} = {EDGE}; {variable} < {EDGE} + {limit}; {variable} += {distance})"
        return f"for ({index} {variable} = {EDGE - 1} + {limit}; {variable} >= {EDGE}; {variable} -= {distance})"

    outer, inner = header("i", "rows", row["row-step"]), header("j", "columns", row["column-step"])
    first, second = {
        "collapse": ("parallel loop collapse(2)", ""),
        "two-loops": ("parallel loop", "loop"),
        "kernels": ("kernels loop independent", "loop independent"),
        "gang-vector": ("parallel loop gang", "loop vector"),
        "worker-vector": ("parallel loop gang worker num_workers(4) vector_length(32)", "loop vector"),
        "vector16": ("kernels loop independent gang vector(16)", "loop independent gang vector(16)"),
        "swapped": ("parallel loop gang vector", "loop gang vector"),
        "outer-only": ("parallel loop gang vector vector_length(64)", "loop seq"),
    }[row["mapping"]]
    if row["mapping"] == "swapped":
        outer, inner = inner, outer
    pragma = f"#pragma acc {second}" if second else ""
    return block(
        f"#pragma acc {first}", outer, "{" if second else "", pragma, inner, "{", body, "}", "}" if second else ""
    )


def _place(row: Row, summed: str) -> str:
    """The body: directive, references, and what is written to b."""
    plane = "k0" if row["layout"].endswith("3d") else "1"
    target = _element(row, "b", "i", "j", plane)
    directives = f"#pragma acc cache({_range(row, 'a')})"
    lower = {"flat-1d": "[i*m + j:1]"}.get(row["layout"], ("[k0:1]" if plane == "k0" else "") + "[i:1][j:1]")
    if row["write"] != "none":
        directives = directives[:-1] + f", b{lower})"
    store = {
        "none": f"{target} = sum;",
        "own": f"{target} = sum;",
        "compound": f"{target} += sum;",
        "conditional": f"if (sum > 9) {target} = sum;",
    }[row["write"]]
    head, work = f"{summed} sum = 0;", _references(row)
    bodies = {
        "top": (directives, head, work, store),
        "inner": (head, directives, "{", work, store, "}"),
        "sequence": (head, "for (int t = 0; t < 2; ++t) {", directives, work, store, "}"),
        "divergent-if": (head, f"if ({target} > 2) {{", directives, work, store, "}"),
    }
    return block(*bodies[row["place"]])
