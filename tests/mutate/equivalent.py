"""Mutants that no test can catch, with the proof: what they change cannot be seen from outside."""

from __future__ import annotations

from mutate.mutants import Mutant

EQUIVALENT: dict[str, dict[str, tuple[str, ...]]] = {
    "every range of this program begins inside the array (edges and edges_plane have one that does not)": {
        "contrary": (
            "guard in contrary_L8_kernel_a_fetch: without (a_row + row)*pitch + a_column + column >= begin",
            "guard in contrary_L8_kernel_b_fetch: without (b_row + row)*pitch + b_column + column >= begin",
        ),
        "lookup": ("guard in lookup_L21_kernel_table_fetch: without table_start + k >= begin",),
        "gemm": (
            "guard in gemm_L24_kernel_a_fetch: without (a_row + row)*pitch + a_column + column >= begin",
            "guard in gemm_L24_kernel_b_fetch: without (b_row + row)*pitch + b_column + column >= begin",
        ),
        "nbody": (
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= x_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= y_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= z_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= m_begin",
        ),
        "moving": ("guard in moving_L8_kernel_x_fetch: without x_start + k >= begin",),
        "products": tuple(
            f"guard in products_L7_kernel{version}_{array}_fetch: without {guard}"
            for version in ("", "_unaligned")
            for array in "ab"
            for guard in (
                f"{array}_row*pitch + {array}_column >= begin",
                f"({array}_row + row)*pitch + {array}_column + column >= begin",
            )
        ),
        "phases": ("guard in phases_L8_kernel_c_fetch: without tile_start + k >= begin",),
    },
    "the last range ends where the array ends, so clipping does the same (edges and edges_plane have longer arrays)": {
        "contrary": (
            "guard in contrary_L8_kernel_a_fetch: without row < rows",
            "guard in contrary_L8_kernel_b_fetch: without row < rows",
            "width in contrary_L8_kernel: i_width = 16",
            "width in contrary_L8_kernel: j_width = 16",
        ),
        "gemm": (
            "guard in gemm_L24_kernel_a_fetch: without row < rows",
            "width in gemm_L24_kernel: i_width = 16",
        ),
    },
    "the end of the array is met by aligned rows alone, in a tile behind which the array's end lies, too": {
        "products": (
            "guard in products_L7_kernel_a_fetch: without k < 96",
            "guard in products_L7_kernel_unaligned_a_fetch: without (a_row + row)*pitch + a_column + column < end",
        ),
    },
    "rows of this program follow each other in memory": {
        "products": tuple(
            f"guard in products_L7_kernel{version}_{array}_fetch: without pitch >= 0"
            for version in ("", "_unaligned")
            for array in "ab"
        ),
    },
    "a thread without an iteration has none of those that are asked for one by one, or of two at once": {
        "products": (
            *(
                f"guard in products_L7_kernel{version}: without {guard}"
                for version in ("", "_unaligned")
                for guard in ("i_base < n", "j_base < n")
            ),
            "guard in products_L7_kernel: without i_base + 1 < n",
        ),
    },
    "no run of this program has arrays that overlap (aliased has)": {
        "assumed": ("guard in assumed_L11: without accache_disjoint(a, {c})",),
    },
    "rbc was asked for, but every reference lies in the range (chunks has others)": {
        "taps_rbc": (
            "guard in taps_L6_kernel_a_read: without position >= 0",
            "guard in taps_L6_kernel_a_read: without position < count",
        ),
    },
    "a thread without an iteration computes with variables of its own that nobody reads": {
        "contrary": ("guard in contrary_L8_kernel: without active",),
        "nbody": ("guard in nbody_L28_kernel: without active #2",),
        "moving": ("guard in moving_L8_kernel: without active #2",),
    },
}


def reason(emission: str, mutant: Mutant) -> str:
    """Why a mutant survives, '' if it should not."""
    return next((why for why, places in EQUIVALENT.items() if str(mutant) in places.get(emission, ())), "")
