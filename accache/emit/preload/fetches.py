"""What the template of a fetch is told: the function by which a block copies what it uses of an array."""

from __future__ import annotations

from math import prod

from accache.emit.preload.names import NamedTile

_AXES = ("accache_plane", "accache_row", "accache_column")


def thread_in_block(block: tuple[int, int, int]) -> str:
    """The number of a thread in its block, as text."""
    x, y, z = block
    parts = [f"threadIdx.z*{x * y}"] if z > 1 else []
    parts += [f"threadIdx.y*{x}"] if y > 1 else []
    return " + ".join([*parts, "threadIdx.x"])


def fetch_view(tile: NamedTile) -> dict[str, object]:
    """The fetch of a tile."""
    box = tile.tile.box
    pitches = [
        f"{axis}_pitch" if pitch.constant_value != 1 else ""
        for axis, pitch in zip(_AXES[-len(box.lengths) :], box.pitches, strict=True)
    ]
    indices = _indices(box.lengths)
    parts = [f"{index}*{pitch}" if pitch else index for index, pitch in zip(indices, pitches, strict=True)]
    when = "the kernel begins" if tile.tile.loop is None else "each chunk of a loop"
    return {
        "comment": f"Copies what a block uses of {tile.tile.array} before {when}, as far as it is there.",
        "fetch": tile.fetch,
        "element": tile.element,
        "shape": tile.shape,
        "elements": box.elements,
        "pitches": [pitch for pitch in pitches if pitch],
        "source": " + ".join(["accache_start", *parts]),
        "target": "".join(f"[{index}]" for index in indices),
    }


def _indices(lengths: tuple[int, ...]) -> list[str]:
    """Where element ``accache_at`` of a box lies in each of its dimensions."""
    indices = []
    for number, length in enumerate(lengths):
        inner = prod(lengths[number + 1 :])
        index = f"accache_at / {inner}" if inner > 1 else "accache_at"
        indices.append(index if number == 0 else f"{index} % {length}")
    return indices
