"""Turns in which banks of shared memory serve a block of 16 x 16 threads, by type, layout, order and padding.

``python bench/banks.py`` runs the microbenchmark of paper 004 (its Listing 6) on the PTX machine, whose trace of shared
memory tells what each warp asks for at once. Needs nvcc and g++.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cost.launches import ARCH, Variant, run_variant
from cost.memory import asked, shared_accesses

from accache.base.options import Options
from accache.ptx.execute import run
from accache.ptx.machine.link import link
from accache.ptx.machine.trace import Trace

SIDE = 16
PROGRAM = """
#include <cstdio>

template <class T, bool Flat, bool XY, int Pad>
__global__ void relax(T *global, int size)
{
    __shared__ T rows_of[Flat ? 1 : 16 + Pad][Flat ? (16 + Pad) * (16 + Pad) : 16 + Pad];
    const int row = XY ? threadIdx.x : threadIdx.y, rows = XY ? blockDim.x : blockDim.y;
    const int col = XY ? threadIdx.y : threadIdx.x, cols = XY ? blockDim.y : blockDim.x;
    const int index = (threadIdx.x + blockIdx.x * blockDim.x) * size + threadIdx.y + blockIdx.y * blockDim.y;
    auto at = [&](int r, int c) -> T & { return Flat ? rows_of[0][r * (16 + Pad) + c] : rows_of[Flat ? 0 : r][c]; };
    at(row, col) = global[index];
    const int s = row == rows - 1 ? row : row + 1, n = row == 0 ? 0 : row - 1;
    const int w = col == cols - 1 ? col : col + 1, e = col == 0 ? 0 : col - 1;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        T sum = (at(row, col) + at(s, col) + at(n, col) + at(row, e) + at(row, w)) * 0.8;
        __syncthreads();
        at(row, col) = sum;
        __syncthreads();
    }
    global[index] = at(row, col);
}

template <class T, bool Flat, bool XY, int Pad> void launch(void *memory)
{
    relax<T, Flat, XY, Pad><<<1, dim3(16, 16)>>>(static_cast<T *>(memory), 16);
}

int main()
{
    void *memory;
    cudaMalloc(&memory, 16 * 16 * 8);
    cudaMemset(memory, 0, 16 * 16 * 8);
    LAUNCHES
    std::puts("mean 0");
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


AS_PRINTED = PROGRAM.replace("    __syncthreads();\n    for", "    for")
"""As the paper prints it: nobody waits until the others have fetched. ``accache run --check`` finds that."""


@dataclass(frozen=True)
class Setting:
    """One form of the microbenchmark: the type of an element, flat or with two subscripts, and how threads lie on it.

    With ``order`` XY threads along x have a row each, with YX a column; ``padding`` elements end each row.
    """

    ctype: str
    flat: bool
    order: str
    padding: int

    @property
    def call(self) -> str:
        """Its launch."""
        words = (self.ctype, str(self.flat).lower(), str(self.order == "XY").lower(), str(self.padding))
        return f"launch<{', '.join(words)}>(memory);"


def settings() -> list[Setting]:
    """All of them, those with and without padding side by side."""
    return [
        Setting(ctype, flat, order, padding)
        for ctype in ("int", "double")
        for flat in (False, True)
        for order in ("XY", "YX")
        for padding in (0, 1)
    ]


def main() -> None:
    """Print the table."""
    chosen = settings()
    turns = measured(chosen)
    print("| type | layout | threads along x | no padding | one element a row |")
    print("| --- | --- | --- | --- | --- |")
    for number, each in list(enumerate(chosen))[::2]:
        along = "rows (XY)" if each.order == "XY" else "columns (YX)"
        layout = "flat" if each.flat else "2D"
        print(f"| {each.ctype} | {layout} | {along} | {turns[number]:.2f} | {turns[number + 1]:.2f} |")


def measured(chosen: Sequence[Setting]) -> list[float]:
    """The turns of an access to shared memory, on the average, in each of these forms."""
    text = with_launches(PROGRAM, chosen)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "banks.cu")
        path.write_text(text)
        done = run_variant(Variant(path, text, "", (), Options(arch=ARCH)), Path(name))
        found = []
        for captured in done.launches():
            recorder = Trace(shared=True)
            _, outcome = run(done.module, captured.launch, trace=recorder, cores=1)
            records, program = recorder.records(), link(done.module, captured.launch.kernel)
            turns = asked(records, outcome.arrivals, program, done.module, launch=captured.launch).turns
            found.append(turns / shared_accesses(records))
    return found


def with_launches(program: str, chosen: Sequence[Setting]) -> str:
    """The program with a launch of each of these forms."""
    return program.replace("LAUNCHES", "\n    ".join(each.call for each in chosen))


if __name__ == "__main__":
    main()
