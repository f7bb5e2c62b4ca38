"""Makes preprocessed GNU C readable for a C99 parser: extensions are blanked out or given a standard spelling.

Works on the preprocessor's output, so that no macro has to be defined and the user's own #ifdefs see
what they would see without accache. Line breaks stay where they are; replacements are padded, so that
columns stay too.
"""

from __future__ import annotations

import re

STATEMENT_EXPRESSION = "__accache_statement_expression"
"""What stands for a GNU statement expression ``({ ... })`` that is not the one of assert."""
TYPEOF = "__accache_typeof"
"""The type name that stands for ``typeof(...)``; an incomplete struct, declared before the first line."""
HALF = "__accache_half"
"""The type name that stands for the floating types of 16 bits, declared as TYPEOF is."""
QUAD = "__accache_quad"
"""The type name that stands for the floating types of 128 bits, declared as TYPEOF is."""
IMAGINARY = "__accache_imaginary"
"""How the name starts that stands for an imaginary constant such as ``1.0iF``; see ``imaginary_part``."""
LAYOUT = "__accache_layout"
"""What stands for an attribute that changes where the members of a type lie, or its size; see ``alignment_of_mark``."""
MEANING = "__accache_meaning"
"""What stands for an attribute that makes another type of the one that is written."""

_SAME = {
    **dict.fromkeys(("__restrict", "__restrict__"), "restrict"),
    **dict.fromkeys(("__inline", "__inline__"), "inline"),
    **dict.fromkeys(("__const", "__const__"), "const"),
    **dict.fromkeys(("__volatile", "__volatile__"), "volatile"),
    **dict.fromkeys(("__signed", "__signed__"), "signed"),
    **dict.fromkeys(("__complex__", "__complex"), "_Complex"),
    **dict.fromkeys(("__alignof", "__alignof__"), "_Alignof"),
    **dict.fromkeys(("_Float64", "_Float32x"), "double"),
    **dict.fromkeys(("_Float16", "__bf16", "__fp16"), HALF),
    **dict.fromkeys(("__float128", "_Float128"), QUAD),
    "_Float32": "float",
    "_Float64x": "long double",
    **dict.fromkeys(("__FUNCTION__", "__PRETTY_FUNCTION__"), "__func__"),
    "__builtin_va_list": "int",
    "__builtin_offsetof": "offsetof",
    "__extension__": "",
    "__thread": "",
    "__auto_type": TYPEOF,
}
_WITH_ARGUMENTS = frozenset({"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__declspec"})
_CHANGING_LAYOUT = re.compile(r"\b_*(packed|aligned|ms_struct|gcc_struct|scalar_storage_order|warn_if_not_aligned)_*\b")
_ALIGNED = re.compile(r"\s*\(\s*\(\s*_*aligned_*\s*\(\s*(?P<bytes>1|2|4|8|16)\s*\)\s*\)\s*\)")
"""The alignments that shared memory has anyway."""
_CHANGING_MEANING = re.compile(r"\b_*(vector_size|ext_vector_type|neon_vector_type|mode|hardbool)_*\b")
_ASM = frozenset({"__asm__", "__asm", "asm"})
_TYPEOF = frozenset({"__typeof__", "__typeof", "typeof", "__typeof_unqual__", "typeof_unqual"})
_TYPE_ARGUMENTS = {"__builtin_va_arg": "0", "__builtin_types_compatible_p": "0"}
_ASM_QUALIFIERS = ("volatile", "__volatile__", "__volatile", "goto", "inline")
REPLACED = frozenset({*_SAME, *_WITH_ARGUMENTS, *_TYPEOF, *_TYPE_ARGUMENTS, *_ASM_QUALIFIERS})
"""The words that ``standardise`` may take away or put others in the place of."""
_LITERAL = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_WORDS = frozenset({*_SAME, *_WITH_ARGUMENTS, *_TYPEOF, *_TYPE_ARGUMENTS})
_INTERESTING = re.compile(
    rf"{_LITERAL}|^[ \t]*\#[^\n]*|\b(?P<word>_\w+|asm|typeof(?:_unqual)?)\b"
    r"|(?P<statement>\()(?=\s*(?:\#[^\n]*\n\s*)*\{)"
    r"|(?P<imaginary>(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlL]*[iIjJ][fFlL]*\b)",
    re.M,
)
_BRACKET = re.compile(rf"{_LITERAL}|^[ \t]*\#[^\n]*|(?P<bracket>[()])", re.M)
_ASM_WORDS = re.compile(rf"\s*(?:{'|'.join(_ASM_QUALIFIERS)})\b")
_NO_INSTRUCTION = re.compile(r'\(\s*""\s*(?:\)|:(?!.*"=))', re.S)
"""The arguments of an assembler statement without an instruction that sets no variable: a barrier for the compiler."""
_OPENING = re.compile(r"\s*(?:\n[ \t]*#[^\n]*\n\s*)*\(")
_ASSERT = re.compile(
    r"\(\s*\{\s*if\s*(?P<condition>\(.*\))\s*;\s*else\s*(?P<fail>__assert_fail\s*\(.*\))\s*;\s*\}\s*\)", re.S
)


