"""The parts of arrays, structures and unions that initialisers in braces have values for."""

from __future__ import annotations

from accache.ir.types import Array, CType, Record, resolve


def part_types(ctype: CType, count: int) -> tuple[CType, ...]:
    """The types of the first ``count`` parts of an array, structure or union; none of other types."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return (plain.element,) * count
    if not isinstance(plain, Record):
        return ()
    members = plain.members[: 1 if plain.keyword == "union" else count]
    return tuple(member.type for member in members)
