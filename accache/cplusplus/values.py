"""Walks C expressions with their types; asks for the casts that C++ needs and refuses what has no C++ form."""

from __future__ import annotations

from functools import singledispatchmethod
from typing import Any

from pycparser import c_ast

from accache.cplusplus.calls import STRING, Calls
from accache.cplusplus.conversions import is_null_pointer
from accache.cplusplus.extents import operand_extent
from accache.cplusplus.types import decayed, same
from accache.frontend.c.expressions import SIZE_T
from accache.frontend.c.literals import integer_literal
from accache.frontend.c.operators import COMPARISONS
from accache.frontend.source.alignment import first_token
from accache.frontend.source.gnu import STATEMENT_EXPRESSION
from accache.ir.build import INT
from accache.ir.types import (
    SIZES,
    Arithmetic,
    Array,
    CType,
    Enum,
    Field,
    Function,
    Pointer,
    Record,
    Void,
    element_type,
    integer_of,
    integer_promotion,
    is_const,
    is_integer,
    promoted,
    resolve,
    unqualified,
)

ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="))


class Values(Calls):
    """Types of expressions, by the names of pycparser's nodes."""

    @singledispatchmethod
    def value(self, node: Any) -> CType | None:
        """The type of an expression; everything in it is checked."""
        return super().value(node)

    @value.register(c_ast.Constant)
    def _Constant(self, node: c_ast.Constant) -> CType | None:
        if node.type == "string":
            return STRING if node.value.startswith('"') else None
        if node.type == "char" or "'" in node.value:
            return INT
        if "int" in node.type:
            return integer_literal(node.value)[1]
        return Arithmetic({"f": "float", "l": "long double"}.get(node.value[-1].lower(), "double"))

    @value.register(c_ast.ID)
    def _ID(self, node: c_ast.ID) -> CType | None:
        if node.name == STATEMENT_EXPRESSION:
            return self.block(first_token(node))
        if node.name in self.scope.variables:
            return self.scope.variables[node.name].type
        if node.name in self.scope.enumerators:
            self.check_nested(node.name, first_token(node))
            return self.enums.get(node.name, INT)
        if node.name in self.functions:
            return self.functions[node.name][0]
        return STRING if node.name == "__func__" else None

    def check_nested(self, name: str, index: int) -> None:
        """Refuse a tag or enumerator of a record that is used outside of it."""
        record, start, end = self.nested.get(name, ("", 0, 0))
        if end and not start <= index <= end:
            self.edits.refuse("ACC513", index, name=name, record=record)

    @value.register(c_ast.ArrayRef)
    def _ArrayRef(self, node: c_ast.ArrayRef) -> CType | None:
        self.temporaries.add(id(node.name))
        base, index = self.value(node.name), self.value(node.subscript)
        for side in (base, index):
            if side is not None and (element := element_type(side)) is not None:
                return element
        return None

    @value.register(c_ast.StructRef)
    def _StructRef(self, node: c_ast.StructRef) -> CType | None:
        base = self.value(node.name)
        if base is None:
            return None
        owner = element_type(base) if node.type == "->" else base
        found = self.member(owner, node.field.name) if owner is not None else None
        return found.type if found else None

    def fields(self, ctype: CType | None) -> tuple[Field, ...]:
        """The members of a record type."""
        record = self.types.complete(resolve(ctype)) if ctype is not None else None
        return record.fields or () if isinstance(record, Record) else ()

    def member(self, ctype: CType, name: str) -> Field | None:
        """A member by name, those of anonymous members included."""
        for item in self.fields(ctype):
            if item.name == name:
                return item
            if not item.name and (found := self.member(item.type, name)) is not None:
                return found
        return None

    @value.register(c_ast.UnaryOp)
    def _UnaryOp(self, node: c_ast.UnaryOp) -> CType | None:
        if node.op in ("sizeof", "_Alignof"):
            self._size(node)
            return SIZE_T
        if node.op == "&" and isinstance(node.expr, c_ast.CompoundLiteral):
            self.edits.refuse("ACC507", first_token(node))
            return None
        operand = self.value(node.expr)
        if operand is None:
            return None
        if node.op == "&":
            return Pointer(operand)
        if node.op == "*":
            return operand if isinstance(resolve(operand), Function) else element_type(operand)
        if node.op in ("++", "--", "p++", "p--"):
            self._step(node, operand)
            return operand
        if node.op in ("+", "-", "~"):
            self._keep_unsigned(node.expr, operand)
            return promoted(operand, INT)
        return INT

    def _size(self, node: c_ast.UnaryOp) -> None:
        """Sizeof gives another value where C++ gives its operand another type."""
        if isinstance(node.expr, c_ast.Typename):
            return
        self.value(node.expr)
        if what := self._other_size(node.expr):
            self.edits.refuse("ACC511", first_token(node), what=what)

    def _other_size(self, node: Any) -> str:
        """What an expression is whose size may differ in C++; empty for others."""
        if isinstance(node, c_ast.Constant) and node.type == "char":
            return "a character constant, which is an int in C and a char in C++"
        if (isinstance(node, c_ast.BinaryOp) and node.op in COMPARISONS) or getattr(node, "op", "") == "!":
            return "a truth value, which is an int in C and a bool in C++"
        if not isinstance(node, (c_ast.TernaryOp, c_ast.ExprList)):
            function = self._quietly(node)
            return "a function" if isinstance(function and resolve(function), Function) else ""
        results = [node.iftrue, node.iffalse] if isinstance(node, c_ast.TernaryOp) else node.exprs[-1:]
        if any(isinstance(item and resolve(item), Array) for item in map(self._quietly, results)):
            return "an array here, which is a pointer in C and an array in C++"
        if isinstance(node, c_ast.ExprList):
            return self._other_size(results[0])
        if _is_narrow(self._cplusplus_type(node)):
            return "a conditional of two values of a type smaller than int, which only C makes an int"
        return ""

    def _cplusplus_type(self, node: Any) -> CType | None:
        """The type that C++ gives an expression, where that may be smaller than C's."""
        if isinstance(node, c_ast.Constant) and node.type == "char":
            return Arithmetic("char")
        if (isinstance(node, c_ast.BinaryOp) and node.op in COMPARISONS) or getattr(node, "op", "") == "!":
            return Arithmetic("_Bool")
        if isinstance(node, c_ast.ExprList):
            return self._cplusplus_type(node.exprs[-1])
        if isinstance(node, c_ast.TernaryOp):
            first, second = self._cplusplus_type(node.iftrue), self._cplusplus_type(node.iffalse)
            if first is not None and second is not None and same(first, second):
                return first
        return self._quietly(node)

    def _step(self, node: c_ast.UnaryOp, operand: CType) -> None:
        plain = resolve(operand)
        if isinstance(plain, Arithmetic) and plain.name == "_Bool":
            self.edits.refuse("ACC524", first_token(node), op=node.op[-2:], type="_Bool")
        elif isinstance(plain, Enum):
            self.edits.refuse("ACC524", first_token(node), op=node.op[-2:], type=f"enum {plain.tag}".strip())

    def step_enum(self, node: Any) -> bool:
        """Rewrite ``x++`` and ``x |= y`` of an enumeration whose value nobody uses; whether it was one."""
        target = getattr(node, "expr", None) if isinstance(node, c_ast.UnaryOp) else getattr(node, "lvalue", None)
        op = node.op[-2:-1] if isinstance(node, c_ast.UnaryOp) else getattr(node, "op", "=")[:-1]
        if (
            not isinstance(target, c_ast.ID)
            or not op
            or getattr(node, "op", "") not in {"++", "--", "p++", "p--"} | ASSIGNMENTS
        ):
            return False
        ctype = self._ID(target)
        if ctype is None or not isinstance(resolve(ctype), Enum) or not (spelling := self.spell(unqualified(ctype))):
            return False
        name = first_token(target)
        if self.unit.tokens[name + 1] == ")":
            return False
        text = self.rename.get(target.name, target.name)
        number = f"({self.spell(integer_of(ctype))}){text}"
        if isinstance(node, c_ast.UnaryOp):
            first, last = (name, name + 1) if node.op.startswith("p") else (name - 1, name)
            self.edits.replace(first, last, f"{text} = ({spelling})({number} {op} 1)")
            return True
        self.value(node.rvalue)
        start = name + 2
        self.edits.replace(name + 1, name + 1, f"= ({spelling})({number} {op}")
        self.edits.wrap(start, self.unit.end(start), "(", "))")
        return True

    def _keep_unsigned(self, node: Any, ctype: CType | None) -> None:
        """Cast an operand that is unsigned to C and promotes to int in C++."""
        if ctype is None or not self._is_unsigned(node, ctype):
            return
        text, extent = f"({self.spell(integer_of(ctype))})", operand_extent(self.unit, node)
        if extent is None:
            self.edits.refuse("ACC501", max(first_token(node), 0), text=text)
        else:
            self.edits.wrap(extent[0], extent[0], text)

    def _is_unsigned(self, node: Any, ctype: CType) -> bool:
        """Whether an expression has the type of an enumeration without negative values, as C sees it."""
        plain = resolve(ctype)
        if not isinstance(plain, Enum) or not integer_of(plain).unsigned:
            return False
        if isinstance(node, c_ast.ID):  # an enumerator is an int to C
            return node.name not in self.scope.enumerators or node.name in self.scope.variables
        if isinstance(node, c_ast.TernaryOp):
            return self._is_unsigned(node.iftrue, ctype) or self._is_unsigned(node.iffalse, ctype)
        if isinstance(node, c_ast.ExprList):
            return self._is_unsigned(node.exprs[-1], ctype)
        bits = self._bits(node)
        return bits is None or bits >= 8 * SIZES["int"]  # a bit-field is an int if all its values are

    def _bits(self, node: Any) -> int | None:
        """The width of the bit-field that an expression names or assigns to."""
        if isinstance(node, c_ast.Assignment):
            return self._bits(node.lvalue)
        if not isinstance(node, c_ast.StructRef) or (base := self._quietly(node.name)) is None:
            return None
        owner = element_type(base) if node.type == "->" else base
        found = self.member(owner, node.field.name) if owner is not None else None
        return found.bits if found else None

    @value.register(c_ast.BinaryOp)
    def _BinaryOp(self, node: c_ast.BinaryOp) -> CType | None:
        left, right = self.value(node.left), self.value(node.right)
        if left is None or right is None:
            return INT if node.op in COMPARISONS else None
        if node.op not in ("==", "!=", "&&", "||"):
            self._enum_operands(node, left, right)
        if node.op in COMPARISONS:
            self._compare(node, left, right)
            return INT
        if node.op in ("<<", ">>"):
            return integer_promotion(resolve(left))
        if node.op == "-" and element_type(left) and element_type(right):
            return Arithmetic("long")
        return promoted(left, right)

    def _enum_operands(self, node: c_ast.BinaryOp, left: CType, right: CType) -> None:
        for item, ctype, other, other_type in (
            (node.left, left, node.right, right),
            (node.right, right, node.left, left),
        ):
            if not isinstance(resolve(ctype), Enum) or element_type(other_type) is not None:
                continue
            value = self.constant(other)
            harmless = (value is not None and value >= 0) or same(ctype, other_type)
            if not (node.op in COMPARISONS and harmless):
                self._keep_unsigned(item, ctype)

    def _compare(self, node: c_ast.BinaryOp, left: CType, right: CType) -> None:
        """Pointers compare with pointers of their type, with ``void *`` and, but for order, with 0."""
        if node.op in ("&&", "||"):
            return
        first, second = element_type(decayed(left)), element_type(decayed(right))
        if first is None and second is None:
            return
        if first is None or second is None:
            zero = node.left if first is None else node.right
            if node.op not in ("==", "!=") or not self.is_null(zero):
                self._incompatible(node, left, right)
            return
        if isinstance(resolve(first), Void) or isinstance(resolve(second), Void) or STRING in (left, right):
            return
        if not same(unqualified(resolve(first)), unqualified(resolve(second))):
            self._incompatible(node, left, right)

    @value.register(c_ast.Assignment)
    def _Assignment(self, node: c_ast.Assignment) -> CType | None:
        target = self.value(node.lvalue)
        start = first_token(node.rvalue)
        while start > 0 and self.unit.tokens[start] != node.op:
            start -= 1
        if node.op == "=":
            self.convert(target, node.rvalue, start + 1)
        else:
            source = self.value(node.rvalue)
            if target is not None and isinstance(resolve(target), Enum) and source is not None:
                self.edits.refuse("ACC524", first_token(node), op=node.op, type=self.spell(target) or "enum")
            elif node.op in ("/=", "%=") and target is not None and is_integer(target):
                self._keep_unsigned(node.rvalue, source)
        return unqualified(target) if target is not None else None

    @value.register(c_ast.TernaryOp)
    def _TernaryOp(self, node: c_ast.TernaryOp) -> CType | None:
        self.value(node.cond)
        then, otherwise = self.value(node.iftrue), self.value(node.iffalse)
        if then is None or otherwise is None:
            return None
        if isinstance(resolve(then), (Record, Void)) or (isinstance(resolve(then), Enum) and same(then, otherwise)):
            return then
        first, second = element_type(decayed(then)), element_type(decayed(otherwise))
        if first is None and second is None:
            self._keep_unsigned_branches(node, then, otherwise)
            return promoted(then, otherwise)
        if first is None or second is None:
            if not self.is_null(node.iftrue if first is None else node.iffalse):
                self._incompatible(node, then, otherwise)
            return decayed(otherwise if first is None else then)
        return self._composite(node, (node.iftrue, first), (node.iffalse, second))

    def _keep_unsigned_branches(self, node: c_ast.TernaryOp, then: CType, otherwise: CType) -> None:
        """A conditional with an enumeration and a signed type is an unsigned int to C and an int to C++."""
        for item, ctype, other in ((node.iftrue, then, otherwise), (node.iffalse, otherwise, then)):
            if is_integer(other) and (isinstance(resolve(other), Enum) or integer_promotion(resolve(other)) == INT):
                self._keep_unsigned_branch(node, item, ctype)

    def _keep_unsigned_branch(self, node: c_ast.TernaryOp, item: Any, ctype: CType) -> None:
        if isinstance(item, c_ast.TernaryOp):  # it need not have parentheses
            self._keep_unsigned_branch(item, item.iftrue, ctype)
            self._keep_unsigned_branch(item, item.iffalse, ctype)
        elif isinstance(item, (c_ast.Assignment, c_ast.ExprList)):
            if self._is_unsigned(item, ctype):
                self.edits.refuse("ACC508", first_token(item), name="an enumeration that is assigned in a conditional")
        else:
            self._keep_unsigned(item, ctype)

    def _composite(self, node: Any, left: tuple[Any, CType], right: tuple[Any, CType]) -> CType:
        """The type of a conditional with two pointers."""
        for side, (_, other) in ((left, right), (right, left)):
            if is_null_pointer(side[0]):
                return Pointer(other)
        for _, target in (left, right):
            if isinstance(resolve(target), Void):
                const = is_const(left[1]) or is_const(right[1])
                return Pointer(Void(const=const))
        if not same(left[1], right[1]):
            self._incompatible(node, Pointer(left[1]), Pointer(right[1]))
        return Pointer(left[1] if is_const(left[1]) else right[1])

    @value.register(c_ast.Cast)
    def _Cast(self, node: c_ast.Cast) -> CType | None:
        self.value(node.expr)
        return self.types.build(node.to_type, self.scope)

    @value.register(c_ast.Typename)
    def _Typename(self, node: c_ast.Typename) -> None:
        return None

    @value.register(c_ast.ExprList)
    def _ExprList(self, node: c_ast.ExprList) -> CType | None:
        found: CType | None = None
        for item in node.exprs:
            found = self.value(item)
        return found

    @value.register(c_ast.FuncCall)
    def _FuncCall(self, node: c_ast.FuncCall) -> CType | None:
        return self.call(node)


def _is_narrow(ctype: CType | None) -> bool:
    """Whether values are integers smaller than int."""
    plain = resolve(ctype) if ctype is not None else None
    return isinstance(plain, Arithmetic) and plain.is_integer and plain.size < SIZES["int"]
