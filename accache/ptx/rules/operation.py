"""What an instruction computes in one lane, as expressions that both C and Python read.

They consist of operators and of functions that ``lane_functions.py`` and ``runtime/lane_functions.h`` define
alike. ``a`` to ``d`` are the operands behind the results, ``k`` is the carry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from accache.ptx.rules.modifiers import Modifiers
from accache.ptx.rules.types import TYPES, Type

NAMES = "abcd"
HALVES = ("f16", "bf16", "f16x2", "bf16x2")
_OPERAND = re.compile(r"\b[abcd]\b(?!\()")


@dataclass(frozen=True)
class Operation:
    """The results of an instruction, and the expression that gives the new carry, if there is one."""

    results: tuple[Type, ...]
    operands: tuple[Type, ...]
    expressions: tuple[str, ...]
    carry: str = ""


Rule = Callable[[str, Modifiers], Operation]


def one(result: Type, operands: tuple[Type, ...], expression: str, carry: str = "") -> Operation:
    """An operation with a single result."""
    return Operation((result,), operands, (expression,), carry)


def substitute(expression: str, values: Mapping[str, str]) -> str:
    """An expression with other texts in the place of operands.

    >>> substitute("add(a, b)", {"a": "low(a)"})
    'add(low(a), b)'
    """
    return _OPERAND.sub(lambda found: values.get(found[0], found[0]), expression)


def each_operand(expression: str, function: str) -> str:
    """An expression in which a function is applied to every operand first."""
    return substitute(expression, {name: f"{function}({name})" for name in NAMES})


def unsigned(type_: Type) -> Type:
    """The type in which integers wrap around without harm: sums of both kinds have the same bits."""
    return type_ if type_.kind in "fp" else TYPES[f"u{type_.bits}"]


def is_floating(type_: Type) -> bool:
    """Whether values of a type have a fraction."""
    return type_.kind == "f" or type_.name in HALVES


def packed(type_: Type, expression: str) -> str:
    """The same expression of both halves of operands of 32 bits; it must give 16 bits."""
    return f"pack16({each_operand(expression, 'low16')}, {each_operand(expression, 'high16')})"
