"""What fetches, write-backs and their routines agree on about a tile: types and names of positions, and counts."""

from __future__ import annotations

from accache.base.text import Location
from accache.ir.build import INT, WIDE, formula, number
from accache.ir.kernels.tiles import Tile, TileDimension
from accache.ir.names import WIDTH
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Call, Cast, Expr, IntLiteral
from accache.ir.types import Arithmetic

NOWHERE = Location("", 0)
WORDS = {1: (("position", "count"),), 2: (("row", "rows"), ("column", "columns"))}


def index_type(tile: Tile) -> Arithmetic:
    """The type of the tile's starts."""
    return WIDE if tile.range.wide else INT


def words(tile: Tile) -> tuple[tuple[str, str], ...]:
    """What routines call a coordinate and the number of its values, in each dimension of a tile."""
    rank = len(tile.range.dimensions)
    return WORDS.get(rank) or tuple((f"position{number}", f"count{number}") for number in range(rank))


def array_name(array: str) -> str:
    """What a routine's tree calls an array: none of the routine's own variables, as ``pitch1``, has that name."""
    return f"{array}@array"


def asked_for(dimension: TileDimension) -> Expr:
    """How many elements of a dimension the block's active threads ask for; a literal where that is a constant."""
    sigma = abs(dimension.rate * dimension.step)
    if dimension.limit is not None and dimension.fits:
        return formula(dimension.limit, NOWHERE)
    if dimension.limit is not None:
        most = IntLiteral(WIDE, NOWHERE, dimension.length, f"{dimension.length}LL")
        wide = Cast(WIDE, NOWHERE, formula(dimension.limit, NOWHERE, WIDE))
        return Cast(INT, NOWHERE, Call(WIDE, NOWHERE, "min", (most, wide)))
    if not dimension.axis or not sigma:
        return number(dimension.length, NOWHERE)
    width = Polynomial.symbol(WIDTH.format(dimension.variable))
    return formula((width - 1) * sigma + dimension.length, NOWHERE)
