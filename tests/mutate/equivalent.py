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
