"""Initialisers in braces: the part of an object that each value is for, by designators and inner braces (C17 6.7.9).

C++ wants its designators in order, and converts less between braces than C, so kernels have neither designators nor
missing braces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from pycparser import c_ast

from accache.base.text import Location
from accache.frontend.c.literals import character_value
from accache.frontend.c.scope import Scope
from accache.frontend.c.types import ESCAPE, string_type
from accache.frontend.source.parser import RANGE
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.tree import STEPPING, Expr, InitList, IntLiteral
from accache.ir.types import Array, CType, Record, is_integer, resolve

_MOST_ELEMENTS = 1 << 16
"""What GNU C's ``[0 ... 3] = 1`` may name: the values are arranged one by one."""

Slots = dict[int, Any]
"""The values of an object's parts by position: pycparser's expressions, or the slots of an array or structure."""


class Unreadable(Exception):
    """An initialiser that has no meaning, or one that cannot be told; ``construct`` says what stands at ``node``."""

    def __init__(self, node: Any, construct: str) -> None:
        super().__init__(construct)
        self.node, self.construct = node, construct


class _Level(Struct):
    """An object whose parts are being initialised, and the part that the last value was for."""

    slots: Slots
    type: CType
    position: int = -1

    def choose(self, position: int) -> None:
        """Go to a part; a union holds one."""
        self.position = position
        if isinstance(self.type, Record) and self.type.keyword == "union":
            for other in self.slots.keys() - {position}:
                del self.slots[other]


class Initialisers(Struct, frozen=True):
    """Builds initialisers.

    ``build`` makes an expression, ``quietly`` too, but gives None for what only the host knows; ``complete`` gives a
    record its members, ``location`` the place of a node.
    """

    build: Callable[[Any, Scope], Expr]
    quietly: Callable[[Any, Scope], Expr | None]
    complete: Callable[[CType], CType]
    location: Callable[[Any], Location]

    def initialiser(self, node: Any, ctype: CType, scope: Scope) -> Expr:
        """What gives an object of a type its first value; raises Unreadable."""
        if not isinstance(node, c_ast.InitList):
            return self._value(ctype, node, scope)
        slots = _Arranger(self.complete, lambda item: self.quietly(item, scope)).braced(node, ctype)
        return self._filled(ctype, slots, node, scope)

    def count(self, node: c_ast.InitList, array: Array, scope: Scope) -> int | None:
        """How many elements an initialiser gives an array without a length; None if that cannot be told."""
        try:
            slots = _Arranger(self.complete, lambda item: self.quietly(item, scope)).braced(node, array)
        except Unreadable:
            return None
        return max(slots, default=-1) + 1 if isinstance(slots, dict) else constant(string_type(slots.value).length)

    def _filled(self, ctype: CType, value: Any, node: c_ast.InitList, scope: Scope) -> Expr:
        """The value of a part: an expression, the slots of its own parts, or None for zero."""
        plain, where = self.complete(resolve(ctype)), self.location(node)
        if value is None:
            has_parts = isinstance(plain, (Array, Record))
            return InitList(ctype, where, ()) if has_parts else IntLiteral(INT, where, 0, "0")
        if not isinstance(value, dict):
            return self._value(ctype, value, scope)
        if isinstance(plain, Record) and plain.keyword == "union" and any(value):
            raise Unreadable(node, "a value for a union's second member")
        parts = tuple(_part(plain, number) for number in range(max(value, default=-1) + 1))
        items = (self._filled(part, value.get(number), node, scope) for number, part in enumerate(parts))
        return InitList(ctype, where, tuple(items), parts)

    def _value(self, ctype: CType, node: Any, scope: Scope) -> Expr:
        """One expression; of a string without room for its end the characters, as C++ wants that room."""
        array, where = resolve(ctype), self.location(node)
        is_string = isinstance(node, c_ast.Constant) and node.value.startswith('"')
        texts = ESCAPE.findall(node.value[1:-1]) if is_string else []
        values = [character_value(f"'{text}'") for text in texts]
        if not texts or not isinstance(array, Array) or constant(array.length) != len(texts):
            return self.build(node, scope)
        if any(value is None or value < 0 for value in values):
            return self.build(node, scope)
        items = tuple(IntLiteral(INT, where, value or 0, str(value)) for value in values)
        return InitList(ctype, where, items, (array.element,) * len(items))


