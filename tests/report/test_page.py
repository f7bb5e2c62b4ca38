"""The page: what it holds, that what was recorded agrees with what was counted, and that a browser shows it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from families import some
from msgspec.structs import replace

from accache.base.options import Options
from accache.base.text import SourceFile, read_source_file
from accache.cli.main import main
from accache.cpu.recording import Block
from accache.ptx.text.listing import CodeLine
from accache.report.charts import memory_chart
from accache.report.page import MachineCode, Page, with_l1
from accache.report.warps import MOST_OF_OTHERS, MOST_STEPS, BlockView, Flow, Step, most_of_others, turns
from accache.workflows.machine_code import disassembler
from accache.workflows.pages import Running, page_of

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.c"))
LARGEST = 5_000_000
VOID = {"meta", "link", "input", "br", "rect", "line"}


def page(source: SourceFile, is_run: bool = False, is_swept: bool = False, **options: Any) -> Page:
    return page_of(
        source, Options(**options), Running(is_run, with_sweeps=is_swept), "accache explain --html p.html p.c"
    )[0]


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects what is loaded, ids and texts of controls."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.loaded += [str(named[name]) for name in ("src", "href") if name in named]
        self.ids += [str(named["id"])] if "id" in named else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("path", some(SAMPLES, 2), ids=lambda path: path.stem)
def test_every_sample_has_a_page(path: Path) -> None:
    source = read_source_file(str(path))
    made = page(source)
    text = made.html()
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert all(place.startswith(("#", "data:")) for place in reader.loaded)
    assert len(set(reader.ids)) == len(reader.ids)
    assert len(text.encode()) < LARGEST
    assert [line.text for line in made.source] == source.text.splitlines()
    directives = [line.number for line in made.source if line.is_directive]
    assert directives
    assert {item.report.line for kernel in made.kernels for item in kernel.subarrays} == set(directives)
    assert not re.search(r"elements (\d+) to \1 ", text)
    assert all(item.sentence in text.replace("&#39;", "'") for kernel in made.kernels for item in kernel.subarrays)
    linked = {line.source for line in made.cuda} - {0}
    assert linked == {line.number for line in made.source if line.is_linked}
    assert made.recorded.reason == "The program was not run: --no-run."


def test_cuda_lines_are_those_of_the_kernels() -> None:
    made = page(read_source_file(str(ROOT / "samples/stencil.c")), method="rbi")
    line = next(line for line in made.cuda if "sum += a_tile" in line.text)
    assert made.source[line.source - 1].text.strip() == "sum += a[j];"
    assert not any("#line" in line.text for line in made.cuda)


def test_the_recorded_block_agrees_with_the_report() -> None:
    source = read_source_file(str(ROOT / "samples/stencil.c"))
    made = page(source, True, method="rbi", preprocessor=("-DRADIUS=4",))
    (kernel,) = made.kernels
    assert kernel.block is not None
    assert kernel.is_as_chosen
    steps = kernel.block.steps
    assert [step.part for step in steps].index("compute") == 4
    assert steps[0].elements == tuple(range(32))
    assert [used for _, used in steps[0].sectors] == [32] * 4
    reads = [step for step in steps if step.part == "compute" and step.memory == "shared"]
    assert len(reads) == 9
    assert all(step.turns == 1 and step.phase == 1 for step in reads)
    assert [step.elements[7] for step in reads] == list(range(7, 16))
    (held,) = kernel.block.contents
    assert held.elements == tuple(range(264))
    report = kernel.report.block_loads.after
    assert report.value == len(held.elements)
    assert made.source[28 - 1].traffic == "2.5 sect"
    assert "264 elements in place of 2,304 (1,056 bytes for 9,216), 89 % fewer" in made.verdicts[0]


def test_elements_of_a_section_count_from_the_begin_of_their_array() -> None:
    text = """float a[300], b[40][8];
