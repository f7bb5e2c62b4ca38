"""Of how many kernels in folders of CUDA programs there is a view, and why there is none of the others.

    python bench/views.py FOLDER... [-I... -D...] [--check | --run] [--list]

A template counts if there are views of all its instances. ``--list`` names the kernels. ``--check`` prints the views as
CUDA again, and compares what nvcc makes of them with what it makes of the programs; with ``--run`` the programs are
run, too, and where the code differs the first launch of a kernel is executed from both on the PTX machine.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "preload"))

from view_checks import check_views

from accache.base.deep_stack import DEEP_STACK
from accache.base.diagnostics import CompileError
from accache.base.text import read_source_file
from accache.cuda.instances import launched_instances
from accache.cuda.items import Item
from accache.cuda.text import Cuda, NoViewError, read_cuda
from accache.cuda.view import view
from accache.frontend.source.preprocess import PreprocessOptions
from accache.workflows.bypass.running import Invocation

OWN = ("--check", "--run", "--list")


def main() -> None:
    """Count, and print."""
    words = [word for word in sys.argv[1:] if word not in OWN]
    flags = tuple(word for word in words if word.startswith("-"))
    files = [path for word in words if word not in flags for path in sorted(Path(word).rglob("*.cu"))]
    if "--check" in sys.argv or "--run" in sys.argv:
        check(files, flags, runs="--run" in sys.argv)
    else:
        count_views(files, flags, names="--list" in sys.argv)


def count_views(files: list[Path], flags: tuple[str, ...], *, names: bool) -> None:
    """Read each kernel."""
    options = PreprocessOptions(("cc",), flags)
    folders = tuple(Path(flag[2:]) for flag in flags if flag.startswith("-I"))
    kernels = views = 0
    reasons: Counter[str] = Counter()
    for path in files:
        cuda = read_cuda(read_source_file(str(path)), folders)
        for kernel in cuda.kernels:
            kernels += 1
            reason, line = why_not(cuda, kernel, options)
            views += not reason
            reasons[reason] += 1
            if names:
                print(f"{path}:{line} {kernel.name}: {reason or 'has a view'}", flush=True)
    print(f"{views} of {kernels} kernels have a view")
    for reason, count in reasons.most_common():
        if reason:
            print(f"{count:5} {reason}")


def why_not(cuda: Cuda, kernel: Item, options: PreprocessOptions) -> tuple[str, int]:
    """Why there is no view of a kernel, '' if there is one, and the line that says so."""
    try:
        for arguments in launched_instances(cuda, kernel):
            view(cuda, kernel, arguments, options)
    except NoViewError as error:
        return error.reason, cuda.source.locate(error.span).line
    return "", 0


def check(files: list[Path], flags: tuple[str, ...], *, runs: bool) -> None:
    """Compare the views of each file with its kernels."""
    outcomes: Counter[str] = Counter()
    for path in files:
        try:
            found = check_views(Invocation(str(path), flags), runs=runs)
        except CompileError as error:
            print(f"{path}: {error.diagnostics[0].message}", flush=True)
            outcomes["files that nvcc does not take"] += 1
            continue
        for each in found:
            outcomes[each.outcome.partition(":")[0]] += 1
            if each.outcome not in ("same code", "same memory"):
                print(f"{path}: {each.kernel}: {each.outcome}", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:5} {outcome}")


DEEP_STACK.run(main)
