"""Clauses to typed values: expressions of pragmas are parsed and converted in the scope they stand in."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.scope import Scope
from accache.frontend.source.parser import UnreadableError, parse_c
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.openacc.atomics import same
from accache.ir.openacc.directives import Argument, Clause, CText, Directive, VarRef
from accache.ir.openacc.regions import (
    GANGS,
    LEVELS,
    DataClause,
    Dimension,
    LoopSpec,
    Private,
    Reduction,
    Subarray,
    Wait,
)
from accache.ir.openacc.sections import SIZED, is_pointer_alone
from accache.ir.tree import Binary, Expr, IntLiteral, Unary, Variable
from accache.ir.types import Arithmetic, Array, Complex, CType, Pointer, element_type, is_const, resolve, unqualified
from accache.ir.walk import used_variables

DATA_ACTIONS = (
    "copy", "copyin", "copyout", "create", "present", "no_create", "deviceptr", "delete", "device", "self",
    "device_resident", "link", "attach", "detach", "use_device",
)  # fmt: skip
SIZE_CLAUSES = {"num_gangs": "gang", "num_workers": "worker", "vector_length": "vector"}
COMPLEX_OPERATORS = ("+", "*", "&&", "||")
DEVICE_TYPES = {
    "nvidia": "acc_device_nvidia", "cuda": "acc_device_nvidia", "host": "acc_device_host",
    "multicore": "acc_device_host", "default": "acc_device_default", "not_host": "acc_device_not_host",
    "radeon": "acc_device_radeon", "*": "acc_device_default",
}  # fmt: skip
_DIGITS = re.compile(r"[1-9][0-9]{0,8}|0")
"""Constants of type int."""


class ClauseBuilder(Struct, dict=True):
    """Reads the clauses of one directive after another."""

    expressions: ExpressionBuilder
    reporter: Reporter

    def expression(self, text: CText, scope: Scope) -> Expr:
        """Parse and convert a C expression that stands in a pragma."""
        if text.text in scope.variables:  # most are: the parser takes its time
            return self.expressions.build(c_ast.ID(text.text, text.location), scope)
        if _DIGITS.fullmatch(text.text):
            return self.expressions.build(c_ast.Constant("int", text.text, text.location), scope)
        words = set(re.findall(r"[A-Za-z_]\w*", text.text))
        typedefs = "".join(f"typedef int {name};" for name in sorted(words & set(scope.typedefs)))
        before = f"{typedefs}int f(void){{return ("
        is_range = ".." in text.text  # else the second point of 1..i begins a member
        try:
            tree = parse_c(f"{before}{text.text});}}")
        except UnreadableError:
            tree = None
        if tree is None or is_range:
            hint = "a subarray is [first:length]" if is_range else ""
            raise self.reporter.fail("ACC204", text.location, text=text.text, hint=hint)
        node = tree.ext[-1].body.block_items[0].expr
        _Relocate(text, len(before)).visit(node)
        return self.expressions.build(node, scope)

    def subarray(
        self, reference: VarRef, scope: Scope, readonly: bool = False, *, is_pointer: bool = False
    ) -> Subarray:
        """Convert one var-list item."""
        if is_pointer and reference.sections and all(section.is_element for section in reference.sections):
            element = self.expression(CText(reference.text, reference.location), scope)
            return Subarray(element, reference.name, (), reference.location, reference.text)
        base = self._base(reference, scope)
        dimensions = []
        for section in reference.sections:
            lower = self.expression(section.lower, scope) if section.lower else None
            length = self.expression(section.length, scope) if section.length else None
            if section.is_element:
                length = IntLiteral(INT, reference.location, 1, "1")
            dimensions.append(Dimension(lower, length, section.is_element))
        text = reference.text or reference.name
        return Subarray(base, reference.name, tuple(dimensions), reference.location, text, readonly)

    def _base(self, reference: VarRef, scope: Scope) -> Expr:
        """What an item names: a place, also where a value is known."""
        if reference.name in scope.variables:
            return self.expressions.place(c_ast.ID(reference.name, reference.location), scope)
        return self.expression(CText(reference.name, reference.location), scope)

    def with_length(self, subarray: Subarray, scope: Scope, clause: str) -> Subarray:
        """A pointer as the array that its parameter is declared as, if its length means the same here (ACC254)."""
        length = scope.variables[subarray.name].length
        known = {symbol.name for symbol in scope.variables.values()}
        if length is None or not used_variables(length) <= known:
            return subarray
        self.reporter.report("ACC254", subarray.location, clause=clause, name=subarray.name)
        return replace(subarray, dimensions=(Dimension(None, length, False),))

    def private(self, directive: Directive, name: str, scope: Scope) -> tuple[Private, ...]:
        """What the clauses called private or firstprivate list, one entry a variable."""
        found: dict[str, Private] = {}
        started = {item.name for clause in directive.clauses_named("firstprivate") for item in clause.variables}
        for reference in (item for clause in directive.clauses_named(name) for item in clause.variables):
            if name == "private" and reference.name in started:
                self.reporter.report("ACC218", reference.location, first=name, second="firstprivate")
            subarray = self.subarray(reference, scope)
            ctype = self.copied_type(subarray)
            if isinstance(subarray.base, Variable) and ctype is not None:
                earlier = found.get(subarray.base.name)
                if earlier is not None and earlier.subarray is not None and not same_part(earlier.subarray, subarray):
                    reason = "there is one of another part of it already"
                    self.reporter.report("ACC261", reference.location, name=subarray.text, reason=reason)
                found[subarray.base.name] = Private(subarray.base.name, ctype, reference.location, subarray)
        return tuple(found.values())

    def copied_type(self, subarray: Subarray) -> CType | None:
        """The type of a copy of a subarray; reports those of which there can be none (ACC261)."""
        ctype, where, text = subarray.base.type, subarray.location, subarray.text
        if not isinstance(subarray.base, Variable):
            self.reporter.report("ACC261", where, name=text, reason="it is a member of a structure")
            return None
        if not subarray.dimensions:
            return unqualified(ctype)
        length = subarray.dimensions[0].length
        element = element_type(ctype)
        if element is None or length is None:
            reason = "it is no array" if element is None else "its part has no length"
            self.reporter.report("ACC261", where, name=text, reason=reason)
            return None
        for dimension in subarray.dimensions[1:]:
            inner = resolve(element) if element is not None else None
            if not isinstance(inner, Array) or not _is_whole(dimension, inner):
                reason = "of its inner dimensions all elements must be named"
                self.reporter.report("ACC261", where, name=text, reason=reason)
                return None
            element = inner.element
        return Array(element_type(ctype) or ctype, length)

    def reductions(self, directive: Directive, scope: Scope) -> tuple[Reduction, ...]:
        """The reduction clauses, one entry a variable."""
        found = []
        for clause in directive.clauses_named("reduction"):
            for reference in clause.variables:
                subarray = self.subarray(reference, scope)
                ctype = self.copied_type(subarray)
                if ctype is None or not isinstance(subarray.base, Variable):
                    continue
                reason = _unreducible(ctype, clause.modifier)
                if reason:
                    text = subarray.text
                    self.reporter.report("ACC262", reference.location, name=text, reason=reason)
                    continue
                found.append(Reduction(clause.modifier, subarray.base.name, ctype, subarray))
        return tuple(found)

    def loop(self, directive: Directive, scope: Scope) -> LoopSpec:
        """The loop directive of a ``loop`` or combined construct."""
        collapse, forced = self.collapsed(directive, scope)
        tile = self.tile(directive, scope)
        return LoopSpec(
            directive.location,
            levels=self.levels(directive, scope),
            sizes=self.level_sizes(directive, scope),
            seq=directive.has("seq"),
            auto=directive.has("auto"),
            independent=directive.has("independent"),
            collapse=max(collapse, len(tile)),
            private=self.private(directive, "private", scope),
            reductions=self.reductions(directive, scope),
            forced=forced,
            tile=tile,
        )

    def levels(self, directive: Directive, scope: Scope) -> frozenset[str]:
        """The levels a loop directive names, a gang dimension by its own name."""
        found = {level for level in LEVELS if directive.has(level)}
        for clause in directive.clauses_named("gang"):
            for argument in clause.arguments:
                if argument.label == "dim":
                    dimension = self.count(clause, argument, scope, len(GANGS))
                    found = found - {"gang"} | {GANGS[dimension - 1]}
        return frozenset(found)

    def level_sizes(self, directive: Directive, scope: Scope) -> tuple[tuple[str, Expr], ...]:
        """The sizes in gang(num:), worker(num:) and vector(length:); gang(static:) only deals out iterations."""
        return tuple(
            (clause.name, self.expression(argument.value, scope))
            for clause in directive.clauses_named(*LEVELS)
            for argument in clause.arguments
            if argument.label not in ("static", "dim")
        )

    def collapsed(self, directive: Directive, scope: Scope) -> tuple[int, bool]:
        """How many loops collapse joins, and whether statements may stand between them."""
        for clause in directive.clauses_named("collapse"):
            argument = clause.arguments[0]
            return self.count(clause, argument, scope), "force" in (clause.modifier, argument.label)
        return 1, False

    def tile(self, directive: Directive, scope: Scope) -> tuple[int | None, ...]:
        """The sizes of the tile clause, which names the innermost loop first (section 2.9.8), outermost loop first.

        None stands for a star, and with a warning for what only a run knows.
        """
        sizes: list[int | None] = []
        for clause in directive.clauses_named("tile"):
            for argument in clause.arguments:
                is_star = argument.value.text == "*"
                if not is_star and constant(self.expression(argument.value, scope)) is not None:
                    sizes.append(self.count(clause, argument, scope))
                    continue
                if not is_star:
                    self.reporter.report("ACC311", argument.value.location, level="tile")
                sizes.append(None)
        return tuple(reversed(sizes))

    def count(self, clause: Clause, argument: Argument, scope: Scope, most: int | None = None) -> int:
        """A positive integer constant; reported and 1 if it is none."""
        value = constant(self.expression(argument.value, scope))
        if value is not None and 1 <= value <= (most or value):
            return value
        self.reporter.report("ACC205", argument.value.location, clause=clause.name)
        return 1

    def data(self, directive: Directive, scope: Scope) -> tuple[DataClause, ...]:
        """The data clauses in source order."""
        found = []
        for clause in directive.clauses:
            if clause.name not in DATA_ACTIONS:
                continue
            modifiers = tuple(clause.modifier.split())
            if directive.name == "exit data" and "zero" in modifiers:
                role = "modifier of 'copyout' on 'exit data'"
                self.reporter.report("ACC216", clause.location, word="zero", role=role, hint="")
            for reference in clause.variables:
                is_pointer = clause.name in ("attach", "detach")
                subarray = self.subarray(reference, scope, is_pointer=is_pointer)
                if clause.name in SIZED and is_pointer_alone(subarray):
                    subarray = self.with_length(subarray, scope, clause.name)
                action = _without_way_back(clause.name, directive.name) if _is_constant(subarray) else clause.name
                found.append(DataClause(action, subarray, reference.location, modifiers=modifiers))
        return tuple(found)

    def sizes(self, directive: Directive, scope: Scope) -> tuple[tuple[str, Expr], ...]:
        """num_gangs, num_workers and vector_length by level."""
        found = []
        for clause in directive.clauses_named(*SIZE_CLAUSES):
            levels = GANGS if clause.name == "num_gangs" else (SIZE_CLAUSES[clause.name],)
            for level, argument in zip(levels, clause.arguments, strict=False):
                size = self.expression(argument.value, scope)
                number = constant(size)
                if number is not None and number < 1:
                    self.reporter.report("ACC257", argument.value.location, clause=clause.name)
                else:
                    found.append((level, size))
        return tuple(found)

    def condition(self, directive: Directive, scope: Scope) -> Expr | None:
        """When a construct runs on the device: its if clause, and not its self clause; None for always."""
        wanted = [self.expression(item.arguments[0].value, scope) for item in directive.clauses_named("if")]
        for clause in directive.clauses_named("self"):
            if clause.arguments:
                local = self.expression(clause.arguments[0].value, scope)
                wanted.append(Unary(INT, local.location, "!", local))
            elif not clause.variables:
                wanted.append(IntLiteral(INT, clause.location, 0, "0"))
        return reduce(lambda left, right: Binary(INT, right.location, "&&", left, right), wanted) if wanted else None

    def queue(self, directive: Directive, scope: Scope) -> Expr | None:
        """The queue of the async or default_async clause; None if there is no such clause."""
        for clause in directive.clauses_named("async", "default_async"):
            if not clause.arguments:
                return IntLiteral(INT, clause.location, -1, "ACCACHE_NOVAL")
            return self.expression(clause.arguments[0].value, scope)
        return None

    def device_types(self, directive: Directive) -> tuple[str, ...]:
        """The constants of openacc.h for the names in device_type clauses."""
        found = []
        for argument in (item for clause in directive.clauses_named("device_type") for item in clause.arguments):
            word = argument.value.text
            name = word.lower().removeprefix("acc_device_")
            if name not in DEVICE_TYPES:
                hint = f"choose from: {', '.join(DEVICE_TYPES)}"
                place = argument.value.location
                self.reporter.report("ACC216", place, word=word, role="device type", hint=hint)
            else:
                found.append(DEVICE_TYPES[name])
        return tuple(found)

    def value(self, directive: Directive, name: str, scope: Scope) -> Expr | None:
        """The one value of a clause; None if there is no such clause."""
        for clause in directive.clauses_named(name):
            return self.expression(clause.arguments[0].value, scope)
        return None

    def waits(self, directive: Directive, scope: Scope) -> tuple[Wait, ...]:
        """The wait clauses; of a wait directive, what it waits for."""
        clauses = directive.clauses_named("wait")
        if directive.name == "wait":
            clauses = (directive.subject or Clause("wait", directive.location),)
        return tuple(self._wait(clause, scope) for clause in clauses)

    def _wait(self, clause: Clause, scope: Scope) -> Wait:
        values = [(item.label, self.expression(item.value, scope)) for item in clause.arguments]
        device = next((value for label, value in values if label == "devnum"), None)
        return Wait(tuple(value for label, value in values if label != "devnum"), device)


def same_part(first: Subarray, second: Subarray) -> bool:
    """Whether two items that name one array name the same part of it, in the same words."""
    bounds, others = (
        [bound for part in item.dimensions for bound in (part.lower, part.length)] for item in (first, second)
    )
    return len(bounds) == len(others) and all(
        mine is other or (mine is not None and other is not None and same(mine, other))
        for mine, other in zip(bounds, others, strict=True)
    )


def _is_whole(dimension: Dimension, array: Array) -> bool:
    """Whether a section names all of an array with a constant length."""
    length, extent = constant(dimension.length), constant(array.length)
    starts = dimension.lower is None or constant(dimension.lower) == 0
    ends = dimension.length is None or (extent is not None and length == extent)
    return starts and ends and not dimension.is_element


def _unreducible(ctype: CType, operator: str) -> str:
    """Why a variable of a type cannot be reduced; '' if it can."""
    while isinstance(plain := resolve(ctype), Array):
        if constant(plain.length) is None:
            return "its length is not a constant"
        ctype = plain.element
    if isinstance(plain, Pointer):
        return "a pointer does not know its array's length"
    if isinstance(plain, Complex):
        return "" if operator in COMPLEX_OPERATORS else f"complex numbers have no '{operator}'"
    if not isinstance(plain, Arithmetic):
        return "it is neither a number nor an array of numbers"
    if operator in ("&", "|", "^") and not plain.is_integer:
        return f"'{operator}' is for integers"
    return ""


class _Relocate(c_ast.NodeVisitor):  # type: ignore[misc]
    """Gives every node of a parsed clause expression its place in the pragma: names their own, if no macro hides it."""

    def __init__(self, text: CText, before: int) -> None:
        self.text = text
        self.before = before  # characters parsed in front of the text

    def generic_visit(self, node: Any) -> None:
        where = self.text.location
        if self.text.verbatim and isinstance(node, c_ast.ID) and node.coord is not None:
            column = where.column + node.coord.column - 1 - self.before
            node.coord = Location(where.file, where.line, column, len(node.name))
        else:
            node.coord = where
        super().generic_visit(node)


def _is_constant(subarray: Subarray) -> bool:
    """Whether an object was declared with const, so that it may lie where nobody can write."""
    base = subarray.base
    return isinstance(base, Variable) and is_const(base.type) and not isinstance(resolve(base.type), Pointer)


def _without_way_back(action: str, directive: str) -> str:
    """What a data clause does that copies nothing back."""
    if directive == "exit data":
        return "delete" if action == "copyout" else action
    return {"copy": "copyin", "copyout": "create"}.get(action, action)
