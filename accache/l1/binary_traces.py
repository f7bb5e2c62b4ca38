"""Traces as NumPy archives (.npz): one array a column, and the extents of a block."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from accache.diagnostics import CompileError, Reporter
from accache.l1.trace import FIELDS, MAX_ACCESSES, Trace, out_of_range, trace_of, wrong_block

_CHUNK = 1 << 24
MAGIC = b"PK\x03\x04"
_BROKEN = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError, RuntimeError)


def read_binary(path: Path) -> Trace:
    """The trace in an archive, compressed or not.

    Raises:
        OSError: the file cannot be read.
        CompileError: it is no trace; the message says what is wrong.
    """
    name = str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            block = _array(archive, "block", name)
            columns = tuple(_array(archive, field, name) for field in FIELDS)
    except _BROKEN as error:
        reason = error.args[0] if error.args else type(error).__name__
        raise Reporter().fail("ACC806", name=name, reason=reason) from error
    if len(block) != 3:
        raise _wrong(name, f"'block' has {len(block)} elements, not 3")
    extents = (int(block[0]), int(block[1]), int(block[2]))
    if reason := wrong_block(extents):
        raise _wrong(name, reason)
    _check(columns, name)
    return trace_of(extents, columns)


def write_binary_trace(trace: Trace, stream: IO[bytes], *, compressed: bool = False) -> None:
    """Write a trace as an archive; what ``read_binary`` makes of it is equal."""
    arrays = {"block": np.array(trace.block), **dict(zip(FIELDS, trace.columns, strict=True))}
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, version=(1, 0), allow_pickle=False)


def _array(archive: zipfile.ZipFile, field: str, name: str) -> NDArray[np.generic]:
    """One array of integers; its header is looked at before any room is made for it."""
    if f"{field}.npy" not in archive.namelist():
        raise _wrong(name, f"array '{field}' is missing")
    with archive.open(f"{field}.npy") as stream:
        if npy.read_magic(stream) != (1, 0):
            raise _wrong(name, f"array '{field}' is not in version 1.0 of the format")
        shape, _, dtype = npy.read_array_header_1_0(stream)
        if len(shape) != 1 or dtype.kind not in "iub":
            raise _wrong(name, f"array '{field}' is not a row of integers")
        if shape[0] > MAX_ACCESSES:
            raise Reporter().fail("ACC805", name=name, what=f"{shape[0]} accesses", limit=MAX_ACCESSES)
        array = np.empty(shape, dtype)
        if not _fills(stream, array.view(np.uint8).data):
            raise _wrong(name, f"array '{field}' does not have the {shape[0]} elements it announces")
    return array


def _fills(stream: IO[bytes], room: memoryview) -> bool:
    """Read what is left of a stream; whether it fills the room and ends there."""
    while room and (part := stream.read(min(len(room), _CHUNK))):
        room[: len(part)] = part
        room = room[len(part) :]
    return not room and not stream.read(1)


def _check(columns: tuple[NDArray[np.generic], ...], name: str) -> None:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise _wrong(name, f"its arrays have different lengths: {', '.join(map(str, sorted(lengths)))}")
    for field, column in enumerate(columns):
        for extreme in (column.min(), column.max()) if len(column) else ():
            if reason := out_of_range(field, int(extreme)):
                raise _wrong(name, reason)


def _wrong(name: str, reason: str) -> CompileError:
    return Reporter().fail("ACC806", name=name, reason=reason)
