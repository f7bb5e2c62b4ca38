"""Loop counters declared outside of their loops: each loop gets its own, and leaves its last value where C does.

Before: ``int j; ... for (j = 0; j < n; j++)`` with ``j`` declared outside. After: ``for (int j = 0; ...)``; and
behind it ``j = n;`` where that value may be read, behind the loops around it where it is the same for all of their
iterations. The counter of a loop with a loop directive is private (OpenACC 3.3, section 2.9), but that of a sequential
one tells where a break left it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, is_counter, trip_count
from accache.analysis.uniformity import leaving_jumps
from accache.base.diagnostics import Reporter
from accache.ir.build import BOOL, WIDE, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cache,
    Call,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.walk import (
    VALUE_OPERATORS,
    assigned_variables,
    children,
    declared_variables,
    items_of,
    rewrite,
    used_variables,
    walk,
)
from accache.mapping.data.renaming import Successor, renamed

READ = "what its variable ends with is read behind it, and known only then"


def localise_counters(region: Region, reporter: Reporter) -> Stmt:
    """The region's body with a declaration in every for loop whose counter need not be that of others.

    Reports loops that run sequentially, since only their iterations tell what the counter ends with (ACC307).
    """
    return rewrite(region.body, _Localising(region, reporter).change)


class _Localising(Struct, dict=True):
    """Gives the loops of a region counters of their own."""

    region: Region
    reporter: Reporter
    count: int = 0
    given: set[str] = field(default_factory=set)
    split: list[Block] = field(default_factory=list)
    lasts: list[Stmt] = field(default_factory=list)

    def __post_init__(self) -> None:
        region = self.region
        mapped = {item.subarray.variable for item in (*region.enclosing_data, *region.data)}
        is_kernels = region.kind == "kernels"
        own = {item.name for item in (*region.private, *region.firstprivate)}
        self.free = {variable.name: variable for variable in region.variables}
        lasting = {item.name for item in region.variables if is_kernels and (item.is_live or item.is_static)}
        self.lasting = (lasting | (mapped & self.free.keys())) - own
        self.counters = {name for name in self.free if is_counter(region.body, name)}
        self.read = _read(region.body, frozenset()) if is_kernels else frozenset[str]()
        self.directed = {
            id(inner.init)
            for loop in walk(region.body)
            if isinstance(loop, For) and loop.loop is not None and self.is_promised(loop.loop)
            for inner in walk(loop.body)
            if isinstance(inner, For)
        }

    def change(self, node: Expr | Stmt) -> Expr | Stmt:
        """A loop with a counter of its own, or a block with what follows on such loops."""
        if isinstance(node, Block):
            items = [part for item in node.items for part in self.parts(item)]
            return replace(node, items=tuple(items)) if len(items) != len(node.items) else node
        if isinstance(node, Cache):
            return self.before_last_values(node)
        if not isinstance(node, For):
            return node
        loop, behind = self.without_last_values(node)
        found = self.with_own_counter(loop)
        return self.together(*self.parts(found), *behind) if behind else found

    def with_own_counter(self, loop: For) -> Stmt:
        """A loop whose counter is its own if it can be, and what its variable ends with."""
        start = _start(loop)
        if start is None or not isinstance(start.target, Variable):
            return loop
        name = start.target.name
        lasts = name in self.lasting and not self.is_directed(loop)
        is_searching = loop.loop is not None and _is_searching(loop, loop.loop, name)
        if name in self.counters and not lasts:
            is_first = name not in self.given  # what loops before have is known by the name: do threads agree on it?
            self.given.add(name)
            return _declaring(loop, start) if is_first else self.renamed(loop, start)
        if is_searching:
            return loop
        if loop.loop is not None:  # what lasts keeps its name: loops without a directive may assign it
            return self.renamed(loop, start)
        return self.followed(loop, start) if lasts or name in self.read else loop

    def together(self, *items: Stmt) -> Block:
        """Statements that stand for one, in a block that becomes part of the one around it."""
        found = Block(items[0].location, items)
        self.split.append(found)
        return found

    def parts(self, item: Stmt) -> tuple[Stmt, ...]:
        """What stands for a statement in a block: a loop and the assignment behind it are two."""
        return item.items if isinstance(item, Block) and _is_among(item, self.split) else (item,)

    def is_promised(self, spec: LoopSpec) -> bool:
        """Whether a directive says that the iterations of its loop may come in any order."""
        return not spec.seq and not self.region.is_unproved(spec)

    def is_directed(self, loop: For) -> bool:
        """Whether a loop stands in one whose iterations may come in any order, as a directive says."""
        return id(loop.init) in self.directed

    def renamed(self, loop: For, start: Assign) -> For:
        """A loop with a counter of another name."""
        assert isinstance(start.target, Variable)
        self.count += 1
        name = start.target.name
        new = f"{name}#counter{self.count}"
        found = renamed(_declaring(loop, start), {name: Successor(new, start.target.type)})
        assert isinstance(found, For)
        declare = found.init[0]
        assert isinstance(declare, Declare)
        return replace(found, init=(replace(declare, name=new),))

    def followed(self, loop: For, start: Assign) -> Stmt:
        """A loop with a counter of its own, and behind it the value that the variable ends with.

        Where that is not known, the loop runs sequentially on the variable itself, and so do loops in it.
        """
        assert isinstance(start.target, Variable)
        canonical = canonical_loop(loop)
        if isinstance(canonical, str) or not _is_known(canonical, loop.body):
            if self.region.kind == "kernels":
                self.reporter.report("ACC307", loop.location, variable=user_name(start.target.name), reason=READ)
            return _in_order(loop)
        assign = Assign(start.target.type, loop.location, "=", start.target, _last(canonical))
        last = Evaluate(loop.location, assign)
        self.lasts.append(last)
        return self.together(self.renamed(loop, start), last)

    def without_last_values(self, loop: For) -> tuple[For, tuple[Stmt, ...]]:
        """A loop without the last values of inner counters that all its iterations agree on, and these behind it."""
        body, canonical = loop.body, canonical_loop(loop)
        if not self.lasts or not isinstance(body, Block) or isinstance(canonical, str):
            return loop, ()
        if not _is_known(canonical, body) or any(leaving_jumps(body)):
            return loop, ()
        moved = _invariant([item for item in body.items if self.is_last(item)], canonical.variable, body)
        if not moved:
            return loop, ()
        items = tuple(item for item in body.items if not _is_among(item, moved))
        starts = Binary(BOOL, loop.location, canonical.operator, canonical.first, canonical.limit)
        guarded = If(loop.location, starts, Block(loop.location, tuple(moved)))
        behind = tuple(moved) if constant(starts) else (guarded,)
        self.lasts += behind
        return replace(loop, body=Block(body.location, items)), behind

    def before_last_values(self, cache: Cache) -> Stmt:
        """The region of a cache directive without the last values that it ends with, and these behind it."""
        items = list(items_of(cache.body))
        behind: list[Stmt] = []
        while items and self.is_last(items[-1]):
            behind.insert(0, items.pop())
        if not behind:
            return cache
        return self.together(replace(cache, body=Block(cache.body.location, tuple(items))), *behind)

    def is_last(self, item: Stmt) -> bool:
        """Whether a statement gives a counter what it ends with."""
        return _is_among(item, self.lasts)


def _in_order(loop: For) -> For:
    """A loop whose iterations come one after the other, and those of loops in it whose directives tell no more."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        spec = node.loop if isinstance(node, For) else None
        is_free = isinstance(node, For) and spec is not None and not (spec.seq or spec.private or spec.reductions)
        return replace(node, loop=LoopSpec(node.location, seq=True)) if is_free and isinstance(node, For) else node

    body = rewrite(loop.body, change)
    assert isinstance(body, Stmt)
    return replace(loop, loop=LoopSpec(loop.location, seq=True), body=body)


