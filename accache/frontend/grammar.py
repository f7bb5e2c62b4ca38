"""The directives and clauses of OpenACC 3.3 for C, as tables."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Shape(Enum):
    """What stands in a clause's parentheses."""

    NOTHING = "no parentheses"
    VALUES = "expressions, each perhaps with a label: gang(num: 8, static: *)"
    VARIABLES = "a var-list, perhaps with a modifier: copyin(readonly: a[0:n])"
    REDUCTION = "an operator and a var-list: reduction(+: sum)"
    WAIT = "queues, perhaps of another device: wait(devnum: 1: queues: 2, 3)"
    WORDS = "names or a star: device_type(nvidia, host)"


class ClauseRule(Struct, frozen=True):
    """One clause: its shape, whether its parentheses may be missing, and what may stand in them.

    ``most`` is the greatest number of expressions (0: any number), ``words`` the labels of
    expressions, the modifiers of a var-list or the words to choose from (none: any word).
    """

    name: str
    shape: Shape
    optional: bool = False
    most: int = 1
    words: tuple[str, ...] = ()
    star: bool = False
    repeats: bool = False


def _variables(names: str, *modifiers: str) -> tuple[ClauseRule, ...]:
    return tuple(ClauseRule(name, Shape.VARIABLES, words=modifiers, repeats=True) for name in names.split())


def _values(names: str) -> tuple[ClauseRule, ...]:
    return tuple(ClauseRule(name, Shape.VALUES) for name in names.split())


def _flags(names: str) -> tuple[ClauseRule, ...]:
    return tuple(ClauseRule(name, Shape.NOTHING) for name in names.split())


_RULES = (
    *_flags("seq auto independent finalize if_present nohost read write update capture"),
    *_values("if num_workers vector_length device_num default_async"),
    ClauseRule("num_gangs", Shape.VALUES, most=3),
    ClauseRule("async", Shape.VALUES, optional=True),
    ClauseRule("self", Shape.VALUES, optional=True),
    ClauseRule("gang", Shape.VALUES, optional=True, most=3, words=("num", "dim", "static"), star=True),
    ClauseRule("worker", Shape.VALUES, optional=True, words=("num",)),
    ClauseRule("vector", Shape.VALUES, optional=True, words=("length",)),
    ClauseRule("collapse", Shape.VALUES, words=("force",)),
    ClauseRule("tile", Shape.VALUES, most=0, star=True),
    ClauseRule("wait", Shape.WAIT, optional=True, repeats=True),
    ClauseRule("reduction", Shape.REDUCTION, repeats=True),
    *_variables("copyin", "readonly", "always", "alwaysin", "capture"),
    *_variables("copyout", "zero", "always", "alwaysout", "capture"),
    *_variables("create", "zero", "capture"),
    *_variables("copy", "always", "alwaysin", "alwaysout", "capture"),
    *_variables("no_create present deviceptr attach detach delete private firstprivate"),
    *_variables("use_device device_resident link device host"),
    ClauseRule("default", Shape.WORDS, words=("none", "present")),
    ClauseRule("device_type", Shape.WORDS, most=0, star=True, repeats=True),
    ClauseRule("bind", Shape.WORDS),
)
CLAUSES = {rule.name: rule for rule in _RULES}
UPDATE_SELF = ClauseRule("self", Shape.VARIABLES, repeats=True)

SUBJECTS = {
    "cache": ClauseRule("cache", Shape.VARIABLES, words=("readonly",)),
    "wait": ClauseRule("wait", Shape.WAIT, optional=True),
    "routine": ClauseRule("routine", Shape.WORDS, optional=True),
}
"""Directives with an argument list of their own right after the name."""

ALIASES = {
    **{f"{prefix}{name}": name for prefix in ("p", "present_or_") for name in ("copy", "copyin", "copyout", "create")},
    "dtype": "device_type",
}

_MOVES = "copy copyin copyout create no_create present deviceptr attach"
_DATA = f"if async wait device_type default {_MOVES}"
_SIZES = "num_gangs num_workers vector_length"
_PARALLEL = f"{_DATA} {_SIZES} self reduction private firstprivate"
_SERIAL = f"{_DATA} self reduction private firstprivate"
_KERNELS = f"{_DATA} {_SIZES} self"
_LOOP = "collapse gang worker vector seq auto independent tile device_type private reduction"
_DEVICE = "device_type device_num if"
_ALLOWED = {
    "parallel": _PARALLEL,
    "serial": _SERIAL,
    "kernels": _KERNELS,
    "loop": _LOOP,
    "parallel loop": f"{_PARALLEL} {_LOOP}",
    "serial loop": f"{_SERIAL} {_LOOP}",
    "kernels loop": f"{_KERNELS} {_LOOP}",
    "data": _DATA,
    "enter data": "if async wait copyin create attach",
    "exit data": "if async wait copyout delete detach finalize",
    "host_data": "use_device if if_present",
    "cache": "",
    "atomic read": "if",
    "atomic write": "if",
    "atomic update": "if",
    "atomic capture": "if",
    "declare": "copy copyin copyout create present deviceptr device_resident link",
    "init": _DEVICE,
    "shutdown": _DEVICE,
    "set": f"{_DEVICE} default_async",
    "update": "async wait device_type if if_present self host device",
    "wait": "async if",
    "routine": "gang worker vector seq bind device_type nohost",
}
DIRECTIVES = {name: frozenset(clauses.split()) for name, clauses in _ALLOWED.items()}

REQUIRED = {
    "enter data": ("copyin", "create", "attach"),
    "exit data": ("copyout", "delete", "detach"),
    "host_data": ("use_device",),
    "declare": tuple(_ALLOWED["declare"].split()),
    "set": ("default_async", "device_num", "device_type"),
    "update": ("self", "device"),
}
"""Of these clauses at least one must appear."""

_LEVELS = ("gang", "worker", "vector")
CONTRADICTIONS = {
    "loop": (("seq", "auto"), ("seq", "independent"), ("auto", "independent"), *(("seq", level) for level in _LEVELS)),
    "routine": tuple((a, b) for k, a in enumerate((*_LEVELS, "seq")) for b in (*_LEVELS, "seq")[k + 1 :]),
}
"""Pairs of clauses that may not stand together, by the last word of the directive."""

REDUCTION_OPERATORS = ("+", "*", "max", "min", "&", "|", "^", "&&", "||")
