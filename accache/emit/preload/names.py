"""The names that a second version of a kernel brings: its functions, its tiles, and what counts chunks of loops."""

from __future__ import annotations

import re

from msgspec import Struct

from accache.cuda.text import Cuda
from accache.ir.names import free_name, user_name
from accache.preload.plan import Plan, Tile

_WORD = re.compile(r"[A-Za-z_]\w*")


class FreeNames(Struct, frozen=True):
    """Gives names that are not yet taken, each of which is taken from then on."""

    taken: set[str]

    def __call__(self, wanted: str) -> str:
        """A free name for one that is wanted."""
        name = free_name(wanted, self.taken.__contains__)
        self.taken.add(name)
        return name


def macro_names(cuda: Cuda) -> set[str]:
    """The words of the preprocessor's lines, those of the user's headers too."""
    lines = (file.source.text[span.start : span.end] for file in cuda.files for span in file.directives)
    return {word for line in lines for word in _WORD.findall(line)}


class NamedTile(Struct, frozen=True):
    """A tile with the names that it and its fetch have in the text, and the type of its elements."""

    tile: Tile
    name: str
    fetch: str
    element: str

    @property
    def shape(self) -> str:
        """The lengths of its dimensions, in brackets."""
        lengths = self.tile.box.lengths
        return "".join(f"[{length}]" for length in (*lengths[:-1], lengths[-1] + self.tile.box.pads))


class Names(Struct, frozen=True):
    """The names of a second version, by which arrays it knows what is there, and which names are free in it."""

    copy: str
    launch: str
    local: FreeNames
    tiles: tuple[NamedTile, ...]
    there: dict[str, str]
    chunks: dict[int, str]
    pool: str

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that have tiles."""
        return tuple(self.there)

    def chunk(self, tile: Tile) -> str:
        """The variable that counts the chunks of a tile's loop."""
        assert tile.loop is not None
        if tile.loop.offset not in self.chunks:
            self.chunks[tile.loop.offset] = self.local(f"{user_name(tile.loop.counted.variable)}_chunk")
        return self.chunks[tile.loop.offset]


COPIED = "_preloaded"
"""What the name of a kernel's second version ends with, perhaps with a number behind it."""


def named(cuda: Cuda, plan: Plan, free: FreeNames, launch: str) -> Names:
    """Names for the second version of a plan's kernel, which ``launch`` launches; ``free`` gives those of the file."""
    item = plan.view.item
    copy = free(f"{item.name}{COPIED}")
    words = {token.text for token in cuda.tokens[item.first : item.end]}
    local = FreeNames(words | macro_names(cuda) | {copy, launch})

    def with_names(tile: Tile) -> NamedTile:
        fetch = free(f"{item.name}_{tile.array}_fetch")
        return NamedTile(tile, local(f"{tile.array}_tile"), fetch, plan.view.elements[tile.array])

    tiles = tuple(map(with_names, plan.tiles))
    arrays = dict.fromkeys(tile.array for tile in plan.tiles)
    return Names(
        copy,
        launch,
        local,
        tiles,
        there={array: local(f"{array}_there") for array in arrays},
        chunks={},
        pool=local("shared"),
    )
