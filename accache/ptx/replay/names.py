"""Find a kernel or variable of a g++ program in the PTX that nvcc made of the same source.

Both compilers mangle names alike, but for what only one file sees: g++ marks such names with an ``L`` and puts
anonymous namespaces into ``_GLOBAL__N_1``; nvcc names both after the file and a checksum.

    g++                                      nvcc
    _ZL4statPf                               _Z4statPf
    _ZL5table                                table
    _ZN2ns12_GLOBAL__N_14anonEPf             _ZN2ns40_GLOBAL__N__a7a1e2a2_8_names_cu_acc5a52f4anonEPf
    _ZN2nsL5tableE                           _ZN38_INTERNAL_a7a1e2a2_8_names_cu_acc5a52f2ns5tableE
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_LONG = re.compile(r"(\d+)(?=_(?:GLOBAL__N__|INTERNAL_)[0-9a-f]{8}_)")
_ANONYMOUS = "12_GLOBAL__N_1"
_LOCAL = re.compile(r"(?:(?<=^_Z)|(?<=[N\dA-Za-z_]))L(?=\d)")
_MANGLED = re.compile(r"_ZN?L?(?=\d)")
_LENGTH = re.compile(r"\d+")
_ONE = re.compile(r"_Z(\d+)(\w+)|_ZN(\d+)(\w+)E")


@lru_cache(maxsize=4096)
def common_name(name: str) -> str:
    """A form of a mangled name that g++'s and nvcc's names have in common.

    >>> common_name("_ZN40_GLOBAL__N__a7a1e2a2_8_names_cu_acc5a52f4anonEPf")
    '_ZN12_GLOBAL__N_14anonEPf'
    >>> common_name("_ZL5table"), common_name("table")
    ('table', 'table')
    """
    while found := _LONG.search(name):
        start, end = found.start(), found.end() + int(found[1])
        is_anonymous = name.startswith("_GLOBAL", found.end())
        name = name[:start] + (_ANONYMOUS if is_anonymous else "") + name[end:]
    name = _LOCAL.sub("", name)
    one = _ONE.fullmatch(name)
    if one:
        length, text = (one[1], one[2]) if one[1] else (one[3], one[4])
        return text if len(text) == int(length) else name
    return name


def matching(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the same name to nvcc as ``name`` is to g++; None if none is, or several are."""
    found = list(candidates)
    if name in found:
        return name
    same = [candidate for candidate in found if common_name(candidate) == common_name(name)]
    return same[0] if len(same) == 1 else None


def matching_kernel(name: str, kernels: Iterable[str]) -> str | None:
    """The same for kernels that hold all those of the program.

    Where the type of a template's argument has a name that each compiler makes up, as lambdas do, the only kernel of
    that name is the one. So it is of static kernels in an ``extern "C"`` block: nvcc mangles their names, g++ does not.
    """
    found = list(kernels)
    exact = matching(name, found)
    if exact is None and not name.startswith("_Z"):
        mangled = [each for each in found if each.startswith("_Z") and not each.startswith("_ZN") and not _plain(each)]
        of_name = [each for each in mangled if plain_name(each) == name]
        return of_name[0] if len(of_name) == 1 else None
    if exact is not None or not _plain(name):
        return exact
    same = [kernel for kernel in found if _plain(kernel) == _plain(name)]
    return same[0] if len(same) == 1 else None


def _plain(name: str) -> tuple[str, ...]:
    """``ns`` and ``kernel`` of ``_ZN2ns6kernelI...``; empty for all but templates."""
    rest = common_name(name).removeprefix("_Z").removeprefix("N").removeprefix(_ANONYMOUS)
    parts: list[str] = []
    while digits := re.match(r"\d+", rest):
        end = digits.end() + int(digits[0])
        parts.append(rest[digits.end() : end])
        rest = rest[end:]
    return tuple(parts) if rest.startswith("I") else ()


def plain_name(kernel: str) -> str:
    """The name of a function without namespaces, parameters and template arguments, from any of its names.

    >>> [plain_name(name) for name in ("f", "_Z1fPi", "_ZN5outer5innerIfEEvPT_", "_ZL4statPf", "_Z6smooth4GridS_")]
    ['f', 'f', 'inner', 'stat', 'smooth']
    """
    found = _MANGLED.match(kernel)
    if found is None:
        return kernel
    rest, name, is_nested = kernel[found.end() :], "", "N" in found[0]
    while length := _LENGTH.match(rest):
        name = rest[length.end() : length.end() + int(length[0])]
        rest = rest[length.end() + len(name) :]
        if not is_nested:  # what comes next is a parameter's type
            break
    return name
