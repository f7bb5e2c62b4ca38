"""What statements of a kernel, and of functions that it calls, declare: variables, and names of variables."""

from __future__ import annotations

from collections.abc import Sequence

from accache.cpu.tokens import Token, closing
from accache.workflows.private_lines import names
from accache.workflows.private_lines.expressions import Expressions
from accache.workflows.private_lines.reading import RefusedError
from accache.workflows.private_lines.types import Type, base_at, declared_at

_REFERENCE = "a reference to an element is kept"


class Declarations(Expressions):
    """Declarations; the last of ``scopes`` gets their names."""

    def declaration(self) -> bool:
        """Whether a declaration stands here, gone over with its semicolon."""
        start = self.place
        if any(self.word.text in scope for scope in self.scopes):
            return False
        is_shared = False
        while self.word.text in ("__shared__", "extern", "__align__"):
            is_shared = True
            if self.take().text == "__align__":
                self.place = closing(tuple(self.words), self.place) + 1
        is_auto = self.word.text == "auto" or (self.word.text == "const" and self.words[self.place + 1].text == "auto")
        if is_auto:
            self.place += 1 + (self.word.text == "const")
            self._auto()
            return True
        base, place = base_at(self.words, self.place, self.program.types)
        if place == self.place or self.words[place].text in ("(", "{"):
            if is_shared:
                raise self.unread()
            self.place = start
            return False
        self.place = place
        if base is None:
            raise RefusedError(f"the type {self.words[place - 1].text} is not recognised", self.words[place - 1])
        while True:
            self._declarator(base, is_shared=is_shared)
            if not self.is_at(","):
                break
            self.take()
        self.expect(";")
        return True

    def _auto(self) -> None:
        """``auto x = value``."""
        token = self.word
        if self.is_at("&"):
            self.take()
            self._reference(self.take())
        else:
            is_pointer = self.is_at("*")
            self.place += is_pointer
            name = self.take()
            self.expect("=")
            first = self.word
            made = self.read(self.assignment(), first)
            if made.kind not in ("number", "record", "pointer", "group") or not name.is_name:
                raise RefusedError("the type of what auto declares is not recognised", token)
            self.declare(name, made)
        self.expect(";")

    def _reference(self, name: Token) -> None:
        """``T &name = variable``, which is a name of a variable of the kernel's own."""
        if self.is_at("{") or self.is_at("("):
            close = {"{": "}", "(": ")"}[self.take().text]
        else:
            self.expect("=")
            close = ""
        first, other = self.word, self.found.other
        value = self.assignment()
        self.refuse(value, _REFERENCE, first)
        if self.found.other is not other or value.type.kind not in ("number", "record"):
            self.reach(first)
        if close:
            self.expect(close)
        if value.type.kind not in ("number", "record") or not name.is_name:
            raise RefusedError("it declares a reference of a form that is not recognised", first)
        self.declare(name, value.type)

    def _declarator(self, base: Type, *, is_shared: bool) -> None:
        if self.is_at("&"):
            self.take()
            self._reference(self.take())
            return
        place = self.place
        made, name, self.place = declared_at(self._with_counts(place), place, base)
        if not name or made is None or made.kind == "void":
            raise RefusedError("it declares something that is not recognised", self.words[place])
        self.declare(self.words[place], made, name)
        if self.is_at("="):
            self.take()
            if self.is_at("{"):
                self.braces(made)
            else:
                self._initialised(made)
        elif self.is_at("{"):
            self.braces(made)
        elif self.is_at("("):
            self.constructed(made)

    def _initialised(self, made: Type) -> None:
        first = self.word
        value = self.assignment()
        given = self.read(value, first)
        fits = {"number": ("number",), "pointer": ("pointer", "number", "text")}.get(made.kind, (made.kind,))
        if given.kind not in fits or (made.kind == "record" and not given.same(made)):
            raise RefusedError("a conversion may be one of its own", first)

    def _with_counts(self, place: int) -> Sequence[Token]:
        """The words, of which those in the brackets of a declarator are read as expressions first."""
        index, depth = place, self.place
        while self.words[index].text in ("*", "const", "volatile", *names.RESTRICT) or self.words[index].is_name:
            index += 1
        while self.words[index].text == "[":
            close = closing(tuple(self.words), index)
            if close > index + 1:
                self.place = index + 1
                first = self.word
                self.read_number(self.expression(), first)
                self.expect("]")
            index = close + 1
        self.place = depth
        return self.words

    def declare(self, token: Token, made: Type, name: str = "") -> None:
        """A name, or else the word, is a variable of a type from here on. Raises RefusedError."""
        name = name or token.text
        if name in self.served:
            raise RefusedError("its name is declared again", token, name)
        self.scopes[-1][name] = made
