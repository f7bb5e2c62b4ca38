"""The user's types that kernels and stubs use, declared where they do not see the user's own declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from accache.analysis.walk import walk
from accache.emit.printer import Printer
from accache.emit.spelling import base
from accache.ir.regions import Region
from accache.ir.tree import Cast, Declare, Expr, IntLiteral, SizeOf, Stmt
from accache.ir.types import Array, CType, Enum, Function, Named, Pointer, Record


def type_declarations(regions: Iterable[Region], beside_program: bool = False) -> str:
    """Enumerations, typedefs and structures used in the regions, in an order that compiles.

    Text ``beside_program`` sees what the program declares at file scope; it lacks only what functions
    declare and what has no name.
    """
    found = _Declarations(beside_program)
    for region in regions:
        for ctype in _types(region):
            found.add(ctype)
        for node in _nodes(region):
            if isinstance(node, IntLiteral):
                found.constant(node)
    return found.text()


def _nodes(region: Region) -> Iterator[Expr | Stmt]:
    """Everything of a region that its kernels and its stub may print."""
    dimensions = [part for clause in region.data for part in clause.subarray.dimensions]
    ends = [end for part in dimensions for end in (part.lower, part.length)]
    for root in (region.body, *(size for _, size in region.sizes), *ends):
        yield from walk(root) if root is not None else ()


def _types(region: Region) -> Iterator[CType]:
    for variable in region.variables:
        yield variable.type
    for node in _nodes(region):
        if isinstance(node, (Declare, Cast)):
            yield node.type
        elif isinstance(node, SizeOf):
            yield node.of


@dataclass
class _Declarations:
    """Collects declarations by what they declare; enumerations stand first, since array lengths may use them."""

    beside_program: bool
    enumerations: dict[str, str] = field(default_factory=dict)
    enumerators: set[str] = field(default_factory=set)
    constants: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    printer: Printer = field(default_factory=lambda: Printer({}))

    def text(self) -> str:
        """All declarations."""
        loose = {name: value for name, value in self.constants.items() if name not in self.enumerators}
        own = ", ".join(f"{name} = {value}" for name, value in loose.items())
        return "\n".join([*self.enumerations.values(), *([f"enum {{ {own} }};"] if own else []), *self.types.values()])

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
            for node in walk(ctype.length) if ctype.length is not None else ():
                if isinstance(node, IntLiteral):
                    self.constant(node)
            self.add(ctype.element)
        elif isinstance(ctype, Function):
            for part in (ctype.result, *ctype.parameters):
                self.add(part)
        elif isinstance(ctype, (Named, Record, Enum)) and (ctype.exported or not self.beside_program):
            self.declare(ctype)

    def declare(self, ctype: Named | Record | Enum) -> None:
        """Add a type that has a name, unless it is there."""
        key = base(ctype).removeprefix("const ")
        if isinstance(ctype, Enum):
            if ctype.values and (ctype.tag or ctype.exported):
                values = ", ".join(name if value is None else f"{name} = {value}" for name, value in ctype.values)
                self.enumerations[key] = f"{key} {{ {values} }};"
                self.enumerators |= {name for name, _ in ctype.values}
        elif key in self.types:
            return
        elif isinstance(ctype, Named):
            self.types[key] = self.typedef(ctype, key)
        elif ctype.fields is not None and (ctype.exported or not ctype.tag.startswith("<")):
            self.types[key] = ""
            text = f"{self.record(ctype, key)};"
            del self.types[key]
            self.types[key] = text

    def typedef(self, ctype: Named, name: str) -> str:
        """The declaration of a typedef name."""
        if isinstance(ctype.type, Record) and ctype.type.tag.startswith("<") and not ctype.type.exported:
            return f"typedef {self.record(ctype.type, ctype.type.keyword)} {name};"
        self.add(ctype.type)
        return f"typedef {self.printer.declare(ctype.type, name)};"

    def record(self, record: Record, head: str) -> str:
        """The definition of a structure or union."""
        members = []
        for member in record.fields or ():
            self.add(member.type)
            bits = f" : {member.bits}" if member.bits is not None else ""
            members.append(f"    {self.printer.declare(member.type, member.name)}{bits};")
        return head + " {\n" + "\n".join(members) + "\n}"
