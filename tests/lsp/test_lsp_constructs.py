"""What is kept of constructs while a program is typed: what is told is as if nothing were kept."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from families import some

from accache.base.diagnostics import CompileError
from accache.base.dump import dumped
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate
from accache.lsp.constructs import Constructs
from accache.lsp.looks import look

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.c"))
PROGRAM = """typedef float real;
enum { WIDTH = 3 };
struct pair { real left, right; };
static int table[64];
#define STEP 1
#pragma acc routine seq
static real weight(real x)
{
    return x * 0.5f;
}
void first(int n, const real *restrict a, real *restrict b)
{
#pragma acc data copyin(a[0:n]) copyout(b[0:n])
    {
#pragma acc parallel loop
        for (int i = 1; i < n - 1; i++) {
#pragma acc cache(a[i-1:WIDTH])
            b[i] = weight(a[i - 1]) + a[i + STEP];
        }
    }
}
void second(int n, struct pair *restrict p, int *restrict out)
{
#pragma acc parallel loop copy(p[0:n]) copyout(out[0:n]) copyin(table)
    for (int i = 0; i < n; i++) {
#pragma acc cache(table[0:64])
        out[i] = table[i % 64] + (int)p[i].left;
    }
}
void third(int n, const int *restrict a, int *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 2; i < n - 2; i++) {
#pragma acc cache(a[i-2:5])
        int sum = 0;
        for (int j = 0; j < 5; j++)
#pragma acc cache(a[i+j-2])
            sum += a[i + j - 2];
        b[i] = sum;
    }
}
"""
EDITS = (
    # what becomes of it, and how many of the routines and the three constructs are planned again
    ("typedef float real;", "typedef double real;", 3),
    ("WIDTH = 3", "WIDTH = 2", 1),
    ("struct pair { real left, right; };", "struct pair { real left, right, more; };", 1),
    ("table[64];", "table[128];", 1),
    ("#define STEP 1", "#define STEP 2", 1),
    ("x * 0.5f", "x * 0.25f", 2),
    ("static real weight(real x)\n", "static real weight(real x)\n\n", 3),  # what is told of the second quotes a line
    ("copyin(a[0:n]) copyout(b[0:n])\n    {", "copyin(a[0:n-1]) copyout(b[0:n])\n    {", 1),
    ("const real *restrict a", "const real *a", 1),
    ("copyin(table)", "copy(table)", 1),
    ("i % 64", "i & 63", 1),
    ("a[i-2:5]", "a[i-2:4]", 1),
    ("j < 5", "j <= 5", 1),
    ("typedef", "int unused;\ntypedef", 1),
    ("void third", "int unused;\nvoid third", 0),
    ("\nvoid second", "\nint helper(int a_tile) { return a_tile; }\nvoid second", 1),
    ("int sum = 0;", "int a_tile = 0, sum = a_tile;", 1),
    ("sum += a[i + j - 2];", "sum += a[i + j - 2;", 0),
)


TILES = Options(tune="off", coarsen="off")


def told(text: str, constructs: Constructs, options: Options = TILES) -> str:
    return dumped(look(SourceFile("t.c", text), options, constructs).told)


@pytest.mark.parametrize(("old", "new", "planned"), some(EDITS, 2), ids=[f"{old} -> {new}" for old, new, _ in EDITS])
def test_an_edit_is_told_as_by_a_fresh_look_and_plans_what_it_changes(old: str, new: str, planned: int) -> None:
    constructs = Constructs()
    told(PROGRAM, constructs)
    assert constructs.planned == 4
    assert PROGRAM.count(old) == 1
    edited = PROGRAM.replace(old, new)
    assert told(edited, constructs) == told(edited, Constructs())
    assert constructs.planned == 4 + planned


def test_options_are_part_of_what_is_kept() -> None:
    constructs = Constructs()
    assert told(PROGRAM, constructs) != told(PROGRAM, constructs, Options(method="none"))


def with_an_edit(text: str, chosen: random.Random) -> str:
    """The text with a number, an operator or a line changed."""
    places = list(re.finditer(r"\b\d+\b|[<>]=?|[-+*]|\n|\bfloat\b|\bint\b", text))
    found = chosen.choice(places)
    old = found[0]
    new = {"\n": "\n\n", "float": "double", "int": "long", "+": "-", "-": "+", "*": "+", "<": "<=", "<=": "<"}
    changed = str(int(old) + 1) if old.isdigit() else new.get(old, "<")
    return text[: found.start()] + changed + text[found.end() :]


@pytest.mark.parametrize("path", some(SAMPLES, 3), ids=lambda path: path.stem)
def test_what_is_typed_into_a_sample_is_told_as_by_a_fresh_look(path: Path) -> None:
    """Edits one after the other, each looked at with what was kept, and with nothing kept."""
    chosen, constructs = random.Random(path.stem), Constructs()
    whole = path.read_text()
    text = whole
    for turn in range(3):
        text = with_an_edit(text if turn % 2 else whole, chosen)
        assert told(text, constructs) == told(text, Constructs()), text


@pytest.mark.parametrize("path", some(SAMPLES, 3, 1), ids=lambda path: path.stem)
def test_a_look_tells_what_a_translation_tells(path: Path) -> None:
    source, options = SourceFile(path.name, path.read_text()), Options(method="rbi", cc="cc -DRADIUS=4")
    try:
        wanted = translate(source, options).diagnostics
    except CompileError as error:
        wanted = error.diagnostics
    found = look(source, options, Constructs()).told.diagnostics
    assert sorted(map(str, found)) == sorted(map(str, wanted))
