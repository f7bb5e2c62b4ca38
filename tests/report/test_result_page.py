"""Pages of runs, of the cache model and of bypassing: what stands at which line, from the command line on."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.cli.main import main
from accache.report.networks import network_of
from accache.report.result_page import order_note

ROOT = Path(__file__).parents[2]
RACE = """#include <stdio.h>
int main(void)
{
    int a[100];
    for (int i = 0; i < 100; ++i)
        a[i] = i;
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 99; ++i) {
        int next = a[i + 1];
        a[i] = next; // <&">
    }
    return a[3] > 100;
}
"""


def page(path: Path, *words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, [*words[:1], "--html", str(path), *words[1:]])
    assert done.exit_code == status, done.output
    return unescape(path.read_text())


def marked(text: str) -> dict[int, str]:
    """What stands beside the lines that are marked."""
    found = re.findall(
        r'id="line(\d+)" class="directive.*?"><span class="row"><span class="n">\d+</span><span class="g"[^>]*>(.*?)<',
        text,
    )
    return {int(line): gutter for line, gutter in found}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_race_stands_at_both_of_its_lines(tmp_path: Path) -> None:
    source = tmp_path / "race.c"
    source.write_text(RACE)
    text = page(tmp_path / "race.html", "run", "-q", "--check", str(source), status=3)
    assert set(marked(text)) == {9, 10}
    assert "finding" in marked(text).values()
    assert re.search(r"accache run --check: (\d) findings", text)
    assert re.search(r"race in kernel main_L7_kernel: global array a\[\d+\] \(it has 100 elements\)", text)
    assert 'a[i] = next; // <&">' in text
    assert "accache run --html" in text
    assert re.search(r"block \(\d, 0, 0\), thread \(\d+, 0, 0\)</strong> reads <code>a\[\d+\]", text)
    assert re.search(r"With <code>--seed 0 --threads 0:[\d:.,]+</code> the command above shows this again", text)
    assert '<a href="#line9">line 9</a>: <code>int next = a[i + 1];</code>' in text


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_file_of_this_folder_may_have_its_whole_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.c").write_text(RACE)
    text = page(tmp_path / "race.html", "run", "-q", "--check", str(tmp_path / "race.c"), status=3)
    assert set(marked(text)) == {9, 10}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_folder_beside_ours_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "here-too"):
        (tmp_path / name).mkdir()
    source = tmp_path / "here-too" / "race.c"
    source.write_text(RACE)
    monkeypatch.chdir(tmp_path / "here")
    text = page(tmp_path / "race.html", "run", "-q", "--check", str(source), status=3)
    assert set(marked(text)) == {9, 10}
    assert f"read at {source}:9" in text


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_run_that_found_nothing_says_so(tmp_path: Path) -> None:
    source = tmp_path / "fine.c"
    source.write_text(RACE.replace("a[i + 1]", "a[i]"))
    text = page(tmp_path / "fine.html", "run", "-q", "--compare", str(source))
    assert "accache run --compare: nothing was found." in text
    assert marked(text) == {}


def test_pages_of_runs_need_something_to_find(tmp_path: Path) -> None:
    source = tmp_path / "race.c"
    source.write_text(RACE)
    done = CliRunner().invoke(main, ["run", "--html", str(tmp_path / "x.html"), str(source)])
    assert done.exit_code == 2
    assert "--html shows what --check and --compare find" in done.output


def test_a_sweep_has_a_page_of_all_its_caches(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    lines = "".join(f"0 0 {128 * (number % 200)} 4\n" for number in range(400))
    trace.write_text(f"blocksize: 32 1 1\n{lines}")
    sweeps = ("--sweep", "ways=1,4", "--sweep", "size=16k,64k")
    text = unescape(page(tmp_path / "sweep.html", "model", "--gpu", "h100", *sweeps, "--trace", str(trace)))
    rows = re.findall(r"<th scope=.row.>(ways \d: \d+k)</th><td>400</td><td>(\d+)</td>", text)
    assert [name for name, _ in rows] == ["ways 1: 16k", "ways 1: 64k", "ways 4: 16k", "ways 4: 64k"]
    assert len({hits for _, hits in rows}) > 1
    assert "L1 of h100 in 4 forms" in text
    (told,) = re.findall(r"the fewest misses, ([\d.]+) %; ways \d: \d+k has ([\d.]+) %", text)
    assert float(told[0]) < float(told[1])
    assert "cache, by size of L1 [bytes]" in text


def test_caches_that_miss_alike_are_not_told_apart(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("blocksize: 32 1 1\n" + "".join(f"0 0 {128 * (number % 20)} 4\n" for number in range(400)))
    sweep = ("--sweep", "ways=4,8", "--sweep", "size=16k,64k")
    text = unescape(page(tmp_path / "sweep.html", "model", "--gpu", "h100", *sweep, "--trace", str(trace)))
    assert re.search(r"L1 of h100 in 4 forms: all miss [\d.]+ %\.", text)
    assert "fewest" not in text


def test_other_hits_by_line_than_in_all_are_explained() -> None:
    assert order_note({"hits": 31, "by_line": [{"hits": 30}, {"hits": 1}]}) == ""
    told = order_note({"hits": 28, "by_line": [{"hits": 30}, {"hits": 1}]})
    assert told.startswith("At the lines 31 requests hit, and here 28.")


@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
def test_hits_and_decisions_stand_at_their_lines(tmp_path: Path) -> None:
    spmv = str(ROOT / "samples/bypass/spmv.cu")
    text = page(tmp_path / "model.html", "model", "--gpu", "a100", spmv)
    source = (ROOT / "samples/bypass/spmv.cu").read_text().splitlines()
    load = 1 + next(number for number, line in enumerate(source) if "* x[column]" in line)
    told = re.match(r"(\d+) % hit", marked(text)[load])
    assert told is not None
    hits = int(told[1])
    row = re.search(rf"<th scope=.row.>spmv.cu:{load}</th><td>([\d,]+)</td><td>([\d,]+)</td>", text)
    assert row is not None
    requests, served = (int(each.replace(",", "")) for each in row.groups())
    assert hits == round(100 * served / requests) > 50
    text = page(tmp_path / "bypass.html", "bypass", spmv, "--", "-arch=sm_80")
    assert marked(text)[load] == "cache"
    assert set(marked(text).values()) == {"cache", "bypass"}
    assert re.search(r">spmv on \w+: of 3 loads", text)
    assert "of 3 loads, 1 goes through L1 and 2 go past it" in text
    assert text.count('<circle class="cached"') == 1
    assert re.findall(r'<line class="(\w+)"', text) == ["cost", "cost"]
    assert len(re.findall(r"<tr><th scope=.row.>spmv.cu[^<]*</th><td class=.words.>spmv.cu[^<]*</td>", text)) >= 2


def test_a_graph_of_many_loads_is_a_table_alone() -> None:
    loads = [{"load": str(number), "weight": number - 1, "decision": "cache"} for number in range(9)]
    edges = [{"first": "0", "second": "1", "weight": 5.0}, {"first": "1", "second": "2", "weight": -5.0}]
    assert network_of(loads, edges) is None
    assert network_of(loads[:2], []) is None
    drawn = network_of(loads[:3], edges)
    assert drawn is not None
    assert [(line.weight, line.is_gain) for line in drawn.lines] == [("+5", True), ("-5", False)]
    assert [node.weight for node in drawn.nodes] == ["-1", "0", "+1"]
