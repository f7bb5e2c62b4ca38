"""Lists of public programs, the workbook of counters, and the figure that holds the model against it."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from figures import hardware  # the folder is on the path only now
from figures.figure import Settings
from figures.programs import Program, found, listed, one_file, words
from figures.workbook import SIMULATED, averages, hit_rates

RATE = "unified L1 cache hit rate for read transactions (global memory accesses)"
SUITES = Path(__file__).parents[2] / "bench" / "suites"
COPY = """
__global__ void copy(const float *from, float *to) { to[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x ^ 1]; }
int main()
{
    float *from, *to;
    cudaMalloc(&from, 4 * 64);
    cudaMalloc(&to, 4 * 64);
    copy<<<1, 64>>>(from, to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def workbook(path: Path, sheets: dict[str, list[tuple[str, str, str]]]) -> Path:
    """A workbook with a row (program, launch, rate) for each launch; texts are kept apart, numbers in their cells."""
    texts = ["Kernel ID", RATE]
    main, office = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org"
    with zipfile.ZipFile(path, "w") as book:
        names, relations = "", ""
        for number, (name, rows) in enumerate(sheets.items(), 1):
            names += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
            relations += f'<Relationship Id="rId{number}" Target="worksheets/sheet{number}.xml"/>'
            cells = '<row r="1"><c r="B1" t="s"><v>0</v></c><c r="L1" t="s"><v>1</v></c></row>'
            for row, (program, launch, rate) in enumerate(rows, 2):
                texts.append(program)
                known = f'<c r="L{row}"><v>{rate}</v></c>' if rate else f'<c r="L{row}"/>'
                text = f'<c r="A{row}" t="s"><v>{len(texts) - 1}</v></c><c r="B{row}"><v>{launch}</v></c>'
                cells += f'<row r="{row}">{text}{known}</row>'
            book.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
            )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}/officeDocument/2006/relationships">'
            f"<sheets>{names}</sheets></workbook>",
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{office}/package/2006/relationships">{relations}</Relationships>',
        )
        shared = "".join(f"<si><t>{escape(text)}</t></si>" for text in texts)
        book.writestr("xl/sharedStrings.xml", f'<sst xmlns="{main}">{shared}</sst>')
    return path


def test_rates_are_read_by_program_and_launch(tmp_path: Path) -> None:
    sheets = {"NCU": [("b+tree", "0", "74.4"), ("b+tree", "1", ""), ("lud", "2", "18.5")], "PPT": [("lud", "2", "9.5")]}
    path = workbook(tmp_path / "counters.xlsx", sheets)
    assert hit_rates(path) == {("b+tree", 0): 74.4, ("lud", 2): 18.5}
    assert hit_rates(path, SIMULATED) == {("lud", 2): 9.5}
    with pytest.raises(KeyError):
        hit_rates(path, "ASIM")


def test_averages_are_read_by_program_and_kernel(tmp_path: Path) -> None:
    path = tmp_path / "hw_perf.csv"
    rows = ("hotspot,_Z14calculate_tempiPfS_,1.0,3.0", "b+tree,findK,3.0,1.0", "binomial,_Z1fv,0.0,0.0")
    path.write_text("\n".join(("Benchmark,Kernel,L1_RH,L1_RM", *rows)) + "\n")
    assert averages(path) == {("hotspot", "calculate_temp"): 25, ("b+tree", "findK"): 75}
    path.write_text("Benchmark,Kernel\na,b\n")
    with pytest.raises(KeyError):
        averages(path)


def test_a_list_says_where_programs_are_and_how_they_are_called(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/main.cu", "a/part.c"):
        (tmp_path / name).write_text(f"// {name}\n")
    file = tmp_path / "list.toml"
    file.write_text('[one]\nsources = ["a/part.c", "a/main.cu"]\nflags = ["-Iheaders", "-DN=2"]\narguments = ["7"]\n')
    (program,) = listed(file, tmp_path)
    sources = (tmp_path / "a/part.c", tmp_path / "a/main.cu")
    assert program == Program("one", sources, (f"-I{tmp_path / 'headers'}", "-DN=2"), ("7",))
    path, flags = one_file(program, tmp_path)
    assert path.read_text() == "// a/part.c\n\n// a/main.cu\n"
    assert flags == (f"-I{tmp_path / 'a'}", f"-I{tmp_path / 'headers'}", "-DN=2")
    assert [each.name for each in found(tmp_path / "a")] == ["a/main.cu"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[one]\nsources = ["nothing.cu"]\n', FileNotFoundError),
        ('[one]\nsource = "a.cu"\n', msgspec.ValidationError),
        ("[one\n", msgspec.DecodeError),
    ],
)
def test_a_wrong_list_is_refused(text: str, error: type[Exception], tmp_path: Path) -> None:
    (tmp_path / "list.toml").write_text(text)
    with pytest.raises(error):
        listed(tmp_path / "list.toml", tmp_path)


def test_files_for_programs_are_made(tmp_path: Path) -> None:
    """Numbers are the same in every run."""
    first, count, data, out = words(("-s", "512", "{numbers 3}", "{output}"), tmp_path)
    assert (first, count) == ("-s", "512")
    assert Path(data).read_text() == "0.134364\n0.847434\n0.763775\n"
    assert not Path(out).exists()
    with pytest.raises(ValueError, match=r"\{number 3\} is neither"):
        words(("{number 3}",), tmp_path)


@pytest.mark.parametrize("suite", sorted(SUITES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_lists_here_can_be_read(suite: Path, tmp_path: Path) -> None:
    """Each program of them, if its sources were there."""
    for entry in msgspec.toml.decode(suite.read_bytes()).values():
        for source in entry["sources"]:
            (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / source).touch()
    for program in listed(suite, tmp_path):
        words([word for word in program.arguments if not word.startswith("{numbers")], tmp_path)


@pytest.mark.nvcc
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_kernels_are_held_against_counters(tmp_path: Path) -> None:
    """The second of two loads hits; what nvcc rejects is told, and has no rate."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "copy.cu").write_text(COPY)
    (kernels / "wrong.cu").write_text(COPY.replace("int main", "__global__ void no(cudaNothing x) {}\nint main"))
    programs = tmp_path / "list.toml"
    programs.write_text('[copy]\nsources = ["copy.cu"]\n[wrong]\nsources = ["wrong.cu"]\n')
    counters = workbook(tmp_path / "c.xlsx", {"NCU": [("copy", "0", "46")], "PPT": [("copy", "0", "41")]})
    figure = hardware.counters(Settings(False, (kernels,), tmp_path, (programs,), counters))
    rows = {row[0]: row for row in figure.rows if row[2] == "held out"}
    assert rows["copy copy"] == ("copy copy", 0, "held out", 50, 46, 4, -5, "")
    assert rows["wrong"][3] is None
    assert rows["wrong"][-1]
    assert rows[hardware.MEAN][5:7] == (4, 5)
    averaged = tmp_path / "hw_perf.csv"
    averaged.write_text("Benchmark,Kernel,L1_RH,L1_RM\ncopy,_Z4copyPKfPf,47,53\n")
    figure = hardware.counters(Settings(False, (kernels,), tmp_path, (programs,), averaged))
    rows = {row[0]: row for row in figure.rows if row[2] == "held out"}
    assert rows["copy copy"] == ("copy copy", 0, "held out", 50, 47, 3, None, "")
    assert rows[hardware.MEAN][5:7] == (3, None)
