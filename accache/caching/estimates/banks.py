"""Bank conflicts: how often a warp's access to shared memory is repeated because lanes meet in one bank.

Shared memory has 32 banks of 4 bytes. Lanes that want different words of one bank wait for each other; lanes that
want the same word share it. Elements of 8 bytes are served in two halves of a warp, of 16 bytes in four quarters
(CUDA C++ Programming Guide, compute capability 5.x and later).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import ceil
from operator import mul

from msgspec import Struct

from accache.analysis.canonical import canonical_loop
from accache.analysis.delinearise import delinearise
from accache.analysis.loop_context import subscripts_of
from accache.analysis.uniformity import differing_names
from accache.base.properties import cached_property
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor, SharedArray
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import padded, sizeof, tile_shape
from accache.ir.tree import Expr, For, Stmt, Subscript, Variable
from accache.ir.types import Array, resolve
from accache.ir.walk import nodes_of, single_definitions, used_variables, walk

BANKS = 32
BANK_BYTES = 4
WARP = 32
AXES = ("x", "y", "z")
RANDOM_TURNS = 3.5
"""Words of random banks that meet in one of them, on average over warps."""


class Conflict(Struct, frozen=True):
    """One reference to shared memory: its line, and the turns a warp takes at worst (None: not known, ``reason``)."""

    line: int
    degree: int | None
    reason: str = ""


def bank_degree(addresses: Sequence[int], size: int) -> int:
    """Turns that one warp's access takes; ``addresses`` are each lane's in bytes, ``size`` the bytes of an element.

    1 is the best a warp can do (also for 8-byte elements, whose two halves follow each other anyway). A structure
    whose size is no power of two is read word by word.
    """
    width = size if size in (1, 2, 4, 8, 16) else BANK_BYTES
    lanes = WARP * BANK_BYTES // max(width, BANK_BYTES)
    return max(_turns(addresses[start : start + lanes], width) for start in range(0, len(addresses), lanes))


def _turns(addresses: Sequence[int], width: int) -> int:
    words = {(address + byte) // BANK_BYTES for address in addresses for byte in range(0, width, BANK_BYTES)}
    banks = [word % BANKS for word in words]
    return max(banks.count(bank) for bank in set(banks))


def block_degree(strides: Mapping[str, int], block: tuple[int, int, int], size: int, offsets: Sequence[int]) -> int:
    """The worst warp of a block.

    ``strides`` are bytes from a thread to the next on each axis, ``offsets`` where a warp's first element may lie
    within a bank.
    """
    return _worst(tuple(strides.get(axis, 0) for axis in AXES), block, size, tuple(offsets))


@lru_cache(maxsize=1024)  # most references of a program lie alike, for each number of iterations that is tried
def _worst(along: tuple[int, ...], block: tuple[int, int, int], size: int, offsets: tuple[int, ...]) -> int:
    x, y, z = block
    threads = [(i, j, k) for k, j, i in product(range(z), range(y), range(x))]
    places = [sum(map(mul, along, thread)) for thread in threads]
    warps = [places[start : start + WARP] for start in range(0, len(places), WARP)]
    distinct = {tuple(place - warp[0] for place in warp) for warp in warps}
    return max(bank_degree([place + offset for place in warp], size) for warp in distinct for offset in offsets)


def random_degree(elements: int, size: int) -> float:
    """Turns of a warp whose lanes access random elements of so many; a bank has one word each in a short array."""
    words = ceil(elements * size / BANK_BYTES)
    return min(RANDOM_TURNS, max(1.0, words / BANKS)) * max(1, size // BANK_BYTES)


class BankModel(Struct, frozen=True, dict=True):
    """Finds the conflicts of a kernel's ``body``."""

    body: Stmt
    block: tuple[int, int, int]

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        """The variables of the body that have one value each."""
        return single_definitions(self.body)

    @cached_property
    def varying(self) -> frozenset[str]:
        """The variables that differ between the lanes of a warp."""
        x, y, _ = self.block
        return differing_names(self.body, AXES[: 1 + (x < WARP) + (x * y < WARP)])

    @cached_property
    def places(self) -> Mapping[str, Polynomial]:
        """What the variables of the body are in terms of the thread."""
        found = dict(_variables(self.body, self.definitions, self.varying))
        for _ in found:
            deeper = {name: place.substitute(found) for name, place in found.items()}
            if deeper == found:
                break
            found = deeper
        return found

    def of_tile(self, tile: Tile, width: int = 1) -> tuple[Conflict, ...]:
        """The conflicts of every reference that a tile serves, to so many neighbours at once."""
        accesses = [node for node in nodes_of(self.body, TileAccess) if node.tile == tile]
        return _distinct(Conflict(node.location.line, *self.tile_degree(node, width)) for node in accesses)

    def tile_degree(self, access: TileAccess, width: int = 1) -> tuple[int | None, str]:
        """One reference of a tile, to so many neighbours at once."""
        tile = access.tile
        size = sizeof(tile.element)
        if tile.scope == "thread":
            return self._own_entry(tile, size)
        indices = self._indices(access)
        if indices is None:
            return None, "the index is not a polynomial"
        return self._degree(_linear(indices, tile_shape(tile)), size, width)

    def _own_entry(self, tile: Tile, size: int) -> tuple[int | None, str]:
        """A thread's own entries stand beside those of its neighbours: ``[entry][thread]``."""
        x, y, _ = self.block
        if tile.traits.by_lines:  # their words lie a block's width apart
            return 1, ""
        if size % BANK_BYTES and tile.threads * size % (BANKS * BANK_BYTES):
            return None, "threads use different entries"
        return block_degree({"x": size, "y": x * size, "z": x * y * size}, self.block, size, (0,)), ""

    def _indices(self, access: TileAccess) -> list[Polynomial] | None:
        """The array index in each dimension of the tile."""
        _, subscripts = subscripts_of(access.original)
        indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
        if access.tile.range.pitches and len(indices) == 1 and indices[0] is not None:
            split = delinearise(indices[0], access.tile.range.pitches)
            return list(split) if split is not None else None
        known = [index for index in indices if index is not None]
        return known if len(known) == len(access.tile.range.dimensions) else None

    def of_array(self, shared: SharedArray) -> tuple[Conflict, ...]:
        """The conflicts of every element reference of a gang-local array."""
        extents, ctype = [], resolve(padded(shared))
        while isinstance(ctype, Array):
            extents.append(constant(ctype.length) or 0)
            ctype = resolve(ctype.element)
        found = []
        for node in walk(self.body):
            base, subscripts = subscripts_of(node) if isinstance(node, Subscript) else (None, ())
            if isinstance(base, Variable) and base.name == shared.name and len(subscripts) == len(extents):
                indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
                known = [index for index in indices if index is not None]
                degree: tuple[int | None, str] = (None, "the index is not a polynomial")
                if len(known) == len(indices):
                    degree = self._degree(_linear(known, extents), sizeof(ctype))
                found.append(Conflict(node.location.line, *degree))
        return _distinct(found)

    def _degree(self, address: Polynomial, size: int, width: int = 1) -> tuple[int | None, str]:
        """The degree of an address in elements, once it is written in thread positions."""
        address = address.substitute(self.places)
        strides: dict[str, int] = {}
        for name in sorted(address.names):
            axis = name.partition("@thread.")[2]
            stride = address.coefficient(name)
            fixed = None if stride is None else stride.constant_value
            if axis and fixed is not None:
                strides[axis] = fixed * size
            elif axis or name in self.varying:
                return None, f"the index depends on {name.partition('#')[0].lstrip('@')} in a way only the data decides"
        size *= width
        offsets = tuple(range(0, BANK_BYTES, size)) if size in (1, 2) else (0,)
        return block_degree(strides, self.block, size, offsets), ""


