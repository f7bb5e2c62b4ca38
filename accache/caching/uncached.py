"""Kernels and statements without their cache directives."""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.tree import Block, Cache, Expr, Stmt
from accache.ir.walk import items_of, nodes_of, remember, remembered, rewrite
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import mapped_anew


@remembered
def plain_kernel(kernel: MappedKernel) -> MappedKernel:
    """A kernel as it is mapped without its cache directives: blocks may have another shape where nothing is shared."""
    is_fixed = kernel.is_routine or bool(kernel.prologue)  # copies of arrays are in its source already
    if is_fixed:
        return kernel
    plain = mapped_anew(kernel, without_directives(kernel.source))
    return remember(plain_kernel, plain, plain)  # to map it once more makes the same


def without_directives(stmt: Stmt) -> Stmt:
    """A statement without cache directives; the statements of a region stay in the block they stood in."""

    def flattened(item: Stmt) -> tuple[Stmt, ...]:
        if not isinstance(item, Cache):
            return (item,)
        inner = items_of(item.body)
        return tuple(part for statement in inner for part in flattened(statement))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Block):
            return replace(node, items=tuple(part for item in node.items for part in flattened(item)))
        return node

    if not nodes_of(stmt, Cache):
        return stmt
    body = rewrite(stmt, change)
    return rewrite(body, lambda node: node.body if isinstance(node, Cache) else node)
