"""What the user may choose: one frozen value that the command line makes and the passes read."""

from __future__ import annotations

from msgspec import Struct

OPENACC_VERSION = "202211"
"""The value of _OPENACC: the standard we follow, 3.3."""
METHODS = ("auto", "rbi", "rbc", "ehc", "scratch", "none")
WRITES = ("auto", "back", "through")
WIDTHS = ("auto", "kernel-args", "sync", "fixed")
TUNING = ("model", "off")
COARSENING = ("auto", "off", "2", "4", "8", "2x2", "4x2", "8x2", "2x4", "4x4", "8x4")
OPENMP = "-fopenmp"
"""What compiles host code with OpenMP, and links its library."""
SCOPES = ("auto", "private", "communicating")


class Options(Struct, frozen=True):
    """The choices for one translation; the defaults leave each decision to accache.

    method: how cached data is kept (paper 004, section 3): ``rbi``, ``rbc``, ``ehc``, ``scratch``, ``none``.
    write: what a write to cached data does (section 4.3): ``back`` at the region's end or ``through`` at once.
    width: how a block learns how many of its threads share (section 4.2.2).
    scope: how threads agree on the range they share (section 4.2.3).
    sharing: whether the threads of a block share one copy at all (section 4.2).
    tune: what decides whether a tile pays where no method is asked for: ``model``, an estimate of what a multiprocessor
        takes with it and without it, or ``off``, whether it saves accesses of global memory.
    coarsen: how many iterations of its parallel loops a thread has: ``auto``, as many as pay by the same estimate in
        kernels with cache directives; ``off``, one; or so many, rows by columns, wherever that can be.
    trust_range: take it as given that all references lie in the range, as OpenACC 2.5 demands.
    arch: the GPU to plan for, as nvcc names it.
    ehc_entries, ehc_ways: elements and associativity of the emulated hardware cache (section 3.1).
    line: write ``#line`` directives, so that compilers and debuggers speak of the user's file.
    cc: the command of the C compiler; it may hold flags, separated as in a shell.
    preprocessor: the user's ``-I``, ``-D``, ``-U`` and ``-std=`` flags, in their order.
    libraries: the user's ``-l``, ``-L`` and ``-fopenmp`` flags for a program that is linked, in their order.
    runtime: let the .cu carry the run-time library. Without it there is only the pair of files, and programs are linked
        with accache_runtime.cu.
    """

    method: str = "auto"
    write: str = "auto"
    width: str = "auto"
    scope: str = "auto"
    sharing: bool = True
    tune: str = "model"
    coarsen: str = "auto"
    trust_range: bool = False
    arch: str = "sm_90"
    ehc_entries: int = 8
    ehc_ways: int = 1
    line: bool = False
    cc: str = "cc"
    preprocessor: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    runtime: bool = True
