"""What a dump shows of types, polynomials and expressions: C, with what was not lowered and unique names."""

from __future__ import annotations

import pytest

from accache.base.text import Location
from accache.emit.dump_texts import text_of
from accache.emit.expressions import ExpressionPrinter
from accache.ir.build import INT, WIDE
from accache.ir.kernels.simt import CountThreads, Formula, LoadBy, WholeBlock
from accache.ir.kernels.tiles import Tile, TileAccess, TileCell, TileRange
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Assign, Binary, Call, Callee, Cast, Expr, Subscript, Unary, Variable
from accache.ir.types import Arithmetic, Array, Pointer

HERE = Location("a.c", 3, 5)
NEW = Variable(Pointer(INT), HERE, "new")
FLOAT = Arithmetic("float")
INDEX, THREAD = Variable(INT, HERE, "i#2"), Variable(INT, HERE, "@thread.x")
TILE = Tile("a_tile", "a", Pointer(FLOAT), FLOAT, "rbi", "block", TileRange(()), HERE, "a[i:1]")
ACCESS = TileAccess(FLOAT, HERE, TILE, (INDEX, THREAD), Variable(FLOAT, HERE, "x"))
POSITION = Polynomial.symbol("@thread.x") + Polynomial.symbol("i#2") * 2 - 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (HERE, "a.c:3:5"),
        (POSITION, "@thread.x + 2*i#2 - 1"),
        (Array(Pointer(Arithmetic("char", const=True)), INDEX), "const char *[i#2]"),
        (Arithmetic("_Bool"), "_Bool"),
        (Binary(INT, HERE, "*", Binary(INT, HERE, "+", INDEX, THREAD), INDEX), "(i#2 + @thread.x)*i#2"),
        (Formula(WIDE, HERE, POSITION, converted=True), "@thread.x + 2*i#2 - 1"),
        (Cast(WIDE, HERE, INDEX), "(long long)i#2"),
        (ACCESS, "a_tile[i#2][@thread.x]"),
        (Assign(FLOAT, HERE, "+=", ACCESS, INDEX), "a_tile[i#2][@thread.x] += i#2"),
        (Unary(FLOAT, HERE, "p++", ACCESS), "a_tile[i#2][@thread.x]++"),
        (Unary(FLOAT, HERE, "--", ACCESS), "--a_tile[i#2][@thread.x]"),
        (TileCell(FLOAT, HERE, TILE, "mask", (INDEX,)), "a_tile.mask[i#2]"),
        (WholeBlock(INT, HERE, INDEX), "WholeBlock(i#2)"),
        (CountThreads(INT, HERE, INDEX), "CountThreads(i#2)"),
        (
            LoadBy(INT, HERE, "__ldcs", Subscript(INT, HERE, NEW, INDEX)),
            "__ldcs(&new[i#2])",
        ),
        (Call(INT, HERE, "f", (INDEX,), Callee("f_device", "seq", (INT,), (False,), (False,))), "f_device(i#2)"),
    ],
)
def test_a_value_has_a_text(value: object, text: str) -> None:
    assert text_of(value) == text


def test_statements_and_records_are_shown_by_their_parts() -> None:
    assert text_of(TILE) is None
    assert text_of((INDEX,)) is None


def test_each_expression_has_a_text() -> None:
    """Also one that is printed nowhere else, because a later pass replaces it."""
    kinds = [Expr]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    printed = ExpressionPrinter.__dict__["_expression"].dispatcher.registry
    assert set(kinds[1:]) - set(printed) == {WholeBlock}
