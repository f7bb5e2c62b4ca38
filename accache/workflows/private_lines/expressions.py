"""The expressions of a kernel, read by a strict grammar: what lines cannot serve for certain is refused.

Elements that are written stay as they stand, ``out[i] += x``: the pointer's own operators serve them. Elements that
are read become values, ``out.read(i)``, so that overloads and auto see the same types as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from accache.base.text import Edit, Span
from accache.cpu.tokens import Token
from accache.workflows.private_lines import names
from accache.workflows.private_lines.operands import Operands
from accache.workflows.private_lines.reading import ELSEWHERE, Found, RefusedError, Value
from accache.workflows.private_lines.types import Type, base_at, declared_at, number, pointer
from accache.workflows.private_lines.words import ASSIGNING, PRECEDENCE

_MEMBERS = "members of its elements are written"


class Expressions(Operands):
    """Reads expressions."""

    def within(self, words: Sequence[Token], scope: dict[str, Type | None], found: Found, name: str) -> Expressions:
        """A reader of what the macro ``name`` stands for."""
        return Expressions(
            self.program,
            words,
            0,
            served={name: made for name, made in self.served.items() if name not in scope},
            scopes=[*self.scopes, scope],
            found=found,
            through=(*self.through, name),
            macro=name,
        )

    def expression(self) -> Value:
        """``a, b``."""
        first = self.word
        value = self.assignment()
        while self.is_at(","):
            comma = self.take()
            if value.type.kind == "record":
                raise RefusedError(", may be an operator of its own", comma)
            self.discard(value, first)
            first = self.word
            value = replace(self.assignment(), refusal="it is what a comma gives")
        return value

    def assignment(self) -> Value:
        """``a = b``."""
        first = self.word
        target = self._conditional()
        if self.word.text not in ASSIGNING:
            return target
        operator = self.take()
        if self.is_at("{"):
            return self._assigned_list(target, operator, first)
        start = self.word
        return self._assigned(target, operator, self.assignment(), start)

    def _assigned(self, target: Value, operator: Token, value: Value, start: Token) -> Value:
        if target.pointer:
            if not target.is_bare or operator.text not in ("+=", "-="):
                raise RefusedError(ELSEWHERE, operator, target.pointer)
            self.read_number(value, start)
            self.change(target, operator)
            return replace(target, is_bare=False, steps=True)
        given = self.read(value, start)
        kind = target.type.kind
        fits = given.kind == "number" if kind == "number" else operator.text == "=" and given.same(target.type)
        if kind == "pointer":
            fits = given.kind in ("pointer", "number")
        if not fits or kind not in ("number", "record", "pointer"):
            raise RefusedError(f"{operator.text} may be an operator of its own", operator)
        return self._changed(target, operator)

    def _assigned_list(self, target: Value, operator: Token, first: Token) -> Value:
        """``a[i] = {x, y}`` is ``a[i] = pair{x, y}``."""
        if operator.text != "=" or target.pointer:
            raise self.unread()
        if target.elements:
            if target.type.kind != "record" or target.type.name.startswith("("):
                raise RefusedError("a list is assigned to it", first, target.elements[0])
            place = self.word.start
            self.found.edits.append(Edit(Span(place, place), target.type.spelled))
        self.braces(target.type)
        return self._changed(target, operator)

    def _changed(self, target: Value, token: Token) -> Value:
        """An lvalue after its change."""
        self.change(target, token)
        return replace(target, refusal="an assignment to it is used as a variable", reading=())

    def _conditional(self) -> Value:
        first = self.word
        value = self._binary(1)
        if not self.is_at("?"):
            return value
        self._condition(value, first)
        self.take()
        one = self._branch(self.expression)
        self.expect(":")
        two = self._branch(self.assignment)
        known = next((each.type for each in (one, two) if each.type.kind in ("pointer", "record")), one.type)
        if known.kind == "record" and not one.type.same(two.type):
            raise RefusedError("an operator may be one of its own", first)
        return Value(known, (*one.elements, *two.elements), "it is what a ?: gives")

    def _branch(self, parse: Callable[[], Value]) -> Value:
        first = self.word
        value = parse()
        return replace(value, type=self.read(value, first), reading=())

    def _condition(self, value: Value, token: Token) -> None:
        if not _is_asked(value) and self.read(value, token).kind not in ("number", "pointer"):
            raise RefusedError("an operator may be one of its own", token)

    def condition(self) -> None:
        """What a condition reads."""
        first = self.word
        self._condition(self.expression(), first)

    def _binary(self, level: int) -> Value:
        first = self.word
        left = self.unary()
        while PRECEDENCE.get(self.word.text, 0) >= level:
            operator = self.take()
            start = self.word
            right = self._binary(PRECEDENCE[operator.text] + 1)
            left = self._combined(left, operator, right, first, start=start)
        return left

    def _combined(self, left: Value, operator: Token, right: Value, first: Token, *, start: Token) -> Value:
        if left.pointer and operator.text in ("+", "-") and not left.steps:
            self.read_number(right, start)
            return replace(left, is_bare=False)
        one, two = self._operand(left, operator, first), self._operand(right, operator, start)
        kinds = {one.kind, two.kind}
        if not kinds <= {"number", "pointer"}:
            raise RefusedError(f"{operator.text} may be an operator of its own", operator)
        if operator.text in ("+", "-") and kinds == {"number", "pointer"}:
            return Value(one if one.kind == "pointer" else two)
        return Value(number(max(one.size, two.size, 4)))

    def _operand(self, value: Value, operator: Token, token: Token) -> Type:
        """The type of an operand, which is read; a pointer may be asked whether it is one, also by ``a != nullptr``."""
        is_null = self.words[self.place - 1].text == "nullptr"
        is_condition = operator.text in ("&&", "||") or (operator.text in ("==", "!=") and is_null)
        return pointer(value.type) if is_condition and _is_asked(value) else self.read(value, token)

    def unary(self) -> Value:
        """``-a``, and what binds closer."""
        token = self.word
        if token.text in ("+", "-", "!", "~"):
            self.take()
            first = self.word
            operand = self.unary()
            if token.text == "!" and _is_asked(operand):
                return Value(number(4))
            made = self.read(operand, first)
            if made.kind != "number" and not (made.kind == "pointer" and token.text == "!"):
                raise RefusedError(f"{token.text} may be an operator of its own", token)
            return Value(number(max(made.size, 4)))
        if token.text in ("++", "--"):
            self.take()
            value = self._stepped(self.unary(), token)
            return replace(value, reading=None) if value.pointer else value
        if token.text == "*":
            self.take()
            return self._dereferenced(token)
        if token.text == "&":
            self.take()
            return self._address(self.unary(), token)
        if token.text in ("sizeof", "alignof"):
            return self._size()
        cast = self._cast()
        return cast if cast is not None else self._postfix(self.primary())

    def _stepped(self, value: Value, token: Token) -> Value:
        if value.pointer:
            if not value.is_bare:
                raise RefusedError(ELSEWHERE, token, value.pointer)
            self.change(value, token)
            return replace(value, is_bare=False, steps=True)
        if value.type.kind not in ("number", "pointer"):
            raise RefusedError(f"{token.text} may be an operator of its own", token)
        return self._changed(value, token)

    def _dereferenced(self, star: Token) -> Value:
        first = self.word
        value = self.unary()
        if value.pointer:
            return self._element(value, star, (_removed(star), _inserted(self.words[self.place - 1].end, ".read(0)")))
        if value.type.kind == "array" and not value.elements and value.type.target is not None:
            return Value(value.type.target)
        made = self.read(value, first)
        self.reach(star)
        return self._target(made, star)

    def _target(self, made: Type, token: Token) -> Value:
        if made.kind == "pointer" and made.target is None:
            raise RefusedError(f"the type of what {token.text} reaches is not recognised", token)
        if made.kind != "pointer" or made.target is None or made.target.kind == "void":
            raise RefusedError(f"{token.text} may be an operator of its own", token)
        return Value(made.target)

    def _element(self, value: Value, token: Token, reading: tuple[Edit, ...]) -> Value:
        """What a parameter's pointer leads to; ``reading`` are the edits of one that may be written."""
        element = self.served[value.pointer]
        self.found.used.append((value.pointer, token.start))
        edits = () if element.is_const else None if value.reading is None else reading
        return Value(element, (value.pointer,), reading=edits)

    def _address(self, value: Value, token: Token) -> Value:
        self.refuse(value, ELSEWHERE if value.pointer else "the address of an element is taken", token)
        if self.macro:
            raise self.refused_macro()
        if value.type.kind == "record" and self.program.operators:
            raise RefusedError("& may be an operator of its own", token)
        return Value(pointer(value.type))

    def _size(self) -> Value:
        token = self.take()
        if self.is_at("("):
            made, place = base_at(self.words, self.place + 1, self.program.types)
            if place > self.place + 1 and not self.is_variable(self.words[self.place + 1].text):
                _, name, place = declared_at(self.words, place, made)
                if name or self.words[place].text != ")":
                    raise self.unread()
                self.place = place + 1
                return Value(number(8))
        value = self.unary()
        if value.pointer or value.type.kind == "array":
            self.refuse(value, ELSEWHERE, token)
            return Value(number(8))
        self.read(value, token)
        return Value(number(8))

    def _cast(self) -> Value | None:
        """``(type)value``; None if no type stands there."""
        if not self.is_at("(") or self.is_variable(self.words[self.place + 1].text):
            return None
        made, place = base_at(self.words, self.place + 1, self.program.types)
        if place == self.place + 1:
            return None
        made, name, place = declared_at(self.words, place, made)
        if name or self.words[place].text != ")":
            return None
        self.place = place + 1
        first = self.word
        return self.converted(made, self.unary(), first)

    def _postfix(self, value: Value) -> Value:
        first = self.words[self.place - 1]
        while True:
            token = self.word
            if token.text == "[":
                value = self._subscript(value, first)
            elif token.text in (".", "->"):
                value = self._member(value)
            elif token.text in ("++", "--"):
                value = self._stepped(value, self.take())
                if not value.pointer:
                    value = Value(value.type)
            else:
                return value

    def _subscript(self, value: Value, first: Token) -> Value:
        opening = self.take()
        start = self.word
        self.read_number(self.assignment(), start)
        close = self.expect("]")
        if value.pointer:
            return self._element(value, opening, (_changed(opening, ".read("), _changed(close, ")")))
        if value.type.kind == "array" and value.type.target is not None:
            refusal = _MEMBERS if value.elements else ""
            return replace(value, type=value.type.target, refusal=refusal)
        made = self.read(value, first)
        self.reach(opening)
        return self._target(made, opening)

    def _member(self, value: Value) -> Value:
        mark, name = self.take(), self.take()
        if value.type.kind == "group" and mark.text == "." and name.text in names.GROUP_NUMBERS:
            self.expect("(")
            self.expect(")")
            return Value(number(8))
        if mark.text == "->":
            if value.pointer:
                value = replace(self._element(value, mark, ()), reading=())
            else:
                made = self.read(value, mark)
                self.reach(mark)
                value = self._target(made, mark)
        member = dict(value.type.members).get(name.text) if value.type.kind == "record" else None
        if member is None or self.is_at("("):
            raise RefusedError(f"{name.text} may be a function of its class", name)
        return replace(value, type=member, refusal=_MEMBERS if value.elements else "")


def _is_asked(value: Value) -> bool:
    """Whether a condition may ask a value if it is null: a parameter's pointer that does not move meanwhile."""
    return bool(value.pointer) and not value.steps


def _changed(token: Token, text: str) -> Edit:
    return Edit(Span(token.start, token.end), text)


def _removed(token: Token) -> Edit:
    return _changed(token, " ")  # sizeof*a


def _inserted(place: int, text: str) -> Edit:
    return Edit(Span(place, place), text)
