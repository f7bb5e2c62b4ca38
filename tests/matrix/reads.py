"""One-dimensional read tiles: rate, step, loop form, length, types, references and places of the directive."""

from __future__ import annotations

from matrix.builder import EDGES, SMALL_EDGES, Array, Program, block, c_program, sum_type
from matrix.pairwise import Row, covering

MARGIN = 4
FACTORS = {
    "rate": ("-2", "-1", "0", "1", "2", "3"),
    "step": ("-2", "-1", "1", "2", "7"),
    "test": ("plain", "equal", "not-equal", "swapped"),
    "length": ("1", "2", "3", "5"),
    "element": ("char", "short", "int", "unsigned", "long", "float", "double"),
    "index": ("int", "long", "unsigned", "size_t"),
    "references": ("loop", "offsets", "temporaries", "counted", "down", "some", "outside"),
    "place": ("top", "inner", "sequence", "uneven", "uniform-if", "divergent-if", "two", "nested", "several"),
    "mapping": ("parallel", "kernels", "gang-vector", "sized", "vector16", "worker", "nested-loop", "outer-variable"),
    "pointer": ("restrict", "plain"),
}
CONSTRUCTS = {
    "parallel": "parallel loop",
    "kernels": "kernels loop independent",
    "gang-vector": "parallel loop gang vector",
    "sized": "parallel loop gang vector num_gangs(3) vector_length(64)",
    "vector16": "kernels loop independent gang(4) vector(16)",
    "worker": "parallel loop gang worker vector num_workers(2) vector_length(32)",
    "nested-loop": "parallel",
    "outer-variable": "parallel loop independent",
}


def programs() -> list[Program]:
    """The pairwise selection of all factors."""
    return [_program(f"read{number}", row) for number, row in enumerate(covering(FACTORS, _legal))]


def _legal(row: Row) -> bool:
    return row["test"] != "not-equal" or row["step"] in ("-1", "1")


def loop_header(row: Row, base: int, last: str) -> str:
    """The parallel loop: from base to last in either direction."""
    step, test = int(row["step"]), row["test"]
    up = step > 0
    first = str(base) if up else last
    limits = {
        "plain": f"i < {last} + 1" if up else f"i > {base - 1}",
        "equal": f"i <= {last}" if up else f"i >= {base}",
        "not-equal": f"i != {last} + 1" if up else f"i != {base - 1}",
        "swapped": f"{last} >= i" if up else f"{base} <= i",
    }
    steps = {1: "++i", -1: "i--", 2: "i += 2", -2: "i -= 2", 7: "i = i + 7"}
    declare = "" if row["mapping"] == "outer-variable" else f"{row['index']} "
    return f"for ({declare}i = {first}; {limits[test]}; {steps[step]})"


def _program(name: str, row: Row) -> Program:
    rate, step, length = int(row["rate"]), int(row["step"]), int(row["length"])
    base = abs(step) if row["index"] in ("unsigned", "size_t") else (1 if step % 2 else 0)
    last = f"{base} + {abs(step)}*(n - 1)"
    lower, before = _lower(rate, base, last)
    element = row["element"]
    summed = sum_type(element)
    count = f"{2 * MARGIN + length + 3} + (size_t){abs(rate * step)}*(n - 1)"
    star = "*restrict " if row["pointer"] == "restrict" else "*"
    arrays = (
        Array("a", element, count, f"const {element} {star}a"),
        Array("c", element, count, f"const {element} {star}c"),
        Array("b", summed, f"{last} + 1", f"{summed} {star}b"),
    )
    counts = {array.name: array.count for array in arrays}
    clauses = f"copyin(a[0:{counts['a']}], c[0:{counts['c']}]) copy(b[0:{counts['b']}])"
    inner = "#pragma acc loop gang vector" if row["mapping"] == "nested-loop" else ""
    declare = f"{row['index']} i;" if row["mapping"] == "outer-variable" else ""
    body = block(
        before,
        declare,
        f"#pragma acc {CONSTRUCTS[row['mapping']]} {clauses}",
        inner,
        loop_header(row, base, last),
        "{",
        _place(row, lower, length, summed),
        "}",
    )
    edges = SMALL_EDGES if row["mapping"] in ("sized", "vector16", "worker") else EDGES
    runs = tuple((size, 9) for size in edges)
    return Program(name, c_program(name, arrays, body), runs, tuple(row.items()), row["references"] != "outside")


