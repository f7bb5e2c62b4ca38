"""Files of every odd kind: missing, unreadable, empty, binary, of other encodings, too long; and where output goes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from trial import Trial, accache, assert_orderly, read_text, translate

KERNEL = """\
void f(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float sum = 0;
#pragma acc cache(b[i-1:3])
        for (int j = i - 1; j <= i + 1; ++j)
            sum += b[j];
        a[i] = sum;
    }
}
"""
PLAIN = b"int main(void)\n{\n    return 0; /* nothing to do */\n}\n"
IS_ROOT = os.geteuid() == 0


def put(folder: Path, data: bytes | str, name: str = "main.c") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    trial = translate(tmp_path)
    assert trial.codes == ["ACC101"]


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = put(tmp_path, KERNEL)
    path.chmod(0)
    assert translate(path).codes == ["ACC101"]


@pytest.mark.parametrize("data", [b"", b"\n", PLAIN], ids=["empty", "newline", "plain"])
def test_a_file_without_directives_comes_back(data: bytes, tmp_path: Path) -> None:
    trial = translate(put(tmp_path, data))
    assert (trial.status, trial.output, trial.errors) == (0, data, "")


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.replace(b"\n", b"\r\n"),
        PLAIN.rstrip(b"\n"),
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.replace(b"nothing", b"caf\xe9 \xff\xfe"),
        PLAIN.replace(b"nothing", "größe ✓".encode()),
        PLAIN.replace(b"\n", b"\n\n\t \f\v"),
        PLAIN + b'#pragma omp parallel\n/* #pragma acc loop */ // #pragma acc loop\nchar *s = "#pragma acc loop";\n',
        b"#if 0\n#pragma acc nonsense\n#endif\n" + PLAIN,
    ],
    ids=["crlf", "no-newline", "bom", "latin1", "utf8", "blanks", "comments", "inactive"],
)
def test_bytes_come_back_as_they_were(data: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, data)
    result = tmp_path / "out.cu"
    trial = accache("translate", str(path), "-o", str(result))
    assert (trial.status, trial.codes) == (0, ["ACC256"] if b"omp" in data else [])
    assert result.read_bytes() == data


@pytest.mark.parametrize("ending", ["\r", "\r\r\n"])
def test_a_carriage_return_alone_ends_a_line_as_it_does_for_c_compilers(ending: str, tmp_path: Path) -> None:
    expected = translate(put(tmp_path, KERNEL.replace("\n", ending.replace("\r\n", "\n").replace("\r", "\n"))))
    trial = translate(put(tmp_path, KERNEL.replace("\n", ending)))
    assert (trial.status, trial.output.replace(b"\r", b"")) == (0, expected.output)


def test_binary_garbage_is_refused_or_returned(tmp_path: Path) -> None:
    garbage = bytes((7 * k * k + 3 * k) % 256 for k in range(5000))
    for data in (garbage, b"\x7fELF" + garbage, garbage + b"\n#pragma acc parallel loop\nfor" + garbage, b"\0" * 100):
        trial = translate(put(tmp_path, data))
        assert trial.status == 1 or trial.output == data


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("float sum = 0;", "float sum = 0; /* größe ✓ */"),
        lambda text: text.replace("#pragma acc parallel", "#\tpragma /* a comment */ acc \\\n parallel"),
    ],
    ids=["crlf", "bom", "no-newline", "utf8-comment", "continued"],
)
def test_a_kernel_survives_odd_spellings(change: object, tmp_path: Path) -> None:
    assert callable(change)
    trial = translate(put(tmp_path, change(KERNEL)), "-q")
    assert (trial.status, trial.errors) == (0, "")
    assert b"b_tile" in trial.output


def test_a_byte_order_mark_stays_in_front(tmp_path: Path) -> None:
    source = put(tmp_path, "\ufeff" + KERNEL + "int main(void) { return 3; }\n")
    output = translate(source, "-q").output
    assert output.startswith("\ufeff//".encode())
    assert output.count("\ufeff".encode()) == 1
    assert accache("run", "-q", str(source)).status == 3


def test_latin1_bytes_in_a_comment_of_a_kernel(tmp_path: Path) -> None:
    data = KERNEL.replace("sum += b[j];", "sum += b[j]; /* caf\xe9 */").encode("latin-1")
    trial = translate(put(tmp_path, b"/* \xff\xfe */\n" + data), "-q")
    assert (trial.status, trial.errors) == (0, "")
    assert b"\n/* \xff\xfe */\n" in trial.output


def test_crlf_is_kept_in_host_text(tmp_path: Path) -> None:
    host = "/* host */\nint main(void) { return 0; }\n"
    trial = translate(put(tmp_path, (host + KERNEL).replace("\n", "\r\n")))
    assert b"/* host */\r\nint main(void) { return 0; }\r\n" in trial.output


def test_a_utf8_identifier_in_a_kernel(tmp_path: Path) -> None:
    trial = translate(put(tmp_path, KERNEL.replace("sum", "größe")), "-q")
    assert (trial.status, trial.errors) == (0, "")


def test_columns_count_characters(tmp_path: Path) -> None:
    trial = translate(put(tmp_path, KERNEL.replace("        float sum = 0;", "/* é✓ */ float sum = nothing;")))
    assert [(item.line, item.column, item.width) for item in trial.printed] == [(5, 22, 7)]


def test_output_is_reproducible(tmp_path: Path) -> None:
    path = put(tmp_path, KERNEL)
    first = [translate(path, "--method", method).output for method in ("rbi", "rbc", "ehc")]
    again = [translate(path, "--method", method).output for method in ("ehc", "rbc", "rbi")]
    assert first == again[::-1]


def test_a_dash_is_standard_input_and_output(tmp_path: Path) -> None:
    plain = accache("translate", "-", text=PLAIN)
    assert (plain.status, plain.output) == (0, PLAIN)
    named = translate(put(tmp_path, KERNEL)).output
    piped = accache("translate", "--tune", "off", "-o", "-", "-", text=KERNEL.encode())
    assert piped.status == 0
    assert piped.output.count(b"\n") == named.count(b"\n")
    wrong = accache("translate", "-", text=KERNEL.replace("+= b", "+= c").encode())
    assert [(item.file, item.line, item.column) for item in wrong.printed] == [("<stdin>", 8, 20)]


def test_a_message_shows_the_line_of_standard_input() -> None:
    trial = accache("translate", "-", text=KERNEL.replace("+= b", "+= c").encode())
    assert "            sum += c[j];\n" in trial.errors


@pytest.mark.parametrize("options", [("-o", "out.cu"), ("--split", "-o", "out"), ()], ids=["joined", "split", "stdout"])
def test_an_error_leaves_no_file_and_no_output(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, KERNEL.replace("+= b", "+= c"))
    trial = accache("translate", "main.c", *options)
    assert (trial.status, trial.output, trial.codes) == (1, b"", ["ACC302"])
    assert [path.name for path in tmp_path.iterdir()] == ["main.c"]


def test_an_error_keeps_the_old_result(tmp_path: Path) -> None:
    path, old = put(tmp_path, KERNEL.replace("+= b", "+= c")), put(tmp_path, "old", "out.cu")
    assert accache("translate", str(path), "-o", str(old)).status == 1
    assert old.read_text() == "old"


@pytest.mark.parametrize(
    "arguments",
    [(), ("translate",), ("translate", "a.c", "b.c"), ("translate", "a.c", "--method", "best"), ("compile", "a.c")],
    ids=" ".join,
)
def test_a_wrong_command_line_is_status_2(arguments: tuple[str, ...]) -> None:
    trial = accache(*arguments)
    assert (trial.status, trial.output) == (2, b"") or not arguments
    assert "Traceback" not in trial.errors


@pytest.mark.parametrize("command", ["translate", "run", "explain"])
def test_json_and_sarif_hold_what_text_holds(command: str, tmp_path: Path) -> None:
    path = put(tmp_path, KERNEL.replace("sum += b[j]", "sum += b[j] + c + d"))
    text = read_text(accache(command, str(path)).errors)
    as_json = accache(command, "--diagnostics", "json", str(path))
    as_sarif = accache(command, "--diagnostics=sarif", str(path))
    assert as_json.status == as_sarif.status == 1
    expected = [(item.code, item.severity, item.message, item.line, item.column) for item in text]
    keys = ("code", "severity", "message", "line", "column")
    assert [tuple(item[key] for key in keys) for item in json.loads(as_json.errors)] == expected
    run = json.loads(as_sarif.errors)["runs"][0]
    found = []
    for item in run["results"]:
        region = item["locations"][0]["physicalLocation"]["region"]
        message = item["message"]["text"].partition(" (hint: ")[0]
        found.append((item["ruleId"], item["level"], message, region["startLine"], region["startColumn"]))
    assert found == expected


def test_warnings_are_in_json_too(tmp_path: Path) -> None:
    path = put(tmp_path, KERNEL.replace("cache(b[i-1:3])", "cache(b)"))
    trial = accache("translate", "--diagnostics=json", "-o", str(tmp_path / "out.cu"), str(path))
    assert trial.status == 0
    assert [item["code"] for item in json.loads(trial.errors)] == ["ACC415"]


def text_of(part: str, lines: int) -> str:
    """A program of about so many lines: host functions, functions with a kernel each, or one long kernel."""
    if part == "host":
        return KERNEL + "".join(f"int g{k}(int x) {{ return x + {k}; }}\n" for k in range(lines))
    if part == "kernels":
        return "".join(KERNEL.replace("f(", f"f{k}(") for k in range(lines // 12))
    return KERNEL.replace("        a[i] = sum;\n", "".join(f"        a[i] += b[i] * {k};\n" for k in range(lines)))


def seconds(path: Path) -> float:
    """Processor time of a translation, that of the preprocessor included."""
    before = os.times()
    trial = translate(path, "-q")
    after = os.times()
    assert (trial.status, trial.errors) == (0, "")
    return sum(after[:4]) - sum(before[:4])


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ("host", 400),
        ("kernels", 170),
        ("statements", 80),
        pytest.param("host", 2500, marks=pytest.mark.matrix),
        pytest.param("kernels", 2500, marks=pytest.mark.matrix),
        pytest.param("statements", 2500, marks=pytest.mark.matrix),
    ],
)
def test_time_grows_with_length_only(part: str, lines: int, tmp_path: Path) -> None:
    short = seconds(put(tmp_path, text_of(part, lines)))
    long = seconds(put(tmp_path, text_of(part, 4 * lines)))
    assert long < 8 * short + 0.2  # 4 is linear, 16 quadratic


def test_assert_orderly_wants_an_error() -> None:
    with pytest.raises(AssertionError):
        assert_orderly(Trial(1, b"", "a.c:1:1: warning: text [ACC402]\n"))
