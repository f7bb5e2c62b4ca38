"""The weights of PTX instructions: how many SASS instructions ptxas makes of one, as calibrate.py has counted them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

TABLE = Path(__file__).with_name("weights.json")
ENTRY = "entry"
"""What a warp executes once that belongs to no instruction of the PTX, such as setting the stack pointer."""


class Counted(msgspec.Struct, frozen=True):
    """So many instructions of SASS were made of so many of PTX."""

    sass: int
    ptx: int


def read(path: Path = TABLE) -> dict[str, Counted]:
    """The counts by kind of instruction (``slots.kind``)."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Counted])


def write(counts: Mapping[str, Counted], path: Path = TABLE) -> None:
    """Write counts, kinds in alphabetical order."""
    lines = (f'  "{name}": {{"sass": {each.sass}, "ptx": {each.ptx}}}' for name, each in sorted(counts.items()))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """SASS instructions for one of PTX, by kind, and for each opcode and type with further words the mean of these."""
    return with_shorter(read())


def with_shorter(counts: Mapping[str, Counted]) -> dict[str, float]:
    """The weights, also of shorter names: of all kinds that begin with them, together.

    >>> with_shorter({"ld.global.f32": Counted(2, 2), "ld.global.u8": Counted(4, 2)})["ld.global"]
    1.5
    """
    sums: dict[str, Counted] = dict(counts)
    for name, each in counts.items():
        words = name.split(".") if " " not in name else []
        for length in range(1, len(words)):
            shorter = ".".join(words[:length])
            if shorter not in counts:
                known = sums.get(shorter, Counted(0, 0))
                sums[shorter] = Counted(known.sass + each.sass, known.ptx + each.ptx)
    return {name: each.sass / each.ptx for name, each in sums.items()}
