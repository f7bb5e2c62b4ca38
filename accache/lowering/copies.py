"""Fetches and write-backs as loops over the cells of tiles, which a routine of the kernel holds.

Before: ``Fetch((a_tile,))``. After, the same node with the loop that all threads of the block run::

    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }

A thread that owns exactly one element writes it back without a loop: ``WriteBack`` becomes ``a[i] = a_tile[...]``.
Methods whose tiles have no dimensions keep their nodes: their own macros say what these do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import groupby
from math import prod
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from accache.base.text import Location
from accache.ir.arrays import inner_lengths
from accache.ir.build import BOOL, INT, WIDE, both, formula, number, thread_number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CopyLoop, Fetch, Passed, WriteBack
from accache.ir.kernels.tile_copies import array_name, asked_for, index_type, words
from accache.ir.kernels.tiles import Part, Tile, TileCell
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    IntLiteral,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import CType, Pointer, as_const, unqualified
from accache.ir.walk import rewrite
from accache.lowering.indices import IndexNames

FULLY_UNROLLED = 16
PARTLY_UNROLLED = 8
ASKED_ONCE = 4
"""Where threads copy so many cells, one question whether the whole tile lies in its array takes the place of theirs."""
NOWHERE = Location("", 0)
T = TypeVar("T")


def with_copies(body: Block, block: tuple[int, int, int], names: IndexNames) -> Block:
    """A lowered body whose fetches and write-backs of ranges hold their loops, for blocks of a shape."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, (Fetch, WriteBack)) or not node.tiles[0].range.dimensions:
            return node
        if isinstance(node, WriteBack) and node.tiles[0].owned is not None:
            return _owned(node.tiles[0], names)
        return replace(node, loop=_Copy(node, block).loop())

    result = rewrite(body, change, Fetch, WriteBack)
    assert isinstance(result, Block)
    return result


def _owned(tile: Tile, names: IndexNames) -> Stmt:
    """A thread's write-back of the element it owns, if it wrote it."""
    assert tile.owned is not None
    where, ctype = tile.location, unqualified(tile.element)
    cell = TileCell(ctype, where, tile, "data", tile.owned.positions)
    write = Evaluate(where, Assign(ctype, where, "=", tile.owned.original, cell))
    if tile.tracking != "flag":
        return write
    return If(where, Variable(BOOL, where, names.of(f"{tile.name}@dirty")), write)


