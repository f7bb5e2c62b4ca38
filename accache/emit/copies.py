"""What the templates see of a fetch or a write-back: one loop over the cells of one tile, or of several alike.

Tiles that are copied together have the same shape and agree in how much of it is used (planning.together);
their arrays, element types, starts and ends may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import prod

from msgspec import Struct

from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.views import TileView, count, is_routine_name, words
from accache.ir.arrays import inner_lengths
from accache.ir.simt import Fetch, Tile, WriteBack
from accache.lowering.tilecode import index_type

FULLY_UNROLLED = 16
PARTLY_UNROLLED = 8


class MoveView(Struct, frozen=True):
    """Assignments under one condition ('' for none)."""

    condition: str
    assignments: tuple[str, ...]

    @property
    def open(self) -> str:
        """The brace behind the condition, where several assignments need one."""
        return " {" if self.condition and len(self.assignments) > 1 else ""

    @property
    def close(self) -> str:
        """The brace that ends them."""
        return "}" if self.open else ""

    @property
    def indent(self) -> str:
        """What the assignments stand behind."""
        return "    " if self.condition else ""


class CopyView(Struct, frozen=True):
    """The texts of a fetch or a write-back and of its routine; ``unroll`` is '' for all rounds, or how many.

    ``loop`` is the head of the loop over a thread's cells, '' if it has one; ``cell_number`` declares ``k``, the number
    of a cell, where the loop does not; ``guard`` says whether there is such a cell, '' if it is certain.
    """

    tiles: tuple[TileView, ...]
    is_fetch: bool
    routine: str
    comment: str
    parameters: str
    arguments: str
    loop: str
    unroll: str
    cell_number: str
    guard: str
    split: tuple[str, ...]
    cell: str
    masks: tuple[str, ...]
    moves: tuple[MoveView, ...]

    @property
    def is_routine(self) -> bool:
        """Whether a routine copies; else each thread writes the one element it owns."""
        return self.tiles[0].spec.owned is None or self.is_fetch


class _Copy(Struct, frozen=True):
    """A copy of some tiles whose cells all lie alike by a block of ``threads``.

    ``own`` if each thread uses only what it fetches itself.
    """

    tiles: tuple[TileView, ...]
    is_fetch: bool
    own: bool
    threads: int

    @property
    def lead(self) -> Tile:
        """The tile whose shape stands for that of all."""
        return self.tiles[0].spec

    @property
    def printer(self) -> ExpressionPrinter:
        return self.tiles[0].printer

    @property
    def moved(self) -> tuple[TileView, ...]:
        """The tiles whose elements are copied; of others only the mask is cleared."""
        return tuple(view for view in self.tiles if view.spec.is_fetched or not self.is_fetch)

    @property
    def clipped(self) -> tuple[TileView, ...]:
        return tuple(view for view in self.moved if self.is_fetch and view.spec.clipped)

    def is_marked(self, view: TileView) -> bool:
        """Whether a mask says which elements are copied."""
        return bool(view.mask) and not self.is_fetch

    def array(self, view: TileView) -> str:
        """The array's name in the routine, where the routine has names of its own."""
        name = view.real_array
        others = {other.real_array for other in self.tiles} - {name}
        while is_routine_name(name) or name in others:
            name += "_array"
        return name

    def ends(self, view: TileView) -> tuple[str, ...]:
        """The parameters that hold where the array begins and ends."""
        if not any(other is view for other in self.clipped):
            return ()
        return ("begin", "end") if len(self.tiles) == 1 else self.real_ends(view)

    def real_ends(self, view: TileView) -> tuple[str, ...]:
        """The kernel's names for them."""
        return tuple(self.printer.name(f"{view.spec.array}@{role}") for role in ("begin", "end"))

    def starts(self) -> tuple[str, ...]:
        """The first indices of the tiles, each name once."""
        return _once(self.printer.name(start) for view in self.moved for start in view.spec.starts)

    def pitch_names(self) -> tuple[str, ...]:
        return tuple(f"pitch{number or ''}" for number in range(len(pitches(self.printer, self.lead))))

    def counts(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the element counts that depend on the launch."""
        if all(self.is_marked(view) for view in self.moved):
            return ()
        texts = (count(self.printer, dimension) for dimension in self.lead.dimensions)
        return tuple(
            (many, text) for (_, many), text in zip(words(self.lead), texts, strict=True) if not text.isdigit()
        )

    def coordinates(self) -> list[str]:
        """A cell's coordinates."""
        return ["k"] if len(self.lead.dimensions) <= 1 else [one for one, _ in words(self.lead)]

    def parameters(self) -> str:
        const = "" if self.is_fetch else "const "
        tiles = [f"{const}{view.tile_parameter}" for view in self.moved]
        masks = [f"{const}bool (&{view.mask}){view.shape}" for view in self.tiles if view.mask]
        source = "const " if self.is_fetch else ""
        arrays = _once(f"{source}{view.type} *{self.array(view)}" for view in self.moved)
        index = self.printer.type(index_type(self.lead))
        starts = [f"{index} {start}" for start in self.starts()]
        pitch = [f"long long {name}" for name in self.pitch_names() if self.moved]
        counts = [f"int {many}" for many, _ in self.counts()]
        ends = _once(f"long long {end}" for view in self.clipped for end in self.ends(view))
        return ", ".join([*tiles, *masks, *arrays, *starts, *pitch, *counts, *ends])

    def arguments(self) -> str:
        tiles = [view.tile for view in self.moved]
        masks = [view.mask for view in self.tiles if view.mask]
        arrays = _once(view.first_element for view in self.moved)
        pitch = pitches(self.printer, self.lead) if self.moved else []
        counts = [text for _, text in self.counts()]
        ends = _once(end for view in self.clipped for end in self.real_ends(view))
        return ", ".join([*tiles, *masks, *arrays, *self.starts(), *pitch, *counts, *ends])

    def moves(self) -> tuple[MoveView, ...]:
        """The elements copied, neighbours with the same condition together."""
        groups = groupby(self.moved, self.condition)
        return tuple(MoveView(condition, tuple(map(self.assignment, views))) for condition, views in groups)

    def assignment(self, view: TileView) -> str:
        """The copy of one element."""
        cell, element = f"{view.tile}{self.cell()}", f"{self.array(view)}[{self.index(view)}]"
        return f"{cell} = {element}" if self.is_fetch else f"{element} = {cell}"

    def index(self, view: TileView) -> str:
        """The array index of an element of the tile."""
        starts = [self.printer.name(start) for start in view.spec.starts]
        sums = [f"{start} + {one}" for start, one in zip(starts, self.coordinates(), strict=True)]
        scaled = [f"({text}) * {pitch}" for text, pitch in zip(sums, self.pitch_names(), strict=False)]
        return " + ".join([*scaled, sums[-1]])

    def condition(self, view: TileView) -> str:
        """When an element is fetched: it is asked for and lies in the array; when it is written back: it is new."""
        bound = [] if self.clears else [self.bound] if self.bound else []
        if self.is_marked(view):
            return " && ".join([*bound, f"{view.mask}{self.cell()}"])
        parts = bound + [
            f"{one} < {many}"
            for one, (_, many) in zip(self.coordinates(), words(self.lead), strict=True)
            if many in dict(self.counts())
        ]
        index = self.index(view)
        parts += [f"{index} {sign} {end}" for sign, end in zip((">=", "<"), self.ends(view), strict=False)]
        return " && ".join(parts)

    @property
    def together(self) -> bool:
        """Whether all threads of the block copy one tile."""
        return self.lead.scope == "block"

    @property
    def elements(self) -> int:
        """The cells of one tile."""
        return prod(dimension.extent for dimension in self.lead.dimensions)

    @property
    def rounds(self) -> int:
        """How many cells a thread looks at."""
        return -(-self.elements // self.threads) if self.together else self.elements

    @property
    def clears(self) -> bool:
        """Whether masks are cleared, of all cells."""
        return self.is_fetch and any(view.mask for view in self.tiles)

    @property
    def bound(self) -> str:
        """The condition that keeps threads from cells past the tile's end, '' where there are none, or others do.

        Where the first coordinate is counted, that of a cell past the end is too large.
        """
        if not self.together or self.elements % self.threads == 0:
            return ""
        is_counted = words(self.lead)[0][1] in dict(self.counts()) and not any(map(self.is_marked, self.moved))
        return "" if is_counted and not self.clears else f"k < {self.elements}"

    def cell(self) -> str:
        return "".join(f"[{one}]" for one in self.coordinates()) + self.tiles[0].own

    def split(self) -> tuple[str, ...]:
        """The statements that split ``k`` into coordinates."""
        names = self.coordinates()
        lines = []
        rest = "k"
        for number, one in enumerate(names[:-1]):
            inner = prod(dimension.extent for dimension in self.lead.dimensions[number + 1 :])
            lines.append(f"const int {one} = {rest} / {inner};")
            rest = f"k % {inner}"
        return (*lines, f"const int {names[-1]} = {rest};") if lines else ()

    def comment(self) -> str:
        names = listed(_once(self.array(view) for view in self.moved or self.tiles))
        several = "s" if len(self.moved) > 1 else ""
        if not self.is_fetch:
            if any(map(self.is_marked, self.tiles)):
                return f"Write the changed elements of the tile{several} back to {names}."
            if not self.together:
                return f"Each thread writes its own tile{several} back to {names}."
            return (
                f"All threads of the block write the tile{several} back to {names}, neighbouring elements side by side."
            )
        if not self.moved:
            return f"Nothing of {names} is changed yet."
        if self.together:
            how = "each what it uses itself" if self.own else "neighbouring elements side by side"
            return f"All threads of the block copy the part{several} of {names} they need, {how}."
        return f"Each thread copies its own part{several} of {names}."


def copy_view(stmt: Fetch | WriteBack, tiles: tuple[TileView, ...], threads: int) -> CopyView:
    """The texts of a fetch or a write-back of tiles by a block of ``threads``."""
    copy = _Copy(tiles, isinstance(stmt, Fetch), isinstance(stmt, Fetch) and stmt.own, threads)
    ranged = bool(copy.lead.dimensions)
    name = f"{'_'.join(view.short for view in tiles)}_{'fetch' if copy.is_fetch else 'write_back'}"
    return CopyView(
        tiles=tiles,
        is_fetch=copy.is_fetch,
        routine=f"{tiles[0].kernel}_{name}",
        comment=copy.comment(),
        parameters=copy.parameters() if ranged else "",
        arguments=copy.arguments() if ranged else "",
        loop=_loop(copy.rounds, copy.together),
        unroll="" if copy.rounds <= FULLY_UNROLLED else f" {PARTLY_UNROLLED}",
        cell_number=_cell_number(tiles[0].thread, threads, copy.rounds) if copy.together else "",
        guard=copy.bound if copy.clears else "",
        split=copy.split(),
        cell=copy.cell(),
        masks=tuple(view.mask for view in tiles if view.mask) if copy.is_fetch else (),
        moves=copy.moves() if ranged else (),
    )


def _loop(rounds: int, together: bool) -> str:
    """The head of the loop over a thread's cells: nvcc unrolls it, since it knows how many rounds there are."""
    if not together:
        return f"for (int k = 0; k < {rounds}; ++k)"
    return f"for (int round = 0; round < {rounds}; ++round)" if rounds > 1 else ""


def _cell_number(thread: str, threads: int, rounds: int) -> str:
    """The declaration of the number of a cell that a thread copies in a round."""
    return f"const int k = {thread}{f' + {threads}*round' if rounds > 1 else ''};"


def listed(names: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def pitches(printer: ExpressionPrinter, tile: Tile) -> Sequence[str]:
    """How far apart neighbours of each dimension but the last lie in memory."""
    if tile.pitches or len(tile.dimensions) < 2:
        return [printer.polynomial(pitch, "long long") for pitch in tile.pitches]
    texts = []
    lengths = inner_lengths(tile.array_type)
    for depth in range(len(lengths)):
        factors = [printer.expression(length, LEVELS["unary"]) for length in lengths[depth:]]
        texts.append("(long long)" + "*".join(factors) if len(factors) > 1 else factors[0])
    return texts


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """Each text once: several tiles may have one array."""
    return tuple(dict.fromkeys(texts))
