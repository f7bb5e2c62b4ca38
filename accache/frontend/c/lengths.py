"""Whether the variables in an array's length still hold what they held at its declaration (C99, 6.7.5.2)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.base.properties import cached_property
from accache.frontend.c.scope import Scope, Symbol
from accache.ir.names import user_name
from accache.ir.nodes import nodes_below
from accache.ir.openacc.regions import FreeVariable, Region
from accache.ir.tree import Call, Cast, Declare, Member, SizeOf, Subscript, Unary, Variable
from accache.ir.types import Array, CType, element_type, resolve

RUNTIME = ("acc_", "__builtin_")
"""How the names of functions begin that no header of the system declares, and that change no variables."""
NUMBERS = frozenset(("char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"))
ANY_TIME = sys.maxsize
"""Later than any place in a function."""


class Others(Struct, frozen=True):
    """What calls do to a variable: the ``library`` calls nothing of the program, ``forgetting`` ones keep no address.

    ``assigned`` tells of the file's functions what they assign; it is None of a function's own variable.
    """

    library: frozenset[str]
    forgetting: frozenset[str]
    assigned: dict[str, frozenset[str]] | None


class Changes(Struct, frozen=True):
    """What a function changes, calls and declares, by position in the order of its text.

    ``assigned`` and ``called`` hold the last place of each ('' is called where a pointer tells what), ``declared`` the
    place of each declaration node, ``handed`` the functions that got the address of a variable.
    """

    assigned: dict[str, int] = field(default_factory=dict)
    called: dict[str, int] = field(default_factory=dict)
    declared: dict[int, int] = field(default_factory=dict)
    handed: dict[str, set[str]] = field(default_factory=dict)

    def after(self, declaration: int, name: str, others: Others) -> bool:
        """Whether ``name`` may have changed since ``declaration``."""
        if self.assigned.get(name, -1) > declaration:
            return True
        calls = {callee for callee, place in self.called.items() if place > declaration} - others.library
        calls = {callee for callee in calls if not callee.startswith(RUNTIME)}
        if calls and self.handed.get(name, set()) - others.forgetting:
            return True
        assigned = others.assigned
        return assigned is not None and any(callee not in assigned or {name, ""} & assigned[callee] for callee in calls)


class Lengths(Struct, frozen=True):
    """The variable lengths in a function's types: those of variables, and of typedef names, which are as good as types.

    ``declared_at`` tells where each variable is declared, ``fixed_at`` where the first typedef name stands that has a
    variable in its lengths, and that name.
    """

    changes: Changes = field(default_factory=Changes)
    declared_at: dict[str, int] = field(default_factory=dict)
    fixed_at: dict[str, tuple[int, str]] = field(default_factory=dict)

    def declare(self, name: str, node: Any) -> None:
        """A variable of the function."""
        self.declared_at[name] = self.changes.declared.get(id(node), -1)

    def define(self, node: c_ast.Typedef, ctype: CType) -> None:
        """A typedef name of the function."""
        for name in variable_lengths(ctype):
            self.fixed_at.setdefault(name, (self.changes.declared[id(node)], node.name))

    def moved(self, region: Region, others: Callable[[str], Others]) -> Iterator[tuple[str, str]]:
        """The names of a region whose lengths have changed since their declaration, each with a variable in them.

        ``others`` tells for a variable what calls may do to it.
        """
        types = {item.name: (self.declared_at.get(item.name, -1), item.type) for item in region.variables}
        lengths = [(name, place, variable_lengths(ctype)) for name, (place, ctype) in types.items()]
        for node in nodes_below(region.body):
            if isinstance(node, (Cast, Declare, SizeOf)):
                written = variable_lengths(node.of if isinstance(node, SizeOf) else node.type) & self.fixed_at.keys()
                lengths += [(self.fixed_at[name][1], self.fixed_at[name][0], frozenset((name,))) for name in written]
        reported = set()
        for name, place, variables in lengths:
            if name in types and (read := memory_lengths(types[name][1])) and name not in reported:
                reported.add(name)
                yield user_name(name), user_name(min(read))
            first = min((place, *(self.fixed_at[item][0] for item in variables & self.fixed_at.keys())))
            changed = sorted(
                user_name(item) for item in variables if self.changes.after(first, user_name(item), others(item))
            )
            if changed and name not in reported:
                reported.add(name)
                yield user_name(name), changed[0]


class MovedLengths(Struct, dict=True):
    """Reports lengths of regions' types that no longer are what they were at a declaration.

    ``symbols`` are the file's variables by their unique names, ``tree`` is the whole file, ``library`` holds the
    functions of the C library and OpenACC's.
    """

    symbols: dict[str, Symbol]
    reporter: Reporter
    tree: Any = None
    library: frozenset[str] = frozenset()

    def refuse(self, region: Region, lengths: Lengths, scope: Scope) -> None:
        """Report variables in lengths that the function around changes, or that inner ones hide at the construct."""
        for name, changed in lengths.moved(region, self._changed_by_others):
            self.reporter.report("ACC323", region.location, name=name, changed=changed)
        for variable in region.variables:
            name = user_name(variable.name)
            symbol = scope.variables.get(name)
            is_undeclared = symbol is None and self.reporter.has_errors  # but has the name of another scope's variable
            if not is_undeclared and (symbol is None or symbol.name != variable.name):
                construct = f"a type whose length is the value of '{name}', which another '{name}' hides,"
                self.reporter.report("ACC301", region.location, construct=construct)

    def _changed_by_others(self, variable: str) -> Others:
        symbol = self.symbols.get(variable)
        is_local = symbol is not None and not symbol.is_static
        return Others(self.library, self._forgetting, None if is_local else self._assigned_by)

    @cached_property
    def _forgetting(self) -> frozenset[str]:
        """The functions that only read and write what their parameters lead to."""
        functions = (node for node in self.tree.ext if isinstance(node, c_ast.FuncDef))
        own = {node.decl.name for node in functions if not _keeps(node.body, _pointers(node), self.library)}
        return self.library | own

    @cached_property
    def _assigned_by(self) -> dict[str, frozenset[str]]:
        return assigned_through_calls(self.tree, self.library)


def moved_parameters(parameters: tuple[FreeVariable, ...], body: Any) -> Iterator[tuple[str, str]]:
    """The parameters of a function whose lengths its body may change, each with a variable in them."""
    assigned = changes_in(body).assigned
    for item in parameters:
        variables = variable_lengths(item.type)
        changed = memory_lengths(item.type) | {name for name in variables if user_name(name) in assigned}
        if changed:
            yield user_name(item.name), user_name(min(changed))


def variable_lengths(ctype: CType) -> frozenset[str]:
    """The variables in the lengths of the arrays that a type is, or leads to."""
    return frozenset(node.name for node in _in_lengths(ctype) if isinstance(node, Variable))


def memory_lengths(ctype: CType) -> frozenset[str]:
    """The variables by which lengths in a type read memory, which anything may change."""
    reads = (node for node in _in_lengths(ctype) if _reads_memory(node))
    return frozenset(inner.name for node in reads for inner in nodes_below(node) if isinstance(inner, Variable))


def _reads_memory(node: object) -> bool:
    if isinstance(node, Unary):
        return node.op == "*"
    return isinstance(node, Subscript) or (isinstance(node, Member) and node.arrow)


def can_be_repeated(ctype: CType) -> bool:
    """Whether a type means the same in each place that it is written in, as long as the variables in it stay."""
    return not any(isinstance(node, Call) for node in _in_lengths(ctype))


def _in_lengths(ctype: CType) -> Iterator[object]:
    """All that stands in the lengths of the arrays that a type is, or leads to."""
    while (element := element_type(ctype)) is not None:
        plain = resolve(ctype)
        if isinstance(plain, Array):
            yield from nodes_below(plain.length)
        ctype = element


def changes_in(body: Any) -> Changes:
    """The changes in a function's body: assignments, steps, addresses taken, and calls.

    An address that is more than an argument of a call may be used to change the variable at any time.
    """
    found = Changes()
    arguments: dict[int, str] = {}
    stack = [body]
    position = 0
    while stack:
        node = stack.pop()
        position += 1
        target = None
        if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
            found.declared[id(node)] = position
        elif isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        elif isinstance(node, c_ast.FuncCall):
            callee = node.name.name if isinstance(node.name, c_ast.ID) else ""
            found.called[callee] = position
            for argument in map(_uncast, node.args.exprs if node.args else ()):
                arguments[id(argument)] = callee
        while isinstance(target, c_ast.StructRef) and target.type == ".":
            target = target.name
        if isinstance(target, c_ast.ID):
            is_kept = isinstance(node, c_ast.UnaryOp) and node.op == "&" and id(node) not in arguments
            if id(node) in arguments:
                found.handed.setdefault(target.name, set()).add(arguments[id(node)])
            found.assigned[target.name] = ANY_TIME if is_kept else max(position, found.assigned.get(target.name, 0))
        stack.extend(child for _, child in reversed(node.children()))
    return found


def _pointers(function: c_ast.FuncDef) -> frozenset[str]:
    """The names of a function's parameters, those left out that are plain numbers."""
    arguments = function.decl.type.args
    items = (item for item in (arguments.params if arguments else ()) if isinstance(item, c_ast.Decl) and item.name)
    return frozenset(item.name for item in items if not _is_number(item.type))