int main(void)
{
    int n = 34;
#pragma acc parallel loop copyin(a[1:n-2]) copyout(b[2:n-4])
    for (int i = 2; i < n - 2; i++) {
#pragma acc cache(a[i-1:3])
        b[i][0] = a[i-1] + a[i] + a[i+1];
    }
}
"""
    block = page(SourceFile("sections.c", text), True, method="rbi").kernels[0].block
    assert block is not None
    seen = [(step.part, step.array, step.elements[0]) for step in block.steps if step.memory == "global"]
    assert seen == [("fetch", "a", 1), ("compute", "b", 16)]
    assert [held.elements[:2] for held in block.contents] == [(1, 2)]


def test_every_warp_of_the_block_has_its_steps() -> None:
    made = page(read_source_file(str(ROOT / "samples/stencil.c")), True, method="rbi", preprocessor=("-DRADIUS=4",))
    block = made.kernels[0].block
    assert block is not None
    assert block.warps == tuple((first, first + 31) for first in range(0, 256, 32))
    assert [(warp.number, len(warp.steps), warp.is_whole) for warp in block.others] == [
        (number, 12, True) for number in range(1, 8)
    ]
    last = block.others[-1].steps
    assert [step.part for step in last] == ["fetch"] * 2 + ["compute"] * 10
    assert last[0].elements == tuple(range(224, 256))
    assert last[2].elements == tuple(range(224, 256))
    assert "The block has 8 warps; any of them can be chosen." in made.html()
    (held,) = block.contents
    assert held.elements == tuple(range(264))


def test_a_block_of_one_warp_has_none_to_choose() -> None:
    text = "float a[20];\nint main(void)\n{\n#pragma acc parallel loop vector_length(32) copyout(a)\n"
    text += "    for (int i = 0; i < 20; i++)\n        a[i] = i;\n}\n"
    made = page(SourceFile("one.c", text), True)
    assert "The block has no other warp." in made.html()
    assert made.kernels[0].block is not None
    assert made.kernels[0].block.warps == ((0, 31),)


def test_warps_behind_the_first_are_told_as_far_as_is_known() -> None:
    text = """float a[64 * 300], b[64];
int main(void)
{
#pragma acc parallel loop vector_length(64) copyin(a) copyout(b)
    for (int i = 0; i < 64; i++) {
        float sum = 0;
        for (int j = 0; j < (i == 40 ? 300 : 4); j++)
            sum += a[64 * j + i];
        b[i] = sum;
    }
}
"""
    block = page(SourceFile("long.c", text), True).kernels[0].block
    assert block is not None
    assert block.is_whole
    assert block.count == 5
    (other,) = block.others
    assert (len(other.steps), other.is_whole) == (240, False)
    assert [step.elements[8] for step in other.steps] == [64 * k + 40 for k in range(240)]
    assert (other.steps[3].elements[9], other.steps[4].elements[9]) == (64 * 3 + 41, None)


def test_a_page_of_many_warps_has_fewer_steps_of_each() -> None:
    small, large = Block("k", (96, 1, 1), (1, 1, 1), ()), Block("k", (32, 32, 1), (1, 1, 1), ())
    assert most_of_others([small]) == MOST_STEPS
    assert most_of_others([large] * 5) == MOST_OF_OTHERS // 155


def test_accesses_in_other_files_stand_at_no_line_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "twice.h").write_text(
        "\n\n#pragma acc routine seq\nstatic float twice(const float *a, int i) { return 2 * a[i]; }\n"
    )
    path = tmp_path / "main.c"
    path.write_text("""#include "twice.h"
