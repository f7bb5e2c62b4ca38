"""Generic ways through the tree: children, pre-order walks, bottom-up rewriting, and who assigns what."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from accache.ir.kernels.simt import CanonicalLoop, Formula, ParallelFor, SharedArray
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Block,
    Cache,
    Case,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLiteral,
    ImaginaryLiteral,
    IntLiteral,
    Label,
    Member,
    SizeOf,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, CType, Pointer, element_type, is_scalar, resolve

Node: TypeAlias = Expr | Stmt
N = TypeVar("N", Expr, Stmt)
S = TypeVar("S")
R = TypeVar("R")
_WORD = re.compile(r"\w+")
_PLAIN = frozenset({"str", "int", "bool", "float", "None", "Polynomial"})
"""The types of fields that hold no node."""
VALUE_OPERATORS = ("+", "-", "!", "~")


def remembered(function: Callable[[S], R]) -> Callable[[S], R]:
    """A function that looks at each node or other frozen value only once: they never change."""
    key = _key(function)

    @wraps(function)
    def remembering(node: S) -> R:
        known: dict[str, R] = node.__dict__
        try:
            return known[key]
        except KeyError:
            return known.setdefault(key, function(node))

    return remembering


def _key(function: Callable[[S], R]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def remember(function: Callable[[S], R], node: S, value: R) -> R:
    """Let a remembered function have a value for a node that it need not compute; the value."""
    known: dict[str, R] = node.__dict__
    return known.setdefault(_key(function), value)


@remembered
def children(node: Node) -> tuple[Node, ...]:
    """The expressions and statements right below a node, in source order.

    Types count where the source writes them (declarations, casts, sizeof): the ``n`` of ``double row[n]`` is a child
    of its declaration. First value and limit of a parallel loop are
    its children; other records that a node carries (clauses, tiles) are not entered.
    """
    found: list[Node] = []
    kind: Any = type(node)
    for name in _child_fields(kind):
        value = getattr(node, name)
        if isinstance(value, (Expr, Stmt)):
            found.append(value)
        elif value is not None:
            found += _nodes(value)
    return tuple(found)


@remembered
def walk(node: Node) -> tuple[Node, ...]:
    """A node and everything below it, parents before children, in source order."""
    found: list[Node] = []
    pending = [node]
    while pending:
        current = pending.pop()
        known = vars(current).get(_WALK)  # of a part that was walked before, such as one of a tree made anew
        if known is not None:
            found += known
            continue
        found.append(current)
        if inner := children(current):
            pending += inner[::-1]
    return tuple(found)


_WALK = _key(walk)


@remembered
def _by_class(node: Node) -> dict[type, tuple[Any, ...]]:
    """The nodes in a tree by their classes, in source order."""
    found: dict[type, list[Node]] = defaultdict(list)
    for part in walk(node):
        found[type(part)].append(part)
    return {kind: tuple(parts) for kind, parts in found.items()}


def nodes_of(node: Node, kind: type[S]) -> tuple[S, ...]:
    """The nodes of one class, which has no subclasses, in a tree, in source order."""
    return _by_class(node).get(kind, ())


def items_of(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements of a block, or the one statement that stands in the place of a block."""
    return stmt.items if isinstance(stmt, Block) else (stmt,)


def map_children(node: N, change: Callable[[Node], Node]) -> N:
    """A node with ``change`` applied to what is right below it; the same object if that changed nothing."""
    changed: dict[str, Any] = {}
    kind: Any = type(node)
    for name in _child_fields(kind):
        old = getattr(node, name)
        if isinstance(old, (Expr, Stmt)):
            new: Any = change(old)
        elif old:
            new = _mapped(old, change)
        else:
            continue  # None, or an empty tuple
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def rewrite(node: N, change: Callable[[Node], Node], *kinds: type) -> N:
    """Rebuild a tree bottom-up: ``change`` sees each node after its children were rewritten and returns its successor.

    An expression must become an expression and a statement a statement. A tree in which ``change`` changed nothing
    comes back as the same object. If it changes nodes of some ``kinds`` only, trees without any are not looked at.
    """
    if kinds and _by_class(node).keys().isdisjoint(kinds):
        return node

    def rewritten(part: Any) -> Node:
        return change(map_children(part, rewritten))

    return cast("N", rewritten(node))


