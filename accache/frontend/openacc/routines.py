"""The functions that kernels call, and the routine directives about them (OpenACC 3.3, section 2.15).

A function is converted when a kernel, or a routine that is converted, calls it; and without a call if a
directive makes it a routine that other files may call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace
from pycparser import c_ast

from accache.base.text import Location, SourceFile, Span
from accache.frontend.c.const_values import is_literal
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.lengths import moved_parameters
from accache.frontend.c.residents import pointer_to
from accache.frontend.c.scope import Scope, Symbol
from accache.frontend.openacc.clauses import ClauseBuilder
from accache.frontend.openacc.gotos import without_gotos
from accache.frontend.openacc.statements import StatementBuilder
from accache.frontend.openacc.tables import with_own_tables
from accache.frontend.source.definitions import definitions
from accache.ir.builtins import COMPLEX_CALLS, HEAP_CALLS, is_pure_call
from accache.ir.nodes import nodes_below
from accache.ir.openacc.directives import Directive
from accache.ir.openacc.regions import FreeVariable, Region
from accache.ir.openacc.routines import LEVELS, Constant, Resident, Routine, device_suffix
from accache.ir.tree import Block, Call, Declare, Level, Variable
from accache.ir.types import Arithmetic, CType, Function, resolve
from accache.ir.walk import items_of


class RoutineBuilder(Struct, dict=True):
    """Collects directives and definitions while a file is walked, then converts the functions that are called.

    ``directive_of`` finds the directive of a pragma inside a function, ``inactive`` is what #if leaves out.
    ``symbols`` holds the variables of the file, ``initialisers`` what const ones among them start with, ``residents``
    those that a declare directive puts on the device, by name. ``device_only`` are the routines with ``nohost``.
    """

    expressions: ExpressionBuilder
    clauses: ClauseBuilder
    directive_of: Callable[[c_ast.Pragma], Directive | None]
    symbols: dict[str, Symbol]
    inactive: tuple[Span, ...]
    definitions: dict[str, c_ast.FuncDef] = field(default_factory=dict)
    declared: dict[str, Directive] = field(default_factory=dict)
    device_only: set[str] = field(default_factory=set)
    initialisers: dict[str, Any] = field(default_factory=dict)
    routines: dict[str, Routine] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    residents: dict[str, Resident] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    recursive: set[str] = field(default_factory=set)
    scope: Scope = field(default_factory=Scope)
    constructing: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.reporter = self.expressions.reporter
        self.source = self.expressions.unit.source

    def declare(self, directive: Directive, function: str) -> None:
        """Note the directive for a function; several must agree."""
        for argument in (item for clause in directive.clauses_named("gang") for item in clause.arguments):
            self.reporter.report("ACC241", argument.value.location, feature="gang(dim:) on a routine")
        if directive.has("nohost"):
            self.device_only.add(function)
        known = self.declared.setdefault(function, directive)
        if self.level(known) != self.level(directive):
            levels = f"{self.level(known)} and {self.level(directive)}"
            self.reporter.report("ACC344", directive.location, name=function, levels=levels)

    def reside(self, variable: str, location: Location) -> None:
        """Note that a directive at a place lets a variable of the file live on the device."""
        if variable in self.residents:
            return
        ctype, symbol = self.symbols[variable].type, self.expressions.exports.name(f"{variable}_device")
        self.residents[variable] = Resident(variable, symbol, ctype, pointer_to(ctype), location)

    @staticmethod
    def level(directive: Directive) -> Level | Literal[""]:
        """The level a directive gives; '' if it gives none."""
        return next((level for level in LEVELS if directive.has(level)), "")

    @property
    def bound(self) -> dict[str, str]:
        """What the device calls in the place of functions with a bind clause."""
        texts = {
            name: clause.arguments[0].value.text
            for name, directive in self.declared.items()
            for clause in directive.clauses_named("bind")
        }
        return {name: text.strip('"') for name, text in texts.items()}

    @property
    def used_residents(self) -> tuple[Resident, ...]:
        """The variables on the device that routines use."""
        used = {item.symbol for routine in self.routines.values() for item in routine.residents}
        return tuple(item for item in self.residents.values() if item.symbol in used)

    def build(self, regions: list[Region], scope: Scope) -> None:
        """Convert everything the regions call, and the routines that other files may call."""
        self.scope = scope
        self.constructing = frozenset(region.function for region in regions)
        for region in regions:
            for call in _calls(region.body):
                self.need(call.function, call.location)
        for name in self.declared:
            node = self.definitions.get(name)
            if node is not None and "static" not in node.decl.storage and name not in self.bound:
                self.need(name, self.expressions.location(node.decl))

    def need(self, called: str, where: Location) -> None:
        """Convert a function and all it calls, callees first; what is no routine is left for others to report."""
        name = self.bound.get(called, called)
        if name in self.path:
            self.recursive.add(name)
            return None
        if name in self.routines or self.is_builtin(name):
            return None
        if name in self.constructing:
            return self.reporter.report("ACC343", where, name=called, reason="it holds a compute construct")
        self.path.append(name)
        routine = self.defined(name) if name in self.definitions else self.outside(name, called)
        if routine is not None:
            self.routines[name] = routine
        self.path.pop()
        return None

    def is_builtin(self, name: str) -> bool:
        """Whether a call means CUDA's own function; the user's file or header may define another of that name.

        Headers of the system have inline definitions of functions that the C library has, too, which are not static.
        """
        node = self.definitions.get(name)
        known = is_pure_call(name) or name in HEAP_CALLS
        if node is None:
            return known
        is_systems = self.expressions.is_systems(node.decl) and "static" not in node.decl.storage
        return known and is_systems and name not in COMPLEX_CALLS  # which no header of C defines

    def defined(self, name: str) -> Routine | None:
        """A routine whose definition is here."""
        node = self.definitions[name]
        where = self.expressions.location(node.decl)
        if node.param_decls:
            self.reporter.report("ACC343", where, name=name, reason="it is defined in the old style")
            return None
        scope = self.scope.enter(name)
        scope.used = dict(scope.used)
        for item in self.residents.values():
            scope.variables[item.variable] = Symbol(item.variable, item.type, True, item.symbol)
        parameters = self.parameters(node.decl.type, scope)
        result = self.signature(name, where)
        if result is None:
            return None
        builder = StatementBuilder(self.expressions, self.clauses, self.reporter, self.directive_of)
        body = Block(self.expressions.location(node.body), tuple(builder.items(node.body.block_items or [], scope)))
        body = with_own_tables(replace(body, items=items_of(without_gotos(body))), self.symbols)
        for call in _calls(body):
            self.need(call.function, call.location)
        self.check_globals(name, body)
        for parameter, changed in moved_parameters(parameters, node.body):
            self.reporter.report("ACC323", where, name=parameter, changed=changed)
        static = "static" in node.decl.storage or name not in self.declared
        level = self.level(self.declared[name]) if name in self.declared else ""
        symbol = self.symbol(name, level, static, where)
        used = {node.name for node in nodes_below(body) if isinstance(node, Variable)}
        residents = tuple(item for item in self.residents.values() if item.symbol in used)
        return Routine(
            name,
            symbol,
            level,
            static,
            location=where,
            result=result,
            parameters=parameters,
            body=body,
            recursive=name in self.recursive,
            residents=residents,
        )

    def parameters(self, declarator: c_ast.FuncDecl, scope: Scope) -> tuple[FreeVariable, ...]:
        """The parameters of a definition, declared in its scope."""
        found = []
        for node in declarator.args.params if declarator.args else ():
            if isinstance(node, c_ast.Decl) and node.name:
                symbol = scope.declare(node.name, self.expressions.types.parameter(node.type, scope))
                self.symbols[symbol.name] = symbol
                found.append(FreeVariable(symbol.name, symbol.type))
        return tuple(found)

    def outside(self, name: str, called: str) -> Routine | None:
        """A routine of another file: a directive here says that there is one, or what a string binds to."""
        directive = self.declared.get(name) or self.declared.get(called)
        node = self.expressions.functions.get(name) or self.expressions.functions.get(called)
        if directive is None or node is None:
            return None
        where = self.expressions.location(node)
        if any(item.name == name for item in definitions(self.source, self.inactive)):
            reason = "accache cannot read its definition"
            self.reporter.report("ACC343", where, name=name, reason=reason)
            return None
        result = self.signature(name if name in self.expressions.functions else called, where)
        types = self.expressions.types.build(node, self.scope)
        if result is None or not isinstance(types, Function):
            return None
        parameters = tuple(FreeVariable("", ctype) for ctype in types.parameters if not _is_void(ctype))
        level = self.level(directive)
        symbol = name if name not in self.expressions.functions else name + device_suffix(level)
        return Routine(name, symbol, level, False, location=where, result=result, parameters=parameters)

    def signature(self, name: str, where: Location) -> CType | None:
        """The result type of a function with a prototype kernels can use; what cannot be used is reported."""
        node = self.expressions.functions[name]
        types = self.expressions.types.build(node, self.scope)
        if not isinstance(types, Function):
            return None
        reason = ""
        if types.variadic:
            reason = "it takes a variable number of arguments"
        elif node.args is None and name not in self.definitions:
            reason = "its declaration does not say what it takes"
        if reason:
            self.reporter.report("ACC343", where, name=name, reason=reason)
            return None
        return types.result

    def symbol(self, name: str, level: str, static: bool, where: Location) -> str:
        """The name of a routine's device version, for routines of several files the same in all of them."""
        exports, symbol = self.expressions.exports, name + device_suffix(level)
        if static:
            return exports.name(symbol)
        if symbol in exports.words:
            reason = f"its device version would be called {symbol}, and the program has that name already"
            self.reporter.report("ACC343", where, name=name, reason=reason)
        return symbol

    def check_globals(self, name: str, body: Block) -> None:
        """Report variables of the file in a routine; constants are noted."""
        local = {node.name for node in nodes_below(body) if isinstance(node, Declare)}
        for node in nodes_below(body):
            if not isinstance(node, Variable) or node.name in local:
                continue
            symbol = self.symbols.get(node.name)
            if symbol is not None and symbol.is_static and not self.is_constant(node.name):
                self.reporter.report("ACC342", node.location, name=name, variable=node.name)

    def is_constant(self, name: str) -> bool:
        """Whether a variable of the file is a compile-time constant, which is noted."""
        if name in self.constants:
            return True
        ctype = self.symbols[name].type if name in self.symbols else None
        plain = resolve(ctype) if ctype is not None else None
        is_const = getattr(ctype, "const", False) or getattr(plain, "const", False)
        if ctype is None or not isinstance(plain, Arithmetic) or not is_const or plain.volatile:
            return False
        if name not in self.initialisers:
            return False
        value = self.expressions.initialiser(self.initialisers[name], ctype, self.scope)
        if not is_literal(value, self.is_constant):
            return False
        self.constants[name] = Constant(name, ctype, value)
        return True


def unreferenced(
    source: SourceFile, inactive: tuple[Span, ...], regions: Collection[Region], routines: Collection[str]
) -> tuple[int, ...]:
    """Where the static functions among the routines begin that host code, without its regions, calls no more.

    What is left of them in host code should get no warning.
    """
    replaced = [region.text.span for region in regions if region.execution.condition is None]
    bodies = definitions(source, inactive)
    found = []
    for item in bodies:
        head = source.text[item.span.start : item.body.start]
        is_own = re.search(r"\bstatic\b", head) is not None and re.search(r"\binline\b", head) is None
        if item.name not in routines or not is_own:
            continue
        uses = [match.start() for match in re.finditer(rf"\b{item.name}\b", source.text)]
        left = [use for use in uses if not any(span.start <= use < span.end for span in replaced)]
        others = [other.body for other in bodies if other.name != item.name]
        if not any(body.start <= use < body.end for use in left for body in others):
            found.append(item.span.start)
    return tuple(found)


def _calls(body: object) -> Iterator[Call]:
    return (node for node in nodes_below(body) if isinstance(node, Call))


def _is_void(ctype: CType) -> bool:
    return type(resolve(ctype)).__name__ == "Void"
