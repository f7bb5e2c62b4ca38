"""The statements of a kernel, and of functions that it calls: where lines are flushed, and loops."""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.text import Edit, Span
from accache.cpu.definitions import parameter_name
from accache.cpu.tokens import Token, closing
from accache.workflows.private_lines import names
from accache.workflows.private_lines.declarations import Declarations
from accache.workflows.private_lines.declared import Declared, Function
from accache.workflows.private_lines.reading import Found, RefusedError
from accache.workflows.private_lines.types import Type, base_at, declared_at, pointer

_FLUSH = "accache_cache.flush();"


class Body(Declarations):
    """The body of a kernel, or of a function, between its braces; ``scopes`` has its parameters."""

    def statements(self, end: int) -> None:
        """All statements up to a word. Raises RefusedError."""
        self.scopes.append({})
        while self.place < end:
            if not self._declared_call():
                self.statement()
        self.scopes.pop()

    def statement(self) -> None:
        """One statement."""
        word = self.word.text
        if word == "{":
            end = closing(tuple(self.words), self.place)
            self.take()
            self.statements(end)
            self.expect("}")
        elif word == ";":
            self.take()
        elif word in ("for", "while", "do"):
            self._loop(word)
        elif word == "if":
            self._if()
        elif word == "switch":
            self._switch()
        elif word in ("case", "default"):
            self._case()
        elif word in ("break", "continue"):
            self.take()
            self.expect(";")
        elif word == "return":
            self._return()
        elif word in ("asm", "__asm__", "goto", "static", "typedef", "using", "try"):
            raise RefusedError(f"{word} stands in it", self.word)
        elif not self._call_statement() and not self._assigned_call() and not self.declaration():
            first = self.word
            self.discard(self.expression(), first)
            self.expect(";")

    # What holds others

    def _inner(self) -> None:
        """A statement in a scope of its own."""
        self.scopes.append({})
        self.statement()
        self.scopes.pop()

    def _if(self) -> None:
        self.take()
        if self.is_at("constexpr"):
            self.take()
        self.expect("(")
        self.condition()
        self.expect(")")
        self._inner()
        if self.is_at("else"):
            self.take()
            self._inner()

    def _switch(self) -> None:
        self.take()
        self.expect("(")
        self.condition()
        self.expect(")")
        if not self.is_at("{"):
            raise self.unread()
        self._inner()

    def _case(self) -> None:
        if self.take().text == "case":
            self.condition()
        self.expect(":")
        if not self.is_at("}"):
            self.statement()

    def _loop(self, keyword: str) -> None:
        start = self.take().start
        self.scopes.append({})
        self.loops += 1
        if keyword == "for":
            self._for_header()
        elif keyword == "while":
            self.expect("(")
            self.condition()
            self.expect(")")
        before, first, opens = self.words[self.place - 1], self.word, self.is_at("{")
        self._inner()
        last = self.words[self.place - 1]
        if keyword == "do":
            self.expect("while")
            self.expect("(")
            self.condition()
            self.expect(")")
            self.expect(";")
        self.loops -= 1
        self.scopes.pop()
        self._head(start, first if opens else before, last, opens=opens)

    def _for_header(self) -> None:
        self.expect("(")
        if self.is_at(";"):
            self.take()
        elif not self.declaration():
            self._discarded(";")
        if not self.is_at(";"):
            self.condition()
        self.expect(";")
        if not self.is_at(")"):
            self._discarded("")
        self.expect(")")

    def _discarded(self, end: str) -> None:
        first = self.word
        self.discard(self.expression(), first)
        if end:
            self.expect(end)

    def _head(self, start: int, first: Token, last: Token, *, opens: bool) -> None:
        """A call behind the ``first`` word, at the head of an innermost loop that uses an array."""
        is_inner = not any(edit.span.start > start for edit in self.found.heads)
        if not is_inner or not any(place > start for _, place in self.found.used):
            return
        opening = "" if opens else " {"
        self.found.heads.append(Edit(Span(first.end, first.end), f"{opening} accache_cache.loop_head();"))
        if not opens:
            self.found.tails.append(Edit(Span(last.end, last.end), " }"))

    # Statements that lines are flushed around

    def _return(self) -> None:
        token = self.take()
        if self.is_at(";"):
            self._around(token, self.take(), behind="")
            return
        if self.is_kernel:
            raise RefusedError("it returns an expression", token)
        first = self.word
        value = self.expression()
        self.read(value, first)
        self.expect(";")

    def _around(self, first: Token, last: Token, behind: str) -> None:
        """A statement in braces behind a flush."""
        self.found.edits.append(Edit(Span(first.start, first.start), f"{{ {_FLUSH} "))
        self.found.edits.append(Edit(Span(last.end, last.end), f"{behind} }}"))

    def _call_statement(self) -> bool:
        """Whether a call stands here that meets others or may reach memory, as a statement of its own."""
        first, place = self.word, self.place
        while self.words[place + 1].text in ("::", ".") and self.words[place + 2].is_name:
            place += 2
        name, dot = self.words[place], self.words[place - 1].text if place > self.place else ""
        if not name.is_name or self.words[place + 1].text != "(":
            return False
        if self.words[closing(tuple(self.words), place + 1) + 1].text != ";" or name.text in self.program.macros:
            return False
        if dot == ".":
            return self._group_meets(first, name, place)
        if dot == "::" and self.words[place - 2].text in self.program.types:
            return False
        if name.text in self.program.functions:
            function = self.program.functions[name.text]
            if function is not None and self.pure(name.text, function) is not None:
                return False
            self.place = place + 1
            self._flushed_call(first, name, function)
            return True
        is_sync = name.text == "sync" and dot == "::" and first.text in ("cg", "cooperative_groups")
        if name.text in names.FENCES | names.BARRIERS or is_sync:
            self.place = place + 1
            self._meeting(first, name, is_barrier=name.text not in names.FENCES)
            return True
        return False

    def _group_meets(self, first: Token, name: Token, place: int) -> bool:
        made = next((scope[first.text] for scope in reversed(self.scopes) if first.text in scope), None)
        if made is None or made.kind != "group" or name.text != "sync" or place != self.place + 2:
            return False
        self.place = place + 1
        self._meeting(first, name, is_barrier=True)
        return True

    def _meeting(self, first: Token, name: Token, *, is_barrier: bool) -> None:
        """A fence or a barrier, from its parenthesis on."""
        if not self.is_kernel:
            raise RefusedError(f"{name.text}() stands in it", name)
        if self.loops and is_barrier:
            raise RefusedError("a barrier stands in a loop", name)
        before = self.found.changes
        for value, token in self.arguments():
            if value.type.kind != "group":
                self.read(value, token)
        self._unchanged(before, name)
        self._around(first, self.expect(";"), behind="")

    def _flushed_call(self, first: Token, name: Token, function: Function | None, *, declares: bool = False) -> None:
        """A call of a function that may reach memory: of elements it gets the values, and it changes none."""
        if not self.is_kernel:
            raise RefusedError(f"{name.text}() may reach memory", name)
        kinds = self.parameter_types(function) if function is not None else None
        before, used = self.found.changes, len(self.found.used)
        values = self.arguments()
        for index, (value, token) in enumerate(values):
            kind = kinds[index] if kinds is not None and index < len(kinds) else None
            if kind is None:
                self.refuse(value, f"{name.text}() may change it", token)
            self.read(value, token)
        if kinds is None and len(self.found.used) > used:
            raise RefusedError(
                f"{name.text}() may reach memory while it is given elements", name, self.found.used[-1][0]
            )
        self._unchanged(before, name)
        last = self.expect(";")
        if declares:
            self.found.edits.append(Edit(Span(first.start, first.start), f"{_FLUSH} "))
            self.found.edits.append(Edit(Span(last.end, last.end), f" {_FLUSH}"))
        else:
            self._around(first, last, behind=f" {_FLUSH}")

    def _assigned_call(self) -> bool:
        """Whether such a call stands here that a variable of the kernel's own gets: ``k = f(x);``."""
        first, place = self.word, self.place + 2
        if not self.is_variable(first.text) or first.text in self.served or self.words[self.place + 1].text != "=":
            return False
        function = self._flushed(place)
        made = next((scope[first.text] for scope in reversed(self.scopes) if first.text in scope), None)
        if function is None or made is None or not _takes(made, function):
            return False
        self.place = place + 1
        self._flushed_call(first, self.words[place], function)
        return True

    def _declared_call(self) -> bool:
        """The same of a variable that is declared: ``int k = f(x);``, which no braces may hold."""
        first = self.word
        if any(first.text in scope for scope in self.scopes):
            return False
        made, place = base_at(self.words, self.place, self.program.types)
        if made is None or not self.words[place].is_name or self.words[place + 1].text != "=":
            return False
        variable, function = self.words[place], self._flushed(place + 2)
        if function is None or not _takes(made, function):
            return False
        self.place = place + 3
        self._flushed_call(first, self.words[place + 2], function, declares=True)
        self.declare(variable, made)
        return True

    def _flushed(self, place: int) -> Function | None:
        """The function of a call that is all that is left of a statement, if lines have to be flushed around it."""
        name = self.words[place]
        if not name.is_name or self.words[place + 1].text != "(" or self.is_variable(name.text):
            return None
        if self.words[closing(tuple(self.words), place + 1) + 1].text != ";" or name.text in self.program.macros:
            return None
        function = self.program.functions.get(name.text)
        return function if function is not None and self.pure(name.text, function) is None else None

    def _unchanged(self, before: int, name: Token) -> None:
        if self.found.changes != before:
            raise RefusedError(f"elements change in what {name.text}() is given", name)

    # Functions

    def parameter_types(self, function: Function) -> tuple[Type, ...] | None:
        """The types of a function's parameters if all are values; None otherwise."""
        found: list[Type] = []
        for first, end in function.parameters:
            words = (*function.words[first:end], Token("end", "", -1, -1))
            if [word.text for word in words] == ["void", ""]:
                continue
            made, _, place = _declared(words, self.program)
            if made is None or made.kind not in ("number", "record", "pointer") or words[place].text not in ("", "="):
                return None
            found.append(made)
        return tuple(found)

    def pure(self, name: str, function: Function) -> tuple[Type, ...] | None:
        """The types of a function's parameters if it takes values and reaches no memory; None otherwise."""
        kinds = self.parameter_types(function)
        if kinds is None or function.body is None or function.has_directives or name in self.through:
            return None
        if any(kind.kind == "pointer" for kind in kinds):
            return None
        scope: dict[str, Type | None] = {}
        for (first, end), kind in zip(function.parameters, kinds, strict=False):
            scope[parameter_name(function.words[first:end])] = kind
        found = Found()
        body = Body(
            self.program,
            function.words,
            function.body[0],
            served={},
            scopes=[scope],
            found=found,
            through=(*self.through, name),
            is_kernel=False,
        )
        try:
            body.statements(function.body[1])
        except RefusedError:
            return None
        return kinds if found.other is None else None


def _takes(made: Type, function: Function) -> bool:
    """Whether a variable gets what a function gives without a conversion of the program's own."""
    given = function.returns
    return given is not None and made.kind in ("number", "record") and given.same(made)


def _declared(words: Sequence[Token], program: Declared) -> tuple[Type | None, str, int]:
    """The type and the name of a parameter, and the word behind them."""
    base, place = base_at(words, 0, program.types)
    return declared_at(words, place, base)


def parameter_type(words: Sequence[Token], program: Declared) -> Type | None:
    """The type of a kernel's parameter; None if it is not recognised."""
    made, _, place = _declared((*words, Token("end", "", -1, -1)), program)
    if made is not None and made.kind == "array":
        made = pointer(made.target)
    return made if words[place:] == () or words[place].text == "=" else None
