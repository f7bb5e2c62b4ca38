"""Which scalars may be present on the device though no clause of a construct or around it names them.

What maps them is ``enter data``, another function's data construct, or a routine of the run-time library, to which an
address leads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from accache.frontend.c.calls import NOT_OURS, called_functions
from accache.ir.names import user_name
from accache.ir.openacc.regions import DataConstruct, FreeVariable, Region
from accache.ir.types import is_const

RUNTIME = "acc_"
"""How the names of OpenACC's run-time routines begin."""
_SYSTEM_FILE = re.compile(r'^#[ ]\d+[ ]"((?:\\.|[^"\\\n])*)"[ \d]*[ ]3\b', re.M)


class Presence(Struct, frozen=True):
    """What a file says of copies on the device.

    ``entered`` are the variables of ``enter data`` with the place of the function around, ``named`` those of all data
    directives. ``addressed`` holds the names of which each function, or the file itself (''), takes the address other
    than for the C library. Other files' code may run while a function of an ``is_open`` file does; ``maps`` tells
    whether something may map what an address leads to.
    """

    entered: frozenset[tuple[int, str]]
    named: frozenset[str]
    addressed: dict[str, frozenset[str]]
    external: frozenset[str]
    is_open: bool
    maps: bool

    def of(self, variable: FreeVariable, region: Region) -> bool:
        """Whether a variable of a region may be present."""
        if is_const(variable.type):
            return False
        name = user_name(variable.name)
        if not variable.is_static:
            is_entered = (region.text.definition.start, variable.name) in self.entered
            return is_entered or (self.maps and name in self.addressed.get(region.function, ()))
        if self.is_open and name in self.external:
            return True
        is_addressed = any(name in names for names in self.addressed.values())
        return variable.name in self.named or (self.maps and is_addressed)


def with_presence(regions: Sequence[Region], found: Presence) -> tuple[Region, ...]:
    """Regions with variables that know whether they may be present."""
    return tuple(
        replace(region, variables=tuple(_known(variable, region, found) for variable in region.variables))
        for region in regions
    )


def _known(variable: FreeVariable, region: Region, found: Presence) -> FreeVariable:
    return replace(variable, may_be_present=True) if found.of(variable, region) else variable


def library_functions(tree: Any, text: str, file_of: Callable[[Any], str]) -> frozenset[str]:
    """The functions that headers of the system declare: they keep no addresses and call nothing of the program.

    ``text`` is the file after preprocessing, ``file_of`` tells where a declaration stands.
    """
    system = frozenset(_SYSTEM_FILE.findall(text))
    declared = (node for node in tree.ext if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl))
    return frozenset(node.name for node in declared if node.name and file_of(node) in system)


def presence(data: Sequence[DataConstruct], tree: Any, library: frozenset[str]) -> Presence:
    """What a file says of copies on the device, with these data directives in it and functions of a ``library``."""
    functions = {node.decl.name: node for node in tree.ext if isinstance(node, c_ast.FuncDef)}
    declared = [node for node in tree.ext if isinstance(node, c_ast.Decl) and node.name]
    library = frozenset(name for name in library if not name.startswith(RUNTIME))
    external = {node.name for node in declared if "static" not in node.storage}
    called = {name for function in functions.values() for name in called_functions(function.body)}
    others = {name for name in called - library - functions.keys() if not name.startswith(NOT_OURS)}
    is_open = "main" not in functions or any(not name.startswith(RUNTIME) for name in others)
    addressed = {name: frozenset(_addressed(function.body, library)) for name, function in functions.items()}
    addressed[""] = frozenset(name for node in declared for name in _addressed(node, library))
    entering = [item for item in data if item.kind == "enter data"]
    maps = bool(is_open or others or entering)
    entered = frozenset((item.definition.start, name) for item in entering for name in _named(item))
    named = frozenset(name for item in data if item.kind != "update" for name in _named(item))
    return Presence(entered, named, addressed, frozenset(external), is_open, maps)


def _named(construct: DataConstruct) -> Iterator[str]:
    """The variables that a data directive names."""
    return (clause.subarray.variable for clause in construct.data)


def _addressed(node: Any, library: Collection[str]) -> Iterator[str]:
    """The names of the variables whose addresses are taken below a node, other than for functions of a library."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID):
        yield node.expr.name
    is_librarys = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name in library
    for _, child in node.children():
        if not (is_librarys and child is node.args):
            yield from _addressed(child, library)
