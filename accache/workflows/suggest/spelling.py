"""Subarrays as the user would write them: a length by the name that the loop around calls it by.

``b[l:16][j:1]`` in ``for (int l = 0; l < n; l += TILE)`` is written ``b[l:TILE][j:1]``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from accache.base.text import Location, SourceFile
from accache.caching.auto.proposals import Proposal
from accache.caching.sizing.boxes import spelled
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region
from accache.ir.tree import Expr, For, IntLiteral, Stmt, Variable
from accache.ir.walk import children, walk

_NAME = re.compile(r"[A-Za-z_]\w*")


def written(proposal: Proposal, region: Region, source: SourceFile) -> str:
    """The text of a proposal for a loop of a construct."""
    names = _names(region, proposal.anchor.loop, source)
    pairs = zip(proposal.lowers, proposal.lengths, strict=True)
    parts = (f"[{spelled(lower)}:{names.get(length, length) if length > 1 else 1}]" for lower, length in pairs)
    return user_name(proposal.array) + "".join(parts)


def _names(region: Region, loop: Location, source: SourceFile) -> dict[int, str]:
    """The macros that stand for a number each in the head of a loop, or in that of the one around it."""
    found: dict[int, str] = {}
    for node in _with_parent(region.body, loop):
        parts = [part for head in (*node.init, node.condition, node.step) if head is not None for part in walk(head)]
        leaves = [part for part in parts if isinstance(part, (IntLiteral, Variable))]
        count = Counter(leaf.location for leaf in leaves)
        for leaf in leaves:
            name = _text_at(source, leaf.location)
            if isinstance(leaf, IntLiteral) and count[leaf.location] == 1 and _NAME.fullmatch(name):
                found.setdefault(leaf.value, name)
    return found


def _with_parent(node: Expr | Stmt, loop: Location, parent: For | None = None) -> Iterator[For]:
    """The loop at a place, and the one right around it."""
    if isinstance(node, For) and node.location == loop:
        yield node
        if parent is not None:
            yield parent
    for child in children(node):
        if isinstance(child, Stmt):
            yield from _with_parent(child, loop, node if isinstance(node, For) else parent)


def _text_at(source: SourceFile, where: Location) -> str:
    """What stands at a place of the file; '' in other files, and where a macro has arguments."""
    if where.file != source.name or not where.column:
        return ""
    start = source.offset(where.line, where.column)
    text = source.text[start : start + where.length]
    return "" if source.text[start + where.length :].lstrip(" \t").startswith("(") else text