class _Copy(Struct, frozen=True):
    """The loop of a fetch or write-back, whose tiles' cells all lie alike, by blocks of a shape.

    If it ``is_whole``, all cells are copied, and no cell is asked about.
    """

    stmt: Fetch | WriteBack
    block: tuple[int, int, int]
    is_whole: bool = False

    @property
    def is_fetch(self) -> bool:
        return isinstance(self.stmt, Fetch)

    @property
    def lead(self) -> Tile:
        """The tile whose shape stands for that of all."""
        return self.stmt.tiles[0]

    @property
    def where(self) -> Location:
        return self.lead.location

    @property
    def moved(self) -> tuple[Tile, ...]:
        """The tiles whose elements are copied; of others only the mask is cleared."""
        return tuple(tile for tile in self.stmt.tiles if tile.is_fetched or not self.is_fetch)

    @property
    def marked(self) -> tuple[Tile, ...]:
        """The tiles whose masks are cleared, or say what is written back."""
        return tuple(tile for tile in self.stmt.tiles if tile.tracking == "mask")

    @property
    def together(self) -> bool:
        """Whether all threads of the block copy one tile."""
        return self.lead.scope == "block"

    @property
    def elements(self) -> int:
        """The cells of one tile."""
        return prod(dimension.extent for dimension in self.lead.range.dimensions)

    @property
    def width(self) -> int:
        """How many neighbouring cells a thread copies in a round."""
        return self.lead.range.joined if self.is_whole else 1

    @property
    def rounds(self) -> int:
        """How often a thread copies cells."""
        return -(-self.elements // (self.width * prod(self.block))) if self.together else self.elements

    @property
    def clears(self) -> bool:
        """Whether masks are cleared, of all cells."""
        return self.is_fetch and bool(self.marked)

    def loop(self) -> CopyLoop:
        """The loop, and what its routine is passed."""
        values = (*self.starts(), *self.pitches(), *self.counts(), *self.ends())
        return CopyLoop(self.moved, self.marked, _once(tile.array for tile in self.moved), values, self.body())

    def starts(self) -> tuple[Passed, ...]:
        """The first indices of the tiles that are no constants, each name once."""
        ctype = index_type(self.lead)
        starts = (
            (tile.first_index(depth), start) for tile in self.moved for depth, start in enumerate(tile.range.starts)
        )
        names = _once(start for value, start in starts if value is None)
        return tuple(Passed(name, ctype, self.variable(name, ctype)) for name in names)

    def pitches(self) -> tuple[Passed, ...]:
        """How far apart neighbours of each dimension but the last lie in memory."""
        texts = _pitches(self.lead) if self.moved else []
        return tuple(Passed(f"pitch{depth or ''}", WIDE, value) for depth, value in enumerate(texts))

    def counts(self) -> tuple[Passed, ...]:
        """The element counts that depend on the launch."""
        if all(map(self.is_marked, self.moved)):
            return ()
        values = map(asked_for, self.lead.range.dimensions)
        pairs = zip(words(self.lead), values, strict=True)
        return tuple(Passed(many, INT, value) for (_, many), value in pairs if not isinstance(value, IntLiteral))

    def ends(self) -> tuple[Passed, ...]:
        """Where the arrays of clipped tiles begin and end."""
        names = _once(name for tile in self.moved for name in self.end_names(tile))
        return tuple(Passed(name, WIDE, self.variable(name, WIDE)) for name in names)

    def end_names(self, tile: Tile) -> tuple[str, ...]:
        """The variables that hold where an array begins and ends, for a fetch that is clipped."""
        return (f"{tile.array}@begin", f"{tile.array}@end") if self.is_fetch and tile.range.clipped else ()

    def is_marked(self, tile: Tile) -> bool:
        """Whether a mask says which elements are copied."""
        return not self.is_fetch and tile.tracking == "mask"

    def variable(self, name: str, ctype: CType = INT) -> Variable:
        return Variable(ctype, self.where, name)

    def binary(self, left: Expr, op: str, right: Expr, ctype: CType = INT) -> Binary:
        return Binary(ctype, self.where, op, left, right)

    def body(self) -> Stmt:
        """The loop over a thread's cells; one for tiles that are copied whole beside it, where that is quicker."""
        is_asked = any(self.end_names(tile) for tile in self.moved)
        is_split = self.is_fetch and self.together and not self.marked
        if not is_split or (self.lead.range.joined == 1 and not (is_asked and self.rounds >= ASKED_ONCE)):
            return self.over_cells()
        quick, condition = replace(self, is_whole=True).over_cells(), self.is_copied_whole
        if condition is None:
            return quick
        rarely = self.over_cells()
        if isinstance(rarely, For):  # unrolled, it would take registers from all that a thread does
            rarely = replace(rarely, unrolled=1)
        return If(self.where, condition, quick, rarely)

    @property
    def is_copied_whole(self) -> Expr | None:
        """The condition that all cells are asked for, and lie in their arrays; None where they always do."""
        parts: list[Expr] = []
        counted = {value.name for value in self.counts()}
        for (_, many), length in zip(words(self.lead), self.lead.range.extents, strict=True):
            if many in counted:
                parts.append(self.binary(self.variable(many), "==", number(length, self.where), BOOL))
        clipped = [tile for tile in self.moved if self.end_names(tile)]
        for pitch in self.pitches() if clipped else ():
            if constant(pitch.value) is None:  # else the first cell might not be the first in memory
                parts.append(self.binary(self.variable(pitch.name, WIDE), ">=", number(0, self.where), BOOL))
        for tile in clipped:
            begin, end = (self.variable(name, WIDE) for name in self.end_names(tile))
            first = self.index(tile, lambda _: None)
            last = self.index(tile, lambda depth: number(self.lead.range.extents[depth] - 1, self.where))
            parts += [self.binary(first, ">=", begin, BOOL), self.binary(last, "<", end, BOOL)]
        return both(parts) if parts else None

    def over_cells(self) -> Stmt:
        """The loop over a thread's cells: nvcc unrolls it, since it knows how many rounds there are."""
        inner = self.guarded()
        if self.together:
            inner = (self.cell_number(), *inner)
        if self.together and self.rounds == 1:
            return Block(self.where, inner)
        name = "round" if self.together else "k"
        variable, start = self.variable(name), Declare(self.where, name, INT, number(0, self.where))
        condition = self.binary(variable, "<", number(self.rounds, self.where), BOOL)
        step = Unary(INT, self.where, "++", variable)
        is_whole = self.rounds <= FULLY_UNROLLED or self.lead.traits.in_registers
        unrolled = True if is_whole else PARTLY_UNROLLED
        return For(self.where, (start,), condition, step, Block(self.where, inner), unrolled=unrolled)

    def cell_number(self) -> Stmt:
        """The declaration of the number of a cell that a thread copies in a round."""
        value = thread_number(self.block, self.where)
        if self.rounds > 1:
            rounds = self.binary(number(prod(self.block), self.where), "*", self.variable("round"))
            value = self.binary(value, "+", rounds)
        if self.width > 1 and len(self.coordinates()) == 1:
            value = self.binary(number(self.width, self.where), "*", value)
        return Declare(self.where, "k", as_const(INT), value)

    def guarded(self) -> tuple[Stmt, ...]:
        """What is done with a cell; masks are cleared of all cells that there are."""
        items = (*self.split(), *self.cleared(), *self.moves())
        if self.clears and self.bound is not None:
            return (If(self.where, self.bound, Block(self.where, items)),)
        return items

    def coordinates(self) -> tuple[str, ...]:
        """The variables that hold a cell's coordinates."""
        return ("k",) if len(self.lead.range.dimensions) <= 1 else tuple(one for one, _ in words(self.lead))

    def split(self) -> tuple[Stmt, ...]:
        """The statements that split ``k`` into coordinates."""
        names, extents = self.coordinates(), self.lead.range.extents
        statements: list[Stmt] = []
        rest: Expr = self.variable("k")
        for depth, name in enumerate(names[:-1]):
            inner = number(prod(extents[depth + 1 :]) // self.width, self.where)
            statements.append(Declare(self.where, name, as_const(INT), self.binary(rest, "/", inner)))
            rest = self.binary(self.variable("k"), "%", inner)
        if statements:
            rest = self.binary(number(self.width, self.where), "*", rest) if self.width > 1 else rest
            statements.append(Declare(self.where, names[-1], as_const(INT), rest))
        return tuple(statements)

    def cleared(self) -> tuple[Stmt, ...]:
        """The statements that take the marks of a cell away."""
        if not self.is_fetch:
            return ()
        false = IntLiteral(BOOL, self.where, 0, "false")
        return tuple(
            Evaluate(self.where, Assign(BOOL, self.where, "=", self.cell(tile, "mask"), false)) for tile in self.marked
        )

    def moves(self) -> tuple[Stmt, ...]:
        """The elements copied, neighbours with the same condition together."""
        statements: list[Stmt] = []
        for condition, tiles in groupby(self.moved, self.condition):
            items = tuple(self.of_neighbours(self.move(tile)) for tile in tiles)
            statements += items if condition is None else [If(self.where, condition, Block(self.where, items))]
        return tuple(statements)

    def of_neighbours(self, move: Stmt) -> Stmt:
        """The copies of the neighbouring elements that a thread copies at once."""
        if self.width == 1:
            return move
        next_one = self.variable("next")
        start = Declare(self.where, "next", INT, number(0, self.where))
        condition = self.binary(next_one, "<", number(self.width, self.where), BOOL)
        return For(self.where, (start,), condition, Unary(INT, self.where, "++", next_one), move, unrolled=True)

    def move(self, tile: Tile) -> Stmt:
        """The copy of one element."""
        ctype, cell = unqualified(tile.element), self.cell(tile, "data")
        array = self.variable(array_name(tile.array), Pointer(ctype))
        element = Subscript(ctype, self.where, array, self.index(tile))
        if self.width > 1:  # from the address of the first, a compiler sees that it can load all at once
            address = Unary(Pointer(ctype), self.where, "&", element)
            element = Subscript(ctype, self.where, address, self.variable("next"))
        target, value = (cell, element) if self.is_fetch else (element, cell)
        return Evaluate(self.where, Assign(ctype, self.where, "=", target, value))

    def cell(self, tile: Tile, part: Part) -> TileCell:
        """A tile's cell at the coordinates."""
        ctype = BOOL if part == "mask" else unqualified(tile.element)
        return TileCell(ctype, self.where, tile, part, tuple(map(self.coordinate, range(len(self.coordinates())))))

    def coordinate(self, depth: int) -> Expr:
        """The coordinate of a cell in a dimension of the tile."""
        one, is_last = self.variable(self.coordinates()[depth]), depth == len(self.coordinates()) - 1
        return self.binary(one, "+", self.variable("next")) if is_last and self.width > 1 else one

    def index(self, tile: Tile, coordinate: Callable[[int], Expr | None] | None = None) -> Expr:
        """The array index of an element of the tile, at the coordinates of a thread's first cell or at others."""
        at = coordinate or (lambda depth: self.variable(self.coordinates()[depth]))
        sums = [self.moved_by(tile, depth, at(depth)) for depth in range(len(tile.range.dimensions))]
        scaled: list[Expr] = [
            self.binary(row, "*", self.variable(pitch.name, WIDE), WIDE)
            for row, pitch in zip(sums, self.pitches(), strict=False)
        ]
        last = sums[-1]
        if not scaled:
            return last
        parts = (last.left, last.right) if isinstance(last, Binary) else (last,)
        return self.sum((*scaled, *parts))

    def sum(self, parts: Sequence[Expr]) -> Expr:
        """The sum of 64-bit numbers and what is added to them."""
        return reduce(lambda left, right: self.binary(left, "+", right, WIDE), parts)

    def moved_by(self, tile: Tile, depth: int, one: Expr | None) -> Expr:
        """A coordinate, 0 if there is none, moved by the first index of a tile: ``a_start + k``."""
        ctype, first = index_type(self.lead), tile.first_index(depth)
        if first == 0 and one is not None:
            return one
        start = self.variable(tile.range.starts[depth], ctype) if first is None else number(first, self.where)
        return self.binary(start, "+", one, ctype) if one is not None else start

    def condition(self, tile: Tile) -> Expr | None:
        """When an element is fetched: it is asked for and lies in the array; when it is written back: it is new."""
        parts: list[Expr] = [self.bound] if self.bound is not None and not self.clears else []
        if self.is_whole:
            return both(parts) if parts else None
        if self.is_marked(tile):
            return both([*parts, self.cell(tile, "mask")])
        counted = {value.name for value in self.counts()}
        for one, (_, many) in zip(self.coordinates(), words(self.lead), strict=True):
            if many in counted:
                parts.append(self.binary(self.variable(one), "<", self.variable(many), BOOL))
        for sign, end in zip((">=", "<"), self.end_names(tile), strict=False):
            parts.append(self.binary(self.index(tile), sign, self.variable(end, WIDE), BOOL))
        return both(parts) if parts else None

    @property
    def bound(self) -> Expr | None:
        """The condition that keeps threads from cells past the tile's end, None where there are none, or others do.

        Where the first coordinate is counted, that of a cell past the end is too large.
        """
        if not self.together or self.elements % (self.width * prod(self.block)) == 0:
            return None
        counted = {value.name for value in self.counts()}
        is_counted = (
            not self.is_whole and words(self.lead)[0][1] in counted and not any(map(self.is_marked, self.moved))
        )
        if is_counted and not self.clears:
            return None
        cells = self.elements if len(self.coordinates()) == 1 else self.elements // self.width
        return self.binary(self.variable("k"), "<", number(cells, self.where), BOOL)


def _pitches(tile: Tile) -> Sequence[Expr]:
    """How far apart neighbours of each dimension but the last lie in memory."""
    if tile.range.pitches or len(tile.range.dimensions) < 2:
        return [formula(pitch, tile.location, WIDE) for pitch in tile.range.pitches]
    lengths = inner_lengths(tile.array_type)
    return [_product(lengths[depth:], tile.location) for depth in range(len(lengths))]


def _product(factors: Sequence[Expr], where: Location) -> Expr:
    """A product that is computed in 64 bits."""
    if len(factors) == 1:
        return factors[0]
    first: Expr = Cast(WIDE, where, factors[0])
    return reduce(lambda left, right: Binary(WIDE, where, "*", left, right), factors[1:], first)


def _once(items: Iterable[T]) -> tuple[T, ...]:
    """Each once: several tiles may have one array."""
    return tuple(dict.fromkeys(items))