int main(void)
{
    static float a[64], b[64];
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 64; i++)
        b[i] = twice(a, i);
}
""")
    made = page(read_source_file(str(path)), True)
    block = made.kernels[0].block
    assert block is not None
    assert [(step.array, step.line) for step in block.steps] == [("a", 0), ("b", 7)]
    assert made.source[3].traffic == ""


def test_a_chart_shows_what_moves_without_the_directives_and_with_them() -> None:
    made = page(read_source_file(str(ROOT / "samples/stencil.c")), True, method="rbi", preprocessor=("-DRADIUS=4",))
    (kernel,) = made.kernels
    assert kernel.chart is not None
    assert kernel.chart.note == ""
    assert kernel.block is not None
    without, with_them = kernel.chart.sides
    assert [arrow.way for arrow in without.arrows] == ["load", "store"]
    assert [arrow.way for arrow in with_them.arrows] == ["store", "fetch", "tile read"]
    # nine loads of 32 elements each, four sectors or, where they begin within one, five; a tile is fetched once
    assert without.arrows[0].text == "43 sectors"
    assert without.arrows[0].width == 1
    fetched = sum(row.sectors for row in kernel.block.traffic if row.array == "a")
    assert [arrow.text for arrow in with_them.arrows[1:]] == [f"{fetched} sectors", "9 turns"]
    assert "without the directives: load 43 sectors; store 5 sectors" in made.html()


def test_a_chart_says_where_there_is_nothing_to_compare() -> None:
    made = page(read_source_file(str(ROOT / "samples/histogram.c")), True)
    counted, summed = (kernel.chart for kernel in made.kernels)
    assert counted is not None
    assert summed is not None
    assert [side.title for side in counted.sides] == ["without the directives and with them"]
    assert counted.note == "The first warp moves the same with the directives as without."
    assert [side.title for side in summed.sides] == ["this kernel"]
    assert summed.note == "The kernel has no cache directive."
    assert summed.note in made.html()


def test_a_chart_of_a_part_of_a_warp_says_so() -> None:
    whole = BlockView("k", (32, 1, 1), (1, 1, 1), (), 9, (), (), (), (Flow("load", 9, 36, 0),))
    part = replace(whole, count=5, flows=(Flow("load", 5, 20, 0),), is_whole=False)
    chart = memory_chart(whole, part, has_directives=True)
    assert chart is not None
    assert chart.note.startswith("Of the memory instructions of the warp all 9 and the first 5 are in the chart.")
    assert "not the sums" in chart.note
    alone = memory_chart(None, part, has_directives=True)
    assert alone is not None
    assert alone.note.startswith("It could not be run without its directives. Of the memory instructions of the warp")
    assert alone.note.endswith(" the first 5 are in the chart.")
    assert memory_chart(whole, replace(whole, flows=()), has_directives=True) is None


def test_the_candidates_that_matter_are_not_folded_away() -> None:
    made = page(read_source_file(str(ROOT / "samples/gemm.c")))
    (kernel,) = made.kernels
    shown = [item.name for item in kernel.candidates]
    assert len(shown) == 12
    assert "plain" in shown
    assert any(name.startswith("tiles ") for name in shown)
    assert [item.name for item in kernel.candidates if item.chosen] == [
        "8x4 neighbours wide rows with tiles a[i:1][l:TILE], b[l:TILE][j:1]"
    ]
    assert set(kernel.report.candidates) == {*kernel.candidates, *kernel.others}
    assert [item.clocks for item in kernel.candidates] == sorted(item.clocks for item in kernel.candidates)
    assert f"<summary>and {len(kernel.others)} more</summary>" in made.html()


def test_commands_have_the_options_of_the_page() -> None:
    made = page(read_source_file(str(ROOT / "samples/stencil.c")), is_swept=True, preprocessor=("-DRADIUS=30",))
    command = f"-DRADIUS=30 {ROOT}/samples/stencil.c"
    assert f"<code>accache explain --json {command}</code>" in made.html()
    assert made.sweeps[0].command == f"accache explain --method METHOD --coarsen off {command}"


def test_lines_that_have_no_estimate_are_the_chosen_row() -> None:
    made = page(read_source_file(str(ROOT / "samples/records.c")))
    (kernel,) = made.kernels
    assert [item.form for item in kernel.candidates] == ["plain, wide accesses of aligned rows"]
    text = made.html()
    assert '<tr class="chosen"><th scope="row" class="form">lines of 32 bytes for each thread ✓ chosen</th>' in text
    assert kernel.shared == "lines of 32 bytes for each thread, as many as the launch finds room for"
    assert "0 bytes a block" not in text
    assert "at least 0" not in text
    assert "not known: which arrays have lines, and what hits these, shows when the kernel runs" in text


def test_lines_of_threads_are_shown_where_so_few_threads_go_without() -> None:
    made = page(read_source_file(str(ROOT / "samples/records.c")), True)
    (kernel,) = made.kernels
    block = kernel.block
    assert block is not None
    assert block.kernel == kernel.report.name
    assert "A launch of so few threads goes without lines" in made.html()
    seen = [(step.line, step.part, step.array, step.elements[:3]) for step in block.steps[:3]]
    assert seen == [
        (19, "fetch", "a", (0, 256, 512)),
        (19, "fetch", "words", (0, 4, 8)),
        (19, "fetch", "a", (4, 260, 516)),
    ]
    read = next(step for step in block.steps if step.part == "compute")
    assert (read.line, read.array, read.elements[:3]) == (19, "words", (0, 4, 8))
    assert {row.line for row in block.traffic} == {16, 19}
    assert block.contents == ()
    assert kernel.chart is not None
    assert [side.title for side in kernel.chart.sides] == ["without the directives", "with them"]


def test_lines_that_are_asked_for_need_no_word_of_few_threads() -> None:
    made = page(read_source_file(str(ROOT / "samples/records.c")), True, method="private")
    block = made.kernels[0].block
    assert block is not None
    assert block.kernel == made.kernels[0].report.name
    assert "goes without lines" not in made.html()


def test_shared_memory_that_no_tile_has_is_told_beside_the_candidates() -> None:
    made = page(read_source_file(str(ROOT / "samples/transpose.c")))
    assert [kernel.other_shared for kernel in made.kernels] == [4224]
    assert "also has 4,224 bytes of shared memory that belong to no tile" in made.html()


def test_counts_have_nsights_names_beside_them() -> None:
    text = page(read_source_file(str(ROOT / "samples/stencil.c")), True).html()
    steps = text[text.index("What the first warp does, by line") : text.index("<h3>Line 28")]
    chart = text[text.index('<figure class="memories">') :].partition("</figure>")[0]
    assert "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio" in steps
    assert "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct" in steps
    assert "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum" in steps
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" in chart
    assert "per_requests" not in text


def test_hits_of_l1_stand_at_their_lines() -> None:
    source = read_source_file(str(ROOT / "samples/stencil.c"))
    row = {"requests": 200, "hits": 188, "asked": 6400, "from_l2": 384, "stores": 0, "stored": 0}
    record = {"requests": 200, "hits": 188, "compulsory": 12, "by_line": [{"name": "/elsewhere/stencil.c:30", **row}]}
    record |= dict.fromkeys(("capacity", "associativity", "latency", "mshr", "sector"), 0)
    made = with_l1(page(source), source, record, "all of it", command="accache model")
    told = {line.number: line.hits for line in made.source if line.hits}
    assert told == {30: "L1 without directives: 94 % hit; 6,400 bytes asked for, 384 from L2"}
    assert made.l1 is not None
    assert [bar.text for bar in made.l1.bars] == ["188 (94.0 %)", "12 (6.0 %)"]
    assert told[30] in made.html()


def contrast(first: str, second: str) -> float:
    """The contrast of two colours (WCAG 2.2, relative luminance)."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    brighter, darker = sorted((light(first), light(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_colours_can_be_read_light_and_dark() -> None:
    assert round(contrast("#ffffff", "#000000")) == 21
    text = (ROOT / "templates/html/page.css").read_text()
    palettes = [
        dict(re.findall(r"--([\w-]+): (#\w{6})", found)) for found in re.findall(r":root \{(.*?)\}", text, re.S)
    ]
    grounds = ("back", "panel", "accent-back", "good-back", "warn-back", "mark")
    pairs = [("text", ground) for ground in grounds]
    pairs += [(ink, ground) for ink in ("dim", "accent", "warn") for ground in ("back", "panel", "accent-back")]
    pairs += [("good", "panel"), ("accent", "warn-back"), ("dim", "warn-back")]
    assert len(palettes) == 2
    for palette in palettes:
        for ink, ground in pairs:
            assert contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground)


