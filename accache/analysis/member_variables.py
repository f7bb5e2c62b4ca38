"""Integer members of structures that loops do not change, seen as variables of their own.

Before: ``for (j = 0; j < m->cols; ++j) a[i*m->cols + j] = 0;``. After, for proofs and not for kernels, both the bound
and the row are made of the variable ``m->cols``: polynomials have symbols for variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import acts
from accache.ir.build import INT
from accache.ir.openacc.regions import Region
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Call,
    Expr,
    For,
    IntLiteral,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, element_type, is_integer, is_volatile, resolve
from accache.ir.walk import assigned_variables, declared_variables, rewrite, walk


class MemberVariables(Struct, frozen=True):
    """The members of what variables hold or lead to, but for those ``changing``: a region declares or assigns these."""

    changing: frozenset[str]

    @staticmethod
    def of(region: Region) -> MemberVariables:
        """Those of a region."""
        return MemberVariables(assigned_variables(region.body) | declared_variables(region.body))

    def loop(self, loop: For) -> For:
        """A loop in which such members are variables, also where it assigns them."""
        found = rewrite(loop, self._variable) if any(map(self._path, walk(loop))) else loop
        assert isinstance(found, For)
        return found

    def region(self, region: Region) -> Region:
        """A region in which they are, if nothing in it can change them."""
        if not any(map(self._path, walk(region.body))) or not _is_settled(region):
            return region
        return replace(region, body=rewrite(region.body, self._variable))

    def reads(self, loop: For) -> Iterator[Subscript]:
        """The structures behind pointers that a loop reads members of, as elements: ``m[0]``."""
        for node in walk(loop):
            root = node if isinstance(node, Member) and self._path(node) else None
            while isinstance(root, Member):
                if root.arrow and (element := element_type(root.base.type)) is not None:
                    yield Subscript(element, node.location, root.base, IntLiteral(INT, node.location, 0, "0"))
                root = root.base if isinstance(root.base, Member) else None

    def _variable(self, node: Expr | Stmt) -> Expr | Stmt:
        path = self._path(node)
        return Variable(node.type, node.location, path) if path and isinstance(node, Member) else node

    def _path(self, node: Expr | Stmt) -> str:
        """What a member is called as a variable, ``m->size.rows``; '' if it is none."""
        if not isinstance(node, Member) or not is_integer(node.type) or is_volatile(node.type):
            return ""
        path = ""
        while isinstance(node, Member):
            path, node = f"{'->' if node.arrow else '.'}{node.field}{path}", node.base
        is_ours = isinstance(node, Variable) and node.name not in self.changing and path.count("->") < 2
        return f"{node.name}{path}" if isinstance(node, Variable) and is_ours else ""


def _is_settled(region: Region) -> bool:
    """Whether all that a region writes are variables and floating-point elements, which are no integer members."""
    if not region.types_tell_apart:
        return False
    for node in walk(region.body):
        if isinstance(node, Atomic) or (isinstance(node, Call) and acts(node)):
            return False
        place = node.target if isinstance(node, Assign) else None
        if isinstance(node, Unary) and node.op in (*STEPPING, "&"):
            place = node.operand
        if place is not None and not isinstance(place, Variable):
            plain = resolve(place.type)
            is_number = isinstance(plain, Arithmetic) and not plain.is_integer
            if not isinstance(place, Subscript) or not is_number:
                return False
    return True
