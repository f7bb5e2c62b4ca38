"""Control statements taken apart and put together again."""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.tree import Block, For, If, Stmt, While
from accache.lowering.barriers import Step
from accache.lowering.guards import assemble


def block_of(stmt: Stmt, steps: tuple[Step, ...]) -> Block:
    """The statements of steps as the body of a statement."""
    return Block(stmt.location, tuple(assemble(steps)))


def parts_of(stmt: Block | For | While | If) -> list[Stmt]:
    """The statements a statement controls."""
    if isinstance(stmt, Block):
        return [stmt]
    if isinstance(stmt, If):
        return [stmt.then] if stmt.otherwise is None else [stmt.then, stmt.otherwise]
    return [stmt.body]


def with_parts(stmt: Block | For | While | If, parts: list[Block]) -> Stmt:
    """The statement with other controlled statements."""
    if isinstance(stmt, Block):
        return parts[0]
    if isinstance(stmt, If):
        return replace(stmt, then=parts[0], otherwise=_only_branch(parts[1]) if len(parts) > 1 else None)
    return replace(stmt, body=parts[0])


def _only_branch(otherwise: Block) -> Stmt:
    """What stands behind ``else``: of a block that is one condition, the condition itself, as in ``else if``."""
    items = otherwise.items
    return items[0] if len(items) == 1 and isinstance(items[0], If) else otherwise
