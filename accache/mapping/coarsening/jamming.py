"""The body of a thread with several iterations, made from that of one: unroll and jam.

What iterations have in common is done once: loops and conditions on which they agree, and values that do not differ.
What each does for itself stands in loops over a thread's iterations. A scalar that lives from one such loop to another
becomes an array with an element an iteration; values computed from indices alone are computed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import changes_residents
from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.loop_context import subscripts_of
from accache.analysis.uniformity import is_uniform, leaving_jumps, written_arrays
from accache.ir.arrays import extents, has_const_member, innermost
from accache.ir.build import BOOL, counting_type, number
from accache.ir.kernels.simt import CacheRegion, Formula
from accache.ir.names import PLACE, user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Binary,
    Block,
    Call,
    Declare,
    Expr,
    For,
    If,
    InitList,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import (
    Array,
    CType,
    Pointer,
    Record,
    as_const,
    holds_volatile,
    is_array,
    is_scalar,
    is_volatile,
    resolve,
    unqualified,
)
from accache.ir.walk import (
    assigned_variables,
    declared_variables,
    is_computed,
    items_of,
    nodes_of,
    rewrite,
    used_variables,
    walk,
)
from accache.mapping.coarsening.coarse_loops import CoarseLoop
from accache.mapping.coarsening.neighbour_stores import UNROLLED, neighbours_array, stores_neighbours
from accache.mapping.data.elements import assigned, initial_value, initialised

MOST_COPIES = 512
"""Where a thread's iterations are neighbours along x, so many copies of a loop's body at most: a window of what they
load then slides through registers."""


class _Group(Struct):
    """Statements that each iteration runs for itself, one iteration after the other."""

    items: list[Stmt]


class _Jammed(Struct):
    """A loop, a condition or a region that all iterations of a thread go through together, with what is in it."""

    stmt: For | If | CacheRegion
    parts: list[list[_Part]]


_Part = Stmt | _Group | _Jammed
"""What stands in the jammed body: a statement that is the same for all iterations, or one of the above."""


class Jam(Struct, dict=True):
    """Makes the body of a thread with several iterations from that of one."""

    loops: tuple[CoarseLoop, ...]
    body: Stmt
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.assigned = assigned_variables(self.body)
        declares = list(nodes_of(self.body, Declare))
        self.common = frozenset(used_variables(self.body) - {item.loop.loop.variable for item in self.loops})
        self.own = frozenset(item.name for item in declares)
        self.common -= self.own
        self.written = written_arrays(self.body)
        self.pointers = frozenset(item.name for item in declares if isinstance(resolve(item.type), Pointer))
        self.has_hidden_writes = changes_residents(self.body)
        self.values: dict[str, Declare] = {}

    def whole(self) -> Stmt | str:
        """What a thread with all its iterations does; or what forbids it."""
        parts = self.parts(items_of(self.body))
        expanded = _shared_by_groups(parts, frozenset(self.values))
        if any(_is_no_register(node, expanded) for node in walk(self.body)) or not self.are_unrolled(expanded):
            return "its iterations keep more than registers hold"
        if any(
            isinstance(node, CacheRegion) for group in _groups(parts) for item in group.items for node in walk(item)
        ):
            return "its iterations have tiles of their own"
        return Block(self.body.location, tuple(self.emitted(parts, expanded)))

    def parts(self, items: Iterable[Stmt]) -> list[_Part]:
        """Statements sorted into what iterations do each for themselves and what they have in common."""
        found: list[_Part] = []
        group: list[Stmt] = []
        for item in items:
            if isinstance(item, Declare) and self.is_loaded_alike(item):
                self.common |= {item.name}
                found.append(item)
                continue
            if isinstance(item, Declare) and self.is_value(item):
                assert item.init is not None
                if used_variables(item.init) <= self.common:
                    self.common |= {item.name}
                    found.append(item)
                else:
                    self.values[item.name] = item
                continue
            if isinstance(item, (For, If, CacheRegion)) and self.is_common(item):
                if group:
                    found.append(_Group(group))
                    group = []
                found.append(self.jammed(item))
                continue
            array = self.neighbours_array(item)
            if array and any(self.neighbours_array(other) == array for other in group):
                found.append(_Group(group))
                group = []
            group.append(item)
        return [*found, _Group(group)] if group else found

    def neighbours_array(self, stmt: Stmt) -> str:
        """The array of which neighbouring iterations of a thread store neighbouring elements in a statement; or ''."""
        variables = (item.loop.loop.variable for item in self.loops if item.loop.block == "x" and not item.is_strided)
        values = {name: declare.init for name, declare in self.values.items() if declare.init is not None}
        found = (neighbours_array(stmt, variable, self.own, values) for variable in variables)
        return next(filter(None, found), "")

    def jammed(self, stmt: For | If | CacheRegion) -> _Jammed:
        """A loop, a condition or a region that the iterations go through together."""
        if isinstance(stmt, CacheRegion):
            return _Jammed(stmt, [self.parts(items_of(stmt.body))])
        if isinstance(stmt, For):
            self.common |= declared_variables(Block(stmt.location, stmt.init))
            return _Jammed(stmt, [self.parts(items_of(stmt.body))])
        bodies = [stmt.then] + ([stmt.otherwise] if stmt.otherwise is not None else [])
        return _Jammed(stmt, [self.parts(items_of(body)) for body in bodies])

    def is_value(self, item: Declare) -> bool:
        """Whether a declaration names a value that can be computed wherever it is needed."""
        if item.init is None or item.name in self.assigned or not is_scalar(resolve(item.type)):
            return False
        known = self.common | frozenset(self.values) | {loop.loop.loop.variable for loop in self.loops}
        return is_computed(item.init) and used_variables(item.init) <= known

    def is_loaded_alike(self, item: Declare) -> bool:
        """Whether a declaration gives all iterations what they load from the same place, which none of them writes."""
        if item.init is None or item.static or item.name in self.assigned or self.has_hidden_writes:
            return False
        if (self.written | used_variables(item.init)) & self.pointers:  # which may lead to an array that is written
            return False
        parts = [node for node in walk(item.init) if isinstance(node, Expr)]
        is_plain = not any(isinstance(node, (Call, InitList)) or is_volatile(node.type) for node in parts)
        is_kept = is_scalar(resolve(item.type)) or isinstance(resolve(item.type), Record)
        if not is_plain or not is_kept or is_volatile(item.type) or not used_variables(item.init) <= self.common:
            return False
        return not is_computed(item.init) and is_uniform(item.init, (), self.written | {""})  # "": no name leads there

    def is_common(self, stmt: For | If | CacheRegion) -> bool:
        """Whether all iterations of a thread go the same way through a loop or a condition, or have the same tiles."""
        if isinstance(stmt, CacheRegion):
            places = {name for tile in stmt.tiles for part in tile.range.dimensions for name in part.start.names}
            own = declared_variables(self.body) | {item.loop.loop.variable for item in self.loops}
            return not places & (own - self.common)
        if isinstance(stmt, If):
            jumps = any(leaving_jumps(stmt))
            return not jumps and is_computed(stmt.condition) and used_variables(stmt.condition) <= self.common
        start = stmt.init[0] if len(stmt.init) == 1 else None
        if not isinstance(start, Declare) or start.init is None or stmt.condition is None or stmt.step is None:
            return False
        if any(leaving_jumps(stmt.body)) or start.name in assigned_variables(stmt.body):
            return False
        if stores_neighbours(stmt, self.own):
            return False
        used = used_variables(start.init) | used_variables(stmt.condition) | used_variables(stmt.step)
        steps = stmt.step.operand if isinstance(stmt.step, Unary) else getattr(stmt.step, "value", None)
        computed = is_computed(start.init) and is_computed(stmt.condition) and steps is not None and is_computed(steps)
        return computed and used <= self.common | {start.name}

    def emitted(self, parts: list[_Part], expanded: frozenset[str], around: int = 1) -> Iterator[Stmt]:
        """The statements that parts become, of which unrolled loops ``around`` them make so many copies."""
        for part in parts:
            if isinstance(part, _Jammed):
                yield self.controlled(part, expanded, around)
            elif isinstance(part, _Group):
                declares = [node for item in part.items for node in nodes_of(item, Declare)]
                for declare in declares:
                    if declare.name in expanded:
                        yield replace(declare, type=self.expanded_type(declare), init=None)
                if not all(
                    isinstance(item, Declare) and item.name in expanded and item.init is None for item in part.items
                ):
                    yield self.copies(part.items, expanded)
            else:
                yield part

    def controlled(self, part: _Jammed, expanded: frozenset[str], around: int) -> Stmt:
        """A loop, a condition or a region around what is in it."""
        where = part.stmt.location
        trips = self.unrolled_trips(part.stmt, around) if isinstance(part.stmt, For) else 1
        bodies = [Block(where, tuple(self.emitted(inner, expanded, around * (trips or 1)))) for inner in part.parts]
        if isinstance(part.stmt, CacheRegion):
            return replace(part.stmt, body=bodies[0])
        if isinstance(part.stmt, For):
            return replace(part.stmt, body=bodies[0], unrolled=part.stmt.unrolled or trips > 0)
        return replace(part.stmt, then=bodies[0], otherwise=bodies[1] if len(bodies) > 1 else None)

    def unrolled_trips(self, loop: For, around: int) -> int:
        """The iterations of a loop that is unrolled; 0 if it is not.

        It is short, or stands in an unrolled loop, whose iterations have loads in common only if it is unrolled, too.
        """
        canonical = canonical_loop(loop)
        trips = constant_trips(canonical) if not isinstance(canonical, str) else 0
        copies = around * trips * prod(item.factor for item in self.loops)
        return trips if trips <= self.most_trips or (around > 1 and copies <= MOST_COPIES) else 0

    def are_unrolled(self, names: frozenset[str]) -> bool:
        """Whether all references to those of some variables that are arrays become such to one element each."""
        declares = nodes_of(self.body, Declare)
        arrays = {node.name for node in declares if node.name in names and is_array(node.type)}
        if not arrays:
            return True
        canonical = (canonical_loop(node) for node in nodes_of(self.body, For))
        loops = (loop for loop in canonical if not isinstance(loop, str))
        unrolled = {loop.variable for loop in loops if 0 < constant_trips(loop) <= UNROLLED}
        indexed: set[int] = set()
        for node in walk(self.body):
            base, indices = subscripts_of(node) if isinstance(node, Subscript) else (node, ())
            if indices and isinstance(base, Variable) and base.name in arrays:
                indexed.add(id(base))
                if not all(is_computed(index) and used_variables(index) <= unrolled for index in indices):
                    return False
        uses = (node for node in nodes_of(self.body, Variable) if node.name in arrays)
        return all(id(node) in indexed for node in uses)

    @property
    def most_trips(self) -> int:
        """How many iterations a loop may have that is unrolled."""
        if all(item.is_strided or item.loop.block != "x" for item in self.loops):
            return UNROLLED
        return max(UNROLLED, MOST_COPIES // prod(item.factor for item in self.loops))

    def expanded_type(self, declare: Declare) -> Array:
        """The type of an array that holds a variable of each of a thread's iterations."""
        ctype = unqualified(declare.type)
        for item in reversed(self.loops):
            ctype = Array(ctype, number(item.factor, declare.location))
        assert isinstance(ctype, Array)
        return ctype

    def copies(self, items: list[Stmt], expanded: frozenset[str]) -> Stmt:
        """The loops over a thread's iterations around what each does for itself."""
        where, mark = items[0].location, next(self.numbers)
        indices = [
            Variable(
                counting_type(item.loop.loop.type),
                item.loop.location,
                f"d{user_name(item.loop.loop.variable)}#group{mark}",
            )
            for item in self.loops
        ]
        body = Block(where, tuple(_expanded(item, expanded, indices) for item in items))
        body = self.placed(body, indices)
        body = Block(where, (*self.needed(body, mark, indices), *self.renamed(body, mark).items))
        stmt: Stmt = body
        for item, index in reversed(list(zip(self.loops, indices, strict=True))):
            start = Declare(where, index.name, index.type, number(0, where))
            condition = Binary(BOOL, where, "<", index, number(item.factor, where))
            stmt = For(where, (start,), condition, Unary(index.type, where, "++", index), stmt, unrolled=True)
        return stmt

    def placed(self, body: Block, indices: list[Variable]) -> Block:
        """A body with the place of its iteration where tiles are read that hold those of the whole block."""
        places = (item.place(index.name) for item, index in zip(self.loops, indices, strict=True))
        symbols = (PLACE.format(item.loop.loop.variable) for item in self.loops)
        found = _substituted(body, dict(zip(symbols, places, strict=True)))
        assert isinstance(found, Block)
        return found

    def needed(self, body: Block, mark: int, indices: list[Variable]) -> list[Stmt]:
        """Declarations of an iteration's own index and of the values computed from it, as far as they are used."""
        used = set(used_variables(body))
        wanted = []
        for declare in reversed(self.values.values()):
            if declare.name in used:
                wanted.append(declare)
                used |= used_variables(declare.init) if declare.init is not None else set()
        found: list[Stmt] = [
            Declare(item.loop.location, item.loop.loop.variable, as_const(item.loop.loop.type), item.later(index))
            for item, index in zip(self.loops, indices, strict=True)
            if item.loop.loop.variable in used
        ]
        block = Block(body.location, (*found, *reversed(wanted)))
        return list(self.renamed(block, mark).items)

    def renamed(self, body: Block, mark: int) -> Block:
        """A body with names of its own for what each group computes anew: names are unique in a kernel."""
        anew = [*self.values, *(item.loop.loop.variable for item in self.loops)]
        found = _renamed(body, {name: f"{name}#group{mark}" for name in anew})
        assert isinstance(found, Block)
        return found


