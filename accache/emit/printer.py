"""The one printer of statements. It refuses what was not lowered."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatchmethod

from accache.base.text import Location
from accache.emit import templates
from accache.emit.expressions import ExpressionPrinter
from accache.emit.sections import quoted
from accache.ir import tree
from accache.ir.kernels import simt
from accache.ir.types import (
    CType,
    is_array,
)
from accache.ir.walk import items_of

INDENT = "    "
SINGLE = (tree.Evaluate, tree.Jump, tree.Atomic, simt.BlockReduce)
"""Statements that need no braces where they are printed as one line."""


class Printer(ExpressionPrinter, dict=True):
    """Prints one kernel or stub; ``line`` asks for #line directives, ``result`` is the type a routine returns."""

    transfer: Callable[[Printer, simt.Fetch | simt.WriteBack], str] | None = None
    round: Callable[[Printer, simt.Round], str] | None = None
    reduce: Callable[[Printer, simt.BlockReduce], str] | None = None
    store: Callable[[Printer, simt.StorePartials], str] | None = None
    atomic: Callable[[Printer, tree.Atomic, int], list[str]] | None = None
    line: bool = False
    result: CType | None = None

    def statement(self, stmt: tree.Stmt, depth: int) -> list[str]:
        """A statement as lines, each indented."""
        return self._statement(stmt, depth)

    @singledispatchmethod
    def _statement(self, stmt: tree.Stmt, depth: int) -> list[str]:
        raise TypeError(f"cannot print a {type(stmt).__name__}")

    def lines(self, items: tuple[tree.Stmt, ...], depth: int) -> list[str]:
        """The statements of a block; where asked for, with #line directives that lead to the user's file."""
        if not self.line:
            return [line for item in items for line in self.statement(item, depth)]
        return [line for item in items for line in (*line_directive(item.location), *self.statement(item, depth))]

    @_statement.register(tree.Block)
    def _block(self, stmt: tree.Block, depth: int) -> list[str]:
        pad = INDENT * depth
        return [f"{pad}{{", *self.lines(stmt.items, depth + 1), f"{pad}}}"]

    @_statement.register(tree.Declare)
    def _declare(self, stmt: tree.Declare, depth: int) -> list[str]:
        return [f"{INDENT * depth}{self._declarator(stmt)};"]

    def _declarator(self, stmt: tree.Declare) -> str:
        text = self.declare(stmt.type, self.name(stmt.name))
        text = f"static {text}" if stmt.static and is_array(stmt.type) else text
        return text if stmt.init is None else f"{text} = {self.converted(stmt.init, stmt.type)}"

    @_statement.register(tree.Evaluate)
    def _evaluate(self, stmt: tree.Evaluate, depth: int) -> list[str]:
        self.statement_value = stmt.expr
        return [f"{INDENT * depth}{self.expression(stmt.expr)};"]

    @_statement.register(tree.If)
    def _if(self, stmt: tree.If, depth: int) -> list[str]:
        """A condition and those of its else-ifs: all in braces, or none where each is a line."""
        pad, chain = INDENT * depth, _chain(stmt)
        heads = [f"if ({self.expression(condition)})" if condition is not None else "" for condition, _ in chain]
        bodies = [self._inner(body, depth + 1) for _, body in chain]
        lines: list[str] = []
        if all(is_bare for _, is_bare in bodies):
            for head, (inner, _) in zip(heads, bodies, strict=True):
                lines += [pad + f"{'else ' if lines else ''}{head}".rstrip(), *inner]
            return lines
        for head, (inner, _) in zip(heads, bodies, strict=True):
            lines += [pad + " ".join(part for part in ("} else" if lines else "", head, "{") if part), *inner]
        return [*lines, f"{pad}}}"]

    def _controlled(self, head: str, body: tree.Stmt, depth: int) -> list[str]:
        """A controlled statement; braces only where they are needed."""
        inner, is_bare = self._inner(body, depth + 1)
        return [head, *inner] if is_bare else [f"{head} {{", *inner, f"{INDENT * depth}}}"]

    def _inner(self, body: tree.Stmt, depth: int) -> tuple[list[str], bool]:
        """The lines of a controlled statement, and whether it needs no braces."""
        items = items_of(body)
        lines = self.lines(items, depth)
        return lines, len(items) == 1 and isinstance(items[0], SINGLE) and not self.line and len(lines) == 1

    @_statement.register(tree.For)
    def _for(self, stmt: tree.For, depth: int) -> list[str]:
        init = self._for_init(stmt.init)
        condition = self.expression(stmt.condition) if stmt.condition is not None else ""
        self.statement_value = stmt.step
        step = self.expression(stmt.step) if stmt.step is not None else ""
        lines = self._controlled(f"{INDENT * depth}for ({init}; {condition}; {step})", stmt.body, depth)
        often = "" if stmt.unrolled is True else f" {stmt.unrolled}"
        return [f"{INDENT * depth}#pragma unroll{often}", *lines] if stmt.unrolled else lines

    def _for_init(self, init: tuple[tree.Stmt, ...]) -> str:
        if not init:
            return ""
        if isinstance(init[0], tree.Evaluate):
            return self.expression(init[0].expr)
        texts = [self._declarator(item) for item in init if isinstance(item, tree.Declare)]
        first = init[0]
        assert isinstance(first, tree.Declare)
        prefix = self.declare(first.type, "") + " "
        return ", ".join([texts[0], *(text.removeprefix(prefix) for text in texts[1:])])

    @_statement.register(tree.While)
    def _while(self, stmt: tree.While, depth: int) -> list[str]:
        condition = self.expression(stmt.condition)
        if not stmt.at_end:
            return self._controlled(f"{INDENT * depth}while ({condition})", stmt.body, depth)
        body = items_of(stmt.body)
        pad = INDENT * depth
        return [f"{pad}do {{", *self.lines(body, depth + 1), f"{pad}}} while ({condition});"]

    @_statement.register(tree.Switch)
    def _switch(self, stmt: tree.Switch, depth: int) -> list[str]:
        body = items_of(stmt.body)
        pad, lines = INDENT * depth, self.lines(body, depth)
        if lines and lines[-1].endswith(":"):  # C++ wants a statement behind the last label
            lines.append(f"{pad}{INDENT};")
        return [f"{pad}switch ({self.expression(stmt.value)}) {{", *lines, f"{pad}}}"]

    @_statement.register(tree.Case)
    def _case(self, stmt: tree.Case, depth: int) -> list[str]:
        label = "default" if stmt.value is None else f"case {self.expression(stmt.value)}"
        return [f"{INDENT * depth}{label}:", *self.lines(stmt.body, depth + 1)]

    @_statement.register(tree.Jump)
    def _jump(self, stmt: tree.Jump, depth: int) -> list[str]:
        value = ""
        if stmt.value is not None:
            value = f" {self.converted(stmt.value, self.result) if self.result else self.expression(stmt.value)}"
        label = f" {stmt.label}" if stmt.label else ""
        return [f"{INDENT * depth}{stmt.keyword}{label}{value};"]

    @_statement.register(tree.Label)
    def _label(self, stmt: tree.Label, depth: int) -> list[str]:
        body = self.statement(stmt.body, depth) or [f"{INDENT * depth};"]
        return [f"{INDENT * max(depth - 1, 0)}{stmt.name}:", *body]

    @_statement.register(tree.Empty)
    def _empty(self, stmt: tree.Empty, depth: int) -> list[str]:
        return [f"{INDENT * depth};"]

    @_statement.register(tree.Atomic)
    def _atomic(self, stmt: tree.Atomic, depth: int) -> list[str]:
        assert self.atomic is not None
        return self.atomic(self, stmt, depth)

    @_statement.register(simt.Barrier)
    def _barrier(self, stmt: simt.Barrier, depth: int) -> list[str]:
        return self.indented(str(templates.macros("cuda/statements.cu.jinja").barrier(stmt.scope)), depth)

    @_statement.register(simt.Fetch)
    def _fetch(self, stmt: simt.Fetch, depth: int) -> list[str]:
        assert self.transfer is not None
        return [f"{INDENT * depth}{self.transfer(self, stmt)};"]

    @_statement.register(simt.WriteBack)
    def _writeback(self, stmt: simt.WriteBack, depth: int) -> list[str]:
        assert self.transfer is not None
        return [f"{INDENT * depth}{self.transfer(self, stmt)};"]

    @_statement.register(simt.Round)
    def _round(self, stmt: simt.Round, depth: int) -> list[str]:
        assert self.round is not None
        return [f"{INDENT * depth}{self.round(self, stmt)};"]

    @_statement.register(simt.BlockReduce)
    def _blockreduce(self, stmt: simt.BlockReduce, depth: int) -> list[str]:
        assert self.reduce is not None
        return self.indented(self.reduce(self, stmt), depth)

    @_statement.register(simt.StorePartials)
    def _storepartials(self, stmt: simt.StorePartials, depth: int) -> list[str]:
        assert self.store is not None
        return self.indented(self.store(self, stmt), depth)

    @staticmethod
    def indented(text: str, depth: int) -> list[str]:
        """The lines of a template's text at a depth."""
        return [INDENT * depth + line for line in text.strip().splitlines()]


def line_directive(location: Location) -> list[str]:
    """The #line directive for what follows."""
    return [f"#line {location.line} {file_name(location.file)}"] if location.line else []


def file_name(name: str) -> str:
    """A file's name in a #line directive; nvcc takes no bytes there that are not UTF-8."""
    return quoted(name.encode("utf-8", "replace").decode())


def _chain(stmt: tree.If) -> list[tuple[tree.Expr | None, tree.Stmt]]:
    """The conditions and bodies of an if and its else-ifs; the condition of what else happens is None."""
    chain: list[tuple[tree.Expr | None, tree.Stmt]] = [(stmt.condition, stmt.then)]
    otherwise = stmt.otherwise
    while isinstance(otherwise, tree.If):
        chain.append((otherwise.condition, otherwise.then))
        otherwise = otherwise.otherwise
    return chain if otherwise is None else [*chain, (None, otherwise)]
