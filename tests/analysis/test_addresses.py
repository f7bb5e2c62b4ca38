"""Where expressions lead."""

from __future__ import annotations

from accache.analysis.addresses import Address, Memory
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.types import Arithmetic


def test_an_address_that_moves_on_has_another_residue() -> None:
    address = Address(Memory("a", Arithmetic("int"), frozenset(("a",))), (None,), residue=Polynomial.symbol("i"))
    assert address.moved(ZERO + 1).residue is None
