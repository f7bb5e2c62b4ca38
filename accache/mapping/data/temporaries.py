"""Variables of the host that loops of a construct use for themselves: each iteration gets one of its own.

Before: ``double t; ... for (...) { t = a[i]; b[i] = t; }`` where nobody reads ``t`` behind it. After:
``for (...) { double t#own1; t#own1 = a[i]; b[i] = t#own1; }``. Iterations of one loop, all writing one ``t``, could not
run at once.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.exposed import exposure
from accache.ir.openacc.regions import Region
from accache.ir.tree import Block, Cache, Declare, Evaluate, For, If, Stmt, Unary, While
from accache.ir.types import Arithmetic, CType, element_type, resolve, unqualified
from accache.ir.walk import items_of, used_variables, walk
from accache.mapping.data.data_model import memory_variables
from accache.mapping.data.renaming import Successor, renamed


def with_own_temporaries(region: Region) -> Stmt:
    """A region's body whose loops have their own of the scalars and structures that they write before they read them.

    Those are variables that no clause names, that the function does not read behind the construct, and that cannot
    be present on the device; and those that a kernels construct declares.
    """
    body = region.body
    for name, ctype in (*_candidates(region), *_locals(region)):
        body = _Owning(name, ctype).statement(body, False)
    return body


def _candidates(region: Region) -> list[tuple[str, CType]]:
    clauses = {clause.subarray.variable for clause in (*region.enclosing_data, *region.data)}
    memory = memory_variables(region) - clauses
    addressed = _addressed(region.body)
    return [
        (item.name, item.type)
        for item in region.variables
        if item.name in memory - addressed and not (item.may_be_read_behind or _is_volatile(item.type))
    ]


def _locals(region: Region) -> list[tuple[str, CType]]:
    """The variables that a kernels construct declares for several of its kernels."""
    body = region.body
    while isinstance(body, Block) and len(body.items) == 1:
        body = body.items[0]
    items = body.items if isinstance(body, Block) and region.kind == "kernels" else ()
    addressed = _addressed(region.body)
    return [
        (item.name, item.type)
        for item in items
        if isinstance(item, Declare) and element_type(item.type) is None and item.name not in addressed
        if not _is_volatile(item.type) and sum(item.name in used_variables(other) for other in items) > 1
    ]


class _Owning(Struct, dict=True):
    """Gives loops a variable of their own in the place of one of the host."""

    name: str
    type: CType
    count: int = 0

    def statement(self, stmt: Stmt, live: bool) -> Stmt:
        """A statement; ``live`` if the variable's value behind it may be read."""
        if self.name not in used_variables(stmt):
            return stmt
        if isinstance(stmt, Block):
            items: list[Stmt] = []
            for item in reversed(stmt.items):
                items.insert(0, self.statement(item, live))
                found = exposure(item, self.name)
                live = found.reads or (live and not found.writes)
            return replace(stmt, items=tuple(items))
        if isinstance(stmt, For):
            return self.loop(stmt, live)
        if isinstance(stmt, If):
            otherwise = self.statement(stmt.otherwise, live) if stmt.otherwise is not None else None
            return replace(stmt, then=self.statement(stmt.then, live), otherwise=otherwise)
        if isinstance(stmt, While):
            return replace(stmt, body=self.statement(stmt.body, live or exposure(stmt, self.name).reads))
        return replace(stmt, body=self.statement(stmt.body, live)) if isinstance(stmt, Cache) else stmt

    def loop(self, loop: For, live: bool) -> For:
        """A loop, which gets its own if each iteration writes before it reads, and nobody reads behind the loop."""
        is_read = exposure(loop.body, self.name).reads
        heads = (*loop.init, *(Evaluate(loop.location, part) for part in (loop.condition, loop.step) if part))
        in_head = any(self.name in used_variables(part) for part in heads) or self._is_in_directive(loop)
        body = self.statement(loop.body, live or is_read or in_head)
        if live or is_read or in_head or self.name not in used_variables(body):
            return replace(loop, body=body)
        self.count += 1
        name = f"{self.name}#own{self.count}"
        ctype = unqualified(self.type)
        body = renamed(body, {self.name: Successor(name, ctype)})
        items = items_of(body)
        return replace(loop, body=Block(body.location, (Declare(loop.location, name, ctype, None), *items)))

    def _is_in_directive(self, loop: For) -> bool:
        """Whether the loop's directive says whose the variable is."""
        if loop.loop is None:
            return False
        private = {item.name for item in loop.loop.private}
        return self.name in private | {item.variable for item in loop.loop.reductions}


def _addressed(stmt: Stmt) -> frozenset[str]:
    """The variables in places whose address is taken, arrays in structures among them."""
    places = [node.operand for node in walk(stmt) if isinstance(node, Unary) and node.op == "&"]
    return frozenset(name for place in places for name in used_variables(place))


def _is_volatile(ctype: CType) -> bool:
    plain = resolve(ctype)
    return isinstance(plain, Arithmetic) and plain.volatile
