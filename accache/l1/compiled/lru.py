"""Sets of a cache in which an insertion takes the same few steps for any number of ways.

Each set is a list of lines by age, linked both ways and at most as long as the set has ways. Behind it stands the one
line whose distance equals the number of ways; of all others only what became of them is known.
"""

from __future__ import annotations

from accache.l1.compiled.jit import inlined
from accache.l1.compiled.memory import EDGE, FAR, NEAR, NONE, Records


@inlined
def unlink(lines: Records, sets: Records, line: int) -> None:
    """Take a line out of the list of its set."""
    index, newer, older = lines[line]["set"], lines[line]["newer"], lines[line]["older"]
    if newer == NONE:
        sets[index]["newest"] = older
    else:
        lines[newer]["older"] = older
    if older == NONE:
        sets[index]["oldest"] = newer
    else:
        lines[older]["newer"] = newer
    sets[index]["count"] -= 1


@inlined
def put_first(lines: Records, sets: Records, line: int) -> None:
    """Put a line that is in no list at the new end of its set's."""
    index = lines[line]["set"]
    newest = sets[index]["newest"]
    lines[line]["newer"], lines[line]["older"] = NONE, newest
    if newest == NONE:
        sets[index]["oldest"] = line
    else:
        lines[newest]["newer"] = line
    sets[index]["newest"] = line
    sets[index]["count"] += 1


@inlined
def insert(lines: Records, sets: Records, ways: int, line: int) -> None:
    """Make a line the newest of its set."""
    index, place = lines[line]["set"], lines[line]["place"]
    if place == NEAR:
        if sets[index]["newest"] != line:
            unlink(lines, sets, line)
            put_first(lines, sets, line)
        return
    former = sets[index]["edge"]
    if former == line:
        sets[index]["edge"] = former = NONE
    lines[line]["place"] = NEAR
    put_first(lines, sets, line)
    if sets[index]["count"] > ways:
        last = sets[index]["oldest"]
        unlink(lines, sets, last)
        if former != NONE:
            lines[former]["place"] = FAR
        sets[index]["edge"] = last
        lines[last]["place"], lines[last]["valid"] = EDGE, 0