@remembered
def used_variables(node: Node) -> frozenset[str]:
    """The names of all variables (arrays too) that occur in a tree, assigned or read."""
    names: set[str] = set()
    for part in walk(node):
        if isinstance(part, Variable):
            names.add(part.name)
        elif isinstance(part, Formula):
            names |= part.polynomial.names
    return frozenset(names)


def named_by_directives(node: Node) -> frozenset[str]:
    """The variables in the bounds of the cache directives in a tree, and the arrays and pointers that these name."""
    subarrays = [item for cache in nodes_of(node, Cache) for item in cache.subarrays]
    parts = [bound for item in subarrays for part in item.dimensions for bound in (part.lower, part.length)]
    parts += [item.base for item in subarrays]
    return frozenset(name for part in parts if part is not None for name in used_variables(part))


@remembered
def assigned_variables(node: Node) -> frozenset[str]:
    """The variables a tree may give a new value: targets of assignments, of ``++`` and ``--``, and of ``&x``.

    A declaration does not count (see ``declared_variables``). A member assignment counts for its struct variable;
    writing an element of an array or through a pointer does not count for the array or pointer.
    """
    changing = (*nodes_of(node, Assign), *nodes_of(node, Unary))
    roots = [place_variable(target) for part in changing if (target := assigned_place(part)) is not None]
    return frozenset([root for root in roots if root is not None])


@remembered
def declared_variables(node: Node) -> frozenset[str]:
    """The variables a tree declares, those of parallel loops among them."""
    found = [part.name for part in nodes_of(node, Declare)]
    found += [part.name for part in nodes_of(node, SharedArray)]
    found += [part.loop.variable for part in nodes_of(node, ParallelFor)]
    return frozenset(found)


def with_definitions(names: Iterable[str], definitions: Mapping[str, Expr]) -> frozenset[str]:
    """Names, and those that what defines them uses."""
    found, pending = set[str](), set(names)
    while pending:
        found |= pending
        pending = {name for each in pending & definitions.keys() for name in used_variables(definitions[each])} - found
    return frozenset(found)


def varying_variables(body: Node) -> frozenset[str]:
    """The variables whose value may differ from one execution of a loop body to the next."""
    return assigned_variables(body) | declared_variables(body)


@remembered
def single_definitions(stmt: Stmt) -> Mapping[str, Expr]:
    """The scalars that stand for one expression wherever they are visible: name -> initialiser.

    They are declared with an initialiser inside ``stmt``, are never assigned and never have their address taken in
    it, and their initialiser computes on literals and variables alone (no memory, no calls), none of which is
    assigned between the declaration and the end of its scope. The step of an enclosing for loop lies outside that
    scope, so ``int im1 = i - 1;`` in the loop over ``i`` is a definition. Not seen: a global that a called function
    changes.
    """
    found = _single_initialisers(stmt).items()
    return MappingProxyType({name: init for name, init in found if is_computed(init)})


def single_addresses(stmt: Stmt) -> dict[str, Expr]:
    """The pointers that stand for one address wherever they are visible: name -> initialiser.

    They are like ``single_definitions``, but the initialiser may use memory, which need not stay as it is.
    """
    found = _single_initialisers(stmt).items()
    return {name: init for name, init in found if element_type(init.type) is not None}


def _single_initialisers(stmt: Stmt) -> dict[str, Expr]:
    """The initialisers of scalars that are not assigned, nor what is used in the initialiser while they are visible."""
    assigned = assigned_variables(stmt)
    return {
        declare.name: declare.init
        for declare, scope in _declarations(stmt, (stmt,))
        if declare.init is not None
        and declare.name not in assigned
        and _is_plain(declare)
        and not any(used_variables(declare.init) & assigned_variables(part) for part in scope)
    }


