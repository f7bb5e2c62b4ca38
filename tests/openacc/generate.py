"""Writes the C programs that go through every operator, level and loop form; one function a case."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = '#include "show.h"\n\n#define ROWS 13\n#define COLUMNS 150\n\n'


@dataclass(frozen=True)
class Operator:
    """A reduction operator: the element type, the value before, and how one element x joins the sum."""

    name: str
    spelling: str
    type: str
    start: str
    update: str


OPERATORS = (
    Operator("sum", "+", "int", "5", "t += x"),
    Operator("sum_of_doubles", "+", "double", "0.5", "t = t + x"),
    Operator("sum_of_longs", "+", "long long", "1LL << 40", "t = x + t"),
    Operator("difference", "+", "int", "5", "t -= x"),
    Operator("product", "*", "unsigned", "3", "t *= 2 * x + 1"),
    Operator("maximum", "max", "int", "-7", "t = x > t ? x : t"),
    Operator("maximum_by_if", "max", "double", "-7", "if (t < x) t = x"),
    Operator("minimum", "min", "int", "2000", "t = t < x ? t : x"),
    Operator("minimum_of_floats", "min", "float", "2000", "if (x < t) t = x"),
    Operator("common_bits", "&", "int", "~0", "t &= x | 64"),
    Operator("all_bits", "|", "unsigned", "0", "t |= x"),
    Operator("odd_bits", "^", "int", "12", "t ^= x"),
    Operator("every", "&&", "int", "1", "t = t && x < 1000"),
    Operator("some", "||", "int", "0", "t = t || x == 77"),
)

# {v} is the reduction clause, {u} the update of t by x
_WHOLE = """#pragma acc {directive} {v} copyin(a[0:ROWS*COLUMNS])
    for (int i = 0; i < ROWS * COLUMNS; ++i) {{
        {type} x = a[i];
        {u};
    }}
    r[0] = t;
"""
_CONSTRUCT = """#pragma acc {directive} copyin(a[0:ROWS*COLUMNS]) {v}
    {{
#pragma acc loop {inner} {v}
        for (int i = 0; i < ROWS * COLUMNS; ++i) {{
            {type} x = a[i];
            {u};
        }}
    }}
    r[0] = t;
"""
_ROWS = """#pragma acc parallel loop gang copyin(a[0:ROWS*COLUMNS]) copyout(r[0:ROWS])
    for (int row = 0; row < ROWS; ++row) {{
        {type} t = start;
#pragma acc loop {inner} {v}
        for (int i = 0; i < COLUMNS; ++i) {{
            {type} x = a[row * COLUMNS + i];
            {u};
        }}
        r[row] = t;
    }}
"""
_NESTED = """#pragma acc parallel loop gang {v} copyin(a[0:ROWS*COLUMNS])
    for (int row = 0; row < ROWS; ++row) {{
#pragma acc loop {inner} {v}
        for (int i = 0; i < COLUMNS; ++i) {{
            {type} x = a[row * COLUMNS + i];
            {u};
        }}
    }}
    r[0] = t;
"""
_COLLAPSED = """#pragma acc parallel loop collapse(2) {v} copyin(a[0:ROWS*COLUMNS])
    for (int row = 0; row < ROWS; ++row)
        for (int i = 0; i < COLUMNS; ++i) {{
            {type} x = a[row * COLUMNS + i];
            {u};
        }}
    r[0] = t;
"""
LEVELS = {
    "gang_vector": (_WHOLE, {"directive": "parallel loop gang vector"}),
    "gang": (_WHOLE, {"directive": "parallel loop gang"}),
    "unnamed": (_WHOLE, {"directive": "parallel loop"}),
    "in_kernels": (_WHOLE, {"directive": "kernels loop independent"}),
    "in_serial": (_WHOLE, {"directive": "serial loop"}),
    "on_the_construct": (_CONSTRUCT, {"directive": "parallel", "inner": "gang vector"}),
    "on_serial": (_CONSTRUCT, {"directive": "serial", "inner": ""}),
    "vector": (_ROWS, {"inner": "vector"}),
    "worker": (_ROWS, {"inner": "worker"}),
    "worker_vector": (_ROWS, {"inner": "worker vector"}),
    "seq": (_ROWS, {"inner": "seq"}),
    "gang_and_vector": (_NESTED, {"inner": "vector"}),
    "gang_and_worker": (_NESTED, {"inner": "worker"}),
    "collapsed": (_COLLAPSED, {}),
}


_ELEMENTS = (
    ("{type} t = start;", "{type} t[3];\n        for (int k = 0; k < 3; ++k)\n            t[k] = start + k;"),
    ("r[0] = t;", "for (int k = 0; k < 3; ++k)\n        r[k] = t[k];"),
    ("r[row] = t;", "for (int k = 0; k < 3; ++k)\n            r[row * 3 + k] = t[k];"),
    ("r[0:ROWS]", "r[0:ROWS*3]"),
)


def reductions(level: str, *, section: str | None = None) -> str:
    """Every operator at one level, as a C program; each case prints a line.

    With a ``section``, perhaps an empty one, the three elements of an array are reduced.
    """
    template, words = LEVELS[level]
    declaration = "    {type} t = start;\n"
    if section is not None:
        for scalar, array in _ELEMENTS:
            template, declaration = template.replace(scalar, array), declaration.replace(scalar, array)
    parts = [_HEAD]
    for operator in OPERATORS:
        update = operator.update if section is None else re.sub(r"\bt\b", "t[i % 3]", operator.update)
        clause = f"reduction({operator.spelling}:t{section or ''})"
        filled = template.format(**words, v=clause, u=update, type=operator.type)
        first = f"    {operator.type} start = {operator.start};\n"
        if "start" not in template:
            first += declaration.format(type=operator.type)
        head = f"void {operator.name}(const int *restrict a, {operator.type} *restrict r)"
        parts.append(f"{head}\n{{\n{first}{filled}}}\n\n")
    parts.append("int main(void)\n{\n    int *a = new_ints(ROWS * COLUMNS, 1);\n")
    for operator in OPERATORS:
        parts.append(
            f"    {{\n        {operator.type} r[ROWS * 3] = {{0}};\n        {operator.name}(a, r);\n"
            f'        SHOW("{operator.name}", r, ROWS * 3);\n    }}\n'
        )
    return "".join(parts) + "    return 0;\n}\n"


@dataclass(frozen=True)
class LoopForm:
    """A loop's head; ``low`` and ``high`` are arguments of the function."""

    type: str
    first: str
    test: str
    step: str


