"""Loops over a chunk that the end of the data may cut short, split in two by one test: full chunks, and the last one.

Before: ``for (k = l; k < l + 16 && k < n; ++k) sum += a_tile[k - l];``. After::

    if (l + 16 <= n) {
        for (int t = 0; t < 16; ++t)
            sum += a_tile[t];
    } else {
        for (int k = l; k < l + 16 && k < n; ++k)
            sum += a_tile[k - l];
    }

All threads of the block take the same way, and a compiler unrolls the first loop whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.caching.rewrite_references import printed_names
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import BOOL, INT, number
from accache.ir.kernels.simt import Barrier, BlockReduce, CanonicalLoop, Fetch, Formula, WriteBack
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Cast, Declare, Expr, For, If, IntLiteral, Stmt, Unary, Variable
from accache.ir.types import Arithmetic, as_const, exceeds_int, integer_of, resolve
from accache.ir.walk import assigned_variables, items_of, rewrite, single_definitions, walk

LONGEST = 256
"""Chunks of more iterations stay as they are: their length decides little, and the code would grow."""
UNROLLED = 16
"""Longer chunks are left for the compiler to decide on, even where they are better unrolled."""
LARGEST_BODY = 100
"""Bodies of more nodes of the tree are not written twice."""


def with_full_chunks(body: Block, varying: frozenset[str], unrolled: bool = False) -> Block:
    """A lowered kernel's body; threads may disagree about the variables called ``varying``.

    Full chunks of at most UNROLLED iterations are marked as ``unrolled`` where that is asked for.
    """
    definitions = single_definitions(body)
    names = (f"t#chunk{position}" for position in count(1))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        chunk = _chunk(node, definitions, varying) if isinstance(node, For) else None
        if chunk is None or not isinstance(node, For):
            return node
        return If(
            node.location, chunk.is_full, _full(node, chunk, next(names), unrolled and chunk.length <= UNROLLED), node
        )

    result = rewrite(body, change, For)
    assert isinstance(result, Block)
    return result


class _Chunk(Struct, frozen=True):
    """A loop of ``length`` iterations at most: its canonical form without the second limit, and when it has all."""

    loop: CanonicalLoop
    length: int
    is_full: Expr


def _chunk(loop: For, definitions: Mapping[str, Expr], varying: frozenset[str]) -> _Chunk | None:
    """A loop that two limits end; None if it is another one, or must not be written twice."""
    both = loop.condition
    if not isinstance(both, Binary) or both.op != "&&" or not (loop.init and isinstance(loop.init[0], Declare)):
        return None
    if any(isinstance(node, (Barrier, BlockReduce, Fetch, WriteBack)) for node in walk(loop.body)):
        return None
    if sum(1 for _ in walk(loop.body)) > LARGEST_BODY:
        return None
    for ours, other, is_first in ((both.left, both.right, True), (both.right, both.left, False)):
        first, second = (canonical_loop(replace(loop, condition=part)) for part in (ours, other))
        if isinstance(first, str) or isinstance(second, str) or not _are_alike(first, second):
            continue
        length = _length(first, definitions)
        parts = (first.first, first.limit, second.limit)
        if length is None or not all(_stays(part, loop.body, varying) for part in parts):
            continue
        test: Expr = Binary(BOOL, loop.location, "<=", first.limit, second.limit)
        if integer_of(first.type).unsigned and exceeds_int(first.type):  # a sum that nobody has proved not to wrap
            starts = Binary(BOOL, loop.location, first.operator, first.first, first.limit)
            test = Binary(BOOL, loop.location, "&&", starts, test)
        if not is_first:  # in C the constant length's limit is computed only where the other one holds
            starts = Binary(BOOL, loop.location, first.operator, first.first, second.limit)
            test = Binary(BOOL, loop.location, "&&", starts, test)
        return _Chunk(first, length, test)
    return None


def _are_alike(first: CanonicalLoop, second: CanonicalLoop) -> bool:
    """Whether two limits end a loop that counts up by one, and are compared alike: numbers with signs, or without."""
    kinds = [resolve(part) for part in (first.type, first.limit.type, second.limit.type)]
    plain = [kind for kind in kinds if isinstance(kind, Arithmetic) and kind.size >= INT.size]
    are_alike = len(plain) == len(kinds) and len({kind.unsigned for kind in plain}) == 1
    return are_alike and first.step == 1 and first.operator == second.operator and first.operator in ("<", "<=")


def _length(loop: CanonicalLoop, definitions: Mapping[str, Expr]) -> int | None:
    """How many iterations lead to a limit, where that is a constant."""
    first, limit = polynomial_of(loop.first, definitions), polynomial_of(loop.limit, definitions)
    span = (limit - first).constant_value if first is not None and limit is not None else None
    length = span + (loop.operator == "<=") if span is not None else 0
    return length if 0 < length <= LONGEST else None


def _stays(part: Expr, body: Stmt, varying: frozenset[str]) -> bool:
    """Whether an expression has one value for all threads and iterations: it computes on variables that stay."""
    nodes = list(walk(part))
    names = {node.name for node in nodes if isinstance(node, Variable)}
    plain = all(isinstance(node, (Variable, IntLiteral, Binary, Unary, Cast)) for node in nodes)
    return plain and not names & (assigned_variables(body) | varying)


def _full(loop: For, chunk: _Chunk, name: str, unrolled: bool) -> For:
    """The loop over a whole chunk, by the number of the iteration unless it starts from a constant."""
    where, canonical = loop.location, chunk.loop
    start = loop.init[0]
    assert isinstance(start, Declare)
    first = polynomial_of(canonical.first)
    if first is None or first.constant_value is not None:
        return replace(loop, condition=Binary(BOOL, where, canonical.operator, _variable(start), canonical.limit))
    variable = Variable(INT, where, name)
    body = _renumbered(loop.body, start.name, first + Polynomial.symbol(name))
    if start.name in printed_names(body):
        value = Binary(start.type, where, "+", canonical.first, variable)
        declare = replace(start, type=as_const(start.type), init=value)
        body = Block(where, (declare, *items_of(body)))
    return For(
        where,
        (Declare(where, name, INT, number(0, where)),),
        Binary(BOOL, where, "<", variable, number(chunk.length, where)),
        Unary(INT, where, "++", variable),
        body,
        unrolled=unrolled,
    )


def _variable(start: Declare) -> Variable:
    return Variable(start.type, start.location, start.name)


def _renumbered(body: Stmt, name: str, value: Polynomial) -> Stmt:
    """A loop's body, its positions in tiles in terms of the number of the iteration."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Formula) or name not in node.polynomial.names:
            return node
        return replace(node, polynomial=node.polynomial.substitute({name: value}))

    return rewrite(body, change)
