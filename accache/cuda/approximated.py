"""Functions of CUDA that a view writes as expressions, which tell what they touch and not what they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.cuda.words import CONSTANTS, OPAQUE, SURFACE_WRITES, UNKNOWN_CHOICE, declared

_UPDATES = {
    "Add": "(*(p) += (v))",
    "Sub": "(*(p) -= (v))",
    "And": "(*(p) &= (v))",
    "Or": "(*(p) |= (v))",
    "Xor": "(*(p) ^= (v))",
    "Exch": "(*(p) = (v))",
    "Min": "(*(p) = (v))",
    "Max": "(*(p) = (v))",
    "Inc": "(*(p) += (v))",
    "Dec": "(*(p) -= (v))",
}
_SCOPES = ("", "_block", "_system")
ATOMIC = frozenset(f"atomic{name}{scope}" for name in (*_UPDATES, "CAS") for scope in _SCOPES)
"""Functions that change memory at once."""
LOCKS = frozenset(f"atomic{name}{scope}" for name in ("CAS", "Exch") for scope in _SCOPES)
"""Those with which a thread may wait for others."""
_LANES = {
    "m, v, ...": "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync",
    "m, v": "__any_sync __all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync __match_any_sync",
    "v, ...": "__shfl __shfl_up __shfl_down __shfl_xor",
    "v": "__any __all",
}
_VOTES = {"m, v": "__ballot_sync", "v": "__ballot"}
_NOTHING = {"...": "__syncwarp", "": "__threadfence __threadfence_block __threadfence_system"}
_WAITING = "__syncthreads_or __syncthreads_and __syncthreads_count"
_ALL = (_LANES, _VOTES, {"...": "__syncwarp __activemask", "v": _WAITING})
WARPS = frozenset(name for kind in _ALL for names in kind.values() for name in names.split())
"""Functions by which the threads of a warp hear of each other."""


_UNKNOWN = "accache_unknown"
_UNKNOWN_VALUE = f"""\
static volatile int {UNKNOWN_CHOICE};
#define {_UNKNOWN}(v) ({UNKNOWN_CHOICE} ? (v) : (v))
"""
"""A value of the type of another, which nothing is known of: proofs must not take it for that other value."""


def _functions() -> Iterator[tuple[str, str, str, str]]:
    """Names, parameters, what views have in their place, and something of the type of what they give."""
    yield "min", "a, b", "((a) < (b) ? (a) : (b))", "((a) < (b) ? (a) : (b))"
    yield "max", "a, b", "((a) > (b) ? (a) : (b))", "((a) > (b) ? (a) : (b))"
    for name, value in _UPDATES.items():
        yield from ((f"atomic{name}{scope}", "p, v", value, "*(p)") for scope in _SCOPES)
    yield from ((f"atomicCAS{scope}", "p, c, v", "((c), *(p) = (v))", "*(p)") for scope in _SCOPES)
    for parameters, names in _LANES.items():
        yield from ((name, parameters, f"{_UNKNOWN}(v)", "(v)") for name in names.split())
    for parameters, name in _VOTES.items():
        yield name, parameters, f"((unsigned){_UNKNOWN}(v))", "0u"
    for parameters, names in _NOTHING.items():
        yield from ((name, parameters, "", "0") for name in names.split())
    yield from ((name, "v", f"((int){_UNKNOWN}(v))", "0") for name in _WAITING.split())
    yield from ((name, "v, ...", "(v, __VA_ARGS__)", "0") for name in sorted(SURFACE_WRITES))
    yield "__activemask", "", f"{_UNKNOWN}(0u)", "0u"
    yield "assert", "v", "((void)0)", "0"
    yield "__ldg", "p", "(*(p))", "*(p)"


def prelude(texts: Sequence[str], defined: frozenset[str], *, as_written: bool = False) -> str:
    """What a view of such texts begins with, without what the program defines itself.

    In a view ``as_written``, ``f(a, b)`` becomes ``("f", a, b, value)``, which says what it was.
    """
    lines = [
        _macro(name, parameters, _written(name, parameters, kind) if as_written else value)
        for name, parameters, value, kind in _functions()
        if name not in defined
    ]
    opaque = "(text, ##__VA_ARGS__, *(type *)0)" if as_written else "((void)0, ##__VA_ARGS__, *(type *)0)"
    lines.append(f"#define {OPAQUE}(text, type, ...) {opaque}\n")
    others = (line for line in CONSTANTS.splitlines(keepends=True) if line.split()[1].split("(")[0] not in defined)
    return declared(texts) + _UNKNOWN_VALUE + "".join((*lines, *others))


def _macro(name: str, parameters: str, value: str) -> str:
    return f"#define {name}({parameters}) {value}\n"


def _written(name: str, parameters: str, kind: str) -> str:
    """The comma expression for a call, whose last part is of the type of what the call gives."""
    named = [word for word in parameters.split(", ") if word and word != "..."]
    handed = "".join(f", ({word})" for word in named)
    return f'("{name}"{handed}{", ##__VA_ARGS__" if named and "..." in parameters else ""}, {kind})'
