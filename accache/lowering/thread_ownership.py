"""Which cells of an array or tile a thread keeps to itself.

Lane t of a block of T threads has, in every statement with the *pattern* (g, u), only the cells
g*(t + T*m) + u for whole m. No two lanes share one, so statements with the same pattern pass no data
between threads: a fetch gives lane t the cells t + T*m (pattern (1, 0)), and so does
``for (k = threadIdx.x; k < 64; k += T) bins[k] = 0;``. Those of ``row[i*n + k]`` are (1, i*n) in one round of a
loop over i that all threads take together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from accache.analysis.loop_context import Definitions, subscripts_of
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CacheRegion, Fetch, Formula, ParallelFor, SharedArray, WriteBack
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.tree import Expr, Stmt, Subscript, Variable
from accache.ir.types import Array, CType, element_type, resolve
from accache.ir.walk import children

Pattern: TypeAlias = tuple[int, Polynomial]
Cells: TypeAlias = frozenset[tuple[str, Pattern]]
NO_CELLS: Cells = frozenset()
COPIED: Pattern = (1, ZERO)
"""The pattern of a fetch or write-back that a block does together."""


class CellReader:
    """Reads the patterns of a kernel's statements; ``lasting`` are names that keep one value, the same for all.

    These may be arrays, too, whose cells are numbered from where the name leads.
    """

    def __init__(self, block: tuple[int, int, int], lasting: frozenset[str], definitions: Definitions) -> None:
        strides = (1, block[0], block[0] * block[1])
        axes = [(f"@thread.{axis}", extent, stride) for axis, extent, stride in zip("xyz", block, strides, strict=True)]
        self.threads = prod(block)
        self.lasting = lasting
        self.definitions = definitions
        self.lane = Polynomial.of(((name,), stride) for name, extent, stride in axes if extent > 1)
        self.still = {name: ZERO for name, extent, _ in axes if extent == 1}

    def cells(
        self,
        stmt: Stmt | Expr,
        shared: Mapping[str, SharedArray],
        rounds: Mapping[str, str],
        loop: ParallelFor | None = None,
    ) -> Cells:
        """The arrays and tiles of a statement all of whose references have one pattern.

        ``loop`` is the loop whose iterations the threads stride over, the statement its body; ``rounds`` has a name for
        the value that the variable of each loop around has in a round.
        """
        values = self._strided(loop) | {name: Polynomial.symbol(value) for name, value in rounds.items()}
        still = self.lasting | frozenset(rounds.values())
        found: dict[str, Pattern | None] = {}
        pending: list[Stmt | Expr] = [stmt]
        while pending:
            node = pending.pop()
            found |= dict.fromkeys(_copied(node))
            name, index = self._reference(node, shared)
            if name:
                pattern = None if index is None else self._pattern(index.substitute(values), still)
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
        """The memory a node refers to ('' for none), and the number of the cell; None if it is not known."""
        if isinstance(node, TileAccess) and node.tile.scope == "block":
            positions = [part.polynomial if isinstance(part, Formula) else None for part in node.positions]
            return node.tile.name, _number(positions, _extents_of(node.tile))
        if isinstance(node, Subscript):
            base, subscripts = subscripts_of(node)
            if isinstance(base, Variable) and (base.name in shared or self._is_array(base)):
                indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
                ctype = shared[base.name].type if base.name in shared else base.type
                return base.name, _number(indices, self._extents(ctype))
        if isinstance(node, Variable) and (node.name in shared or self._is_array(node)):
            return node.name, None
        return "", None

    def _is_array(self, variable: Variable) -> bool:
        return variable.name in self.lasting and element_type(variable.type) is not None

    def _extents(self, ctype: CType) -> list[Polynomial | None]:
        """The lengths of an array's dimensions, the first of which does not matter."""
        lengths: list[Polynomial | None] = [ZERO]
        element = element_type(ctype)
        while element is not None and isinstance(row := resolve(element), Array):
            lengths.append(None if row.length is None else index_polynomial(row.length, self.definitions))
            element = row.element
        return lengths

    def _inside(self, node: Stmt | Expr, name: str) -> list[Stmt | Expr]:
        """What of a node is still to be looked at: of a reference its indices, not the array again."""
        if not name:
            return list(children(node))
        if isinstance(node, TileAccess):
            return [*node.positions, *children(node.original)]
        return list(subscripts_of(node)[1]) if isinstance(node, Subscript) else []

    def _pattern(self, cell: Polynomial, still: frozenset[str]) -> Pattern | None:
        """The pattern of a cell number that is written in thread positions and names whose values stay."""
        cell = cell.substitute(self.still)
        first = next((name for name in self.lane.names), "")
        rate, stride = cell.coefficient(first), self.lane.coefficient(first)
        if not first or rate is None or stride is None or not rate.constant_value or not stride.constant_value:
            return None
        scale, rest = divmod(rate.constant_value, stride.constant_value)
        offset = cell - scale * self.lane
        if rest or not offset.names <= still:
            return None
        wrapped = offset.constant_term % (scale * self.threads)
        return scale, offset - offset.constant_term + wrapped


def _copied(node: Stmt | Expr) -> list[str]:
    """The arrays of tiles in a statement: whoever has a tile may touch any cells of them."""
    if isinstance(node, TileAccess):
        return [node.tile.array]
    return [tile.array for tile in node.tiles] if isinstance(node, (CacheRegion, Fetch, WriteBack)) else []


def _number(indices: list[Polynomial | None], extents: Sequence[Polynomial | int | None]) -> Polynomial | None:
    """The number of a cell in an array of these extents."""
    if len(indices) != len(extents):
        return None
    total = ZERO
    for index, extent in zip(indices, extents, strict=True):
        if index is None or extent is None:
            return None
        total = total * extent + index
    return total


def _extents_of(tile: Tile) -> tuple[int, ...]:
    return tile.range.extents
