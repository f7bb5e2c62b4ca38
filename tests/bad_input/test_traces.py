"""Every code about memory traces, each with the smallest files that provoke it; and files of all odd kinds."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trial import Trial, accache, assert_orderly

GOOD = b"blocksize: 32 1 1\n0 0 4096 4\n1 0 4100 4\n"
COLUMNS = {"block": [32, 1, 1], "thread": [0, 1], "direction": [0, 0], "address": [4096, 4100], "bytes": [4, 4]}
ENTRY = b"PK\x01\x02"  # starts a member's entry in the directory of a zip file
LARGEST_LINE = b"4194303 1 144115188075855871 16\n"


def model(path: Path, data: bytes, *options: str) -> Trial:
    path.write_bytes(data)
    trial = accache("model", "--trace", str(path), *options)
    assert_orderly(trial)
    return trial


def archive(**changes: object) -> bytes:
    """A good archive but for some arrays; one that is None is left out."""
    stream = io.BytesIO()
    arrays = {name: np.array(value) for name, value in {**COLUMNS, **changes}.items() if value is not None}
    np.savez(stream, **arrays)
    return stream.getvalue()


def announcing(elements: int) -> bytes:
    """An archive in which an array has fewer elements than it says."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<u4", "fortran_order": False, "shape": (elements,)})
    stream = io.BytesIO(archive(thread=None))
    with zipfile.ZipFile(stream, "a") as archived:
        archived.writestr("thread.npy", header.getvalue() + b"\0" * 8)
    return stream.getvalue()


def flagged(flag: int, letter: bytes = b"b") -> bytes:
    """An archive whose members have a flag in the directory, and there a first letter instead of that of 'block'."""
    data = bytearray(archive())
    at = data.find(ENTRY)
    data[at + 46 : at + 47] = letter
    while at >= 0:
        data[at + 8] |= flag & 255
        data[at + 9] |= flag >> 8
        at = data.find(ENTRY, at + 1)
    return bytes(data)


