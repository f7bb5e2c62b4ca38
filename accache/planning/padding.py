"""Padding of gang-local arrays: one element a row where threads would otherwise meet in one memory bank.

Shared memory has 32 banks of 4 bytes; threads of a warp whose words lie in one bank take turns
(paper 004, section 5.1: a small padding resolves nearly all conflicts).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod

from accache.analysis.affine import index_polynomial
from accache.analysis.canonical import constant
from accache.analysis.places import Definitions, subscripts_of
from accache.analysis.walk import walk
from accache.ir.simt import ParallelFor
from accache.ir.tree import Stmt, Subscript, Variable
from accache.ir.types import Array, CType, resolve
from accache.planning.sizes import sizeof

BANKS = 32
BANK_BYTES = 4


def padding(kernel: Stmt, array: str, ctype: CType, definitions: Definitions) -> int:
    """How many elements to add to each row of an array: 1 where that lets fewer threads meet in a bank, else 0."""
    extents, element = _extents(ctype)
    if len(extents) < 2 or not element:
        return 0
    strides = list(_thread_steps(kernel, array, len(extents), definitions))
    if not strides:
        return 0
    plain = max(_turns(step, extents, element) for step in strides)
    padded = max(_turns(step, (*extents[:-1], extents[-1] + 1), element) for step in strides)
    return 1 if padded < plain else 0


def _turns(steps: tuple[int, ...], extents: tuple[int, ...], element: int) -> int:
    """How many turns a warp takes when neighbouring threads are ``steps`` apart in each dimension."""
    distance = sum(step * prod(extents[depth + 1 :]) for depth, step in enumerate(steps)) * element
    return gcd(abs(distance) // BANK_BYTES, BANKS) if distance and distance % BANK_BYTES == 0 else 1


def _thread_steps(kernel: Stmt, array: str, rank: int, definitions: Definitions) -> Iterator[tuple[int, ...]]:
    """For each reference, how far the next thread along x is in each dimension."""
    along_x = {
        loop.loop.variable: loop.loop.step
        for loop in walk(kernel)
        if isinstance(loop, ParallelFor) and loop.block == "x"
    }
    for node in walk(kernel):
        if not isinstance(node, Subscript):
            continue
        base, subscripts = subscripts_of(node)
        if not isinstance(base, Variable) or base.name != array or len(subscripts) != rank:
            continue
        steps = []
        for subscript in subscripts:
            polynomial = index_polynomial(subscript, definitions)
            rates = [
                (polynomial.coefficient(name), step)
                for name, step in along_x.items()
                if polynomial and name in polynomial.names
            ]
            steps.append(sum((rate.constant_value or 0) * step for rate, step in rates if rate is not None))
        yield tuple(steps)


def _extents(ctype: CType) -> tuple[tuple[int, ...], int]:
    """The lengths of an array's dimensions, and the size of an element in bytes."""
    lengths = []
    plain = resolve(ctype)
    while isinstance(plain, Array):
        lengths.append(constant(plain.length) or 0)
        plain = resolve(plain.element)
    return tuple(lengths), sizeof(plain)
