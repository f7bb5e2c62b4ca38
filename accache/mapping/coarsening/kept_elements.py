"""Elements of arrays that a sequential loop updates again and again: a register holds them while the loop goes on.

Before: ``for (int k = 0; k < n; ++k) c[i*n + j] += a[i*n + k] * b[k*n + j];``. After::

    if (0 < n) {
        float c_element = c[i*n + j];
        for (int k = 0; k < n; ++k)
            c_element += a[i*n + k] * b[k*n + j];
        c[i*n + j] = c_element;
    }

Only where all that the loop refers to of the array is that element, where nothing else in the loop may be the same
memory, and where the loop writes it in each iteration, or the statement in front of it has written it: nothing is
stored that the program does not store. Threads with several iterations then have a register for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.accesses import accesses_of
from accache.analysis.aliasing import may_overlap
from accache.analysis.calls import collective_calls, passed
from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.loop_context import EVERYWHERE, Definitions, LoopContext, subscripts_of
from accache.analysis.uniformity import leaving_jumps
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import BOOL
from accache.ir.kernels.simt import CacheRegion, CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import FreeVariable
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Binary,
    Block,
    Cache,
    Call,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Jump,
    Label,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, Array, integer_of, is_array, resolve, unqualified
from accache.ir.walk import map_children, nodes_of, rewrite, single_definitions, used_variables, varying_variables, walk


def with_kept_elements(
    body: Stmt, variables: Iterable[FreeVariable], changing: frozenset[str], is_tested: bool = False
) -> Stmt:
    """A mapped kernel's body; those of its region's variables that are ``changing`` lie in memory that threads share.

    If it ``is_tested`` when the kernel is launched, no two of the region's arrays are the same memory.
    """
    declarations = list(nodes_of(body, Declare))
    declared = frozenset(node.name for node in declarations if is_array(node.type) and not node.static)
    kept = sum(_MARK in node.name for node in declarations)  # another walk may have kept some before this one
    cached = {item.variable for node in nodes_of(body, Cache) for item in node.subarrays}
    cached |= {tile.array for node in nodes_of(body, CacheRegion) for tile in node.tiles}
    known = {item.name: item for item in variables}
    left = frozenset(cached) - declared
    definitions = single_definitions(body)
    return _Keeper(
        known, changing, is_tested, left, declared=declared, definitions=definitions, numbers=count(kept + 1)
    ).statement(body)


_MARK = "#kept"
"""What a register's name has behind the user's part of it, before its number."""


def kept_arrays(body: Stmt) -> frozenset[str]:
    """The arrays to which a kernel refers only where registers take an element, and where they give it back."""
    named = Counter(array for node in walk(body) if isinstance(node, Subscript) for array in _array(node))
    given_back = [
        (node.value.name, array)
        for node in walk(body)
        if isinstance(node, Assign) and isinstance(node.value, Variable) and _MARK in node.value.name
        for array in _array(node.target)
    ]
    held = Counter(array for _, array in given_back)
    arrays = dict(given_back)
    for node in walk(body):
        if isinstance(node, Declare) and node.init is not None and arrays.get(node.name) in _array(node.init):
            held.update(_array(node.init))  # what it begins with may be another array's element
    return frozenset(array for array, times in held.items() if times == named[array])


class _Element(Struct, frozen=True):
    """An element that a loop updates: one of its references, and whether the loop reads it before it writes it."""

    place: Subscript
    array: str
    is_read: bool


class _Keeper(Struct, dict=True):
    """Walks a kernel; ``is_alone`` in an innermost parallel loop, where each thread goes its way.

    Arrays called ``left`` stay in memory: cache directives name them. ``declared`` are objects of the kernel's own.
    ``before`` is the statement before the one at hand in its block.
    """

    variables: Mapping[str, FreeVariable]
    changing: frozenset[str]
    is_tested: bool
    left: frozenset[str]
    declared: frozenset[str]
    definitions: Definitions
    numbers: Iterator[int]
    is_alone: bool = False
    context: LoopContext = EVERYWHERE
    before: Stmt | None = None

    def statement(self, stmt: Stmt) -> Stmt:
        """A statement in the place of another one."""
        found = self.statements(stmt)
        return found[0] if len(found) == 1 else Block(stmt.location, found)

    def statements(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """The statements in the place of one."""
        if isinstance(stmt, Block):
            return (self.block(stmt),)
        if isinstance(stmt, ParallelFor):
            return (self.parallel(stmt),)
        if isinstance(stmt, For):
            return self.loop(stmt)
        if isinstance(stmt, (If, While, Cache, CacheRegion)):
            return (map_children(stmt, lambda node: self.statement(node) if isinstance(node, Stmt) else node),)
        return (stmt,)

    def block(self, block: Block) -> Block:
        """A block, whose statements may become several."""
        items: list[Stmt] = []
        for item in block.items:
            self.before = items[-1] if items else None
            found = list(self.statements(item))
            start = _started(items[-1], found[0]) if items and len(found) > 1 else None
            if start is not None:
                items[-1:], found = [start], found[1:]
            items += found
        same = len(items) == len(block.items) and all(new is old for new, old in zip(items, block.items, strict=True))
        return block if same else replace(block, items=tuple(items))

    def parallel(self, loop: ParallelFor) -> ParallelFor:
        """A parallel loop; only in the innermost ones each thread goes its way."""
        before = self.is_alone
        self.is_alone = bool(loop.block) and not any(nodes_of(loop.body, ParallelFor))
        around, self.context = self.context, self.context.inside(loop, self.definitions)
        self.before = None  # which one thread may do for all
        body = self.statement(loop.body)
        self.is_alone = before
        self.context = around
        return loop if body is loop.body else replace(loop, body=body)

    def loop(self, loop: For) -> tuple[Stmt, ...]:
        """A sequential loop, with what stands in front of it and behind it."""
        canonical = canonical_loop(loop)
        if isinstance(canonical, str) or not self.is_alone or not _is_simple(loop):
            return (self.inside(loop),)
        may_not_start = not self.starts(canonical)
        if may_not_start and any(nodes_of(loop, Cache)):
            return (self.inside(loop),)  # a condition around it would have to be the same for all threads
        elements = list(self.elements(loop))
        if not elements:
            return (self.inside(loop),)
        assigned: tuple[Stmt, ...] = ()
        starts: Expr = Binary(BOOL, loop.location, canonical.operator, canonical.first, canonical.limit)
        if may_not_start and not isinstance(loop.init[0], Declare) and loop.condition is not None:
            # who reads the counter behind the loop finds the first value there, also if no iteration runs
            assigned, starts, loop = loop.init, loop.condition, replace(loop, init=())
        before: list[Stmt] = []
        after: list[Stmt] = []
        for element in elements:
            place, where = element.place, element.place.location
            ctype = unqualified(place.type)
            name = f"{user_name(element.array)}_element{_MARK}{next(self.numbers)}"
            register = Variable(ctype, where, name)
            rewritten = rewrite(loop, _replacing(element.array, register))
            assert isinstance(rewritten, For)
            loop = rewritten
            before.append(Declare(loop.location, name, ctype, place if element.is_read else None))
            after.append(Evaluate(where, Assign(place.type, where, "=", place, register)))
        found = (*before, self.inside(loop), *after)
        return (*assigned, If(loop.location, starts, Block(loop.location, found))) if may_not_start else found

    def starts(self, loop: CanonicalLoop) -> bool:
        """Whether a loop is known to have an iteration."""
        first, limit = (index_polynomial(bound, self.definitions) for bound in (loop.first, loop.limit))
        wraps = any(integer_of(bound.type).unsigned for bound in (loop.first, loop.limit))
        if first is None or limit is None or wraps or integer_of(loop.type).unsigned or loop.operator == "!=":
            return constant_trips(loop) > 0
        span = (limit - first if loop.is_increasing else first - limit) - (loop.operator in ("<", ">"))
        return self.context.proves_nonnegative(span)

    def inside(self, loop: For) -> For:
        """A loop whose elements stay where they are, with the loops in it."""
        around, self.context = self.context, self.context.inside(loop, self.definitions)
        body = self.statement(loop.body)
        self.context = around
        return loop if body is loop.body else replace(loop, body=body)

    def elements(self, loop: For) -> Iterator[_Element]:
        """The elements that a register may hold while a loop goes on."""
        found = accesses_of(loop, frozenset())
        arrays = found.reads | found.writes
        heads = frozenset[str]().union(*map(used_variables, _head(loop)))
        for array in dict.fromkeys(name for place in _targets(loop.body) for name in _array(place)):
            places = [node for node in nodes_of(loop, Subscript) if array in _array(node)]
            keys = {_key(place) for place in places}
            if array in self.left | heads or len(keys) > 1 or not all(self.stays(place, loop) for place in places):
                continue
            if sum(isinstance(node, Variable) and node.name == array for node in walk(loop)) > len(places):
                continue
            is_stored = _is_stored(loop, array) or _stores(self.before, places[0])
            if is_stored and all(self.is_apart(array, other) for other in arrays - {array}):
                yield _Element(places[0], array, _is_read_first(loop, array))

    def stays(self, place: Subscript, loop: For) -> bool:
        """Whether a reference is one element, a number, throughout a loop."""
        plain = resolve(place.type)
        names = used_variables(place)
        is_number = isinstance(plain, Arithmetic) and not plain.volatile
        return is_number and _key(place) is not None and not names & (varying_variables(loop) | self.changing)

    def is_apart(self, array: str, other: str) -> bool:
        """Whether two arrays are known not to be the same memory."""
        names = {array, other}
        if not names <= self.declared | self.variables.keys():
            return False  # a pointer of the kernel's own may lead anywhere
        if names & self.declared or self.is_tested:
            return True
        return not may_overlap(self.variables[array], self.variables[other])


def _is_simple(loop: For) -> bool:
    """Whether a thread goes through a loop alone, and leaves it at its end."""
    inside = walk(loop)
    if any(isinstance(node, (ParallelFor, Label)) for node in inside) or any(collective_calls(loop)):
        return False
    if any(isinstance(node, Call) and node.callee is not None and any(passed(node)) for node in inside):
        return False  # a routine may follow addresses in the memory that it is handed
    return not any(isinstance(node, Jump) and node.keyword in ("return", "goto") for node in inside)


def _head(loop: For) -> tuple[Expr | Stmt, ...]:
    """What decides how often a loop runs."""
    return (*loop.init, *(part for part in (loop.condition, loop.step) if part is not None))


def _targets(stmt: Stmt) -> Iterator[Expr]:
    """What the assignments in a statement change, but for atomic ones."""
    atomic = {id(node) for around in nodes_of(stmt, Atomic) for node in walk(around)}
    for node in walk(stmt):
        if id(node) in atomic:
            continue
        if isinstance(node, Assign):
            yield node.target
        elif isinstance(node, Unary) and node.op in STEPPING:
            yield node.operand


def _array(place: Expr) -> frozenset[str]:
    """The name of the array whose element an expression is, as a set; none for another expression."""
    if not isinstance(place, Subscript) or isinstance(resolve(place.type), Array):
        return frozenset()
    base, _ = subscripts_of(place)
    inner = place.base
    while isinstance(inner, Subscript):
        if not isinstance(resolve(inner.type), Array):
            return frozenset()  # an address from memory leads on
        inner = inner.base
    return frozenset((base.name,)) if isinstance(base, Variable) else frozenset()


def _key(place: Subscript) -> tuple[Polynomial, ...] | None:
    """What tells an element of an array from the others."""
    _, subscripts = subscripts_of(place)
    known = [index_polynomial(subscript) for subscript in subscripts]
    return None if any(index is None for index in known) else tuple(index for index in known if index is not None)


def _replacing(array: str, register: Variable) -> Callable[[Expr | Stmt], Expr | Stmt]:
    """What puts a variable into the place of an array's element."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return (
            replace(register, location=node.location) if isinstance(node, Subscript) and array in _array(node) else node
        )

    return change


