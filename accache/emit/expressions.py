"""The one printer of expressions. It refuses what was not lowered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatchmethod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.emit import templates
from accache.emit.conversions import as_part, is_part, loses_imaginary, narrows, needs_cast
from accache.emit.spelling import DEVICE, Dialect, declaration, is_nameless, spelled
from accache.ir import tree
from accache.ir.arrays import extents, inner_lengths, innermost, is_row, is_variable_length, lengths, row_type
from accache.ir.build import INT, WIDE
from accache.ir.builtins import CLASSIFYING, COMPLEX_CALLS, COMPLEX_CONSTRUCTOR, PURE_CALLS
from accache.ir.kernels import simt, tiles
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.types import (
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Pointer,
    element_type,
    is_bool,
    is_complex,
    is_number,
    resolve,
    unqualified,
)

LEVELS = {
    ",": 1, "=": 2, "?:": 3, "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, "<=": 10,
    ">": 10, ">=": 10, "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13, "unary": 14, "postfix": 15,
}  # fmt: skip
CONFUSING = frozenset(
    [("||", "&&"), ("|", "^"), ("|", "&"), ("^", "&")]
    + [(op, inner) for op in ("<<", ">>") for inner in ("+", "-")]
    + [(op, inner) for op in ("|", "^", "&") for inner in ("==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-")]
)
"""Outer and inner operators that compilers warn about without parentheses."""


class ExpressionPrinter(Struct, dict=True):
    """Prints expressions. ``names`` maps unique names and symbols to printed ones, ``calls`` functions.

    ``access`` prints what a tile serves, ``cell`` its storage. ``dereferenced`` are the variables that are addresses of
    what they stand for.
    ``wide`` are the integers wider than int.
    """

    names: dict[str, str]
    access: Callable[[ExpressionPrinter, tiles.TileAccess, str, str | None], str] | None = None
    cell: Callable[[ExpressionPrinter, tiles.TileCell], str] | None = None
    dereferenced: frozenset[str] = frozenset()
    dialect: Dialect = DEVICE
    calls: Mapping[str, str] = field(default_factory=dict)
    statement_value: tree.Expr | None = None
    wide: frozenset[str] = frozenset()

    def name(self, unique: str) -> str:
        """The printed name of a variable."""
        if unique in self.names:
            return self.names[unique]
        return spelled(user_name(unique), self.dialect)

    def polynomial(self, polynomial: Polynomial, ctype: str = "") -> str:
        """A polynomial as C text, computed in a type wider than int if one is given."""
        printed = {name: self.symbol(name) for name in polynomial.names}
        mapping = {name: Polynomial.symbol(text) for name, text in printed.items()}
        positions = frozenset(text for name, text in printed.items() if name.startswith("@"))
        fitting = frozenset(text for name, text in printed.items() if name in self.wide or name.endswith("@width"))
        return polynomial.substitute(mapping).to_c(ctype, positions, fitting)

    def meets_wide(self, polynomial: Polynomial) -> bool:
        """Whether a sum adds narrow numbers and wide ones: the narrow ones, if unsigned, could wrap on their own."""
        narrow = [names for names, _ in polynomial.terms if names and self.wide.isdisjoint(names)]
        return len(narrow) > 1 and not self.wide.isdisjoint(polynomial.names)

    def symbol(self, name: str) -> str:
        """A polynomial's symbol: a variable, a generated value, or a position the target spells."""
        if name.startswith("@") and name not in self.names:
            kind, _, axis = name[1:].partition(".")
            return str(getattr(templates.macros("cuda/statements.cu.jinja"), kind)(axis)).strip()
        printed = self.name(name)
        return f"(*{printed})" if name in self.dereferenced else printed

    def expression(self, expr: tree.Expr, level: int = 0) -> str:
        """An expression, in parentheses if it binds weaker than ``level``."""
        text, own = self._expression(expr)
        return f"({text})" if own < level else text

    @singledispatchmethod
    def _expression(self, expr: tree.Expr) -> tuple[str, int]:
        """The text of an expression and how strongly it binds; what was not lowered has none."""
        raise TypeError(f"cannot print a {type(expr).__name__}")

    @_expression.register(tree.IntLiteral)
    def _intliteral(self, expr: tree.IntLiteral) -> tuple[str, int]:
        if expr.exported and not self.dialect.at_home:
            return expr.exported, LEVELS["postfix"]
        level = LEVELS["postfix"] if not expr.spelling.startswith("-") else LEVELS["unary"]
        # <stdbool.h> means the values of C++
        is_truth = (expr.spelling, expr.value) in (("false", 0), ("true", 1))
        return expr.spelling if is_truth else spelled(expr.spelling, self.dialect), level

    @_expression.register(tree.FloatLiteral)
    def _floatliteral(self, expr: tree.FloatLiteral) -> tuple[str, int]:
        return expr.spelling, LEVELS["postfix"]

    @_expression.register(tree.ImaginaryLiteral)
    def _imaginaryliteral(self, expr: tree.ImaginaryLiteral) -> tuple[str, int]:
        text = f"{expr.spelling}i" if self.dialect.is_c else f"{self.type(expr.type)}{{0, {expr.spelling}}}"
        return text, LEVELS["postfix"]

    @_expression.register(tree.StringLiteral)
    def _stringliteral(self, expr: tree.StringLiteral) -> tuple[str, int]:
        return expr.spelling, LEVELS["postfix"]

    @_expression.register(tree.Variable)
    def _variable(self, expr: tree.Variable) -> tuple[str, int]:
        if expr.name in self.dereferenced:
            return f"*{self.name(expr.name)}", LEVELS["unary"]
        return self.name(expr.name), LEVELS["postfix"]

    @_expression.register(simt.LoadBy)
    def _loadby(self, expr: simt.LoadBy) -> tuple[str, int]:
        return f"{expr.function}(&{self.expression(expr.place, LEVELS['unary'])})", LEVELS["postfix"]

    @_expression.register(simt.Formula)
    def _formula(self, expr: simt.Formula) -> tuple[str, int]:
        polynomial = expr.polynomial
        computed = expr.type if expr.converted else WIDE if self.meets_wide(polynomial) else None
        text = self.polynomial(polynomial, self.type(computed) if computed is not None else "")
        if len(polynomial.terms) > 1:
            return text, LEVELS["+"]
        if "*" in (text.partition(")")[2] if text.startswith("(") else text):
            return text, LEVELS["*"]
        return text, LEVELS["unary"] if text.startswith(("-", "(")) else LEVELS["postfix"]

    @_expression.register(tree.Subscript)
    def _subscript(self, expr: tree.Subscript) -> tuple[str, int]:
        flat = self._flattened(expr, Pointer(row_type(expr.type)))
        if flat is not None:
            return flat
        base = self.expression(expr.base, LEVELS["postfix"])
        return f"{base}[{self.expression(expr.index)}]", LEVELS["postfix"]

    def _flattened(self, expr: tree.Subscript, pointer: CType) -> tuple[str, int] | None:
        """A reference of a variable-length array, which a kernel sees as a flat pointer, or the address of a row.

        Such an address is cast to C's type of it, ``pointer``, where that leads to rows of constant length.
        """
        indices: list[tree.Expr] = []
        base: tree.Expr = expr
        while isinstance(base, tree.Subscript):
            indices.insert(0, base.index)
            base = base.base
        if not is_variable_length(base.type):
            return None
        array = self.name(base.name) if isinstance(base, tree.Variable) else self.expression(base, LEVELS["postfix"])
        inner = inner_lengths(base.type)
        text = self.offset(indices, inner)
        if len(indices) > len(inner):
            return f"{array}[{text}]", LEVELS["postfix"]
        text = f"({text})" if len(indices) > 1 else text
        row = "*".join([text, *(self.expression(length, LEVELS["unary"]) for length in inner[len(indices) - 1 :])])
        has_rows = isinstance(resolve(row_type(pointer)), Array) and not is_variable_length(pointer)
        return (f"({self.type(pointer)})" if has_rows else "") + f"&{array}[{row}]", LEVELS["unary"]

    def offset(self, indices: Sequence[tree.Expr], inner: Sequence[tree.Expr]) -> str:
        """How far an element lies from its array's first one, in 64 bits; ``inner`` are the lengths of its rows.

        With fewer indices than dimensions it is the number of a row.
        """
        text = f"(long long){self.expression(indices[0], LEVELS['unary'])}"
        for number, (index, length) in enumerate(zip(indices[1:], inner, strict=False), start=2):
            product = f"{text}*{self.expression(length, LEVELS['unary'])}"
            text = f"{product} + {self.expression(index, LEVELS['+'] + 1)}"
            text = text if number == len(indices) else f"({text})"
        return text

    @_expression.register(tree.Member)
    def _member(self, expr: tree.Member) -> tuple[str, int]:
        base, arrow = _named_base(expr)
        if isinstance(base, tree.Variable) and base.name in self.dereferenced and expr.field:
            return f"{self.name(base.name)}->{spelled(expr.field, self.dialect)}", LEVELS["postfix"]
        if not expr.field:
            whole = tree.Unary(expr.type, expr.location, "*", base) if arrow else base
            return self.expression(whole, LEVELS["postfix"]), LEVELS["postfix"]
        access = ("->" if arrow else ".") + spelled(expr.field, self.dialect)
        return self.expression(base, LEVELS["postfix"]) + access, LEVELS["postfix"]

    @_expression.register(tree.Unary)
    def _unary(self, expr: tree.Unary) -> tuple[str, int]:
        if expr.op in tree.STEPPING and isinstance(resolve(expr.type), Enum):
            return self._stepped(expr)
        if expr.op in tree.STEPPING and is_bool(expr.type) and not self.dialect.is_c:
            return self._stepped_bool(expr)
        if isinstance(expr.operand, tiles.TileAccess) and expr.op in tree.STEPPING:
            return self._write(expr.operand, expr.op, None)
        if expr.op in ("p++", "p--"):
            return f"{self.expression(expr.operand, LEVELS['postfix'])}{expr.op[1:]}", LEVELS["postfix"]
        if expr.op == "&" and isinstance(expr.operand, tree.Subscript) and is_row(expr.operand):
            row = self._flattened(expr.operand, expr.type)
            assert row is not None
            return row
        if expr.op == "&" and isinstance(expr.operand, tree.Variable) and expr.operand.name in self.dereferenced:
            return self.name(expr.operand.name), LEVELS["postfix"]
        operand = self.expression(expr.operand, LEVELS["unary"])
        gap = " " if operand[0] == expr.op[0] and expr.op in "+-&" else ""
        return f"{expr.op}{gap}{operand}", LEVELS["unary"]

    def _stepped(self, expr: tree.Unary) -> tuple[str, int]:
        """``++`` and its kin of an enumeration, which C++ lacks, as an assignment."""
        one = tree.IntLiteral(INT, expr.location, 1, "1")
        text, level = self._assign(tree.Assign(expr.type, expr.location, f"{expr.op[-1]}=", expr.operand, one))
        if not expr.op.startswith("p") or expr is self.statement_value:
            return text, level
        before = tree.Binary(INT, expr.location, "-" if expr.op == "p++" else "+", expr.operand, one)
        return f"{text}, {self.converted(before, expr.type)}", LEVELS[","]

    def _stepped_bool(self, expr: tree.Unary) -> tuple[str, int]:
        """``++`` and its kin of a truth value, which C++ lacks, as an assignment."""
        one = tree.IntLiteral(INT, expr.location, 1, "1")
        text, level = self._assign(tree.Assign(expr.type, expr.location, f"{expr.op[-1]}=", expr.operand, one))
        if not expr.op.startswith("p") or expr is self.statement_value:
            return text, level
        if expr.op == "p--":  # the opposite of what it was
            return f"!({text})", LEVELS["unary"]
        return f"{self.expression(expr.operand, LEVELS['||'])} || !({text})", LEVELS["||"]

    @_expression.register(tree.Binary)
    def _binary(self, expr: tree.Binary) -> tuple[str, int]:
        level = LEVELS[expr.op]
        left = self._operand(expr.op, expr.left, level)
        right = self._operand(expr.op, expr.right, level + 1)
        tight = expr.op in "*/%" and len(expr.op) == 1 and not right.startswith("*")
        return (f"{left}{expr.op}{right}" if tight else f"{left} {expr.op} {right}"), level

    def _operand(self, op: str, operand: tree.Expr, level: int) -> str:
        text, own = self._expression(operand)
        confusing = isinstance(operand, tree.Binary) and (op, operand.op) in CONFUSING
        return f"({text})" if own < level or confusing else text

    @_expression.register(tree.Assign)
    def _assign(self, expr: tree.Assign) -> tuple[str, int]:
        if expr.op != "=" and isinstance(resolve(expr.target.type), Enum):
            changed = tree.Binary(INT, expr.location, expr.op[:-1], expr.target, expr.value)
            return self._assign(replace(expr, op="=", value=changed))
        becomes_complex = is_complex(expr.target.type) and is_number(expr.value.type)
        is_plain = expr.op != "=" or (becomes_complex and not isinstance(expr.target, tiles.TileAccess))
        value = self.expression(expr.value, 2) if is_plain else self.converted(expr.value, expr.target.type)
        if isinstance(expr.target, tiles.TileAccess):
            return self._write(expr.target, expr.op, value)
        return f"{self.expression(expr.target, LEVELS['unary'])} {expr.op} {value}", LEVELS["="]

    @_expression.register(tree.Conditional)
    def _conditional(self, expr: tree.Conditional) -> tuple[str, int]:
        condition = self.expression(expr.condition, LEVELS["?:"] + 1)
        then, otherwise = self.expression(expr.then, 2), self.expression(expr.otherwise, LEVELS["?:"])
        return f"{condition} ? {then} : {otherwise}", LEVELS["?:"]

    def converted(self, value: tree.Expr, target: CType) -> str:
        """A value that is assigned to a variable of a type, with the casts C does without."""
        if isinstance(value, tree.InitList):
            pairs = zip(value.items, value.parts, strict=True)
            return "{" + ", ".join(self._initial(item, part) for item, part in pairs) + "}"
        if (is_complex(target) and is_number(value.type)) or (is_complex(value.type) and is_number(target)):
            return self.expression(tree.Cast(unqualified(target), value.location, value), LEVELS["="])
        if self.dialect.at_home or not needs_cast(value, target):
            return self.expression(value, LEVELS["="])
        return f"({self.type(unqualified(target))}){self.expression(value, LEVELS['unary'])}"

    def _initial(self, value: tree.Expr, target: CType) -> str:
        """A value between braces, where C++ makes no number smaller by itself."""
        if not self.dialect.at_home and narrows(value, target):
            value = tree.Cast(unqualified(target), value.location, value)
        return self.converted(value, target)

    @_expression.register(tree.Call)
    def _call(self, expr: tree.Call) -> tuple[str, int]:
        if expr.callee is not None and not self.dialect.at_home:
            pairs = zip(expr.arguments, expr.callee.parameters, strict=False)
            handed = ", ".join(self._handed(argument, ctype) for argument, ctype in pairs)
            return f"{expr.callee.symbol}({handed})", LEVELS["postfix"]
        arguments = ", ".join(self._argument(expr.function, argument) for argument in expr.arguments)
        if expr.function == COMPLEX_CONSTRUCTOR and not self.dialect.is_c:
            return f"{self.type(expr.type)}{{{arguments}}}", LEVELS["postfix"]
        function = self.calls.get(expr.function) or spelled(expr.function, self.dialect)
        return f"{function}({arguments})", LEVELS["postfix"]

    def _handed(self, argument: tree.Expr, parameter: CType) -> str:
        """An argument of a routine, which sees arrays of variable length as flat pointers as a kernel does."""
        flat = is_variable_length(parameter)
        if flat == is_variable_length(argument.type):
            return self.expression(argument, LEVELS["="]) if flat else self.converted(argument, parameter)
        wanted = Pointer(innermost(row_type(parameter))) if flat else parameter
        return f"({self.type(wanted)}){self.expression(argument, LEVELS['unary'])}"

    def _argument(self, function: str, argument: tree.Expr) -> str:
        """An argument; C++ would pick another overload of a mathematical function than C does."""
        if function == "free" and getattr(resolve(element_type(argument.type) or INT), "const", False):
            return f"(void *){self.expression(argument, LEVELS['unary'])}"
        wanted = _c_argument(function)
        plain = resolve(argument.type)
        if function in COMPLEX_CALLS:
            part, _ = COMPLEX_CALLS[function]
            alike = isinstance(plain, Complex) and plain.of == part
            argument = argument if alike else tree.Cast(Complex(part), argument.location, argument)
        elif wanted and isinstance(plain, Complex):
            argument = tree.Cast(Arithmetic(wanted), argument.location, argument)
        if wanted and isinstance(plain, Arithmetic) and plain.name != wanted:
            return f"({wanted}){self.expression(argument, LEVELS['unary'])}"
        return self.expression(argument, LEVELS["="])

    @_expression.register(tree.Cast)
    def _cast(self, expr: tree.Cast) -> tuple[str, int]:
        if not self.dialect.is_c and loses_imaginary(expr.operand.type, expr.type):
            part = f"{self.expression(expr.operand, LEVELS['postfix'])}.re"
            alike = is_part(expr.type, expr.operand.type)
            return (part, LEVELS["postfix"]) if alike else (f"({self.type(expr.type)}){part}", LEVELS["unary"])
        if not self.dialect.is_c and is_complex(expr.type) and is_number(expr.operand.type):
            part = self.expression(as_part(expr.operand, expr.type), LEVELS["="])
            # the 0 is written: nvcc 13 forgets it in a choice between a variable and {part}
            return f"{self.type(unqualified(expr.type))}{{{part}, 0}}", LEVELS["postfix"]
        wanted = Pointer(innermost(row_type(expr.type))) if is_variable_length(expr.type) else expr.type
        if isinstance(expr.operand, tree.InitList):  # a compound literal
            return f"({self.type(wanted)}){self.converted(expr.operand, wanted)}", LEVELS["postfix"]
        return f"({self.type(wanted)}){self.expression(expr.operand, LEVELS['unary'])}", LEVELS["unary"]

    @_expression.register(tree.SizeOf)
    def _sizeof(self, expr: tree.SizeOf) -> tuple[str, int]:
        if extents(expr.of) is None:
            sizes = [replace(expr, of=innermost(expr.of)), *lengths(expr.of)]
            return "*".join(self.expression(size, LEVELS["unary"]) for size in sizes), LEVELS["*"]
        if is_variable_length(expr.of):
            return "sizeof(void *)", LEVELS["postfix"]
        if is_nameless(expr.of):  # C++ lets no type be defined here
            return f"(size_t){sizeof(expr.of)}", LEVELS["unary"]
        return f"sizeof({self.type(expr.of)})", LEVELS["postfix"]

    @_expression.register(tree.Comma)
    def _comma(self, expr: tree.Comma) -> tuple[str, int]:
        return f"{self.expression(expr.left, 1)}, {self.expression(expr.right, 2)}", LEVELS[","]

    @_expression.register(tree.InitList)
    def _initlist(self, expr: tree.InitList) -> tuple[str, int]:
        return "{" + ", ".join(self.expression(item, 2) for item in expr.items) + "}", LEVELS["postfix"]

    @_expression.register(tree.Raw)
    def _raw(self, expr: tree.Raw) -> tuple[str, int]:
        return expr.text, LEVELS["postfix"]

    @_expression.register(tiles.TileAccess)
    def _tileaccess(self, expr: tiles.TileAccess) -> tuple[str, int]:
        assert self.access is not None
        return self.access(self, expr, "", None), LEVELS["postfix"]

    @_expression.register(tiles.TileCell)
    def _tilecell(self, expr: tiles.TileCell) -> tuple[str, int]:
        assert self.cell is not None
        return self.cell(self, expr), LEVELS["postfix"]

    @_expression.register(simt.CountThreads)
    def _countthreads(self, expr: simt.CountThreads) -> tuple[str, int]:
        return templates.macros("cuda/statements.cu.jinja").count_threads(self.expression(expr.condition)).strip(), 15

    def _write(self, target: tiles.TileAccess, op: str, value: str | None) -> tuple[str, int]:
        assert self.access is not None
        return self.access(self, target, op, value), LEVELS[","]

    def type(self, ctype: CType) -> str:
        """A type name."""
        return declaration(ctype, "", self.expression, self.dialect).rstrip()

    def declare(self, ctype: CType, name: str) -> str:
        """The declaration of a name."""
        return declaration(ctype, name, self.expression, self.dialect)


def _c_argument(function: str) -> str:
    """The parameter type of a mathematical function in C."""
    if function in ("abs", "labs", "llabs"):
        return {"abs": "int", "labs": "long"}.get(function, "long long")
    takes_others = CLASSIFYING | {"ldexp", "scalbn", "scalbln", "ldexpf", "scalbnf", "scalblnf"}
    if function not in PURE_CALLS - takes_others:
        return ""
    return "float" if function.endswith("f") and function[:-1] in PURE_CALLS else "double"


def _named_base(expr: tree.Member) -> tuple[tree.Expr, bool]:
    """What a member is written behind, past members without names, and whether with an arrow."""
    base = expr.base
    while isinstance(base, tree.Member) and not base.field:
        expr, base = base, base.base
    return base, expr.arrow
