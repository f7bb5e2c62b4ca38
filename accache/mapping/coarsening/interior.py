"""Conditions that all iterations of a thread meet far from the edges: tested once, before them.

Before, an element of a filter that leaves the edges of an image out, or takes what lies beyond them to be zero::

    if (i > 0 && i < n - 1)
        for (int r = -1; r <= 1; ++r)
            sum += a[(i + r)*n + j];

After, four rows a thread: those with ``i_base > 0 && i_base + 4 < n`` need no condition, so that their loops become one
and share what they load. Threads at the edges go through their iterations one by one, with all conditions.

Variables that are moved at edges alone (``if (r < 0) r = 0;``) keep what they are declared with far from them, and
indices that start again at the other edge (``(i + 1) % n``) need no division.

A sum is least where each variable in it is at one end of its range, and that is where it is compared.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.analysis.uniformity import leaving_jumps
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import OPPOSITE, number
from accache.ir.kernels.simt import CacheRegion, CanonicalLoop
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import integer_of, is_integer, is_volatile, unqualified
from accache.ir.walk import (
    assigned_variables,
    declared_variables,
    is_computed,
    items_of,
    map_children,
    nodes_of,
    single_definitions,
    used_variables,
)
from accache.mapping.coarsening.coarse_loops import CoarseLoop
from accache.mapping.coarsening.edge_needs import condition, implies, is_edge, known_needs, need_of, own_range, rate

Needs = tuple[Polynomial, ...]
"""Sums that must not be negative."""
MOST_FACTORS = 2
"""Products of more numbers might not be one of 64 bits."""


class Interior(Struct, frozen=True):
    """The body of an iteration ``far`` from the edges, and the ``conditions`` under which all of a thread's are.

    ``edges`` are the axes of the block along which threads at edges exist only because of the body's conditions.
    """

    far: Stmt
    conditions: tuple[Expr, ...]
    edges: tuple[str, ...]


class _Range(Struct, frozen=True):
    """What a variable is at least and at most."""

    variable: str
    least: Polynomial
    most: Polynomial


def interior(loops: tuple[CoarseLoop, ...], body: Stmt) -> Interior:
    """A body of parallel loops without what all iterations of a thread meet, and what tells that they do."""
    finder = _Finder(loops, body)
    far = finder.statement(body, ())
    known = {need for item in loops for need in known_needs(item)}
    needs = [n for n in finder.needs if not any(implies(other, n) for other in (known | finder.needs) - {n})]
    needs = sorted(set(needs) - known, key=finder.order)
    full = [item.is_full for item in loops if not item.is_exact and not any(implies(n, item.need) for n in needs)]
    return Interior(
        far, (*full, *(condition(need, finder.loop_of(need)) for need in needs)), tuple(map(finder.axis, needs))
    )


class _Finder(Struct, dict=True):
    """Finds conditions on which a thread's iterations agree unless they are near an edge."""

    loops: tuple[CoarseLoop, ...]
    body: Stmt
    needs: set[Polynomial] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.definitions = dict(single_definitions(self.body))
        self.local = declared_variables(self.body) | assigned_variables(self.body)
        self.coarse = {item.loop.loop.variable: item for item in self.loops}

    def statement(self, stmt: Stmt, ranges: tuple[_Range, ...]) -> Stmt:
        """A statement that runs in each iteration, or in none of a thread's, inside of loops over ``ranges``."""
        if isinstance(stmt, If):
            return self.branch(stmt, ranges)
        if isinstance(stmt, For):
            self.forget(assigned_variables(stmt))
            stmt = self.with_head(stmt, ranges)
            return replace(stmt, body=self.statement(stmt.body, (*self.range_of(stmt), *ranges)))
        if isinstance(stmt, Block):
            return self.block(stmt, ranges)
        if isinstance(stmt, CacheRegion):
            return replace(stmt, body=self.statement(stmt.body, ranges))
        if isinstance(stmt, (Evaluate, Declare)):
            expr = stmt.expr if isinstance(stmt, Evaluate) else None
            self.forget(assigned_variables(expr.value if isinstance(expr, Assign) else stmt))
            found = map_children(stmt, lambda part: self.value(part, ranges) if isinstance(part, Expr) else part)
            return Block(stmt.location, ()) if _keeps(found) else found
        return stmt

    def block(self, block: Block, ranges: tuple[_Range, ...]) -> Block:
        """The statements of a block.

        A variable that is declared in it and moved at edges alone, ``if (r < 0) r = 0;``, has its first value wherever
        it was not moved before.
        """
        items: list[Stmt] = []
        own = set[str]()
        for place, item in enumerate(block.items):
            found = items_of(self.statement(item, ranges))
            self.forget(frozenset[str]().union(*map(assigned_variables, found)))
            items += found
            if isinstance(item, Declare) and _may_move(item, block.items[place + 1 :]):
                assert item.init is not None
                own.add(item.name)
                self.definitions.setdefault(item.name, item.init)
                self.moved.add(item.name)
        self.forget(frozenset(own))
        return replace(block, items=tuple(items))

    def with_head(self, loop: For, ranges: tuple[_Range, ...]) -> For:
        """A loop without choices in its first value and its limit, ``r < (y + 2 < n ? y + 2 : n)``."""

        def plain(part: Expr | Stmt) -> Expr | Stmt:
            return self.value(part, ranges) if isinstance(part, Expr) else part

        init = tuple(map_children(item, plain) if isinstance(item, Declare) else plain(item) for item in loop.init)
        condition = self.value(loop.condition, ranges) if loop.condition is not None else None
        return replace(loop, init=init, condition=condition)

    def forget(self, assigned: frozenset[str]) -> None:
        """Take variables as unknown that may be moved, from here on."""
        for name in assigned & self.moved:
            self.moved.remove(name)
            del self.definitions[name]

    def branch(self, stmt: If, ranges: tuple[_Range, ...]) -> Stmt:
        """A condition, or what is left of it."""
        self.forget(assigned_variables(stmt.condition))
        condition = self.settled(stmt.condition, ranges)
        if condition is True:
            return self.statement(stmt.then, ranges)
        if condition is False:
            return self.statement(stmt.otherwise, ranges) if stmt.otherwise is not None else Block(stmt.location, ())
        self.forget(assigned_variables(stmt))
        if not is_computed(condition) or used_variables(condition) & (self.local | self.coarse.keys()):
            return replace(stmt, condition=condition)
        otherwise = self.statement(stmt.otherwise, ranges) if stmt.otherwise is not None else None
        return replace(stmt, condition=condition, then=self.statement(stmt.then, ranges), otherwise=otherwise)

    def value(self, expr: Expr, ranges: tuple[_Range, ...]) -> Expr:
        """An expression that is evaluated whole, but for the branches of conditions."""
        if isinstance(expr, Conditional):
            condition = self.settled(expr.condition, ranges)
            if isinstance(condition, Expr):
                return replace(expr, condition=condition)
            branch = self.value(expr.then if condition else expr.otherwise, ranges)
            is_same = unqualified(branch.type) == unqualified(expr.type)
            return branch if is_same else Cast(expr.type, expr.location, branch)
        if isinstance(expr, Binary) and expr.op in ("&&", "||"):
            return expr
        found = map_children(expr, lambda part: self.value(part, ranges) if isinstance(part, Expr) else part)
        return self.unwrapped(found, ranges) if isinstance(found, Binary) and found.op == "%" else found

    def unwrapped(self, expr: Binary, ranges: tuple[_Range, ...]) -> Expr:
        """A rest that differs from a sum near an edge alone, such as ``(i + n - 1) % n``, which is ``i - 1``."""
        left, right = (polynomial_of(side, self.definitions) for side in (expr.left, expr.right))
        if left is None or right is None or not all(map(_is_signed, (expr.left, expr.right))):
            return expr
        for rest in (left, left - right):
            needs = [self.nearly_always(need, ranges) for need in (rest, right - 1 - rest)]
            known = [need for need in needs if need is not None]
            if len(known) == len(needs):
                self.needs |= set(known)
                found = expr.left if rest == left else _difference(expr)
                return found if found.type == expr.type else Cast(expr.type, expr.location, found)
        return expr

    def nearly_always(self, need: Polynomial, ranges: tuple[_Range, ...]) -> Polynomial | None:
        """What tells that a sum is not negative, which it is near an edge alone; None if it may be elsewhere."""
        is_met, is_missed = self.least(need, ranges), self.least(-need - 1, ranges)
        return is_met if is_met is not None and is_missed is not None and self.is_edge(is_missed) else None

    def settled(self, condition: Expr, ranges: tuple[_Range, ...]) -> Expr | bool:
        """What a condition is far from the edges, or what is left of it there."""
        found, needs = self.far(condition, ranges)
        self.needs |= set(needs)
        return found

    def far(self, condition: Expr, ranges: tuple[_Range, ...]) -> tuple[Expr | bool, Needs]:
        """What a condition is far from the edges, or what is left of it there, and what tells that this is so."""
        if isinstance(condition, Unary) and condition.op == "!":
            inner, needs = self.far(condition.operand, ranges)
            return (replace(condition, operand=inner) if isinstance(inner, Expr) else not inner), needs
        if not isinstance(condition, Binary):
            return condition, ()
        if condition.op in ("&&", "||"):
            return self.joined(condition, ranges)
        return self.compared(condition, ranges) if condition.op in OPPOSITE else (condition, ())

    def joined(self, condition: Binary, ranges: tuple[_Range, ...]) -> tuple[Expr | bool, Needs]:
        """The same of two conditions that ``&&`` or ``||`` joins."""
        decisive = condition.op == "||"
        (left, needed), (right, also_needed) = self.far(condition.left, ranges), self.far(condition.right, ranges)
        if left is decisive:
            return left, needed
        if right is decisive and is_computed(condition.left):
            return right, also_needed
        if isinstance(left, bool):
            return right, needed + also_needed
        if isinstance(right, bool):
            return (left, needed + also_needed) if right is not decisive else (condition, ())
        return replace(condition, left=left, right=right), needed + also_needed

    def compared(self, condition: Binary, ranges: tuple[_Range, ...]) -> tuple[Expr | bool, Needs]:
        """The same of a comparison of two integers."""
        sides = [polynomial_of(side, self.definitions) for side in (condition.left, condition.right)]
        if sides[0] is None or sides[1] is None or not all(map(_is_signed, (condition.left, condition.right))):
            return condition, ()
        difference = sides[1] - sides[0]
        if condition.op in ("==", "!="):
            need = self.apart(difference, ranges)
            return (condition.op == "!=", (need,)) if need is not None else (condition, ())
        is_met = self.least(need_of(condition.op, difference), ranges)
        is_missed = self.least(need_of(OPPOSITE[condition.op], difference), ranges)
        if is_met is None or is_missed is None:
            return condition, ()
        if self.is_edge(is_missed):
            return True, (is_met,)
        return (False, (is_missed,)) if self.is_edge(is_met) else (condition, ())

    def apart(self, difference: Polynomial, ranges: tuple[_Range, ...]) -> Polynomial | None:
        """What tells that a difference is not zero, which it is near an edge alone."""
        below, above = self.least(difference - 1, ranges), self.least(-difference - 1, ranges)
        if below is None or above is None:
            return None
        if self.is_edge(above):
            return below
        return above if self.is_edge(below) else None

    def least(self, value: Polynomial, ranges: tuple[_Range, ...]) -> Polynomial | None:
        """The least that a sum is in the iterations of a thread; None if that is not known, or is the same in each."""
        for part in (*ranges, *map(_own_range, self.loops)):
            rate = value.coefficient(part.variable)
            if rate is None or rate.constant_value is None:
                return None
            end = part.least if rate.constant_value > 0 else part.most
            value = value.substitute({part.variable: end})
        is_known = not value.names & (self.local | self.coarse.keys()) and value.total_degree <= MOST_FACTORS
        bases = [value.coefficient(item.base) for item in self.loops if item.base in value.names]
        moves = len(bases) == 1 and bases[0] is not None and bases[0].constant_value is not None
        return value if is_known and moves else None

    def axis(self, need: Polynomial) -> str:
        """The axis along which a need differs between threads."""
        return self.loop_of(need).loop.block

    def loop_of(self, need: Polynomial) -> CoarseLoop:
        """The loop of whose iterations a need tells."""
        return next(item for item in self.loops if item.base in need.names)

    def is_edge(self, need: Polynomial) -> bool:
        """Whether only iterations near the edge of a loop meet a need."""
        return is_edge(need, self.loop_of(need))

    def order(self, need: Polynomial) -> tuple[int, bool, str]:
        """The order in which needs are tested: by loops, lower edges before upper ones."""
        number, item = next((n, item) for n, item in enumerate(self.loops) if item.base in need.names)
        return number, rate(need, item) < 0, str(need)

    def range_of(self, loop: For) -> tuple[_Range, ...]:
        """The range of a loop's variable, if it goes through all of it in each of a thread's iterations."""
        canonical = canonical_loop(loop)
        if isinstance(canonical, str) or canonical.operator == "!=" or any(leaving_jumps(loop.body)):
            return ()
        if not _is_signed_type(canonical):
            return ()
        first, limit = (polynomial_of(end, self.definitions) for end in (canonical.first, canonical.limit))
        if first is None or limit is None:
            return ()
        is_closed = canonical.operator in ("<=", ">=")
        if canonical.step > 0:
            return (_Range(canonical.variable, first, limit if is_closed else limit - 1),)
        return (_Range(canonical.variable, limit if is_closed else limit + 1, first),)


