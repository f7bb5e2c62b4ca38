"""What happens in a function of the host, in the order of its text: constructs, calls, and what they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.frontend.c.calls import called_functions
from accache.frontend.c.liveness import LOOPS
from accache.ir.openacc.regions import DataConstruct


class Event(Struct, frozen=True):
    """A compute construct by its number, a data directive, or a call by the function's name.

    ``around`` are the loops and branches in which it stands. The event at ``end`` is the first behind it.
    """

    what: int | DataConstruct | str
    around: tuple[Any, ...]
    end: int


def events_of(function: c_ast.FuncDef, built: Mapping[int, int | DataConstruct]) -> tuple[Event, ...]:
    """What happens in a function, whose constructs are ``built`` by the addresses of their pragmas.

    Nothing is said of one without constructs, or with jumps to labels.
    """
    collector = _Collector(built)
    collector.statement(function.body, ())
    has_constructs = any(not isinstance(event.what, str) for event in collector.events)
    return tuple(collector.events) if has_constructs and collector.is_plain else ()


class _Collector(Struct):
    built: Mapping[int, int | DataConstruct]
    events: list[Event] = field(default_factory=list)
    is_plain: bool = True

    def statement(self, node: Any, around: tuple[Any, ...]) -> None:
        if isinstance(node, c_ast.Compound):
            self._items(node.block_items or [], around)
        elif isinstance(node, (c_ast.Case, c_ast.Default)):
            self._items(node.stmts or [], around)
        elif isinstance(node, (c_ast.Label, c_ast.Goto)):
            self.is_plain = False
        elif isinstance(node, (*LOOPS, c_ast.If, c_ast.Switch)):
            for name, child in node.children():
                is_once = name == "init" or (name == "cond" and not isinstance(node, LOOPS))
                self.statement(child, around if is_once else (*around, node))
        else:
            for callee in called_functions(node):
                self._add(callee, around)

    def _add(self, what: int | DataConstruct | str, around: tuple[Any, ...]) -> None:
        self.events.append(Event(what, around, len(self.events) + 1))

    def _items(self, nodes: Sequence[Any], around: tuple[Any, ...]) -> None:
        """The statements of a block; those of compute constructs are not the host's."""
        position = 0
        while position < len(nodes):
            node = nodes[position]
            what = self.built.get(id(node)) if isinstance(node, c_ast.Pragma) else None
            position += 1
            if what is None:
                if not isinstance(node, c_ast.Pragma):
                    self.statement(node, around)
                continue
            number = len(self.events)
            self._add(what, around)
            if isinstance(what, DataConstruct) and what.statement is None:
                continue
            end = next(k for k in range(position, len(nodes)) if not isinstance(nodes[k], c_ast.Pragma)) + 1
            if isinstance(what, DataConstruct):
                self._items(nodes[position:end], around)
                self.events[number] = Event(what, around, len(self.events))
            position = end
