"""What needs optional libraries: plots and clusters, imported on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from accache.base.diagnostics import Reporter
from accache.l1.gpus import Gpu
from accache.l1.study import Question, Record
from accache.l1.sweeps import Point
from accache.l1.trace import Trace

Plotter = Callable[[str, str, Sequence[Point], Sequence[Mapping[str, Any]]], None]


def plotter() -> Plotter:
    """``plots.draw``.

    Raises:
        CompileError: matplotlib is not installed.
    """
    return cast(Plotter, _needing("matplotlib", "--plot", "plot", "plots").draw)


def answers_of_cluster(address: str, trace: Trace, gpus: Sequence[Gpu], question: Question) -> list[Record]:
    """``clusters.answers_of_cluster``.

    Raises:
        CompileError: dask.distributed is not installed, or what that function raises.
    """
    module = _needing("distributed", "--dask", "dask", "clusters")
    return cast(list[Record], module.answers_of_cluster(address, trace, gpus, question))


def _needing(library: str, option: str, extra: str, module: str) -> ModuleType:
    try:
        import_module(library)
    except ImportError as error:
        raise Reporter().fail("ACC811", library=library, option=option, extra=extra) from error
    return import_module(f"accache.l1.{module}")