def one_by_one(loops: Iterable[CoarseLoop], body: Stmt) -> Stmt:
    """The iterations of a thread one after the other, as far as there are any."""
    loops = tuple(loops)
    names = {name: f"{name}#edge" for name in declared_variables(body)}
    names |= {item.loop.loop.variable: f"{item.loop.loop.variable}#edge" for item in loops}
    stmt = _renamed(body, names)
    for item in reversed(loops):
        stmt = item.one_by_one(stmt, names[item.loop.loop.variable])
    return stmt


def renamed(stmt: Stmt, mark: str) -> Stmt:
    """A statement that declares variables of other names, so that it can stand beside the one that it was made of."""
    return _renamed(stmt, {name: f"{name}#{mark}" for name in declared_variables(stmt)})


def _shared_by_groups(parts: list[_Part], values: frozenset[str]) -> frozenset[str]:
    """The variables that one group declares and another one uses."""
    groups = list(_groups(parts))
    declared = [frozenset[str]().union(*map(declared_variables, group.items)) for group in groups]
    used = [frozenset[str]().union(*map(used_variables, group.items)) for group in groups]
    return frozenset(
        name
        for number, names in enumerate(declared)
        for name in names - values
        if any(name in used[other] for other in range(len(groups)) if other != number)
    )


