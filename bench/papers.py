"""The figures and tables of the papers, made anew: ``python bench/papers.py [--only NAME] [--quick]``.

Each goes into a folder as JSON, CSV and PNG, beside what the paper has in its place. No GPU takes part: where a paper
has times, there are counts. Needs nvcc, g++ and what ``pip install '.[model,plot]'`` installs.
docs/evaluation.md tells what came out.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from figures import bypassing, hardware, l1_model, shared_memory
from figures import cache_directive as directive
from figures.figure import Maker, Settings, as_text, write
from figures.kept import PATH, keep

FIGURES: tuple[tuple[str, Maker], ...] = (
    ("000-figure-2", bypassing.spread),
    ("000-figure-5", bypassing.decisions),
    ("001-table", shared_memory.preloads),
    ("002-figure-3", l1_model.registers),
    ("002-figure-7", l1_model.strides),
    ("002-figure-10", l1_model.classes),
    ("002-figure-12", l1_model.sweep),
    ("002-ablations", l1_model.ablations),
    ("002-counters", hardware.counters),
    ("002-tornado", hardware.tornado),
    ("002-latencies", hardware.latencies),
    ("003-table", shared_memory.lines),
    ("004-figure-2", directive.bank_turns),
    ("004-figure-3", directive.performance("gemm")),
    ("004-figure-4", directive.performance("nbody")),
    ("004-figure-5", directive.performance("jacobi")),
    ("004-stencil", directive.performance("stencil")),
    ("004-figure-6", directive.WIDTH),
    ("004-figure-7", directive.SCOPE),
    ("004-figure-8", directive.writes),
    ("004-table-2", directive.effort),
    ("004-table-3", directive.occupancy),
)
"""Names of figures, PAPER-WHAT, and what makes each."""


def main() -> None:
    """Make the figures that are asked for."""
    names = [name for name, _ in FIGURES]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--only", action="append", metavar="NAME", help=f"one of {', '.join(names)}, or a paper's number"
    )
    options.add_argument(
        "--quick", action="store_true", help="the smallest sizes: whether it works, not what comes out"
    )
    options.add_argument(
        "--kernels", type=Path, action="append", default=[], metavar="DIR", help="public CUDA programs for 000 and 002"
    )
    options.add_argument(
        "--programs", type=Path, action="append", default=[], metavar="TOML", help="which ones of DIR: bench/suites"
    )
    options.add_argument("--counters", type=Path, metavar="FILE", help="counters of a GV100, for 002-counters")
    options.add_argument("--keep", action="store_true", help=f"keep the numbers in {PATH}, for docs/evaluation.md")
    options.add_argument("--out", type=Path, default=Path("build", "papers"), help="where figures go")
    arguments = options.parse_args()
    if len(arguments.programs) > len(arguments.kernels):
        options.error("each --programs needs --kernels, the folder that they lie in")
    if arguments.keep and (arguments.quick or arguments.kernels):
        options.error("--keep is for figures of full size, of programs that are here")
    wanted = arguments.only or names
    if unknown := [
        each for each in wanted if each not in names and not any(name.startswith(each + "-") for name in names)
    ]:
        options.error(f"no figure is called {', '.join(unknown)}; there are {', '.join(names)}")
    for name, make in FIGURES:
        if any(name == each or name.startswith(each + "-") for each in wanted):
            _make(name, make, arguments)


def _make(name: str, make: Maker, arguments: argparse.Namespace) -> None:
    """Make one figure, write it and print it."""
    start = _processor_seconds()
    with tempfile.TemporaryDirectory(prefix="accache-papers-") as scratch:
        settings = Settings(
            arguments.quick,
            tuple(arguments.kernels),
            Path(scratch),
            tuple(arguments.programs),
            arguments.counters,
        )
        figure = make(settings)
    seconds = _processor_seconds() - start
    write(name, figure, arguments.out, seconds)
    if arguments.keep:
        keep(name, figure, seconds)
    print(
        f"## {name}: {figure.title} ({seconds:.0f} CPU s)\n\nThe paper: {figure.paper}.\n\n{as_text(figure)}\n",
        flush=True,
    )


def _processor_seconds() -> float:
    """What this process and those that it started and that ended have taken of processors."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main()
