"""Which directive a pragma of the syntax tree stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.base.text import Location
from accache.frontend.source.constructs import PragmaSite
from accache.ir.openacc.directives import Directive

Found = tuple[PragmaSite, Directive]


class PragmaNodes(Struct, dict=True):
    """The directives of a file in source order, found by the pragmas of its tree, and which of them were taken.

    The parser joins pragmas to nodes that know their line alone: several of one line are told apart by their text.
    """

    file: str
    directives: list[Found]
    location: Callable[[Any], Location]
    found: dict[int, Found] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.by_line: dict[int, list[Found]] = {}
        for pair in self.directives:
            self.by_line.setdefault(pair[0].line, []).append(pair)

    def find(self, node: c_ast.Pragma) -> Found | None:
        """The directive of a node; nodes are looked for in source order."""
        if id(node) not in self.found:
            known = {id(pair[1]) for pair in self.found.values()}
            pair = next((pair for pair in self._alike(node) if id(pair[1]) not in known), None)
            if pair is None:
                return None
            self.found[id(node)] = pair
        return self.found[id(node)]

    def take(self, node: Any) -> Found | None:
        """The directive of a node, if it is a pragma that has one; it is not told as one that stands nowhere."""
        found = self.find(node) if isinstance(node, c_ast.Pragma) else None
        if found is not None:
            self.taken.add(id(found[1]))
        return found

    def left(self) -> Iterator[Directive]:
        """The directives that nobody has taken."""
        return (directive for _, directive in self.directives if id(directive) not in self.taken)

    def below(self, node: Any) -> bool:
        """Whether a directive stands somewhere in a tree."""
        return any(self._alike(pragma) for pragma in _pragmas(node))

    def text_of(self, node: c_ast.Pragma) -> str:
        """A pragma's text, its macros expanded if it is a directive."""
        return " ".join(site.expanded for site, _ in self._alike(node)) or str(node.string)

    def _alike(self, node: c_ast.Pragma) -> list[Found]:
        """The directives in the line of a node, in source order; where it holds several, those of its text."""
        where = self.location(node)
        on_line = self.by_line.get(where.line, []) if where.file == self.file else []
        if len(on_line) < 2:
            return on_line if str(node.string).split()[:1] == ["acc"] else []
        wanted = "".join(str(node.string).split()).removeprefix("acc")
        return [pair for pair in on_line if "".join(pair[0].expanded.split()) == wanted]


def _pragmas(node: Any) -> Iterable[c_ast.Pragma]:
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.Pragma):
            yield item
        stack.extend(child for _, child in item.children())