def _variables(
    body: Stmt, definitions: Mapping[str, Expr], varying: frozenset[str]
) -> Iterator[tuple[str, Polynomial]]:
    """Loop variables in thread positions; how often a loop has run is the same for the lanes of a warp.

    A first value that is no polynomial stands for itself, unless it is ``varying`` between them.
    """
    for number, node in enumerate(walk(body)):
        loop = node.loop if isinstance(node, ParallelFor) else canonical_loop(node) if isinstance(node, For) else ""
        if not isinstance(loop, CanonicalLoop):
            continue
        first = index_polynomial(loop.first, definitions)
        if first is None and used_variables(loop.first) & varying:
            continue
        if first is None:
            first = Polynomial.symbol(f"@first.{number}")
        start = first + loop.step * Polynomial.symbol(f"@round.{number}")
        if isinstance(node, ParallelFor) and node.block:
            start = start + loop.step * Polynomial.symbol(f"@thread.{node.block}")
        yield loop.variable, start


def _linear(indices: Sequence[Polynomial], extents: Sequence[int]) -> Polynomial:
    """The position in a row-major array."""
    place = Polynomial()
    for index, extent in zip(indices, extents, strict=True):
        place = place * extent + index
    return place


def _distinct(conflicts: Iterator[Conflict] | list[Conflict]) -> tuple[Conflict, ...]:
    return tuple(dict.fromkeys(conflicts))
