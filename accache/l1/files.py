"""Trace files: the format is told from the first bytes, not from the name."""

from __future__ import annotations

from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.l1.binary_traces import MAGIC, read_binary
from accache.l1.text_traces import Parser, read_text
from accache.l1.trace import Trace


def read_trace(path: Path, parse: Parser | None = None) -> Trace:
    """The trace in a file, text or binary; ``parse`` reads well-formed lines quickly.

    Raises:
        CompileError: the file cannot be read, or holds no trace with loads.
    """
    try:
        trace = read_binary(path) if _starts_with(path, MAGIC) else read_text(path, parse)
    except OSError as error:
        raise Reporter().fail("ACC101", name=str(path), reason=error.strerror or error) from error
    if not (trace.direction == 0).any():
        raise Reporter().fail("ACC807", name=str(path))
    return trace


def _starts_with(path: Path, magic: bytes) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic
