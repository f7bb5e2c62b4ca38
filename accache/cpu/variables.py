"""What the variables of a kernel are when its threads run one after another between two barriers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from accache.cpu.definitions import parameter_name, separated
from accache.cpu.statements import Declarator, Statement, Unsupported, declarators
from accache.cpu.tokens import Token

_PURE = frozenset(
    (
        *("blockIdx", "blockDim", "gridDim", "x", "y", "z", "min", "max", "int", "long", "short", "char", "unsigned"),
        *("signed", "float", "double", "bool", "size_t", "true", "false", "INT_MAX", "LLONG_MAX", "UINT_MAX"),
    )
)
_PLACES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_COMPOUND = frozenset("+-*/%&|^")


def parameters_of(tokens: tuple[Token, ...]) -> list[Declarator]:
    """The parameters that a kernel's tokens declare; raises Unsupported for those of other forms."""
    found: list[Declarator] = []
    for first, end in separated(tokens, 0, len(tokens)):
        name = parameter_name(tokens[first:end])
        declared = declarators((*tokens, Token("mark_", ";", 0, 0)), first, end)
        if name and len(declared) == 1 and not declared[0].dimensions:
            found.append(declared[0])
        elif name:  # a pointer to an array: it may be read, and is copied where it changes
            found.append(Declarator("", "*", name, "", (0, 0), False))
        elif end - first > 1 or tokens[first].text != "void":
            raise Unsupported("a parameter")
    return found


Role: TypeAlias = Literal["uniform", "again", "kept"]


class Variable(Struct, frozen=True):
    """A variable of the statements around barriers, used in the half-open range ``scope`` of tokens.

    role: uniform (one value for the block), again (computed anew wherever it is used) or kept (one value a thread).
    ``place`` is the first token of its declaration; None for a parameter. ``is_header`` says that a for declares it.
    """

    number: int
    declared: Declarator
    scope: tuple[int, int]
    place: int | None
    is_header: bool
    role: Role
    by_reference: bool

    @property
    def name(self) -> str:
        """Its name in the text."""
        return self.declared.name

    @property
    def slot(self) -> str:
        """What its values of all threads are called."""
        return f"v{self.number}_{self.name}"


class Uses(Struct, frozen=True):
    """Where names are used and changed; ``addressed`` are those whose address may be known."""

    places: Mapping[str, tuple[int, ...]]
    changes: Mapping[str, tuple[int, ...]]
    addressed: frozenset[str]

    def changed_in(self, name: str, first: int, end: int) -> bool:
        """Whether a name's variable is changed in a half-open range of tokens."""
        return any(first <= place < end for place in self.changes.get(name, ()))

    def used_in(self, name: str, first: int, end: int) -> bool:
        """Whether a name is used in a half-open range of tokens."""
        return any(first <= place < end for place in self.places.get(name, ()))


def find_uses(tokens: tuple[Token, ...]) -> Uses:
    """The uses of all names that are no members."""
    places: dict[str, list[int]] = {}
    changes: dict[str, list[int]] = {}
    addressed: set[str] = set()
    for position, token in enumerate(tokens):
        if not token.is_name or _is_member(tokens, position):
            continue
        places.setdefault(token.text, []).append(position)
        if token.text not in _PLACES and _is_changed(tokens, position):
            changes.setdefault(token.text, []).append(position)
        if _is_addressed(tokens, position):
            addressed.add(token.text)
    return Uses(
        {name: tuple(found) for name, found in places.items()},
        {name: tuple(found) for name, found in changes.items()},
        frozenset(addressed),
    )


def _is_member(tokens: Sequence[Token], position: int) -> bool:
    before = "".join(token.text for token in tokens[max(0, position - 2) : position])
    return before.endswith((".", "->"))


def _is_changed(tokens: tuple[Token, ...], position: int) -> bool:
    following = [token.text for token in tokens[position + 1 : position + 4]] + ["", "", ""]
    one, two, three = following[:3]
    if one == "." or (one == "=" and two != "=") or (one in _COMPOUND and two == "="):
        return True
    if one in "<>" and two == one and three == "=":
        return True
    if one in ("+", "-") and two == one and tokens[position + 1].end == tokens[position + 2].start:
        return True
    before = tokens[max(0, position - 2) : position]
    texts = [token.text for token in before]
    return texts in (["+", "+"], ["-", "-"]) and before[0].end == before[1].start


def _is_addressed(tokens: tuple[Token, ...], position: int) -> bool:
    if position < 2 or tokens[position - 1].text != "&":
        return False
    before = tokens[position - 2]
    is_operand = (before.is_name and before.text != "return") or before.kind == "number" or before.text in ("]", "&")
    return not is_operand


def is_set_first(tokens: tuple[Token, ...], statements: Sequence[Statement], name: str) -> bool:
    """Whether each run of statements gives a variable a value before it uses it."""
    using = [one for one in statements if any(token.text == name for token in tokens[one.first : one.end])]
    if not using:
        return True
    first = using[0]
    if first.kind == "plain":
        texts = [token.text for token in tokens[first.first : first.end]]
        return texts[:2] == [name, "="] and texts[2] != "=" and texts.count(name) == 1
    in_header = any(token.text == name for one, end in first.header for token in tokens[one:end])
    if len(using) > 1 or in_header or first.kind not in ("block", "for", "while", "do", "if"):
        return False
    parts = (first.parts,) if first.kind == "block" else tuple((part,) for part in first.parts)
    return all(is_set_first(tokens, part, name) for part in parts)


class Scopes:
    """The variables that statements around barriers declare, and which of them a place sees."""

    def __init__(self, tokens: tuple[Token, ...], parameters: Sequence[Declarator], end: int) -> None:
        """Take the parameters of a kernel whose body ends at the token ``end``."""
        self.tokens = tokens
        self.uses = find_uses(tokens)
        self.variables: list[Variable] = []
        for parameter in parameters:
            changed = parameter.name in self.uses.changes or parameter.name in self.uses.addressed
            self._add(parameter, (0, end), None, "kept" if changed else "uniform")

    def declare(self, statement: Statement, scope_end: int) -> tuple[Variable, ...]:
        """The variables a statement around barriers declares; their scope ends at ``scope_end``."""
        found = declarators(self.tokens, statement.first, statement.end - 1)
        roles = self._roles(found)
        return tuple(
            self._add(one, (statement.first, scope_end), statement.first, role)
            for one, role in zip(found, roles, strict=True)
        )

    def _roles(self, found: Sequence[Declarator]) -> list[Role]:
        """The roles of the variables of one declaration."""
        earlier: dict[str, Role] = {}
        for one in found:
            is_changed = not one.is_const and bool(self.uses.changes.get(one.name, ())[1:])
            fixed = not is_changed and one.name not in self.uses.addressed
            first, end = one.value
            if not fixed or one.dimensions or one.pointer or first == end:
                earlier[one.name] = "kept"
            elif self.is_uniform(first, end, earlier):
                earlier[one.name] = "uniform"
            else:
                earlier[one.name] = "again" if self.is_uniform(first, end, earlier, of_thread=True) else "kept"
        roles = [earlier[one.name] for one in found]
        if len(set(roles)) == 1:
            return roles
        return ["again" if role == "uniform" else role for role in roles]

    def declare_header(self, loop: Statement) -> tuple[tuple[Variable, ...], bool]:
        """The variables a for declares, and whether the whole header has one meaning for the block."""
        (first, end), condition, step = loop.header
        found = declarators(self.tokens, first, end)
        uniform = {one.name: "uniform" for one in found if not one.pointer and not one.dimensions}
        body = loop.parts[0]
        is_uniform = (
            all(one.name in uniform and self.is_uniform(*one.value, uniform) for one in found)
            and (bool(found) or first == end)
            and not any(self.uses.changed_in(name, body.first, body.end) for name in uniform)
            and not any(self.uses.changed_in(name, *condition) for name in self.uses.changes)
            and not any(name in self.uses.addressed for name in uniform)
            and self.is_uniform(*condition, uniform)
            and self.is_uniform(*step, uniform)
            and all(name in uniform for name in self._changed_names(*step))
        )
        role: Role = "uniform" if is_uniform else "kept"
        variables = tuple(self._add(one, (loop.first, loop.end), loop.first, role, is_header=True) for one in found)
        return variables, is_uniform

    def _changed_names(self, first: int, end: int) -> Iterator[str]:
        return (name for name in self.uses.changes if self.uses.changed_in(name, first, end))

    def is_uniform(
        self, first: int, end: int, known: Mapping[str, str] | None = None, *, of_thread: bool = False
    ) -> bool:
        """Whether an expression has one value for the block whenever it is computed; or, then, one a thread."""
        accepted = ("uniform", "again") if of_thread else ("uniform",)
        for position in range(first, end):
            token = self.tokens[position]
            if token.text in ("[", "{") or (token.text == ">" and self.tokens[position - 1].text == "-"):
                return False
            if not token.is_name or _is_member(self.tokens, position) or (of_thread and token.text == "threadIdx"):
                continue
            role = (known or {}).get(token.text) or self._role_at(token.text, position)
            if role not in accepted and not (role is None and token.text in _PURE):
                return False
        return True

    def _role_at(self, name: str, position: int) -> str | None:
        variable = self.seen(name, position)
        if variable is None:
            return None
        return "kept" if variable.declared.pointer or variable.declared.dimensions else variable.role

    def seen(self, name: str, position: int) -> Variable | None:
        """The variable a name means at a place, of those around barriers."""
        for variable in reversed(self.variables):
            if variable.name == name and variable.scope[0] <= position < variable.scope[1]:
                return variable
        return None

    def _add(
        self, declared: Declarator, scope: tuple[int, int], place: int | None, role: Role, *, is_header: bool = False
    ) -> Variable:
        if {"auto", "static", "extern", "volatile", "typedef"} & set(declared.base.split()):
            raise Unsupported(declared.base)
        if any(one.name == declared.name and one.scope[0] <= scope[0] < one.scope[1] for one in self.variables):
            raise Unsupported("a hidden variable")  # what is computed anew would mean the inner one
        by_reference = bool(declared.dimensions) or declared.name in self.uses.addressed
        variable = Variable(
            len(self.variables), declared, scope, place, is_header=is_header, role=role, by_reference=by_reference
        )
        self.variables.append(variable)
        return variable
