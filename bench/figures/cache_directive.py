"""Paper 004, the cache directive: Figures 2 to 8 and Tables 2 and 3 as counts instead of times."""

from __future__ import annotations

import banks

from accache.workflows.without_directives import without_cache_directives
from figures.figure import Chart, Figure, Maker, Row, Settings, Value
from figures.forms import FORMS, HAND, SAMPLES, Form, Work

SIZES = {
    "gemm": ((64,), (128,), (192,)),
    "nbody": ((512, 1), (1024, 1), (2048, 1)),
    "jacobi": ((66, 66, 1), (130, 130, 1), (258, 258, 1)),
    "stencil": ((4156, 1), (8252, 1), (16444, 1)),
}
"""Arguments of the samples: the smallest size, which tells whether it works, the middle and the largest one."""
COUNTS = ("instructions", "loads", "sectors", "L2 to L1", "without L1", "registers", "shared", "occupancy")
SPEEDS = {
    "gemm": "times: RBI 2.4 times as fast as no directive, RBC 2.67 times slower than RBI, CUDA as RBI; at 1024 x 1024 "
    "RBI, RBC and CUDA make 12 times fewer global loads",
    "nbody": "times: RBI 1.92 to 2.11 times as fast as no directive, CUDA 8 to 10 % faster than RBI, RBC no gain",
    "jacobi": "times: RBI 3 to 6 % faster than no directive, RBC slower, CUDA much faster than RBI",
    "stencil": "the paper has no figure of a one-dimensional stencil that reads only",
}


def performance(sample: str) -> Maker:
    """What makes Figures 3 (gemm), 4 (nbody), 5 (jacobi), and the same of stencil."""

    def make(settings: Settings) -> Figure:
        rows: list[Row] = []
        for form in FORMS:
            built = Form(sample, form, settings.scratch)
            for arguments in sizes(sample, settings):
                rows.append((arguments[0], form, *_counts(built.work(*arguments))))
        plain = {row[0]: row for row in rows if row[1] == "none"}
        rows = [
            (*row, _part(row[2], plain[row[0]][2]), _part(row[3], plain[row[0]][3])) for row in sorted(rows, key=_order)
        ]
        columns = ("size", "form", *COUNTS, "instructions / none", "loads / none")
        return Figure(f"{sample}: what forms of it ask for", SPEEDS[sample], columns, tuple(rows), _CHART)

    return make


_CHART = Chart("size", "instructions / none", "form")


def _counts(work: Work) -> Row:
    moved = (work.sectors + work.stored) * 32
    return (
        work.instructions,
        work.loads,
        work.sectors,
        work.from_l2,
        moved,
        work.registers,
        work.shared,
        round(work.occupancy, 2),
    )


def _order(row: Row) -> tuple[object, ...]:
    return row[0], FORMS.index(str(row[1]))


def _part(one: Value, other: Value) -> float:
    assert isinstance(one, int)
    assert isinstance(other, int)
    return round(one / other, 3)


def sizes(sample: str, settings: Settings) -> tuple[tuple[int, ...], ...]:
    """The arguments that a sample is called with, one after the other."""
    return SIZES[sample][:1] if settings.quick else SIZES[sample]


def occupancy(settings: Settings) -> Figure:
    """Table 3: registers, shared memory and occupancy of forms."""
    paper = {
        ("gemm", "none"): "24, 0, 100 %",
        ("gemm", "rbc"): "33, 4 KB, 75 %",
        ("gemm", "rbi"): "30, 4 KB, 100 %",
        ("gemm", HAND): "30, 4 KB, 100 %",
        ("nbody", "none"): "32, 0, 100 %",
        ("nbody", "rbc"): "30, 8 KB, 75 %",
        ("nbody", "rbi"): "30, 8 KB, 75 %",
        ("nbody", HAND): "32, 4 KB, 100 %",
        ("jacobi", "none"): "16, 0, 100 %",
        ("jacobi", "rbc"): "21, 1.2 KB, 100 %",
        ("jacobi", "rbi"): "18, 1.2 KB, 100 %",
        ("jacobi", HAND): "11, 1.2 KB, 100 %",
    }
    rows: list[Row] = []
    for sample, form in paper:
        found = Form(sample, form, settings.scratch).work(*SIZES[sample][0])
        rows.append((sample, form, found.registers, found.shared, round(100 * found.occupancy), paper[sample, form]))
    columns = ("sample", "form", "registers", "shared bytes", "occupancy %", "the paper's K20")
    said = "registers, shared memory and occupancy as in the last column, of compute capability 3.5"
    return Figure(
        "registers, shared memory and occupancy", said, columns, tuple(rows), Chart("sample", "registers", "form")
    )


