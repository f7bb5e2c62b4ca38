"""Calls of routines whose loops are spread over threads: where they may stand."""

from __future__ import annotations

from accache.analysis.calls import is_collective
from accache.base.diagnostics import Reporter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import Call, Expr, Stmt
from accache.ir.walk import children


def refuse_calls_in_loops(stmt: Stmt | Expr, reporter: Reporter, where: str = "") -> None:
    """Report calls in mapped loops that use what the routine needs for its own loops (ACC345)."""
    if isinstance(stmt, ParallelFor):
        where = "in a loop over threads" if stmt.block else where or ("in a loop over gangs" if stmt.grid else "")
    if isinstance(stmt, Call) and is_collective(stmt) and where:
        assert stmt.callee is not None
        level = stmt.callee.level
        if level == "gang" or where != "in a loop over gangs":
            reporter.report("ACC345", stmt.location, name=stmt.function, level=level, where=where)
    for child in children(stmt):
        refuse_calls_in_loops(child, reporter, where)
