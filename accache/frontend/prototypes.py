"""Leaves out the prototypes of system headers that a program never names: most of what it would have to read."""

from __future__ import annotations

import re

_PIECES = re.compile(
    r'^#[ ]\d+[ ]"(?:\\.|[^"\\\n])*"(?P<flags>[ \d]*)$'
    r"|^(?:__extension__\s+)?extern\s(?P<result>[\w\s*]*?)\b(?P<name>\w+)\s*\((?!\s*[*(])(?P<rest>[^;{}#]*);",
    re.M,
)
_SYSTEM = "3"
"""The flag of line markers that lead into a system header."""
_MORE_DECLARATORS = re.compile(r"\)\s*[,(]")
_NO_TYPES = frozenset(
    ("const", "volatile", "restrict", "__const", "__restrict", "__extension__", "_Thread_local", "__thread")
)
_NO_FUNCTIONS = frozenset((
    "asm", "__asm", "__asm__", "typeof", "__typeof", "__typeof__", "__attribute", "__attribute__", "_Alignas",
    "_Atomic",    "void", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Complex",
))  # fmt: skip
"""Words in front of parentheses that hold no parameters."""
_WORD = re.compile(r"[^\W\d][\w$]*")


def without_unused_prototypes(text: str) -> str:
    r"""Preprocessed text in which prototypes of system headers are blank if nothing else names their functions.

    Line breaks stay. Prototypes that a pattern cannot read, such as those with functions among their
    parameters, stay too.

    >>> without_unused_prototypes('# 1 "/usr/include/math.h" 1 3 4\nextern double cos (double x);\n# 2 "a.c" 2\n')
    '# 1 "/usr/include/math.h" 1 3 4\n\n# 2 "a.c" 2\n'
    """
    prototypes: list[re.Match[str]] = []
    system = False
    for found in _PIECES.finditer(text):
        if found["name"] is None:
            system = _SYSTEM in found["flags"].split()
        elif system and _is_prototype(found):
            prototypes.append(found)
    others = _splice(text, [(found, "") for found in prototypes])
    named = set(_WORD.findall(others))
    return _splice(text, [(found, "\n" * found[0].count("\n")) for found in prototypes if found["name"] not in named])


def _is_prototype(found: re.Match[str]) -> bool:
    has_result = any(word not in _NO_TYPES for word in _WORD.findall(found["result"]))
    return has_result and found["name"] not in _NO_FUNCTIONS and not _MORE_DECLARATORS.search(found["rest"])


def _splice(text: str, replacements: list[tuple[re.Match[str], str]]) -> str:
    pieces: list[str] = []
    position = 0
    for found, replacement in replacements:
        pieces += [text[position : found.start()], replacement]
        position = found.end()
    return "".join([*pieces, text[position:]])