def test_a_launch_that_takes_another_version_has_its_steps() -> None:
    text = """static void smooth(int n, const float *a, float *b)
{
#pragma acc parallel loop present(a[0:n], b[0:n])
    for (int i = 1; i < n - 1; i++) {
#pragma acc cache(a[i-1:3])
        b[i] = a[i-1] + a[i] + a[i+1];
    }
}
int main(void)
{
    static float all[400];
#pragma acc data copy(all)
    smooth(300, all, all);
}
"""
    made = page(SourceFile("alias.c", text), True, method="rbi")
    (kernel,) = made.kernels
    assert kernel.block is not None
    assert kernel.block.kernel == f"{kernel.report.name}_uncached"
    assert "The launch took this version" in made.html()
    chart = made.html().partition('<figure class="memories">')[2].partition("step by step")[0]
    assert f"The launch took <code>{kernel.block.kernel}</code>" in chart


RACE = """int main(void)
{
    static float a[1000], b[1000];
    for (int i = 0; i < 1000; i++)
        a[i] = i;
#pragma acc parallel loop copy(a) copyout(b[0:999])
    for (int i = 0; i < 999; i++) {
#pragma acc cache(a[i:2])
        b[i] = a[i + 1];
        a[i] = 2 * b[i];
    }
    return b[3] < 0;
}
"""


def test_a_race_is_shown_with_both_accesses_and_the_seed_that_repeats_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.c").write_text(RACE)
    made = page(read_source_file("race.c"), True, method="rbi")
    shared = next(each for each in made.conflicts if each.place.startswith("a_tile"))
    reading, writing = sorted(shared.accesses, key=lambda access: access.line)
    assert (reading.line, reading.what, writing.line, writing.what) == (9, "reads", 10, "writes")
    assert (reading.text, writing.text) == ("b[i] = a[i + 1];", "a[i] = 2 * b[i];")
    pattern = re.compile(r"block \((\d+), 0, 0\), thread \((\d+), 0, 0\)")
    places = [pattern.fullmatch(access.who) for access in (reading, writing)]
    (block, thread), (other_block, other) = (found.groups() for found in places if found)
    assert block == other_block
    assert shared.place == f"a_tile[{other}]"
    assert int(thread) + 1 == int(other)
    assert "race" in made.wrong
    assert {line.number for line in made.source if line.findings} >= {9, 10}
    assert made.source[9 - 1].findings[0] == "race on a_tile, with line 10"
    assert "--threads" in shared.repeat
    for more in ((), shared.repeat.split()):
        again = CliRunner().invoke(main, [*shlex.split(made.recorded.check)[1:], "-q", *more])
        assert again.exit_code == 3
        assert f"block ({block},0,0) thread ({thread},0,0), shared array a_tile[{other}]" in again.stderr
    text = made.html()
    assert "--seed 0 --method rbi race.c" in text
    assert f"With <code>{shared.repeat}</code> the command above shows this again." in text
    assert '<a href="#line9">line 9</a>: <code>b[i] = a[i + 1];</code>' in text


def test_a_program_without_a_race_says_so() -> None:
    made = page(SourceFile("fine.c", RACE.replace("a[i + 1]", "a[i]")), True)
    assert made.conflicts == ()
    assert not made.wrong
    assert "found no race, and nothing else" in made.html()


