"""Which functions of a module call which."""

from __future__ import annotations

from collections.abc import Iterator

from accache.ptx.text.syntax import Function, Group, Initialiser, Instruction, Module, Name, Operand, Sum, Value


def with_called(module: Module, kernel: Function) -> tuple[Function, ...]:
    """A kernel and the functions with a body that it may call, the nearer ones first."""
    found = [kernel]
    for function in found:
        found += [each for each in _callees(module, function) if each not in found]
    return tuple(found)


def addressed(module: Module) -> set[str]:
    """The functions whose address is taken somewhere, by an instruction or in a variable: what a register may name."""
    names: set[str] = set()
    for variable in module.variables:
        names |= _named(variable.value)
    for function in module.functions.values():
        for instruction in function.instructions:
            if instruction.opcode != "call":
                names |= {operand.text for operand in instruction.operands if isinstance(operand, Name)}
    found = (module.functions.get(name) for name in names)
    return {function.name for function in found if function and not function.is_entry and function.body is not None}


def callee(instruction: Instruction) -> tuple[Operand, tuple[Operand, ...], tuple[Operand, ...]]:
    """What a call names: the function, or a register that holds one; its results, and its arguments."""
    first, *rest = instruction.operands
    results = first.elements if isinstance(first, Group) else ()
    target, *rest = rest if isinstance(first, Group) else (first, *rest)
    arguments = rest[0].elements if rest and isinstance(rest[0], Group) else ()
    return target, results, arguments


def _callees(module: Module, function: Function) -> Iterator[Function]:
    """The functions with a body that one may call, once each."""
    seen: set[str] = set()
    for instruction in function.instructions:
        if instruction.opcode != "call":
            continue
        target, _, _ = callee(instruction)
        names = (
            [target.text] if isinstance(target, Name) and target.text in module.functions else sorted(addressed(module))
        )
        for name in names:
            called = module.functions[name]
            if name not in seen and called.body is not None:
                seen.add(name)
                yield called


def _named(value: Value | None) -> set[str]:
    """The names in a variable's value."""
    if isinstance(value, Sum):
        return {value.base.text}
    if isinstance(value, Initialiser):
        return set().union(*map(_named, value.elements))
    return set()
