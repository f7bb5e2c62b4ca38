"""Calls in host C made C++: arguments that C++ does not convert, and functions of the C library that it overloads."""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast

from accache.cplusplus.conversions import Conversions
from accache.cplusplus.standard_headers import header_of, is_of_c_library
from accache.frontend.c.expressions import SIZE_T
from accache.frontend.source.alignment import first_token
from accache.frontend.source.gnu import STATEMENT_EXPRESSION
from accache.ir.types import (
    Arithmetic,
    CType,
    Function,
    Pointer,
    Void,
    element_type,
    is_const,
    is_integer,
    resolve,
    unqualified,
)

STRING = Pointer(Arithmetic("char", const=True))
COMPLEX_HEADERS = ("complex.h", "cmathcalls.h")
# Functions that C++ overloads on const: their result is as const as their first argument.
_FINDING = "strchr strrchr strstr strpbrk memchr strcasestr strchrnul memrchr rawmemchr index rindex basename "
_FINDING_WIDE = "wcschr wcsrchr wcsstr wcspbrk wmemchr"
CONST_OVERLOADS = frozenset((_FINDING + _FINDING_WIDE).split())
# Functions of <math.h> and <stdlib.h> that C++ overloads on the argument's type: a float stays a float there.
_ONE = "acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p "
_MORE = "log2 logb modf scalbn scalbln cbrt fabs sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint "
_LAST = "round lround llround trunc pow hypot atan2 fmod remainder remquo copysign nextafter nexttoward fdim fmax fmin "
ARITHMETIC_OVERLOADS = frozenset((_ONE + _MORE + _LAST + "fma abs labs llabs div ldiv").split())


class Calls(Conversions):
    """Types of calls."""

    def call(self, node: c_ast.FuncCall) -> CType | None:
        """The type of what a call gives; its arguments are checked, and converted where C++ would not."""
        arguments = node.args.exprs if node.args else []
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if name == "offsetof":
            return SIZE_T
        if name and name not in self.functions and name not in self.scope.variables:
            for argument in arguments:
                self.value(argument)
            if not name.startswith("__") and name != STATEMENT_EXPRESSION:
                if is_of_c_library(name):
                    self.edits.forget(name, first_token(node))
                else:
                    self.edits.refuse("ACC517", first_token(node), name=name, header=header_of(name))
            return None
        if name in self.functions and self.unit.origins[self.functions[name][2]].file.endswith(COMPLEX_HEADERS):
            self.edits.refuse("ACC512", first_token(node), name=f"'{name}'")
        callee = self.value(node.name)
        target = resolve(callee) if callee is not None else None
        target = resolve(target.target) if isinstance(target, Pointer) else target
        if not isinstance(target, Function):
            for argument in arguments:
                self.value(argument)
            return None
        prototype = self.functions[name][1] if name in self.functions else bool(target.parameters) or target.variadic
        if not prototype and arguments and not target.parameters and not target.variadic:
            self.edits.refuse("ACC522", first_token(node), name=name or "the function")
        return self._arguments(name, target, arguments)

    def _arguments(self, name: str, target: Function, arguments: list[Any]) -> CType:
        spans = self._spans(arguments)
        types: list[CType | None] = []
        for position, argument in enumerate(arguments):
            start = spans[position][0] if spans else first_token(argument)
            if isinstance(argument, c_ast.CompoundLiteral) and is_const(self.types.build(argument.type, self.scope)):
                self.temporaries.add(id(argument))  # it lives as long as the call
            if position >= len(target.parameters):
                types.append(self.value(argument))
                continue
            types.append(self.convert(target.parameters[position], argument, start))
            if name in ARITHMETIC_OVERLOADS and self._is_system(name):
                self._exact(target.parameters[position], types[-1], argument, start)
        given = types[0] if types else None
        if name in CONST_OVERLOADS and self._is_system(name) and given is not None:
            element, result = element_type(given), resolve(target.result)
            if element is not None and is_const(element) and isinstance(result, Pointer):
                plain = resolve(result.target)
                return Pointer(Void(const=True)) if isinstance(plain, Void) else STRING
        return target.result

    def _is_system(self, name: str) -> bool:
        return name in self.functions and self.unit.origins[self.functions[name][2]].system

    def _exact(self, parameter: CType, given: CType | None, argument: Any, start: int) -> None:
        """Call the overload that C calls: give the argument the parameter's very type."""
        to, of = resolve(parameter), resolve(given) if given is not None else None
        if not isinstance(to, Arithmetic) or not isinstance(of, Arithmetic):
            return
        floating = not is_integer(to) and not is_integer(of) and to.name != of.name
        integral = is_integer(to) and (not is_integer(of) or of.unsigned or of.name != to.name) and of.size >= 4
        if floating or integral:
            self._cast(unqualified(to), argument, start)

    def _spans(self, arguments: list[Any]) -> list[tuple[int, int]]:
        """First and last token of each argument of a call; empty where they cannot be told."""
        if not arguments:
            return []
        index = first_token(arguments[0])
        while index > 0:
            if self.unit.tokens[index] == "(" and re.match(r"[\w$]+$|[)\]]", self.unit.tokens[index - 1]):
                items = self.unit.split(index) if index in self.unit.pairs else []
                if len(items) == len(arguments) and self.unit.tokens[index - 1] not in (
                    "sizeof",
                    "return",
                    "if",
                    "while",
                ):
                    return items
            if self.unit.tokens[index] in (";", "{", "}"):
                return []
            index -= 1
        return []