def _certain(stmt: Stmt) -> Iterator[Stmt]:
    """The plain statements that run whenever a statement does."""
    if isinstance(stmt, (Block, Cache)):
        for item in stmt.items if isinstance(stmt, Block) else (stmt.body,):
            yield from _certain(item)
    elif isinstance(stmt, For) and _runs(stmt):
        yield from _certain(stmt.body)
    elif isinstance(stmt, (Evaluate, Declare)):
        yield stmt


def _is_stored(loop: For, array: str) -> bool:
    """Whether each iteration of a loop stores an array's element, and begins with it what it does to the array."""
    if any(leaving_jumps(loop.body)) or not isinstance(_first_use(loop.body, array), Evaluate):
        return False
    return any(_writes(stmt, array) for stmt in _certain(loop.body))


def _stores(before: Stmt | None, place: Subscript) -> bool:
    """Whether a statement gives an element a value: who stores it once more disturbs nobody."""
    expr = before.expr if isinstance(before, Evaluate) else None
    if not isinstance(expr, Assign) or not isinstance(expr.target, Subscript) or _array(expr.target) != _array(place):
        return False
    return _key(expr.target) == _key(place)


def _runs(loop: For) -> bool:
    """Whether all of a loop's body runs at least once."""
    canonical = canonical_loop(loop)
    is_long = isinstance(canonical, CanonicalLoop) and constant_trips(canonical) > 0
    return is_long and not any(leaving_jumps(loop.body))


