"""One way through the files of a program, declaration by declaration, to what they declare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from accache.cpu.tokens import HASH, OPENING, Token, closing
from accache.cuda.items import Item, behind_templates
from accache.cuda.text import BracketsError, Cuda, expect_brackets
from accache.workflows.private_lines.declared import Declared, Function, Macro, Variable
from accache.workflows.private_lines.macros import hidden_keyword, is_named, macros_of
from accache.workflows.private_lines.types import BUILTIN, Type, base_at, declared_at, number, record
from accache.workflows.private_lines.words import KEYWORDS, merged

_PRAGMA = re.compile(rf"{HASH}pragma\b")
_SPLICED = re.compile(r"\w\\\r?\n\w")
_ATTRIBUTES = frozenset((
    "static", "inline", "constexpr", "extern", "virtual", "explicit", "friend", "__device__", "__host__",
    "__global__", "__forceinline__", "__noinline__", "__inline__", "__constant__", "__managed__", "__shared__",
    "thread_local",
))  # fmt: skip
_WITH_ARGUMENTS = frozenset(("__launch_bounds__", "__align__", "alignas", "__attribute__", "__maxnreg__", "__declspec"))
_END = Token("end", "", -1, -1)


def declared(files: Sequence[Cuda], defines: Iterable[tuple[str, str]]) -> Declared:
    """What the files of a program declare; ``defines`` are macros of the command line."""
    macros, hiding = macros_of(files, defines)
    known = [_File(file) for file in files]
    unclear = hidden_keyword(macros) or next((file.unclear for file in known if file.unclear), "")
    types: dict[str, Type | None] = {}
    for _ in range(4):  # headers stand in no order
        found = Declared(
            types=dict(types),
            variables={},
            functions={},
            macros=macros,
            hiding=hiding,
            operators=any("operator" in file.texts for file in known) or is_named(macros, "operator"),
            unclear=unclear,
        )
        scan = _Scan(found, types)
        for name, macro in macros.items():
            scan.macro_type(name, macro)
        for file in known:
            scan.file(file)
        scan.unclear_names()
        if scan.found == types:
            break
        types = scan.found
    both = {name for name in macros if name in found.functions or name in found.variables}
    return replace(found, types=types, macros={**macros, **dict.fromkeys(both)}, unclear=found.unclear or scan.unclear)


def conditions(file: Cuda) -> tuple[int, ...]:
    """Where a file has directives that are no pragmas."""
    return tuple(span.start for span in file.directives if not _PRAGMA.match(file.source.text, span.start))


class _File:
    """A file as words, and which of them are at file scope."""

    def __init__(self, file: Cuda) -> None:
        self.words = (*merged(file.tokens), _END)
        self.texts = {word.text for word in self.words}
        self.directives = conditions(file)
        numbers = {word.start: number for number, word in enumerate(self.words)}
        places = [numbers.get(token.start, 0) for token in (*file.tokens, _END)]
        self.items = [
            (places[behind_templates(file.tokens, item.first)], places[item.end], item.is_template)
            for item in file.items
        ]
        self.unclear = ""
        if _SPLICED.search(file.source.text):
            self.unclear = "a name goes on in another line"
        try:
            expect_brackets(file, Item("other", 0, len(file.tokens)))
        except BracketsError:
            self.unclear = f"brackets of {file.source.name} do not match if all groups of #if are taken"


class _Scan:
    """Goes through files once; ``known`` are types of an earlier time."""

    def __init__(self, out: Declared, known: Mapping[str, Type | None]) -> None:
        self.out, self.known, self.found, self.unclear = out, known, dict[str, Type | None](), ""
        self.hidden = set[str]()
        self.words: tuple[Token, ...] = ()
        self.directives: tuple[int, ...] = ()

    def macro_type(self, name: str, macro: Macro | None) -> None:
        """``#define real float`` is a type."""
        words = (*(macro.words if macro else ()), _END)
        made, end = base_at(words, 0, self.known)
        if made is not None and macro is not None and macro.parameters is None and end == len(words) - 1:
            self.found[name] = made
        elif name in BUILTIN:
            self.found[name] = None

    def file(self, file: _File) -> None:
        """Each declaration of a file outside of functions and classes."""
        self.words, self.directives = file.words, file.directives
        for first, end, is_template in file.items:
            if is_template:
                self._template(first, end)
            else:
                self._declaration(first, end)

    def _declaration(self, index: int, end: int) -> None:
        """One declaration."""
        if self.words[index].text == "extern" and self.words[index + 1].kind == "string":
            index += 2
        word = self.words[index].text
        self._hidden(index, end)
        if word in ("using", "static_assert"):
            self._alias(index, end)
        elif word == "typedef":
            self._variables(index + 1, end, is_type=True)
        elif word not in ("namespace", ";", "}") and not self._function(index, end):
            self._variables(index, end, is_type=False)

    def _hidden(self, index: int, end: int) -> None:
        """A macro in a declaration may make any: what it names is unclear."""
        for place in range(index, end):
            word = self.words[place].text
            if word in ("{", "="):
                break
            if word in self.out.hiding:
                self.unclear = f"the macro {word} declares what cannot be seen"
            if word in self.out.macros and not self._is_attribute(word) and self.found.get(word) is None:
                macro = self.out.macros[word]
                close = closing(self.words, place + 1) if self.words[place + 1].text == "(" else place
                named = (*(macro.words if macro is not None else ()), *self.words[place + 1 : close])
                if close > place:  # it may be all of another declaration
                    named = (*named, *self.words[close:end][: self._head(close, end)])
                self.hidden |= {one.text for one in named if one.is_name and one.text not in KEYWORDS}

    def _head(self, index: int, end: int) -> int:
        """How many words are in front of the body or the value of a declaration."""
        return next((k - index for k in range(index, end) if self.words[k].text in ("{", "=")), end - index)

    def unclear_names(self) -> None:
        """What macros may have declared is no function or variable that is known."""
        for name in self.hidden:
            self.out.functions[name] = None
            self.out.variables[name] = None

    def _template(self, index: int, end: int) -> None:
        """A template: what it names is unclear."""
        for place in range(index, end - 1):
            word = self.words[place]
            if word.text == "{":
                break
            if word.is_name and self.words[place + 1].text in ("(", "<"):
                self.out.functions[word.text] = None
            if word.text in ("struct", "class", "union") and self.words[place + 1].is_name:
                self.found[self.words[place + 1].text] = None
            if word.text == "using" or self.words[place + 1].text == "=":
                self.found[self.words[place + 1].text if word.text == "using" else word.text] = None

    def _alias(self, index: int, end: int) -> None:
        """``using real = float;``; what else is ``using`` names nothing new."""
        if self.words[index + 2].text == "=":
            base, place = base_at(self.words, index + 3, self.known)
            made, name, place = declared_at(self.words, place, base)
            self._type(self.words[index + 1].text, made if place == end - 1 and not name else None)

    def _type(self, name: str, made: Type | None) -> None:
        self.found[name] = made if self.found.get(name, made) == made else None

    def _function(self, index: int, end: int) -> bool:
        """Whether a declaration is that of a function, which is noted."""
        place = index
        while place < end and self.words[place].text not in ("=", "{", "("):
            if self.words[place].text in _WITH_ARGUMENTS:
                place = closing(self.words, place + 1)
            if self.words[place].text == "operator":
                return True
            place += 1
        before = self.words[place - 1]
        if place >= end or self.words[place].text != "(" or not before.is_name:
            return False
        close = closing(self.words, place)
        if self.words[close + 1].text == "(":  # int (name)(int)
            self.out.functions.update((word.text, None) for word in self.words[place:close] if word.is_name)
            return True
        first = self.words[place + 1]
        if first.kind in ("number", "string") and self.words[close + 1].text in (";", ","):
            return False  # dim3 block(32);
        body = (close + 2, end - 1) if self.words[close + 1].text == "{" else None
        returns = self._returned(index, place - 1)
        inside = (self.words[close].start, self.words[end - 1].end)
        has_directives = any(inside[0] < start < inside[1] for start in self.directives)
        made = Function(self.words, tuple(_parts(self.words, place + 1, close)), body, returns, has_directives)
        name = before.text
        self.out.functions[name] = _joined(self.out.functions[name], made) if name in self.out.functions else made
        return True

    def _returned(self, index: int, end: int) -> Type | None:
        index = self._past_attributes(index)
        base, place = base_at(self.words, index, self.known)
        place = self._past_attributes(place)
        return base if place == end else None

    def _past_attributes(self, index: int) -> int:
        while self._is_attribute(self.words[index].text):
            index = closing(self.words, index + 1) + 1 if self.words[index].text in _WITH_ARGUMENTS else index + 1
        return index

    def _is_attribute(self, word: str) -> bool:
        macro = self.out.macros.get(word)
        if macro is not None and macro.parameters is None:
            return all(part.text in _ATTRIBUTES for part in macro.words)
        return word in _ATTRIBUTES or word in _WITH_ARGUMENTS

    def _variables(self, index: int, end: int, *, is_type: bool) -> None:
        """The variables, or the types, that a declaration names."""
        first = index
        attributes = {word.text for word in self.words[index:end] if word.text in _ATTRIBUTES}
        index = self._past_attributes(index)
        base, index = self._tagged(index, end)
        index = self._past_attributes(index)
        while index < end - 1:
            if self.words[index].text == "&":
                base = None
                index += 1
            made, name, index = declared_at(self.words, index, base)
            if not name or self.words[index].text not in ("=", ",", ";", "{", "("):
                self._unknown(first, end, is_type=is_type)
                return
            if is_type:
                self._type(name, made)
            else:
                self._variable(name, made, attributes)
            index = self._past_value(index, end) + 1

    def _past_value(self, index: int, end: int) -> int:
        while index < end - 1 and self.words[index].text != ",":
            index = closing(self.words, index) + 1 if self.words[index].text in OPENING else index + 1
        return index

    def _variable(self, name: str, made: Type | None, attributes: set[str]) -> None:
        known: Variable | None = None
        if made is not None and attributes & {"__device__", "__managed__"}:
            known = Variable(made, in_memory=True)
        elif (made is not None and attributes & {"__constant__", "__shared__"}) or (
            made is not None and made.kind == "number" and (made.is_const or "constexpr" in attributes)
        ):
            known = Variable(made, in_memory=False)
        if made is not None and made.is_volatile:
            known = None
        self.out.variables[name] = known if self.out.variables.get(name, known) == known else None

    def _unknown(self, index: int, end: int, *, is_type: bool) -> None:
        """A declaration that is not understood makes its names unclear."""
        for word in self.words[index:end]:
            if word.text == "{":
                break
            if word.is_name and word.text not in KEYWORDS and word.text not in _ATTRIBUTES:
                if is_type:
                    self.found.setdefault(word.text, None)
                elif word.text not in self.known:
                    self.out.variables[word.text] = None
                    self.out.functions.setdefault(word.text, None)

    def _tagged(self, index: int, end: int) -> tuple[Type | None, int]:
        """The type that a declaration begins with, which it may define."""
        while self.words[index].text in ("const", "volatile", "static"):
            if self.words[index + 1].text not in ("struct", "enum", "union", "class"):
                return base_at(self.words, index, self.known)
            index += 1
        word = self.words[index].text
        if word not in ("struct", "class", "union", "enum"):
            return base_at(self.words, index, self.known)
        place, align = index + 1, 1
        while self.words[place].text in (*_WITH_ARGUMENTS, "class"):
            if self.words[place].text == "class":
                place += 1
                continue
            inside = self.words[place + 2 : closing(self.words, place + 1)]
            align = int(inside[0].text) if len(inside) == 1 and inside[0].text.isdecimal() else 0
            place = closing(self.words, place + 1) + 1
        name = self.words[place].text if self.words[place].is_name else ""
        place += bool(name)
        opening = place
        while self.words[opening].text not in ("{", ";", "=", "(", "*", "") and opening < end:
            opening += 1
        if self.words[opening].text != "{":
            return base_at(self.words, index, self.known) if self.words[opening].text != ";" else (None, opening)
        close = closing(self.words, opening)
        made = self._enumeration(opening, close) if word == "enum" else None
        if word in ("struct", "class") and opening == place and align:
            made = self._members(name or f"(at {self.words[opening].start})", opening + 1, close, align=align)
        if name:
            self._type(name, made)
        return made, close + 1

    def _enumeration(self, opening: int, close: int) -> Type | None:
        made = None if self.out.operators else number()
        for first, _ in _parts(self.words, opening + 1, close):
            self._variable(self.words[first].text, made, {"constexpr"})
        return made

    def _members(self, name: str, index: int, close: int, *, align: int) -> Type | None:
        """A structure of numbers, structures, pointers, and arrays of these; None for another."""
        members: list[tuple[str, Type]] = []
        while index < close:
            base, place = base_at(self.words, index, self.known)
            if place == index or base is None:
                return None
            index = place
            while True:
                made, member, index = declared_at(self.words, index, base)
                if self.words[index].text == ":" and self.words[index + 1].kind == "number":
                    index += 2
                is_fit = made is not None and made.kind in ("number", "record", "pointer", "array")
                if made is None or not is_fit or not member or made.is_const or made.is_volatile:
                    return None
                if (
                    _innermost(made).is_volatile
                    or _innermost(made).is_const
                    or (made.kind == "array" and not made.size)
                ):
                    return None
                members.append((member, made))
                index += 1
                if self.words[index - 1].text == ";":
                    break
                if self.words[index - 1].text != ",":
                    return None
        return record(name, members, align)


def _innermost(made: Type) -> Type:
    while made.kind == "array" and made.target is not None:
        made = made.target
    return made


def _joined(one: Function | None, other: Function) -> Function | None:
    """A declaration and a definition of one function; None for two functions."""
    if one is None or (one.body is not None and other.body is not None):
        return None
    lists = [[[word.text for word in each.words[first:end]] for first, end in each.parameters] for each in (one, other)]
    types = [[_without_name(part) for part in parts] for parts in lists]
    return (one if one.body is not None else other) if types[0] == types[1] else None


def _without_name(words: Sequence[str]) -> list[str]:
    part = list(words[: words.index("=")] if "=" in words else words)
    if len(part) > 1 and part[-1].isidentifier() and part[-1] not in KEYWORDS:
        part.pop()
    return part


def _parts(words: Sequence[Token], first: int, end: int) -> Iterable[tuple[int, int]]:
    """The parts between commas of a half-open range of words."""
    start = index = first
    while index < end:
        if words[index].text == ",":
            yield start, index
            start = index + 1
        index = closing(tuple(words), index) + 1 if words[index].text in OPENING else index + 1
    if start < end:
        yield start, end
