"""Which cells of arrays are a thread's own: asked of single statements, and of the barriers in kernels.

Threads do not wait between vector loops that give each of them the same elements of an array, and else they do.
"""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.base.text import Location
from accache.driver import translate
from accache.ir.build import INT
from accache.ir.kernels.simt import Fetch, Formula, WriteBack
from accache.ir.kernels.tiles import Tile, TileAccess, TileDimension, TileRange
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Evaluate, Expr, IntLiteral, Stmt, Subscript, Variable
from accache.ir.types import Arithmetic, Pointer
from accache.lowering.thread_ownership import CellReader

PROGRAM = """
void f(int n, int start, float *restrict a, float *restrict b, float *alias, float (*restrict rows)[40])
{
#pragma acc parallel loop gang num_gangs(4) copy(a[0:64*n], b[0:64*n], alias[0:n], rows[0:n]) CLAUSES
    for (int i = 0; i < n; ++i) {
        int base = i * 64;
#pragma acc loop vector
        for (FIRST;
#pragma acc loop vector
        for (SECOND;
    }
}
"""
OWN = "int j = 0; j < 64; ++j) a[i * 64 + j] += 1"
LATER = "int j = start; j < 64; ++j) a[i * 64 + j] += 1"
DOWN = "int j = 63; j >= 0; --j) a[i * 64 + j] += 1"


CACHED = """int j = 0; j < 60; ++j) {
            b[i * 64 + j] += a[i * 64 + j];
            for (int k = 0; k < 2; ++k) {
#pragma acc cache(a[i * 64 + j : 2])
                b[i * 64 + j] += k * a[i * 64 + j];
            }
        }"""


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[i * 64 + j]", False),
        (OWN, "int j = 0; j < n; ++j) b[i * 64 + j] = a[64 * i + j]", False),
        (OWN, "int j = 0; j < 32; ++j) b[i * 64 + j] = a[i * 64 + j + 128]", False),
        (LATER, LATER, False),
        (DOWN, DOWN, False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) rows[i][j] *= 2", False),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[i * 64 + 63 - j]", True),
        (OWN, "int j = 0; j < 63; ++j) b[i * 64 + j] = a[i * 64 + j + 1]", True),
        (OWN, "int j = 1; j < 64; ++j) b[i * 64 + j] = a[i * 64 + j]", True),
        (OWN, "int j = 0; j < 64; j += 2) b[i * 64 + j] = a[i * 64 + j]", True),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[base + j]", False),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[(int)alias[j]]", True),
        (OWN, "int j = 0; j < 63; ++j) b[i * 64 + j] = a[i * 64 + j] + alias[(int)a[i * 64 + j + 1]]", True),
        (OWN, LATER, True),
        (OWN, DOWN, True),
        ("int j = 0; j < 64; ++j) alias[j] += 1", "int j = 0; j < 64; ++j) b[i * 64 + j] = alias[j]", False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) b[j] = rows[0][i * 40 + j]", False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) b[j] = rows[j][i]", True),
    ],
)
def test_threads_wait_where_they_take_elements_of_others(first: str, second: str, waits: bool, tmp_path: Path) -> None:
    assert _waits(PROGRAM.replace("FIRST", first).replace("SECOND", second).replace("CLAUSES", ""), tmp_path) is waits


@pytest.mark.parametrize("changes", ["", "base += 3;"])
def test_they_wait_where_the_base_changes_in_between(changes: str, tmp_path: Path) -> None:
    own = "int j = 0; j < 64; ++j) a[base + j] += 1"
    program = PROGRAM.replace("FIRST", own).replace("SECOND", own).replace("CLAUSES", "")
    assert _waits(
        f"{changes}\n#pragma acc loop vector".join(program.rsplit("#pragma acc loop vector", 1)), tmp_path
    ) is bool(changes)


def test_they_wait_where_a_pointer_moves_in_between(tmp_path: Path) -> None:
    own = "int j = 0; j < 60; ++j) p[j] += 1"
    program = PROGRAM.replace("FIRST", own).replace("SECOND", own).replace("CLAUSES", "")
    program = program.replace("int base = i * 64;", "float *p = a + i * 64;")
    parts = program.rsplit("#pragma acc loop vector", 1)
    assert _waits("p += 1;\n#pragma acc loop vector".join(parts), tmp_path)


def test_they_wait_where_a_tile_has_elements_of_others(tmp_path: Path) -> None:
    program = PROGRAM.replace("FIRST", OWN).replace("SECOND", CACHED).replace("CLAUSES", "")
    assert _waits(program, tmp_path, sharing=False)


def _waits(program: str, folder: Path, sharing: bool = True) -> bool:
    """Whether there is a barrier between the heads of the kernel's first loop and of its last one."""
    source = folder / "a.c"
    source.write_text(program)
    device = translate(str(source), Options(method="auto" if sharing else "rbi", sharing=sharing)).device
    kernel = device[device.index("__global__ void") :]
    first, *_, second = (found.start() for found in re.finditer(r"\bint j(_\w+)? = ", kernel))
    return "__syncthreads();" in kernel[first:second]