def standardise(text: str) -> str:
    """Preprocessed text without GNU extensions.

    Attributes and assembler names are dropped; what changes types leaves a mark. Statements of assembler
    become a name that no other code uses, those without an instruction become empty statements; alternative
    keywords get their standard names, the assert of glibc becomes a conditional expression. Types of ``typeof``
    and values of statement expressions are not computed: they become names that no other code uses.

    >>> standardise("static __inline int f(int *__restrict p) __attribute__((pure));").split()
    ['static', 'inline', 'int', 'f(int', '*restrict', 'p)', ';']
    """
    pieces: list[str] = []
    position = 0
    while (found := _INTERESTING.search(text, position)) is not None:
        end, replacement = _replacement(text, found)
        pieces += [text[position : found.start()], replacement]
        position = end
    pieces.append(text[position:])
    result = "".join(pieces)
    types = [name for name in (TYPEOF, HALF, QUAD) if name in result and re.search(rf"\b{name}\b", result)]
    declarations = "".join(f"typedef struct {name} {name};" for name in types)
    marked = declarations and result.startswith("#")  # a line marker needs a line of its own
    return declarations + "\n" * bool(marked) + result


def alignment_of_mark(mark: str) -> int:
    """The bytes that an attribute aligns a type to; 0 of the mark of any other one.

    >>> mark = standardise("struct __attribute__((aligned(8))) pair {").split()[1]
    >>> alignment_of_mark(mark), alignment_of_mark(LAYOUT)
    (8, 0)
    """
    return int(mark.removeprefix(LAYOUT + "_") if mark.startswith(LAYOUT + "_") else 0)


def is_mark(text: str) -> bool:
    """Whether a token stands for an attribute that changes a type."""
    return text == MEANING or text.startswith(LAYOUT)


def imaginary_part(name: str) -> str:
    """The constant that is multiplied by i where a name stands for an imaginary constant; '' for any other name.

    >>> imaginary_part(standardise("1.0iF"))
    '1.0F'
    """
    if not name.startswith(IMAGINARY):
        return ""
    return re.sub("[iIjJ]", "", bytes.fromhex(name.removeprefix(IMAGINARY)).decode(), count=1)


def _replacement(text: str, found: re.Match[str]) -> tuple[int, str]:
    """The end of the construct that starts at a match, and what stands in its place."""
    word = found["word"]
    if found["statement"]:
        return _statement_expression(text, found.start())
    if found["imaginary"]:
        return found.end(), IMAGINARY + found.group().encode().hex()
    if word not in _WORDS:
        return found.end(), found.group()
    if word in _SAME:
        return found.end(), _SAME[word].ljust(len(word))
    start = found.end()
    if word in _WITH_ARGUMENTS:
        while (qualifier := _ASM_WORDS.match(text, start)) is not None:
            start = qualifier.end()
    end = _closing(text, start)
    if end is None:
        return found.end(), found.group()
    substitute = TYPEOF if word in _TYPEOF else _TYPE_ARGUMENTS.get(word, "")
    if word in _ASM and _starts_statement(text, found.start()) and not _NO_INSTRUCTION.match(text[start:end].strip()):
        substitute = STATEMENT_EXPRESSION
    elif word in _WITH_ARGUMENTS and word not in _ASM:
        substitute = _changes(text[start:end])
    return end, substitute.ljust(len(word)) + _blanked(text[found.end() : end])


def _changes(attributes: str) -> str:
    """The mark of attributes that change types; '' of others."""
    if _CHANGING_MEANING.search(attributes):
        return MEANING
    if (aligned := _ALIGNED.fullmatch(attributes)) is not None:
        return f"{LAYOUT}_{aligned['bytes']}"
    return LAYOUT if _CHANGING_LAYOUT.search(attributes) else ""


def _starts_statement(text: str, start: int) -> bool:
    """Whether a statement may begin at an offset: behind another, a brace, ``else``, a loop's or if's head."""
    before = text[:start].rstrip()
    if not before.endswith(")"):
        return before.endswith((";", "{", "}", "else", "do"))
    depth = 0
    for position in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[position], 0)
        if depth == 0:
            return re.search(r"\b(if|for|while|switch)\s*$", before[:position]) is not None
    return False


def _statement_expression(text: str, start: int) -> tuple[int, str]:
    end = _closing(text, start)
    if end is None:
        return start + 1, "("
    inside = text[start:end]
    if (check := _ASSERT.fullmatch(inside)) is not None:
        condition, fail = standardise(check["condition"]), standardise(check["fail"])
        return end, f"({condition} ? (void)0 : {fail})"
    return end, f"{STATEMENT_EXPRESSION}{_blanked(inside)}"


def _closing(text: str, start: int) -> int | None:
    """The offset after the parenthesis that closes the one at ``start``; blanks and line markers may precede it."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    depth = 0
    for found in _BRACKET.finditer(text, opening.end() - 1):
        depth += {"(": 1, ")": -1}.get(found["bracket"] or "", 0)
        if depth == 0:
            return found.end()
    return None


def _blanked(text: str) -> str:
    """Blanks of the same shape; line markers inside stay, since they carry the line numbers."""
    return "\n".join(line if line.lstrip().startswith("#") else " " * len(line) for line in text.split("\n"))
