"""Where constructs stand in the raw text: pragmas, the statements they govern, the functions around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location, SourceFile, Span, read_source_file
from accache.frontend.source.alignment import Unit, first_token
from accache.frontend.source.definitions import Definition as Definition
from accache.frontend.source.definitions import active_tokens, code_tokens, definitions
from accache.frontend.source.groups import check_groups
from accache.frontend.source.macros import after_head
from accache.frontend.source.preprocess import Preprocessed
from accache.frontend.source.tokens import COMMENT, DIRECTIVE, IDENTIFIER, STRING, Token, matching

_BLANK = r"(?:\s|\\\r?\n|/\*(?:[^*]|\*(?!/))*\*/)"
_PRAGMA = re.compile(rf"#{_BLANK}*pragma{_BLANK}+acc\b")
_PRAGMA_TEXT = re.compile(r"#\s*pragma\b.*|\b_Pragma\b|\S.*")
_OPERATOR_PRAGMA = re.compile(r'L?"\s*acc\b')
_SPLICE = re.compile(r"\\\r?\n")
_HEADED = frozenset({"for", "while", "switch", "if"})
_STATEMENT_WORDS = _HEADED | {"do", "else", "case", "default", "return", "break", "continue", "goto"}
_TYPE_CALLS = frozenset({"_Alignas", "_Atomic", "typeof", "__typeof__", "__attribute__"})


class PragmaSite(Struct, frozen=True):
    """An acc pragma in the raw text.

    ``span`` runs from ``#`` (or ``_Pragma``, or the macro that makes the pragma) to the end of the
    last continued line, without the line break. ``body`` is the part after ``acc`` in the raw text;
    it is the whole span where a macro makes the pragma. ``spelled`` is the body with continuations
    joined and comments left out, ``expanded`` the same after macro expansion.
    """

    span: Span
    line: int
    spelled: str
    expanded: str
    body: Span


def find_pragmas(source: SourceFile, preprocessed: Preprocessed, reporter: Reporter) -> tuple[PragmaSite, ...]:
    """Every active acc pragma of the file, in source order.

    A pragma from inside a macro has the macro's use as its span where the macro makes nothing else;
    any other is an error (ACC210). Pragmas of included files get a warning (ACC105).
    """
    for file, line in preprocessed.included_pragmas:
        reporter.report("ACC105", _header_place(file, line))
    sites, hidden = _sites(source, preprocessed)
    for line, expanded in hidden:
        reporter.report("ACC210", macro_use(source, preprocessed, line), text=expanded)
    return tuple(sorted(sites, key=lambda site: site.span.start))


def hidden_pragmas(source: SourceFile, preprocessed: Preprocessed) -> tuple[int, ...]:
    """The lines of the pragmas that come from inside of macros that make more than one pragma."""
    return tuple(line for line, _ in _sites(source, preprocessed)[1])


def _sites(source: SourceFile, preprocessed: Preprocessed) -> tuple[list[PragmaSite], list[tuple[int, str]]]:
    """The pragmas that have a place of their own; line and text of the others."""
    expansions = list(preprocessed.pragmas)
    sites = []
    for span, body, line in _raw_sites(source, preprocessed):
        spelled = _joined(source.text[body.start : body.end])
        expanded = _take(expansions, line, spelled)
        sites.append(PragmaSite(span, line, spelled, expanded, body))
    hidden = []
    for line, expanded in expansions:
        site = _macro_site(source, preprocessed, line, expanded, taken=[site.span for site in sites])
        if site is None:
            hidden.append((line, expanded))
        else:
            sites.append(site)
    return sites, hidden


def statement_after(
    source: SourceFile, offset: int, inactive: tuple[Span, ...] = (), loop_macros: frozenset[str] = frozenset()
) -> Span:
    """The raw span of the first C statement after an offset; pragma lines before it are not part of it.

    :raises CompileError: there is no statement (ACC207), a macro hides where it ends (ACC208), or it
        ends in another #if group than it starts in and the next compiler might choose other groups (ACC209).
    """
    tokens = code_tokens(source, inactive)
    statements = _Statements(source, tokens, loop_macros)
    start = statements.skip_operator_pragmas(bisect_left(tokens, offset, key=_start))
    span = Span(statements.span_start(start), statements.statement(start))
    check_groups(source, span)
    return span


def refuse_hidden_end(unit: Unit, statement: Span, parsed: Sequence[Any]) -> None:
    """Refuse a statement that ends elsewhere once macros are expanded.

    ``parsed`` are its node and those behind it in its block.

    :raises CompileError: ACC208.
    """
    inside = [index for node in _all_of(parsed[0]) if (index := _token(node)) is not None]
    behind = [index for node in parsed[1:2] if (index := first_token(node)) >= 0]
    hidden = [index for index in inside if (span := unit.origins[index].span) and span.start >= statement.end]
    hidden += [index for index in behind if (span := unit.origins[index].span) and span.start < statement.end]
    if not hidden:
        return
    first = hidden[0]
    while (span := unit.origins[first - 1].span) and span.start >= statement.end:
        first -= 1
    raise Reporter().fail("ACC208", unit.location(first), name=unit.spelled(first).partition("(")[0].strip())


def _all_of(node: Any) -> Iterator[Any]:
    yield node
    for _, child in node.children():
        yield from _all_of(child)


def _token(node: Any) -> int | None:
    """The index of a node's token, if it has one."""
    return node.coord.line - 1 if node.coord and node.coord.line > 0 else None