def test_a_directive_that_is_left_out_is_shown_with_the_tile_it_would_have() -> None:
    made = page(read_source_file(str(ROOT / "samples/stencil.c")), True)
    (kernel,) = made.kernels
    assert not kernel.is_as_chosen
    assert kernel.subarrays[0].report.tile == ""
    assert kernel.subarrays[0].shown.tile == "a_tile"
    assert kernel.block is not None
    assert any(step.array == "a_tile" for step in kernel.block.steps)
    assert made.recorded.command.endswith("--tune off --coarsen off")
    assert "the CUDA is what is emitted" in made.html()
    whole = page(read_source_file(str(ROOT / "samples/nbody.c")), True)
    assert "the CUDA is what is emitted" not in whole.html()


def test_rows_with_another_length_have_other_conflicts() -> None:
    made = page(read_source_file(str(ROOT / "samples/transpose.c")), True)
    block = made.kernels[0].block
    assert block is not None
    (row,) = block.rows
    assert (row.array, row.length, row.other) == ("tile", 33, 32)
    read = next(step for step in block.steps if step.memory == "shared" and step.access == "read")
    assert (read.turns, read.other_turns) == (1, 32)
    assert set(read.other_banks) == {0}


def test_a_warp_that_does_more_than_is_recorded_is_counted_as_far_as_all_its_threads_are_known() -> None:
    text = """#define N 4000
float a[N * 64], b[64];
int main(void)
{
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 64; i++) {
        float sum = 0;
        for (int j = 0; j < N; j++)
            sum += a[64 * j + i];
        b[i] = sum;
    }
}
"""
    made = page(SourceFile("long.c", text), True)
    block = made.kernels[0].block
    assert block is not None
    assert not block.is_whole
    (row,) = block.traffic
    assert (row.line, row.requests, row.sectors, row.used_bytes) == (9, 1875, 4 * 1875, 128 * 1875)
    assert "of the first 1,875 memory instructions of the first warp, 4.0 sectors each" in made.source[8].explanation
    assert "the first 240 of more than 1,875 memory instructions" in made.html()


def test_what_a_tile_holds_is_told_as_far_as_all_copies_are_recorded() -> None:
    text = """#define N 40000
float a[N], b[256];
int main(void)
{
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 256; i++) {
        float sum = 0;
#pragma acc cache(a[0:N])
        for (int j = 0; j < 32; j++)
            sum += a[1000 * j + i];
        b[i] = sum;
    }
}
"""
    block = page(SourceFile("large.c", text), True, method="rbi").kernels[0].block
    assert block is not None
    assert block.cut_phase == 0
    whole = page(SourceFile("small.c", text.replace("40000", "4000").replace("1000", "100")), True, method="rbi")
    assert whole.kernels[0].block is not None
    assert whole.kernels[0].block.cut_phase is None


def test_words_in_one_bank_are_asked_for_one_after_another() -> None:
    assert turns([128 * lane for lane in range(32)], 4) == 32
    assert turns([8 * lane for lane in range(32)], 4) == 2
    assert turns([None] * 31 + [4], 4) == 1


def test_a_mistake_has_its_mend_on_the_page() -> None:
    text = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; i++) {
#pragma acc cache(a[i:1])
        b[i] = a[i - 1] + a[i + 1]; // <&">
    }
}
"""
    made = page(SourceFile("halo.c", text), True, coarsen="off")
    assert made.recorded.reason == "The file has no main function, so it was not run."
    (mend,) = made.kernels[0].subarrays[0].mends
    assert mend.lines == "#pragma acc cache(a[i-1:3])"
    assert made.source[4].messages[1] == "hint: --method rbc caches it all the same"
    assert "// &lt;&amp;&#34;&gt;" in made.html()


def test_a_mend_that_begins_elsewhere_is_shown_with_its_subarray() -> None:
    text = """void f(int n, const float a[restrict 100000], float *restrict b)
{
#pragma acc parallel loop copyin(a[0:100000]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0;
#pragma acc cache(a[0:100000])
        for (int k = 0; k < 100000; k++)
            sum += a[k] * (i + k);
        b[i] = sum;
    }
}
"""
    (mend,) = page(SourceFile("large.c", text)).kernels[0].subarrays[0].mends
    assert mend.title == "cut the loop over k into chunks of 256"
    assert (
        mend.lines
        == """        for (int k0 = 0; k0 < 100000; k0 += 256) {
#pragma acc cache(a[k0:256])
        for (int k = k0; k < k0 + 256 && k < 100000; k++)
            sum += a[k] * (i + k);
        }"""
    )


def test_a_directive_that_no_kernel_has_has_its_mend() -> None:
    text = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc cache(a[i-1:3])
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 4; i < n - 4; i++) {
        b[i] = a[i-1] + a[i] + a[i+1];
    }
}
"""
    made = page(SourceFile("early.c", text))
    (mend,) = made.mends
    assert (mend.line, mend.title) == (3, "move it into the loop over i, line 5")
    assert mend.lines.splitlines()[-1] == "#pragma acc cache(a[i-1:3])"
    assert mend.lines.startswith("#pragma acc parallel loop")
    assert "<strong>Line 3:</strong> move it into the loop over i, line 5" in made.html()
    assert page(SourceFile("fine.c", text.replace("#pragma acc cache(a[i-1:3])\n", ""))).mends == ()


