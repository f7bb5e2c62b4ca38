"""What to write in C with OpenACC where somebody writes a word of CUDA C++."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BY_LOOPS = "use the variables of loops: their iterations are dealt out to blocks and threads"
_SHARED = (
    "name the array in a cache directive; or declare it between a loop gang and a loop vector: it is the gang's own"
)
_BARRIER = "end the loop over its threads there: they wait for each other at the end of a loop"
_ATOMIC = "write '#pragma acc atomic' in front of the update, as in sum += x"
_OWN_FILE = (
    "kernels in CUDA C++ belong in a .cu file, which 'accache run' takes; here a compute construct makes the kernel"
)

INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("threadIdx", "blockIdx", "blockDim", "gridDim"), _BY_LOOPS),
    "__shared__": _SHARED,
    **dict.fromkeys(("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block"), _BARRIER),
    **dict.fromkeys((f"atomic{name}" for name in ("Add", "Sub", "Min", "Max", "And", "Or", "Xor", "Exch")), _ATOMIC),
    **dict.fromkeys(("__global__", "__device__", "__host__", "__launch_bounds__"), _OWN_FILE),
}
_WORD = rf"\b(?:{'|'.join(INSTEAD)})\b"


def instead_of(text: str) -> str:
    """A hint at what stands for the first word of CUDA in a text; '' where there is none.

    >>> instead_of("'threadIdx' undeclared")
    'use the variables of loops: their iterations are dealt out to blocks and threads'
    >>> instead_of("'thread' undeclared")
    ''
    """
    found = re.search(_WORD, text)
    return INSTEAD[found[0]] if found is not None else ""