HERE = Location("a.c", 1)
FLOAT = Arithmetic("float")
LINE, PLANE = (64, 1, 1), (32, 2, 1)
NAMES = {"x": "@thread.x", "y": "@thread.y"}
N = Polynomial.symbol("n")


def index(text: str) -> Expr:
    """A sum of terms such as ``2*x``, ``-1`` and ``n``; x and y are a thread's position."""
    return reduce(lambda one, other: Binary(INT, HERE, "+", one, other), map(_term, text.split()))


def _term(text: str) -> Expr:
    factors = [
        IntLiteral(INT, HERE, int(factor), factor)
        if factor.lstrip("-").isdigit()
        else Variable(INT, HERE, NAMES.get(factor, factor))
        for factor in text.split("*")
    ]
    return reduce(lambda one, other: Binary(INT, HERE, "*", one, other), factors)


def array(name: str) -> Variable:
    return Variable(Pointer(FLOAT), HERE, name)


def element(name: str, text: str) -> Stmt:
    return Evaluate(HERE, Subscript(FLOAT, HERE, array(name), index(text)))


def tile(of: str) -> Tile:
    zero = Polynomial.constant(0)
    dimension = TileDimension(zero, 64, "", "", 0, 1, 64, zero)
    return Tile(f"{of}_tile", of, Pointer(FLOAT), FLOAT, "rbi", "block", TileRange((dimension,)), HERE, of)


def own(block: tuple[int, int, int], *stmts: Stmt) -> dict[str, tuple[int, Polynomial]]:
    return dict(CellReader(block, frozenset(("a", "b", "n")), {}).cells(Block(HERE, stmts), {}, {}))


@pytest.mark.parametrize(
    ("block", "text", "pattern"),
    [
        (LINE, "x", (1, Polynomial.constant(0))),
        (LINE, "x 64", (1, Polynomial.constant(0))),
        (LINE, "x 65", (1, Polynomial.constant(1))),
        (LINE, "x n", (1, N)),
        (LINE, "2*x 3", (2, Polynomial.constant(3))),
        (LINE, "2*x 67", (2, Polynomial.constant(67))),
        (LINE, "2*x 131", (2, Polynomial.constant(3))),
        (PLANE, "x 32*y", (1, Polynomial.constant(0))),
        (PLANE, "2*x 64*y 1", (2, Polynomial.constant(1))),
    ],
)
def test_each_thread_has_cells_of_its_own(
    block: tuple[int, int, int], text: str, pattern: tuple[int, Polynomial]
) -> None:
    assert own(block, element("a", text)) == {"a": pattern}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (LINE, "3"),
        (LINE, "n"),
        (LINE, "n*x"),
        (LINE, "x k"),
        (LINE, "x*x"),
        (PLANE, "x"),
        (PLANE, "x 33*y"),
        (PLANE, "y"),
    ],
)
def test_cells_of_others_are_not_its_own(block: tuple[int, int, int], text: str) -> None:
    assert own(block, element("a", text)) == {}


def test_all_references_need_one_pattern() -> None:
    assert set(own(LINE, element("a", "x"), element("a", "x 128"))) == {"a"}
    assert own(LINE, element("a", "x"), element("a", "x 1")) == {}
    assert set(own(LINE, element("a", "x"), element("a", "x 1"), element("b", "x"))) == {"b"}


@pytest.mark.parametrize("copy", [Fetch(HERE, (tile("a"),)), WriteBack(HERE, (tile("a"),))])
def test_who_copies_an_array_may_touch_any_of_its_cells(copy: Stmt) -> None:
    assert set(own(LINE, element("a", "x"), element("b", "x"), copy)) == {"b"}


def test_who_has_a_tile_may_touch_any_cell_of_its_array() -> None:
    place = Formula(INT, HERE, Polynomial.symbol("@thread.x"))
    original = Subscript(FLOAT, HERE, array("a"), index("x"))
    served = Evaluate(HERE, TileAccess(FLOAT, HERE, tile("a"), (place,), original))
    assert set(own(LINE, element("a", "x"), element("b", "x"), served)) == {"a_tile", "b"}


def test_a_name_alone_stands_for_all_cells() -> None:
    assert own(LINE, element("a", "x"), Evaluate(HERE, array("a"))) == {}


def test_an_index_is_looked_at_too() -> None:
    inner = Subscript(INT, HERE, Variable(Pointer(INT), HERE, "b"), index("x 1"))
    stmt = Evaluate(HERE, Subscript(FLOAT, HERE, array("a"), inner))
    assert set(own(LINE, element("b", "x"))) == {"b"}
    assert own(LINE, element("b", "x"), stmt) == {}


def test_arrays_whose_names_move_have_no_cells() -> None:
    assert own(LINE, element("moving", "x")) == {}