def test_a_program_that_does_not_end_has_a_page() -> None:
    text = "int main(void)\n{\n    int a[9];\n#pragma acc parallel loop copyout(a)\n    for (int i = 0; i < 9; i++)\n"
    text += "        a[i] = i;\n    for (;;)\n        ;\n}\n"
    made, _ = page_of(SourceFile("endless.c", text), Options(), Running(seconds=0.5), "")
    assert made.recorded.reason == "The program took longer than 0.5 seconds and was ended."


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = """
import json, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    found = {"told": [], "wide": []}
    for width in (1280, 400):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: found["told"].append(message.text))
        page.on("pageerror", lambda error: found["told"].append(str(error)))
        page.goto(sys.argv[2])
        found["wide"].append(page.evaluate("document.documentElement.scrollWidth") - width)
    page.locator('#cuda [data-line="30"]').first.focus()
    found["lit"] = page.locator("#program .lit").evaluate_all("items => items.map(item => item.dataset.line)")
    found["outline"] = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    page.locator('a[href="#behind"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    found["behind"] = page.evaluate("document.activeElement.closest('.panes') === null")
    play = page.locator('[data-go="play"]')
    found["play"] = [play.get_attribute("aria-label")]
    for _ in range(2):
        play.click()
        found["play"].append(play.get_attribute("aria-label"))
    page.locator('.steps input[type="range"]').fill("5")
    found["barrier"] = page.locator(".steps .status").inner_text()
    found["held"] = page.locator(".steps .stage h4").all_inner_texts()
    page.set_viewport_size({"width": 718, "height": 900})
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    found["printed"] = page.locator(".steps .status").inner_text()[:13]
    found["cut"] = page.locator("table, pre").evaluate_all(
        "all => all.filter(each => each.getBoundingClientRect().right > 718 || each.scrollWidth > each.clientWidth)"
        ".map(each => each.textContent.slice(0, 60))"
    )
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    found["again"] = page.locator(".steps .status").inner_text()[:12]
    page.locator('[data-go="last"]').click()
    found["last"] = page.locator(".steps .status").inner_text()
    page.locator('[data-go="back"]').click()
    found["back"] = page.locator(".steps .status").inner_text()
    found["warps"] = page.locator(".steps select option").all_inner_texts()[1:3]
    page.locator('[data-go="first"]').click()
    page.locator(".steps select").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    found["warp"] = page.locator(".steps .status").inner_text()
    found["lanes"] = page.locator(".steps .stage .grid").first.locator(".cell").all_inner_texts()[:2]
    found["of warp"] = page.locator(".steps .stage h4").all_inner_texts()
    page.locator('[data-go="last"]').click()
    found["last of warp"] = page.locator(".steps .status").inner_text()[:14]
    page.locator(".pick input").fill("5")
    found["picked"] = page.locator(".pick output").inner_text()
    sweep = page.locator(".sweep").first
    sweep.locator("select").select_option("rbi")
    sweep.locator('[data-of="size"]').fill("1")
    found["swept"] = sweep.locator(".status").inner_text()
    found["line"] = sweep.locator(".mend pre").inner_text()
    sweep.locator('[data-of="tile"]').fill("2")
    found["tiled"] = sweep.locator(".status").inner_text()
    found["tiled by"] = [sweep.locator(".mend").count(), sweep.locator(".stage .command").inner_text()]
    found["tiled where"] = sweep.locator("figcaption").first.inner_text()
    found["tiled in"] = [sweep.locator(f'[data-of="{each}"]').is_disabled() for each in ("size", "tile", "several")]
    sweep.locator("select").select_option("none")
    sweep.locator('[data-of="several"]').fill("1")
    found["several"] = sweep.locator(".status").inner_text()
    found["picked"] = [found["picked"], sweep.locator("dt.picked").all_inner_texts()]
    page.locator('[data-view="sass"]').click()
    page.locator('#program [data-line="30"]').first.focus()
    found["shown"] = page.locator("#cuda, #ptx, #sass").evaluate_all("all => all.map(each => !each.hidden)")
    found["sass"] = page.locator("#sass .lit code").all_inner_texts()
    browser.close()
print(json.dumps(found))
"""


