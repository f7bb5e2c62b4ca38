"""The grammar of OpenACC directives: from the text of an acc pragma to a Directive."""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib import import_module

from msgspec import Struct, field

from accache.base.diagnostics import Reporter
from accache.base.spelling import similar
from accache.base.text import Location, SourceFile, Span
from accache.frontend.grammar import (
    ALIASES,
    CLAUSES,
    CONTRADICTIONS,
    DIRECTIVES,
    REDUCTION_OPERATORS,
    REQUIRED,
    SUBJECTS,
    UPDATE_SELF,
    ClauseRule,
    Shape,
)
from accache.frontend.openacc.hints import clause_hint, directive_hint, expected_hint, operator_hint, unclosed_hint
from accache.frontend.source.constructs import PragmaSite
from accache.frontend.source.tokens import COMMENT, IDENTIFIER, STRING, Token, matching, tokenise, unclosed
from accache.ir.openacc.directives import Argument, Clause, CText, Directive, Section, VarRef


def parse_directive(site: PragmaSite, source: SourceFile, reporter: Reporter) -> Directive | None:
    """The directive of a pragma; None if its text is not OpenACC.

    The text is read with its macros expanded; locations are those of the raw tokens it comes from.
    Errors: ACC201-203, ACC212-220 and ACC225.
    """
    tokens = tokenise(SourceFile("", site.expanded))
    raw = tokenise(source, site.body.start, site.body.end)
    parser = _Parser(site, source, reporter, tokens, _aligned(tokens, raw, site.body))
    try:
        return parser.directive()
    except _AbandonedError:
        return None


class _AbandonedError(Exception):
    """The rest of a pragma cannot be read; the reason has been reported."""


def _aligned(expanded: tuple[Token, ...], raw: tuple[Token, ...], body: Span) -> tuple[Span, ...]:
    """The raw span of each expanded token, and the end of the text as last one.

    Tokens that a macro made have the span of the macro's name.
    """
    end = Span(raw[-1].span.end, raw[-1].span.end + 1) if raw else Span(body.end, body.end + 1)
    if not raw:
        return (end,) * (len(expanded) + 1)
    texts, spelled = [token.text for token in expanded], [token.text for token in raw]
    if texts == spelled:
        return (*(token.span for token in raw), end)
    spans = [end] * len(expanded)
    difflib = import_module("difflib")  # few programs need it
    for tag, i, _, j, last in difflib.SequenceMatcher(None, spelled, texts, autojunk=False).get_opcodes():
        for k in range(j, last):
            spans[k] = raw[i + k - j if tag == "equal" else min(i, len(raw) - 1)].span
    return (*spans, end)


