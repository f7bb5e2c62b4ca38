"""Names in scope while the tree is built: variables, typedefs, tags and enumerators."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field

from accache.ir.types import CType


@dataclass(frozen=True)
class Symbol:
    """A declared variable: its unique name in the tree, its type, and whether it lives as long as the program."""

    name: str
    type: CType
    is_static: bool = False


@dataclass
class Scope:
    """A stack of C scopes.

    Two variables of one function never share a unique name: the second ``j`` becomes ``j#2``,
    and the printer drops what follows the ``#`` again.
    """

    variables: ChainMap[str, Symbol] = field(default_factory=ChainMap)
    typedefs: ChainMap[str, CType] = field(default_factory=ChainMap)
    enumerators: ChainMap[str, int] = field(default_factory=ChainMap)
    used: dict[str, int] = field(default_factory=dict)

    def enter(self) -> Scope:
        """A scope inside this one; unique names stay unique across both."""
        return Scope(self.variables.new_child(), self.typedefs.new_child(), self.enumerators.new_child(), self.used)

    def declare(self, name: str, ctype: CType, is_static: bool = False) -> Symbol:
        """Declare a variable in the innermost scope."""
        count = self.used.get(name, 0) + 1
        self.used[name] = count
        symbol = Symbol(name if count == 1 else f"{name}#{count}", ctype, is_static)
        self.variables[name] = symbol
        return symbol


def display(name: str) -> str:
    """The user's spelling of a unique name."""
    return name.partition("#")[0]
