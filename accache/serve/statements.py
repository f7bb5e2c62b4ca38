"""Statements of a construct as Python functions, with the turns of its parallel loops told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from accache.ir.openacc.regions import LoopSpec, Private, Region, Subarray
from accache.ir.sizes import sizeof
from accache.ir.tree import (
    Atomic,
    Block,
    Cache,
    Declare,
    Empty,
    Evaluate,
    For,
    If,
    InitList,
    Jump,
    Stmt,
    While,
)
from accache.ir.types import Array, CType, resolve
from accache.serve.expressions import Frame, Get, Names, UnfollowedError, at, converted, getter, number_type
from accache.serve.memory import UNSET, Box, FaultError, Memory, allocated

LARGEST = 1 << 20
"""Elements of an array that a construct declares."""
Do = Callable[[Frame], str]
"""What carries a statement out; the keyword by which that leaves it, '' where it comes to its end."""
Idle = tuple[tuple[int, int], ...]
"""How many elements at the begin and the end of each dimension of a subarray nothing uses."""


class TooLongError(Exception):
    """More turns of loops than are followed."""


class Statements(Struct, dict=True):
    """Makes functions of the statements of a region.

    ``idle`` has of each cached subarray, by its text, what no turn of its region uses, ``missed`` what one uses
    beside it. ``nested`` are the loops that the directive of a loop around them is for, too.
    """

    region: Region
    names: Names = field(default_factory=Names)
    idle: dict[str, Idle] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)
    nested: dict[int, LoopSpec] = field(default_factory=dict)

    def doer(self, stmt: Stmt) -> Do:
        """What carries a statement out; raises UnfollowedError where that is not known, and FaultError of races."""
        make = _MAKERS.get(type(stmt))
        if make is None:
            raise UnfollowedError(f"{at(stmt.location)}: {type(stmt).__name__.lower()}")
        return make(self, stmt)

    def block(self, stmt: Block) -> Do:
        """One statement behind the other."""
        items = [self.doer(item) for item in stmt.items]

        def do(frame: Frame) -> str:
            for item in items:
                left = item(frame)
                if left:
                    return left
            return ""

        return do

    def declare(self, stmt: Declare) -> Do:
        """A variable with its first value, or an array without any."""
        name = stmt.name
        self.names.declared[name] = self.names.depth
        if stmt.static or isinstance(stmt.init, InitList):
            raise UnfollowedError(f"{at(stmt.location)}: this declaration")
        if isinstance(resolve(stmt.type), Array):
            make = self._array(name, stmt.type)

            def new(frame: Frame) -> str:
                frame.arrays[name] = make(frame)
                return ""

            return new
        kind = number_type(stmt.type, stmt.location)
        value = converted(getter(stmt.init, self.names), stmt.init.type, kind) if stmt.init is not None else None

        def do(frame: Frame) -> str:
            frame.values[name] = value(frame) if value is not None else UNSET
            return ""

        return do

    def _array(self, name: str, ctype: CType) -> Callable[[Frame], Memory]:
        """What makes a new array of the construct's own."""
        lengths: list[Get] = []
        plain = resolve(ctype)
        while isinstance(plain, Array):
            if plain.length is None:
                raise UnfollowedError(f"an array without a length, {name}")
            lengths.append(getter(plain.length, self.names))
            plain = resolve(plain.element)
        size, depth = sizeof(plain), self.names.depth

        def make(frame: Frame) -> Memory:
            found = tuple([int(length(frame)) for length in lengths])
            count = 1
            for length in found:
                count *= max(length, 0)
            if not 0 < count <= LARGEST:
                raise UnfollowedError(f"an array of {count} elements, {name}")
            return allocated(name, found, size, depth)

        return make

    def evaluate(self, stmt: Evaluate) -> Do:
        """An expression for what it does."""
        get = getter(stmt.expr, self.names)

        def do(frame: Frame) -> str:
            get(frame)
            return ""

        return do

    def choose(self, stmt: If) -> Do:
        """One of two statements."""
        condition, then = getter(stmt.condition, self.names), self.doer(stmt.then)
        otherwise = self.doer(stmt.otherwise) if stmt.otherwise is not None else None

        def do(frame: Frame) -> str:
            if condition(frame):
                return then(frame)
            return otherwise(frame) if otherwise is not None else ""

        return do

    def repeat(self, stmt: While) -> Do:
        """A loop without a counter."""
        condition, body, at_end = getter(stmt.condition, self.names), self.doer(stmt.body), stmt.at_end

        def do(frame: Frame) -> str:
            goes_on = at_end or bool(condition(frame))
            while goes_on:
                _count(frame)
                left = body(frame)
                if left in ("break", "return"):
                    return left if left == "return" else ""
                goes_on = bool(condition(frame))
            return ""

        return do

    def loop(self, stmt: For) -> Do:
        """A loop; iterations of a parallel one are told apart, and have copies of what is private."""
        spec = stmt.loop or self.nested.get(id(stmt))
        is_parallel = spec is not None and self._is_parallel(spec)
        if stmt.loop is not None:
            self._nest(stmt, stmt.loop)
        init = [self.doer(item) for item in stmt.init]
        condition = getter(stmt.condition, self.names) if stmt.condition is not None else None
        step = getter(stmt.step, self.names) if stmt.step is not None else None
        own, private = self.names.own, self._private(stmt.loop)
        if spec is not None:
            self.names.own |= {item.name for item in spec.private} | {item.variable for item in spec.reductions}
        self.names.depth += is_parallel
        body = self.doer(stmt.body)
        self.names.depth -= is_parallel
        self.names.own = own

        def do(frame: Frame) -> str:
            for item in init:
                item(frame)
            around = frame.notes.path
            frame.begun += 1
            turn, iteration = frame.begun, 0
            while condition is None or condition(frame):
                _count(frame)
                if is_parallel:
                    frame.notes.path = (*around, (turn, iteration))
                    iteration += 1
                    for renew in private:
                        renew(frame)
                left = body(frame)
                frame.notes.path = around
                if left in ("break", "return"):
                    return left if left == "return" else ""
                if step is not None:
                    step(frame)
            return ""

        return do

    def _is_parallel(self, spec: LoopSpec) -> bool:
        return not spec.seq and self.region.kind != "serial" and not self.region.is_unproved(spec)

    def _nest(self, stmt: For, spec: LoopSpec) -> None:
        """Note the loops in a loop that its directive is for, too."""
        inner: Stmt = stmt
        for _ in range(max(spec.collapse, len(spec.tile)) - 1):
            inner = inner.body if isinstance(inner, For) else inner
            while isinstance(inner, (Block, Cache)):
                found = [item for item in inner.items if isinstance(item, For)] if isinstance(inner, Block) else []
                if isinstance(inner, Block) and not found:
                    return
                inner = found[0] if found else inner.body if isinstance(inner, Cache) else inner
            self.nested[id(inner)] = spec

    def _private(self, spec: LoopSpec | None) -> list[Callable[[Frame], None]]:
        """What gives an iteration new copies of what is private to it."""
        return [self._renewed(item) for item in spec.private] if spec is not None else []

    def _renewed(self, item: Private) -> Callable[[Frame], None]:
        name = item.name
        make = self._array(name, item.type) if item.is_array else None

        def renew(frame: Frame) -> None:
            if make is not None:
                frame.arrays[name] = make(frame)
            else:
                frame.values[name] = UNSET

        return renew

    def jump(self, stmt: Jump) -> Do:
        """A way out."""
        if stmt.keyword == "goto" or stmt.value is not None:
            raise UnfollowedError(f"{at(stmt.location)}: {stmt.keyword}")
        keyword = stmt.keyword
        return lambda frame: keyword

    def atomic(self, stmt: Atomic) -> Do:
        """What no other thread comes between."""
        body = self.doer(stmt.body)

        def do(frame: Frame) -> str:
            frame.notes.atomic = True
            left = body(frame)
            frame.notes.atomic = False
            return left

        return do

    def cache(self, stmt: Cache) -> Do:
        """A region, in which uses of what its directives name are noted."""
        boxes = [(item.text, self._box(item)) for item in stmt.subarrays if item.variable and item.dimensions]
        body = self.doer(stmt.body)

        def do(frame: Frame) -> str:
            before = frame.notes.boxes
            named = [(text, box(frame)) for text, box in boxes]
            frame.notes.boxes = [*before, *(box for _, box in named)]
            left = body(frame)
            frame.notes.boxes = before
            for text, box in named:
                self._note(text, box)
            return left

        return do

    def _box(self, item: Subarray) -> Callable[[Frame], Box]:
        name = item.variable
        bounds = [
            (
                getter(part.lower, self.names) if part.lower else None,
                getter(part.length, self.names) if part.length else None,
            )
            for part in item.dimensions
        ]

        def make(frame: Frame) -> Box:
            memory = frame.arrays.get(name)
            if memory is None:
                raise FaultError(f"{at(item.location)}: {item.name} is not on the device: no data clause names it")
            parts = [*bounds, *[(None, None)] * (len(memory.lengths) - len(bounds))]
            lower = tuple([int(low(frame)) if low else 0 for low, _ in parts])
            whole = zip(parts, memory.lengths, lower, strict=True)
            length = tuple([int(count(frame)) if count else most - low for (_, count), most, low in whole])
            return Box(name, lower, length)

        return make

    def _note(self, text: str, box: Box) -> None:
        """Keep the least that was idle of a subarray in any turn of its region, and what one used beside it."""
        if box.missed:
            self.missed.setdefault(text, box.missed)
        if box.idle is not None:
            known = self.idle.get(text, box.idle)
            pairs = zip(known, box.idle, strict=True)
            self.idle[text] = tuple((min(one[0], two[0]), min(one[1], two[1])) for one, two in pairs)


def _count(frame: Frame) -> None:
    frame.left -= 1
    if frame.left < 0:
        raise TooLongError


def _nothing(statements: Statements, stmt: Empty) -> Do:
    return lambda frame: ""


_MAKERS: Mapping[type[Stmt], Callable[..., Do]] = {
    Block: Statements.block,
    Declare: Statements.declare,
    Evaluate: Statements.evaluate,
    If: Statements.choose,
    While: Statements.repeat,
    For: Statements.loop,
    Jump: Statements.jump,
    Atomic: Statements.atomic,
    Cache: Statements.cache,
    Empty: _nothing,
}