def alternatives(option: str, chosen: tuple[str, ...], said: str) -> Maker:
    """What makes Figures 6 (option width) and 7 (option scope): forms of rbi against the one without directive."""

    def make(settings: Settings) -> Figure:
        rows: list[Row] = []
        for sample in ("gemm", "nbody", "jacobi"):
            largest = sizes(sample, settings)[-1]
            plain = Form(sample, "none", settings.scratch / option).work(*largest)
            for value in chosen:
                found = Form(sample, "rbi", settings.scratch / option, **{option: value}).work(*largest)
                part = found.instructions / plain.instructions
                rows.append((sample, value, found.instructions, found.barriers, found.registers, round(part, 3)))
        columns = ("sample", option, "instructions", "barriers of warps", "registers", "instructions / none")
        return Figure(f"rbi with each {option}", said, columns, tuple(rows), Chart("sample", columns[-1], option))

    return make


WIDTH = alternatives(
    "width",
    ("fixed", "kernel-args", "sync"),
    "times: fixed fastest, kernel arguments 3 to 5 % slower, synchronisation up to 3 % slower than that",
)
SCOPE = alternatives(
    "scope",
    ("private", "communicating"),
    "times: private up to 47 % faster than communicating, except for the smallest N-body",
)


def writes(settings: Settings) -> Figure:
    """Figure 8: sectors that are written, by policy, pattern, parallel work and how often each thread writes."""
    works = (258,) if settings.quick else (4098, 32770)
    frequencies = (4, 16) if settings.quick else (4, 16, 64, 128)
    rows: list[Row] = []
    for pattern in ("dense", "sparse"):
        for policy in ("back", "through"):
            form = Form(f"write_{pattern}", "rbi", settings.scratch, write=policy)
            for work in works:
                for frequency in frequencies:
                    found = form.work(work, frequency)
                    key = (f"{pattern}, {work - 2:,} threads", policy, frequency)
                    rows.append((*key, found.stored, found.instructions))
    columns = ("workload", "policy", "writes a thread", "sectors written", "instructions")
    said = (
        "times: with 128 K threads write-back wins always; with 4 K threads write-through wins below 16 writes, and "
        "from 64 on write-back by 7 to 34 %"
    )
    chart = Chart("writes a thread", "sectors written", "policy", "workload", lines=True, log=True)
    return Figure("write-back against write-through", said, columns, tuple(rows), chart)


def bank_turns(settings: Settings) -> Figure:
    """Figure 2: turns of the banks for an access, by type, layout, order and padding."""
    chosen = banks.settings()[:4] if settings.quick else banks.settings()
    rows = tuple(
        (each.ctype, each.order, "flat" if each.flat else "2D", each.padding, round(turns, 2))
        for each, turns in zip(chosen, banks.measured(chosen), strict=True)
    )
    columns = ("type", "order", "layout", "padding", "turns an access")
    said = (
        "times: YX faster than XY; one element of padding saves 57 % (double) and 56 % (int); with it YX still saves "
        "8 %; flat as 2D; type of little weight"
    )
    drawn = Chart("padding", "turns an access", "order", "type")
    return Figure("Listing 6: bank turns", said, columns, rows, drawn)


def effort(settings: Settings) -> Figure:
    """Table 2: statements of the computing function, as samples/count_statements.py counts them."""
    from count_statements import SAMPLES as COUNTED
    from count_statements import function, statements

    paper = {"gemm": (84, 94, 116), "nbody": (81, 84, 108), "jacobi": (145, 152, 189)}
    rows: list[Row] = []
    for name in COUNTED:
        openacc = function(name, (SAMPLES / f"{name}.c").read_text())
        hand = (SAMPLES / "cuda" / f"{name}.cu").read_text()
        texts = {"OpenACC": without_cache_directives(openacc), "OpenACC + cache": openacc, "CUDA": hand}
        for place, (language, text) in enumerate(texts.items()):
            rows.append((name, language, statements(text), paper[name][place] if name in paper else None))
    columns = ("sample", "language", "statements", "the paper's programs")
    said = "statements of whole programs, as in the last column"
    return Figure("statements", said, columns, tuple(rows), Chart("sample", "statements", "language"))
