"""Mutants that no test can catch, with the proof: what they change cannot be seen from outside."""

from __future__ import annotations

from mutate.mutants import Mutant

EQUIVALENT: dict[str, dict[str, tuple[str, ...]]] = {
    "every range of this program begins inside the array (edges and edges_plane have one that does not)": {
        "lookup": ("guard in lookup_L21_kernel_table_fetch: without table_start + k >= begin",),
        "gemm": (
            "guard in gemm_L24_kernel_a_fetch: without (a_row + row) * pitch + a_column + column >= begin",
            "guard in gemm_L24_kernel_b_fetch: without (b_row + row) * pitch + b_column + column >= begin",
        ),
        "nbody": (
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= x_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= y_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= z_begin",
            "guard in nbody_L28_kernel_x_y_z_m_fetch: without tile_start + k >= m_begin",
        ),
        "moving": ("guard in moving_L8_kernel_x_fetch: without x_start + k >= begin",),
    },
    "every range of this program lies in the array (edges and edges_plane have ranges that do not)": {
        "stencil": (
            "guard in stencil_L25_kernel_a_fetch: without a_start + k >= begin",
            "guard in stencil_L25_kernel_a_fetch: without a_start + k < end",
        ),
        "jacobi": (
            "guard in jacobi_L21_kernel_b_fetch: without (b_row + row) * pitch + b_column + column >= begin",
            "guard in jacobi_L21_kernel_b_fetch: without (b_row + row) * pitch + b_column + column < end",
        ),
        "plane_back": (
            "guard in plane_L9_kernel_a_fetch: without (a_row + row) * pitch + a_column + column >= begin",
            "guard in plane_L9_kernel_a_fetch: without (a_row + row) * pitch + a_column + column < end",
            "guard in plane_L9_kernel_b_fetch: without (b_row + row) * pitch + b_column + column >= begin",
            "guard in plane_L9_kernel_b_fetch: without (b_row + row) * pitch + b_column + column < end",
        ),
        "plane_communicating_sync": (
            "guard in plane_L9_kernel_a_fetch: without (a_row + row) * pitch + a_column + column >= begin",
            "guard in plane_L9_kernel_a_fetch: without (a_row + row) * pitch + a_column + column < end",
            "guard in plane_L9_kernel_b_fetch: without (b_row + row) * pitch + b_column + column >= begin",
            "guard in plane_L9_kernel_b_fetch: without (b_row + row) * pitch + b_column + column < end",
        ),
        "collapsed": (
            "guard in collapsed_L6_kernel_a_fetch: without (a_row + row) * pitch + a_column + column >= begin",
            "guard in collapsed_L6_kernel_a_fetch: without (a_row + row) * pitch + a_column + column < end",
        ),
    },
    "the last range ends where the array ends, so clipping does the same (edges and edges_plane have longer arrays)": {
        "stencil": (
            "guard in stencil_L25_kernel_a_fetch: without k < count",
            "width in stencil_L25_kernel: i_width = 256",
        ),
        "jacobi": (
            "guard in jacobi_L21_kernel_b_fetch: without row < rows",
            "width in jacobi_L21_kernel: i_width = 16",
        ),
        "gemm": (
            "guard in gemm_L24_kernel_a_fetch: without row < rows",
            "width in gemm_L24_kernel: i_width = 16",
        ),
    },
    "rbc was asked for, but every reference lies in the range (chunks has others)": {
        "taps_rbc": (
            "guard in taps_L6_kernel_a_read: without position >= 0",
            "guard in taps_L6_kernel_a_read: without position < count",
        ),
    },
    "a thread without an iteration computes with variables of its own that nobody reads": {
        "nbody": ("guard in nbody_L28_kernel: without active #2",),
        "moving": ("guard in moving_L8_kernel: without active #2",),
    },
}


def reason(emission: str, mutant: Mutant) -> str:
    """Why a mutant survives, '' if it should not."""
    return next((why for why, places in EQUIVALENT.items() if str(mutant) in places.get(emission, ())), "")
