"""Addresses of a thread's neighbouring iterations, in a form in which a compiler sees which elements they share.

Before, of threads that have four iterations ``j`` next to each other, in a loop over ``c`` that is unrolled::

    const int j = j_base + dj;
    sum[dj] += a[row*m + j + c];          // j_base is 4*threadIdx.x + 1

After::

    sum[dj] += (&a[row*m + j_base - 1])[dj + c + 1];

The second subscript is a constant once the loops are unrolled, and the first address is aligned. So compilers find that
several iterations refer to one element, and join accesses of neighbours.

``b[i*n + j]`` says as much where nothing else of the kernel is written so, and no array is both loaded and stored. Else
it becomes ``b[i*n + j_base + dj]``: nvcc does not see that ``i*n + j`` of one iteration and of the next are neighbours
once a store stands between them, or an address of the other form beside them, or where only ``i*n`` has 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.accesses import accesses_of
from accache.analysis.calls import root_of
from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.kernels.alignment import MOST
from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import Binary, Block, Declare, Expr, For, Stmt, Subscript, Unary, Variable
from accache.ir.types import Arithmetic, CType, Pointer, resolve
from accache.ir.walk import is_computed, nodes_of, rewrite, single_definitions, used_variables
from accache.mapping.mapped import MappedKernel

LARGEST = 1 << 20
"""Constants beyond it stay where they are."""
LONG_BYTES = 8
Term = tuple[str, Expr]


def with_shared_addresses(body: Block, kernel: MappedKernel) -> Block:
    """The lowered body of a kernel whose threads have several neighbouring iterations, or loops in groups of rounds."""
    if not kernel.alignment:
        return body
    loops = [node for node in nodes_of(body, For) if node.unrolled is True]
    starts = frozenset(start.name for loop in loops for start in loop.init if isinstance(start, Declare))
    definitions = single_definitions(body)
    along = [node.loop for node in nodes_of(kernel.body, ParallelFor) if node.block == "x"]
    if kernel.coarse.is_blocked and len(along) == 1:
        behind = (constant(along[0].first) or 0) % MOST
        body = _of_iterations(body, _Form(kernel.alignment.arrays, along[0].variable, behind, starts, definitions))
    for base in sorted(_bases(definitions, starts) - {loop.variable for loop in along}):
        form = _Form(kernel.alignment.arrays, base, 0, starts, definitions, only_wide=True)
        body = _rewritten(body, form)
    return body


def _of_iterations(body: Block, form: _Form) -> Block:
    """A body with addresses of neighbouring iterations, all of them in the form that one of them needs."""
    result = _rewritten(body, form)
    found = accesses_of(body, frozenset())
    if result is body and not found.reads & found.writes & set(form.arrays):
        return body
    return _rewritten(body, replace(form, of_all=True))


def _rewritten(body: Block, form: _Form) -> Block:
    result = rewrite(body, form.changed)
    assert isinstance(result, Block)
    return result


def _bases(definitions: Mapping[str, Expr], starts: frozenset[str]) -> frozenset[str]:
    """The variables that hold the first of a group of rounds: ``k_base`` where ``k`` is ``k_base + dk``."""
    sums = (value for value in definitions.values() if isinstance(value, Binary) and value.op == "+")
    parts = ((value.left, value.right) for value in sums)
    return frozenset(
        left.name
        for left, right in parts
        if isinstance(left, Variable) and isinstance(right, Variable) and right.name in starts
    )


class _Form(Struct, frozen=True):
    """The form of addresses of some ``arrays``.

    The first of a thread's iterations is in the variable ``base``, which is so many elements ``behind`` an aligned
    place; ``unrolled`` are the variables that are constants once loops are unrolled. ``of_all`` says that indices which
    say as much of themselves are to have their terms in the same order, too, ``only_wide`` that those of type int stay.
    """

    arrays: tuple[str, ...]
    base: str
    behind: int
    unrolled: frozenset[str]
    definitions: Mapping[str, Expr]
    of_all: bool = False
    only_wide: bool = False

    def changed(self, node: Expr | Stmt) -> Expr | Stmt:
        """A reference to an element in two steps, where that shows what iterations share."""
        root = root_of(node) if isinstance(node, Subscript) else None
        if not isinstance(node, Subscript) or root is None or root.name not in self.arrays:
            return node
        if self.only_wide and _is_int(node.index.type):
            return node
        terms = list(self.terms(node.index, "+"))
        last = [term for term in terms if self.is_constant(term[1])]
        first = sorted((term for term in terms if term not in last), key=lambda term: _is_int(term[1].type))
        has_base = any(sign == "+" and isinstance(term, Variable) and term.name == self.base for sign, term in first)
        if not has_base or not last or first[0][0] != "+" or not _is_one_sum(terms):
            return node
        begin, rest = _sum(first), _sum(sorted(last, key=lambda term: term[0]))
        if len(last) == 1 and not self.behind and isinstance(node.base, Variable):
            index = Binary(begin.type, node.location, "+", begin, rest)
            says_as_much = not self.of_all and _is_int(node.index.type)
            return node if says_as_much else replace(node, index=index)
        if self.behind and len(first) > 1 and not isinstance(node.base, Variable):
            return node  # the aligned place may lie in front of the row, where no address of one of its elements leads
        return self.in_two_steps(node, begin, rest)

    def in_two_steps(self, node: Subscript, begin: Expr, rest: Expr) -> Subscript:
        """A reference to an element by the address of an aligned one and what is a constant in unrolled loops."""
        where = node.location
        if self.behind:
            shift = number(self.behind, where)
            begin, rest = Binary(begin.type, where, "-", begin, shift), Binary(rest.type, where, "+", rest, shift)
        address = Unary(Pointer(node.type), where, "&", replace(node, index=begin))
        return Subscript(node.type, where, address, rest)

    def terms(self, expr: Expr, sign: str) -> Iterator[Term]:
        """The terms of a sum, each with its sign, of what variables of the body stand for where that is a sum."""
        if isinstance(expr, Variable):
            value = self.definitions.get(expr.name)
            if isinstance(value, Binary) and value.op in ("+", "-") and expr.name != self.base:
                yield from self.terms(value, sign)
                return
        if isinstance(expr, Binary) and expr.op in ("+", "-"):
            yield from self.terms(expr.left, sign)
            yield from self.terms(expr.right, sign if expr.op == "+" else "-" if sign == "+" else "+")
        else:
            yield sign, expr

    def is_constant(self, expr: Expr) -> bool:
        """Whether an expression has a small constant value once loops are unrolled."""
        value = constant(expr)
        if value is not None:
            return abs(value) <= LARGEST
        return is_computed(expr) and used_variables(expr) <= self.unrolled


def _sum(terms: list[Term]) -> Expr:
    """The sum of terms, the first of which is added."""
    (sign, start), *others = terms
    start = start if sign == "+" else Unary(start.type, start.location, "-", start)
    return reduce(lambda found, term: _added(found, *term), others, start)


def _added(found: Expr, sign: str, term: Expr) -> Expr:
    return Binary(term.type if _is_int(found.type) else found.type, found.location, sign, found, term)


def _is_one_sum(terms: list[Term]) -> bool:
    """Whether the order of terms is free: they are int, whose sums do not overflow, or of one type of 64 bits."""
    types = [resolve(term.type) for _, term in terms if not _is_int(term.type)]
    plain = {(found.name, found.unsigned, found.size) for found in types if isinstance(found, Arithmetic)}
    are_integers = all(isinstance(found, Arithmetic) and found.is_integer for found in types)
    return are_integers and len(plain) <= 1 and all(size == LONG_BYTES for _, _, size in plain)


def _is_int(ctype: CType) -> bool:
    plain = resolve(ctype)
    return isinstance(plain, Arithmetic) and plain.name == "int" and not plain.unsigned
