"""Which memory a routine may read and write through its parameters, proved by its body."""

from __future__ import annotations

from msgspec import Struct, field

from accache.analysis.calls import index_parts, inner_address, passed, points, root_of
from accache.ir.openacc.regions import FreeVariable
from accache.ir.openacc.routines import Routine
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Call,
    Declare,
    Expr,
    Member,
    SizeOf,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import CType, Pointer, element_type, resolve
from accache.ir.walk import children, nodes_of

COMPARING = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))


class Effects(Struct, dict=True):
    """The names of variables through which a body reads and writes memory.

    An address that is stored, returned, or handed on in a way that is not followed counts as read and
    written. ``followed`` are local pointers to const: what is read through one is read through all variables it
    ever got an address from (``sources``).
    """

    followed: frozenset[str] = frozenset()
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    sources: dict[str, set[str]] = field(default_factory=dict)

    def statement(self, stmt: Stmt) -> None:
        """Add what a statement does."""
        if isinstance(stmt, Declare) and stmt.init is not None:
            self.assigned(stmt.name, stmt.init)
            return
        for child in children(stmt):
            if isinstance(child, Stmt):
                self.statement(child)
            else:
                self.value(child)

    def assigned(self, name: str, value: Expr) -> None:
        """A variable that gets a value: an address whose way is followed, or anything else."""
        root = root_of(value) if points(value.type) and name in self.followed else None
        if root is None:
            self.value(value)
            return
        self.sources.setdefault(name, set()).add(root.name)
        for part in index_parts(value):
            self.value(part)
        if _loads(value):
            self.touch(root, True, False)

    def value(self, expr: Expr, read: bool = True, write: bool = False) -> None:
        """Add what computing an expression does; an lvalue is read, written or both."""
        if isinstance(expr, SizeOf):
            return
        if isinstance(expr, Assign):
            if isinstance(expr.target, Variable) and expr.op == "=":
                self.assigned(expr.target.name, expr.value)
                return
            self.value(expr.target, expr.op != "=", True)
            self.value(expr.value)
        elif isinstance(expr, Unary) and expr.op in STEPPING:
            self.value(expr.operand, True, True)
        elif isinstance(expr, Binary) and expr.op in COMPARING:
            self.compared(expr.left)
            self.compared(expr.right)
        elif isinstance(expr, Unary) and expr.op == "!":
            self.compared(expr.operand)
        elif isinstance(expr, Call):
            self.call(expr)
        elif _is_place(expr):
            self.place(expr, read, write)
        elif isinstance(expr, Variable):
            if points(expr.type) and read and not write:
                self.touch(expr, True, True)
        else:
            for child in children(expr):
                if isinstance(child, Expr):
                    self.value(child)

    def compared(self, expr: Expr) -> None:
        """An operand whose address alone matters, if it is one."""
        if points(expr.type) and not _loads(expr) and root_of(expr) is not None:
            for part in index_parts(expr):
                self.value(part)
        else:
            self.value(expr)

    def call(self, call: Call) -> None:
        """The arguments of a call: addresses the routine is known to use so, and values."""
        handed = {id(item.argument): item for item in passed(call)}
        for argument in call.arguments:
            item = handed.get(id(argument))
            if item is None or item.root is None:
                self.value(argument)
                continue
            for part in index_parts(argument):
                self.value(part)
            self.touch(item.root, item.reads or _loads(argument), item.writes)

    def place(self, expr: Expr, read: bool, write: bool) -> None:
        """A subscript, member or dereference."""
        for part in index_parts(expr):
            self.value(part)
        root = root_of(expr)
        is_address = element_type(expr.type) is not None or points(expr.type)
        if root is not None and is_address and read:
            self.touch(root, True, True)
        elif root is not None and _loads(expr):
            self.touch(root, read, write)

    def touch(self, root: Variable, read: bool, write: bool) -> None:
        """Note an access of memory that a variable points to."""
        self.reads |= {root.name} if read else set()
        self.writes |= {root.name} if write else set()

    def close(self) -> None:
        """Pass what happens through followed pointers on to the variables their addresses came from."""
        changed = True
        while changed:
            before = len(self.reads), len(self.writes)
            for name, sources in self.sources.items():
                self.reads |= sources if name in self.reads else set()
                self.writes |= sources if name in self.writes else set()
            changed = before != (len(self.reads), len(self.writes))


def effects_of(body: Stmt, parameters: tuple[FreeVariable, ...]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Whether a routine's body reads, and writes, what each parameter points to."""
    effects = _effects(body)
    pointing = [points(item.type) for item in parameters]
    names = [item.name for item in parameters]
    return (
        tuple(name in effects.reads and is_address for name, is_address in zip(names, pointing, strict=True)),
        tuple(name in effects.writes and is_address for name, is_address in zip(names, pointing, strict=True)),
    )


def resident_effects(routine: Routine) -> tuple[bool, bool]:
    """Whether a routine's own body uses, and changes, variables of the file that live on the device."""
    assert routine.body is not None
    names = {item.symbol for item in routine.residents}
    return bool(names), not names.isdisjoint(_effects(routine.body).writes)


def written_through(stmt: Stmt) -> frozenset[str]:
    """The arrays and pointers of a statement through which memory is written, or may be where its address goes."""
    written = _effects(stmt).writes
    return frozenset(node.name for node in nodes_of(stmt, Variable) if node.name in written and points(node.type))


def _effects(body: Stmt) -> Effects:
    local = nodes_of(body, Declare)
    effects = Effects(frozenset(node.name for node in local if _points_to_const(node.type)))
    effects.statement(body)
    effects.close()
    return effects


def _points_to_const(ctype: CType) -> bool:
    plain = resolve(ctype)
    return isinstance(plain, Pointer) and bool(getattr(plain.target, "const", False))


def _is_place(expr: Expr) -> bool:
    return isinstance(expr, (Subscript, Member)) or (isinstance(expr, Unary) and expr.op in ("*", "&"))


def _loads(expr: Expr) -> bool:
    """Whether computing an address or lvalue goes through memory that its root points to."""
    inner = inner_address(expr)
    if inner is None:
        return False
    if isinstance(expr, Unary) and expr.op == "&":
        return _loads_below(expr.operand)
    through = isinstance(expr, Subscript) or (isinstance(expr, Member) and expr.arrow)
    through = through or (isinstance(expr, Unary) and expr.op == "*")
    return through or _loads(inner)


def _loads_below(expr: Expr) -> bool:
    """Whether the address of an lvalue needs a load: that of ``a[i]`` does not, that of ``p->next->x`` does."""
    inner = inner_address(expr)
    return inner is not None and _loads(inner)
