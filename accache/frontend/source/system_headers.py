"""Leaves out what system headers declare and a program never names: most of what it would have to read."""

from __future__ import annotations

import re

_PIECES = re.compile(
    r"""
      ^\#[ ]\d+[ ]"(?:\\.|[^"\\\n])*"(?P<flags>[ \d]*)$
    | (?:^|(?<=;))[ \t]*(?:__extension__\s+)?
      (?: extern\s(?P<result>[\w\s*]*?)\b(?P<function>\w+)\s*\((?!\s*[*(])(?P<rest>[^;{}#]*);
        | typedef\s(?P<type>[\w\s*]*?)\b(?P<alias>\w+)\s*; )
    """,
    re.M | re.VERBOSE,
)
_SYSTEM = "3"
"""The flag of line markers that lead into a system header."""
_MORE_DECLARATORS = re.compile(r"\)\s*[,(]")
_NO_TYPES = frozenset(
    ("const", "volatile", "restrict", "__const", "__restrict", "__extension__", "_Thread_local", "__thread")
)
_NO_NAMES = frozenset((
    "asm", "__asm", "__asm__", "typeof", "__typeof", "__typeof__", "__attribute", "__attribute__", "_Alignas",
    "_Atomic",    "void", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Complex",
))  # fmt: skip
"""Words of types, and those in front of parentheses that hold no parameters."""
_WORD = re.compile(r"[^\W\d][\w$]*")


def without_unused_declarations(text: str) -> str:
    r"""Preprocessed text in which prototypes and simple typedefs of system headers are blank if nothing names them.

    What else is left out names nothing. Line breaks stay. Declarations that a pattern cannot read, such as prototypes
    with functions among their parameters, stay too.

    >>> without_unused_declarations('# 1 "/usr/include/math.h" 1 3 4\nextern double cos (double x);\n# 2 "a.c" 2\n')
    '# 1 "/usr/include/math.h" 1 3 4\n\n# 2 "a.c" 2\n'
    """
    found: dict[str, list[re.Match[str]]] = {}
    system = False
    for piece in _PIECES.finditer(text):
        if piece["flags"] is not None:
            system = _SYSTEM in piece["flags"].split()
        elif system and (name := _declared(piece)) is not None:
            found.setdefault(name, []).append(piece)
    unused = sorted((piece for pieces in found.values() for piece in pieces), key=re.Match.start)
    pending = set(_WORD.findall(_splice(text, [(piece, "") for piece in unused])))
    while named := pending & found.keys():
        pending = {word for name in named for piece in found.pop(name) for word in _WORD.findall(piece[0])}
    unused = sorted((piece for pieces in found.values() for piece in pieces), key=re.Match.start)
    return _splice(text, [(piece, "\n" * piece[0].count("\n")) for piece in unused])


def _declared(piece: re.Match[str]) -> str | None:
    """The name that a prototype or a typedef declares; None of other declarations."""
    is_typedef = piece["alias"] is not None
    name, words = (piece["alias"], piece["type"]) if is_typedef else (piece["function"], piece["result"])
    has_type = any(word not in _NO_TYPES for word in _WORD.findall(words))
    is_alone = is_typedef or not _MORE_DECLARATORS.search(piece["rest"])
    return name if has_type and is_alone and name not in _NO_NAMES else None


def _splice(text: str, replacements: list[tuple[re.Match[str], str]]) -> str:
    pieces: list[str] = []
    position = 0
    for found, replacement in replacements:
        pieces += [text[position : found.start()], replacement]
        position = found.end()
    return "".join([*pieces, text[position:]])
