"""What the files of a program declare: types, variables, functions and macros, as far as lines must know of them.

What is not understood, or declared in two ways, is known to be unclear: it is None.
"""

from __future__ import annotations

from msgspec import Struct

from accache.cpu.tokens import Token
from accache.workflows.private_lines.types import Type


class Macro(Struct, frozen=True):
    """A macro: its parameters, None if it is no function, and its replacement; an unclear one has two."""

    parameters: tuple[str, ...] | None
    words: tuple[Token, ...]


class Variable(Struct, frozen=True):
    """A variable of the file: one ``in_memory`` that pointers may lead to, or a constant or shared one."""

    type: Type
    in_memory: bool


class Function(Struct, frozen=True):
    """A function: words of its file, its parameters among them, and its body, None if it is only declared."""

    words: tuple[Token, ...]
    parameters: tuple[tuple[int, int], ...]
    body: tuple[int, int] | None
    returns: Type | None
    has_directives: bool


class Declared(Struct, frozen=True):
    """What files declare by name. With ``operators`` of its own arithmetic of enumerations may be anything.

    The macros that are ``hiding`` may stand for whole declarations.

    ``unclear`` says why nothing can be told of the program; '' if it can.
    """

    types: dict[str, Type | None]
    variables: dict[str, Variable | None]
    functions: dict[str, Function | None]
    macros: dict[str, Macro | None]
    hiding: frozenset[str]
    operators: bool
    unclear: str