class _Arranger(Struct, frozen=True):
    """Arranges values in slots; ``read`` gives an expression, or None for what only the host knows."""

    complete: Callable[[CType], CType]
    read: Callable[[Any], Expr | None]

    def braced(self, node: c_ast.InitList, ctype: CType) -> Any:
        """The slots of an object that a list gives its value, or the one expression of a number; raises Unreadable."""
        return self._list(node, self._plain(ctype))

    def _slots(self, node: c_ast.InitList, ctype: CType) -> Slots:
        """The values of a list for an object that has parts."""
        levels = [_Level({}, self._plain(ctype))]
        for item in node.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                for named in self._each(item):
                    self._designate(levels, named)
                    self._put(levels, named.expr)
            else:
                self._advance(levels, item)
                self._put(levels, item)
        return levels[0].slots

    def _plain(self, ctype: CType) -> CType:
        return self.complete(resolve(ctype))

    def _each(self, item: c_ast.NamedInitializer) -> Iterator[c_ast.NamedInitializer]:
        """An item for each element that GNU C's ``[0 ... 3] = 1`` names; any other item by itself."""
        number = next((number for number, part in enumerate(item.name) if _range(part)), None)
        if number is None:
            yield item
            return
        first, last = (constant(self.read(end)) for end in _range(item.name[number]))
        if first is None or last is None or last - first >= _MOST_ELEMENTS or _may_have_effects(item.expr):
            raise Unreadable(item, "this designator")
        for position in range(first, last + 1):
            place = c_ast.ArrayDesignator(c_ast.Constant("int", str(position), item.coord))
            names = [*item.name[:number], place, *item.name[number + 1 :]]
            yield from self._each(c_ast.NamedInitializer(names, item.expr, item.coord))

    def _designate(self, levels: list[_Level], item: c_ast.NamedInitializer) -> None:
        """Go to the part that designators name."""
        del levels[1:]
        for number, designator in enumerate(item.name):
            if number:
                self._enter(levels, item)
            levels[-1].choose(self._position(levels[-1].type, designator))

    def _enter(self, levels: list[_Level], item: c_ast.NamedInitializer) -> None:
        """Go into the part that the last designator has named."""
        outer = levels[-1]
        levels.append(_Level(self._inside(outer, item), self._plain(_part(outer.type, outer.position))))

    @staticmethod
    def _inside(level: _Level, node: Any) -> Slots:
        """The slots of the part at hand, those that have values among them."""
        found = level.slots.setdefault(level.position, {})
        if not isinstance(found, dict):
            raise Unreadable(node, "a value inside of a part that has a value already")
        return found

    def _position(self, ctype: CType, designator: Any) -> int:
        """The part that a designator names."""
        found: int | None = None
        if isinstance(ctype, Array) and isinstance(designator, c_ast.ArrayDesignator):
            found, length = constant(self.read(designator.expr)), constant(ctype.length)
            found = None if found is None or found < 0 or (length is not None and found >= length) else found
        elif isinstance(ctype, Record) and isinstance(designator, c_ast.ID):
            names = [member.name for member in ctype.members]
            found = names.index(designator.name) if designator.name in names else None
        if found is None:
            raise Unreadable(designator, "this designator")
        return found

    def _advance(self, levels: list[_Level], item: Any) -> None:
        """Go to the part behind the last one."""
        while True:
            level = levels[-1]
            following, count = level.position + 1, self._count(level.type)
            if count is None or following < count:
                level.choose(following)
                return
            if len(levels) == 1:
                raise Unreadable(item, "an initialiser with more values than parts")
            levels.pop()

    def _count(self, ctype: CType) -> int | None:
        """How many parts an initialiser without designators can fill; None for arrays whose length it decides."""
        if isinstance(ctype, Array):
            return constant(ctype.length)
        assert isinstance(ctype, Record)
        return min(1, len(ctype.members)) if ctype.keyword == "union" else len(ctype.members)

    def _put(self, levels: list[_Level], value: Any) -> None:
        """Store a value in the part at hand, or in the first one inside of it where its braces are missing."""
        while True:
            level = levels[-1]
            part = self._plain(_part(level.type, level.position))
            has_parts = isinstance(part, (Array, Record))
            if isinstance(value, c_ast.InitList):
                level.slots[level.position] = self._list(value, part)
                return
            if not has_parts or self._fills(part, value):
                level.slots[level.position] = value
                return
            levels.append(_Level(self._inside(level, value), part))
            self._advance(levels, value)

    def _list(self, node: c_ast.InitList, part: CType) -> Any:
        """The slots of a part that has braces of its own; a number or a string may have some, too."""
        only = node.exprs[0] if len(node.exprs) == 1 else None
        if isinstance(part, (Array, Record)):
            is_string = only is not None and isinstance(part, Array) and self._fills(part, only)
            return only if is_string else self._slots(node, part)
        if only is None or isinstance(only, (c_ast.InitList, c_ast.NamedInitializer)):
            raise Unreadable(node, "this initialiser of a number")
        return only

    def _fills(self, part: CType, value: Any) -> bool:
        """Whether one expression initialises a whole array or structure."""
        if isinstance(part, Array):
            return isinstance(value, c_ast.Constant) and value.type == "string" and is_integer(part.element)
        if isinstance(value, c_ast.Constant):
            return False
        found = self.read(value)
        if found is None:
            raise Unreadable(value, "an initialiser whose type cannot be told")
        whole = resolve(found.type)
        return isinstance(whole, Record) and isinstance(part, Record) and _key(whole) == _key(part)


def _range(designator: Any) -> tuple[Any, ...]:
    """The first and the last of the positions that a designator of GNU C names; nothing for one of C."""
    place = getattr(designator, "expr", None)
    return (place.left, place.right) if isinstance(place, c_ast.BinaryOp) and place.op == RANGE else ()


def _may_have_effects(node: Any) -> bool:
    """Whether it may matter how often an expression is evaluated."""
    if isinstance(node, (c_ast.FuncCall, c_ast.Assignment)) or getattr(node, "op", "") in STEPPING:
        return True
    return any(_may_have_effects(child) for _, child in node.children())


def _part(ctype: CType, position: int) -> CType:
    """The type of a part of an array, or of a structure or union whose members are known."""
    assert isinstance(ctype, (Array, Record))
    return ctype.element if isinstance(ctype, Array) else ctype.members[position].type


def _key(record: Record) -> tuple[str, str, str]:
    """What tells structures and unions from each other."""
    return record.keyword, record.tag, record.exported