LOOP_FORMS = (
    LoopForm("int", "low", "i < high", "++i"),
    LoopForm("int", "low", "i <= high", "i++"),
    LoopForm("int", "low", "i < high", "i += 3"),
    LoopForm("int", "low", "i <= high", "i += 7"),
    LoopForm("int", "high", "i > low", "--i"),
    LoopForm("int", "high", "i >= low", "i--"),
    LoopForm("int", "high", "i > low", "i -= 2"),
    LoopForm("int", "high", "i >= low", "i -= 7"),
    LoopForm("int", "low", "i != high", "++i"),
    LoopForm("int", "high", "i != low", "i--"),
    LoopForm("int", "low", "high > i", "i = i + 2"),
    LoopForm("int", "high", "low <= i", "i = i - 3"),
    LoopForm("int", "low + 1", "i < 2 * high - low", "i += 2"),
    LoopForm("long", "low", "i < high", "++i"),
    LoopForm("long long", "high", "i >= low", "i -= 2"),
    LoopForm("unsigned", "low", "i < (unsigned)high", "i += 2"),
    LoopForm("size_t", "low", "i < (size_t)high", "++i"),
    LoopForm("short", "low", "i < high", "i++"),
    LoopForm("int", "low", "i + 2 < high", "++i"),
    LoopForm("int", "high", "i - 3 >= low", "i -= 2"),
    LoopForm("int", "low", "high > low + i", "i++"),
    LoopForm("short", "low", "i + 1 <= high", "i += 2"),
    LoopForm("size_t", "1", "i + 4 < (size_t)high", "i += 3"),
    LoopForm("unsigned", "0", "(unsigned)high > 3u + i", "++i"),
    LoopForm("int", "low", "i < high", "i += low + 1"),
    LoopForm("int", "high", "i > low", "i = i - (low + 2)"),
    LoopForm("long", "low", "i - 1 < high", "i += size % 7 + 1"),
    LoopForm("unsigned", "low", "i <= (unsigned)high", "i += (unsigned)low + 4"),
)


def loop_forms() -> str:
    """Every loop form as a parallel, a collapsed inner and a sequential loop."""
    parts = ['#include "show.h"\n\n']
    heads = [f"for ({form.type} i = {form.first}; {form.test}; {form.step})" for form in LOOP_FORMS]
    for number, head in enumerate(heads):
        parts.append(
            f"void form{number}(int *restrict a, int size, int low, int high)\n{{\n"
            "#pragma acc data copy(a[0:size])\n    {\n"
            f"#pragma acc parallel loop\n        {head}\n            a[i] = a[i] * 3 + (int)i + 1;\n"
            "#pragma acc parallel loop gang\n        for (int row = 0; row < 2; ++row) {\n"
            f"#pragma acc loop vector\n            {head}\n"
            "                a[i + row * size / 2] += 5 * (int)i;\n        }\n"
            f"#pragma acc parallel loop collapse(2)\n        for (int row = 1; row >= 0; row--)\n            {head}\n"
            "                a[i + row * size / 2] ^= (int)i + row;\n    }\n}\n\n"
        )
    parts.append(
        "int main(int argc, char **argv)\n{\n    int low = size_argument(argc, argv, 3);\n"
        "    int high = argc > 2 ? atoi(argv[2]) : 300, size = 4 * (high > low ? high : low) + 8;\n"
        "    int *a = new_ints(size, 1);\n"
    )
    for number in range(len(heads)):
        parts.append(f'    form{number}(a, size, low, high);\n    SHOW("{heads[number]}", a, size);\n')
    return "".join(parts) + "    return 0;\n}\n"
