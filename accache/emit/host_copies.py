"""Copies of variables that the host's version of a compute construct works on.

Where an if clause lets the host run a construct, private and firstprivate variables still are copies: what the
construct writes into them stays in it (OpenACC 3.3, sections 2.5.13 and 2.5.14). The host's version therefore declares
variables of the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from accache.analysis.walk import assigned_variables, walk
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.ir.regions import FreeVariable, LoopSpec, Private, Region
from accache.ir.tree import For
from accache.ir.types import Array, CType, Pointer, as_const, element_type, resolve, unqualified
from accache.planning.datamodel import memory_variables


@dataclass(frozen=True)
class HostCopies:
    """Declares the copies of one construct.

    ``passed`` are the variables whose values kernels start with; ``fresh`` gives names that nothing in the program has.
    """

    region: Region
    passed: frozenset[str]
    printer: ExpressionPrinter
    fresh: Callable[[str], str]

    def declarations(self) -> list[str]:
        """The declarations, in the order of the variables."""
        private = {item.name: item for item in (*self.region.private, *self._of_loops())}
        started = {item.name: item for item in self.region.firstprivate}
        changed = assigned_variables(self.region.body)
        lines: list[str] = []
        for variable in self.region.variables:
            name = variable.name
            if name in self._reduced:
                continue
            if name in private:
                lines += self._private(variable, private[name])
            elif name in started and isinstance(started[name].type, Array):
                lines += self._started_array(variable, started[name])
            elif name in changed and (name in started or not self._is_shared(variable)):
                lines += self._started(variable)
        return lines

    @property
    def _loops(self) -> list[LoopSpec]:
        nodes = (node for node in walk(self.region.body) if isinstance(node, For))
        return [node.loop for node in nodes if node.loop is not None]

    def _of_loops(self) -> Iterator[Private]:
        """The private variables of loops."""
        return (item for loop in self._loops for item in loop.private)

    @property
    def _reduced(self) -> frozenset[str]:
        """The variables that get results: where one thread runs everything, they need no copies."""
        loops = (item for loop in self._loops for item in loop.reductions)
        return frozenset(item.variable for item in (*self.region.reductions, *loops))

    def _is_shared(self, variable: FreeVariable) -> bool:
        """Whether the construct works on the program's own variable."""
        return isinstance(resolve(variable.type), Array) or variable.name in memory_variables(self.region)

    def _private(self, variable: FreeVariable, item: Private) -> list[str]:
        """A copy without a value; of a pointer's target, room for the part and an address that leads to it."""
        if not isinstance(resolve(item.type), Array) or isinstance(resolve(variable.type), Array):
            return [f"{self._declared(variable.type, variable.name)};"]
        part = self.fresh(f"{self._name(variable.name)}_part")
        return [f"{self.printer.declare(item.type, part)};", self._addressed(variable, item, part)]

    def _started(self, variable: FreeVariable) -> list[str]:
        """A copy, which starts with the program's value if kernels do."""
        if variable.name not in self.passed:
            return [f"{self._declared(variable.type, variable.name)};"]
        first, name = self.fresh(f"{self._name(variable.name)}_first"), self._name(variable.name)
        declared = self.printer.declare(as_const(variable.type), first)
        return [f"{declared} = {name};", f"{self._declared(variable.type, variable.name)} = {first};"]

    def _started_array(self, variable: FreeVariable, item: Private) -> list[str]:
        """A copy of an array, or of a part of what a pointer leads to, with the program's values."""
        name = self._name(variable.name)
        element = element_type(variable.type)
        assert element is not None
        first = self.fresh(f"{name}_first")
        kept = f"{self.printer.declare(Pointer(unqualified(element)), first)} = {name};"
        if isinstance(resolve(variable.type), Array):
            return [kept, f"{self._declared(variable.type, variable.name)};", self._copied(name, first, name)]
        part = self.fresh(f"{name}_part")
        source = first if item.lower is None else f"{first} + {self.printer.expression(item.lower, LEVELS['+'] + 1)}"
        room = f"{self.printer.declare(item.type, part)};"
        return [kept, room, self._copied(part, source, part), self._addressed(variable, item, part)]

    @staticmethod
    def _copied(target: str, source: str, measured: str) -> str:
        return f"__builtin_memcpy({target}, {source}, sizeof {measured});"

    def _addressed(self, variable: FreeVariable, item: Private, part: str) -> str:
        """The pointer by which the construct reaches the copy of a part."""
        back = "" if item.lower is None else f" - {self.printer.expression(item.lower, LEVELS['+'] + 1)}"
        return f"{self._declared(variable.type, variable.name)} = {part}{back};"

    def _declared(self, ctype: CType, name: str) -> str:
        return self.printer.declare(unqualified(ctype), self._name(name))

    def _name(self, unique: str) -> str:
        return self.printer.name(unique)
