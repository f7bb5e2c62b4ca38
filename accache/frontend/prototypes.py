"""Leaves out the prototypes of system headers that a program never names: most of what it would have to read."""

from __future__ import annotations

import re

_PIECES = re.compile(
    r'^#[ ]\d+[ ]"(?:\\.|[^"\\\n])*"(?P<flags>[ \d]*)$'
    r"|^(?:__extension__\s+)?extern\s(?:[\w*]+[\s*]+)*?(?P<name>\w+)\s*\((?!\s*[*(])(?P<rest>[^;{}#]*);",
    re.M,
)
_SYSTEM = "3"
"""The flag of line markers that lead into a system header."""
_MORE_DECLARATORS = re.compile(r"\)\s*,")
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
        elif system and not _MORE_DECLARATORS.search(found["rest"]):
            prototypes.append(found)
    others = _splice(text, [(found, "") for found in prototypes])
    named = set(_WORD.findall(others))
    return _splice(text, [(found, "\n" * found[0].count("\n")) for found in prototypes if found["name"] not in named])


def _splice(text: str, replacements: list[tuple[re.Match[str], str]]) -> str:
    pieces: list[str] = []
    position = 0
    for found, replacement in replacements:
        pieces += [text[position : found.start()], replacement]
        position = found.end()
    return "".join([*pieces, text[position:]])
