"""What the user may choose: one frozen value that the command line makes and the passes read."""

from __future__ import annotations

import os
import shlex

from msgspec import Struct

from accache.base.architectures import ARCHITECTURES, architecture
from accache.base.choices import (
    COARSENING,
    LINES,
    METHODS,
    SCOPES,
    TUNING,
    WIDE,
    WIDTHS,
    WRITES,
    CoarsenChoice,
    LineChoice,
    MethodChoice,
    ScopeChoice,
    TuneChoice,
    WideChoice,
    WidthChoice,
    WriteChoice,
)
from accache.base.diagnostics import Error

OPENACC_VERSION = "202211"
"""The value of _OPENACC: the standard we follow, 3.3."""
_ON_COMMAND_LINES = (
    *("method", "write", "width", "scope", "tune", "coarsen", "wide", "sharing", "auto_cache", "density"),
    *(
        "trust_range",
        "fast_math",
        "arch",
        "ehc_entries",
        "ehc_ways",
        "private_line",
        "private_calls",
        "split_slices",
        "cc",
    ),
)
OPENMP = "-fopenmp"
"""What compiles host code with OpenMP, and links its library."""
CHOICES = {
    "method": METHODS,
    "write": WRITES,
    "width": WIDTHS,
    "scope": SCOPES,
    "tune": TUNING,
    "coarsen": COARSENING,
    "wide": WIDE,
    "private_line": LINES,
}
"""The values of each option that has a few."""
COUNTS = ("ehc_entries", "ehc_ways", "private_calls")
"""The options that are numbers from 1 on, or from LEAST on."""
LEAST = {"private_calls": 0}
"""The least value of an option of COUNTS, if it is not 1."""
MOST = {"private_calls": 10_000_000}
"""The greatest one, if there is any: a block adds up what up to 63 threads count, in units of thirds, in 32 bits."""
SWITCHES = ("sharing", "auto_cache", "trust_range", "fast_math", "split_slices", "line", "runtime")
"""The options that are on or off."""
WORDS = ("preprocessor", "libraries")
"""The options that are words of a compiler's command line, in a tuple."""


