"""A kernels region's statements: each becomes a kernel, and some may be run by several gangs.

Blocks cannot wait for each other, and what stands around a loop over gangs is run by each of them. So it may
neither change anything, nor use what the loop changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec.structs import replace

from accache.analysis.aliasing import may_overlap_in
from accache.analysis.calls import collective_calls, has_effect
from accache.analysis.canonical import canonical_loop
from accache.analysis.uniformity import written_arrays
from accache.base.diagnostics import Reporter
from accache.ir.arrays import extents
from accache.ir.build import negated
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.regions import DataClause, FreeVariable, Region, Subarray
from accache.ir.tree import (
    Block,
    Cache,
    Call,
    Declare,
    Empty,
    Evaluate,
    Expr,
    For,
    If,
    InitList,
    Stmt,
    Variable,
    While,
)
from accache.ir.types import Pointer, assignable, element_type, is_array, resolve
from accache.ir.walk import assigned_variables, declared_variables, named_by_directives, nodes_of, used_variables, walk
from accache.mapping.data.data_model import memory_variables
from accache.mapping.data.elements import assigned, initial_value, initialised


def kernels_pieces(region: Region, reporter: Reporter) -> list[Stmt]:
    """The statements of a kernels region that become kernels of their own, each with the variables it needs.

    Of a region with nothing to do the whole body is one, as a parallel region's is.

    Reports variables that several need, or whose values another kernel changes before (ACC305), and pointers of the
    host that are moved for more than one kernel (ACC301).
    """
    body = _innermost(region.body)
    items = _items(body, region)
    if not isinstance(body, Block) and len(items) == 1:
        _refuse_moved_pointers([body], region, reporter)
        return [body]
    needed = _needed_by_pieces(items)
    pieces: list[Stmt] = []
    for declare, reason in _obstacles(items, region).items():
        reporter.report("ACC305", declare.location, name=user_name(declare.name), reason=reason)
    for position, declares in needed.items():
        item = items[position]
        pieces.append(Block(item.location, (*declares, item)) if declares else item)
    _refuse_moved_pointers(pieces, region, reporter)
    return pieces or [body]


def with_locals_in_front(region: Region) -> Region:
    """A kernels region whose variables that several kernels share live in device memory, as if declared in front.

    Before: ``{ float s = a[0]; for (...) a[i] = s; for (...) b[i] = s; }``. After: ``s`` is one of the region's
    ``locals``, and ``s = a[0]`` the first kernel's statement.
    """
    body = _innermost(region.body)
    if region.kind != "kernels" or not isinstance(body, Block):
        return region
    taken = {user_name(item.name) for item in region.variables}
    found = (item for item in _obstacles(_items(body, region), region) if user_name(item.name) not in taken)
    moved = next((item for item in found if _first_values(item) is not None), None)
    if moved is None:
        return region
    values = _first_values(moved) or ()
    items = tuple(part for item in body.items for part in (values if item is moved else (item,)))
    free = FreeVariable(moved.name, assignable(moved.type))
    place = Variable(free.type, moved.location, moved.name)
    created = DataClause("create", Subarray(place, user_name(moved.name), (), moved.location), moved.location)
    return with_locals_in_front(
        replace(
            region,
            body=replace(body, items=items),
            data=(*region.data, created),
            variables=(*region.variables, free),
            locals=(*region.locals, replace(moved, type=free.type, init=None)),
        )
    )


def _first_values(declare: Declare) -> tuple[Stmt, ...] | None:
    """The statements that give a variable its first value; None if it has to be declared where it stands."""
    ctype = assignable(declare.type)
    place, init = Variable(ctype, declare.location, declare.name), declare.init
    if declare.static or isinstance(resolve(ctype), Pointer) or (is_array(ctype) and not extents(ctype)):
        return None
    if init is None:
        return ()
    if not is_array(ctype):
        return (assigned(place, initial_value(place, init)),)
    return initialised(place, init) if isinstance(init, InitList) else None


def _innermost(body: Stmt) -> Stmt:
    """A statement without blocks of its own around it."""
    while isinstance(body, Block) and len(body.items) == 1:
        body = body.items[0]
    return body


def _items(body: Stmt, region: Region) -> list[Stmt]:
    """The statements of a region that become kernels, or that kernels need."""
    items = body.items if isinstance(body, Block) else (body,)
    shared = frozenset(item.name for item in items if isinstance(item, Declare))
    parts = (part for item in items for part in _branches(item, shared, region))
    return _together(item for item in parts if not isinstance(item, Empty))


def _branches(stmt: Stmt, shared: frozenset[str], region: Region) -> list[Stmt]:
    """The branches of an ``if`` with loops, each under its condition alone: only one may have loops over gangs.

    Before: ``if (c) for (...) ... else a[0] = 1;``. After: ``if (c) for (...) ...`` and ``if (!c) a[0] = 1;``. Not
    where a branch changes what the condition uses, or a variable ``shared`` by the region's statements.
    """
    inner = _innermost(stmt)
    if not isinstance(inner, If) or inner.otherwise is None or _is_plain(inner):
        return [stmt]
    asked = inner.condition
    branches = [inner.then, inner.otherwise]
    may_differ = any(nodes_of(asked, Call)) or not _independent([asked], branches, region)
    if may_differ or assigned_variables(inner) & shared:
        return [stmt]
    parts: list[Stmt] = []
    for condition, branch in zip((asked, negated(asked)), branches, strict=True):
        parts += [If(inner.location, condition, part) for part in _branches(branch, shared, region)]
    return parts


def _needed_by_pieces(items: Sequence[Stmt]) -> dict[int, list[Declare]]:
    """The declarations that each statement needs that becomes a kernel, by its position."""
    return {position: _needed(items[: position + 1]) for position, item in enumerate(items) if _is_piece(item, items)}


def _obstacles(items: Sequence[Stmt], region: Region) -> dict[Declare, str]:
    """Reasons variables cannot be computed in each kernel that needs them."""
    needed = _needed_by_pieces(items)
    found: dict[Declare, str] = {}
    for position, declare in ((position, declare) for position, each in needed.items() for declare in each):
        users = sum(declare in others for others in needed.values())
        between = [other for other in items[items.index(declare) : position] if not isinstance(other, Declare)]
        if users > 1 and not _counts_with(items[position], declare.name) and not _keeps_its_value(declare, items):
            found[declare] = "one kernel changes it, and another one uses it"
        elif declare.init is not None and between and not _independent([declare.init], between, region):
            found[declare] = "another one changes what its value comes from"
    return found


def _together(items: Iterable[Stmt]) -> list[Stmt]:
    """The statements of a region; neighbours without loops or declarations are one, for one thread does them all."""
    found: list[Stmt] = []
    for is_plain, run in groupby(items, _is_plain):
        some = tuple(run)
        found += [Block(some[0].location, some)] if is_plain and len(some) > 1 else some
    return found


def _is_plain(item: Stmt) -> bool:
    """Whether a statement has neither loops, not even in routines that share them out, nor declarations."""
    has_own = any(isinstance(node, (Declare, For, While, Cache)) for node in walk(item))
    return not has_own and not any(collective_calls(item))


def _refuse_moved_pointers(pieces: Sequence[Stmt], region: Region, reporter: Reporter) -> None:
    """Report pointers that one kernel moves and a later one, or the host behind the region, uses as they are then."""
    pointers = [item for item in region.variables if isinstance(resolve(item.type), Pointer)]
    for position, piece in enumerate(pieces):
        moved = assigned_variables(piece) - _private(piece)
        for pointer in (item for item in pointers if item.name in moved):
            later = (other for other in pieces[position + 1 :] if pointer.name not in assigned_variables(other))
            if pointer.is_live or any(pointer.name in used_variables(other) for other in later):
                name = user_name(pointer.name)
                construct = f"moving the pointer '{name}' for what comes after this statement"
                reporter.report("ACC301", piece.location, construct=construct)


def _private(piece: Stmt) -> frozenset[str]:
    """The variables that loops have for themselves."""
    specs = (node.loop for node in nodes_of(piece, For) if node.loop is not None)
    return frozenset(item.name for spec in specs for item in spec.private)


def _is_piece(item: Stmt, items: Sequence[Stmt]) -> bool:
    """Whether a statement is run for its own sake: all but variables that others use, or that nobody misses."""
    if not isinstance(item, Declare):
        return True
    used = any(item.name in _named_in(other) for other in items if other is not item)
    return not used and item.init is not None and bool(_changed(item.init))


def _needed(items: Sequence[Stmt]) -> list[Declare]:
    """The declarations among statements that the last one needs, directly or not, in their order."""
    names = set(_named_in(items[-1]))
    found: list[Declare] = []
    for item in reversed(items[:-1]):
        if isinstance(item, Declare) and item.name in names:
            names |= used_variables(item)
            found.insert(0, item)
    return found


def _named_in(stmt: Stmt) -> frozenset[str]:
    """The variables that a statement uses, those of cache directives in it with them."""
    return used_variables(stmt) | named_by_directives(stmt)


def _keeps_its_value(declare: Declare, items: Sequence[Stmt]) -> bool:
    """Whether a variable has its initial value wherever it is used, so that each kernel may compute it anew."""
    if declare.init is None or is_array(declare.type) or has_effect(declare.init):
        return False
    return not any(declare.name in assigned_variables(item) for item in items)


def _counts_with(stmt: Stmt, name: str) -> bool:
    """Whether a loop in a statement begins by giving a variable its value."""
    loops = (canonical_loop(node) for node in nodes_of(stmt, For))
    return any(isinstance(loop, CanonicalLoop) and loop.variable == name for loop in loops)


def may_spread_over_gangs(stmt: Stmt, region: Region) -> bool:
    """Whether loops right below a statement may be spread over gangs."""
    if isinstance(stmt, Block):
        items = [item for item in stmt.items if not isinstance(item, Empty)]
        around, last = items[:-1], items[-1:]
        return all(isinstance(item, Declare) for item in around) and _independent(around, last, region)
    if isinstance(stmt, If):  # all gangs would run the other branch, too
        return stmt.otherwise is None and _independent([stmt.condition], [stmt.then], region)
    return isinstance(stmt, (Cache, Evaluate, Declare, For))


def _independent(around: Sequence[Stmt | Expr], inside: Sequence[Stmt], region: Region) -> bool:
    """Whether what stands around some statements changes nothing and uses nothing that they change."""
    used, changes = _union(map(used_variables, around)), _union(map(_changed, around))
    own = _union(map(declared_variables, (*around, *inside)))
    changed = _union(map(_changed, inside)) - own
    memory = memory_variables(region)  # of other scalars kernels get the values
    free = {item.name: item for item in region.variables if element_type(item.type) is not None or item.name in memory}
    pairs = ((free[first], free[second]) for first in used & free.keys() for second in changed & free.keys())
    meets = any(may_overlap_in(region, first, second) for first, second in pairs)
    return not changes and not used & changed and not meets


def _changed(node: Stmt | Expr) -> frozenset[str]:
    """The variables that a statement or expression assigns, or changes elements of."""
    stmt = node if isinstance(node, Stmt) else Evaluate(node.location, node)
    return written_arrays(stmt) | assigned_variables(stmt)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)
