"""What docs/evaluation.md says of the figures that are kept, number by number; a test finds each part of it there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from figures.forms import FORMS, SEVERAL
from figures.kept import Kept, Row, the

_PAPER_004 = {
    ("004-figure-3", "loads"): "loads 1/12 by rbc, rbi and by hand",
    ("004-figure-3", "instructions"): "rbi 2.4 times as fast, as by hand; rbc 2.67 times slower than rbi",
    ("004-figure-4", "instructions"): "rbi 1.92 to 2.11 times as fast, by hand 8 to 10 % more; rbc no gain",
    ("004-figure-5", "instructions"): "rbi 3 to 6 % faster, rbc slower, by hand much faster",
    ("004-stencil", "loads"): "(not in the paper)",
}
_SAMPLES = {"004-figure-3": "gemm", "004-figure-4": "nbody", "004-figure-5": "jacobi", "004-stencil": "stencil"}


def parts(kept: Kept) -> Iterator[str]:
    """Tables, and parts of sentences."""
    yield f"took {sum(kept.seconds.values()):,} s of CPU"
    for figure in (_cache_directive, _table_3, _width_and_scope, _writes, _banks, _effort):
        yield from figure(kept)
    for figure in (_registers, _classes, _sweep, _ablations, _latencies, _bypassing, _preloads):
        yield from figure(kept)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _cache_directive(kept: Kept) -> Iterator[str]:
    rows = []
    for figure, sample in _SAMPLES.items():
        known = kept.rows[figure]
        size = max(row["size"] for row in known)
        forms = {form: the(known, size=size, form=form) for form in FORMS}
        for what in ("loads", "without L1", "instructions") if sample == "gemm" else ("loads", "instructions"):
            found = [forms[form][what] / forms["none"][what] for form in FORMS[1:]]
            shown = [f"{each:.2f}" if what == "instructions" else f"{round(each, 3):g}" for each in found]
            name = f"{figure}, {sample} {size}" if what == "loads" else ""
            label = "bytes without L1" if what == "without L1" else what
            rows.append((name, label, *shown, _PAPER_004.get((figure, what), "")))
    yield _table(("figure", "", *FORMS[1:-1], "by hand", "the paper, in time"), rows)
    gemm = kept.rows["004-figure-3"]
    size = max(row["size"] for row in gemm)
    rbc, rbi = (the(gemm, size=size, form=form)["instructions"] for form in ("rbc", "rbi"))
    yield f"(rbc / rbi is {rbc / rbi:.2f} for gemm; the paper has 2.67 in time)"
    several, none = (the(gemm, size=size, form=form)["L2 to L1"] for form in (SEVERAL, "none"))
    yield f"`several` of gemm, {several / none:.2f} times as many"


def _table_3(kept: Kept) -> Iterator[str]:
    for sample in ("gemm", "nbody"):
        rows = [the(kept.rows["004-table-3"], sample=sample, form=form) for form in ("none", "rbc", "rbi", "cuda")]
        occupancy = ", ".join(str(row["occupancy %"]) for row in rows)
        yield f"{' / '.join(str(row['registers']) for row in rows)} ({occupancy} %) for {sample}"
    shared = {row["sample"]: row["shared bytes"] for row in kept.rows["004-table-3"] if row["form"] == "rbi"}
    yield f"{shared['nbody'] / 1024:.0f} KB where the paper's takes 8"
    yield f"Shared memory is {shared['gemm'] / 1024:.0f} KB for gemm"
    yield f"{shared['jacobi'] / 1024:.1f} KB for jacobi"


def _more(found: Row, base: Row) -> str:
    """How much more a form costs: instructions, and barriers."""
    instructions = found["instructions"] / base["instructions"]
    barriers = f"{found['barriers of warps']:,} barriers for {base['barriers of warps']:,}"
    return f"{instructions:.2f} times the instructions and {barriers}"


def _width_and_scope(kept: Kept) -> Iterator[str]:
    for sample in ("jacobi", "gemm", "nbody"):
        width = {row["width"]: row for row in kept.rows["004-figure-6"] if row["sample"] == sample}
        scope = {row["scope"]: row for row in kept.rows["004-figure-7"] if row["sample"] == sample}
        yield f"| `sync` for `kernel-args`, {sample} | {_more(width['sync'], width['kernel-args'])} |"
        yield f"| `kernel-args` for `fixed`, {sample} | {_more(width['kernel-args'], width['fixed'])} |"
        yield f"| `communicating` for `private`, {sample} | {_more(scope['communicating'], scope['private'])} |"


def _writes(kept: Kept) -> Iterator[str]:
    rows = kept.rows["004-figure-8"]
    dense = {row["sectors written"] for row in rows if row["workload"] == "dense, 4,096 threads"}
    yield f"({' or '.join(map(str, sorted(dense)))} sectors for 4,096 threads, 4 to 128 writes each)"
    sparse = {"workload": "sparse, 4,096 threads", "writes_a_thread": 128}
    back, through = (the(rows, policy=policy, **sparse) for policy in ("back", "through"))
    more = 100 * (back["instructions"] / through["instructions"] - 1)
    yield (
        f"rounds are {back['sectors written']} sectors by write-back and {through['sectors written']} by write-through "
        f"(4,096 threads), for {more:.0f} % more instructions"
    )


def _banks(kept: Kept) -> Iterator[str]:
    rows = []
    for order, along in (("XY", "rows"), ("YX", "columns")):
        for ctype in ("int", "double"):
            found = [
                the(kept.rows["004-figure-2"], type=ctype, order=order, layout=layout, padding=padding)
                for layout in ("2D", "flat")
                for padding in (0, 1)
            ]
            rows.append((along, ctype, *(f"{row['turns an access']:g}" for row in found)))
    yield _table(("along x", "type", "2D", "2D, padded", "flat", "flat, padded"), rows)


def _effort(kept: Kept) -> Iterator[str]:
    rows = [row for row in kept.rows["004-table-2"] if row["sample"] == "gemm"]
    yield (
        f"{' / '.join(str(row['statements']) for row in rows)} for gemm where the paper has "
        f"{' / '.join(str(row[_PROGRAMS]) for row in rows)}"
    )


_PROGRAMS = "the paper's programs"


def _registers(kept: Kept) -> Iterator[str]:
    rate = {(row["threads"], row["schedule"]): row["miss rate %"] for row in kept.rows["002-figure-3"]}
    threads = sorted({each for each, _ in rate})
    rows = [
        (name, *(f"{rate[each, schedule]:g}" for each in threads))
        for schedule, name in (("round robin", "ordered round robin"), ("modelled", "the model"))
    ]
    yield _table(("misses, % of requests, by threads", *map(str, threads)), rows)


def _classes(kept: Kept) -> Iterator[str]:
    by_kernel: dict[str, dict[str, float]] = defaultdict(dict)
    for row in kept.rows["002-figure-10"]:
        by_kernel[row["kernel"]][row["class"]] = row["% of requests"]
    names = list(next(iter(by_kernel.values())))
    yield _table(
        ("kernel", *names), [(kernel, *(f"{found[each]:.2f}" for each in names)) for kernel, found in by_kernel.items()]
    )


def _sweep(kept: Kept) -> Iterator[str]:
    rates: dict[str, dict[float, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in kept.rows["002-figure-12"]:
        rates[row["parameter"]][row["factor"]][row["kernel"]] = row["miss rate %"]
    rows = []
    for parameter, found in rates.items():
        moved = {kernel: [at[kernel] for at in found.values()] for kernel in found[1.0]}
        most, ends = max(moved.items(), key=lambda item: max(item[1]) - min(item[1]))
        means = (f"{fmean(at.values()):.1f}" for _, at in sorted(found.items()))
        rows.append((parameter, *means, f"{min(ends):.1f} to {max(ends):.1f} ({most})"))
    yield _table(("mean miss rate, %", "1/4", "1/2", "1", "2", "4", "the kernel that it moves most"), rows)


def _ablations(kept: Kept) -> Iterator[str]:
    rows = [row for row in kept.rows["002-ablations"] if row["kernel"] == "mean"]
    ours = ", ".join(f"{row['away from whole']:.1f} ({row['model'].partition(' ')[2]})" for row in rows)
    yield f"moves the miss rate by {ours} points on the average"
    yield f"grows by {', '.join(f'{row[_GROWN]:g}' for row in rows)} points"


_GROWN = "the paper: more error"


def _points(number: float) -> str:
    """A change, without a zero that is less than none."""
    return f"{round(number, 1) + 0:+.1f}"


def _latencies(kept: Kept) -> Iterator[str]:
    rows = [
        (row["parameter"], row["value"], _points(row["mean change"]), _points(row["largest"]))
        for row in kept.rows["002-latencies"]
    ]
    yield _table(("parameter of v100", "instead", "mean change", "largest"), rows)


def _bypassing(kept: Kept) -> Iterator[str]:
    rows = kept.rows["000-figure-2"]
    kernels = sorted({row["kernel"] for row in rows})
    best, none = (
        [the(rows, kernel=kernel, subset=subset)["of caching all"] for kernel in kernels]
        for subset in ("best", "all bypass")
    )
    yield f"Caching all is the best of them for {best.count(1)} of {len(kernels)} kernels"
    yield f"as much as {1 / min(best):.3g} times the best"
    yield f"bypassing all is up to {max(none):.0f} times caching all"
    for cache in ("16 KB", "32 KB", "48 KB"):
        means = [
            the(kept.rows["000-figure-5"], cache=cache, kernel="geometric mean", way=way)
            for way in ("caching all", "Algorithm 1", "accache")
        ]
        yield f"| {cache}, samples | {' | '.join(f'{row[_PART]:.3f}' for row in means)} | " + ", ".join(
            f"{row[_GAIN]} %" for row in means[:2]
        )


_PART, _GAIN = "of bypassing all", "the paper: gain in time, %"


def _preloads(kept: Kept) -> Iterator[str]:
    rows = kept.rows["001-table"]
    kernels = {row["kernel"] for row in rows}
    kepler, h100 = (
        len({row["kernel"] for row in rows if row["GPU"] == gpu and row["decision"] == "copy"})
        for gpu in ("kepler", "h100")
    )
    yield f"on a GPU without L1 {kepler} of the {len(kernels)} kernels get copies, on h100 {h100 or 'none'}"
