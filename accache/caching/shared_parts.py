"""What lies in a block's shared memory, part by part: tiles, gangs' own variables, values that are combined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from accache.base.architectures import MAX_THREADS
from accache.caching.sizing.padding import padding
from accache.caching.survey import Survey
from accache.ir.arrays import extents, innermost
from accache.ir.kernels.combining import WARP, Combination, combination
from accache.ir.kernels.shared_layout import POOL_ALIGNMENT, SharedLayout, SharedPart
from accache.ir.kernels.simt import BlockReduce, ParallelFor, SharedArray
from accache.ir.kernels.tiles import EmulatedCache, Tile
from accache.ir.sizes import TAG_BYTES, alignment, padded, sizeof, tile_alignment, tile_elements
from accache.ir.tree import Declare
from accache.ir.types import is_array, resolve, unqualified
from accache.ir.walk import nodes_of, walk
from accache.mapping.mapped import MappedKernel


def tile_parts(tile: Tile) -> tuple[SharedPart, ...]:
    """A tile's elements, the marks of those written, the tags of an emulated cache."""
    if tile.traits.in_registers or tile.traits.by_lines:  # the launch finds room for lines
        return ()
    elements = tile_elements(tile)
    sizes = [(tile.name, elements * sizeof(tile.element), tile_alignment(tile))]
    if isinstance(tile.storage, EmulatedCache):
        sizes.append((f"{tile.name}@tags", elements * TAG_BYTES, TAG_BYTES))
    if tile.tracking == "mask":
        sizes.append((f"{tile.name}@dirty", elements, 1))
    return tuple(SharedPart(*each, owner=tile.name, apart=tile.apart) for each in sizes)


def tile_bytes(tile: Tile) -> int:
    """Shared memory of a tile in bytes, dirty mask and tags included."""
    return sum(part.bytes for part in tile_parts(tile))


def bytes_together(tiles: Sequence[Tile]) -> int:
    """Shared memory that tiles take in a block without other arrays."""
    return SharedLayout(tuple(part for tile in tiles for part in tile_parts(tile))).bytes


def array_part(array: SharedArray) -> SharedPart:
    """A gang's own array or scalar, its padding included."""
    ctype = padded(array)
    return SharedPart(array.name, sizeof(ctype), alignment(ctype))


def combining_parts(nodes: Iterable[BlockReduce], block: tuple[int, int, int]) -> tuple[SharedPart, ...]:
    """What the run-time library's functions declare that combine values in a kernel: one of a kind and type.

    What arrays go through they have in common, as far as it has one size. nvcc puts results, which for one group of
    threads are single values, behind the arrays.
    """
    values: dict[object, SharedPart] = {}
    results: dict[object, SharedPart] = {}
    for node in nodes:
        along, ctype = combination(node.axes, block), unqualified(innermost(node.reduction.type))
        kind = (node.reduction.operator, resolve(ctype), along)
        size, count = sizeof(ctype), prod(extents(node.reduction.type) or ())
        if node.reduction.is_array and along.shared_arrays:
            exchanged, chunk = along.exchanged(count, size), along.chunk(count, size)
            values[exchanged] = SharedPart("values", exchanged, POOL_ALIGNMENT)
            results[kind, count] = SharedPart("values", along.shared_arrays[1] * chunk * size, alignment(ctype))
            continue
        for found, length in zip((values, results), along.shared_arrays, strict=False):
            found[kind] = SharedPart("values", length * size, alignment(ctype))
    return (*values.values(), *results.values())


def routine_parts(arrays: Iterable[SharedArray], nodes: Iterable[BlockReduce]) -> tuple[SharedPart, ...]:
    """What a routine declares: its gang's variables, and for each kind of reduction a value for each thread."""
    kinds = {(node.reduction.operator, node.reduction.type, node.axes): node.reduction.type for node in nodes}
    buffers = (SharedPart("partial", MAX_THREADS * sizeof(ctype), alignment(ctype)) for ctype in kinds.values())
    return (*buffers, *map(array_part, arrays))


def kernel_layout(
    kernel: MappedKernel, tiles: Iterable[Tile], arrays: Iterable[SharedArray], nodes: Iterable[BlockReduce]
) -> SharedLayout:
    """The shared memory of a lowered kernel."""
    own = (*(part for tile in tiles for part in tile_parts(tile)), *map(array_part, arrays))
    return SharedLayout(own, (*combining_parts(nodes, kernel.shape.block), *kernel.routine_parts))


def expected_layout(survey: Survey, limit: int) -> SharedLayout:
    """What a kernel takes beside tiles, at most, as far as that is known before it is lowered.

    Arrays beyond the limit lie elsewhere.
    """
    scalars = (SharedPart(name, POOL_ALIGNMENT, POOL_ALIGNMENT) for name in sorted(survey.kernel.shared))
    arrays = (part for array in _arrays(survey) if (part := array_part(array)).bytes <= limit)
    return SharedLayout((*scalars, *arrays), expected_calls(survey.kernel))


def expected_calls(kernel: MappedKernel) -> tuple[SharedPart, ...]:
    """What the functions take, at most, that a kernel calls: routines, and reductions of loops over threads.

    These have a value for each thread, and results for some.
    """
    loops = [node for node in nodes_of(kernel.body, ParallelFor) if node.reductions]
    spread = (loop for loop in loops if any(isinstance(node, ParallelFor) and node.block for node in walk(loop)))
    values = kernel.shape.threads + max(1, kernel.shape.threads // (2 * WARP))  # groups have a warp or, at least, two
    whole = Combination("", kernel.shape.threads, 1, kernel.shape.threads)
    parts: dict[object, SharedPart] = {}
    for item in (item for loop in spread for item in loop.reductions):
        ctype = innermost(item.type)
        length, size, count = values, sizeof(ctype), prod(extents(item.type) or ())
        if item.is_array:
            exchanged = whole.exchanged(count, size)
            parts["exchanged", exchanged] = SharedPart("values", exchanged, POOL_ALIGNMENT)
            length = (values - kernel.shape.threads) * whole.chunk(count, size)
        parts[len(parts)] = SharedPart("values", length * size, alignment(ctype))
    return (*parts.values(), *kernel.routine_parts)


def copies_of(part: SharedPart, extents: Iterable[int]) -> SharedPart:
    """An array of which there is a copy for each position along some axes."""
    return SharedPart(part.name, part.bytes * prod(extents), part.alignment)


def _arrays(survey: Survey) -> list[SharedArray]:
    """The arrays that each block has one copy of."""
    kernel = survey.kernel
    places = {variable.name: (variable.type, kernel.region.location) for variable in kernel.region.variables}
    places |= {node.name: (node.type, node.location) for node in nodes_of(kernel.body, Declare)}
    found = []
    for name in sorted(survey.gang_arrays() & places.keys()):
        ctype, where = places[name]
        if is_array(ctype):
            pad = padding(kernel.body, name, ctype, survey.definitions)
            found.append(SharedArray(where, name, ctype, pad))
    return found