LOOK = """
import json, sys
from playwright.sync_api import sync_playwright
found = {}
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    for width, scheme in ((1280, "light"), (400, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        for address in sys.argv[2:]:
            told = found.setdefault(address, [])
            page = context.new_page()
            page.on("console", lambda message, told=told: told.append(message.text))
            page.on("pageerror", lambda error, told=told: told.append(str(error)))
            own = (address, "data:,")
            page.on("request", lambda request, own=own, told=told: request.url in own or told.append(request.url))
            page.goto(address)
            for button in page.locator('[data-go="last"]').all():
                button.click()
            for slider in page.locator('input[type="range"]').all():
                if slider.is_enabled():  # a slider may disable another
                    slider.focus()
                    page.keyboard.press("End")
            if page.evaluate("document.documentElement.scrollWidth") > width:
                told.append(f"wider than {width}")
            for focus in range(60):
                page.keyboard.press("Tab")
                if page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none":
                    if page.evaluate("document.activeElement !== document.body"):
                        told.append("no sign of the focus: " + page.evaluate("document.activeElement.outerHTML")[:80])
            page.emulate_media(media="print")
            if page.locator(".controls:visible").count():
                told.append("controls are printed")
            page.close()
    browser.close()
print(json.dumps(found))
"""


@pytest.mark.playground
@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_shows_all_samples_without_complaints(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    pages = []
    for sample in SAMPLES:
        pages.append(tmp_path / f"{sample.stem}.html")
        pages[-1].write_text(page(read_source_file(str(sample)), True, True).html())
    (tmp_path / "race.c").write_text(RACE)
    for command in (("explain",), ("run", "--check")):
        pages.append(tmp_path / f"race-{command[0]}.html")
        CliRunner().invoke(main, [*command, "-q", "--html", str(pages[-1]), str(tmp_path / "race.c")])
    if shutil.which("nvcc"):
        for words in (("model", "--gpu", "a100"), ("bypass",)):
            pages.append(tmp_path / f"{words[0]}.html")
            done = CliRunner().invoke(main, [*words, "--html", str(pages[-1]), str(ROOT / "samples/bypass/spmv.cu")])
            assert done.exit_code == 0, done.output
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(BROWSER), *(path.as_uri() for path in pages)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {path.as_uri(): [] for path in pages}


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_shows_the_page_without_complaints(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    source = read_source_file(str(ROOT / "samples/stencil.c"))
    path = tmp_path / "page.html"
    code = MachineCode((CodeLine("add.f32", 30),), (CodeLine("LDC", 26), CodeLine("LDS R0, [R1]", 30)))
    made = page(source, True, True, method="rbi", preprocessor=("-DRADIUS=4",))
    path.write_text(replace(made, code=code).html())
    # in a process of its own: its event loop is none of ours
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(BROWSER), path.as_uri()], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["told"] == []
    assert found["wide"] == [0, 0]
    assert found["lit"] == ["30"]
    assert (found["outline"], found["behind"]) == ("3px", True)
    assert found["play"] == ["Play", "Pause", "Play"]
    assert found["barrier"].startswith("Step 5 of 15: a barrier. All threads of the block wait here for each other")
    assert found["held"] == ["a_tile holds elements of a (complete, behind the barrier)"]
    assert (found["printed"], found["again"], found["cut"]) == ("Step 15 of 15", "Step 5 of 15", [])
    assert found["last"].startswith("Step 15 of 15: compute, behind 1 barrier. Line 31: 32 threads write global b")
    assert found["back"].startswith("Step 14 of 15: compute, behind 1 barrier. Line 30: 32 threads read shared a_tile")
    assert found["warps"] == ["1: threads 32 to 63", "2: threads 64 to 95"]
    assert found["warp"].startswith("Step 1 of 13: fetch, before any barrier. Line 28: 32 threads read global a")
    assert [lane.split() for lane in found["lanes"]] == [["T64", "64"], ["T65", "65"]]
    assert found["of warp"][0] == "Threads of warp 2, and the element of a that each has"
    assert found["of warp"][-1] == "a_tile holds elements of a (warp 2's part of the fetch so far)"
    assert found["last of warp"] == "Step 13 of 13:"
    assert found["picked"] == ["T5 needs elements 5 to 13 of the tile.", ["2 iterations", "64 threads"]]
    assert "rbi in blocks of 64 \u00d7 1 \u00d7 1 threads: a_tile[72], 288 bytes" in found["swept"]
    assert "A block loads 72 elements in place of 576" in found["swept"]
    assert found["line"] == "#pragma acc parallel loop vector_length(64) independent"
    assert "rbi in blocks of 128 \u00d7 1 \u00d7 1 threads: a_tile[520], 2,080 bytes" in found["tiled"]
    assert "(1.016 an iteration in place of 9)" in found["tiled"]
    assert "With 4 iterations a thread a warp takes an estimated" in found["tiled"]
    assert found["tiled by"] == [0, "accache explain --method rbi --coarsen 4 -DRADIUS=4 " + source.name]
    assert found["tiled where"].endswith("in blocks of 64, for one iteration; larger tiles in blocks of 128")
    assert found["tiled in"] == [True, False, True]
    assert found["several"].startswith("No tile in blocks of 64 \u00d7 1 \u00d7 1 threads. Occupancy")
    assert "With 2 iterations a thread (2" in found["several"]
    assert found["shown"] == [False, False, True]
    assert found["sass"] == ["LDS R0, [R1]"]


FIT = """
import json, sys
from playwright.sync_api import sync_playwright
found = []
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    for width in (1280, 400):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(sys.argv[2])
        for go in ("first", "last"):
            page.locator(f'[data-go="{go}"]').click()
            found += page.locator(".cell").evaluate_all(
                "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)"
            )
        found += page.locator("caption").evaluate_all(
            "all => all.filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.textContent)"
        )
    browser.close()
print(json.dumps(found))
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_large_indices_and_captions_are_not_cut_off(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    text = """float a[9000000], b[256];
int main(void)
{
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 256; i++) {
#pragma acc cache(a[8000000+i:3])
        b[i] = a[8000000 + i] + a[8000002 + i];
    }
}
"""
    path = tmp_path / "large.html"
    path.write_text(page(SourceFile("large.c", text), True, method="rbi").html())
    done = subprocess.run(
        [sys.executable, "-c", FIT, str(BROWSER), path.as_uri()], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_ptx_and_sass_stand_beside_the_program() -> None:
    source = read_source_file(str(ROOT / "samples/stencil.c"))
    made, _ = page_of(source, Options(method="rbi"), Running(False, with_ptx=True), "")
    assert made.code is not None
    read = {line.text.split()[0] for line in made.code.ptx if line.source == 30}
    assert "ld.shared.f32" in read
    assert {line.source for line in made.code.ptx} <= {line.source for line in made.cuda}
    if disassembler() is None:
        assert "nvdisasm" in made.code.reason
        assert "SASS needs nvdisasm" in made.html()
    else:
        assert any(line.source == 30 and "LDS" in line.text for line in made.code.sass)


def test_what_is_written_back_without_a_routine_is_no_work_of_the_program() -> None:
    made = page(read_source_file(str(ROOT / "samples/write_dense.c")), True, method="rbi")
    (kernel,) = made.kernels
    assert kernel.block is not None
    parts = [(step.part, step.line, step.array) for step in kernel.block.steps[-2:]]
    assert parts == [("write-back", 21, "b_tile"), ("write-back", 21, "b")]
    assert [flow.way for flow in kernel.block.flows] == ["load", "fetch", "write-back", "tile read", "tile write"]


def test_steps_add_up_to_the_table() -> None:
    made = page(read_source_file(str(ROOT / "samples/transpose.c")), True)
    block = made.kernels[0].block
    assert block is not None
    assert block.count == len(block.steps) == sum(row.requests for row in block.traffic)

    def sectors(steps: list[Step]) -> int:
        return sum(len(step.sectors) for step in steps)

    assert sectors(list(block.steps)) == sum(row.sectors for row in block.traffic)
    assert re.fullmatch(r"transpose_L\d+_kernel", block.kernel)


PICK = """
import json, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(sys.argv[2])
    map = page.locator(".threads").last
    told = [map.locator("output").text_content()]
    map.locator("input").fill("3")
    told.append(map.locator("output").text_content())
    told += map.locator(".picked").evaluate_all("all => all.map(each => each.style.left)")
    told += map.locator(".need.on rect").evaluate_all("all => all.map(each => each.getAttribute('x'))")
    browser.close()
