"""Between which constants expressions lie: told from types, masks and conditions, and held against what gcc finds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accache.analysis.value_ranges import ValueRange, initial_values, value_range
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.ir.tree import Assign, Subscript
from accache.ir.walk import walk
from accache.reading import read_program

VARIABLES = """
        unsigned char a = p[0], b = p[1]; signed char c = (signed char)p[2]; short d = (short)(p[3]*256 - p[4]*3);
        int i = q[0], j = i, v = p[2]; unsigned u = p[3] - 7u, w = p[4]; long l = i; _Bool t = p[5];
        const int low = a - 1; int moved = a;
"""
PROGRAM = """
#include <stdlib.h>
void f(int n, long *out, const unsigned char *p, const int *q)
{{
#pragma acc serial copy(out[0:n]) copyin(p[0:n], q[0:n])
    {{ {variables}
        moved += p[3];
        out[0] = {expr};
    }}
}}
"""
INT, LONG = ValueRange(-(1 << 31), (1 << 31) - 1), ValueRange(-(1 << 31) * ((1 << 31) - 1), 1 << 62)
UNSIGNED = ValueRange(0, (1 << 32) - 1)
RANGES = {
    "a": (0, 255),
    "c": (-128, 127),
    "d": (-32768, 32767),
    "t": (0, 1),
    "v": (0, 255),  # the type of its value
    "a - b": (-255, 255),
    "a > b ? a - b : b - a": (0, 255),
    "a >= b ? a - b : -1": (-1, 255),
    "b < a ? a - b - 1 : 0": (0, 254),
    "abs(a - b)": (0, 255),
    "a * b + 1": (1, 65026),
    "a * c": (-32640, 32385),
    "a & 15": (0, 15),
    "i & 63": (0, 63),
    "c & 7": (0, 7),
    "a | 256": (0, 511),
    "a ^ b": (0, 255),
    "a >> 3": (0, 31),
    "a / 8": (0, 31),
    "c / 4": (-32, 31),
    "c % 10": (-9, 9),
    "a % 10": (0, 9),
    "u % 64": (0, 63),
    "(a + b) / 2": (0, 255),
    "i < 0 ? 0 : i > 255 ? 255 : i": (0, 255),
    "i >= 0 && i < 10 ? i : 0": (0, 9),
    "i < 0 || i > 9 ? 3 : i": (0, 9),
    "!(i < 4) ? 1 : i > 0 ? i : 2": (1, 3),
    "-a": (-255, 0),
    "!a": (0, 1),
    "a == b": (0, 1),
    "(unsigned char)i": (0, 255),
    "(unsigned char)(a - b)": (0, 255),
    "(signed char)a": (-128, 127),
    "low": (-1, 254),
    "low + 1": (0, 255),
    "u < 100 ? u : 100": (0, 100),
    "l > 5 && l < 8 ? l : 6": (6, 7),
}
WIDE = {
    "i": INT,
    "j": INT,
    "moved": INT,
    "u": UNSIGNED,
    "u - 1": UNSIGNED,
    "w + 4294967295u": UNSIGNED,
    "(unsigned)c": UNSIGNED,
    "i % 0 ? i : i": INT,
    "i < u ? i : 0": INT,  # compared as unsigned numbers
    "(moved = i) < 10 ? moved : 0": INT,
    "l": INT,
    "l * l": LONG,
}


def found(expr: str) -> ValueRange | None:
    """The range of an expression in the kernel."""
    source = SourceFile("t.c", PROGRAM.format(variables=VARIABLES, expr=expr))
    (region,) = read_program(source, Options(), Reporter()).program.regions
    stores = (node for node in walk(region.body) if isinstance(node, Assign) and isinstance(node.target, Subscript))
    return value_range(next(stores).value, initial_values(region.body))


@pytest.mark.parametrize("expr", RANGES)
def test_types_masks_and_conditions_tell_ranges(expr: str) -> None:
    assert found(expr) == ValueRange(*RANGES[expr])


@pytest.mark.parametrize("expr", WIDE)
def test_nothing_else_does(expr: str) -> None:
    assert found(expr) == WIDE[expr]


def test_values_lie_in_their_ranges(tmp_path: Path) -> None:
    lines = "".join(f'printf("%ld\\n", (long)({expr}));' for expr in RANGES)
    path = tmp_path / "values.c"
    path.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{ unsigned r = 1;\n"
        "  for (int k = 0; k < 4000; ++k) { unsigned char p[6]; int q[1];\n"
        "    for (int m = 0; m < 6; ++m) { r = r*1664525u + 1013904223u; p[m] = (r >> 24) < 40 ? 0 : r >> 24; }\n"
        "    q[0] = r & 32 ? (int)(r % 1999) - 999 : r & 64 ? (int)(r % 13) - 2 : (int)r;\n"
        f"{VARIABLES} moved += j + v + w + t; {lines} }} }}\n"
    )
    subprocess.run(["gcc", "-w", "-o", tmp_path / "values", path], check=True)
    printed = subprocess.run([tmp_path / "values"], check=True, capture_output=True, text=True).stdout.split()
    for number, expr in enumerate(RANGES):
        values = [int(value) for value in printed[number :: len(RANGES)]]
        low, high = RANGES[expr]
        assert low <= min(values), expr
        assert max(values) <= high, expr
