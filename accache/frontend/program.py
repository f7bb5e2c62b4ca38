"""A translation unit's compute regions and data directives, found by walking its functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.base.text import Span
from accache.frontend.c.counting_up import Counters, counters_of
from accache.frontend.c.derivations import derived_names, stored_names
from accache.frontend.c.exports import Exports
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.jumps import refuse_jumps
from accache.frontend.c.lasting_values import LastingValues
from accache.frontend.c.lengths import Lengths, MovedLengths, changes_in
from accache.frontend.c.liveness import live_after
from accache.frontend.c.scope import Scope, Symbol
from accache.frontend.openacc.clauses import ClauseBuilder
from accache.frontend.openacc.device_types import SELECTING, for_our_device
from accache.frontend.openacc.hints import in_place_of_loop, outside_hint
from accache.frontend.openacc.host_uses import refuse_host_uses
from accache.frontend.openacc.lifetimes import Lifetimes
from accache.frontend.openacc.pragma_nodes import Found, PragmaNodes
from accache.frontend.openacc.pragmas import parse_directive
from accache.frontend.openacc.presence import Presence, library_functions, presence, with_presence
from accache.frontend.openacc.regions import ConstructBuilder, default_of
from accache.frontend.openacc.routines import RoutineBuilder, unreferenced
from accache.frontend.openacc.tables import with_tables
from accache.frontend.openacc.variables import free_variables
from accache.frontend.source.alignment import Unit
from accache.frontend.source.constructs import PragmaSite, is_body, refuse_hidden_end, statement_after
from accache.frontend.source.preprocess import Preprocessed
from accache.ir.openacc.directives import Directive
from accache.ir.openacc.lifetimes import Lifetime
from accache.ir.openacc.regions import DataClause, DataConstruct, DefaultWord, Program, Region
from accache.ir.tree import Expr, Variable
from accache.ir.types import Pointer, resolve
from accache.ir.walk import is_computed, used_variables

COMPUTE = ("parallel", "kernels", "serial")
STRUCTURED = ("data", "host_data")
EXECUTABLE = ("enter data", "exit data", "update", "wait", *SELECTING)
ORPHANS = ("loop", "cache")
"""Directives that may stand in a routine, outside of every construct."""
LASTING_ACTIONS = ("create", "copyin", "device_resident", "link")


def build_program(unit: Unit, preprocessed: Preprocessed, sites: tuple[PragmaSite, ...], reporter: Reporter) -> Program:
    """Parse and convert everything acc pragmas touch.

    Raises CompileError when the C cannot be parsed or a directive cannot be understood.
    """
    directives = [(site, parse_directive(site, unit.source, reporter)) for site in sites]
    reporter.stop_on_errors()
    tree = _parse(unit, reporter)
    found = [(site, for_our_device(directive, reporter)) for site, directive in directives if directive]
    walker = _Walker(unit, preprocessed, reporter, found)
    walker.file(tree)
    reporter.stop_on_errors()
    walker.routines.build(walker.regions, walker.scope)
    walker.leftovers()
    refuse_host_uses(tree, walker.routines.device_only, walker.built, walker.expressions.location, reporter=reporter)
    reporter.stop_on_errors()
    return walker.program()


def _parse(unit: Unit, reporter: Reporter) -> Any:
    """The syntax tree; what has no directive in it is left out where the parser does not know what it uses."""
    tree, problems = unit.tree
    for index, reason in problems:
        if tree is None or unit.holds_directive(index):
            spelled = reason.replace(unit.tokens[index], unit.spelled(index))
            raise reporter.fail("ACC104", unit.location(index), reason=f"cannot read this: {spelled}", hint="")
    return tree


class _Walker(Struct, dict=True):
    """Walks host code with its scopes; converts what stands under directives."""

    unit: Unit
    preprocessed: Preprocessed
    reporter: Reporter
    directives: list[Found]
    scope: Scope = field(default_factory=Scope)
    regions: list[Region] = field(default_factory=list)
    data: list[DataConstruct] = field(default_factory=list)
    idle: list[Span] = field(default_factory=list)
    open_data: list[tuple[DataClause, ...]] = field(default_factory=list)
    open_defaults: list[DefaultWord] = field(default_factory=list)
    function: str = ""
    lengths: Lengths = field(default_factory=Lengths)
    derived: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    live: dict[int, frozenset[str]] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    least: dict[str, int] = field(default_factory=dict)
    orphans: list[tuple[str, PragmaSite, Directive]] = field(default_factory=list)
    built: dict[int, int | DataConstruct] = field(default_factory=dict)
    hosts: dict[str, None] = field(default_factory=dict)
    tree: Any = None

    def __post_init__(self) -> None:
        self.source = self.unit.source
        self.expressions = ExpressionBuilder(self.unit, self.reporter, Exports(self.preprocessed.text))
        self.clauses = ClauseBuilder(self.expressions, self.reporter)
        self.pragmas = PragmaNodes(self.source.name, self.directives, self.expressions.location)
        inactive = self.preprocessed.inactive
        self.builder = ConstructBuilder(
            self.source, inactive, self.expressions, self.clauses, self._inner_directive, self.reporter
        )
        self.lasting = LastingValues(self.expressions, self.preprocessed.written, self.pragmas.text_of)
        self.symbols: dict[str, Symbol] = {}
        self.moves = MovedLengths(self.symbols, self.reporter)
        self.routines = RoutineBuilder(self.expressions, self.clauses, self._inner_directive, self.symbols, inactive)

    def file(self, tree: Any) -> None:
        """Declarations in order; bodies only of functions that hold a directive."""
        self.tree = self.moves.tree = self.lasting.tree = tree
        self.lasting.left_out = bool(self.unit.tree[1])
        self.moves.library = library_functions(tree, self.preprocessed.text, self._file_of)
        for position, node in enumerate(tree.ext):
            if isinstance(node, c_ast.Typedef):
                self.expressions.types.typedef(node, self.scope)
            elif isinstance(node, c_ast.Decl):
                self._declaration(node)
            elif isinstance(node, c_ast.FuncDef):
                self._function(node)
            elif isinstance(node, c_ast.Pragma):
                self._global_directive(node, position)

    def program(self) -> Program:
        """What has been found."""
        routines = self.routines
        found = presence(self.data, self.tree, self.moves.library)
        return Program(
            with_presence(self.regions, found),
            tuple(self.data),
            tuple(self.idle),
            frozenset(self.scope.used) | self.scope.fixed,
            routines=tuple(routines.routines.values()),
            bound=tuple(routines.bound.items()),
            constants=tuple(routines.constants.values()),
            residents=routines.used_residents,
            unreferenced=unreferenced(self.source, self.preprocessed.inactive, self.regions, routines.routines.keys()),
            lifetimes=self._lifetimes(found),
        )

    def _lifetimes(self, found: Presence) -> tuple[Lifetime, ...]:
        """The lifetimes of copies, unless some function was left out, which may do anything."""
        if self.unit.tree[1]:
            return ()
        library = self.moves.library
        lifetimes = Lifetimes(
            self.tree, self.regions, self.data, self.built, hosts=self.hosts, presence=found, library=library
        )
        return tuple(lifetimes.found())

    def _file_of(self, node: Any) -> str:
        return self.expressions.location(node).file

    def _global_directive(self, node: c_ast.Pragma, position: int) -> None:
        """A directive outside of every function."""
        found = self.pragmas.find(node)
        if found is None:
            return
        site, directive = found
        if directive.name == "routine":
            self.pragmas.take(node)
            self._routine(site, directive, position)
        if directive.name != "declare":
            return
        self.pragmas.take(node)
        data = self._declared(directive, is_global=True)
        where = directive.location
        construct = DataConstruct(directive.name, where, data, site.span, None, site.span, is_global=True)
        for clause in construct.data:
            if clause.action not in LASTING_ACTIONS:
                hint = f"outside of functions these are: {', '.join(LASTING_ACTIONS)}"
                self.reporter.report("ACC202", clause.location, clause=clause.action, directive="declare", hint=hint)
        self.data.append(construct)
        self.open_data.append(construct.data)

    def _routine(self, site: PragmaSite, directive: Directive, position: int) -> None:
        """A routine directive at a position of the file; without a name it is about the function after it."""
        self.idle.append(site.span)
        if directive.subject is not None:
            self.routines.declare(directive, directive.subject.arguments[0].value.text)
            return
        rest = itertools.islice(self.tree.ext, position + 1, None)
        node = next((item for item in rest if not isinstance(item, c_ast.Pragma)), None)
        declared = node.decl if isinstance(node, c_ast.FuncDef) else node
        if isinstance(declared, c_ast.Decl) and isinstance(declared.type, c_ast.FuncDecl):
            self.routines.declare(directive, declared.name)
        else:
            self.reporter.report("ACC340", directive.location)

    def _declared(self, directive: Directive, is_global: bool = False) -> tuple[DataClause, ...]:
        """The clauses of a declare directive; device_resident means create.

        Nothing is asked for by link, nor by a static pointer: kernels get the device address of what it points to.
        """
        found = []
        for clause in self.clauses.data(directive, self.scope):
            base = clause.subarray.base
            symbol = self.symbols.get(base.name) if isinstance(base, Variable) else None
            lasting = symbol is not None and symbol.is_static
            if is_global and isinstance(base, Variable) and lasting:
                self.routines.reside(base.name, directive.location)
            if clause.action == "link" or (lasting and isinstance(resolve(base.type), Pointer)):
                continue
            action = "create" if clause.action == "device_resident" else clause.action
            found.append(replace(clause, action=action, lasting=lasting))
        return tuple(found)

    def _declaration(self, node: c_ast.Decl) -> None:
        if isinstance(node.type, c_ast.FuncDecl):
            self.expressions.functions[node.name] = node.type
            return
        ctype = self.expressions.types.declared(node, self.scope)
        if node.name:
            if node.name in self.scope.variables:
                del self.scope.variables[node.name]
                self.scope.used[node.name] -= 1
            always = self.lasting.of_file(node, ctype, self.scope)
            symbol = self.scope.declare(node.name, ctype, is_static=True, always=always)
            self.symbols[symbol.name] = symbol
            if node.init is not None:
                self.routines.initialisers[symbol.name] = node.init

    def _function(self, node: c_ast.FuncDef) -> None:
        if not isinstance(node.decl.type, c_ast.FuncDecl):
            name = node.decl.name
            raise self.reporter.fail(
                "ACC104",
                self.expressions.location(node.decl),
                reason=f"'{name}' has a body and no parameters",
                hint=f"write {name}(void)",
            )
        self.expressions.functions[node.decl.name] = node.decl.type
        self.routines.definitions[node.decl.name] = node
        if not self.pragmas.below(node.body):
            return
        self.function = node.decl.name
        self.hosts[self.function] = None
        self.lengths = Lengths(changes_in(node.body))
        self.derived, self.stored = derived_names(node), stored_names(node)
        self.live = live_after(node.body, self.pragmas.text_of)
        self.counters = counters_of(node.body, self.pragmas.text_of)
        self.lasting.enter(node.body)
        outer, self.scope = self.scope, self.scope.enter(node.decl.name)
        self.scope.used = dict(outer.used)
        listed = node.decl.type.args.params if node.decl.type.args else ()
        for parameter in (*listed, *(node.param_decls or ())):
            if isinstance(parameter, c_ast.Decl) and parameter.name:
                self._local(parameter, decay_arrays=True)
        depth = len(self.open_data)
        self._statement(node.body)
        del self.open_data[depth:]
        outer.used.update({name: max(outer.used.get(name, 0), count) for name, count in self.scope.used.items()})
        self.scope = outer

    def _local(self, node: c_ast.Decl, decay_arrays: bool = False) -> None:
        types = self.expressions.types
        ctype = types.parameter(node.type, self.scope) if decay_arrays else types.declared(node, self.scope)
        lasting = not decay_arrays and bool({"static", "extern"} & set(node.storage or []))
        length = self._lasting_length(node) if decay_arrays else None
        always = None if decay_arrays else self.lasting.of_function(node, ctype, self.scope)
        symbol = self.scope.declare(node.name, ctype, lasting, length, always=always)
        self.lengths.declare(symbol.name, node)
        self.symbols[symbol.name] = symbol

    def _lasting_length(self, node: c_ast.Decl) -> Expr | None:
        """The length of a parameter that is declared as an array, if it is the same wherever the function asks for it.

        It is computed from parameters alone, and these, as the parameter itself, never change.
        """
        length = self.expressions.types.parameter_length(node.type, self.scope)
        changed = self.lengths.changes.assigned.keys()
        if length is None or not is_computed(length) or node.name in changed:
            return None
        parameters = {symbol.name for symbol in self.scope.variables.maps[0].values()}
        return length if used_variables(length) <= parameters - changed else None

    @contextmanager
    def _inside(self) -> Iterator[None]:
        outer, self.scope = self.scope, self.scope.enter()
        yield
        self.scope = outer

    def _statement(self, node: Any) -> None:
        if isinstance(node, c_ast.Compound):
            with self._inside():
                self._items(node.block_items or [])
        elif isinstance(node, c_ast.Decl):
            if node.name:
                self._local(node)
            else:
                self.expressions.types.build(node.type, self.scope)
        elif isinstance(node, c_ast.Typedef):
            self.lengths.define(node, self.expressions.types.typedef(node, self.scope))
        elif isinstance(node, c_ast.For):
            with self._inside():
                for decl in node.init.decls if isinstance(node.init, c_ast.DeclList) else ():
                    self._local(decl)
                outer, self.least = self.least, self.least | self.counters.least(node, self.scope, self.expressions)
                self._items([node.stmt])
                self.least = outer
        else:
            for name in ("iftrue", "iffalse", "stmt", "stmts"):
                child = getattr(node, name, None)
                if child is not None:
                    with self._inside():
                        self._items(child if isinstance(child, list) else [child])

    def _items(self, nodes: Sequence[Any]) -> None:
        position = 0
        while position < len(nodes):
            found = self.pragmas.take(nodes[position])
            if found is None:
                self._statement(nodes[position])
                position += 1
                continue
            node, data, region = nodes[position], len(self.data), len(self.regions)
            position = self._directive(found[0], found[1], nodes, position + 1)
            if data < len(self.data):
                self.built[id(node)] = self.data[data]
            elif region < len(self.regions):
                self.built[id(node)] = region

    def _directive(self, site: PragmaSite, directive: Directive, nodes: Sequence[Any], position: int) -> int:
        """Handle one host-level directive; the position of the next statement."""
        if directive.name.startswith("atomic"):
            self.idle.append(site.span)
            return position
        if directive.name in EXECUTABLE:
            construct = self.builder.data(site, directive, None, self.scope)
            self.data.append(construct)
            if is_body(self.source, site.span.start, self.preprocessed.inactive):
                self.reporter.report("ACC249", directive.location, name=directive.name)
            return position
        if directive.name == "declare":
            construct = replace(self.builder.data(site, directive, None, self.scope), data=self._declared(directive))
            self.data.append(construct)
            self.open_data.append(construct.data)
            return position
        if directive.name == "cache" and self._before_compute(nodes, position):
            self.reporter.report("ACC411", directive.location)
            return position
        if directive.name == "routine":
            self._routine(site, directive, len(self.tree.ext))
            return position
        if directive.name in ORPHANS:
            self.orphans.append((self.function, site, directive))
            return position
        if position == len(nodes):
            code = "ACC206" if directive.name.endswith("loop") else "ACC207"
            hint = in_place_of_loop(None)
            raise self.reporter.fail(code, directive.location, name=directive.name, hint=hint)
        read = self.preprocessed
        statement = statement_after(self.source, site.span.end, read.inactive, read.loop_macros)
        governed = next((k for k in range(position, len(nodes)) if not isinstance(nodes[k], c_ast.Pragma)), position)
        refuse_hidden_end(self.expressions.unit, statement, nodes[governed:])
        if directive.name in STRUCTURED:
            return self._data_region(site, directive, statement, nodes, position=position)
        enclosing = tuple(clause for clauses in self.open_data for clause in clauses)
        region, end = self.builder.region(
            self.function,
            site,
            directive,
            statement,
            nodes=nodes,
            position=position,
            scope=self.scope,
            enclosing_data=enclosing,
        )
        live = self.live[id(nodes[end - 1])]
        default = region.default or next((word for word in reversed(self.open_defaults) if word), "")  # section 2.5.16
        free = free_variables(region, self.symbols, self.derived, self.stored, live=live, least=self.least)
        region = with_tables(replace(region, variables=free, default=default), self.symbols)
        self.moves.refuse(region, self.lengths, self.scope)
        alike = sum(
            (item.function, item.location.line) == (region.function, region.location.line) for item in self.regions
        )
        self.regions.append(replace(region, number=alike + 1))
        return end

    def _before_compute(self, nodes: Sequence[Any], position: int) -> bool:
        """Whether the next directive is a compute construct, with nothing in between."""
        following = (
            self.pragmas.find(nodes[position])
            if position < len(nodes) and isinstance(nodes[position], c_ast.Pragma)
            else None
        )
        return following is not None and following[1].name.split()[0] in COMPUTE

    def _data_region(
        self, site: PragmaSite, directive: Directive, statement: Span, nodes: Sequence[Any], *, position: int
    ) -> int:
        construct = self.builder.data(site, directive, statement, self.scope)
        self.data.append(construct)
        end = next(k for k in range(position, len(nodes)) if not isinstance(nodes[k], c_ast.Pragma)) + 1
        refuse_jumps(nodes[end - 1], self.expressions, self.reporter, directive.name)
        self.open_data.append(construct.data)
        self.open_defaults.append(default_of(directive))
        with self._inside():
            self._items(nodes[position:end])
        self.open_data.pop()
        self.open_defaults.pop()
        return end

    def _inner_directive(self, node: c_ast.Pragma) -> Directive | None:
        found = self.pragmas.take(node)
        return found[1] if found is not None else None

    def leftovers(self) -> None:
        """Report directives that stand where no statement of a function carries them."""
        known = {*self.routines.routines, *self.routines.declared}
        for function, site, directive in self.orphans:
            if function in known:
                self.idle.append(site.span)
            else:
                hint = outside_hint(directive.name)
                self.reporter.report("ACC243", directive.location, name=directive.name, hint=hint)
        for directive in self.pragmas.left():
            code = "ACC243" if directive.name in ORPHANS else "ACC211"
            self.reporter.report(code, directive.location, name=directive.name, hint=outside_hint(directive.name))