print(json.dumps(told))
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_picked_thread_shows_what_all_its_iterations_need(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    path = tmp_path / "page.html"
    source = read_source_file(str(ROOT / "samples/gemm.c"))
    path.write_text(page(source, method="rbi", coarsen="8x4", wide="off").html())
    done = subprocess.run(
        [sys.executable, "-c", PICK, str(BROWSER), path.as_uri()], capture_output=True, text=True, check=True
    )
    at, on = (
        [3, 35, 67, 99],
        ("T0 needs elements 0, 32, 64, 96 of the tile.", "T3 needs elements 3, 35, 67, 99 of the tile."),
    )
    assert json.loads(done.stdout) == [*on, *(f"{100 * each / 128:.6g}%" for each in at), *map(str, at)]


def test_a_tile_for_several_iterations_shows_what_a_thread_needs() -> None:
    made = page(read_source_file(str(ROOT / "samples/gemm.c")))
    maps = [each for view in made.kernels[0].subarrays for each in view.maps]
    assert [(each.axis, each.threads, each.iterations, each.length, each.parts) for each in maps] == [
        ("y", 4, 8, 8, 1),
        ("x", 32, 4, 4, 1),
    ]
    text = made.html()
    assert "(loop over <code>j</code>, of which each has 4 iterations)" in text
    for dimension in (1, 2):
        assert f"In dimension {dimension} all threads need the same 16 elements, from <code>l</code> on." in text
    assert "All threads need the same 256 elements" in page(read_source_file(str(ROOT / "samples/nbody.c"))).html()
