"""A cursor over the words of a kernel, and what its reading finds: values, elements that are used, edits, refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from accache.base.text import Edit
from accache.cpu.tokens import Token
from accache.workflows.private_lines.declared import Declared
from accache.workflows.private_lines.types import Type, pointer

ELSEWHERE = "its address goes elsewhere"


class RefusedError(Exception):
    """What lines cannot serve: of a parameter, or of the kernel if ``name`` is ''."""

    def __init__(self, reason: str, token: Token, name: str = "") -> None:
        super().__init__(reason)
        self.reason, self.token, self.name = reason, token, name


class Value(Struct, frozen=True):
    """What an expression gives.

    It may be an lvalue of ``elements`` of these parameters, which ``refusal`` forbids to change, '' if an assignment to
    it is served; ``reading`` are the edits by which it is read, None if it cannot be. Or it is a ``pointer``, that of a
    parameter: its name alone if ``is_bare``, or one that it ``steps``.
    """

    type: Type
    elements: tuple[str, ...] = ()
    refusal: str = ""
    reading: tuple[Edit, ...] | None = ()
    pointer: str = ""
    is_bare: bool = False
    steps: bool = False


class Found:
    """What the reading of a body finds, in the order of its text."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.heads: list[Edit] = []
        self.tails: list[Edit] = []
        self.used: list[tuple[str, int]] = []
        self.writes: set[str] = set()
        self.changes = 0
        self.other: Token | None = None


class Reader:
    """Goes over words, and has values be read and changed.

    ``served`` are parameters with lines and the types of their elements. In a ``macro`` nothing may change.
    A body ``is_kernel`` if it is not that of a function; ``loops`` are how many stand around a word.
    """

    def __init__(
        self,
        program: Declared,
        words: Sequence[Token],
        place: int,
        *,
        served: Mapping[str, Type],
        scopes: list[dict[str, Type | None]],
        found: Found,
        through: tuple[str, ...] = (),
        macro: str = "",
        is_kernel: bool = True,
    ) -> None:
        self.program, self.words, self.place, self.served = program, words, place, served
        self.scopes, self.found, self.through, self.macro = scopes, found, through, macro
        self.is_kernel, self.loops = is_kernel, 0

    # Words

    @property
    def word(self) -> Token:
        """The next word."""
        return self.words[self.place]

    def is_at(self, *texts: str) -> bool:
        """Whether these are the next words."""
        return all(self.words[self.place + index].text == text for index, text in enumerate(texts))

    def take(self) -> Token:
        """The next word, gone over."""
        self.place += 1
        return self.words[self.place - 1]

    def expect(self, text: str) -> Token:
        """The same, which must be that."""
        if self.word.text != text:
            raise self.unread()
        return self.take()

    def unread(self) -> RefusedError:
        """The next word is none that lines know of."""
        word = self.word
        if self.macro:
            return self.refused_macro()
        if word.text == "[":
            return RefusedError("a lambda stands in it", word)
        return RefusedError(f"{word.text or 'its end'} stands in it in a way that lines do not know", word)

    def refused_macro(self) -> RefusedError:
        """The macro is more than arithmetic."""
        return RefusedError(f"the macro {self.macro} may hide what lines must know of", self.words[0])

    # Reading and writing

    def read(self, value: Value, token: Token) -> Type:
        """Has a value be read; its type, that of the pointer if it is an array."""
        if value.pointer:
            raise RefusedError(ELSEWHERE, token, value.pointer)
        if value.reading is None:
            raise RefusedError("it moves where an element that may be written is read", token, value.elements[0])
        if value.type.kind == "array":
            self.refuse(value, ELSEWHERE, token)
            return pointer(value.type.target)
        self.found.edits += value.reading
        return value.type

    def read_number(self, value: Value, token: Token) -> None:
        """Has a number be read."""
        if self.read(value, token).kind != "number":
            raise RefusedError("an operator may be one of its own", token)

    def discard(self, value: Value, token: Token) -> None:
        """A value that nobody uses: it may have moved a pointer."""
        if not value.pointer or not value.steps:
            self.read(value, token)

    def refuse(self, value: Value, reason: str, token: Token) -> None:
        """Refuse the parameters of whose elements a value may be."""
        for name in (*value.elements, *((value.pointer,) if value.pointer else ())):
            raise RefusedError(reason, token, name)

    def reach(self, token: Token) -> None:
        """Memory is reached that no line knows of."""
        self.found.other = self.found.other or token

    def change(self, target: Value, token: Token) -> None:
        """Has a variable be changed, or a pointer moved."""
        if self.macro:
            raise self.refused_macro()
        if target.refusal:
            self.refuse(target, target.refusal, token)
        if target.elements:
            self.found.writes |= set(target.elements)
            self.found.changes += 1
