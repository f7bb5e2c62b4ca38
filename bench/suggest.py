"""How fast ``accache suggest`` decides once a program has run, and counts densities: in CPU seconds.

    python bench/suggest.py [PROGRAM.cu...] [--gpu kepler] [--args WORDS]

Without a program it takes samples/cuda/naive/gemm.cu for 512 x 512, of which 8192 threads are traced with 1024 loads
each. For each kernel it prints the threads and loads of the trace, what all that follows the run takes, the trace of
it, and how many loads a second the densities of chunks of 16 are counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from accache.base.diagnostics import Reporter
from accache.density.accesses import loads_of
from accache.density.measure import density
from accache.l1.gpus import Gpu
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Trace
from accache.library.suggesting import SUGGESTED_GPUS
from accache.ptx.replay.names import plain_name
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest.arrays import named_arrays
from accache.workflows.suggest.kernels import suggestions
from accache.workflows.suggest.launches import Launched, launched
from accache.workflows.tracing import trace_launch

CHUNK = 16
OWN = Path(__file__).resolve().parents[1] / "samples" / "cuda" / "naive" / "gemm.cu"
SIZE = "512"
Result = TypeVar("Result")
_Columns: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint8]]


def main() -> None:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description="Time what suggest does behind the run.")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--gpu", default="kepler")
    parser.add_argument("--args", default="")
    options = parser.parse_args()
    words = tuple(options.args.split()) if options.programs else (SIZE,)
    print(f"{'kernel':<24}{'threads':>9}{'loads':>12}{'decision':>10}{'trace':>9}{'million loads a second':>24}")
    for program in options.programs or [str(OWN)]:
        gpu = SUGGESTED_GPUS[options.gpu]
        with launched(Invocation(program, (), words), "", gpu, Reporter()) as launches:
            for launch in launches:
                print(measured(launch, gpu), flush=True)


def measured(launch: Launched, gpu: Gpu) -> str:
    """The line of a kernel."""
    tools = compiled_tools() or PLAIN
    suggestions(launch, gpu, 2.0, tools)  # machine code is compiled
    decision, _ = timed(lambda: suggestions(launch, gpu, 2.0, tools))
    arrays = named_arrays(launch.captured)
    tracing, trace = timed(lambda: trace_launch(launch.module, launch.captured.launch, arrays=arrays))
    loaded = [each for each in _by_array(trace) if len(each[0])]
    counting, _ = timed(lambda: [density(loads_of(trace.block_threads, *each), CHUNK) for each in loaded])
    threads, loads = len(np.unique(trace.thread)), sum(len(each[0]) for each in loaded)
    kernel = plain_name(launch.captured.launch.kernel)
    return f"{kernel:<24}{threads:>9}{loads:>12}{decision:>8.2f} s{tracing:>7.2f} s{loads / counting / 1e6:>24.0f}"


def _by_array(trace: Trace) -> Iterator[_Columns]:
    """Thread, address and bytes of the loads of each array."""
    arrays = [site.array for site in trace.sites]
    for name in dict.fromkeys(arrays):
        own = np.array([array == name for array in arrays])[trace.site] & (trace.direction == 0)
        yield trace.thread[own], trace.address[own], trace.bytes[own]


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """The CPU seconds that some work takes, and what it gives."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


if __name__ == "__main__":
    main()