class _Parser(Struct, dict=True):
    """Recursive descent over the tokens of one pragma; ``index`` is the next token."""

    site: PragmaSite
    source: SourceFile
    reporter: Reporter
    tokens: tuple[Token, ...]
    spans: tuple[Span, ...]
    index: int = 0
    name: str = ""
    seen: set[str] = field(default_factory=set)
    failed: bool = False
    rule: ClauseRule | None = None

    # directive: name ['(' ... ')'] { [','] clause }
    def directive(self) -> Directive:
        start = self.index
        self.name = self.directive_name()
        location = self.location(start, self.index)
        subject = None
        if self.name in SUBJECTS:
            subject = self.clause_of(SUBJECTS[self.name], start)
            subject = None if SUBJECTS[self.name].optional and subject == self._empty(subject) else subject
        clauses = []
        while self.index < len(self.tokens):
            self.accept(",")
            clause = self.clause()
            if clause is not None:
                clauses.append(clause)
        self.check_required(start, clauses)
        return Directive(self.name, tuple(clauses), location, subject, self.site.spelled)

    # directive-name: word ['data' | 'loop' | 'read' | 'write' | 'update' | 'capture']
    def directive_name(self) -> str:
        start = self.index
        word = self.word("a directive name")
        if word in ("enter", "exit"):
            self.expect("data")
            return f"{word} data"
        if word == "atomic":
            kind = self.text() if f"atomic {self.text()}" in DIRECTIVES else ""
            self.index += bool(kind)
            return f"atomic {kind or 'update'}"
        if word not in DIRECTIVES:
            self.error("ACC201", start, name=word, hint=directive_hint(word))
            raise _AbandonedError
        if f"{word} loop" in DIRECTIVES and self.accept("loop"):
            return f"{word} loop"
        return word

    # clause: word ['(' ... ')']
    def clause(self) -> Clause | None:
        start = self.index
        word = self.word("a clause")
        name = ALIASES.get(word, word)
        allowed = DIRECTIVES[self.name]
        if name in allowed:
            self.check_repeated(name, start)
            if self.name == "update" and name in ("self", "host"):
                return self.clause_of(UPDATE_SELF, start)
            return self.clause_of(CLAUSES[name], start)
        if name in CLAUSES and name not in ("read", "write", "capture"):
            owners = [directive for directive, clauses in DIRECTIVES.items() if name in clauses]
            hint = "it belongs on " + " or ".join(f"'acc {owner}'" for owner in owners[:3])
            self.error("ACC202", start, clause=word, directive=self.name, hint=hint)
        else:
            self.error("ACC212", start, clause=word, directive=self.name, hint=clause_hint(word, self.name))
        if self.text() == "(":
            self.index = self.closing() + 1
        return None

    def clause_of(self, rule: ClauseRule, start: int) -> Clause:
        """The rest of a clause after its name, by its shape."""
        location = self.location(start)
        self.rule = rule
        if rule.shape is Shape.NOTHING or (rule.optional and self.text() != "("):
            if self.text() == "(":
                self.error("ACC215", self.index, clause=rule.name)
                self.index = self.closing() + 1
            return Clause(rule.name, location)
        if self.text() != "(":
            raise self.expected("'('")
        close = self.closing()
        self.index += 1
        if self.index == close:
            self.error("ACC213", start, name=rule.name, item=_ITEMS[rule.shape])
            raise _AbandonedError
        clause = _PARSERS[rule.shape](self, rule, location, close)
        if self.index != close:
            raise self.expected("',' or ')'")
        self.index += 1
        return clause

    # values: [label ':'] value { ',' [label ':'] value }
    def values(self, rule: ClauseRule, location: Location, close: int) -> Clause:
        start = self.index
        arguments = [self.value(rule)]
        while self.accept(","):
            arguments.append(self.value(rule))
        if rule.most and len(arguments) > rule.most:
            expected = "one value" if rule.most == 1 else f"at most {rule.most} values"
            self.error("ACC220", start, clause=rule.name, expected=expected, count=len(arguments))
        return Clause(rule.name, location, arguments=tuple(arguments))

    # value: expression | '*'
    def value(self, rule: ClauseRule) -> Argument:
        label = ""
        if self.kind() == IDENTIFIER and self.text(1) == ":":
            label = self.text()
            self.choose(label, rule.words, f"label of '{rule.name}'")
            self.index += 2
        if rule.star and self.text() == "*" and self.text(1) in (",", ")"):
            self.index += 1
            return Argument(CText("*", self.location(self.index - 1)), label)
        return Argument(self.expression(), label)

    # var-list: [modifier { ',' modifier } ':'] var { ',' var }
    def variables(self, rule: ClauseRule, location: Location, close: int) -> Clause:
        modifier = self.modifiers(rule)
        return Clause(rule.name, location, modifier, self.var_list())

    # reduction: operator ':' var { ',' var }
    def reduction(self, rule: ClauseRule, location: Location, close: int) -> Clause:
        operator = self.text()
        if operator == "-":
            self.reporter.report("ACC224", self.location(self.index))
            operator = "+"
        if operator not in REDUCTION_OPERATORS:
            hint = operator_hint(self.tokens, self.index)
            self.error("ACC216", self.index, word=operator, role="reduction operator", hint=hint)
            raise _AbandonedError
        self.index += 1
        self.expect(":")
        return Clause(rule.name, location, operator, self.var_list())

    # wait: ['devnum' ':' expression ':'] ['queues' ':'] expression { ',' expression }
    def wait(self, rule: ClauseRule, location: Location, close: int) -> Clause:
        arguments = []
        if self.text() == "devnum" and self.text(1) == ":":
            self.index += 2
            arguments.append(Argument(self.expression(), "devnum"))
            self.expect(":")
        if self.text() == "queues" and self.text(1) == ":":
            self.index += 2
        arguments.append(Argument(self.expression()))
        while self.accept(","):
            arguments.append(Argument(self.expression()))
        return Clause(rule.name, location, arguments=tuple(arguments))

    # words: ( name | string | '*' ) { ',' ... }
    def words(self, rule: ClauseRule, location: Location, close: int) -> Clause:
        arguments = []
        while True:
            is_star = rule.star and self.text() == "*"
            is_string = rule.name == "bind" and self.kind() == STRING
            if not is_star and not is_string and self.kind() != IDENTIFIER:
                raise self.expected("a name")
            if rule.words:
                self.choose(self.text(), rule.words, f"choice of '{rule.name}'")
            arguments.append(Argument(CText(self.text(), self.location(self.index))))
            self.index += 1
            if rule.most == 1 or not self.accept(","):
                return Clause(rule.name, location, arguments=tuple(arguments))

    def modifiers(self, rule: ClauseRule) -> str:
        """The words before the colon of a var-list, joined by blanks."""
        ahead = 0
        while self.kind(ahead) == IDENTIFIER and self.text(ahead + 1) == ",":
            ahead += 2
        if self.kind(ahead) != IDENTIFIER or self.text(ahead + 1) != ":":
            return ""
        found: list[str] = []
        while not found or self.accept(","):
            self.choose(self.text(), rule.words, f"modifier of '{rule.name}'")
            found.append(self.text())
            self.index += 1
        self.expect(":")
        return " ".join(found)

    # var-list: var { ',' var }
    def var_list(self) -> tuple[VarRef, ...]:
        found = [self.var()]
        while self.accept(","):
            found.append(self.var())
        return tuple(found)

    # var: name { '.' name | '->' name | '[' section ']' }
    def var(self) -> VarRef:
        start = self.index
        self.word("a variable")
        name_end = self.index
        sections: list[Section] = []
        while True:
            if self.accept("[", consume=False):
                sections.append(self.section())
            elif self.accept(".") or self.accept("->"):
                self.word("a member")
                name_end, sections = self.index, []
            else:
                break
        name = self.slice(start, name_end)
        if self.accept("(", consume=False):
            self.error("ACC225", start, name=name)
            self.index = self.closing() + 1
        return VarRef(name, tuple(sections), self.location(start, name_end), self.spelled(start, self.index))

    # section: '[' expression ']' | '[' [expression] ':' [expression] ']'
    def section(self) -> Section:
        self.closing()
        self.index += 1
        lower = None if self.text() == ":" else self.expression()
        if not self.accept(":"):
            self.expect("]")
            return Section(lower, None, is_element=True)
        length = None if self.text() == "]" else self.expression()
        self.expect("]")
        return Section(lower, length)

    def expression(self) -> CText:
        """Tokens up to a ``,``, ``:`` or closing bracket outside of brackets and ``?:``."""
        start = self.index
        questions = 0
        while (text := self.text()) not in ("", ",", ")", "]", "}"):
            if text == ":" and questions == 0:
                break
            questions += {"?": 1, ":": -1}.get(text, 0)
            self.index = self.closing() + 1 if text in ("(", "[", "{") else self.index + 1
        if self.index == start:
            raise self.expected("an expression")
        text = self.slice(start, self.index)
        raw = self.source.text[self.spans[start].start : self.spans[self.index - 1].end]
        return CText(text, self.location(start, self.index), text == raw)

    def text(self, ahead: int = 0) -> str:
        """The spelling of a token; empty past the end."""
        position = self.index + ahead
        return self.tokens[position].text if position < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        """The kind of a token; empty past the end."""
        position = self.index + ahead
        return self.tokens[position].kind if position < len(self.tokens) else ""

    def slice(self, start: int, end: int) -> str:
        """The expanded text of tokens [start, end)."""
        return self.site.expanded[self.tokens[start].span.start : self.tokens[end - 1].span.end]

    def spelled(self, start: int, end: int) -> str:
        """The user's own text of tokens [start, end), macros unexpanded."""
        raw = self.source.text[self.spans[start].start : self.spans[end - 1].end]
        return " ".join(COMMENT.sub(" ", raw).replace("\\\n", " ").replace("\\\r\n", " ").split())

    def accept(self, text: str, consume: bool = True) -> bool:
        """Whether the next token is ``text``, which is then taken."""
        found = self.text() == text
        self.index += found and consume
        return found

    def expect(self, text: str) -> None:
        """Take the next token, which has to be ``text``."""
        if not self.accept(text):
            raise self.expected(f"'{text}'")

    def word(self, what: str) -> str:
        """Take an identifier."""
        if self.kind() != IDENTIFIER:
            raise self.expected(what)
        self.index += 1
        return self.text(-1)

    def choose(self, word: str, words: Collection[str], role: str) -> None:
        """Report a word that is not one of ``words``."""
        if word not in words:
            hint = similar(word, words) or (f"choose from: {', '.join(words)}" if words else "")
            self.error("ACC216", self.index, word=word, role=role, hint=hint)

    def closing(self) -> int:
        """The token that closes the bracket at the next token."""
        close = matching(self.tokens, self.index)
        if close is None:
            place = unclosed(self.tokens, self.index)
            hint = unclosed_hint(self.tokens, place)
            self.error("ACC219", place, bracket=self.tokens[place].text, hint=hint)
            raise _AbandonedError
        return close

    def check_repeated(self, name: str, start: int) -> None:
        """Report single clauses that come twice and clauses that contradict; device_type starts a new group."""
        if name == "device_type":
            self.seen.clear()
        if name in self.seen and not CLAUSES[name].repeats and not (self.name == "update" and name == "self"):
            self.error("ACC214", start, clause=name, directive=self.name)
        for pair in CONTRADICTIONS.get(self.name.split()[-1], ()):
            if name in pair and (other := pair[name == pair[0]]) in self.seen:
                self.error("ACC218", start, first=other, second=name)
        self.seen.add(name)

    def check_required(self, start: int, clauses: list[Clause]) -> None:
        """Report a directive without any of the clauses it needs."""
        needed = REQUIRED.get(self.name, ())
        if needed and not self.failed and not any(clause.name in needed for clause in clauses):
            self.error("ACC217", start, directive=self.name, clauses=", ".join(needed))

    def expected(self, what: str) -> _AbandonedError:
        """Report that the next token is not what the grammar asks for."""
        found = f"'{self.text()}'" if self.text() else "the end of the directive"
        hint = expected_hint(self.tokens, self.index, what, self.rule)
        self.error("ACC203", self.index, expected=what, found=found, hint=hint)
        return _AbandonedError()

    def location(self, start: int, end: int | None = None) -> Location:
        """Where the tokens [start, end) stand in the raw file; one token without an end."""
        return self.source.locate(Span(self.spans[start].start, self.spans[(end or start + 1) - 1].end))

    def error(self, code: str, index: int, **values: object) -> None:
        """Report at a token."""
        self.failed = True
        self.reporter.report(code, self.location(min(index, len(self.tokens))), **values)

    def _empty(self, clause: Clause) -> Clause:
        return Clause(clause.name, clause.location)


_ITEMS = {
    Shape.VALUES: "expression",
    Shape.VARIABLES: "variable",
    Shape.REDUCTION: "operator and variable",
    Shape.WAIT: "queue",
    Shape.WORDS: "name",
}
_PARSERS: dict[Shape, Callable[[_Parser, ClauseRule, Location, int], Clause]] = {
    Shape.VALUES: _Parser.values,
    Shape.VARIABLES: _Parser.variables,
    Shape.REDUCTION: _Parser.reduction,
    Shape.WAIT: _Parser.wait,
    Shape.WORDS: _Parser.words,
}
