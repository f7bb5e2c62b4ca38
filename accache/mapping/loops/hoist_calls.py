"""Calls that all threads of a block run together, taken out of expressions: each is a statement of its own.

Before: ``b[i] = 2 * sum_of(a, n);``. After: ``const float sum_of_value = sum_of(a, n); b[i] = 2 * sum_of_value;``.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import acts, collective_calls, is_collective
from accache.base.diagnostics import Reporter
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Binary,
    Block,
    Cache,
    Call,
    Case,
    Comma,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Jump,
    Label,
    Stmt,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, unqualified
from accache.ir.walk import children, rewrite, walk


def lifted(body: Stmt, reporter: Reporter) -> Stmt:
    """A body whose collective calls are statements: bare, assignments to variables, or declarations (ACC348)."""
    if not any(collective_calls(body)):
        return body
    lifting = _Lifting(reporter)
    return _one(lifting.parts(rewrite(body, lifting.change)))


def call_of(stmt: Stmt) -> Call | None:
    """The collective call that a statement consists of."""
    value: Expr | None = None
    if isinstance(stmt, Declare):
        value = stmt.init
    elif isinstance(stmt, Evaluate):
        value = stmt.expr
        if isinstance(value, Assign) and value.op == "=" and isinstance(value.target, Variable):
            value = value.value
    return value if isinstance(value, Call) and is_collective(value) else None


class _Lifting(Struct, dict=True):
    """Lifts the calls of one body."""

    reporter: Reporter
    count: int = 0
    before: list[Stmt] = field(default_factory=list)

    def change(self, node: Expr | Stmt) -> Expr | Stmt:
        """A statement whose parts are lifted already, with what is lifted from them in front of each."""
        if isinstance(node, Block):
            return replace(node, items=tuple(part for item in node.items for part in self.parts(item)))
        if isinstance(node, If):
            otherwise = _one(self.parts(node.otherwise)) if node.otherwise is not None else None
            return replace(node, then=_one(self.parts(node.then)), otherwise=otherwise)
        if isinstance(node, (For, While, Cache, Label, Switch)):
            return replace(node, body=_one(self.parts(node.body)))
        if isinstance(node, Case):
            return replace(node, body=tuple(part for item in node.body for part in self.parts(item)))
        return node

    def parts(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """A statement, and in front of it the declarations of what calls in its expressions give."""
        self.before = []
        if isinstance(stmt, Declare) and stmt.init is not None:
            stmt = replace(stmt, init=self.value(stmt.init, whole=True))
        elif isinstance(stmt, Evaluate):
            stmt = replace(stmt, expr=self.evaluated(stmt.expr))
        elif isinstance(stmt, If):
            stmt = replace(stmt, condition=self.value(stmt.condition))
        elif isinstance(stmt, Jump) and stmt.value is not None:
            stmt = replace(stmt, value=self.value(stmt.value))
        else:
            self.refuse(stmt)
        return (*self.before, stmt)

    def evaluated(self, expr: Expr) -> Expr:
        """The expression of a statement: a call, or its assignment to a variable, stays where it is."""
        if isinstance(expr, Assign) and expr.op == "=" and isinstance(expr.target, Variable):
            return replace(expr, value=self.value(expr.value, whole=True))
        return self.value(expr, whole=True)

    def value(self, expr: Expr, whole: bool = False) -> Expr:
        """An expression with variables in the place of calls; a value that is a call as a ``whole`` stays one."""
        hidden = [call for part in _conditional_parts(expr) for call in collective_calls(part)]
        for call in hidden:
            self.report(call, "it is computed under a condition")
        if hidden:
            return expr
        if whole and is_collective(expr):
            assert isinstance(expr, Call)
            return self.with_arguments(replace(expr, arguments=tuple(map(self.value, expr.arguments))))
        return rewrite(expr, self.lift)

    def lift(self, node: Expr | Stmt) -> Expr | Stmt:
        """A new variable for what a call gives."""
        if not isinstance(node, Call) or not is_collective(node):
            return node
        return self.variable(f"{node.function}_value", self.with_arguments(node))

    def with_arguments(self, call: Call) -> Call:
        """A call whose arguments change nothing: what does is computed in front of it, by one thread if need be."""
        name = f"{call.function}_argument"
        ready = (self.variable(name, item) if _changes(item) else item for item in call.arguments)
        return replace(call, arguments=tuple(ready))

    def variable(self, name: str, value: Expr) -> Variable:
        """A new variable for a value."""
        self.count += 1
        ctype = unqualified(value.type)
        const = replace(ctype, const=True) if isinstance(ctype, Arithmetic) else ctype
        self.before.append(Declare(value.location, f"{name}#call{self.count}", const, value))
        return Variable(ctype, value.location, f"{name}#call{self.count}")

    def refuse(self, stmt: Stmt) -> None:
        """Report the calls in the expressions of a statement that are not computed just once, in front of it."""
        parts = (stmt,) if isinstance(stmt, Atomic) else _own_expressions(stmt)
        for call in (call for part in parts for call in collective_calls(part)):
            self.report(call, "it stands in the head of a loop or switch, or in an atomic construct")

    def report(self, call: Call, reason: str) -> None:
        """Refuse a call that cannot be lifted."""
        assert call.callee is not None
        level = call.callee.level
        raise self.reporter.fail("ACC348", call.location, name=call.function, level=level, reason=reason)


def _changes(expr: Expr) -> bool:
    """Whether computing an expression changes a variable or memory."""
    return any(
        isinstance(node, Assign)
        or (isinstance(node, Unary) and node.op in STEPPING)
        or acts(node)
        or (isinstance(node, Call) and node.callee is not None and any(node.callee.writes))
        for node in walk(expr)
    )


def _conditional_parts(expr: Expr) -> Iterator[Expr]:
    """The operands in an expression that are not always computed, or in an order of their own."""
    for node in walk(expr):
        if isinstance(node, Binary) and node.op in ("&&", "||"):
            yield node.right
        elif isinstance(node, Conditional):
            yield from (node.then, node.otherwise)
        elif isinstance(node, Comma):
            yield from (node.left, node.right)


def _own_expressions(stmt: Stmt) -> Iterator[Stmt | Expr]:
    """The expressions of a statement, those of what it controls left out."""
    if isinstance(stmt, For):
        yield from stmt.init
    yield from (child for child in children(stmt) if isinstance(child, Expr))


def _one(parts: tuple[Stmt, ...]) -> Stmt:
    return parts[0] if len(parts) == 1 else Block(parts[-1].location, parts)