def _is_searching(loop: For, spec: LoopSpec, name: str) -> bool:
    """Whether a break may leave a loop that a directive calls sequential, so that its variable tells where."""
    is_private = any(item.name == name for item in spec.private)
    return spec.seq and not is_private and any(jump.keyword == "break" for jump in leaving_jumps(loop.body))


def _start(node: Expr | Stmt) -> Assign | None:
    """The assignment that a loop starts with."""
    if not isinstance(node, For) or len(node.init) != 1:
        return None
    start = node.init[0]
    if not isinstance(start, Evaluate) or not isinstance(start.expr, Assign):
        return None
    return start.expr if start.expr.op == "=" else None


def _declaring(loop: For, start: Assign) -> For:
    """A loop that declares the variable which it starts with."""
    assert isinstance(start.target, Variable)
    declare = Declare(loop.init[0].location, start.target.name, start.target.type, start.value)
    return For(loop.location, (declare,), loop.condition, loop.step, loop.body, loop.loop)


def _is_known(loop: CanonicalLoop, body: Stmt) -> bool:
    """Whether a loop runs to its end, and what it starts from and ends at can be computed behind it."""
    nodes = [*walk(loop.first), *walk(loop.limit)]
    is_left = any(jump.keyword != "continue" for jump in leaving_jumps(body))
    changed = assigned_variables(body) & frozenset(node.name for node in nodes if isinstance(node, Variable))
    return not is_left and not changed and all(map(_is_value, nodes))


