"""Variables of the host that loops of a construct use for themselves: each iteration gets one of its own.

Before: ``double t; ... for (...) { t = a[i]; b[i] = t; }`` where nobody reads ``t`` behind it. After:
``for (...) { double t#own1 = a[i]; b[i] = t#own1; }``. Iterations of one loop, all writing one ``t``, could not run at
once; and a gang's copy of the host's ``t`` would be a parameter that nobody reads.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.exposed import exposure
from accache.ir.arrays import is_variable_length, lengths
from accache.ir.openacc.regions import FreeVariable, LoopSpec, Region
from accache.ir.tree import Block, Cache, Declare, Evaluate, Expr, For, If, SizeOf, Stmt, Unary, While
from accache.ir.types import Arithmetic, CType, Pointer, element_type, is_number, resolve, unqualified
from accache.ir.walk import (
    assigned_variables,
    declared_variables,
    nodes_of,
    place_variable,
    rewrite,
    used_variables,
    walk,
)
from accache.mapping.data.data_model import is_used_beside_private, memory_variables
from accache.mapping.data.first_values import declaring
from accache.mapping.data.renaming import Successor, renamed


def with_own_temporaries(region: Region) -> Stmt:
    """A region's body whose loops have their own of the scalars and structures that they write before they read them.

    Those are variables that no clause names, and that the function does not read behind the construct, or of which
    gangs have copies; and those that a kernels construct declares.
    """
    body = region.body
    for name, ctype in (*_candidates(region), *_locals(region)):
        if _is_in_expression(body, name) or _is_in_type(body, name) or name not in assigned_variables(body):
            continue
        owning = _Owning(name, ctype)
        body = owning.statement(body, False)
        if _is_copied(ctype, region):
            body = owning.gang(body)
        if owning.count and name not in used_variables(body):
            body = _undeclared(body, name)
    return body


def _undeclared(body: Stmt, name: str) -> Stmt:
    """A body without the declaration of a variable that it does not use any more."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Block):
            return node
        return replace(node, items=tuple(item for item in node.items if not _declares(item, name)))

    result = rewrite(body, change)
    assert isinstance(result, Stmt)
    return result


def _declares(item: Stmt, name: str) -> bool:
    return isinstance(item, Declare) and item.name == name and item.init is None


def _candidates(region: Region) -> list[tuple[str, CType]]:
    named = {clause.subarray.variable for clause in (*region.enclosing_data, *region.data)}
    named |= {item.name for item in (*region.private, *region.firstprivate)}
    named |= {item.target for item in region.reductions}
    taken = named | _addressed(region.body)
    candidates = [item for item in region.variables if item.name not in taken and not _is_volatile(item.type)]
    return [(item.name, item.type) for item in candidates if _is_for_region_alone(item, region)]


def _is_for_region_alone(item: FreeVariable, region: Region) -> bool:
    """Whether nobody behind a region sees what becomes of a variable in it."""
    if item.may_be_read_behind:
        specs = [node.loop for node in nodes_of(region.body, For) if node.loop is not None]
        return _is_copied(item.type, region) and not any(_names(spec, item.name) for spec in specs)
    is_pointer = isinstance(resolve(item.type), Pointer) and not is_variable_length(item.type)
    return is_pointer or _is_copied(item.type, region) or item.name in memory_variables(region)


def _is_copied(ctype: CType, region: Region) -> bool:
    """Whether each gang has a copy of a scalar of a type that no clause names."""
    return region.kind != "kernels" and is_number(ctype)


def _names(spec: LoopSpec, name: str) -> bool:
    """Whether a loop's directive says whose a variable is."""
    return name in {item.name for item in spec.private} | {item.variable for item in spec.reductions}


def _is_in_expression(stmt: Stmt, name: str) -> bool:
    """Whether a loop's directive computes with a variable: a length, or where the part of an array begins."""
    specs = [node.loop for node in nodes_of(stmt, For) if node.loop is not None]
    parts = [item.subarray for spec in specs for item in (*spec.private, *spec.reductions) if item.subarray is not None]
    found: list[Expr | None] = [size for spec in specs for _, size in spec.sizes]
    found += [bound for part in parts for dimension in part.dimensions for bound in (dimension.lower, dimension.length)]
    return any(expr is not None and name in used_variables(expr) for expr in found)


def _is_in_type(stmt: Stmt, name: str) -> bool:
    """Whether types tell lengths by a variable, which is read wherever they stand."""
    for node in walk(stmt):
        if isinstance(node, SizeOf) and name in used_variables(node):
            return True
        ctype = node.of if isinstance(node, SizeOf) else node.type if isinstance(node, (Expr, Declare)) else None
        if ctype is not None and any(name in used_variables(length) for length in lengths(ctype)):
            return True
    return False


def _locals(region: Region) -> list[tuple[str, CType]]:
    """The variables that a kernels construct declares around its loops."""
    if region.kind != "kernels":
        return []
    body, addressed = region.body, _addressed(region.body)
    inside = _used_by_loops(body)
    return [
        (item.name, item.type)
        for item in walk(body)
        if isinstance(item, Declare) and element_type(item.type) is None and item.name not in addressed
        if not _is_volatile(item.type) and item.name in inside
    ]


def _used_by_loops(body: Stmt) -> frozenset[str]:
    """The variables that loops use and do not declare."""
    loops = nodes_of(body, For)
    return frozenset(name for loop in loops for name in used_variables(loop) - declared_variables(loop))


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
        if self.name in declared_variables(loop.body):
            return replace(loop, body=self.statement(loop.body, False))
        is_read = exposure(loop.body, self.name).reads
        heads = (*loop.init, *(Evaluate(loop.location, part) for part in (loop.condition, loop.step) if part))
        in_head = any(self.name in used_variables(part) for part in heads) or (
            loop.loop is not None and _names(loop.loop, self.name)
        )
        body = self.statement(loop.body, live or is_read or in_head)
        if live or is_read or in_head or not is_used_beside_private(body, self.name):
            return replace(loop, body=body)
        return replace(loop, body=self._owned(body))

    def gang(self, body: Stmt) -> Stmt:
        """What each gang runs, which gets its own if it writes before it reads, and no loop's directive names it."""
        specs = (node.loop for node in nodes_of(body, For) if node.loop is not None)
        if not isinstance(body, Block) or not is_used_beside_private(body, self.name):
            return body
        if exposure(body, self.name).reads or any(_names(spec, self.name) for spec in specs):
            return body
        return self._owned(body)

    def _owned(self, body: Stmt) -> Block:
        self.count += 1
        name, ctype = f"{self.name}#own{self.count}", unqualified(self.type)
        return declaring(renamed(body, {self.name: Successor(name, ctype)}), name, ctype)


def _addressed(stmt: Stmt) -> frozenset[str]:
    """The variables whose address is taken, or that of a part of them."""
    places = (node.operand for node in nodes_of(stmt, Unary) if node.op == "&")
    return frozenset(name for place in places if (name := place_variable(place)) is not None)


def _is_volatile(ctype: CType) -> bool:
    plain = resolve(ctype)
    return isinstance(plain, Arithmetic) and plain.volatile
