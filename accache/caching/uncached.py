"""Kernels and statements without their cache directives."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Diagnostic, Reporter
from accache.ir.tree import Block, Cache, Expr, Stmt
from accache.ir.walk import items_of, nodes_of, remember, remembered, rewrite
from accache.mapping.data.quotients import with_quotients
from accache.mapping.mapped import MappedKernel, Written, lines_and_numbers, with_routine_parts
from accache.mapping.mapping import map_region


class _PlainRegion(Struct, frozen=True):
    """The kernels of a region without cache directives, and what there was to report; none if they are others."""

    kernels: tuple[MappedKernel, ...]
    diagnostics: tuple[Diagnostic, ...]


@remembered
def plain_kernel(kernel: MappedKernel) -> MappedKernel:
    """A kernel as the program without cache directives has it: what no tile shares may be spread in another way.

    Estimates still know what the directives say of the lengths of arrays.
    """
    kernels = _plain_region(kernel.written).kernels if kernel.written is not None else ()
    same = next((item for item in kernels if (item.line, item.number) == (kernel.line, kernel.number)), None)
    if same is None:
        same = replace(kernel, source=without_directives(kernel.source), body=without_directives(kernel.body))
    plain = replace(with_routine_parts(same, kernel.routine_parts), written=kernel.written)
    return remember(plain_kernel, plain, plain)


def told_of_plain(kernel: MappedKernel) -> tuple[Diagnostic, ...]:
    """What there is to report where a kernel is emitted as the program without cache directives has it."""
    return _plain_region(kernel.written).diagnostics if kernel.written is not None else ()


@remembered
def _plain_region(written: Written) -> _PlainRegion:
    """The kernels of a region without cache directives; none if it has errors that it has not with them.

    They call what the host computes as the kernels with directives do, beside which they may stand in a construct. So
    there are none, too, where the region without directives becomes more or fewer kernels, which share its work in
    another way.
    """
    reporter = Reporter()
    named = with_quotients(written.region)
    kernels = map_region(replace(named, body=without_directives(named.body)), reporter)
    if reporter.has_errors or lines_and_numbers(kernels) != written.kernels:
        return _PlainRegion((), ())
    return _PlainRegion(kernels, tuple(reporter.diagnostics))


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