def enclosing_definition(source: SourceFile, offset: int, inactive: tuple[Span, ...] = ()) -> Definition:
    """The file-scope function definition around an offset.

    :raises CompileError: the offset is at file scope (ACC211).
    """
    found = definitions(source, inactive)
    after = bisect_right(found, offset, key=lambda definition: definition.span.start)
    if after and offset < found[after - 1].span.end:
        return found[after - 1]
    raise Reporter().fail("ACC211", source.location(offset))


def _start(token: Token) -> int:
    return token.span.start


def _raw_sites(source: SourceFile, preprocessed: Preprocessed) -> Iterator[tuple[Span, Span, int]]:
    """Span, body and line of the pragmas that are spelled in the text."""
    tokens = active_tokens(source, preprocessed.inactive)
    for index, token in enumerate(tokens):
        if token.kind == DIRECTIVE and (found := _PRAGMA.match(token.text)):
            body = Span(token.span.start + found.end(), token.span.end)
            yield token.span, body, source.location(token.span.start).line
        elif token.text == "_Pragma" and index + 3 < len(tokens) and tokens[index + 2].kind == STRING:
            found = _OPERATOR_PRAGMA.match(tokens[index + 2].text)
            if found and tokens[index + 1].text == "(" and tokens[index + 3].text == ")":
                text = tokens[index + 2].span
                span = Span(token.span.start, tokens[index + 3].span.end)
                yield span, Span(text.start + found.end(), text.end - 1), source.location(token.span.start).line


def _joined(text: str) -> str:
    """Pragma text on one line, without comments."""
    return " ".join(COMMENT.sub(" ", _SPLICE.sub(" ", text)).split())


def _take(expansions: list[tuple[int, str]], line: int, spelled: str) -> str:
    """Remove and return the expansion of the pragma at a line; its spelling if the preprocessor lost it."""
    on_line = [k for k, (where, _) in enumerate(expansions) if where == line]
    if not on_line:
        return spelled
    exact = [k for k in on_line if "".join(expansions[k][1].split()) == "".join(spelled.split())]
    return expansions.pop((exact or on_line)[0])[1]


