"""The traffic reduction graph as a picture: loads in a circle, and between them what caching both saves or costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import Any

from msgspec import Struct

WIDTH, HEIGHT = 360, 300
_RADIUS = 95
_DRAWN = 8
"""Loads whose graph can be taken in at a glance; of more, the table of edges is left."""


class Node(Struct, frozen=True):
    """A load at its place; ``weight`` says what caching it alone saves."""

    name: str
    weight: str
    is_cached: bool
    x: int
    y: int


class Line(Struct, frozen=True):
    """An edge between two nodes, with what caching both saves besides, which ``is_gain`` or costs."""

    first: Node
    second: Node
    weight: str
    is_gain: bool

    @property
    def middle(self) -> tuple[int, int]:
        """Where its weight stands."""
        return (self.first.x + self.second.x) // 2, (self.first.y + self.second.y) // 2


class Network(Struct, frozen=True):
    """A graph as it is drawn, in ``WIDTH`` times ``HEIGHT``."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    width: int = WIDTH
    height: int = HEIGHT


def network_of(loads: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> Network | None:
    """The graph of some loads; None if there is nothing to draw, or too much."""
    if not edges or len(loads) > _DRAWN:
        return None
    nodes = {each["load"]: _node(each, 2 * pi * number / len(loads)) for number, each in enumerate(loads)}
    lines = (
        Line(nodes[edge["first"]], nodes[edge["second"]], signed(edge["weight"]), edge["weight"] > 0)
        for edge in edges
        if edge["weight"]
    )
    return Network(tuple(nodes.values()), tuple(lines))


def _node(load: Mapping[str, Any], angle: float) -> Node:
    x, y = round(WIDTH / 2 + _RADIUS * sin(angle)), round(HEIGHT / 2 - _RADIUS * cos(angle))
    return Node(load["load"], signed(load["weight"]), load["decision"] == "cache", x, y)


def signed(count: float) -> str:
    """A number of bytes with its sign, none for 0.

    >>> signed(6112640.0), signed(-32), signed(0)
    ('+6,112,640', '-32', '0')
    """
    return f"{count:+,.0f}" if count else "0"
