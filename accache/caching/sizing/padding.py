"""Padding of tiles and gang-local arrays: one element a row where threads would otherwise meet in one memory bank.

Shared memory has 32 banks of 4 bytes; threads of a warp whose words lie in one bank take turns
(paper 004, section 5.1: a small padding resolves nearly all conflicts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, prod

from accache.analysis.loop_context import Definitions, subscripts_of
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import Stmt, Subscript, Variable
from accache.ir.types import Array, CType, resolve
from accache.ir.walk import nodes_of, walk

BANKS = 32
BANK_BYTES = 4


def padding(kernel: Stmt, array: str, ctype: CType, definitions: Definitions) -> int:
    """How many elements to add to each row of a gang-local array: 1 if fewer threads then meet in a bank, else 0."""
    extents, element = _extents(ctype)
    steps, along = [], along_x(kernel)
    for node in walk(kernel):
        base, subscripts = subscripts_of(node) if isinstance(node, Subscript) else (None, ())
        if isinstance(base, Variable) and base.name == array and len(subscripts) == len(extents):
            indices = tuple(index_polynomial(subscript, definitions) for subscript in subscripts)
            steps.append(neighbour_steps(indices, along))
    return row_padding(steps, extents, element)


def row_padding(steps: Sequence[tuple[int, ...]], extents: tuple[int, ...], element: int) -> int:
    """The same for rows of ``extents[-1]`` elements of ``element`` bytes.

    ``steps`` holds for each reference how far the next thread's element is in each dimension.
    """
    if len(extents) < 2 or not element or not steps:
        return 0
    plain = max(_turns(step, extents, element) for step in steps)
    padded = max(_turns(step, (*extents[:-1], extents[-1] + 1), element) for step in steps)
    return 1 if padded < plain else 0


def along_x(kernel: Stmt) -> dict[str, int]:
    """The variables of the loops spread along x, and how far they are from one thread to the next."""
    loops = (loop for loop in nodes_of(kernel, ParallelFor) if loop.block == "x")
    return {loop.loop.variable: loop.loop.step for loop in loops}


def neighbour_steps(indices: Sequence[Polynomial | None], along: Mapping[str, int]) -> tuple[int, ...]:
    """How far the element of the next thread along x is in each dimension; 0 where that is not known."""
    steps = []
    for index in indices:
        rates = [(index.coefficient(name), step) for name, step in along.items()] if index is not None else []
        steps.append(sum((rate.constant_value or 0) * step for rate, step in rates if rate is not None))
    return tuple(steps)


def _turns(steps: tuple[int, ...], extents: tuple[int, ...], element: int) -> int:
    """How many turns a warp takes when neighbouring threads are ``steps`` apart in each dimension."""
    distance = sum(step * prod(extents[depth + 1 :]) for depth, step in enumerate(steps)) * element
    return gcd(abs(distance) // BANK_BYTES, BANKS) if distance and distance % BANK_BYTES == 0 else 1


def _extents(ctype: CType) -> tuple[tuple[int, ...], int]:
    """The lengths of an array's dimensions, and the size of an element in bytes."""
    lengths = []
    plain = resolve(ctype)
    while isinstance(plain, Array):
        lengths.append(constant(plain.length) or 0)
        plain = resolve(plain.element)
    return tuple(lengths), sizeof(plain)