def _macro_site(
    source: SourceFile, preprocessed: Preprocessed, line: int, expanded: str, *, taken: Sequence[Span]
) -> PragmaSite | None:
    """The use of a pragma-making macro at a line that no other site has."""
    tokens = active_tokens(source, preprocessed.inactive)
    first = bisect_left(tokens, source.offset(line), key=_start)
    for index in range(first, len(tokens)):
        token = tokens[index]
        if source.location(token.span.start).line != line:
            return None
        if token.text not in preprocessed.pragma_macros or any(span.start == token.span.start for span in taken):
            continue
        has_arguments = index + 1 < len(tokens) and tokens[index + 1].text == "("
        close = matching(tokens, index + 1) if has_arguments else index
        if close is not None:
            span = Span(token.span.start, tokens[close].span.end)
            return PragmaSite(span, line, _joined(source.text[span.start : span.end]), expanded, span)
    return None


def macro_use(source: SourceFile, preprocessed: Preprocessed, line: int) -> Location:
    """The first use of a macro at a line; the line where none is found."""
    tokens = active_tokens(source, preprocessed.inactive)
    for token in tokens[bisect_left(tokens, source.offset(line), key=_start) :]:
        place = source.locate(token.span)
        if place.line == line and token.kind == IDENTIFIER and token.text in preprocessed.macros:
            return place
        if place.line > line:
            break
    return Location(source.name, line)


def _header_place(file: str, line: int) -> Location:
    """Where a pragma starts at a line of a header."""
    try:
        text = read_source_file(file).line_text(line)
    except OSError:
        text = ""
    found = _PRAGMA_TEXT.search(text)
    return Location(file, line, found.start() + 1, found.end() - found.start()) if found else Location(file, line)


class _Statements:
    """Finds where statements end in a list of raw tokens without preprocessor lines."""

    def __init__(self, source: SourceFile, tokens: Sequence[Token], loop_macros: frozenset[str]) -> None:
        self.source = source
        self.tokens = tokens
        self.loop_macros = loop_macros

    def text(self, index: int) -> str:
        """The spelling of a token; empty past the end."""
        return self.tokens[index].text if index < len(self.tokens) else ""

    def span_start(self, index: int) -> int:
        """The offset of a token."""
        if index >= len(self.tokens):
            raise self._fail("ACC207", len(self.tokens) - 1)
        return self.tokens[index].span.start

    def statement(self, index: int) -> int:
        """The offset after the statement that starts at a token."""
        return self.tokens[self._last(index)].span.end

    def skip_operator_pragmas(self, index: int) -> int:
        """The first token that is not part of a ``_Pragma(...)``."""
        while self.text(index) == "_Pragma":
            index = self._close(index + 1) + 1
        return index

    def _last(self, index: int) -> int:
        """The last token of the statement at ``index``.

        statement: '{' ... '}' | head '(' ... ')' statement ['else' statement] | loop_macro ['(' ... ')'] statement
                 | 'do' statement 'while' '(' ... ')' ';' | label ':' statement | ... ';'
        """
        index = self.skip_operator_pragmas(index)
        text = self.text(index)
        if text in ("", "}"):
            raise self._fail("ACC207", min(index, len(self.tokens) - 1))
        if text == "{":
            return self._close(index)
        if text in _HEADED:
            return self._headed(index)
        if text in self.loop_macros and (behind := after_head(self.tokens, index)) is not None:
            return self._last(behind)
        if text == "do":
            return self._do(index)
        if text in ("case", "default") or (self.text(index + 1) == ":" and self.tokens[index].kind == IDENTIFIER):
            return self._last(self._colon(index) + 1)
        return self._simple(index)

    def _headed(self, index: int) -> int:
        last = self._last(self._close(index + 1) + 1)
        if self.text(index) == "if" and self.text(last + 1) == "else":
            return self._last(last + 2)
        return last

    def _do(self, index: int) -> int:
        last = self._last(index + 1)
        if self.text(last + 1) != "while":
            raise self._fail("ACC208", index)
        close = self._close(last + 2)
        if self.text(close + 1) != ";":
            raise self._fail("ACC208", index)
        return close + 1

    def _colon(self, index: int) -> int:
        """The colon of a label; the ``?:`` of a case expression is skipped."""
        questions, start = 0, index
        while self.text(index) not in ("", ";", "{", "}"):
            if self.text(index) == ":" and questions == 0:
                return index
            questions += {"?": 1, ":": -1}.get(self.text(index), 0)
            index += 1
        raise self._fail("ACC208", start)

    def _simple(self, index: int) -> int:
        """A declaration or an expression statement; what looks like a macro around a statement is refused."""
        start = index
        while (text := self.text(index)) != ";":
            if text in ("", "}", ")", "]") or text in _STATEMENT_WORDS - {self.text(start)}:
                raise self._fail("ACC208", start)
            if text == "{" and not self._may_be_value(index, start):
                raise self._fail("ACC208", start)
            if text in ("(", "[", "{"):
                index = self._close(index)
                if self._hides_statement(start, index):
                    raise self._fail("ACC208", start)
            index += 1
        return index

    def _may_be_value(self, index: int, start: int) -> bool:
        """Whether a brace can open an initialiser, a compound literal or a struct body."""
        before = self.text(index - 1)
        if before in ("=", "struct", "union", "enum") or self.text(index - 2) in ("struct", "union", "enum"):
            return True
        return before == ")" and self.text(start + 1) != "("

    def _hides_statement(self, start: int, close: int) -> bool:
        """Whether a word follows ``macro(...)`` at the start of a statement: no expression goes on so."""
        if self.text(start + 1) != "(" or self.tokens[start].text in _TYPE_CALLS or close + 1 >= len(self.tokens):
            return False
        is_first = matching(self.tokens, start + 1) == close
        return is_first and self.tokens[start].kind == self.tokens[close + 1].kind == IDENTIFIER

    def _close(self, index: int) -> int:
        """The token that closes the bracket at ``index``."""
        if self.text(index) not in ("(", "[", "{"):
            raise self._fail("ACC208", min(index, len(self.tokens) - 1))
        close = matching(self.tokens, index)
        if close is None:
            raise self._fail("ACC208", index)
        return close

    def _fail(self, code: str, index: int) -> CompileError:
        if not self.tokens:
            return Reporter().fail(code, self.source.location(len(self.source.text)))
        token = self.tokens[index]
        return Reporter().fail(code, self.source.locate(token.span), name=token.text)


