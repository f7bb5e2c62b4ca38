"""Copies of variables that the host's version of a compute construct works on.

Where an if clause lets the host run a construct, private and firstprivate variables still are copies: what the
construct writes into them stays in it (OpenACC 3.3, sections 2.5.13 and 2.5.14). The host's version therefore declares
variables of the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.ir.arrays import lengths
from accache.ir.kernels.launch_plan import RegionPlan
from accache.ir.openacc.regions import FreeVariable, LoopSpec, Private, Region
from accache.ir.tree import Binary, For
from accache.ir.types import Array, CType, Pointer, as_const, element_type, resolve, unqualified
from accache.ir.walk import assigned_variables, nodes_of, used_variables


class HostCopies(Struct, frozen=True):
    """Declares the copies of one construct; ``fresh`` gives names that nothing in the program has.

    ``written`` is the construct as it was read: kernels have variables of their own in the place of some of its.
    """

    plan: RegionPlan
    written: Region
    printer: ExpressionPrinter
    fresh: Callable[[str], str]

    @property
    def region(self) -> Region:
        """The construct."""
        return self.plan.region

    def declarations(self) -> list[str]:
        """The declarations, in the order of the variables; what says where copied parts lie comes behind these."""
        private = {item.name: item for item in (*self.region.private, *self._of_loops())}
        started = {item.name: item for item in self.region.firstprivate}
        changed = assigned_variables(self.written.body)
        lines: list[str] = []
        copied = private.keys() | started.keys() | changed
        items = private | {name: item for name, item in started.items() if name not in private}
        depending = {name for name, item in items.items() if _placing(item) & copied}
        for variable in sorted(self.region.variables, key=lambda variable: variable.name not in depending):
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
        nodes = nodes_of(self.region.body, For)
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
        return isinstance(resolve(variable.type), Array) or variable.name in self.plan.memory

    def _private(self, variable: FreeVariable, item: Private) -> list[str]:
        """A copy without a value; of what a pointer leads to, room for the part."""
        if not isinstance(resolve(item.type), Array) or isinstance(resolve(variable.type), Array):
            return [f"{self._declared(variable.type, variable.name)};"]
        return self._room(variable, item, self.fresh(f"{self._name(variable.name)}_part"))

    def _started(self, variable: FreeVariable) -> list[str]:
        """A copy, which starts with the program's value if kernels do."""
        if variable.name not in self.plan.passed:
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
            copied = f"__builtin_memcpy({name}, {first}, sizeof {name});"
            return [kept, f"{self._declared(variable.type, variable.name)};", copied]
        shift = "" if item.lower is None else f" + {self.printer.expression(item.lower, LEVELS['+'] + 1)}"
        size = f"sizeof({self.printer.type(item.type)})"
        room = self._room(variable, item, self.fresh(f"{name}_part"))
        return [kept, *room, f"__builtin_memcpy({name}{shift}, {first}{shift}, {size});"]

    def _room(self, variable: FreeVariable, item: Private, part: str) -> list[str]:
        """Memory for a part of what a pointer leads to, from the target's beginning on, and the pointer."""
        array = resolve(item.type)
        assert isinstance(array, Array)
        assert array.length is not None
        length = array.length
        if item.lower is not None:
            length = Binary(length.type, length.location, "+", item.lower, length)
        room = self.printer.declare(replace(array, length=length), part)
        return [f"{room};", f"{self._declared(variable.type, variable.name)} = {part};"]

    def _declared(self, ctype: CType, name: str) -> str:
        return self.printer.declare(unqualified(ctype), self._name(name))

    def _name(self, unique: str) -> str:
        return self.printer.name(unique)


def _placing(item: Private) -> frozenset[str]:
    """The variables that say where the copied part of an array begins, and how long it is."""
    parts = [*lengths(item.type), *([item.lower] if item.lower is not None else [])]
    return frozenset(name for part in parts for name in used_variables(part))
