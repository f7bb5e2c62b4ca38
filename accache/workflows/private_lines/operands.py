"""What expressions are made of: numbers, names, casts by name, macros that are arithmetic, and calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from accache.cpu.tokens import Token
from accache.workflows.private_lines import names
from accache.workflows.private_lines.declared import Function, Macro
from accache.workflows.private_lines.reading import Found, Reader, RefusedError, Value
from accache.workflows.private_lines.types import (
    BUILTIN,
    GROUP,
    TEXT,
    VOID,
    Type,
    base_at,
    declared_at,
    number,
    pointer,
)

_NUMBER = re.compile(r"(?:0[xXbB])?[\d'.a-fA-F]*(?:[eEpP][+-]?\d+)?(?:[uUlLfF]|[zZ])*")
_MADE = re.compile(r"make_(\w+[1-4])")
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))


class Operands(Reader):
    """Reads what operators stand between."""

    def expression(self) -> Value:
        """``a, b``."""
        raise NotImplementedError

    def assignment(self) -> Value:
        """``a = b``."""
        raise NotImplementedError

    def unary(self) -> Value:
        """``-a``."""
        raise NotImplementedError

    def within(self, words: Sequence[Token], scope: dict[str, Type | None], found: Found, name: str) -> Operands:
        """A reader of what the macro ``name`` stands for."""
        raise NotImplementedError

    def pure(self, name: str, function: Function) -> tuple[Type, ...] | None:
        """The types of a function's parameters if it takes values and reaches no memory; None otherwise."""
        raise NotImplementedError

    def converted(self, made: Type | None, value: Value, token: Token) -> Value:
        """A value as a type that a cast names."""
        given = self.read(value, token)
        if made is not None and made.kind == "void":
            return Value(VOID)
        if made is None or made.kind not in ("number", "pointer") or given.kind not in ("number", "pointer"):
            raise RefusedError("a conversion may be one of its own", token)
        return Value(made)

    def primary(self) -> Value:
        """A literal, a name, a call, or what stands in parentheses."""
        token = self.word
        if token.kind == "number" and _NUMBER.fullmatch(token.text):
            self.take()
            return Value(number())
        if token.kind == "character":
            self.take()
            return Value(number())
        if token.kind == "string" and '"' in token.text:
            self.take()
            return Value(TEXT)
        if token.text == "(":
            self.take()
            value = self.expression()
            self.expect(")")
            return value
        if token.text in _CASTS:
            return self._named_cast()
        if not token.is_name and token.text != "::":
            raise self.unread()
        if not self.is_variable(token.text) and token.text not in self.program.functions:
            made, place = base_at(self.words, self.place, self.program.types)
            if made is not None and self.words[place].text in ("(", "{"):
                self.place = place
                return self.constructed(made)
        return self._named()

    def _named_cast(self) -> Value:
        self.take()
        self.expect("<")
        made, self.place = base_at(self.words, self.place, self.program.types)
        made, name, self.place = declared_at(self.words, self.place, made)
        if name:
            raise self.unread()
        self.expect(">")
        self.expect("(")
        first = self.word
        value = self.converted(made, self.expression(), first)
        self.expect(")")
        return value

    def constructed(self, made: Type) -> Value:
        """``int(x)`` and ``pair{x, y}`` from their bracket on."""
        if self.is_at("{"):
            self.braces(made)
            return Value(made)
        first = self.word
        values = self.arguments()
        kinds = [self.read(value, token) for value, token in values]
        if made.kind == "record" and (len(kinds) != 1 or not kinds[0].same(made)):
            if made.name != "dim3" or any(kind.kind != "number" for kind in kinds):
                raise RefusedError("a constructor may be one of its own", first)
        elif (
            made.kind == "number" and (len(kinds) > 1 or any(kind.kind not in ("number", "pointer") for kind in kinds))
        ) or made.kind not in ("number", "record"):
            raise self.unread()
        return Value(made)

    def braces(self, made: Type | None) -> None:
        """A list in braces, of what numbers, structures and arrays are made of."""
        if made is None or made.kind not in ("number", "record", "array", "pointer"):
            raise self.unread()
        self.expect("{")
        inner = made.target if made.kind == "array" else None
        for index in range(1 << 30):
            if self.is_at("}"):
                break
            if self.is_at("."):
                self.place += 2
                self.expect("=")
            if made.kind == "record":
                inner = made.members[index][1] if index < len(made.members) else None
            if self.is_at("{"):
                self.braces(inner)
            else:
                first = self.word
                self.read(self.assignment(), first)
            if not self.is_at("}"):
                self.expect(",")
        self.expect("}")

    def _named(self) -> Value:
        first = self.word
        while self.is_at("::") or (self.word.is_name and self.words[self.place + 1].text == "::"):
            self.take()
        token = self.take()
        before = self.words[self.place - 3].text if self.words[self.place - 2].text == "::" else ""
        name, is_plain = token.text, first is token
        if before in self.program.types or before in BUILTIN:
            raise RefusedError(f"{name} may be a member of a class", token)
        if is_plain and self.is_variable(name):
            return self._variable(token)
        if name in self.program.macros:
            return self._macro(token)
        if self.is_at("("):
            return self._call(token, before)
        if name in names.POSITIONS and name not in self.program.variables:
            return Value(BUILTIN["dim3"])
        if name in self.program.variables:
            variable = self.program.variables[name]
            if variable is None:
                raise RefusedError(f"the variable {name} is not recognised", token)
            if variable.in_memory and variable.type.kind != "array":
                self.reach(token)
            made = variable.type
            return Value(pointer(made.target) if variable.in_memory and made.kind == "array" else made)
        if name in names.NUMBERS and name not in self.program.functions:
            return Value(number(8))
        raise RefusedError(f"this use of {name} is not recognised", token)

    def is_variable(self, name: str) -> bool:
        """Whether a name is one of the kernel's own."""
        return any(name in scope for scope in self.scopes)

    def _variable(self, token: Token) -> Value:
        name = token.text
        made = next(scope[name] for scope in reversed(self.scopes) if name in scope)
        if self.macro and name in self.served:
            raise self.refused_macro()
        if name in self.served:
            return Value(pointer(self.served[name]), pointer=name, is_bare=True)
        if made is None:
            raise RefusedError(f"the type of {name} is not recognised", token)
        return Value(made)

    def arguments(self) -> list[tuple[Value, Token]]:
        """What stands in parentheses, between commas."""
        self.expect("(")
        found: list[tuple[Value, Token]] = []
        while not self.is_at(")"):
            first = self.word
            found.append((self.assignment(), first))
            if not self.is_at(")"):
                self.expect(",")
        self.take()
        return found

    def _macro(self, token: Token) -> Value:
        """A macro that is arithmetic of its arguments, and of what the kernel has beside its pointers."""
        macro = self.program.macros[token.text]
        error = RefusedError(f"the macro {token.text} may hide what lines must know of", token)
        if macro is None or token.text in self.through:
            raise error
        values: list[tuple[Value, Token]] = self.arguments() if macro.parameters is not None else []
        if len(values) != len(macro.parameters or ()):
            raise error
        kinds = [self.read(value, first) for value, first in values]
        made = self._replaced(token, macro, kinds)
        elements = tuple(name for value, _ in values for name in value.elements)
        return Value(made, elements, "it is what a macro gives")

    def _replaced(self, token: Token, macro: Macro, kinds: Sequence[Type]) -> Type:
        """The type of what a macro stands for."""
        scope: dict[str, Type | None] = dict(zip(macro.parameters or (), kinds, strict=True))
        found = Found()
        end = Token("end", "", token.start, token.end)
        inner = self.within((*macro.words, end), scope, found, token.text)
        try:
            value = inner.expression()
            made = inner.read(value, token)
            inner.expect("")
        except RefusedError:
            raise RefusedError(f"the macro {token.text} may hide what lines must know of", token) from None
        if found.other is not None:
            self.reach(token)
        return made

    # Calls

    def _call(self, token: Token, space: str) -> Value:
        """A call that reaches no memory, or is atomic."""
        name = token.text
        if name in self.program.functions:
            return self._own_call(token)
        if name in names.ATOMICS and not space:
            return self._atomic(token)
        if name in names.GROUPS and space in ("cg", "cooperative_groups"):
            self.expect("(")
            self.expect(")")
            return Value(GROUP)
        if name in ("printf", "assert") and space in ("", "std"):
            for value, first in self.arguments():
                if self.read(value, first).kind not in ("number", "text"):
                    raise RefusedError(f"{name}() may reach memory", token)
            return Value(VOID if name == "assert" else number())
        made = _MADE.fullmatch(name)
        if made and made[1] in BUILTIN and made[1] not in self.program.types and not space:
            self._numbers(token)
            return Value(BUILTIN[made[1]])
        if name in names.BARRIERS:
            raise RefusedError(f"{name}() is a barrier, and its value is used", token)
        if name not in names.PURE or space not in ("", "std"):
            raise RefusedError(f"{name}() may reach memory, and is only a part of its statement", token)
        self._numbers(token)
        return Value(number(8))

    def _numbers(self, token: Token) -> None:
        for value, first in self.arguments():
            if self.read(value, first).kind != "number":
                raise RefusedError(f"{token.text}() may be one of its own", token)

    def _own_call(self, token: Token) -> Value:
        function = self.program.functions[token.text]
        kinds = None if function is None else self.pure(token.text, function)
        if function is None or kinds is None or function.returns is None:
            raise RefusedError(f"{token.text}() may reach memory, and is only a part of its statement", token)
        values = self.arguments()
        given = [self.read(value, first) for value, first in values]
        if len(given) != len(kinds) or not all(one.same(two) for one, two in zip(given, kinds, strict=True)):
            raise RefusedError(f"{token.text}() may convert what it is given", token)
        return Value(function.returns)

    def _atomic(self, token: Token) -> Value:
        """``atomicAdd(&bins[i], 1)``: what it reaches has no line."""
        self.expect("(")
        first = self.word
        if self.is_at("&"):
            self.take()
            value = self.unary()
            self.refuse(value, "an atomic function reaches it", first)
        else:
            value = self.assignment()
            self.refuse(value, "an atomic function reaches it", first)
            self.read(value, first)
            self.reach(first)
        while not self.is_at(")"):
            self.expect(",")
            start = self.word
            self.read_number(self.assignment(), start)
        self.take()
        return Value(number(8))
