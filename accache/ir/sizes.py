"""Sizes of types and tiles in bytes, and the extents that must be constants."""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from accache.ir.constants import constant
from accache.ir.kernels.alignment import WIDEST, widest
from accache.ir.kernels.simt import SharedArray
from accache.ir.kernels.tiles import EmulatedCache, Tile
from accache.ir.tree import IntLiteral
from accache.ir.types import Arithmetic, Array, Complex, CType, Enum, Pointer, Record, resolve, underlying

POINTER_BYTES = 8
TAG_BYTES = 8


def alignment(ctype: CType) -> int:
    """The alignment of a type in bytes (LP64)."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return alignment(plain.element)
    if isinstance(plain, Record):
        return max(1, plain.align, *(alignment(member.type) for member in plain.fields or ()))
    if isinstance(plain, Complex):
        return sizeof(plain) // 2
    return max(1, sizeof(plain))


def sizeof(ctype: CType) -> int:
    """The size of a type in bytes (LP64); 0 where it is not a constant."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        return plain.size
    if isinstance(plain, Enum):
        return underlying(plain).size
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
    end, widest = 0, max(1, record.align)
    for member in record.fields or ():
        align = alignment(member.type)
        widest = max(widest, align)
        start = 0 if record.keyword == "union" else -(-end // align) * align
        end = max(end, start + sizeof(member.type))
    return -(-end // widest) * widest


def tile_elements(tile: Tile) -> int:
    """Elements a tile holds in shared memory, all copies together."""
    if isinstance(tile.storage, EmulatedCache):
        return tile.storage.entries * tile.threads
    return prod(tile_shape(tile)) * (tile.threads if tile.scope == "thread" else 1)


def tile_shape(tile: Tile) -> tuple[int, ...]:
    """The extents of one copy of a tile as an array, its padding included."""
    extents = tile.range.extents
    return (*extents[:-1], extents[-1] + tile.range.pad) if extents else ()


def tile_alignment(tile: Tile) -> int:
    """The bytes to a multiple of which a tile's elements are aligned.

    Those of a block whose rows are as long as wide accesses allow have the alignment of these.
    """
    usual, shape = alignment(tile.element), tile_shape(tile)
    if not shape or tile.scope == "thread" or widest(sizeof(tile.element)) == 1:
        return usual
    row = (prod(shape) if len(shape) == 1 else shape[-1]) * sizeof(tile.element)
    is_long = row >= WIDEST if len(shape) == 1 else row % WIDEST == 0
    return WIDEST if is_long else usual


def padded(shared: SharedArray) -> CType:
    """A gang-local array's type with its padding."""
    plain = resolve(shared.type)
    if not shared.pad or not isinstance(plain, Array):
        return shared.type
    return _pad_innermost(plain, shared.pad)


def _pad_innermost(array: Array, pad: int) -> Array:
    inner = resolve(array.element)
    if isinstance(inner, Array):
        return replace(array, element=_pad_innermost(inner, pad))
    length = constant(array.length)
    assert length is not None
    assert array.length is not None
    return replace(
        array, length=IntLiteral(array.length.type, array.length.location, length + pad, f"{length} + {pad}")
    )