def documented(source: SourceFile, definition: Span) -> Span:
    """A definition's span together with the comment right before it."""
    tokens = active_tokens(source)
    before = bisect_left(tokens, definition.start, key=_start)
    end = tokens[before - 1].span.end if before else 0
    gap = COMMENT.sub(lambda match: "#" * len(match[0]), source.text[end : definition.start])
    blank = max(gap.rfind("\n\n"), gap.rfind("\n\r\n"))
    if blank < 0:
        return definition
    return Span(end + blank + gap[blank:].rindex("\n", 0, 3) + 1, definition.end)


def is_controlled(source: SourceFile, offset: int, inactive: tuple[Span, ...] = ()) -> bool:
    """Whether what stands at an offset may be the whole body of an if, else or loop, a macro's included."""
    tokens = code_tokens(source, inactive)
    before = bisect_left(tokens, offset, key=_start)
    return before > 0 and tokens[before - 1].text in (")", "else", "do")


def is_body(source: SourceFile, offset: int, inactive: tuple[Span, ...] = ()) -> bool:
    """Whether what stands at an offset is the whole body of an if, else or loop."""
    tokens = code_tokens(source, inactive)
    before = bisect_left(tokens, offset, key=_start) - 1
    if before < 0 or tokens[before].text != ")":
        return before >= 0 and tokens[before].text in ("else", "do")
    depth = 0
    while before >= 0:
        depth += {")": 1, "(": -1}.get(tokens[before].text, 0)
        if not depth:
            break
        before -= 1
    return before > 0 and tokens[before - 1].text in ("if", "for", "while", "switch")