def packed(method: int) -> bytes:
    """A good archive, but for the method of compression."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive())) as good, zipfile.ZipFile(stream, "w", method) as other:
        for name in good.namelist():
            other.writestr(name, good.read(name))
    return stream.getvalue()


@pytest.mark.parametrize("data", [GOOD, GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b" ", b"\t "), GOOD + b"\n \n"])
def test_a_good_text(data: bytes, tmp_path: Path) -> None:
    trial = model(tmp_path / "a.trc", data + LARGEST_LINE, "--json")
    assert (trial.status, trial.errors) == (0, "")
    assert b'"requests": 1,' in trial.output


def test_a_good_archive_by_any_name(tmp_path: Path) -> None:
    assert model(tmp_path / "a.npz", archive()).output == model(tmp_path / "a.trc", archive()).output != b""


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"", 1, "ACC801"),
        (b"\n", 1, "ACC801"),
        (b"blocksize 32 1 1\n0 0 4096 4\n", 1, "ACC801"),
        (b"blocksize: 32 1\n0 0 4096 4\n", 1, "ACC801"),
        (b"0 0 4096 4\n", 1, "ACC801"),
        (b"\x7fELF\0\xff\xfe" * 100, 1, "ACC801"),
        (GOOD + b"2 0 4096\n", 4, "ACC802"),
        (GOOD + b"2 0 4096 4 4\n", 4, "ACC802"),
        (GOOD + b"2 0 0x1000 4\n" + GOOD, 4, "ACC802"),
        (GOOD + b"2 0 4096 4.0\n", 4, "ACC802"),
        (GOOD + b"2 0 " + b"9" * 5000 + b" 4\n", 4, "ACC802"),
        (GOOD + b"\xff\xfe\n", 4, "ACC802"),
        (GOOD + GOOD, 4, "ACC802"),
        (b"blocksize: 0 1 1\n0 0 4096 4\n", 1, "ACC803"),
        (b"blocksize: 64 64 1\n0 0 4096 4\n", 1, "ACC803"),
        (b"blocksize: -1 -1 1\n0 0 4096 4\n", 1, "ACC803"),
        (GOOD + b"2 0 4096 -4\n", 4, "ACC803"),
        (GOOD + b"2 0 4096 0\n", 4, "ACC803"),
        (GOOD + b"2 0 4096 17\n", 4, "ACC803"),
        (GOOD + b"2 0 -1 4\n", 4, "ACC803"),
        (GOOD + b"2 0 144115188075855872 4\n", 4, "ACC803"),
        (GOOD + b"2 0 18446744073709551617 4\n", 4, "ACC803"),
        (GOOD + b"2 2 4096 4\n", 4, "ACC803"),
        (GOOD + b"-2 0 4096 4\n", 4, "ACC803"),
        (GOOD + b"4194304 0 4096 4\n", 4, "ACC803"),
        (GOOD[:-1], 3, "ACC804"),
        (GOOD[:-4], 3, "ACC804"),
        (b"blocksize: 32 1 1", 1, "ACC804"),
    ],
)
def test_a_bad_text(data: bytes, line: int, code: str, tmp_path: Path) -> None:
    trial = model(tmp_path / "a.trc", data)
    assert [(found.code, found.line) for found in trial.printed] == [(code, line)]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (archive()[:100], "not a zip file"),
        (archive()[:-30], "not a zip file"),
        (archive()[:60] + b"\xff" + archive()[61:], ""),
        (archive(address=None), "'address' is missing"),
        (archive(block=[32]), "'block' has 1 elements"),
        (archive(block=[32, 0, 1]), "a block of 32 x 0 x 1 threads"),
        (archive(bytes=[4, -4]), "bytes is -4"),
        (archive(bytes=[4, 0]), "bytes is 0"),
        (archive(direction=[0, 7]), "direction is 7"),
        (archive(thread=[0, 1 << 40]), "thread is 1099511627776"),
        (archive(thread=[0, 1, 2]), "different lengths"),
        (archive(thread=[[0, 1]]), "not a row of integers"),
        (archive(thread=[0.0, 1.0]), "not a row of integers"),
        (archive(thread=["a", "b"]), "not a row of integers"),
        (flagged(1), "'block' is encrypted"),
        (flagged(1 << 5), "compressed patched data"),
        (flagged(1 << 6), "strong encryption"),
        (flagged(1 << 11, b"\xff"), "'utf-8' codec can't decode"),
        (archive()[:60] + archive()[90:], "points in front of the file"),
        (packed(zipfile.ZIP_LZMA), "'block' is compressed by another method"),
        (packed(zipfile.ZIP_BZIP2), "'block' is compressed by another method"),
        (announcing(1000), "does not have the 1000 elements"),
        (archive(step=[1]), "different lengths"),
        (archive(step=[1, -1]), "step is -1"),
        (archive(site=[0, 65536]), "site is 65536"),
        (archive(site=[0, 2], site_line=[5, 6]), "site is 2, not 0 to 1"),
        (archive(site=[0, 1], site_line=[5, 6], site_array=["a"]), "different lengths"),
        (archive(site=[0, 1], site_line=["a", "b"]), "'site_line' has 'a' in it"),
        (archive(site=[0, 1], site_array=[5, 6]), "'site_array' has 5 in it"),
        (archive(site=[0, 1], site_line=[5, -6]), "'site_line' has -6 in it"),
        (archive(site=[0, 1], site_line=[True, False]), "'site_line' has True in it"),
        (archive(site=[0, 1], site_array=["a", "b\nc"]), "'site_array' has 'b\\nc' in it"),
        (archive(site=[0, 1], site_array=["a", "\ud800"]), "'site_array' has '\\ud800' in it"),
        (
            archive(site=[0, 1], site_array=np.array([97, 1 << 30], np.uint32).view("U1")),
            "characters that do not exist",
        ),
        (archive(site=[0, 1], site_policy=["ca", "cs"]), "'cs' is none of the policies ca, cg"),
        (archive(site_array=["a", "b"]), "none named 'site'"),
        (archive(site=[0, 1], site_array=["a", "b" * 2000]), "not a row of short texts"),
        (archive(site=["a", "b"]), "not a row of integers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "archive",
)
def test_a_bad_archive_is_acc806(data: bytes, reason: str, tmp_path: Path) -> None:
    trial = model(tmp_path / "a.npz", data)
    assert trial.codes == ["ACC806"]
    assert reason in trial.errors


def test_an_array_of_objects_is_not_loaded(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.savez(stream, block=np.array([None]))
    assert model(tmp_path / "a.npz", stream.getvalue()).codes == ["ACC806"]


@pytest.mark.parametrize("command", ["model", "bypass"])
def test_arguments_with_half_a_quotation_are_wrong_usage(command: str) -> None:
    trial = accache(command, "a.cu", "--args", "a 'b")
    assert trial.status == 2
    assert "No closing quotation" in trial.errors


def test_an_empty_name_is_the_folder() -> None:
    assert accache("model", "--trace", "").codes == ["ACC101"]


def test_a_billion_lines_are_acc805_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_bytes(GOOD)
    with path.open("ab") as stream:
        stream.truncate(16 * 10**9)  # takes no room on the disk
    trial = accache("model", "--trace", str(path))
    assert trial.codes == ["ACC805"]
    assert model(tmp_path / "a.npz", announcing(10**9)).codes == ["ACC805"]


def test_too_many_sites_are_acc805(tmp_path: Path) -> None:
    trial = model(tmp_path / "a.npz", archive(site=[0, 1], site_line=np.zeros(65537, np.uint8)))
    assert trial.codes == ["ACC805"]
    assert "65537 elements in 'site_line'; there may be 65536" in trial.errors


def test_steps_that_go_back_are_acc809(tmp_path: Path) -> None:
    assert model(tmp_path / "a.npz", archive(thread=[1, 1], step=[3, 2])).codes == ["ACC809"]
    assert model(tmp_path / "a.npz", archive(thread=[1, 0], step=[3, 2])).codes == []


@pytest.mark.parametrize(
    ("by", "arrays", "known"),
    [
        ("load", {}, False),
        ("load", {"site": [0, 1]}, True),
        ("array", {"site": [0, 1]}, False),
        ("array", {"site": [0, 1], "site_line": [3, 4]}, False),
        ("array", {"site": [0, 1], "site_array": ["a", ""]}, True),
        ("line", {"site": [0, 1], "site_line": [3, 4]}, True),
    ],
)
def test_what_a_trace_does_not_tell_is_acc810(
    by: str, arrays: dict[str, list[object]], known: bool, tmp_path: Path
) -> None:
    assert model(tmp_path / "a.npz", archive(**arrays), "--by", by).codes == ([] if known else ["ACC810"])
    assert model(tmp_path / "a.trc", GOOD, "--by", by).codes == ["ACC810"]


def test_a_policy_for_no_load_is_acc814(tmp_path: Path) -> None:
    assert model(tmp_path / "a.trc", GOOD, "--policy", "a=cg").codes == ["ACC814"]
    named = archive(site=[0, 1], site_array=["a", "b"])
    assert model(tmp_path / "a.npz", named, "--policy", "c=cg").codes == ["ACC814"]
    assert model(tmp_path / "a.npz", named, "--policy", "b=cg").codes == []
    assert model(tmp_path / "a.npz", archive(site=[0, 1]), "--policy", "1=cg").codes == []


def test_impossible_tiles_are_acc815(tmp_path: Path) -> None:
    named = archive(site=[0, 1], site_array=["a", "b"])
    assert model(tmp_path / "a.npz", named, "--tile", "a=1:49k").codes == ["ACC815"]
    assert model(tmp_path / "a.npz", named, "--tile", "a=1:48k").codes == []
    assert model(tmp_path / "a.npz", named, "--gpu", "fermi-48k", "--tile", "a=1:17k").codes == ["ACC815"]
    assert model(tmp_path / "a.npz", named, "--gpu", "v100", "--tile", "a=1:97k").codes == ["ACC815"]
    assert model(tmp_path / "a.npz", named, "--gpu", "v100", "--tile", "c=1:1k").codes == ["ACC814"]
    assert model(tmp_path / "a.npz", named, "--gpu", "v100", "--tile", "a=1:1k", "--tile", "b=1:1k").codes == []
    assert model(tmp_path / "a.trc", GOOD, "--gpu", "v100", "--tile", "a=1:1k").codes == ["ACC810"]


def test_too_many_lines_are_acc805(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accache.l1.text_traces.MAX_ACCESSES", 2)
    assert model(tmp_path / "a.trc", GOOD).codes == ["ACC805"]


@pytest.mark.parametrize("data", [b"blocksize: 8 1 1\n", b"blocksize: 8 1 1\n0 1 4096 4\n", archive(direction=[1, 1])])
def test_a_trace_without_loads_is_acc807(data: bytes, tmp_path: Path) -> None:
    assert model(tmp_path / "a", data).codes == ["ACC807"]


def test_no_numba_is_acc808(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = model(tmp_path / "a", GOOD)
    monkeypatch.setitem(sys.modules, "numba", None)
    slow = model(tmp_path / "a", GOOD)
    assert (fast.codes, slow.codes) == ([], ["ACC808"])
    assert fast.output == slow.output != b""
    assert model(tmp_path / "a", GOOD, "-q").errors == ""


def test_a_missing_trace_is_acc101(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        trial = accache("model", "--trace", str(path))
        assert_orderly(trial)
        assert trial.codes == ["ACC101"]


@pytest.mark.parametrize(
    "options",
    [
        ["--gpu", "fermi"],
        ["--mode", "exact"],
        ["--seed", "-1"],
        ["--seed", str(1 << 32)],
        ["--without", "hits"],
        ["--policy", "a"],
        ["--policy", "=cg"],
        ["--policy", "a=cs"],
        ["--tile", "a=5"],
        ["--tile", "a:1:1"],
        ["--sweep", "ways=4", "--distances"],
        ["--sweep", "ways=4", "--by", "load"],
    ],
)
def test_a_wrong_option_is_status_2(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.trc").write_bytes(GOOD)
    assert accache("model", "--trace", str(tmp_path / "a.trc"), *options).status == 2


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=6), st.integers(0, 9), st.booleans())
def test_a_damaged_trace_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, put: bytes, gone: int, binary: bool
) -> None:
    sites = {"site": [0, 1], "step": [1, 0], "site_array": ["a", "b"], "site_line": [3, 4], "site_policy": ["ca", "cg"]}
    good = archive(**sites) if binary else GOOD
    at = at * len(good) // len(GOOD)
    model(tmp_path_factory.getbasetemp() / "damaged", good[:at] + put + good[at + gone :])


def test_gzip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace.gz"
    plain, packed = model(path, GOOD), gzip.compress(GOOD)
    for data in (packed, gzip.compress(GOOD[:30]) + gzip.compress(GOOD[30:])):
        trial = model(path, data)
        assert (trial.status, trial.output) == (0, plain.output)
    for data in (packed[:-9], packed[:12] + b"\xff" * 20, packed + b"more", packed[:-8] + bytes(8)):
        assert model(path, data).codes == ["ACC806"]
    assert model(path, gzip.compress(b"")).codes == ["ACC801"]
    assert model(path, gzip.compress(archive())).codes == ["ACC801"]
    assert model(path, gzip.compress(GOOD[:-1])).codes == ["ACC804"]
    monkeypatch.setattr("accache.l1.text_traces.MAX_ACCESSES", 1000)
    monkeypatch.setattr("accache.l1.text_traces._CHUNK", 1000)
    for bomb in (b"\n", b" "):
        assert model(path, gzip.compress(GOOD + bomb * 10_000_000)).codes == ["ACC805"]
