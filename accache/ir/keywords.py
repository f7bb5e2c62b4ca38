"""Names in C that C++ and kernels read otherwise."""

from __future__ import annotations

KEYWORDS = frozenset(
    [
        "and",
        "and_eq",
        "bitand",
        "bitor",
        "bool",
        "catch",
        "class",
        "compl",
        "const_cast",
        "constexpr",
        "decltype",
        "delete",
        "dynamic_cast",
        "explicit",
        "export",
        "false",
        "friend",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "reinterpret_cast",
        "static_assert",
        "static_cast",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typeid",
        "typename",
        "using",
        "virtual",
        "xor",
        "xor_eq",
        "alignas",
        "alignof",
        "wchar_t",
        "char16_t",
        "char32_t",
    ]
)
"""The keywords of C++."""


def replacement(keyword: str) -> str:
    """What kernels write for a keyword of C++ that is a name: no other name of the program's may be that."""
    return f"accache_{keyword}"


_OF_C = """
asm auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef typeof union unsigned void volatile while
"""
EMITTED = frozenset(
    [
        *_OF_C.split(),
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "dim3",
        "min",
        "max",
        "fmin",
        "fmax",
        "fminf",
        "fmaxf",
        "atomicAdd",
        "atomicSub",
        "atomicMin",
        "atomicMax",
        "atomicAnd",
        "atomicOr",
        "atomicXor",
        "atomicExch",
        "atomicCAS",
    ]
)
"""What kernels and launches use of CUDA, which no variable in them may hide, and the words of C.

A variable that is made of one of the program's could be called as one: the distance ``do`` along ``o``.
"""
