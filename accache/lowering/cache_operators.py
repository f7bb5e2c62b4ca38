"""Loads of global memory that do with L1 something else than loads usually do, as calls of functions.

Before: ``sum += a[i]``. After: ``sum += __ldcg(&a[i])``.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.base.choices import BypassMode
from accache.ir.builtins import LOADS_PAST_L1
from accache.ir.kernels.simt import BlockReduce, Fetch, LoadBy, StorePartials, WriteBack
from accache.ir.kernels.tiles import TileAccess
from accache.ir.names import user_name
from accache.ir.tree import STEPPING, Assign, Atomic, Binary, Expr, For, Member, Stmt, Subscript, Unary, Variable, While
from accache.ir.types import Arithmetic, Array, is_volatile, promoted, resolve, unqualified
from accache.ir.walk import assigned_variables, declared_variables, map_children, used_variables
from accache.lowering.lowered import LoweredKernel

_KEPT = (Atomic, BlockReduce, Fetch, StorePartials, WriteBack)
"""Statements that are printed otherwise than as the expressions in them."""
_LOADED = frozenset({"short", "int", "long", "long long", "float", "double"})


class CacheOperators(Struct, frozen=True):
    """The loads of a ``kernel`` that are done in another way: the line of their statement, and the array's name.

    Line 0 stands for all lines.
    """

    kernel: str
    loads: frozenset[tuple[int, str]]
    mode: BypassMode


class Operated(Struct, frozen=True):
    """What became of the loads: those of them ``found``, and the lines and arrays of loads that were ``kept``."""

    found: frozenset[tuple[int, str]] = frozenset()
    kept: frozenset[tuple[int, str]] = frozenset()


def with_operators(kernel: LoweredKernel, wanted: CacheOperators) -> tuple[LoweredKernel, Operated]:
    """A kernel with such loads, and what became of them; what compilers move out of loops stays."""
    loading = _Loading(wanted, kernel.written, frozenset(item.name for item in kernel.in_memory))
    body = map_children(kernel.body, loading.part)
    return replace(kernel, body=body), Operated(frozenset(loading.found), frozenset(loading.kept))


class _Loading(Struct):
    """Puts calls in the place of loads from ``memory``; ``line`` is that of the statement at hand."""

    wanted: CacheOperators
    written: frozenset[str]
    memory: frozenset[str]
    line: int = 0
    loops: list[For | While] = field(default_factory=list)
    found: set[tuple[int, str]] = field(default_factory=set)
    kept: set[tuple[int, str]] = field(default_factory=set)

    def part(self, node: Expr | Stmt) -> Expr | Stmt:
        """A statement, or an expression that is read."""
        if isinstance(node, _KEPT):
            return node
        if isinstance(node, Expr):
            return self.value(node)
        outer, self.line = self.line, node.location.line
        inside = [node] if isinstance(node, (For, While)) else []
        self.loops += inside
        changed = map_children(node, self.part)
        del self.loops[len(self.loops) - len(inside) :]
        self.line = outer
        return changed

    def value(self, node: Expr) -> Expr:
        """An expression that is read."""
        if isinstance(node, Assign):
            if node.op != "=" and self.is_wanted(node.target) and not has_effect(node.target):
                common = promoted(node.target.type, node.value.type)
                node = replace(node, op="=", value=Binary(common, node.location, node.op[:-1], node.target, node.value))
            return replace(node, target=self.place(node.target), value=self.value(node.value))
        if isinstance(node, Unary) and node.op in (*STEPPING, "&"):
            return replace(node, operand=self.place(node.operand))
        if not isinstance(resolve(node.type), Array) and self.is_wanted(node):
            function = LOADS_PAST_L1[self.wanted.mode]
            return LoadBy(unqualified(node.type), node.location, function, self.place(node))
        return node if isinstance(node, TileAccess) else map_children(node, self.part)

    def place(self, node: Expr) -> Expr:
        """An expression that says where something lies: only what its indices and pointers are is read."""
        if isinstance(node, Subscript):
            return replace(node, base=self.place(node.base), index=self.value(node.index))
        if isinstance(node, Member) and not node.arrow:
            return replace(node, base=self.place(node.base))
        return node if isinstance(node, TileAccess) else map_children(node, self.part)

    def is_wanted(self, node: Expr) -> bool:
        """Whether a place is to be loaded in another way; notes it as found, or what cannot be as kept."""
        name = _memory(node)
        shown = user_name(name)
        load = next((load for load in ((self.line, shown), (0, shown)) if load in self.wanted.loads), None)
        if load is None or name not in self.memory:
            return False
        plain = resolve(node.type)
        can_be = isinstance(plain, Arithmetic) and plain.name in _LOADED and not is_volatile(node.type)
        is_field = isinstance(node, Member) and node.bits is not None
        if not can_be or is_field or (name not in self.written and self.stands_still(node)):
            self.kept.add((self.line, shown))
            return False
        self.found.add(load)
        return True

    def stands_still(self, node: Expr) -> bool:
        """Whether a loop around has the same place in all its iterations."""
        if not self.loops:
            return False
        loop = self.loops[-1]
        return not used_variables(node) & (assigned_variables(loop) | declared_variables(loop))


def _memory(node: Expr) -> str:
    """The variable through which an element or a member is reached; empty for other expressions."""
    base = node
    while isinstance(base, (Subscript, Member)):
        base = base.base
    return base.name if base is not node and isinstance(base, Variable) else ""