def _difference(rest: Binary) -> Expr:
    """What is divided less what divides it, ``i - 1`` of ``i + n - 1`` and ``n``."""
    where, ctype = rest.location, rest.type
    value = polynomial_of(Binary(ctype, where, "-", rest.left, rest.right))
    variables = {node.name: node for node in nodes_of(rest, Variable)}
    if value is None or value.total_degree > 1 or not value.names <= variables.keys():
        return Binary(ctype, where, "-", rest.left, rest.right)
    found: Expr | None = None
    for monomial, factor in sorted(value.terms, key=lambda term: (term[1] < 0, not term[0])):
        term: Expr = variables[monomial[0]] if monomial else number(abs(factor), where)
        if monomial and abs(factor) != 1:
            term = Binary(ctype, where, "*", number(abs(factor), where), term)
        if found is None:
            found = term if factor > 0 else Unary(ctype, where, "-", term)
        else:
            found = Binary(ctype, where, "+" if factor > 0 else "-", found, term)
    return found if found is not None else number(0, where)


def _own_range(item: CoarseLoop) -> _Range:
    """The range of a parallel loop's variable in a thread."""
    return _Range(item.loop.loop.variable, *own_range(item))


def _may_move(declare: Declare, following: tuple[Stmt, ...]) -> bool:
    """Whether a declared integer has a value of its own until it is assigned, which it is in what follows."""
    init = declare.init
    if init is None or not is_computed(init) or not is_integer(declare.type) or declare.static:
        return False
    assigned = frozenset[str]().union(*map(assigned_variables, following))
    return declare.name in assigned and not used_variables(init) & assigned and not is_volatile(declare.type)


def _keeps(stmt: Stmt) -> bool:
    """Whether a statement gives a variable the value that it has."""
    expr = stmt.expr if isinstance(stmt, Evaluate) else None
    if not isinstance(expr, Assign) or expr.op != "=" or not isinstance(expr.target, Variable):
        return False
    return (
        isinstance(expr.value, Variable) and expr.value.name == expr.target.name and not is_volatile(expr.target.type)
    )


def _is_signed(side: Expr) -> bool:
    return is_integer(side.type) and not integer_of(side.type).unsigned


def _is_signed_type(loop: CanonicalLoop) -> bool:
    return is_integer(loop.type) and not integer_of(loop.type).unsigned