def _is_value(node: Stmt | Expr) -> bool:
    """Whether a part of an expression computes on variables alone, and changes none."""
    if isinstance(node, Unary):
        return node.op in VALUE_OPERATORS
    return not isinstance(node, (Subscript, Call, Assign)) and not (isinstance(node, Member) and node.arrow)


def _last(loop: CanonicalLoop) -> Expr:
    """The value that a loop's variable ends with."""
    where, first, limit = loop.location, constant(loop.first), constant(loop.limit)
    if loop.operator == "!=":
        return loop.limit
    is_open = loop.operator in ("<", ">")
    if first is not None and limit is not None and not loop.may_not_start:
        behind = limit if is_open else limit + (1 if loop.step > 0 else -1)
        return number(first + max(0, -((first - behind) // loop.step)) * loop.step, where)
    if abs(loop.step) == 1:
        one = number(1, where)
        end = loop.limit if is_open else Binary(loop.type, where, "+" if loop.step > 0 else "-", loop.limit, one)
    else:
        steps = Binary(WIDE, where, "*", trip_count(loop, loop.first), number(loop.step, where))
        end = Binary(WIDE, where, "+", loop.first, steps)
    starts = Binary(BOOL, where, loop.operator, loop.first, loop.limit)
    return Conditional(end.type, where, starts, end, loop.first)


def _invariant(lasts: list[Stmt], counter: str, body: Block) -> list[Stmt]:
    """Of the last values that a loop's body assigns, those that are the same each time and that nothing else uses."""
    others = [item for item in body.items if not _is_among(item, lasts)]
    inside = {counter, *declared_variables(body)}.union(*map(assigned_variables, body.items))
    used = frozenset[str]().union(*map(used_variables, others))
    found = [last for last in lasts if not _read(last, frozenset()) & inside and not assigned_variables(last) & used]
    return found if len(found) == len(lasts) else _invariant(found, counter, body)


def _is_among(item: Stmt, items: Sequence[Stmt]) -> bool:
    """Whether a statement is one of others, not only like one."""
    return any(item is other for other in items)


def _read(node: Stmt | Expr, counting: frozenset[str]) -> frozenset[str]:
    """The variables that are read, but for those that loops around are ``counting`` with."""
    if isinstance(node, Variable):
        return frozenset((node.name,)) - counting
    if isinstance(node, Assign) and node.op == "=" and isinstance(node.target, Variable):
        return _read(node.value, counting)
    start = _start(node)
    if isinstance(node, For) and start is not None and isinstance(start.target, Variable):
        inside = counting | {start.target.name}
        parts = [_read(part, inside) for part in children(node) if part is not node.init[0]]
        return _read(start.value, counting).union(*parts)
    return frozenset[str]().union(*(_read(part, counting) for part in children(node)))