class OptionError(Error, ValueError):
    """An ``option`` has a value that it cannot have, or does not exist; the message names it, and what is ``known``.

    ``known`` are the values that it may have, or the options that exist; empty where they cannot be listed.
    """

    def __init__(self, message: str, option: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(message, option, known)
        self.message, self.option, self.known = message, option, known

    def __str__(self) -> str:
        return self.message


def is_count(name: str, count: int) -> bool:
    """Whether an option of COUNTS may have a value."""
    return LEAST.get(name, 1) <= count <= MOST.get(name, count)


def range_of(name: str) -> str:
    """The values of an option of COUNTS in words."""
    least = LEAST.get(name, 1)
    return f"from {least} to {MOST[name]}" if name in MOST else f"from {least} on"


def refuse_other(option: str, value: object, known: tuple[str, ...]) -> None:
    """Raise OptionError for a value that is none of the known ones."""
    if value not in known:
        raise OptionError(f"{value!r} is not a value of {option}: {', '.join(known)}", option, known)


class Options(Struct, frozen=True):
    """The choices for one translation; the defaults leave each decision to accache. Others raise OptionError.

    method: how cached data is kept (paper 004, section 3).
    write: what a write to cached data does (section 4.3): ``back`` at the region's end or ``through`` at once.
    width: how a block learns how many of its threads share (section 4.2.2).
    scope: how threads agree on the range they share (section 4.2.3).
    sharing: whether the threads of a block share one copy at all (section 4.2).
    tune: what decides whether a tile pays where no method is asked for: ``model``, an estimate of what a multiprocessor
        takes with it and without it; ``off``, whether it saves accesses of global memory; or ``measure``, the times
        that ``accache run --target cuda --tune measure`` kept in a file beside the program.
    coarsen: how many iterations of its parallel loops a thread has: ``auto``, as many as pay by the same
        estimate; ``off``, one; or so many, rows by columns, or planes as in ``8x1x1``, wherever that can be.
    wide: whether a launch finds out if arrays and rows are aligned, so that threads with several iterations load and
        store neighbouring elements by one instruction: ``auto``, where that pays in kernels with cache directives;
        ``on``, wherever it can be; ``off``.
    auto_cache: plan directives for subarrays that are worth a copy in kernels without any, as if the user had written
        them.
    density: the thread density from which ``auto_cache`` proposes a directive (paper 001, section 3).
    trust_range: take it as given that all references lie in the range, as OpenACC 2.5 demands.
    fast_math: nvcc gets -use_fast_math: kernels approximate divisions, roots and functions of floats, and take
        denormal numbers for 0. A CPU computes them exactly all the same.
    arch: the GPU to plan for, as nvcc names it.
    ehc_entries, ehc_ways: elements and associativity of the emulated hardware cache (section 3.1).
    private_line: bytes of the lines that method private gives each thread; ``auto``, by how many arrays there are;
        ``mixed``, 32 for arrays that are written and 16 for others, if nothing is monitored.
    private_calls: after how many accesses a thread has seen which of these arrays pay; 0: none where the references
        tell, else 300.
    split_slices: give loops that threads monitor first a second copy for the rest, to measure what one copy costs.
    line: write ``#line`` directives, so that compilers and debuggers speak of the user's file.
    cc: the command of the C compiler; it may hold flags, separated as in a shell.
    preprocessor: the user's ``-I``, ``-D``, ``-U`` and ``-std=`` flags, in their order.
    libraries: the user's ``-l``, ``-L`` and ``-fopenmp`` flags for a program that is linked, in their order.
    runtime: let the .cu carry the run-time library. Without it there is only the pair of files, and programs are linked
        with accache_runtime.cu.
    choices: kernels by name, each with the name of the form (``caching.estimates.candidates``) that was measured to be
        quickest.
    """

    method: MethodChoice = "auto"
    write: WriteChoice = "auto"
    width: WidthChoice = "auto"
    scope: ScopeChoice = "auto"
    sharing: bool = True
    tune: TuneChoice = "model"
    coarsen: CoarsenChoice = "auto"
    wide: WideChoice = "auto"
    auto_cache: bool = False
    density: float = 2.0
    trust_range: bool = False
    fast_math: bool = False
    arch: str = "sm_90"
    ehc_entries: int = 8
    ehc_ways: int = 1
    private_line: LineChoice = "auto"
    private_calls: int = 0
    split_slices: bool = False
    line: bool = False
    cc: str = "cc"
    preprocessor: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    runtime: bool = True
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def chooses_method(self) -> bool:
        """Whether it is for accache to choose how each subarray is kept."""
        return self.method == "auto"

    @property
    def names_method(self) -> bool:
        """Whether the user asks for a cache method."""
        return self.method not in ("auto", "scratch", "none")

    @property
    def wants_gang_arrays(self) -> bool:
        """Whether the user expects directives to be about the gang's own arrays, which are no cache."""
        return self.method == "scratch"

    @property
    def caches_nothing(self) -> bool:
        """Whether caching is off."""
        return self.method == "none"

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            refuse_other(name, getattr(self, name), known)
        for name in COUNTS:
            count = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or not is_count(name, count):
                raise OptionError(f"{count!r} is not a value of {name}: a number {range_of(name)}", name)
        for name in SWITCHES:
            if not isinstance(value := getattr(self, name), bool):
                raise OptionError(f"{value!r} is not a value of {name}: True, False", name, ("True", "False"))
        for name in WORDS:
            words = getattr(self, name)
            if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
                raise OptionError(f"{words!r} is not a value of {name}: a tuple of words", name)
        if isinstance(self.density, bool) or not isinstance(self.density, int | float) or not self.density >= 0:
            raise OptionError(f"{self.density!r} is not a value of density: a number from 0 on", "density")
        _check_architecture(self.arch)
        _check_command(self.cc)


def command_words(options: Options) -> tuple[str, ...]:
    """The words of a command line that ask for these options; those that have their defaults are left out.

    >>> command_words(Options(method="rbi", sharing=False, fast_math=True, preprocessor=("-DN=3",)))
    ('--method', 'rbi', '--sharing', 'off', '--fast-math', '-DN=3')
    """
    found: list[str] = []
    for name in _ON_COMMAND_LINES:
        value, usual = getattr(options, name), getattr(Options(), name)
        flag = "--" + ("cpp" if name == "cc" else name.replace("_", "-"))
        if value == usual:
            continue
        if name == "sharing":
            found += [flag, "off"]
        else:
            found += [flag] if isinstance(value, bool) else [flag, str(value)]
    return (*found, *options.preprocessor, *options.libraries)


def default_compiler() -> str:
    """The command of the C compiler where none is named: CC in the environment, else cc."""
    return os.environ.get("CC") or Options().cc


def _check_architecture(name: str) -> None:
    try:
        architecture(name if isinstance(name, str) else repr(name))
    except ValueError as error:
        raise OptionError(str(error), "arch", tuple(row.name for row in ARCHITECTURES)) from error


def _check_command(command: str) -> None:
    """Refuse what a shell would not take for the command of a compiler."""
    try:
        is_command = isinstance(command, str) and bool(shlex.split(command)) and b"\0" not in os.fsencode(command)
    except ValueError:
        is_command = False
    if not is_command:
        raise OptionError(f"{command!r} is no command for the C compiler", "cc")
