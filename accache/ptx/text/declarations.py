"""Declarations of PTX: variables with their values, parameters, registers, prototypes."""

from __future__ import annotations

from accache.base.text import Span
from accache.ptx.text.cursor import Cursor
from accache.ptx.text.syntax import Immediate, Initialiser, Name, Pointer, Registers, Sum, Value, Variable

_TYPES = (
    *(".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64"),
    *(".f16", ".f16x2", ".bf16", ".bf16x2", ".f32", ".f64", ".pred", ".texref", ".samplerref", ".surfref"),
)
_VECTORS = (".v2", ".v4", ".v8")
_SPACES = (".global", ".const", ".shared", ".local", ".param")
MAX_REGISTERS = 1 << 20


def parse_variables(cursor: Cursor, start: int, linkage: tuple[str, ...] = ()) -> tuple[Variable, ...]:
    """A declaration of variables, which ends with a semicolon; the cursor stands on their space."""
    with cursor.inside("a declaration"):
        prefix = _prefix(cursor)
        found = [_declarator(cursor, start, linkage, prefix)]
        while cursor.accept(","):
            found.append(_declarator(cursor, cursor.start, linkage, prefix))
        cursor.expect(";", "',' or ';'")
    return tuple(found)


def parse_parameters(cursor: Cursor) -> tuple[Variable, ...]:
    """``(.param .b32 a, .reg .b32 b)``."""
    found: list[Variable] = []
    with cursor.inside("a list of parameters"):
        cursor.expect("(")
        while not cursor.accept(")"):
            if found:
                cursor.expect(",", "',' or ')'")
            if cursor.text not in (".param", ".reg"):
                raise cursor.unexpected("a parameter")
            found.append(_declarator(cursor, cursor.start, (), _prefix(cursor)))
    return tuple(found)


class _Prefix:
    """What stands in front of a variable's name."""

    def __init__(self) -> None:
        self.space = ""
        self.attribute = ""
        self.alignment: int | None = None
        self.vector = ""
        self.type = ""
        self.pointer: Pointer | None = None


def _prefix(cursor: Cursor) -> _Prefix:
    found = _Prefix()
    found.space = cursor.take().text[1:]
    while cursor.kind == "dotted":
        text = cursor.text
        if text in _TYPES and not found.type:
            found.type = cursor.take().text[1:]
        elif text in _VECTORS:
            found.vector = cursor.take().text[1:]
        elif text == ".align":
            cursor.take()
            found.alignment = cursor.integer()
        elif text == ".attribute":
            cursor.take()
            found.attribute = _attribute(cursor)
        elif text == ".ptr":
            found.pointer = _pointer(cursor)
        else:
            raise cursor.unexpected("a type")
    if not found.type:
        raise cursor.unexpected("a type")
    return found


def _attribute(cursor: Cursor) -> str:
    begin = cursor.expect("(").end
    while cursor.text != ")":
        cursor.take()
        if cursor.accept("("):
            while not cursor.accept(")"):
                cursor.take()
    return cursor.source.text[begin : cursor.take().start].strip()


def _pointer(cursor: Cursor) -> Pointer:
    cursor.take()
    space = cursor.take().text[1:] if cursor.text in _SPACES else ""
    alignment = None
    if cursor.accept(".align"):
        alignment = cursor.integer()
    return Pointer(space, alignment)


def _declarator(cursor: Cursor, start: int, linkage: tuple[str, ...], prefix: _Prefix) -> Variable:
    name = cursor.word("a name")
    dimensions: list[int | None] = []
    while cursor.accept("["):
        dimensions.append(None if cursor.text == "]" else cursor.integer("a number of elements"))
        cursor.expect("]")
    value = _value(cursor) if cursor.accept("=") else None
    return Variable(
        prefix.space,
        prefix.type,
        name,
        tuple(dimensions),
        alignment=prefix.alignment,
        vector=prefix.vector,
        linkage=linkage,
        attribute=prefix.attribute,
        pointer=prefix.pointer,
        value=value,
        span=Span(start, cursor.previous_end),
    )


def _value(cursor: Cursor) -> Value:
    if cursor.accept("{"):
        elements: list[Value] = []
        while not cursor.accept("}"):
            if elements:
                cursor.expect(",", "',' or '}'")
            elements.append(_value(cursor))
        return Initialiser(tuple(elements))
    if cursor.kind == "word":
        return parse_sum(cursor)
    return parse_immediate(cursor)


def parse_sum(cursor: Cursor) -> Sum:
    """``name``, ``name+8`` or ``generic(name)+8``."""
    name = cursor.word("a name")
    is_generic = name == "generic" and cursor.accept("(")
    if is_generic:
        name = cursor.word("a variable")
        cursor.expect(")")
    return Sum(Name(name), parse_offset(cursor), is_generic)


def parse_offset(cursor: Cursor) -> Immediate | None:
    """``+4``, ``+-4``, ``-4``, or nothing; the sign of the number is part of it, a plus is not."""
    if cursor.accept("+") or cursor.text == "-":
        return parse_immediate(cursor)
    return None


def parse_immediate(cursor: Cursor) -> Immediate:
    """A number with its sign."""
    sign = cursor.take().text if cursor.text == "-" else ""
    if cursor.kind != "number":
        raise cursor.unexpected("a number")
    return Immediate(sign + cursor.take().text)


def parse_registers(cursor: Cursor) -> Registers:
    """``.reg .type names;``."""
    start = cursor.start
    with cursor.inside("a declaration"):
        prefix = _prefix(cursor)
        names: list[tuple[str, int | None]] = []
        while not names or cursor.accept(","):
            name = cursor.word("a register")
            count = None
            if cursor.accept("<"):
                where = cursor.here
                count = cursor.integer("a number of registers")
                if count > MAX_REGISTERS:
                    raise cursor.reporter.fail("ACC907", where, count=count, limit=MAX_REGISTERS)
                cursor.expect(">")
            names.append((name, count))
        cursor.expect(";", "',' or ';'")
    return Registers(prefix.type, tuple(names), prefix.vector, Span(start, cursor.previous_end))
