"""Output files are there whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from accache.base.output import write_binary, write_files


def test_it_writes_bytes_that_were_not_utf8_and_keeps_line_endings(tmp_path: Path) -> None:
    write_files(((str(tmp_path / "a"), "é\udcff\r\n"),))
    assert (tmp_path / "a").read_bytes() == "é".encode() + b"\xff\r\n"


def test_all_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(FileNotFoundError) as found:
        write_files(((str(tmp_path / "a"), "new"), (str(tmp_path / "missing" / "b"), "new")))
    assert found.value.filename == str(tmp_path / "missing" / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("")
    old.chmod(0o754)
    plain.write_text("")
    write_files(((str(old), "x"), (str(new), "x")))
    assert stat.S_IMODE(old.stat().st_mode) == 0o754
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_files(((str(tmp_path / "link"), "new"),))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_what_is_no_regular_file_is_written_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_files(((str(pipe), "text"),))
        assert os.read(reader, 10) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs /dev/fd")
def test_a_link_to_a_pipe_is_one() -> None:
    """As /dev/stdout is where another program reads it: what it links to has no name."""
    reading, writing = os.pipe()
    write_files(((f"/dev/fd/{writing}", "text"),))
    write_binary(f"/dev/fd/{writing}", b" and bytes")
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        assert stream.read() == b"text and bytes"


def test_nothing_is_left_of_what_an_interrupt_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "chmod", interrupted)
    for write in (
        lambda: write_binary(str(tmp_path / "a.o"), b"1"),
        lambda: write_files(((str(tmp_path / "a"), "1"),)),
    ):
        with pytest.raises(KeyboardInterrupt):
            write()
    assert list(tmp_path.iterdir()) == []
