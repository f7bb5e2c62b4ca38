"""What a second version does with its tiles: it declares them, fetches copies into them, and refers to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from accache.base.text import Edit, Span
from accache.cpu.tokens import closing
from accache.cuda.text import Cuda
from accache.emit.kernels.storage import REUSE, STATEMENTS
from accache.emit.preload.names import NamedTile, Names
from accache.emit.preload.spelling import place_in_tile, position, unsigned
from accache.emit.templates import macros
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.preload.plan import CHUNK, Plan, Tile

_WORDS = "cuda/preload/words.cu.jinja"


class Copies(Struct, frozen=True):
    """The copies of one kernel."""

    cuda: Cuda
    plan: Plan
    names: Names

    @property
    def instance(self) -> str:
        """The arguments with which one of its functions calls another."""
        names = ", ".join(self.plan.view.item.template)
        return f"<{names}>" if self.plan.view.item.is_template else ""

    def references(self) -> Iterator[Edit]:
        """References to arrays become references to tiles."""
        by_start = {token.start: index for index, token in enumerate(self.cuda.tokens)}
        for tile in self.names.tiles:
            for reference, places in zip(tile.tile.box.references, tile.tile.box.places, strict=True):
                name = by_start[reference.offset]
                opening = next(k for k in range(name + 1, len(self.cuda.tokens)) if self.cuda.tokens[k].text != ")")
                index, close = name - (opening - name - 1), closing(self.cuda.tokens, opening)  # of (a)[i] all goes
                indices = "".join(f"[{place_in_tile(place, partial(self.symbol, tile=tile.tile))}]" for place in places)
                yield Edit(Span(self.cuda.tokens[index].start, self.cuda.tokens[close].end), f"{tile.name}{indices}")
                yield from self.read_as_usual(index)

    def read_as_usual(self, index: int) -> Iterator[Edit]:
        """``__ldg(&`` in front of a reference, and its parenthesis, go: it reads global memory."""
        tokens = self.cuda.tokens
        if [token.text for token in tokens[index - 3 : index]] == ["__ldg", "(", "&"]:
            close = tokens[closing(tokens, index - 2)]
            yield Edit(Span(tokens[index - 3].start, tokens[index - 1].end), "")
            yield Edit(Span(close.start, close.end), "")

    def symbol(self, name: str, tile: Tile) -> str:
        """The text of a symbol."""
        if name == CHUNK:
            assert tile.loop is not None
            variable = user_name(tile.loop.counted.variable)
            return f"{variable} - {self.names.chunk(tile)}"
        return position(name) or f"(int){user_name(name)}"

    def fetched(self, tiles: Sequence[NamedTile]) -> list[str]:
        """The calls that make the copies of tiles."""
        lines = []
        for tile in tiles:
            array, box = tile.tile.array, tile.tile.box
            start = box.start
            if tile.tile.loop is not None:
                start = start.substitute(
                    {tile.tile.loop.counted.variable: Polynomial.symbol(f"@{self.names.chunk(tile.tile)}")}
                )
            computed = self.plan.computed
            pitches = "".join(f", {unsigned(pitch, computed)}" for pitch in box.pitches if pitch.constant_value != 1)
            arguments = f"{tile.name}, {array}, {self.names.there[array]}, {unsigned(start, computed)}{pitches}"
            lines.append(f"{tile.fetch}{self.instance}({arguments});")
        return lines

    def declared(self, tiles: Sequence[NamedTile]) -> list[str]:
        """The declarations of tiles."""
        layout = self.plan.layout
        if not layout.has_reuse:
            return [str(macros(_WORDS).shared(tile.element, tile.name, tile.shape)) for tile in tiles]
        pool, offsets = self.names.pool, layout.offsets
        placed = macros(STATEMENTS).dynamic
        return [
            str(placed(tile.element, tile.name, tile.shape, pool, offsets[tile.tile.key])).strip() for tile in tiles
        ]

    def pool(self) -> list[str]:
        """The declaration of the memory in which tiles take each other's place, if there are such ones."""
        layout = self.plan.layout
        if not layout.has_reuse:
            return []
        return [REUSE, str(macros(STATEMENTS).static_pool(self.names.pool, layout.pool_bytes))]

    def barrier(self) -> str:
        """A barrier."""
        return str(macros(_WORDS).barrier())

    def entry(self) -> list[Edit]:
        """Copies before the first statement."""
        tiles = [tile for tile in self.names.tiles if tile.tile.loop is None]
        copied = [*self.declared(tiles), *self.fetched(tiles), self.barrier()] if tiles else []
        lines = [*self.pool(), *copied]
        place = self.cuda.tokens[self.plan.view.item.body].end
        if not lines:
            return []
        return [Edit(Span(place, place), "".join(f"\n    {line}" for line in lines))]
