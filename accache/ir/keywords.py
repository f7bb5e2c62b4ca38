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


EMITTED = frozenset(
    [
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
"""What kernels and launches use of CUDA, and what no variable in them may hide."""
