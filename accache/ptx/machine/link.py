"""A kernel of a module and all it calls, with names resolved: a program for the machine."""

from __future__ import annotations

from functools import lru_cache

from accache.base.diagnostics import Reporter
from accache.ptx.machine import decode, decode_warps
from accache.ptx.machine.decode import Names
from accache.ptx.machine.layout import Area, aligned, initial_bytes, module_addresses, size
from accache.ptx.machine.program import (
    CODE,
    CONST,
    FUNCTION_BYTES,
    MODULE,
    WINDOW,
    Action,
    Call,
    External,
    Memory,
    Nothing,
    Program,
    Routine,
    Step,
)
from accache.ptx.machine.scopes import Frame, Scope, Shared, scoped
from accache.ptx.rules.modifiers import Unsupported
from accache.ptx.rules.types import TYPES
from accache.ptx.text.calls import addressed, callee
from accache.ptx.text.syntax import Function, Instruction, Module, Name, Variable

EXTERNALS = ("vprintf", "malloc", "free", "__assertfail")
_KEPT = 64
_DECODERS = {**decode.DECODERS, **decode_warps.DECODERS}


@lru_cache(maxsize=_KEPT)
def link(module: Module, kernel: str) -> Program:
    """The program of a kernel; a module's kernel that is launched again is not linked again.

    :raises CompileError: there is no such kernel, or the machine does not know an instruction of it.
    """
    function = module.functions.get(kernel)
    if function is None or not function.is_entry or function.body is None:
        raise Reporter().fail("ACC910", name=kernel, known=_listed(module))
    return _Linker(module).link(function)


def _listed(module: Module) -> str:
    return ", ".join(f"'{function.name}'" for function in module.kernels) or "none"


class _Linker:
    """Links functions one after the other; what one calls comes behind it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.reporter = Reporter()
        self.addresses = module_addresses(module, {"global": MODULE << WINDOW, "const": CONST << WINDOW})
        self.entries = {
            name: (CODE << WINDOW) + FUNCTION_BYTES * (number + 1) for number, name in enumerate(module.functions)
        }
        self.wanted: list[Function] = []
        self.shared = Area()
        self.shared_names: dict[str, Shared] = {}
        self._share([part for part in module.variables if part.space == "shared"])

    def _share(self, variables: list[Variable]) -> None:
        """Shared variables of the module; one without a length is dynamic and lies behind all."""
        for part in sorted(variables, key=lambda part: "extern" in part.linkage):
            if "extern" not in part.linkage:
                self.shared_names[part.name] = Shared(self.shared.place(part))

    def link(self, kernel: Function) -> Program:
        self.wanted.append(kernel)
        dynamic = [part for part in self.module.variables if part.space == "shared" and "extern" in part.linkage]
        self._reserve(kernel)
        start = max((part.alignment or 16 for part in dynamic), default=1)
        for part in dynamic:
            self.shared_names[part.name] = Shared(aligned(self.static_shared, start))
        routines: list[Routine] = []
        first = 0
        while len(routines) < len(self.wanted):
            routines.append(self._routine(self.wanted[len(routines)], first))
            first += len(routines[-1].steps)
        variables = self._variables()
        self.reporter.stop_on_errors()
        numbers = {function.name: number for number, function in enumerate(self.wanted)}
        entries = tuple((address, numbers[name]) for name, address in self.entries.items() if name in numbers)
        return Program(tuple(routines), variables, aligned(self.static_shared, start), entries)

    def _reserve(self, kernel: Function) -> None:
        """The size of all static shared memory: that of functions is counted whether or not they are called."""
        area = Area(self.shared.end)
        for function in self.module.functions.values():
            if function.body is not None and (function is kernel or not function.is_entry):
                scoped(function.body, Scope(Frame(area)))
        self.static_shared = area.end

    def _variables(self) -> tuple[Memory, ...]:
        names = {**self.addresses, **self.entries}
        found = []
        for part in self.module.variables:
            if part.name in self.addresses:
                try:
                    found.append(Memory(part.name, self.addresses[part.name], initial_bytes(part, names)))
                except Unsupported as unsupported:
                    place = self.module.location(part.span)
                    self.reporter.report("ACC911", place, name=part.name, reason=str(unsupported))
        return tuple(found)

    def _routine(self, function: Function, first: int) -> Routine:
        assert function.body is not None
        frame = Frame(self.shared)
        outer = Scope(frame)
        for name, meaning in self.shared_names.items():
            outer.name(name, meaning)
        ranges = []
        for part in (*(function.parameters or ()), *function.results):
            found = outer.declare(part)
            ranges.append((found.offset, size(part)))
        if function.is_entry:
            frame.kernel_bytes = frame.arguments.end
        count = len(function.parameters or ())
        steps = tuple(
            self._step(instruction, Names(scope, {**self.addresses, **self.entries}, function.is_entry))
            for instruction, scope in scoped(function.body, outer)
        )
        frame.register(TYPES["u8"])
        return Routine(
            function.name,
            steps,
            tuple(frame.registers),
            aligned(frame.local.end, 16),
            argument_bytes=aligned(frame.arguments.end, 16),
            parameters=tuple(ranges[:count]),
            results=tuple(ranges[count:]),
            first_pc=first,
        )

    def _step(self, instruction: Instruction, names: Names) -> Step:
        """One instruction; if the machine does not know it, that is reported and the others are looked at too."""
        action: Action = Nothing()
        guard = None
        try:
            guard = names.guard(instruction.predicate)
            if instruction.opcode == "call":
                action = self._call(instruction, names)
            else:
                action = _DECODERS.get(instruction.opcode, decode.compute)(instruction, names)
        except Unsupported as unsupported:
            place = self.module.location(instruction.span)
            self.reporter.report("ACC911", place, name=instruction.name, reason=str(unsupported))
        return Step(action, guard, instruction)

    def _call(self, instruction: Instruction, names: Names) -> Action:
        target, given, taken = callee(instruction)
        results, arguments = tuple(map(names.argument, given)), tuple(map(names.argument, taken))
        if not isinstance(target, Name):
            raise Unsupported("this operand must name a function")
        function = self.module.functions.get(target.text)
        if function is None:
            for name in sorted(addressed(self.module)):
                self._want(self.module.functions[name])
            return Call(names.source(target, TYPES["u64"]), arguments, results)
        if function.body is not None:
            return Call(self._want(function), arguments, results)
        if function.name not in EXTERNALS:
            raise Unsupported(f"the module does not define '{function.name}'")
        return External(function.name, arguments, results)

    def _want(self, function: Function) -> int:
        if function not in self.wanted:
            self.wanted.append(function)
        return self.wanted.index(function)
