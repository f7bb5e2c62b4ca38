"""Iterations that end early, as conditions around what they leave out: analyses see one way through an iteration.

Before::

    if (x < 3 || x >= w - 3) {
        out[x] = in[x];
        continue;
    }
    out[x] = in[x - 3] + in[x + 3];

After::

    if (x < 3 || x >= w - 3)
        out[x] = in[x];
    else
        out[x] = in[x - 3] + in[x + 3];

Threads that come to the end of such an iteration together may wait for each other, have several of them, and know which
ones are far from the edges. A loop is left as it is where a ``continue`` would need what follows twice.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.uniformity import leaving_jumps
from accache.ir.build import both, negated
from accache.ir.tree import Block, Cache, Expr, For, If, Jump, Label, Stmt
from accache.ir.walk import is_computed, items_of, nodes_of, rewrite, used_variables, varying_variables


def without_early_ends(body: Stmt) -> Stmt:
    """A body whose for loops contain no ``continue`` of their own, wherever conditions can stand in its place."""
    ends = _Ends(varying_variables(body))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or not _continues(node.body) or _is_jumped_into(node.body):
            return node
        items = ends.straight(items_of(node.body))
        return node if items is None else replace(node, body=Block(node.body.location, items))

    return rewrite(body, change)


def _continues(stmt: Stmt) -> bool:
    """Whether a statement in a loop may end the iteration by ``continue``."""
    return any(jump.keyword == "continue" for jump in leaving_jumps(stmt))


def _is_jumped_into(stmt: Stmt) -> bool:
    return any(nodes_of(stmt, Label))


class _Ends(Struct, frozen=True):
    """Replaces ends of iterations, of which each may have other values of ``varying`` names."""

    varying: frozenset[str]

    def straight(self, items: tuple[Stmt, ...]) -> tuple[Stmt, ...] | None:
        """The statements of an iteration without ``continue``; None if they cannot do without."""
        for number, item in enumerate(items):
            if not _continues(item):
                continue
            if isinstance(item, Jump):
                return items[:number]
            found = self.joined(item, items[number + 1 :])
            return None if found is None else (*items[:number], *found)
        return items

    def joined(self, stmt: Stmt, after: tuple[Stmt, ...]) -> tuple[Stmt, ...] | None:
        """A statement that may end the iteration, and the statements that follow it."""
        if isinstance(stmt, Block):
            return self.straight((*stmt.items, *after))
        if isinstance(stmt, Cache):
            inner = self.straight(items_of(stmt.body)) if not after or _always_ends(stmt.body) else None
            return None if inner is None else (replace(stmt, body=_block(stmt, inner)),)
        found = self.chosen(stmt, after) if isinstance(stmt, If) else None
        if found is None:
            return None
        differs = bool(used_variables(found.condition) & self.varying)
        return (_outward(found) if after and differs else found,)

    def chosen(self, stmt: If, after: tuple[Stmt, ...]) -> If | None:
        """A condition with what follows it in the branch that does not end the iteration."""
        branches = [items_of(stmt.then), items_of(stmt.otherwise) if stmt.otherwise is not None else ()]
        if after:
            ending = [bool(branch) and _always_ends(branch[-1]) for branch in branches]
            if not any(ending):
                return None
            branches = [branch if ends else (*branch, *after) for branch, ends in zip(branches, ending, strict=True)]
        then, otherwise = map(self.straight, branches)
        if then is None or otherwise is None:
            return None
        if not then:
            return _guarded(stmt, negated(stmt.condition), otherwise)
        return replace(stmt, then=_block(stmt, then), otherwise=_block(stmt, otherwise) if otherwise else None)


def _guarded(stmt: If, condition: Expr, items: tuple[Stmt, ...]) -> If:
    """Statements under a condition; where they are nothing but one of their own, both are one."""
    only = items[0] if len(items) == 1 else None
    if isinstance(only, If) and only.otherwise is None:
        return replace(only, condition=both((condition, only.condition)))
    return replace(stmt, condition=condition, then=_block(stmt, items), otherwise=None)


def _always_ends(stmt: Stmt) -> bool:
    """Whether nothing that follows a statement runs in the same iteration, which ``continue`` ends."""
    if isinstance(stmt, If):
        return stmt.otherwise is not None and _always_ends(stmt.then) and _always_ends(stmt.otherwise)
    if isinstance(stmt, Cache):
        return _always_ends(stmt.body)
    if isinstance(stmt, Block):
        return bool(stmt.items) and _always_ends(stmt.items[-1])
    return isinstance(stmt, Jump) and stmt.keyword == "continue"


def _outward(stmt: If) -> Stmt:
    """A condition on which threads differ, in the region of the directive that the branch of what follows consists of.

    So all threads come to the directive; its bounds are told without the condition.
    """
    branch = stmt.then if stmt.otherwise is None else stmt.otherwise
    items = items_of(branch)
    directive = items[0] if len(items) == 1 else None
    if not isinstance(directive, Cache) or not all(map(is_computed, _bounds(directive))):
        return stmt
    if stmt.otherwise is None:
        return replace(directive, body=replace(stmt, then=directive.body))
    return replace(directive, body=replace(stmt, otherwise=directive.body))


def _bounds(directive: Cache) -> list[Expr]:
    parts = [part for item in directive.subarrays for part in item.dimensions]
    return [bound for part in parts for bound in (part.lower, part.length) if bound is not None]


def _block(stmt: Stmt, items: tuple[Stmt, ...]) -> Stmt:
    return items[0] if len(items) == 1 else Block(stmt.location, items)