def _is_number(declarator: Any) -> bool:
    specifiers: Any = declarator.type if isinstance(declarator, c_ast.TypeDecl) else None
    return isinstance(specifiers, c_ast.IdentifierType) and NUMBERS.issuperset(specifiers.names)


def _keeps(node: Any, names: frozenset[str], library: frozenset[str]) -> bool:
    """Whether code may keep an address in one of some parameters: it does more with it than to follow it."""
    if isinstance(node, c_ast.ID):
        return node.name in names
    followed = None
    if isinstance(node, c_ast.UnaryOp) and node.op in ("*", "!"):
        followed = node.expr
    elif isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.StructRef) and node.type == "->"):
        followed = node.name
    is_followed = isinstance(found := _uncast(followed), c_ast.ID) and found.name in names
    is_librarys = isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") in library
    for _, child in node.children():
        if is_librarys and child is node.args:
            rest = [item for item in child.exprs if not isinstance(_uncast(item), c_ast.ID)]
        else:
            rest = [] if is_followed and child is followed else [child]
        if any(_keeps(item, names, library) for item in rest):
            return True
    return False


def _uncast(node: Any) -> Any:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def assigned_through_calls(tree: Any, library: frozenset[str]) -> dict[str, frozenset[str]]:
    """The names that each function of a file assigns, itself or in the functions of the file that it calls.

    The name '' stands for all: what is called is neither of the file nor of the ``library``.
    """
    changes = {node.decl.name: changes_in(node.body) for node in tree.ext if isinstance(node, c_ast.FuncDef)}
    known = library | changes.keys()
    assigned = {
        name: frozenset(found.assigned)
        | {"" for callee in found.called.keys() - known if not callee.startswith(RUNTIME)}
        for name, found in changes.items()
    }
    while True:
        wider = {
            name: names.union(*(assigned.get(callee, frozenset()) for callee in changes[name].called))
            for name, names in assigned.items()
        }
        if wider == assigned:
            return assigned
        assigned = wider
