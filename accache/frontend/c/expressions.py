"""pycparser's expressions to our typed ones."""

from __future__ import annotations

import re
from functools import singledispatchmethod
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.base.diagnostics import CompileError, Reporter
from accache.base.spelling import similar
from accache.base.text import Location
from accache.frontend.c import rows
from accache.frontend.c.const_values import integer_literal_of
from accache.frontend.c.exports import Exports
from accache.frontend.c.initialisers import Initialisers, Unreadable
from accache.frontend.c.layouts import Layouts
from accache.frontend.c.library import library_call, text_literal
from accache.frontend.c.literals import character_value, double_digits, integer_literal
from accache.frontend.c.operators import assignment, binary, conditional, look_up_twice, unary
from accache.frontend.c.residents import address_of, by_pointer, place_of, resident_array
from accache.frontend.c.scope import Scope
from accache.frontend.c.types import UNKNOWN, TypeBuilder, string_type
from accache.frontend.source.alignment import Unit
from accache.frontend.source.cuda_words import INSTEAD
from accache.frontend.source.gnu import HALF, QUAD, STATEMENT_EXPRESSION, TYPEOF, imaginary_part
from accache.ir.build import INT
from accache.ir.builtins import (
    COMPILER_CALLS,
    COMPILER_COMPARISONS,
    COMPILER_CONSTANTS,
    COMPLEX_CONSTRUCTOR,
)
from accache.ir.tree import (
    Binary,
    Call,
    Cast,
    Comma,
    Expr,
    FloatLiteral,
    ImaginaryLiteral,
    IntLiteral,
    Member,
    SizeOf,
    StringLiteral,
    Unary,
    Variable,
)
from accache.ir.types import (
    Arithmetic,
    Array,
    Complex,
    CType,
    Field,
    Function,
    Pointer,
    Record,
    element_type,
    resolve,
    unqualified,
)

UNREADABLE = {
    STATEMENT_EXPRESSION: "a statement expression or asm",
    TYPEOF: "typeof",
    HALF: "a floating type of 16 bits",
    QUAD: "a floating type of 128 bits",
}
CONSTRUCTS = {
    "GenericSelection": "_Generic",
    "TypeOf": "typeof",
    "Typename": "a type in the place of an expression",
}
SIZE_T = Arithmetic("long", unsigned=True)
_OPENACC = re.compile(r"acc_(device|property|async)_")  # the constants of openacc.h


_LEVELS = frozenset(("gang", "worker", "vector", "seq"))
_FEW = 8
"""Names that are listed where one is not declared and none is like it."""


