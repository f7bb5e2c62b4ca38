"""Write complete C programs: arrays filled from a seed, one function with directives, a hash of every array.

A program takes its sizes and its seed as arguments: ``NAME n m seed``. What it prints is its result;
the same text compiled without OpenACC is the oracle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Random values of each element type: small enough that no sum in a program overflows.
DRAWS = {
    "char": "(char)draw(25)",
    "short": "(short)draw(1000)",
    "int": "draw(1000)",
    "unsigned": "(unsigned)(draw(1000) + 1000)",
    "long": "draw(1000) * 100003L",
    "float": "(float)draw(1000) / 64",
    "double": "draw(1000) / 1000.0",
}
SUMS = {"char": "int", "short": "int"}

# the few declarations a program needs: reading the headers would take most of the time
PRELUDE = """\
#include <stddef.h>
int printf(const char *format, ...);
void *malloc(size_t bytes);
void free(void *memory);
int atoi(const char *text);
double fabs(double x);
double fmax(double x, double y);
"""
HELPERS = """\
static unsigned state;

/* A random number between -limit and limit. */
static int draw(int limit)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (2u * (unsigned)limit + 1)) - limit;
}

static void report(const char *name, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    unsigned long long value = 14695981039346656037u;
    for (size_t k = 0; k < bytes; ++k)
        value = (value ^ byte[k]) * 1099511628211u;
    printf("%s %016llx\\n", name, value);
}
"""
EDGES = (1, 255, 256, 257, 785)
SMALL_EDGES = (1, 63, 64, 65, 209)


@dataclass(frozen=True)
class Array:
    """A parameter of the program's function: ``count`` elements, an expression in n and m.

    ``parameter`` is its declaration where it is not a plain pointer; ``draw`` its random values where
    they are not those of its type.
    """

    name: str
    type: str
    count: str
    parameter: str = ""
    draw: str = ""


@dataclass(frozen=True)
class Program:
    """A generated program and what may be asked of it.

    ``runs`` are argument lists without the seed. ``features`` are (dimension, value) pairs that the pairwise
    selection covers. ``in_range`` says that all references lie in their ranges, so that --trust-range is
    legal; ``writes`` that cached data is written; ``cached`` that there is a cache directive at all; ``by_lines`` that
    it names whole arrays, which only lines of each thread's own can serve.
    """

    name: str
    text: str
    runs: tuple[tuple[int, int], ...]
    features: tuple[tuple[str, str], ...]
    in_range: bool = True
    writes: bool = False
    cached: bool = True
    by_lines: bool = False


def sum_type(element: str) -> str:
    """The type in which elements of a type are added up."""
    return SUMS.get(element, element)


def block(*lines: str) -> str:
    """Statements, one below the other; an empty one vanishes."""
    return "\n".join(line for line in lines if line)


def c_program(
    name: str, arrays: Sequence[Array], body: str, *, before: str = "", results: str = "", scalars: str = ""
) -> str:
    """The text of a program whose function ``name(n, m, arrays...)`` has ``body``.

    ``before`` stands above the function; ``results`` are statements of main that print more than the arrays;
    ``scalars`` declares parameters more, each called with the expression behind its ``=``.
    """
    extra = [item.split("=") for item in scalars.split(";") if item.strip()]
    parameters = ["int n", "int m", *(item[0].strip() for item in extra)]
    parameters += [array.parameter or f"{array.type} *{array.name}" for array in arrays]
    arguments = ["n", "m", *(item[1].strip() for item in extra), *(f"(void *){array.name}" for array in arrays)]
    lines = [PRELUDE, before, f"void {name}({', '.join(parameters)})", "{", body, "}", "", HELPERS]
    lines += ["int main(int argc, char **argv)", "{", "    if (argc != 4)", "        return 2;"]
    lines += [
        "    int n = atoi(argv[1]), m = atoi(argv[2]);",
        "    state = (unsigned)atoi(argv[3]) * 7919u + 1;",
        "    (void)m;",
    ]
    for array in arrays:
        lines += [
            f"    size_t {array.name}_count = {array.count};",
            f"    {array.type} *{array.name} = malloc({array.name}_count * sizeof({array.type}));",
            f"    for (size_t k = 0; k < {array.name}_count; ++k)",
            f"        {array.name}[k] = {array.draw or DRAWS[array.type]};",
        ]
    lines += [f"    {name}({', '.join(arguments)});"]
    lines += [f'    report("{a.name}", {a.name}, {a.name}_count * sizeof({a.type}));' for a in arrays]
    lines += [results] if results else []
    lines += [f"    free({array.name});" for array in arrays]
    lines += ["    return 0;", "}", ""]
    text = "\n".join(lines)
    return re.sub(r"\b(state|draw|report|table)\b", rf"{name}_\1", text)  # programs share one file
