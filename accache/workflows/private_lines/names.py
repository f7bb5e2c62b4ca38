"""The words of CUDA that matter to lines of a thread's own."""

from __future__ import annotations

import re

KEYWORDS = frozenset((
    "if", "for", "while", "switch", "return", "sizeof", "alignof", "do", "else", "case", "int", "char", "short", "long",
    "float", "double", "unsigned", "signed", "bool", "size_t", "static_cast", "const", "goto", "break", "continue",
))  # fmt: skip
FENCE = re.compile(r"__syncthreads\w*|__syncwarp|__threadfence\w*|__barrier_sync\w*|sync|wait|arrive\w*")
"""Barriers and fences; the last ones are those of cooperative groups."""
BARRIER = re.compile(r"__syncthreads\w*|__syncwarp|__barrier_sync\w*|sync|wait|arrive\w*")
ATOMIC = re.compile(r"atomic\w+")
PURE = re.compile(
    r"(?:a?(?:sin|cos|tan)(?:h|pi)?|atan2|exp(?:2|10|m1)?|log(?:2|10|1p|b)?|pow|r?sqrt|r?cbrt|hypot|erfc?|tgamma|lgamma|"
    r"f(?:abs|ma|min|max|mod|loor|dim)|ceil|round|rint|trunc|nearbyint|l?l?rint|l?l?round|copysign|remainder|ldexp|"
    r"scalbn?|isnan|isinf|isfinite|signbit|saturate)f?|"
    r"u?l?l?(?:min|max|abs)|make_\w+|assert|dim3|printf|"
    r"__(?:f|d|u|u?mul|u?ll|u?int|float|double|half|popc|clz|ffs|brev|byte_perm|sad|usad|hadd|rhadd|expf|logf|log2f|log10f|"
    r"sinf|cosf|tanf|powf|exp10f|saturatef|funnelshift|shfl|ballot|any|all|activemask|match|reduce|nanosleep)\w*"
)
"""Functions that reach no memory."""
WORKERS = frozenset(
    ("accache_cache", "accache_words", "accache_decision", "accache_lines", "accache_grid", "accache_block")
)
"""The names that the rewritten text has."""
UNARY_BEFORE = frozenset("(,;{}=+-*/%&|^!~<>?:[") | {"return", "else", "case", "do"}


def is_unary(before: str) -> bool:
    """Whether a ``*`` or ``&`` behind a token stands before its only operand."""
    return before in UNARY_BEFORE