class ExpressionBuilder(Struct, dict=True):
    """Converts expressions; undeclared names are reported once each."""

    unit: Unit
    reporter: Reporter
    exports: Exports = field(default_factory=Exports)
    functions: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.types: TypeBuilder = TypeBuilder(self.build, self._count, self.exports, Layouts(self.unit))
        self.initialisers = Initialisers(self.build, self.quietly, self.types.complete, self.location)

    def _count(self, node: c_ast.InitList, array: Array, scope: Scope) -> int | None:
        return self.initialisers.count(node, array, scope)

    def location(self, node: Any) -> Location:
        """Where a node stands in the user's file."""
        coord = node.coord
        if coord is None:
            places = [self.location(child) for _, child in node.children()]
            return min((place for place in places if place.line), default=Location(self.unit.source.name, 0))
        return coord if isinstance(coord, Location) else self.unit.location(coord.line - 1)

    def is_systems(self, node: Any) -> bool:
        """Whether a node stands in a header of the system."""
        coord = node.coord
        return coord is not None and not isinstance(coord, Location) and self.unit.origins[coord.line - 1].system

    @singledispatchmethod
    def build(self, node: Any, scope: Scope) -> Expr:
        """Our expression for a pycparser one."""
        construct = CONSTRUCTS.get(type(node).__name__, f"this ({type(node).__name__})")
        raise self.reporter.fail("ACC301", self.location(node), construct=construct)

    @build.register(c_ast.Constant)
    def _Constant(self, node: c_ast.Constant, scope: Scope) -> Expr:
        where, text = self.location(node), node.value
        if node.type == "string":
            return StringLiteral(Pointer(string_type(text).element), where, text)
        if text.endswith("'"):
            value = character_value(text)
            if value is None:
                self.reporter.report("ACC301", where, construct=f"the character constant {text}")
            return IntLiteral(INT, where, value or 0, text)
        if "int" in node.type:
            number, ctype = integer_literal(text)
            return IntLiteral(ctype, where, number, text)
        name = {"f": "float", "l": "long double"}.get(text[-1].lower(), "double")
        return FloatLiteral(Arithmetic(name), where, text)

    @build.register(c_ast.ID)
    def _ID(self, node: c_ast.ID, scope: Scope) -> Expr:
        where = self.location(node)
        if node.name in scope.variables:
            symbol = scope.variables[node.name]
            if symbol.value is not None and not symbol.resident:
                return integer_literal_of(symbol.type, symbol.value, where)
            return self.place(node, scope)
        if node.name in scope.enumerators:
            found = scope.enumerators[node.name]
            if found.value is None:
                self.reporter.report("ACC301", where, construct=f"'{node.name}', whose value accache cannot compute,")
            spelling, value = node.name, found.value or 0
            if _OPENACC.match(spelling):  # kernels stand above openacc.h
                spelling = str(value) if value >= 0 else f"({value})"
            literal = IntLiteral(found.type or INT, where, value, spelling, found.exported)
            return literal if found.type is None else Cast(found.type, where, literal)
        if (part := imaginary_part(node.name)) != "":
            return self._imaginary(part, where)
        if node.name == "__func__" and scope.function:
            return text_literal(scope.function, where)
        if node.name in UNREADABLE:
            self.reporter.report("ACC301", where, construct=UNREADABLE[node.name])
        elif node.name in self.functions:
            return Variable(self.types.build(self.functions[node.name], scope), where, node.name)
        else:
            self._undeclared(node.name, where, scope)
        return Variable(UNKNOWN, where, node.name)

    def place(self, node: c_ast.ID, scope: Scope) -> Expr:
        """A variable in scope as a place, whatever is known of its value."""
        symbol, where = scope.variables[node.name], self.location(node)
        return place_of(symbol, where) if symbol.resident else Variable(symbol.type, where, symbol.name)

    def _undeclared(self, name: str, where: Location, scope: Scope) -> None:
        if not self._is_undeclared(name):
            self.reporter.report("ACC302", where, name=name, hint=_instead_of(name, scope))

    def _is_undeclared(self, name: str) -> bool:
        """Whether it was told of a name that it is not declared."""
        told = (found.message for found in self.reporter.diagnostics if found.code == "ACC302")
        return any(message.startswith(f"'{name}'") for message in told)

    def _imaginary(self, part: str, where: Location) -> Expr:
        """An imaginary constant; those of integers are complex integers, which only GNU C has."""
        if not any(mark in part for mark in ".eE"):
            self.reporter.report("ACC301", where, construct="an imaginary integer")
        name = {"f": "float", "l": "long double"}.get(part[-1].lower(), "double")
        return ImaginaryLiteral(Complex(name), where, part)

    @build.register(c_ast.ArrayRef)
    def _ArrayRef(self, node: c_ast.ArrayRef, scope: Scope) -> Expr:
        base, index = self.build(node.name, scope), self.build(node.subscript, scope)
        if element_type(base.type) is None and element_type(index.type) is not None:
            base, index = index, base
        return rows.element(base, index, self.location(node))

    @build.register(c_ast.StructRef)
    def _StructRef(self, node: c_ast.StructRef, scope: Scope) -> Expr:
        base, arrow = self.build(node.name, scope), node.type == "->"
        if not arrow and isinstance(node.name, c_ast.ID) and (pointer := by_pointer(base)) is not None:
            base, arrow = pointer, True
        return self._member(base, node.field, arrow=arrow)

    def _member(self, base: Expr, member: c_ast.ID, *, arrow: bool) -> Expr:
        """A member of a record, or of the record that a pointer with an arrow points to."""
        where = self.location(member)
        path = self._path(resolve((element_type(base.type) or UNKNOWN) if arrow else base.type), member.name)
        if not path and isinstance(base, Variable) and self._is_undeclared(base.name):
            return Variable(UNKNOWN, where, member.name)
        if not path:
            raise self.reporter.fail("ACC303", where, name=member.name)
        if not arrow and isinstance(resolve(path[-1].type), Array) and _is_of_literal(base):
            self.reporter.report("ACC301", where, construct="an array in a compound literal")
        for found in path:
            base, arrow = Member(found.type, base.location, base, found.name, arrow, found.bits), False
        return base

    def _path(self, ctype: CType, name: str) -> tuple[Field, ...]:
        """A member behind the members without names that hold it, from the outermost in; empty if there is none."""
        record = self.types.complete(resolve(ctype))
        for item in record.fields or () if isinstance(record, Record) else ():
            if item.name == name:
                return (item,)
            if not item.name and (inner := self._path(item.type, name)):
                return (item, *inner)
        return ()

    @build.register(c_ast.UnaryOp)
    def _UnaryOp(self, node: c_ast.UnaryOp, scope: Scope) -> Expr:
        where = self.location(node)
        if node.op == "sizeof":
            if isinstance(node.expr, c_ast.Typename):
                return SizeOf(SIZE_T, where, self.types.build(node.expr, scope))
            return SizeOf(SIZE_T, where, self._measured(node.expr, scope))
        if node.op == "&" and (address := address_of(node.expr, scope, where)) is not None:
            return address
        is_place = node.op == "&" and isinstance(node.expr, c_ast.ID) and node.expr.name in scope.variables
        operand = self.place(node.expr, scope) if is_place else self.build(node.expr, scope)
        if node.op == "&" and _is_of_literal(operand):
            self.reporter.report("ACC301", where, construct="the address of a compound literal")
        return unary(node.op, operand, where, reporter=self.reporter)

    def _measured(self, node: Any, scope: Scope) -> CType:
        """The type of what sizeof measures: here a string is the array that it is."""
        if (symbol := resident_array(node, scope)) is not None:
            return symbol.type
        if isinstance(node, c_ast.ID) and node.name in scope.variables:
            return scope.variables[node.name].type
        is_string = isinstance(node, c_ast.Constant) and node.type == "string"
        return string_type(node.value) if is_string else self.build(node, scope).type

    @build.register(c_ast.BinaryOp)
    def _BinaryOp(self, node: c_ast.BinaryOp, scope: Scope) -> Expr:
        left, right = self.build(node.left, scope), self.build(node.right, scope)
        return binary(node.op, left, right, self.location(node), reporter=self.reporter)

    @build.register(c_ast.Assignment)
    def _Assignment(self, node: c_ast.Assignment, scope: Scope) -> Expr:
        target, value = self.build(node.lvalue, scope), self.build(node.rvalue, scope)
        return assignment(node.op, target, value, self.location(node), reporter=self.reporter)

    @build.register(c_ast.TernaryOp)
    def _TernaryOp(self, node: c_ast.TernaryOp, scope: Scope) -> Expr:
        condition, then, otherwise = (self.build(part, scope) for part in (node.cond, node.iftrue, node.iffalse))
        if node.iftrue is node.cond:
            look_up_twice(condition, self.location(node), self.reporter)
        return conditional(condition, then, otherwise, self.location(node))

    @build.register(c_ast.Cast)
    def _Cast(self, node: c_ast.Cast, scope: Scope) -> Expr:
        ctype, operand, where = self.types.build(node.to_type, scope), self.build(node.expr, scope), self.location(node)
        if isinstance(operand, FloatLiteral) and resolve(ctype) == Arithmetic("double"):
            digits = double_digits(operand.spelling)
            operand = FloatLiteral(Arithmetic("double"), where, digits) if digits is not None else operand
        return Cast(ctype, where, operand)

    @build.register(c_ast.FuncCall)
    def _FuncCall(self, node: c_ast.FuncCall, scope: Scope) -> Expr:
        where = self.location(node)
        if not isinstance(node.name, c_ast.ID) or node.name.name in scope.variables:
            raise self.reporter.fail("ACC304", where)
        if node.name.name == "offsetof" and isinstance(node.args.exprs[0], c_ast.Typename):
            record, member = node.args.exprs
            at_zero = Cast(Pointer(self.types.build(record.type, scope)), where, IntLiteral(INT, where, 0, "0"))
            return Cast(SIZE_T, where, Unary(SIZE_T, where, "&", self._designated(at_zero, member, scope)))
        arguments = tuple(self.build(argument, scope) for argument in (node.args.exprs if node.args else ()))
        if (known := _compiler_call(node.name.name, where, arguments)) is not None:
            return known
        declared = self.functions.get(node.name.name)
        ctype = self.types.build(declared, scope) if declared is not None else None
        result = ctype.result if isinstance(ctype, Function) else INT
        known = library_call(node.name.name, where, arguments, scope.function, reporter=self.reporter)
        return known or Call(result, where, node.name.name, arguments)

    def _designated(self, pointer: Expr, designator: Any, scope: Scope) -> Expr:
        """The part of a record that a designator of ``offsetof`` names: ``member.of[2].it``."""
        if isinstance(designator, c_ast.ID):
            return self._member(pointer, designator, arrow=True)
        outer = self._designated(pointer, designator.name, scope)
        if isinstance(designator, c_ast.StructRef):
            return self._member(outer, designator.field, arrow=False)
        return rows.element(outer, self.build(designator.subscript, scope), self.location(designator))

    @build.register(c_ast.ExprList)
    def _ExprList(self, node: c_ast.ExprList, scope: Scope) -> Expr:
        items = [self.build(item, scope) for item in node.exprs]
        result = items[0]
        for item in items[1:]:
            plain = resolve(item.type)
            ctype = Pointer(plain.element) if isinstance(plain, Array) else item.type
            result = Comma(ctype, result.location, result, item)
        return result

    @build.register(c_ast.CompoundLiteral)
    def _CompoundLiteral(self, node: c_ast.CompoundLiteral, scope: Scope) -> Expr:
        """A structure or number without a name; an array would live longer than C++ lets it."""
        ctype, where = self.types.build(node.type, scope), self.location(node)
        if isinstance(resolve(ctype), Array):
            self.reporter.report("ACC301", where, construct="a compound literal of an array")
        return Cast(unqualified(ctype), where, self.initialiser(node.init, ctype, scope))

    def initialiser(self, node: Any, ctype: CType, scope: Scope) -> Expr:
        """What gives an object of a type its first value: each array and structure inside has its own braces."""
        try:
            return self.initialisers.initialiser(node, ctype, scope)
        except Unreadable as found:
            raise self.reporter.fail("ACC301", self.location(found.node), construct=found.construct) from None

    def quietly(self, node: Any, scope: Scope, ctype: CType | None = None) -> Expr | None:
        """An expression, or the initialiser of a ``ctype``, that may be what only the host knows; None if it is."""
        reporter, self.reporter = self.reporter, Reporter()
        try:
            found = self.build(node, scope) if ctype is None else self.initialiser(node, ctype, scope)
            return None if self.reporter.diagnostics else found
        except CompileError:
            return None
        finally:
            self.reporter = reporter