def _declarations(stmt: Stmt, scope: tuple[Stmt, ...]) -> Iterator[tuple[Declare, tuple[Stmt, ...]]]:
    """The declarations in a statement, each with the statements that may run while it is visible."""
    if isinstance(stmt, Declare):
        yield stmt, scope
    elif isinstance(stmt, Block):
        for index, item in enumerate(stmt.items):
            yield from _declarations(item, stmt.items[index:])
    else:
        inner = scope if isinstance(stmt, (Case, Label)) else (stmt,)
        for child in children(stmt):
            if isinstance(child, Stmt):
                yield from _declarations(child, inner)


def _is_plain(declare: Declare) -> bool:
    """Whether a declaration makes an automatic, non-volatile scalar."""
    plain = resolve(declare.type)
    volatile = isinstance(plain, Arithmetic) and plain.volatile
    return is_scalar(plain) and not declare.static and not volatile


def is_computed(expr: Expr) -> bool:
    """Whether an expression is computed from variables and literals alone, without memory or calls."""
    return all(_is_value(part) for part in walk(expr))


def _is_value(part: Node) -> bool:
    """Whether an expression node computes on its operands alone."""
    if isinstance(part, Variable):
        plain = resolve(part.type)
        return not (isinstance(plain, Arithmetic) and plain.volatile)
    if isinstance(part, Unary):
        return part.op in VALUE_OPERATORS
    return isinstance(part, (IntLiteral, FloatLiteral, ImaginaryLiteral, Binary, Cast, Conditional, SizeOf, Formula))


def assigned_place(part: Node) -> Expr | None:
    """The expression a node assigns or takes the address of."""
    if isinstance(part, Assign):
        return part.target
    if isinstance(part, Unary) and (part.op in STEPPING or part.op == "&"):
        return part.operand
    return None


def place_variable(target: Expr) -> str | None:
    """The variable an lvalue lives in, be it in an array inside of a structure; None behind a pointer or an array."""
    of_array = False
    while True:
        if isinstance(target, Member) and not target.arrow:
            target = target.base
        elif isinstance(target, Subscript) and isinstance(resolve(target.base.type), Array):
            of_array, target = True, target.base
        else:
            break
    if not isinstance(target, Variable) or (of_array and isinstance(resolve(target.type), Array)):
        return None
    return target.name


@cache
def _child_fields(kind: Any) -> tuple[str, ...]:
    """The fields of a class of nodes in which children may stand; an expression's own type was not written there."""
    types = {name: written for base in kind.__mro__ for name, written in getattr(base, "__annotations__", {}).items()}
    left_out = ("location",) if issubclass(kind, (Stmt, Cast)) else ("location", "type")
    fields = (name for name in kind.__struct_fields__ if name not in left_out)
    return tuple(name for name in fields if not _PLAIN.issuperset(_WORD.findall(types[name])))


def _nodes(value: object) -> list[Node]:
    """The nodes in one field's value."""
    if isinstance(value, (Expr, Stmt)):
        return [value]
    if isinstance(value, CanonicalLoop):
        return [value.first, value.limit]
    if isinstance(value, tuple):
        return [node for item in value for node in _nodes(item)]
    if isinstance(value, Array):
        return _nodes(value.length) + _nodes(value.element)
    return _nodes(value.target) if isinstance(value, Pointer) else []


def _mapped(value: Any, change: Callable[[Node], Node]) -> Any:
    """One field's value with the nodes in it changed; the same object if none changed."""
    if isinstance(value, (Expr, Stmt)):
        return change(value)
    if isinstance(value, CanonicalLoop):
        first, limit = _mapped(value.first, change), _mapped(value.limit, change)
        same = first is value.first and limit is value.limit
        return value if same else replace(value, first=first, limit=limit)
    if isinstance(value, tuple):
        items = tuple(_mapped(item, change) for item in value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return _mapped_type(value, change) if isinstance(value, CType) else value


def _mapped_type(ctype: CType, change: Callable[[Node], Node]) -> CType:
    """A written type with the lengths in it changed; the same object if none changed."""
    if isinstance(ctype, Array):
        length, element = _mapped(ctype.length, change), _mapped_type(ctype.element, change)
        same = length is ctype.length and element is ctype.element
        return ctype if same else replace(ctype, length=length, element=element)
    if isinstance(ctype, Pointer):
        target = _mapped_type(ctype.target, change)
        return ctype if target is ctype.target else replace(ctype, target=target)
    return ctype
