"""pycparser's statements to ours, inside compute regions: loop and cache directives are attached here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.lengths import variable_lengths
from accache.frontend.c.library import checked
from accache.frontend.c.scope import Scope, Symbol
from accache.frontend.openacc.atomics import atomic_statement
from accache.frontend.openacc.clauses import ClauseBuilder
from accache.frontend.openacc.hints import in_place_of_loop, inside_hint
from accache.frontend.source.parser import RANGE
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.openacc.directives import Directive
from accache.ir.openacc.regions import LoopSpec, Subarray
from accache.ir.tree import (
    Block,
    Cache,
    Case,
    Declare,
    Empty,
    For,
    If,
    IntLiteral,
    Jump,
    Label,
    Stmt,
    Switch,
    While,
)

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)

_MOST_LABELS = 256
"""What GNU C's ``case 1 ... 5:`` may stand for: the labels are written one by one."""


class StatementBuilder(Struct, dict=True):
    """Converts the statements of one compute region; ``directives`` maps a pragma node's line to its directive."""

    expressions: ExpressionBuilder
    clauses: ClauseBuilder
    reporter: Reporter
    directive_of: Any
    symbols: dict[str, Symbol] = field(default_factory=dict)

    def build(self, node: Any, scope: Scope) -> Stmt:
        """Our statement for a pycparser one; several for a declaration list come as a Block."""
        items = self.items([node], scope)
        if len(items) == 1:
            return items[0]
        return Block(self.expressions.location(node), tuple(items))

    def items(self, nodes: Sequence[Any], scope: Scope, top_of_loop: bool = False) -> list[Stmt]:
        """Convert the items of a block, attaching each acc pragma to what follows it."""
        result: list[Stmt] = []
        position = 0
        at_top = top_of_loop
        while position < len(nodes):
            node = nodes[position]
            directive = self.directive_of(node) if isinstance(node, c_ast.Pragma) else None
            if isinstance(node, c_ast.Pragma) and directive is None:
                position += 1
            elif directive is None:
                at_top = at_top and isinstance(node, c_ast.Decl)
                result += self._statement(node, scope)
                position += 1
            elif directive.name == "cache":
                cached, position = self._cache(nodes, position, scope, at_top)
                result.append(cached)
            elif directive.name.startswith("atomic"):
                atomic, position = atomic_statement(self, directive, nodes, position + 1, scope=scope)
                result.append(atomic)
            elif directive.name != "loop":
                hint = inside_hint(directive.name)
                raise self.reporter.fail("ACC242", directive.location, name=directive.name, hint=hint)
            else:
                loop, position = self.loop(directive, nodes, position + 1, scope)
                result.append(loop)
        return result

    def loop(self, directive: Directive, nodes: Sequence[Any], position: int, scope: Scope) -> tuple[Stmt, int]:
        """The loop a loop directive stands on; a cache directive may stand between the two."""
        spec = self.clauses.loop(directive, scope)
        cached: list[Subarray] = []
        texts: list[str] = []
        while position < len(nodes) and isinstance(nodes[position], c_ast.Pragma):
            inner = self.directive_of(nodes[position])
            if inner is not None and inner.name == "cache":
                cached += self._subarrays(inner, scope)
                texts.append(inner.text)
            elif inner is not None:
                hint = f"take out one of 'acc {directive.name}' and 'acc {inner.name}'"
                raise self.reporter.fail("ACC206", inner.location, name=directive.name, hint=hint)
            position += 1
        if position == len(nodes) or not isinstance(nodes[position], c_ast.For):
            hint = in_place_of_loop(nodes[position] if position < len(nodes) else None)
            raise self.reporter.fail("ACC206", directive.location, name=directive.name, hint=hint)
        loop = self._For(nodes[position], scope, spec)[0]
        if cached:
            loop = Cache(directive.location, tuple(cached), loop, "; ".join(texts))
        return loop, position + 1

    def _cache(self, nodes: Sequence[Any], position: int, scope: Scope, at_top: bool) -> tuple[Stmt, int]:
        """A cache region: the loop that follows, or at the top of a loop's body the rest of that body."""
        subarrays: list[Subarray] = []
        texts: list[str] = []
        where = self.expressions.location(nodes[position])
        while position < len(nodes) and isinstance(nodes[position], c_ast.Pragma):
            directive = self.directive_of(nodes[position])
            if directive is not None and directive.name != "cache":
                break
            if directive is not None:
                subarrays += self._subarrays(directive, scope)
                texts.append(directive.text)
            position += 1
        end = len(nodes)
        if not at_top and position < end:
            following = next((k for k in range(position, end) if not isinstance(nodes[k], c_ast.Pragma)), end - 1)
            if isinstance(nodes[following], LOOPS):
                end = following + 1
        body = self.items(nodes[position:end], scope)
        region = body[0] if len(body) == 1 else Block(where, tuple(body))
        return Cache(where, tuple(subarrays), region, "; ".join(texts)), end

    def _subarrays(self, directive: Directive, scope: Scope) -> list[Subarray]:
        subject = directive.subject
        if subject is None:
            return []
        readonly = subject.modifier == "readonly"
        return [self.clauses.subarray(item, scope, readonly) for item in subject.variables]

    @singledispatchmethod
    def _statement(self, node: Any, scope: Scope) -> list[Stmt]:
        return [checked(self.expressions.location(node), self.expressions.build(node, scope))]

    def _nested(self, node: Any, scope: Scope, top_of_loop: bool = False) -> Stmt:
        """A statement in a scope of its own."""
        inner = scope.enter()
        if isinstance(node, c_ast.Compound):
            return Block(self.expressions.location(node), tuple(self.items(node.block_items or [], inner, top_of_loop)))
        return self.build(node, inner)

    @_statement.register(c_ast.Compound)
    def _Compound(self, node: c_ast.Compound, scope: Scope) -> list[Stmt]:
        return [self._nested(node, scope)]

    @_statement.register(c_ast.Decl)
    def _Decl(self, node: c_ast.Decl, scope: Scope) -> list[Stmt]:
        ctype = self.expressions.types.declared(node, scope)
        if node.name is None or "extern" in (node.storage or []):
            return []
        symbol = scope.declare(node.name, ctype)
        self.symbols[symbol.name] = symbol
        init = self.expressions.initialiser(node.init, ctype, scope) if node.init is not None else None
        where = self.expressions.location(node)
        return [Declare(where, symbol.name, ctype, init, "static" in (node.storage or []))]

    @_statement.register(c_ast.DeclList)
    def _DeclList(self, node: c_ast.DeclList, scope: Scope) -> list[Stmt]:
        return [item for decl in node.decls for item in self._Decl(decl, scope)]

    @_statement.register(c_ast.Typedef)
    def _Typedef(self, node: c_ast.Typedef, scope: Scope) -> list[Stmt]:
        if variable_lengths(self.expressions.types.typedef(node, scope)):
            where = self.expressions.location(node)
            self.expressions.reporter.report("ACC301", where, construct="a typedef name of an array of variable length")
        return []

    @_statement.register(c_ast.If)
    def _If(self, node: c_ast.If, scope: Scope) -> list[Stmt]:
        condition = self.expressions.build(node.cond, scope)
        then = self._nested(node.iftrue, scope) if node.iftrue else Empty(self.expressions.location(node))
        otherwise = self._nested(node.iffalse, scope) if node.iffalse else None
        return [If(self.expressions.location(node), condition, then, otherwise)]

    @_statement.register(c_ast.For)
    def _For(self, node: c_ast.For, scope: Scope, spec: LoopSpec | None = None) -> list[Stmt]:
        inner = scope.enter()
        init = tuple(self._statement(node.init, inner)) if node.init is not None else ()
        condition = self.expressions.build(node.cond, inner) if node.cond is not None else None
        step = self.expressions.build(node.next, inner) if node.next is not None else None
        body = self._nested(node.stmt, inner, top_of_loop=True)
        return [For(self.expressions.location(node), init, condition, step, body, spec)]

    @_statement.register(c_ast.While)
    def _While(self, node: c_ast.While, scope: Scope) -> list[Stmt]:
        condition = self.expressions.build(node.cond, scope)
        return [While(self.expressions.location(node), condition, self._nested(node.stmt, scope, True))]

    @_statement.register(c_ast.DoWhile)
    def _DoWhile(self, node: c_ast.DoWhile, scope: Scope) -> list[Stmt]:
        condition = self.expressions.build(node.cond, scope)
        return [While(self.expressions.location(node), condition, self._nested(node.stmt, scope, True), True)]

    @_statement.register(c_ast.Switch)
    def _Switch(self, node: c_ast.Switch, scope: Scope) -> list[Stmt]:
        value = self.expressions.build(node.cond, scope)
        return [Switch(self.expressions.location(node), value, self._nested(node.stmt, scope))]

    @_statement.register(c_ast.Case)
    def _Case(self, node: c_ast.Case, scope: Scope) -> list[Stmt]:
        where, body = self.expressions.location(node), tuple(self.items(node.stmts or [], scope))
        if not isinstance(node.expr, c_ast.BinaryOp) or node.expr.op != RANGE:
            return [Case(where, self.expressions.build(node.expr, scope), body)]
        first, last = (constant(self.expressions.build(part, scope)) for part in (node.expr.left, node.expr.right))
        if first is None or last is None or last - first >= _MOST_LABELS:
            construct = f"a range of more than {_MOST_LABELS} labels, or one that accache cannot compute,"
            raise self.expressions.reporter.fail("ACC301", where, construct=construct)
        labels = [IntLiteral(INT, where, value, f"({value})") for value in range(first, last + 1)]
        return [*(Case(where, label, ()) for label in labels), *body]

    @_statement.register(c_ast.Default)
    def _Default(self, node: c_ast.Default, scope: Scope) -> list[Stmt]:
        return [Case(self.expressions.location(node), None, tuple(self.items(node.stmts or [], scope)))]

    @_statement.register(c_ast.Break)
    def _Break(self, node: c_ast.Break, scope: Scope) -> list[Stmt]:
        return [Jump(self.expressions.location(node), "break")]

    @_statement.register(c_ast.Continue)
    def _Continue(self, node: c_ast.Continue, scope: Scope) -> list[Stmt]:
        return [Jump(self.expressions.location(node), "continue")]

    @_statement.register(c_ast.Return)
    def _Return(self, node: c_ast.Return, scope: Scope) -> list[Stmt]:
        value = self.expressions.build(node.expr, scope) if node.expr is not None else None
        return [Jump(self.expressions.location(node), "return", value)]

    @_statement.register(c_ast.Goto)
    def _Goto(self, node: c_ast.Goto, scope: Scope) -> list[Stmt]:
        return [Jump(self.expressions.location(node), "goto", None, node.name)]

    @_statement.register(c_ast.Label)
    def _Label(self, node: c_ast.Label, scope: Scope) -> list[Stmt]:
        return [Label(self.expressions.location(node), node.name, self._nested(node.stmt, scope))]

    @_statement.register(c_ast.EmptyStatement)
    def _EmptyStatement(self, node: c_ast.EmptyStatement, scope: Scope) -> list[Stmt]:
        return []

    @_statement.register(c_ast.StaticAssert)
    def _StaticAssert(self, node: c_ast.StaticAssert, scope: Scope) -> list[Stmt]:
        return []