def _groups(parts: list[_Part]) -> Iterator[_Group]:
    for part in parts:
        if isinstance(part, _Group):
            yield part
        elif isinstance(part, _Jammed):
            for inner in part.parts:
                yield from _groups(inner)


def _expanded(stmt: Stmt, names: frozenset[str], indices: list[Variable]) -> Stmt:
    """A statement in which the variables that outlive their group are elements of arrays."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Variable) and node.name in names:
            return _element(node, indices)
        if isinstance(node, Declare) and node.name in names:
            place = _element(Variable(unqualified(node.type), node.location, node.name), indices)
            values = _values(node, place) or ()
            return values[0] if len(values) == 1 else Block(node.location, values)
        return node

    return rewrite(stmt, change) if names else stmt


def _element(variable: Variable, indices: list[Variable]) -> Expr:
    """The element of an expanded variable that is an iteration's own."""
    ctype = unqualified(variable.type)
    types = [ctype]
    for _ in indices:
        types.append(Array(types[-1], number(0, variable.location)))
    place: Expr = replace(variable, type=types[-1])
    for index, kind in zip(indices, reversed(types[:-1]), strict=True):
        place = Subscript(kind, variable.location, place, index)
    return place


def _renamed(stmt: Stmt, names: dict[str, str]) -> Stmt:
    """A statement in which variables have other names, where they are declared, too."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, (Variable, Declare)) and node.name in names:
            return replace(node, name=names[node.name])
        return node

    renamed = rewrite(stmt, change, Variable, Declare)
    return _substituted(renamed, {name: Polynomial.symbol(new) for name, new in names.items()})


def _substituted(stmt: Stmt, values: Mapping[str, Polynomial]) -> Stmt:
    """A statement in whose formulas symbols have other values."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Formula) and node.polynomial.names & values.keys():
            return replace(node, polynomial=node.polynomial.substitute(values))
        return node

    return rewrite(stmt, change, Formula)


