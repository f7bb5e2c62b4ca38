"""One-dimensional tiles that are written: who writes which element, how, and where the region stands."""

from __future__ import annotations

import re

from matrix.builder import EDGES, SMALL_EDGES, Array, Program, block, c_program
from matrix.pairwise import Row, covering
from matrix.reads import CONSTRUCTS, loop_header

MARGIN = 24
FACTORS = {
    "write": (
        "own", "loop", "conditional", "compound", "increment", "outside", "halo", "partial", "either",
        "rotate", "temporary", "twice", "far-read", "unconditional-after-read", "inner-condition", "overwritten",
        "branches",
    ),
    "operator": ("+=", "-=", "*=", "|=", "^=", "&=", "<<=", "/=", "%="),
    "rate": ("-2", "-1", "1", "2", "3"),
    "step": ("-2", "-1", "1", "2", "7"),
    "test": ("plain", "equal", "swapped"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "index": ("int", "long", "unsigned", "size_t"),
    "place": ("top", "inner", "sequence", "uneven", "uniform-if", "divergent-if", "nested", "several", "alike"),
    "mapping": ("parallel", "kernels", "gang-vector", "sized", "vector16", "worker", "nested-loop", "outer-variable"),
    "pointer": ("restrict", "plain"),
}  # fmt: skip
NEEDS_STRIDE = {"halo": 2, "partial": 2, "either": 2, "rotate": 2, "loop": 2, "overwritten": 2, "branches": 2}
INTEGER_ONLY = ("|=", "^=", "&=", "<<=", "%=")


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"write{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _stride(row: Row) -> int:
    return abs(int(row["rate"]) * int(row["step"]))


def _legal(row: Row) -> bool:
    if row["element"] in ("float", "double") and row["operator"] in INTEGER_ONLY:
        return False
    if row["operator"] == "*=" and row["place"] in ("sequence", "uneven", "nested"):
        return False  # products would overflow
    return _stride(row) >= NEEDS_STRIDE.get(row["write"], 1)


def _program(name: str, row: Row) -> Program:
    rate, step = int(row["rate"]), int(row["step"])
    base = abs(step) if row["index"] in ("unsigned", "size_t") else (1 if step % 2 else 0)
    last = f"{base} + {abs(step)}*(n - 1)"
    if rate < 0:
        lower, before = f"top - {-rate}*i", f"int top = {MARGIN} + {-rate}*({last});"
    else:
        lower, before = f"{rate}*i + {MARGIN - rate * base}" if rate > 1 else f"i + {MARGIN - base}", ""
    element, star = row["element"], "*restrict " if row["pointer"] == "restrict" else "*"
    span = f"(size_t){_stride(row)}*(n - 1) + {2 * MARGIN}"
    arrays = (
        Array("w", element, f"2*({span})", f"{element} {star}w"),
        Array("a", element, f"{last} + 4", f"const {element} {star}a"),
    )
    alike = row["place"] == "alike"
    arrays += (Array("v", element, f"2*({span})", f"{element} {star}v"),) if alike else ()
    copied = f"w[0:2*({span})]" + (f", v[0:2*({span})]" if alike else "")
    index = f"{row['index']} i;" if row["mapping"] == "outer-variable" else ""
    data = f"#pragma acc data copy({copied}) copyin(a[0:{last} + 4])"
    body = block(
        before,
        index,
        f"size_t span = {span};" if row["write"] in ("outside", "far-read") else "",
        data,
        f"#pragma acc {CONSTRUCTS[row['mapping']]}",
        "#pragma acc loop gang vector" if row["mapping"] == "nested-loop" else "",
        loop_header(row, base, last),
        "{",
        _place(row, lower),
        "}",
    )
    edges = SMALL_EDGES if row["mapping"] in ("sized", "vector16", "worker") else EDGES
    runs = tuple((size, 9) for size in edges)
    in_range = row["write"] not in ("outside", "far-read")
    return Program(name, c_program(name, arrays, body), runs, tuple(row.items()), in_range, writes=True)


def _range(row: Row, lower: str) -> tuple[str, int]:
    """The subarray of the directive: its lower bound and length."""
    stride, kind = _stride(row), row["write"]
    if kind == "halo":
        return f"{lower} - {stride}", 2 * stride + 1
    if kind in ("loop", "partial", "either", "rotate", "overwritten", "branches"):
        return lower, min(stride, 5)
    return (lower, 1) if kind != "inner-condition" else (f"{lower} - 1", 3)


def _statements(row: Row, low: str) -> str:
    """What one iteration writes; ``k`` is 0 where there is no loop around."""
    stride, index, op = _stride(row), row["index"], row["operator"]
    length = min(stride, 5)
    # an operand that is safe for every operator: never 0, small, not negative
    operand = "(a[i] > 0 ? 2 : 1)"
    update = f"w[{low}] {op} {operand};"
    return {
        "own": f"w[{low}] = a[i] - k;",
        "loop": f"for (int q = 0; q < {length}; ++q) w[{low} + q] = a[i + q % 3] - q + k;",
        "conditional": f"if (a[i] > k) w[{low}] = a[i + 1];",
        "compound": update,
        "increment": f"if (a[i] > 0) w[{low}]++; else --w[{low}];",
        "outside": f"w[{low}] = a[i + k % 3]; w[{low} + span] {op} {operand};",
        "overwritten": f"for (int q = 0; q < {length}; ++q) w[{low} + q] = a[i] - q; w[{low} + 1] += k;"
        f" if (w[{low}] > 0) w[{low}] = w[{low} + {length - 1}];",
        "branches": f"if (a[i] > k) {{ w[{low}] = 1; w[{low} + 1] = a[i]; }}"
        f" else for (int q = 1; q >= 0; --q) w[{low} + q] = k - q; w[{low} + 1] += w[{low}];",
        "halo": f"w[{low}] = w[{low} + 1] + (w[{low} - {stride - 1}] - w[{low} + {stride - 1}])/2 + k;",
        "partial": f"w[{low} + 1] = a[i] + k;",
        "either": f"w[{low} + (a[i] > 0)] {op} {operand};",
        "rotate": f"{row['element']} t = w[{low}]; for (int q = 1; q < {length}; ++q) w[{low} + q - 1] = w[{low} + q];"
        f" w[{low} + {length - 1}] = t;",
        "temporary": f"{index} p = {low}; {index} q = p; w[q] {op} {operand};",
        "twice": f"w[{low}] = a[i] + k; w[{low}] {op} {operand};",
        "far-read": f"w[{low}] = w[{low} + span] + (a[i] > 1 ? w[{low}] % 3 : k);"
        if row["element"] not in ("float", "double")
        else f"w[{low}] = w[{low} + span] + (a[i] > 1 ? w[{low}] / 3 : k);",
        "unconditional-after-read": f"w[{low}] = w[{low}] > 0 ? a[i + 2] + k : 1;",
        "inner-condition": f"for (int q = 0; q < 3; ++q) if (a[i + q] > k) {{ {update} }}",
    }[row["write"]]


def _place(row: Row, lower: str) -> str:
    """The loop's body with the directive where the row puts it."""
    low, length = _range(row, lower)
    cached = f"#pragma acc cache(w[{low}:{length}])"
    work = _statements(row, lower)
    zero = "int k = 0;" if re.search(r"\bk\b", work) or row["place"] == "nested" else ""
    bodies = {
        "top": (cached, zero, work),
        "inner": (zero, cached, "{", work, "}"),
        "sequence": ("for (int k = 0; k < 3; ++k) {", cached, work, "}"),
        "uneven": ("for (int k = 0; k <= (int)(i % 3); ++k) {", cached, work, "}"),
        "uniform-if": (zero, "if (n != 255) {", cached, work, "}"),
        "divergent-if": (zero, "if (a[i] > 3) {", cached, work, "} else", f"    w[{lower}] = 3;"),
        "nested": (
            cached,
            zero,
            "{",
            work,
            "}",
            "for (k = 1; k < 3; ++k) {",
            "#pragma acc cache(a[i:4])",
            work,
            "}",
        ),
        "several": (f"#pragma acc cache(w[{low}:{length}], a[i:4])", zero, work),
        "alike": (
            f"#pragma acc cache(w[{low}:{length}], v[{low}:{length}])",
            zero,
            "{ " + work + " }",
            "{ " + re.sub(r"\bw\b", "v", work) + " }",
        ),
    }
    return block(*bodies[row["place"]])
