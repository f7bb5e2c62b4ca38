"""The user's types that kernels and stubs use, declared for a device file that stands alone."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.walk import walk
from accache.diagnostics import Reporter
from accache.emit.printer import Printer
from accache.emit.spelling import base
from accache.ir.regions import Region
from accache.ir.tree import Cast, Declare, Expr, IntLiteral, SizeOf
from accache.ir.types import Array, CType, Enum, Named, Pointer, Record, resolve


def type_declarations(regions: tuple[Region, ...]) -> str:
    """Typedefs, structures and enumerators used in the regions, in an order that compiles.

    Raises CompileError where two functions mean different types by one name.
    """
    printer = Printer({})
    lines: dict[str, str] = {}
    for region in regions:
        own: dict[str, str] = {}
        for ctype in _types(region):
            _declare(ctype, printer, own)
        for key, text in own.items():
            if lines.setdefault(key, text) != text:
                raise Reporter().fail("ACC322", region.location, name=key.removeprefix("typedef "))
    declared = {name for region in regions for ctype in _types(region) for name in _constants(ctype)}
    constants = {
        node.spelling: node.value
        for region in regions
        for node in _enumerators(region)
        if node.spelling not in declared
    }
    texts = list(lines.values())
    if constants:
        texts.append("enum { " + ", ".join(f"{name} = {value}" for name, value in constants.items()) + " };")
    return "\n".join(texts)


def _types(region: Region) -> Iterator[CType]:
    for variable in region.variables:
        yield variable.type
    for node in walk(region.body):
        if isinstance(node, (Declare, Cast)):
            yield node.type
        elif isinstance(node, SizeOf):
            yield node.of


def _constants(ctype: CType) -> tuple[str, ...]:
    """The constants of the enumerations a type is made of."""
    plain = resolve(ctype)
    if isinstance(plain, Pointer):
        return _constants(plain.target)
    if isinstance(plain, Array):
        return _constants(plain.element)
    if isinstance(plain, Record):
        return tuple(name for member in plain.fields or () for name in _constants(member.type))
    return tuple(name for name, _ in plain.values) if isinstance(plain, Enum) else ()


def _enumerators(region: Region) -> Iterator[IntLiteral]:
    for node in walk(region.body):
        if isinstance(node, IntLiteral) and isinstance(node, Expr) and node.spelling.isidentifier():
            yield node


def _declare(ctype: CType, printer: Printer, lines: dict[str, str]) -> None:
    """Add the declarations a type needs, what it is made of first."""
    if isinstance(ctype, Pointer):
        _declare(ctype.target, printer, lines)
    elif isinstance(ctype, Array):
        _declare(ctype.element, printer, lines)
    elif isinstance(ctype, Named):
        if f"typedef {ctype.name}" in lines:
            return
        if isinstance(ctype.type, Record) and ctype.type.tag.startswith("<"):
            text = f"typedef {_record(ctype.type, printer, lines, '')} {ctype.name};"
        else:
            _declare(ctype.type, printer, lines)
            text = f"typedef {printer.declare(ctype.type, ctype.name)};"
        lines[f"typedef {ctype.name}"] = text
    elif isinstance(ctype, Record) and ctype.fields is not None and not ctype.tag.startswith("<"):
        key = f"{ctype.keyword} {ctype.tag}"
        if key not in lines:
            lines[key] = ""
            text = _record(ctype, printer, lines, ctype.tag) + ";"
            del lines[key]
            lines[key] = text
    elif isinstance(ctype, Enum) and ctype.values:
        values = ", ".join(f"{name} = {value}" for name, value in ctype.values)
        lines.setdefault(f"enum {ctype.tag}", f"{base(ctype).removeprefix('const ')} {{ {values} }};")


def _record(record: Record, printer: Printer, lines: dict[str, str], tag: str) -> str:
    members = []
    for member in record.fields or ():
        _declare(member.type, printer, lines)
        bits = f" : {member.bits}" if member.bits is not None else ""
        members.append(f"    {printer.declare(member.type, member.name)}{bits};")
    head = f"{record.keyword} {tag}".rstrip()
    return head + " {\n" + "\n".join(members) + "\n}"
