"""The words of PTX instructions, versions 6 to 9: opcodes with their numbers of operands, and modifiers."""

from __future__ import annotations

import re


def _counted(table: str) -> dict[str, tuple[int, int]]:
    """``name 2``, ``name 0-4``, ... as a dictionary of the smallest and largest number."""
    counts = {}
    for entry in table.split(","):
        name, count = entry.split()
        low, _, high = count.partition("-")
        counts[name] = (int(low), int(high or low))
    return counts


OPERANDS: dict[str, tuple[int, int]] = _counted(
    "abs 2, activemask 1, add 3, addc 3, alloca 2-3, and 3, applypriority 2, atom 3-5, bar 0-4, barrier 0-4, bfe 4,"
    "bfi 5, bfind 2, bmsk 3, bra 1, brev 2, brkpt 0, brx 2, call 1-4, clusterlaunchcontrol 1-2, clz 2, cnot 2,"
    "copysign 3, cos 2, cp 0-8, createpolicy 1-4, cvt 2-4, cvta 2, discard 2, div 3, dp2a 4, dp4a 4, elect 2, ex2 2,"
    "exit 0, fence 0-2, fma 4, fns 4, getctarank 2, griddepcontrol 0, isspacep 2, istypep 2, ld 2-4, ldmatrix 2,"
    "ldu 2, lg2 2, lop3 5-6, mad 4, mad24 4, madc 4, mapa 3, match 3, max 3-4, mbarrier 1-4, membar 0, min 3-4,"
    "mma 4-9, mov 2, movmatrix 2, mul 3, mul24 3, multimem 2-3, nanosleep 1, neg 2, not 2, or 3, pmevent 1, popc 2,"
    "prefetch 1-2, prefetchu 1, prmt 4, rcp 2, red 2-4, redux 3, rem 3, ret 0, rsqrt 2, sad 4, selp 4, set 3-4,"
    "setmaxnreg 1, setp 3-4, shf 4, shfl 4-5, shl 3, shr 3, sin 2, slct 4, sqrt 2, st 2-4, stackrestore 1,"
    "stacksave 1, stmatrix 2, sub 3, subc 3, suld 2, suq 2, sured 2, sust 2, szext 3, tanh 2, tcgen05 0-9,"
    "tensormap 2-3, testp 2, tex 2-5, tld4 2-5, trap 0, txq 2-3, vabsdiff 3-4, vabsdiff2 4, vabsdiff4 4, vadd 3-4,"
    "vadd2 4, vadd4 4, vavrg2 4, vavrg4 4, vmad 4, vmax 3-4, vmax2 4, vmax4 4, vmin 3-4, vmin2 4, vmin4 4, vote 2-3,"
    "vset 3-4, vset2 4, vset4 4, vshl 3-4, vshr 3-4, vsub 3-4, vsub2 4, vsub4 4, wgmma 0-9, wmma 2-5, xor 3"
)

_USES = (
    # rounding, range, and what part of a result
    "rn rz rm rp rna rni rzi rmi rpi rs ftz noftz sat satfinite approx full lo hi wide cc relu xorsign abs NaN scaled",
    # comparisons, and how they combine
    "eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan and or xor not",
    # memory: spaces, order, scopes, caches
    "global shared local const param generic volatile relaxed acquire release acq_rel sc mmio weak cta cluster "
    "gpu sys gl nc ca cg cs lu cv wb wt unified to a b c d",
    # atomics, warps, barriers
    "cas exch add inc dec min max sync up down bfly idx all any uni ballot arrive red popc warp wait aligned "
    "async bulk commit_group wait_group wait_all mbarrier noinc tensor prefetch reduce bulk_group read init inval "
    "expect_tx complete_tx arrive_drop test_wait try_wait pending_count parity noComplete bulk_commit proxy alias "
    "tensormap mbarrier_init acquire::gpu sync_restrict ordered_metadata multimem try_cancel query_cancel "
    "is_canceled get_first_ctaid launch_dependents",
    # bits
    "wrap clamp l r f4e b4e rc8 ecl ecr rc16 shiftamt finite infinite number notanumber normal subnormal h0 h1 b0 "
    "b1 b2 b3 h10 h32 h3210 shr7 shr15 po",
    # matrices
    "row col load store mma sp trans mma_async fence ws alloc dealloc relinquish_alloc_permit ld st cp shift "
    "commit block_scale pack unpack warpx2 warpx4",
    # textures and surfaces
    "1d 2d 3d 4d 5d a1d a2d cube acube 2dms a2dms level grad base trap zero p width height depth array_size "
    "channel_data_type channel_order num_mipmap_levels num_samples normalized_coords force_unnormalized_coords "
    "filter_mode addr_mode_0 addr_mode_1 addr_mode_2 memory_layout samplerref texref surfref tile im2col "
    "im2col_no_offs fractional range cvta cvt entry replace global_address rank box_dim global_dim global_stride "
    "element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode pred",
)
_WORDS = frozenset(word for words in _USES for word in words.split())
_FAMILIES = re.compile(
    r"""
      (b|u|s|f|bf|tf)\d+(x\d+)?             # types
    | u?e\d+m\d+(x\d+)?
    | v[248] | x\d+ | m\d+n\d+(k\d+)? | \d+x\d+b | \d+x\d+
    | (L1|L2|level)::[\w:]+                 # caches
    | (shared|param|release|acquire|sync_restrict|kind|scale_vec|multicast|mbarrier|cta_group|im2col|cp_mask|op_restrict
       |proxy|tile|spformat|sp|collector|arrive|read|async|generic|tensormap|ashift|bytes)::[\w:]+
    """,
    re.VERBOSE,
)


def is_modifier(word: str) -> bool:
    """Whether instructions of PTX have such a modifier.

    >>> is_modifier("L1::no_allocate"), is_modifier("globl")
    (True, False)
    """
    return word in _WORDS or _FAMILIES.fullmatch(word) is not None