def _writes(stmt: Stmt, array: str) -> bool:
    """Whether a plain statement is an assignment to an element of an array."""
    expr = stmt.expr if isinstance(stmt, Evaluate) else None
    if isinstance(expr, Assign):
        return array in _array(expr.target)
    return isinstance(expr, Unary) and expr.op in STEPPING and array in _array(expr.operand)


def _started(before: Stmt, declare: Stmt) -> Declare | None:
    """The declaration of a register that begins with what its element gets right before; None if that is nothing."""
    expr = before.expr if isinstance(before, Evaluate) else None
    if not isinstance(declare, Declare) or not isinstance(declare.init, Subscript) or not isinstance(expr, Assign):
        return None
    array = _array(declare.init)
    if expr.op != "=" or not array or _array(expr.target) != array or array & used_variables(expr.value):
        return None
    assert isinstance(expr.target, Subscript)
    return replace(declare, init=expr.value) if _key(expr.target) == _key(declare.init) else None


def _first_use(stmt: Stmt, array: str) -> Stmt:
    """The first of a statement's parts that run whenever it does which uses an array."""
    while isinstance(stmt, (Block, Cache)) or (isinstance(stmt, For) and _runs(stmt)):
        items = stmt.items if isinstance(stmt, Block) else (stmt.body,)
        stmt = next(item for item in items if array in used_variables(item))
    return stmt


def _is_read_first(loop: For, array: str) -> bool:
    """Whether a loop may read an array's element before it writes it."""
    first = _first_use(loop.body, array)
    expr = first.expr if isinstance(first, Evaluate) else None
    if not isinstance(expr, Assign) or expr.op != "=" or array not in _array(expr.target):
        return True
    return array in used_variables(expr.value)
