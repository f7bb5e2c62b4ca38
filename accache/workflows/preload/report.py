"""What was decided of each array of each kernel, in both currencies, as text."""

from __future__ import annotations

from collections.abc import Sequence

from accache.l1.gpus import Gpu
from accache.preload.plan import Decision, Plan, bytes_saved, wavefronts_saved
from accache.workflows.preload.program import limits_of


def told(plans: Sequence[Plan], gpu: Gpu) -> str:
    """A line for each array of each kernel."""
    lines = []
    for plan in plans:
        shape = " x ".join(map(str, plan.block))
        name, taken = plan.view.name, plan.layout.bytes
        lines.append(f"{name}, blocks of {shape} threads: {taken} bytes of shared memory a block")
        lines += [f"  {_line(item, plan, gpu)}" for item in plan.decisions]
    return "".join(f"{line}\n" for line in lines)


def _line(item: Decision, plan: Plan, gpu: Gpu) -> str:
    tile = item.tile or item.best
    if tile is None:
        return f"{item.array}: {item.reason}"
    limits = limits_of(gpu, plan.block, 0)
    measures = tile.measures
    where = "at the entry" if tile.loop is None else f"in chunks of {tile.chunk} iterations"
    what = f"copied {where}" if item.tile is not None else item.reason
    return (
        f"{item.array}: {what}; density {measures.density:.2f} = reuse {measures.reuse:.2f} x fill "
        f"{measures.fill:.2f}, {tile.shared_bytes} bytes; a region saves {bytes_saved(tile, limits)} bytes from L2 and "
        f"{wavefronts_saved(tile)} wavefronts of {measures.loads}"
    )