def _lower(rate: int, base: int, last: str) -> tuple[str, str]:
    """The subarray's lower bound, at least MARGIN, and a declaration it needs."""
    if rate == 0:
        return "at", f"int at = {MARGIN};"
    if rate < 0:
        factor = "i" if rate == -1 else f"{-rate}*i"
        return f"top - {factor}", f"int top = {MARGIN} + {-rate}*({last});"
    offset = MARGIN - rate * base
    factor = "i" if rate == 1 else f"{rate}*i"
    return (f"{factor} + {offset}" if offset > 0 else f"{factor} - {-offset}" if offset else factor), ""


def _references(row: Row, array: str, lower: str, length: int) -> str:
    """Statements that add elements of the range to ``sum``."""
    index, form = row["index"], row["references"]
    loop = f"for ({index} j = {lower}; j < {lower} + {length}; ++j)"
    if form == "loop":
        return f"{loop} sum += {array}[j];"
    if form == "offsets":
        return "{ " + " ".join(f"sum += {k + 1}*{array}[{lower} + {k}];" for k in range(length)) + " }"
    if form == "temporaries":
        terms = " ".join(f"{index} q{k} = p + {k}; sum += {k + 1}*{array}[q{k}];" for k in range(length))
        return f"{{ {index} p = {lower}; {terms} }}"
    if form == "counted":
        return f"for (int q = 0; q < {length}; ++q) sum += (q + 1)*{array}[{lower} + q];"
    if form == "down":
        return f"for ({index} j = {lower} + {length - 1}; j >= {lower}; --j) sum = 2*sum/3 + {array}[j];"
    if form == "some":
        return f"{loop} if (j % 2) sum += {array}[j];"
    return f"{loop} sum += {array}[j] - {array}[j - 3] + {array}[j + 2];"


def _place(row: Row, lower: str, length: int, summed: str) -> str:
    """The loop's body with the directive where the row puts it."""

    def cached(array: str, low: str) -> str:
        return f"#pragma acc cache({array}[{low}:{length}])"

    def use(array: str = "a", low: str = lower) -> str:
        return _references(row, array, low, length)

    head, tail = f"{summed} sum = 0;", "b[i] = sum;"
    shifted = f"{lower} + k"
    bodies = {
        "top": (cached("a", lower), head, use(), tail),
        "inner": (head, cached("a", lower), use(), tail),
        "sequence": (head, "for (int k = 0; k < 3; ++k) {", cached("a", shifted), use("a", shifted), "}", tail),
        "uneven": (
            head,
            "for (int k = 0; k <= (int)(i % 3); ++k) {",
            cached("a", shifted),
            use("a", shifted),
            "}",
            tail,
        ),
        "uniform-if": (head, "if (n != 255) {", cached("a", lower), use(), "} else", "    sum = 3;", tail),
        "divergent-if": (head, "if (b[i] > 3) {", cached("a", lower), use(), "}", tail),
        "two": (head, cached("a", lower), use(), cached("c", f"{lower} + 1"), use("c", f"{lower} + 1"), tail),
        "nested": (
            head,
            "{",
            cached("a", lower),
            use(),
            "for (int k = 0; k < 2; ++k) {",
            cached("c", shifted),
            use("c", shifted),
            use(),
            "}",
            "}",
            tail,
        ),
        "several": (f"#pragma acc cache(a[{lower}:{length}], c[{lower}:{length}])", head, use(), use("c"), tail),
    }
    return block(*bodies[row["place"]])
