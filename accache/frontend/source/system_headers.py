"""Leaves out what system headers declare and a program never names: most of what it would have to read."""

from __future__ import annotations

import re

_BODY = r"""\{[^{}\#"']*(?:\{[^{}\#"']*\}[^{}\#"']*)*\}"""
"""Braces with no more than one level of them inside, no literal, in which there may be some, and no line marker."""
_PIECES = re.compile(
    rf"""
      ^\#[ ]\d+[ ]"(?:\\.|[^"\\\n])*"(?P<flags>[ \d]*)$
    | ^[ \t]*\#[ \t]*(?P<pragma>pragma)\b[^\n]*$
    | (?:^|(?<=;))[ \t]*(?:__extension__\s+)?
      (?: extern\s(?P<result>[\w\s*]*?)\b(?P<function>\w+)\s*\((?!\s*[*(])(?P<rest>[^;{{}}#]*);
        | extern\s(?P<held>[\w\s*]*?)\b(?P<variable>\w+)\s*;
        | typedef\s(?P<type>[\w\s*]*?)\b(?P<alias>\w+)\s*;
        | (?P<record>typedef\s+(?:struct|union)\b\s*\w*\s*{_BODY}\s*\w+\s*;|(?:struct|union)\s+\w+\s*(?:{_BODY}\s*)?;)
        | static\s[\w\s*]*?\b(?P<inline>\w+)\s*\((?P<parameters>[\w\s*,]*)\)\s*{_BODY} )
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
_TAG = re.compile(r"\b(?:struct|union)\s+(\w+)\s*[{;]")
_ALIAS = re.compile(r"(\w+)\s*;\Z")


def without_unused_declarations(text: str) -> str:
    r"""Preprocessed text in which what system headers declare is blank if nothing names it.

    Prototypes, variables, types and functions are. What else is left out names nothing. Line breaks stay. Declarations
    that a pattern cannot read, such as prototypes with functions among their parameters, stay too.

    >>> without_unused_declarations('# 1 "/usr/include/math.h" 1 3 4\nextern double cos (double x);\n# 2 "a.c" 2\n')
    '# 1 "/usr/include/math.h" 1 3 4\n\n# 2 "a.c" 2\n'
    """
    found: dict[str, list[re.Match[str]]] = {}
    markers, system, pragma = [], False, 0
    for piece in _PIECES.finditer(text):
        if piece["flags"] is not None:
            markers.append(piece)  # names of files are no names
            system = _SYSTEM in piece["flags"].split()
        elif piece["pragma"]:
            pragma = piece.end()
        elif system and (not pragma or text[pragma : piece.start()].strip()):  # a pragma is for what stands behind it
            for name in _declared(piece):
                found.setdefault(name, []).append(piece)
    unused = {piece for pieces in found.values() for piece in pieces}
    pending = set(_WORD.findall(_splice(text, [(piece, "") for piece in _in_order({*unused, *markers})])))
    while named := pending & found.keys():
        used = {piece for name in named for piece in found.pop(name)} & unused
        pending = {word for piece in used for word in _WORD.findall(piece[0])}
        unused -= used
    return _splice(text, [(piece, "\n" * piece[0].count("\n")) for piece in _in_order(unused)])


def _in_order(pieces: set[re.Match[str]]) -> list[re.Match[str]]:
    return sorted(pieces, key=re.Match.start)


def _declared(piece: re.Match[str]) -> tuple[str, ...]:
    """The names that a piece declares; none of declarations that are not understood."""
    if piece["record"] is not None:
        return _of_record(piece["record"])
    if piece["inline"] is not None:
        return (piece["inline"],) if piece["inline"] not in _NO_NAMES else ()
    name = piece["alias"] or piece["variable"] or piece["function"]
    words = next(piece[group] for group in ("type", "held", "result") if piece[group] is not None)
    has_type = any(word not in _NO_TYPES for word in _WORD.findall(words))
    is_alone = piece["rest"] is None or not _MORE_DECLARATORS.search(piece["rest"])
    return (name,) if has_type and is_alone and name not in _NO_NAMES else ()


def _of_record(text: str) -> tuple[str, ...]:
    """The names that the declaration of a structure or union makes known; none if it has enumerators, too."""
    if "enum" in text:
        return ()
    aliases = _ALIAS.findall(text) if text.startswith("typedef") else ()
    return (*_TAG.findall(text), *aliases)


def _splice(text: str, replacements: list[tuple[re.Match[str], str]]) -> str:
    pieces: list[str] = []
    position = 0
    for found, replacement in replacements:
        pieces += [text[position : found.start()], replacement]
        position = found.end()
    return "".join([*pieces, text[position:]])
