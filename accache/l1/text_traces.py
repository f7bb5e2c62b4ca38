"""Traces as text, in the format of the paper's tracer: ``blocksize: x y z``, then one access a line."""

from __future__ import annotations

import gzip
import io
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location
from accache.l1.trace import LARGEST, MAX_ACCESSES, Trace, out_of_range, trace_of, wrong_block

Columns = tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint8]]
# (data, offset, largest values, columns) -> accesses read, offset of the first line that was not
Parser = Callable[[NDArray[np.uint8], int, NDArray[np.uint64], Columns], tuple[int, int]]

_NUMBER = rb"(-?\d{1,30})"
_HEADER = re.compile(rb"blocksize:[ \t]+" + rb"[ \t]+".join([_NUMBER] * 3) + rb"[ \t]*\r?")
_ACCESS = re.compile(rb"[ \t]*" + rb"[ \t]+".join([_NUMBER] * 4) + rb"[ \t]*\r?")
_BLANK = re.compile(rb"[ \t]*\r?")
_HEADER_BYTES = 256
_LINE_BYTES = 64
_CHUNK = 1 << 24
_SHOWN = 60
_GZIP = b"\x1f\x8b"


def read_text(path: Path, parse: Parser | None = None) -> Trace:
    """The trace in a file; ``parse`` is a quick reader of well-formed lines, which may stop at any line.

    Raises:
        OSError: the file cannot be read.
        CompileError: it is no trace; the message names the line.
    """
    data = _content(path)
    name = str(path)
    head = data[:_HEADER_BYTES].tobytes()
    block = _block(head, name)
    count = _count_lines(data, name)
    columns: Columns = (
        np.empty(count, np.uint32),
        np.empty(count, np.uint8),
        np.empty(count, np.uint64),
        np.empty(count, np.uint8),
    )
    done, offset = 0, min(head.find(b"\n") + 1 or len(head), len(data))
    if parse is not None:
        done, offset = parse(data, offset, np.array(LARGEST, np.uint64), columns)
    thread, direction, address, size = columns
    for values in _accesses(data, offset, name):
        thread[done], direction[done], address[done], size[done] = values
        done += 1
    return trace_of(block, tuple(column[:done] for column in columns))


def write_text(trace: Trace) -> str:
    """A trace as text; what ``read_text`` makes of it is equal."""
    lines = [f"blocksize: {' '.join(map(str, trace.block))}"]
    lines += [" ".join(map(str, values)) for values in zip(*(column.tolist() for column in trace.columns), strict=True)]
    return "\n".join(lines) + "\n"


def head_of(path: Path, count: int = 1 << 16) -> bytes:
    """The first bytes of a file, unpacked; nothing if it cannot be unpacked."""
    with path.open("rb") as stream:
        head = stream.read(count)
    if not head.startswith(_GZIP):
        return head
    try:
        with gzip.open(path) as stream:
            return stream.read(count)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return b""


def unpacked_lines(path: Path) -> Iterator[str]:
    """The lines of a text that gzip may have packed, without blanks at their ends.

    Raises:
        OSError: the file cannot be read.
        CompileError: it cannot be unpacked.
    """
    with path.open("rb") as stream:
        is_packed = stream.read(2) == _GZIP
    try:
        with gzip.open(path, "rt", errors="replace") if is_packed else path.open(errors="replace") as text:
            for line in text:
                yield line.strip()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Reporter().fail("ACC806", name=str(path), reason=str(error)) from error


def _content(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, unpacked; those of a regular file stay on disk until they are looked at."""
    size = path.stat().st_size if path.is_file() else 0
    if size > MAX_ACCESSES * _LINE_BYTES:
        raise _too_many(str(path), f"{size} bytes of text")
    if size:
        data = np.memmap(path, dtype=np.uint8, mode="r")
        return _unpacked(path) if data[:2].tobytes() == _GZIP else data
    with path.open("rb") as stream:
        return np.frombuffer(stream.read(MAX_ACCESSES), np.uint8)


def _unpacked(path: Path) -> NDArray[np.uint8]:
    """What a file of gzip holds, in a temporary file; it is read in pieces, and no further than a trace may go."""
    lines = size = 0
    with tempfile.TemporaryFile(prefix="accache-") as unpacked:
        try:
            with gzip.open(path) as stream:
                while piece := stream.read(_CHUNK):
                    lines, size = lines + piece.count(b"\n"), size + len(piece)
                    if lines > MAX_ACCESSES or size > MAX_ACCESSES * _LINE_BYTES:
                        raise _too_many(str(path), f"more than {size} bytes of text")
                    unpacked.write(piece)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise Reporter().fail("ACC806", name=str(path), reason=str(error)) from error
        unpacked.flush()
        return np.memmap(unpacked, dtype=np.uint8, mode="r") if size else np.empty(0, np.uint8)


def _block(head: bytes, name: str) -> tuple[int, int, int]:
    line = head.partition(b"\n")[0]
    found = _HEADER.fullmatch(line)
    if found is None:
        raise _wrong("ACC801", name, 1, _shown(line))
    x, y, z = (int(number) for number in found.groups())
    if reason := wrong_block((x, y, z)):
        raise Reporter().fail("ACC803", Location(name, 1), reason=reason)
    return x, y, z


def _count_lines(data: NDArray[np.uint8], name: str) -> int:
    """How many accesses there are at most; a text of which the end is missing is refused."""
    count = sum(data[start : start + _CHUNK].tobytes().count(b"\n") for start in range(0, len(data), _CHUNK))
    if count > MAX_ACCESSES:
        raise _too_many(name, f"{count} lines")
    if len(data) and data[-1] != ord("\n"):
        raise Reporter().fail("ACC804", Location(name, count + 1))
    return count


def _accesses(data: NDArray[np.uint8], offset: int, name: str) -> Iterator[tuple[int, ...]]:
    """The accesses of all lines from an offset on, each of them checked."""
    if offset >= len(data):
        return
    before = sum(data[start : min(start + _CHUNK, offset)].tobytes().count(b"\n") for start in range(0, offset, _CHUNK))
    for number, line in enumerate(io.BytesIO(data[offset:].tobytes()), before + 1):
        text = line.rstrip(b"\n")
        found = _ACCESS.fullmatch(text)
        if found is not None:
            yield _checked(tuple(map(int, found.groups())), name, number)
        elif not _BLANK.fullmatch(text):
            raise _wrong("ACC802", name, number, _shown(text))


def _checked(values: tuple[int, ...], name: str, number: int) -> tuple[int, ...]:
    for field, value in enumerate(values):
        if reason := out_of_range(field, value):
            raise Reporter().fail("ACC803", Location(name, number), reason=reason)
    return values


def _wrong(code: str, name: str, number: int, found: str) -> CompileError:
    return Reporter().fail(code, Location(name, number), found=found)


def _too_many(name: str, what: str) -> CompileError:
    return Reporter().fail("ACC805", name=name, what=what, limit=MAX_ACCESSES)


def _shown(line: bytes) -> str:
    """The start of a line, printable."""
    text = line[:_SHOWN].decode("ascii", "backslashreplace").strip()
    return f"'{text}'" if text else "nothing"