def _is_of_literal(place: Expr) -> bool:
    """Whether a place lies in a compound literal, which C++ lets live for one expression only."""
    while isinstance(place, Member) and not place.arrow:
        place = place.base
    return isinstance(place, Cast)


def _compiler_call(name: str, where: Location, arguments: tuple[Expr, ...]) -> Expr | None:
    """What stands behind a call that the compiler's <math.h> makes of a macro; None for any other call."""
    if name in COMPILER_CONSTANTS:
        ctype, spelling = COMPILER_CONSTANTS[name]
        return FloatLiteral(Arithmetic(ctype), where, spelling)
    if name in COMPILER_COMPARISONS:
        left, right = arguments
        return Binary(INT, where, COMPILER_COMPARISONS[name], left, right)
    if name == COMPLEX_CONSTRUCTOR and arguments and isinstance(part := resolve(arguments[0].type), Arithmetic):
        return Call(Complex(part.name), where, name, arguments)
    if name in COMPILER_CALLS:
        return Call(INT, where, COMPILER_CALLS[name], arguments)
    return None


def _instead_of(name: str, scope: Scope) -> str:
    """A hint at the name that was meant in the place of one that is not declared."""
    if name in INSTEAD:
        return INSTEAD[name]
    if name in _LEVELS:
        return "levels of parallelism stand one behind the other, as in 'gang vector'"
    if name.isupper():
        return similar(name, (*scope.variables, *scope.enumerators)) or f"-D {name}=VALUE defines a macro"
    own = sorted({found for names in scope.variables.maps[:-1] for found in names})
    few = f"declared here are {', '.join(own)}" if len(own) <= _FEW and own else ""
    return similar(name, (*scope.variables, *scope.enumerators)) or few
