"""Gotos that lead forward out of nested statements, as flags and breaks: what follows knows of no jumps to labels.

Before::

    for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
            if (a[j] == b[k])
                goto done;
    found = 0;
    done: out[i] = found;

After::

    bool to_done = false;
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k)
            if (a[j] == b[k]) {
                to_done = true;
                break;
            }
        if (to_done)
            break;
    }
    if (!to_done)
        found = 0;
    out[i] = found;

Those that lead backward, into a statement, out of a switch or out of a parallel loop stay, and are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from accache.base.text import Location
from accache.ir.build import BOOL
from accache.ir.tree import (
    Assign,
    Block,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    InitList,
    IntLiteral,
    Jump,
    Label,
    Stmt,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, Pointer, assignable, resolve
from accache.ir.walk import children, items_of, nodes_of, rewrite, used_variables, walk


def without_gotos(body: Stmt) -> Stmt:
    """A statement whose forward gotos are flags and breaks."""
    if not any(nodes_of(body, Label)):
        return body
    numbers = count(1)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return _without_labels(node, numbers) if isinstance(node, Block) else node

    return rewrite(body, change)


def _without_labels(block: Block, numbers: Iterator[int]) -> Block:
    """A block without the labels to which only statements before them lead."""
    for at, label in enumerate(block.items):
        if isinstance(label, Label):
            before, behind = block.items[:at], (label.body, *block.items[at + 1 :])
            if _leads_to(label.name, before) and not _leads_to(label.name, behind):
                found = _Exit(label, f"to_{label.name}#goto{next(numbers)}").taken(before, behind)
                return block if found is None else _without_labels(replace(block, items=found), numbers)
    return block


def _leads_to(label: str, items: Sequence[Stmt]) -> bool:
    return any(isinstance(node, Jump) and node.label == label for item in items for node in walk(item))


class _Exit(Struct, frozen=True):
    """A label that statements before it lead to, and the name of the flag that says so."""

    label: Label
    flag: str

    def taken(self, before: tuple[Stmt, ...], behind: tuple[Stmt, ...]) -> tuple[Stmt, ...] | None:
        """The statements of the label's block; None if a goto leaves something that no break leaves."""
        first = next(number for number, item in enumerate(before) if self.is_in(item))
        where = before[first].location
        if not all(self.can_leave(item) for item in before):
            return None
        hoisted: list[Stmt] = []
        skipped: list[Stmt] = []
        used = frozenset[str]().union(*map(used_variables, behind))
        for item in before[first:]:
            if not isinstance(item, Declare) or item.name not in used:
                skipped.append(item)
            elif not _can_be_assigned(item):
                return None
            else:
                hoisted.append(replace(item, type=assignable(item.type), init=None))
                skipped += _given(item)
        declared = Declare(where, self.flag, BOOL, IntLiteral(BOOL, where, 0, "false"))
        return (*before[:first], *hoisted, declared, *self.sequence(skipped, False), *behind)

    def is_in(self, stmt: Stmt) -> bool:
        """Whether a goto to the label stands in a statement."""
        return _leads_to(self.label.name, (stmt,))

    def can_leave(self, stmt: Stmt) -> bool:
        """Whether conditions and breaks lead out of all that stands around the gotos in a statement."""
        if not self.is_in(stmt) or isinstance(stmt, Jump):
            return True
        is_parallel = isinstance(stmt, For) and stmt.loop is not None and not stmt.loop.seq
        inner = [child for child in children(stmt) if isinstance(child, Stmt)]
        is_left = isinstance(stmt, (Block, If, For, While)) and not is_parallel
        return is_left and all(map(self.can_leave, inner))

    def sequence(self, items: Sequence[Stmt], in_loop: bool) -> list[Stmt]:
        """The statements of a list, none of which is done behind the goto; a loop around is left."""
        found: list[Stmt] = []
        for number, item in enumerate(items):
            if not self.is_in(item):
                found.append(item)
                continue
            if isinstance(item, Jump):
                return [*found, self.said(item.location), *self.left(item.location, in_loop)]
            found.append(self.inside(item, in_loop))
            if in_loop and any(self.is_in(node) for node in walk(item) if isinstance(node, (For, While))):
                found.append(If(item.location, self.asked(item.location), Jump(item.location, "break")))
            rest = self.sequence(items[number + 1 :], in_loop)
            if in_loop or not rest:
                return found + rest
            where = rest[0].location
            return [*found, If(where, Unary(BOOL, where, "!", self.asked(where)), Block(where, tuple(rest)))]
        return found

    def inside(self, stmt: Stmt, in_loop: bool) -> Stmt:
        """A statement around a goto."""
        if isinstance(stmt, If):
            otherwise = stmt.otherwise if stmt.otherwise is None else self.body(stmt.otherwise, in_loop)
            return replace(stmt, then=self.body(stmt.then, in_loop), otherwise=otherwise)
        if isinstance(stmt, (For, While)):
            return replace(stmt, body=self.body(stmt.body, True))
        return self.body(stmt, in_loop)

    def body(self, stmt: Stmt, in_loop: bool) -> Stmt:
        """A statement that another one controls."""
        return Block(stmt.location, tuple(self.sequence(items_of(stmt), in_loop))) if self.is_in(stmt) else stmt

    def said(self, where: Location) -> Stmt:
        """That the goto was taken."""
        return Evaluate(where, Assign(BOOL, where, "=", self.asked(where), IntLiteral(BOOL, where, 1, "true")))

    def asked(self, where: Location) -> Variable:
        """Whether it was."""
        return Variable(BOOL, where, self.flag)

    def left(self, where: Location, in_loop: bool) -> tuple[Stmt, ...]:
        """What leaves a loop around, if there is one."""
        return (Jump(where, "break"),) if in_loop else ()


def _can_be_assigned(item: Declare) -> bool:
    """Whether a declaration's initial value may be an assignment behind it."""
    is_single = isinstance(resolve(item.type), (Arithmetic, Pointer)) and not isinstance(item.init, InitList)
    return is_single and not item.static


def _given(item: Declare) -> tuple[Stmt, ...]:
    """The initial value of a variable that is declared before, as an assignment."""
    if item.init is None:
        return ()
    target = Variable(item.type, item.location, item.name)
    return (Evaluate(item.location, Assign(item.type, item.location, "=", target, item.init)),)
