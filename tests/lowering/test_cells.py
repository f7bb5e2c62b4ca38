"""Which cells of arrays are a thread's own in a statement, asked of statements that are given as they are."""

from __future__ import annotations

from functools import reduce

import pytest

from accache.base.text import Location
from accache.ir.build import INT
from accache.ir.kernels.simt import Fetch, Formula, WriteBack
from accache.ir.kernels.tiles import Tile, TileAccess, TileDimension, TileRange
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Evaluate, Expr, IntLiteral, Stmt, Subscript, Variable
from accache.ir.types import Arithmetic, Pointer
from accache.lowering.thread_ownership import CellReader

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
