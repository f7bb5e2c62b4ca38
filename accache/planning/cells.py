"""Which cells of shared memory a thread keeps to itself.

Lane t of a block of T threads has, in every statement with the *pattern* (g, u), only the cells
g*(t + T*m) + u for whole m. No two lanes share one, so statements with the same pattern pass no data
between threads: a fetch gives lane t the cells t + T*m (pattern (1, 0)), and so does
``for (k = threadIdx.x; k < 64; k += T) bins[k] = 0;``.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TypeAlias

from accache.analysis.affine import index_polynomial
from accache.analysis.canonical import constant
from accache.analysis.places import Definitions, subscripts_of
from accache.analysis.walk import children
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.simt import Formula, ParallelFor, SharedArray, Tile, TileAccess
from accache.ir.tree import Expr, Stmt, Subscript, Variable
from accache.ir.types import Array, resolve

Pattern: TypeAlias = tuple[int, Polynomial]
Cells: TypeAlias = frozenset[tuple[str, Pattern]]
NO_CELLS: Cells = frozenset()
COPIED: Pattern = (1, ZERO)
"""The pattern of a fetch or write-back that a block does together."""


class CellReader:
    """Reads the patterns of a kernel's statements; ``lasting`` are names that keep one value, the same for all."""

    def __init__(self, block: tuple[int, int, int], lasting: frozenset[str], definitions: Definitions) -> None:
        strides = (1, block[0], block[0] * block[1])
        axes = [(f"@thread.{axis}", extent, stride) for axis, extent, stride in zip("xyz", block, strides, strict=True)]
        self.threads = prod(block)
        self.lasting = lasting
        self.definitions = definitions
        self.lane = Polynomial.of(((name,), stride) for name, extent, stride in axes if extent > 1)
        self.still = {name: ZERO for name, extent, _ in axes if extent == 1}

    def cells(self, stmt: Stmt | Expr, shared: Mapping[str, SharedArray], loop: ParallelFor | None = None) -> Cells:
        """The shared arrays and tiles of a statement all of whose references have one pattern.

        ``loop`` is the loop whose iterations the threads stride over, the statement its body.
        """
        values = self._strided(loop)
        found: dict[str, Pattern | None] = {}
        pending: list[Stmt | Expr] = [stmt]
        while pending:
            node = pending.pop()
            name, index = self._reference(node, shared)
            if name:
                pattern = None if index is None else self._pattern(index.substitute(values))
                found[name] = pattern if found.setdefault(name, pattern) == pattern else None
            pending += self._inside(node, name)
        return frozenset((name, pattern) for name, pattern in found.items() if pattern is not None)

    def _strided(self, loop: ParallelFor | None) -> dict[str, Polynomial]:
        """The variable of a loop in terms of the lane, up to multiples of what all threads together advance."""
        if loop is None or not loop.block or loop.threads != self.threads:
            return {}
        first = index_polynomial(loop.loop.first, self.definitions)
        if first is None:
            return {}
        return {loop.loop.variable: first + loop.loop.step * Polynomial.symbol(f"@thread.{loop.block}")}

    def _reference(self, node: Stmt | Expr, shared: Mapping[str, SharedArray]) -> tuple[str, Polynomial | None]:
        """The shared memory a node refers to ('' for none), and the number of the cell; None if it is not known."""
        if isinstance(node, TileAccess) and node.tile.scope == "block":
            positions = [part.polynomial if isinstance(part, Formula) else None for part in node.positions]
            return node.tile.name, _number(positions, _extents_of(node.tile))
        if isinstance(node, Subscript):
            base, subscripts = subscripts_of(node)
            if isinstance(base, Variable) and base.name in shared:
                indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
                return base.name, _number(indices, _extents(shared[base.name]))
        if isinstance(node, Variable) and node.name in shared:
            return node.name, None
        return "", None

    def _inside(self, node: Stmt | Expr, name: str) -> list[Stmt | Expr]:
        """What of a node is still to be looked at: of a reference its indices, not the array again."""
        if not name:
            return list(children(node))
        if isinstance(node, TileAccess):
            return [*node.positions, *children(node.original)]
        return list(subscripts_of(node)[1]) if isinstance(node, Subscript) else []

    def _pattern(self, cell: Polynomial) -> Pattern | None:
        """The pattern of a cell number that is written in thread positions."""
        cell = cell.substitute(self.still)
        first = next((name for name in self.lane.names), "")
        rate, stride = cell.coefficient(first), self.lane.coefficient(first)
        if not first or rate is None or stride is None or not rate.constant_value or not stride.constant_value:
            return None
        scale, rest = divmod(rate.constant_value, stride.constant_value)
        offset = cell - scale * self.lane
        if rest or not offset.names <= self.lasting:
            return None
        wrapped = offset.constant_term % (scale * self.threads)
        return scale, offset - offset.constant_term + wrapped


def _number(indices: list[Polynomial | None], extents: tuple[int, ...]) -> Polynomial | None:
    """The number of a cell in an array of these extents."""
    if len(indices) != len(extents):
        return None
    total = ZERO
    for index, extent in zip(indices, extents, strict=True):
        if index is None:
            return None
        total = total * extent + index
    return total


def _extents_of(tile: Tile) -> tuple[int, ...]:
    return tuple(dimension.extent for dimension in tile.dimensions)


def _extents(array: SharedArray) -> tuple[int, ...]:
    """The lengths of a gang-local array's dimensions."""
    lengths = []
    plain = resolve(array.type)
    while isinstance(plain, Array):
        lengths.append(constant(plain.length) or 0)
        plain = resolve(plain.element)
    return tuple(lengths)
