"""The #if groups and macro definitions around and inside of statements that a call takes the place of."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from accache.base.diagnostics import Reporter
from accache.base.text import Edit, SourceFile, Span
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import COMMENT, DIRECTIVE, Token

_OPENS = re.compile(r"#\s*if")
_IF_DEFINED = re.compile(r"#\s*if(?P<not>n?)def\s+(?P<name>\w+)")
_DEFINED = re.compile(r"\bdefined\s+(\w+)")
_CLOSES = re.compile(r"#\s*endif\b")
_SPLITS = re.compile(r"#\s*el")
_DEFINES = re.compile(r"#\s*(?:define|undef|pragma\s+(?:push|pop)_macro)\b")
_PARENTHESES = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_COMPILERS = re.compile(r"\b_[A-Z_]\w*")
_DIFFERENT = (
    r"__(cplusplus|STDC_VERSION__|STRICT_ANSI__|GNUG__|OPTIMIZE(_SIZE)?__|NO_INLINE__|FAST_MATH__|NVCC__|CUDA\w*)"
    r"|_OPENMP|_GNU_SOURCE"
)
_LINKAGE = re.compile(r'(?:extern\s*"C"\s*\{|\}|)')
_OURS = frozenset({"_OPENACC"})  # what every emitted program defines


def check_groups(source: SourceFile, span: Span) -> None:
    """Refuse a statement that ends in another group than it starts in if other macros might choose other groups.

    The macros of the user are pinned in what is emitted; those of compilers are not.

    :raises CompileError: ACC209.
    """
    unmatched = _unmatched([token for token in _lines(source, span) if not _DEFINES.match(token.text)])
    start, end = conditions(source, span.start), conditions(source, span.end)
    if not unmatched or start == end:
        return
    if set(_COMPILERS.findall(" ".join((*start, *end)))) - _OURS:
        raise Reporter().fail("ACC209", source.locate(unmatched[0].span))


def pinned_groups(source: SourceFile, inactive: tuple[Span, ...]) -> tuple[Edit, ...]:
    """Conditions that C and CUDA's C++ answer in different ways, with the answer that the kernels were made with.

    Declarations for C++, ``extern "C" {`` and its end, stay as they are.
    """
    lines = [token for token in _lines(source, Span(0, len(source.text))) if not _DEFINES.match(token.text)]
    edits: list[Edit] = []
    for number, token in enumerate(lines):
        if not any(re.fullmatch(_DIFFERENT, word) for word in _COMPILERS.findall(_condition(token.text))):
            continue
        start = token.span.end
        end = lines[number + 1].span.start if number + 1 < len(lines) else len(source.text)
        if not _LINKAGE.fullmatch(COMMENT.sub(" ", source.text[start:end]).strip()):
            keyword = "elif" if _SPLITS.match(token.text) else "if"
            answer = int(not any(span.start <= start < span.end for span in inactive))
            said = " ".join(COMMENT.sub(" ", token.text.replace("\\\n", " ")).split())
            edits.append(Edit(token.span, f"#{keyword} {answer} // {said}" + "\n" * token.text.count("\n")))
    return tuple(edits)


def kept_lines(source: SourceFile, span: Span) -> tuple[str, ...]:
    """The preprocessor's lines of a span that must stay when its text goes.

    These are definitions of macros with the groups around them, and where groups start or end inside of the span
    alone, and those outside do not fit without them, the lines that do so.
    """
    lines = _lines(source, span)
    kept = _without_empty_groups(lines)
    unmatched = _unmatched(lines)
    is_defining = any(_DEFINES.match(token.text) for token in kept)
    if not is_defining and (not unmatched or conditions(source, span.start) == conditions(source, span.end)):
        return ()
    return tuple(" ".join(COMMENT.sub(" ", token.text.replace("\\\n", " ")).split()) for token in kept)


def conditions(source: SourceFile, offset: int) -> list[str]:
    """The conditions of the #if groups around an offset, with those of the branches before it."""
    found: list[str] = []
    for token in _directives(source):
        if token.span.start >= offset:
            break
        text = _condition(token.text)
        if _OPENS.match(token.text):
            found.append(text)
        elif found and _CLOSES.match(token.text):
            found.pop()
        elif found and _SPLITS.match(token.text):
            found[-1] += f" {text}"
    return found


@lru_cache(maxsize=8)
def _directives(source: SourceFile) -> tuple[Token, ...]:
    """The lines of a file that are for the preprocessor."""
    return tuple(token for token in active_tokens(source) if token.kind == DIRECTIVE)


def _condition(line: str) -> str:
    """A line of the preprocessor without blanks and outer parentheses, #ifdef as #if.

    >>> _condition("#  ifndef  A"), _condition("#if !defined A"), _condition("#if (defined(A))")
    ('#if !defined(A)', '#if !defined(A)', '#if defined(A)')
    """
    words = _IF_DEFINED.sub(lambda found: f"#if {'!' * bool(found['not'])}defined {found['name']}", line)
    keyword, text = re.findall(r"#\s*(\w*)([\s\S]*)", _DEFINED.sub(r"defined(\1)", COMMENT.sub(" ", words)))[0]
    text = "".join(text.replace("\\\n", " ").split())
    while (found := _PARENTHESES.fullmatch(text)) is not None:
        text = found[1]
    return f"#{keyword} {text}".rstrip()


def _lines(source: SourceFile, span: Span) -> list[Token]:
    """The conditional lines and definitions of a span."""
    tokens = active_tokens(source)
    inside = tokens[bisect_left(tokens, span.start, key=_start) : bisect_left(tokens, span.end, key=_start)]
    patterns = (_OPENS, _SPLITS, _CLOSES, _DEFINES)
    return [token for token in inside if token.kind == DIRECTIVE and any(item.match(token.text) for item in patterns)]


def _start(token: Token) -> int:
    return token.span.start


def _unmatched(lines: list[Token]) -> list[Token]:
    """The conditional lines of groups that do not both start and end among some lines."""
    return _reduced(lines, keep_definitions=False)


def _without_empty_groups(lines: list[Token]) -> list[Token]:
    """The lines but for whole groups without definitions."""
    return _reduced(lines, keep_definitions=True)


def _reduced(lines: list[Token], *, keep_definitions: bool) -> list[Token]:
    found: list[Token] = []
    opened: list[int] = []
    for token in lines:
        if _DEFINES.match(token.text):
            found += [token] if keep_definitions else []
            continue
        found.append(token)
        if _OPENS.match(token.text):
            opened.append(len(found) - 1)
        elif _CLOSES.match(token.text) and opened:
            start = opened.pop()
            if not any(_DEFINES.match(item.text) for item in found[start:]):
                del found[start:]
    return found
