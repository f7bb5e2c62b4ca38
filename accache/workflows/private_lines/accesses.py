"""The forms in which a kernel uses a pointer parameter, and what becomes of them where it goes through a cache.

Elements that are written stay as they stand, ``out[i] += x``: the pointer's own operators serve them. Elements that
are read become values, ``out.read(i)``, so that overloads and auto see the same types as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from accache.base.text import Edit, Span
from accache.cpu.tokens import Token, closing
from accache.workflows.private_lines.names import is_unary

_ASSIGNMENT = re.compile(r"\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))")
_STEP = re.compile(r"(?:\+\+|--)\s*\Z")


class RefusedError(Exception):
    """A use of a parameter that its lines could not serve: why, and at which token."""

    def __init__(self, reason: str, token: Token) -> None:
        super().__init__(reason)
        self.reason, self.token = reason, token


class Uses:
    """The uses of one parameter in the half-open range of tokens of a body."""

    def __init__(
        self, text: str, tokens: tuple[Token, ...], body: tuple[int, int], name: str, *, is_const: bool
    ) -> None:
        self.text, self.tokens, self.name, self.is_const = text, tokens, name, is_const
        self.places = tuple(
            index
            for index in range(*body)
            if tokens[index].text == name
            and tokens[index - 1].text not in (".", "::")
            and not self._follows_arrow(index)
        )
        self.writes = False

    def edits(self) -> Iterator[Edit]:
        """What becomes of the uses. Raises RefusedError."""
        for index in self.places:
            yield from self._use(index)

    def _use(self, index: int) -> Iterator[Edit]:
        before, behind = self.tokens[index - 1].text, self.tokens[index + 1].text
        if self.tokens[index - 1].is_name and before not in ("return", "else", "case"):
            raise self._refused("its name is declared again", index)
        if behind == "[":
            yield from self._element(index)
        elif before == "*" and is_unary(self.tokens[index - 2].text):
            yield from self._dereferenced(index)
        elif behind == "-" and self.tokens[index + 2].text == ">":
            self._member(index, index + 4)
        elif before == "(" and self.tokens[index - 2].text == "*" and is_unary(self.tokens[index - 3].text):
            self._moved(index)
        elif not self._moves(index):
            raise self._refused("its address goes elsewhere", index)

    def _element(self, index: int) -> Iterator[Edit]:
        """``a[i]``."""
        close = closing(self.tokens, index + 1)
        self._not_taken(index)
        if self.tokens[close + 1].text == ".":
            self._member(index, close + 2)
        is_written = self._assigned(close) or bool(_STEP.search(self.text[: self.tokens[index].start]))
        self.writes |= is_written
        if not is_written and not self.is_const:
            yield self._replaced(index + 1, ".read(")
            yield self._replaced(close, ")")

    def _dereferenced(self, index: int) -> Iterator[Edit]:
        """``*a``, ``*a++``."""
        steps = self.text[self.tokens[index].end :].lstrip()[:2] in ("++", "--")
        last = index + 2 if steps else index
        is_written = self._assigned(last)
        self.writes |= is_written
        if is_written or self.is_const:
            return
        if steps:
            raise self._refused("it moves where an element that may be written is read", index)
        yield Edit(Span(self.tokens[index - 1].start, self.tokens[index].end), f"{self.name}.read(0)")

    def _moved(self, index: int) -> None:
        """``*(a + i)``."""
        close = closing(self.tokens, index - 1)
        is_written = self._assigned(close)
        self.writes |= is_written
        if not is_written and not self.is_const:
            raise self._refused("it is read otherwise than by [] or *", index)

    def _member(self, index: int, last: int) -> None:
        """``a[i].x`` and ``a->x``, whose name stands at ``last``: it may be read."""
        while self.tokens[last + 1].text == ".":
            last += 2
        if self._assigned(last) or _STEP.search(self.text[: self.tokens[index].start]):
            raise self._refused("members of its elements are written", index)

    def _moves(self, index: int) -> bool:
        """Whether a statement moves the pointer: ``a++;``, ``a += n;``."""
        after = re.match(r"\s*(?:(?:\+\+|--)\s*;|[-+]=(?!=))", self.text[self.tokens[index].end :])
        starts = self.tokens[index - 1].text in (";", "{", "}", ")")
        stepped = _STEP.search(self.text[: self.tokens[index].start]) and self.tokens[index + 1].text in (";", ")")
        return bool((starts and after) or (stepped and self.tokens[index - 3].text in (";", "{", "}", ")")))

    def _not_taken(self, index: int) -> None:
        """Refuses an address, and a reference, of an element."""
        one, two, three = (self.tokens[index - back] for back in (1, 2, 3))
        is_and = two.text == "&" and two.end == one.start
        if one.text == "&" and not is_and and is_unary(two.text):
            raise self._refused("the address of an element is taken", index)
        if one.text == "=" and three.text == "&":
            raise self._refused("a reference to an element is kept", index)

    def _assigned(self, last: int) -> bool:
        return bool(_ASSIGNMENT.match(self.text, self.tokens[last].end))

    def _follows_arrow(self, index: int) -> bool:
        one, two = self.tokens[index - 1], self.tokens[index - 2]
        return one.text == ">" and two.text == "-" and two.end == one.start

    def _replaced(self, index: int, text: str) -> Edit:
        return Edit(Span(self.tokens[index].start, self.tokens[index].end), text)

    def _refused(self, reason: str, index: int) -> RefusedError:
        return RefusedError(reason, self.tokens[index])


def reaches_memory(tokens: tuple[Token, ...], body: tuple[int, int], served: Sequence[str]) -> Token | None:
    """The first place where a body may reach memory otherwise than by ``served`` parameters and arrays of its own."""
    own = set(served)
    for index in range(*body):
        token, behind = tokens[index], tokens[index + 1].text
        if token.is_name and behind == "[" and tokens[index - 1].is_name:
            own.add(token.text)
        if token.is_name and behind == "[" and token.text not in own and tokens[index - 1].text not in (".", "::"):
            return token
        if behind == "-" and tokens[index + 2].text == ">" and token.text not in own:
            return token
        if token.text == "*" and is_unary(tokens[index - 1].text) and behind not in own:
            inner = tokens[index + 2].text if behind == "(" else ""
            if inner not in own:
                return token
    return None
