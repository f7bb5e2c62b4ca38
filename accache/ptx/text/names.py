"""Names of variables and kernels as a program spells them, from the names that they have in PTX."""

from __future__ import annotations

import re

_LOCAL = re.compile(r"_ZZ.*E(?P<length>\d+)(?P<rest>.*)", re.S)

_MANGLED = re.compile(r"_Z(?P<nested>N)?L?(?P<parts>(?:L?\d+\w+)+)", re.S)
_PART = re.compile(r"L?(?P<length>\d+)")


def kernel_name(symbol: str) -> str:
    """The name of a kernel without what C++ adds: the types of its parameters, its namespaces, arguments of templates.

    >>> [kernel_name(name) for name in ("k", "_Z4spmvPKfPKiS0_Pfi", "_ZL1kPf", "_ZN2ns5innerEPf", "_Z3addIfEvPT_")]
    ['k', 'spmv', 'k', 'inner', 'add']
    """
    found = _MANGLED.match(symbol)
    name, rest = symbol, found["parts"] if found is not None else ""
    while part := _PART.match(rest):
        length = int(part["length"])
        name, rest = rest[part.end() : part.end() + length], rest[part.end() + length :]
        if not (found and found["nested"]):
            break
    return name


def variable_name(symbol: str) -> str:
    """The name of a variable without the function that declares it; other names stay.

    >>> [variable_name(name) for name in ("a", "_ZZ6kernelPfE1W", "_ZZ6kernelPfE5table_0", "_ZN2ns1aE")]
    ['a', 'W', 'table', '_ZN2ns1aE']
    """
    found = _LOCAL.fullmatch(symbol)
    name = found["rest"][: int(found["length"])] if found is not None else ""
    return name if found is not None and len(name) == int(found["length"]) else symbol
