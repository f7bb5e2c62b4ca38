"""The user's types that kernels and stubs use, declared where they do not see the user's own declarations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from msgspec import Struct, field
from msgspec.structs import replace

from accache.emit.expressions import ExpressionPrinter
from accache.emit.spelling import base, defined, spelled, width
from accache.ir.arrays import base_type
from accache.ir.build import INT
from accache.ir.openacc.regions import Program, Region
from accache.ir.openacc.routines import Routine
from accache.ir.tree import Cast, Declare, Expr, IntLiteral, SizeOf, Stmt
from accache.ir.types import Array, CType, Enum, Function, Named, Pointer, Record, holds, is_complex
from accache.ir.walk import walk


def type_declarations(program: Program, beside_program: bool = False) -> str:
    """Enumerations, typedefs, structures and constants that the device uses, in an order that compiles.

    Text ``beside_program`` sees what the program declares at file scope; it lacks only what functions
    declare and what has no name.
    """
    found = _Declarations(beside_program)
    for region in program.regions:
        for variable in region.variables:
            found.add(variable.type)
        for root in _printed(region):
            found.used_in(root)
    for routine in program.routines:
        for ctype in (routine.result, *(item.type for item in routine.parameters)):
            found.add(ctype)
        if routine.body is not None:
            found.used_in(routine.body)
    for resident in program.residents:
        found.add(resident.pointer)
    for constant in () if beside_program else program.constants:
        found.used_in(constant.value)
        value = found.printer.expression(constant.value)
        declared = found.printer.declare(constant.type, found.printer.name(constant.name))
        found.types[constant.name] = f"static {declared} = {value};"
    return found.text()


def uses_complex(item: Region | Routine) -> bool:
    """Whether a construct or routine names or computes complex numbers."""
    variables = item.variables if isinstance(item, Region) else item.parameters
    types = [variable.type for variable in variables]
    if isinstance(item, Routine):
        types.append(item.result)
    if item.body is not None:
        types += [node.type for node in walk(item.body) if isinstance(node, (Expr, Declare))]
    return any(is_complex(base_type(ctype)) for ctype in types)


def _printed(region: Region) -> Iterator[Expr | Stmt]:
    """What of a region its kernels and its stub print."""
    yield region.body
    yield from region.tables
    yield from (size for _, size in region.sizes)
    for clause in region.data:
        for part in clause.subarray.dimensions:
            yield from (end for end in (part.lower, part.length) if end is not None)


class _Declarations(Struct, dict=True):
    """Collects declarations by what they declare; enumerations stand first, since array lengths may use them."""

    beside_program: bool
    enumerations: dict[str, str] = field(default_factory=dict)
    enumerators: set[str] = field(default_factory=set)
    constants: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    printer: ExpressionPrinter = field(default_factory=lambda: ExpressionPrinter({}))

    def text(self) -> str:
        """All declarations."""
        loose = {name: value for name, value in self.constants.items() if name not in self.enumerators}
        own = [f"{spelled(name)} = {value}" for name, value in loose.items() if holds(INT, value)]
        wide = [f"{spelled(name)} = {value}" for name, value in loose.items() if not holds(INT, value)]
        enums = [f"enum {{ {', '.join(items)} }};" for items in (own, wide) if items]
        return "\n".join([*self.enumerations.values(), *enums, *self.types.values()])

    def used_in(self, root: Expr | Stmt) -> None:
        """Add the types and enumerators that some text names."""
        for node in walk(root):
            if isinstance(node, (Declare, Cast)):
                self.add(node.type)
            elif isinstance(node, SizeOf):
                self.add(node.of)
            elif isinstance(node, IntLiteral):
                self.constant(node)

    def constant(self, node: IntLiteral) -> None:
        """Add an enumerator that is used by its name."""
        name = node.exported or node.spelling
        if name.isidentifier() and (node.exported or not self.beside_program):
            self.constants[name] = node.value

    def add(self, ctype: CType) -> None:
        """Add the declarations a type needs, what it is made of first."""
        if isinstance(ctype, Pointer):
            self.add(ctype.target)
        elif isinstance(ctype, Array):
            if ctype.length is not None:
                self.used_in(ctype.length)
            self.add(ctype.element)
        elif isinstance(ctype, Function):
            for part in (ctype.result, *ctype.parameters):
                self.add(part)
        elif _written_out(ctype):
            for member in ctype.fields or ():
                self.add(member.type)
        elif isinstance(ctype, (Named, Record, Enum)) and (ctype.exported or not self.beside_program):
            self.declare(ctype)

    def declare(self, ctype: Named | Record | Enum) -> None:
        """Add a type that has a name, unless it is there."""
        key = base(ctype).removeprefix("const ")
        if isinstance(ctype, Enum):
            if ctype.values and (ctype.tag or ctype.exported):
                named = ((spelled(name), value) for name, value in ctype.values)
                values = ", ".join(name if value is None else f"{name} = {value}" for name, value in named)
                self.enumerations[key] = f"{key} {{ {values} }};"
                self.enumerators |= {name for name, _ in ctype.values}
        elif key in self.types:
            return
        elif isinstance(ctype, Named):
            self.types[key] = self.typedef(ctype, key)
        elif ctype.fields is not None:
            self.types[key] = ""
            text = f"{self.record(ctype, defined(ctype, key.removeprefix(ctype.keyword).lstrip()))};"
            del self.types[key]
            self.types[key] = text

    def typedef(self, ctype: Named, name: str) -> str:
        """The declaration of a typedef name."""
        if _written_out(ctype.type):
            return f"typedef {self.record(ctype.type, defined(ctype.type))} {name};"
        self.add(ctype.type)
        return f"typedef {self.printer.declare(ctype.type, name)};"

    def record(self, record: Record, head: str) -> str:
        """The definition of a structure or union."""
        members = []
        names = frozenset(member.name for member in record.fields or ())
        for member in record.fields or ():
            self.add(member.type)
            name = self.printer.declare(_beside(names, member.type), spelled(member.name))
            members.append(f"    {name}{width(member)};")
        return head + " {\n" + "\n".join(members) + "\n}"


def _written_out(ctype: CType) -> TypeGuard[Record]:
    """Whether a structure or union has no name, so that its definition stands where its type is used."""
    return isinstance(ctype, Record) and ctype.tag.startswith("<") and not ctype.exported


def _beside(members: frozenset[str], ctype: CType) -> CType:
    """The type of a member, its typedef name qualified where a member has the same name: C++ keeps no two spaces."""
    if isinstance(ctype, Pointer):
        return replace(ctype, target=_beside(members, ctype.target))
    if isinstance(ctype, Array):
        return replace(ctype, element=_beside(members, ctype.element))
    if isinstance(ctype, Named) and (ctype.exported or ctype.name) in members:
        return replace(ctype, name=f"::{ctype.exported or ctype.name}", exported="")
    return ctype
