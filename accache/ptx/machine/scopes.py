"""What names mean in a function: registers, variables, labels, each in the braces it is declared in."""

from __future__ import annotations

from dataclasses import dataclass, field

from accache.ptx.machine.layout import Area, size
from accache.ptx.machine.program import Register
from accache.ptx.rules.types import TYPES, Type
from accache.ptx.text.syntax import Block, Instruction, Label, Prototype, Registers, Targets, Variable


@dataclass(frozen=True)
class Argument:
    """A parameter, a result, or one of a call: a range of the function's argument area."""

    offset: int
    bytes: int


@dataclass(frozen=True)
class Local:
    """A variable in the function's frame in local memory."""

    offset: int


@dataclass(frozen=True)
class Shared:
    """A variable in shared memory."""

    offset: int


@dataclass(frozen=True)
class Jump:
    """A label: the index of a step."""

    index: int


Meaning = Register | Argument | Local | Shared | Jump | Targets | Prototype


@dataclass
class Frame:
    """What a function needs: registers, local memory, an argument area, which begins with a kernel's parameters."""

    shared: Area
    kernel_bytes: int = 0
    registers: list[Type] = field(default_factory=list)
    local: Area = field(default_factory=Area)
    arguments: Area = field(default_factory=Area)

    def register(self, type_: Type) -> Register:
        """A new register."""
        self.registers.append(type_)
        return Register(len(self.registers) - 1, type_)


class Scope:
    """Names of a pair of braces, and of those around it."""

    def __init__(self, frame: Frame, outer: Scope | None = None) -> None:
        self.frame = frame
        self._outer = outer
        self._names: dict[str, Meaning] = {}
        self._ranges: list[tuple[str, int, Type]] = []

    def find(self, name: str) -> Meaning | None:
        """What a name means here."""
        if name in self._names:
            return self._names[name]
        if name[-1:].isdigit():
            for prefix, count, type_ in self._ranges:
                number = name.removeprefix(prefix)
                if number.isdigit() and name.startswith(prefix) and int(number) < count and str(int(number)) == number:
                    self._names[name] = self.frame.register(type_)
                    return self._names[name]
        return self._outer.find(name) if self._outer else None

    def declare(self, variable: Variable) -> Argument | Local | Shared:
        """A variable of a function; parameters are declared like that too."""
        found: Argument | Local | Shared
        if variable.space == "local":
            found = Local(self.frame.local.place(variable))
        elif variable.space == "shared":
            found = Shared(self.frame.shared.place(variable))
        else:
            found = Argument(self.frame.arguments.place(variable), size(variable))
        self._names[variable.name] = found
        return found

    def declare_registers(self, part: Registers) -> None:
        """Registers, which get their numbers when they are used."""
        for name, count in part.names:
            if count is None:
                self._names[name] = self.frame.register(TYPES[part.type])
            else:
                self._ranges.append((name, count, TYPES[part.type]))

    def name(self, name: str, meaning: Meaning) -> None:
        """Any other name."""
        self._names[name] = meaning


def scoped(block: Block, outer: Scope) -> list[tuple[Instruction, Scope]]:
    """The instructions of a function in the order of the text, each with the names it sees."""
    found: list[tuple[Instruction, Scope]] = []
    _scoped(block, outer, found)
    return found


def _scoped(block: Block, scope: Scope, found: list[tuple[Instruction, Scope]]) -> None:
    for part in block.statements:
        if isinstance(part, Instruction):
            found.append((part, scope))
        elif isinstance(part, Block):
            _scoped(part, Scope(scope.frame, scope), found)
        elif isinstance(part, Registers):
            scope.declare_registers(part)
        elif isinstance(part, Variable):
            scope.declare(part)
        elif isinstance(part, Label):
            scope.name(part.name, Jump(len(found)))
        elif isinstance(part, (Targets, Prototype)):
            scope.name(part.name, part)
