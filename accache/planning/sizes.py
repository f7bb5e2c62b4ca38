"""Sizes of types and tiles in bytes, and the extents that must be constants."""

from __future__ import annotations

from accache.analysis.canonical import constant
from accache.ir.simt import Tile
from accache.ir.types import Arithmetic, Array, Complex, CType, Enum, Pointer, Record, resolve

POINTER_BYTES = 8
TAG_BYTES = 8


def alignment(ctype: CType) -> int:
    """The alignment of a type in bytes (LP64)."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return alignment(plain.element)
    if isinstance(plain, Record):
        return max((alignment(member.type) for member in plain.fields or ()), default=1)
    if isinstance(plain, Complex):
        return sizeof(plain) // 2
    return max(1, sizeof(plain))


def sizeof(ctype: CType) -> int:
    """The size of a type in bytes (LP64); 0 where it is not a constant."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        return plain.size
    if isinstance(plain, Enum):
        return 4
    if isinstance(plain, Complex):
        return 2 * Arithmetic(plain.of).size
    if isinstance(plain, Pointer):
        return POINTER_BYTES
    if isinstance(plain, Array):
        return (constant(plain.length) or 0) * sizeof(plain.element)
    if isinstance(plain, Record) and plain.fields:
        return _record_size(plain)
    return 0


def _record_size(record: Record) -> int:
    end, widest = 0, 1
    for member in record.fields or ():
        align = alignment(member.type)
        widest = max(widest, align)
        start = 0 if record.keyword == "union" else -(-end // align) * align
        end = max(end, start + sizeof(member.type))
    return -(-end // widest) * widest


def tile_elements(tile: Tile) -> int:
    """Elements a tile holds in shared memory, all copies together."""
    if tile.entries:
        return tile.entries * tile.threads
    count = 1
    for dimension in tile.dimensions:
        count *= dimension.extent
    return count * (tile.threads if tile.scope == "thread" else 1)


def tile_bytes(tile: Tile) -> int:
    """Shared memory of a tile in bytes, dirty mask and tags included."""
    each = sizeof(tile.element) + (1 if tile.tracking == "mask" else 0) + (TAG_BYTES if tile.entries else 0)
    return tile_elements(tile) * each
