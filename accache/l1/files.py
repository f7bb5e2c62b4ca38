"""Trace files: the format is told from the first bytes, not from the name."""

from __future__ import annotations

from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.l1.binary_traces import MAGIC, read_binary
from accache.l1.simulator_traces import ACCEL_SIM, NVBIT, read_accel_sim, read_nvbit
from accache.l1.text_traces import Parser, head_of, read_text
from accache.l1.trace import Trace


def read_trace(path: Path, parse: Parser | None = None) -> Trace:
    """The trace in a file of any format that docs/model.md names; ``parse`` reads well-formed lines of text quickly.

    Raises:
        CompileError: the file cannot be read, or holds no trace with loads.
    """
    try:
        trace = _read(path, parse)
    except OSError as error:
        raise Reporter().fail("ACC101", name=str(path), reason=error.strerror or error) from error
    if not (trace.direction == 0).any():
        raise Reporter().fail("ACC807", name=str(path))
    return trace


def _read(path: Path, parse: Parser | None) -> Trace:
    """The trace in a file of any format."""
    if _starts_with(path, MAGIC):
        return read_binary(path)
    head = head_of(path) if path.is_file() else b""
    if head.startswith(ACCEL_SIM):
        return read_accel_sim(path)
    return read_nvbit(path) if NVBIT in head else read_text(path, parse)


def _starts_with(path: Path, magic: bytes) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic
