"""Tokens of C++ with operators as wholes: ``+=`` is one word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from accache.cpu.tokens import Token

KEYWORDS = frozenset((
    "if", "for", "while", "do", "else", "switch", "case", "default", "break", "continue", "return", "goto", "sizeof",
    "alignof", "const", "volatile", "unsigned", "signed", "int", "char", "short", "long", "float", "double", "bool",
    "void", "struct", "union", "enum", "class", "template", "typename", "operator", "typedef", "using", "namespace",
    "static", "extern", "inline", "auto", "new", "delete", "throw", "try", "catch", "this", "true", "false",
    "constexpr", "asm",
))  # fmt: skip
ASSIGNING = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_WHOLE = {*ASSIGNING, *PRECEDENCE, "->", "++", "--", "..."}


def merged(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The same tokens with adjacent marks that make an operator as one."""
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        count = next((count for count in (3, 2) if _is_whole(tokens[index : index + count], count)), 1)
        first, last = tokens[index], tokens[index + count - 1]
        text = "".join(token.text for token in tokens[index : index + count])
        found.append(first if count == 1 else Token(first.kind, text, first.start, last.end))
        index += count
    return tuple(found)


def _is_whole(tokens: Sequence[Token], count: int) -> bool:
    if len(tokens) < count or any(one.end != two.start for one, two in pairwise(tokens)):
        return False
    return all(len(token.text) == 1 for token in tokens) and "".join(token.text for token in tokens) in _WHOLE