def _is_no_register(node: Expr | Stmt, expanded: frozenset[str]) -> bool:
    """Whether a node shows that one of some variables cannot become an element of an array in registers."""
    if isinstance(node, Declare):
        return node.name in expanded and not (_can_be_element(node.type) and _values(node) is not None)
    return isinstance(node, Unary) and node.op == "&" and bool(used_variables(node.operand) & expanded)


def _can_be_element(ctype: CType) -> bool:
    """Whether an iteration can have its own of a type: numbers, structures of them, and arrays of constant length."""
    plain = innermost(ctype) if extents(ctype) else ctype
    record = resolve(plain)
    if not isinstance(record, Record):
        return is_scalar(record)
    is_known = record.fields is not None and all(is_scalar(resolve(field.type)) for field in record.members)
    return is_known and not has_const_member(record) and not holds_volatile(record)


def _values(declare: Declare, place: Expr | None = None) -> tuple[Stmt, ...] | None:
    """What gives a variable, or the ``place`` of an iteration's own, its first value; None if nothing can."""
    target = place or Variable(unqualified(declare.type), declare.location, declare.name)
    if declare.init is None:
        return ()
    if not is_array(declare.type):
        return (assigned(target, initial_value(target, declare.init)),)
    return initialised(target, declare.init) if isinstance(declare.init, InitList) else None
