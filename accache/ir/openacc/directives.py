"""OpenACC directives and clauses as parsed from a pragma."""

from __future__ import annotations

from msgspec import Struct

from accache.base.text import Location


class CText(Struct, frozen=True):
    """The text of a C expression inside a pragma, macros expanded, and where it stands.

    ``verbatim`` says that the user wrote it so, on one line.
    """

    text: str
    location: Location
    verbatim: bool = False


class Section(Struct, frozen=True):
    """One ``[lower:length]`` of a subarray; an element ``[i]`` has ``is_element``; a missing part is None."""

    lower: CText | None
    length: CText | None
    is_element: bool = False


class VarRef(Struct, frozen=True):
    """An item of a var-list: a name (or member path such as ``img->data``) and its sections."""

    name: str
    sections: tuple[Section, ...]
    location: Location
    text: str = ""


class Argument(Struct, frozen=True):
    """An expression argument of a clause; ``label`` is the word before its colon (``num``, ``static``, ...)."""

    value: CText
    label: str = ""


class Clause(Struct, frozen=True):
    """A clause: a var-list with an optional modifier (``readonly``, ``+``, ...), or expression arguments."""

    name: str
    location: Location
    modifier: str = ""
    variables: tuple[VarRef, ...] = ()
    arguments: tuple[Argument, ...] = ()


class Directive(Struct, frozen=True):
    """A directive. ``name`` is its words joined by one blank: ``parallel loop``, ``enter data``, ``cache``.

    Arguments in parentheses right after the name (cache, wait, routine, declare-less var-lists)
    stand in ``subject``, a clause named like the directive. ``text`` is the user's spelling after
    ``#pragma acc``.
    """

    name: str
    clauses: tuple[Clause, ...]
    location: Location
    subject: Clause | None = None
    text: str = ""

    def clauses_named(self, *names: str) -> tuple[Clause, ...]:
        """The clauses with one of these names, in source order."""
        return tuple(clause for clause in self.clauses if clause.name in names)

    def has(self, name: str) -> bool:
        """Whether a clause of this name is present."""
        return any(clause.name == name for clause in self.clauses)
