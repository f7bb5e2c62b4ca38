"""Names in scope while the tree is built: variables, typedefs, tags and enumerators."""

from __future__ import annotations

from collections import ChainMap

from msgspec import Struct, field
from msgspec.structs import replace

from accache.ir.tree import Expr, InitList
from accache.ir.types import Arithmetic, CType


class Symbol(Struct, frozen=True):
    """A declared variable: its unique name in the tree, its type, and whether it lives as long as the program.

    One that routines reach by a pointer on the device has its name as ``resident``. A parameter that is declared as an
    array is a pointer; the ``length`` is what stands in its brackets, where the function changes nothing in it. Of a
    const integer the ``value`` may be known, and of a const array the ``table`` of its values.
    """

    name: str
    type: CType
    is_static: bool = False
    resident: str = ""
    length: Expr | None = None
    value: int | None = None
    table: InitList | None = None


class Enumerator(Struct, frozen=True):
    """An enumerator's value (None where we cannot tell), and its name at file scope if a function declares it.

    ``type`` is None where C++, too, computes with the constant as an int: its enumeration has no values beyond int.
    """

    value: int | None
    exported: str = ""
    type: Arithmetic | None = None


class Scope(Struct, dict=True):
    """A stack of C scopes; ``function`` is the function they belong to, '' at file scope.

    Two variables of one function never share a unique name: the second ``j`` becomes ``j#2``,
    and the printer drops what follows the ``#`` again. ``tags`` are keyed as written: ``struct point``. ``fixed`` are
    the names of types and constants of the whole program, which keep their spelling in kernels.
    """

    variables: ChainMap[str, Symbol] = field(default_factory=ChainMap)
    typedefs: ChainMap[str, CType] = field(default_factory=ChainMap)
    enumerators: ChainMap[str, Enumerator] = field(default_factory=ChainMap)
    tags: ChainMap[str, CType] = field(default_factory=ChainMap)
    used: dict[str, int] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    function: str = ""

    def enter(self, function: str = "") -> Scope:
        """A scope inside this one, perhaps that of a function; unique names stay unique across both."""
        return Scope(
            self.variables.new_child(),
            self.typedefs.new_child(),
            self.enumerators.new_child(),
            self.tags.new_child(),
            used=self.used,
            fixed=self.fixed,
            function=function or self.function,
        )

    @property
    def enumerator_values(self) -> dict[str, int]:
        """The values of all enumerators in scope."""
        return {name: item.value for name, item in self.enumerators.items() if item.value is not None}

    def declare(
        self,
        name: str,
        ctype: CType,
        is_static: bool = False,
        length: Expr | None = None,
        *,
        always: int | InitList | None = None,
    ) -> Symbol:
        """Declare a variable in the innermost scope; ``always`` is what it is known to hold."""
        count = self.used.get(name, 0) + 1
        self.used[name] = count
        symbol = Symbol(name if count == 1 else f"{name}#{count}", ctype, is_static, length=length)
        if isinstance(always, InitList):
            symbol = replace(symbol, table=always)
        elif always is not None:
            symbol = replace(symbol, value=always)
        self.variables[name] = symbol
        return symbol

    def declare_type(self, name: str, ctype: CType) -> None:
        """Declare a typedef name in the innermost scope."""
        self.typedefs[name] = ctype
        self.fixed.add(name)

    def declare_constant(self, name: str, constant: Enumerator) -> None:
        """Declare an enumeration's constant in the innermost scope."""
        self.enumerators[name] = constant
        self.fixed.add(constant.exported or name)
