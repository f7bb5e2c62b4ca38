"""Cache directives in routines: which arrays lie in shared memory already, and why the others get no tile.

A kernel's tile is clipped to what its launch finds on the device. A routine has no launch: it may be called from
other files, and a pointer that it is handed does not say where its array ends. So nothing may be fetched but what the
references reach themselves, which is what they load without a tile.
"""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.eligibility import ineligible, of_type
from accache.caching.methods import keeps_lines
from accache.caching.sizing.bounds import Refusal
from accache.caching.survey import Survey
from accache.ir.openacc.regions import Subarray
from accache.ir.tree import Cache, Stmt, Variable
from accache.ir.walk import assigned_variables, children, declared_variables, walk
from accache.mapping.mapped import MappedKernel

_CALLER = "put the directive into the loop that calls the routine"
ALONE = Refusal(
    "ACC402", "each thread runs a seq routine for itself, so no block fetches a tile together", hint=_CALLER
)
UNBOUNDED = Refusal(
    "ACC402", "a routine does not know where the array ends on the device, which a fetch might pass", hint=_CALLER
)


def report_alone(body: Stmt, options: Options, reporter: Reporter) -> None:
    """Report what becomes of the directives in a seq routine."""
    declared, assigned = declared_variables(body), assigned_variables(body)
    for node in walk(body):
        for subarray in node.subarrays if isinstance(node, Cache) else ():
            base = subarray.base
            found = of_type(base, declared, assigned) if isinstance(base, Variable) else None
            off = Refusal("ACC406", "--method none") if options.caches_nothing else None
            _report(subarray, found or off or (UNBOUNDED if keeps_lines(options.method) else ALONE), reporter)


def report_together(routine: MappedKernel, options: Options, reporter: Reporter) -> None:
    """Report what becomes of the directives in a routine that all threads of a block run together."""
    _statement(routine.body, (), Survey(routine), options, reporter=reporter)


def _statement(stmt: Stmt, path: tuple[Stmt, ...], survey: Survey, options: Options, *, reporter: Reporter) -> None:
    """The directives in a statement; ``path`` holds those around it, outermost first."""
    if isinstance(stmt, Cache):
        for subarray in stmt.subarrays:
            _report(
                subarray, ineligible(subarray, stmt, path, (), survey=survey, options=options) or UNBOUNDED, reporter
            )
    for child in children(stmt):
        if isinstance(child, Stmt):
            _statement(child, (*path, stmt), survey, options, reporter=reporter)


def _report(subarray: Subarray, refusal: Refusal, reporter: Reporter) -> None:
    place, name = subarray.location, subarray.text
    reporter.report(refusal.code, place, name=name, reason=refusal.reason, hint=refusal.hint)
