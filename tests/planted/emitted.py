"""Faults in the CUDA that accache emits: what a translator with a bug would print."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """In the function ``where`` of a program the first ``before`` became ``after``; ``kind`` is for people."""

    program: str
    where: str
    before: str
    after: str
    kind: str = ""

    @property
    def name(self) -> str:
        """A name for test reports."""
        return f"{self.program}-{self.where}: {self.before.strip()} -> {self.after.strip() or '(nothing)'}"

    def apply(self, kernels: str) -> str:
        """The kernels with the fault; what it changes must be there."""
        start = kernels.index(f" {self.where}(")
        place = kernels.index(self.before, start)
        assert place < kernels.index("\n}\n", start), self.name
        return kernels[:place] + self.after + kernels[place + len(self.before) :]


def _stencil() -> list[Fault]:
    def smooth(before: str, after: str, kind: str = "") -> Fault:
        return Fault("stencil", "smooth_L7_kernel", before, after, kind)

    def fetch(before: str, after: str) -> Fault:
        return Fault("stencil", "smooth_L7_kernel_a_fetch", before, after)

    def count(before: str, after: str, kind: str = "") -> Fault:
        return Fault("stencil", "count_L21_kernel", before, after, kind)

    return [
        smooth("i < n - 2", "i < n - 3", "guard too short"),
        smooth("i < n - 2", "i < n", "guard too long"),
        smooth("i < n - 2", "true", "no guard"),
        smooth("blockIdx.x + 2", "blockIdx.x + 3", "the loop starts one later"),
        smooth("blockIdx.x + 2", "blockIdx.x + 1", "the loop starts one earlier"),
        smooth("n - 2 - i_first", "n - 3 - i_first", "tile one short at the end"),
        smooth("i_first - 2", "i_first - 1", "tile starts one late"),
        smooth("i_width + 4", "i_width + 3", "fetch one short"),
        smooth("i_width + 4", "i_width", "no halo"),
        smooth("    __syncthreads();\n", "", "no barrier"),
        smooth("k + 2]", "k + 1]", "shifted reference"),
        smooth("[threadIdx.x + k + 2]", "[threadIdx.x - k + 2]", "mirrored index"),
        smooth("*(k + 3)", "*(3 - k)", "mirrored weight"),
        smooth("k <= 2", "k < 2", "loop one round short"),
        smooth("b[i] = sum", "b[i + 1] = sum", "neighbour written"),
        smooth("b[i] = sum;", "", "missing store"),
        smooth("int sum = 0", "int sum", "not initialised"),
        fetch("round < 2", "round < 1"),
        fetch("64*round", "63*round"),
        fetch("a_tile[k]", "a_tile[k + 1]"),
        Fault("stencil", "smooth_L7", "i_count + 63", "i_count", "grid one block short"),
        Fault("stencil", "smooth_L7", "n - 4", "n - 68", "grid one block short"),
        Fault("stencil", "smooth_L7", "ACCACHE_COPY, b", "ACCACHE_COPYIN, b", "copyin for copy"),
        Fault("stencil", "smooth_L7", "ACCACHE_COPY, b", "ACCACHE_COPYOUT, b", "copyout for copy"),
        Fault("stencil", "smooth_L7", "ACCACHE_COPYIN, a", "ACCACHE_CREATE, a", "create for copyin"),
        Fault("stencil", "smooth_L7", "(size_t)n * sizeof *a", "(size_t)(n - 1) * sizeof *a", "a copy too short"),
        Fault("stencil", "smooth_L7", "(size_t)n * sizeof *b", "(size_t)(n / 2) * sizeof *b", "a copy too short"),
        Fault("stencil", "smooth_L7", "dim3 block(64)", "dim3 block(32)", "block too small"),
        count("b[i] = b_tile[threadIdx.x]", "(void)b_tile", "missing write-back"),
        count("b[i] = b_tile", "b[i ^ 1] = b_tile", "neighbour written back"),
        count("b_dirty = true, ", "", "no mark"),
        count("k*i", "k", "another factor"),
        count("c[i] = b_tile[threadIdx.x]%7", "c[i] = b[i]%7", "memory read in the place of the tile"),
        count("if (active)", "if (active && i > 0)", "first iteration lost"),
        Fault("stencil", "count_L30_kernel", "i < n", "i < n - 1", "guard too short"),
        Fault("stencil", "count_L30_kernel", "c[i] += seen", "c[i] = seen", "update became store"),
        Fault("stencil", "count_L30_kernel", "c[i] += seen", "c[n - 1 - i] = c[i] + seen", "mirrored index"),
        Fault("stencil", "count_L30", "n, c_device, seen", "n, c_device, seen + 1", "another argument"),
    ]


def _matrix() -> list[Fault]:
    def multiply(before: str, after: str, kind: str = "") -> Fault:
        return Fault("matrix", "multiply_L11_kernel", before, after, kind)

    def reduce(before: str, after: str, kind: str = "") -> Fault:
        return Fault("matrix", "reduce_L35_kernel", before, after, kind)

    return [
        multiply("a_column, 48", "a_column, 40", "wrong pitch"),
        multiply("b_column, 40", "b_column, 48", "wrong pitch"),
        multiply("j < 40", "j < 39", "guard too short"),
        multiply("i < 40 && j", "j", "no guard of rows"),
        multiply("k0 < 48", "k0 < 32", "a chunk less"),
        multiply("        __syncthreads();\n        if", "        if", "no barrier behind the fetch"),
        multiply("        }\n        __syncthreads();\n", "        }\n", "no barrier before the next fetch"),
        multiply("b_tile[t][threadIdx.x]", "b_tile[threadIdx.x][t]", "transposed tile"),
        multiply("c[i][j] = sum", "c[j][i] = sum", "transposed store"),
        multiply("t < 16", "t < 17", "a round too many"),
        Fault("matrix", "multiply_L11_kernel_a_fetch", "row < rows", "row < rows - 1", "fetch a row short"),
        Fault("matrix", "multiply_L11_kernel_b_fetch", "column < columns", "true", "fetch not clipped"),
        Fault("matrix", "multiply_L11", "grid(3, 3)", "grid(3, 2)", "grid one block short"),
        Fault("matrix", "multiply_L11", "COPYOUT, c", "CREATE, c", "not copied back"),
        Fault("matrix", "transpose_L26_kernel", "a[j][i]", "a[i][j]", "not transposed"),
        Fault("matrix", "transpose_L26_kernel", "j < 40", "j < 64", "guard too long"),
        reduce("    __syncthreads();\n", "", "no barrier"),
        reduce("48 - 1 - j]*2", "48 - j]*2", "one past the end of a row"),
        reduce("    if (threadIdx.x == 0)\n        rows", "    if (threadIdx.x != 0)\n        rows", "others store"),
        reduce("total += sum", "total += 2 * sum", "added twice"),
        reduce("sum > most ? sum : most", "sum < most ? sum : most", "min for max"),
        reduce("j < 48; j += 32)\n        sum", "j < 32; j += 32)\n        sum", "half of the row"),
        reduce("part[48 - 1 - j] - j", "part[48 - j] - j", "one past a gang's array"),
        Fault("matrix", "reduce_L35", "accache_combine<accache_plus<int>>", "accache_combine<accache_maximum<int>>"),
        Fault("matrix", "reduce_L35", "accache_total<accache_plus<int>>(total_partials, blocks);", ""),
        Fault("matrix", "reduce_L35", "grid(40)", "grid(39)", "grid one block short"),
    ]


def _sparse() -> list[Fault]:
    def spread(before: str, after: str, kind: str = "") -> Fault:
        return Fault("sparse", "spread_L19_kernel", before, after, kind)

    return [
        Fault("sparse", "gather_L10_kernel_value_read", "position < count", "position <= count"),
        Fault("sparse", "gather_L10_kernel_value_read", ": *element", ": value_tile[0]", "misses served by the tile"),
        Fault("sparse", "gather_L10_kernel", "i_width + 15);\n    __syncthreads", "i_width);\n    __syncthreads"),
        Fault("sparse", "gather_L10_kernel", "    __syncthreads();\n", "", "no barrier"),
        Fault("sparse", "gather_L10_kernel", "where[i] + 1 - value_start", "where[i] - value_start"),
        spread("where[i] & 1", "!(where[i] & 1)", "condition the wrong way round"),
        spread("    moved[i] = moved_tile[threadIdx.x];\n", "", "missing write-back"),
        spread("moved[i] = moved_tile[threadIdx.x]", "moved[i] = moved_tile[threadIdx.x ^ 1]", "neighbour's cell"),
        spread("_fetch(moved_tile, moved, moved_start, i_width);", "_fetch(moved_tile, moved, moved_start, 0);"),
        Fault("sparse", "spread_L19", "ACCACHE_COPY, moved", "ACCACHE_COPYIN, moved", "copyin for copy"),
        Fault(
            "sparse",
            "count_L32_kernel",
            "atomicAdd(&bins_block[where[i]], i)",
            "bins_block[where[i]] += i",
            "not atomic",
        ),
        Fault("sparse", "count_L32_kernel", "bins_block[where[i]]", "bins_block[where[i] ^ 1]", "neighbour counted"),
        Fault("sparse", "count_L32_kernel", "bins_block[k] = 0;", "", "counts that begin nowhere"),
    ]


def _coarse() -> list[Fault]:
    def blur(before: str, after: str, kind: str = "") -> Fault:
        return Fault("coarse", "blur_L7_kernel", before, after, kind)

    def multiply(before: str, after: str, kind: str = "") -> Fault:
        return Fault("coarse", "multiply_L19_kernel", before, after, kind)

    def unaligned(before: str, after: str, kind: str = "") -> Fault:
        return Fault("coarse", "multiply_L19_kernel_unaligned", before, after, kind)

    return [
        blur("i_base + 3 < n", "i_base + 2 < n", "all iterations where one is missing"),
        blur("4*threadIdx.x", "3*threadIdx.x", "iterations of two threads"),
        blur("512*blockIdx.x", "516*blockIdx.x", "iterations of nobody"),
        blur("i < i_base + 4 && i < n", "i < i_base + 2 && i < n", "the rest is one iteration short"),
        blur("i < i_base + 4 && i < n", "i < i_base + 4", "no guard of the rest"),
        blur("[di + k]", "[k]", "a window that does not move"),
        blur("[di + k]", "[di + k + 1]", "a window one element late"),
        blur("sum[di] = 0;", "sum[0] = 0;", "not initialised"),
        blur("b[i_base + di] = sum[di]", "b[i_base + di] = sum[0]", "another iteration's result"),
        blur("float sum = 0;", "float sum;", "not initialised"),
        Fault("coarse", "blur_L7_kernel_single", "i < n", "i < n - 1", "guard too short"),
        Fault("coarse", "blur_L7", "accache_aligned({a_device, b_device})", "true", "misaligned base"),
        Fault("coarse", "blur_L7", "(i_count + 511) / 512", "i_count / 512", "grid one block short"),
        multiply("i_base + 3 < n", "i_base + 2 < n", "all iterations where one is missing"),
        multiply("4*threadIdx.y", "3*threadIdx.y", "iterations of two threads"),
        multiply("c_element[di][dj] = c[i*p + j_base + dj];", "c_element[di][dj] = 0;", "kept element not loaded"),
        multiply("c[i*p + j_base + dj] = c_element[di][dj];", "", "kept element not stored"),
        multiply(
            "c[i*p + j_base + dj] = c_element[di][dj]", "c[i_base*p + j_base + dj] = c_element[di][dj]", "a row stale"
        ),
        multiply("c_element[di][dj] += ", "c_element[di][dj] = ", "update became store"),
        multiply("k < m", "k < m - 1", "loop one round short"),
        multiply("j < j_base + 2 && j < p", "j < j_base + 1 && j < p", "the rest is one iteration short"),
        multiply("i < i_base + 4 && i < n", "i < i_base + 4", "no guard of the rest"),
        unaligned("i_base + 3 < n && j_base + 32 < p", "i_base + 3 < n", "all iterations where one is missing"),
        unaligned("32*dj", "31*dj", "iterations of two threads"),
        unaligned("j += 32", "j += 64", "the rest leaves iterations out"),
        Fault("coarse", "multiply_L19", "p % 2 == 0", "true", "misaligned rows"),
    ]


FAULTS = (*_stencil(), *_matrix(), *_sparse(), *_coarse())
"""All of them, by program."""

FREE_KINDS = (
    *("guard too short", "mirrored index", "grid one block short", "missing write-back", "wrong pitch"),
    *("copyin for copy", "neighbour written"),
)
"""What --check alone may not see: each must be found by --compare."""
