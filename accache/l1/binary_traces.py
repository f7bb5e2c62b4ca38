"""Traces as NumPy archives (.npz): one array a column, the extents of a block, and what is known of sites."""

from __future__ import annotations

import errno
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from accache.base.diagnostics import CompileError, Reporter
from accache.l1.policies import POLICIES
from accache.l1.trace import (
    FIELDS,
    MAX_ACCESSES,
    MAX_SITES,
    MAX_STEP,
    SITE_FIELDS,
    Site,
    Trace,
    out_of_range,
    trace_of,
    wrong_block,
)

_CHUNK = 1 << 18
_LONGEST = 4 * 1024  # bytes of a text; characters have four
MAGIC = b"PK\x03\x04"
_ENCRYPTED = 1  # a bit of a member's flags
_NO_ARCHIVE = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError)  # the last for names of members
_BROKEN_MEMBER = (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, ValueError)  # the last for headers


def read_binary(path: Path) -> Trace:
    """The trace in an archive, compressed or not.

    Raises:
        OSError: the file cannot be read.
        CompileError: it is no trace; the message says what is wrong.
    """
    name = str(path)
    with _refusing(name, *_NO_ARCHIVE):
        archive = zipfile.ZipFile(path)
    with archive:
        block = _array(archive, "block", name)
        columns = tuple(_array(archive, field, name) for field in FIELDS)
        step, site = (_optional(archive, field, name) for field in ("step", "site"))
        texts = {field: _optional(archive, f"site_{field}", name, MAX_SITES, texts="U") for field in SITE_FIELDS}
        given = {field: array.tolist() for field, array in texts.items() if array is not None}
    if len(block) != 3:
        raise _wrong(name, f"'block' has {len(block)} elements, not 3")
    extents = (int(block[0]), int(block[1]), int(block[2]))
    if reason := wrong_block(extents):
        raise _wrong(name, reason)
    _check(columns, name)
    sites = _sites(given, name)
    for field, column, largest in (("step", step, MAX_STEP), ("site", site, (len(sites) or MAX_SITES) - 1)):
        if column is not None:
            _check_more(field, column, len(columns[0]), largest, name=name)
    if sites and site is None:
        raise _wrong(name, "there are arrays about sites, but none named 'site'")
    trace = trace_of(extents, columns)
    return replace(trace, step=_as_words(step), site=_as_words(site), sites=sites)


def write_binary_trace(trace: Trace, stream: IO[bytes], *, compressed: bool = False) -> None:
    """Write a trace as an archive; what ``read_binary`` makes of it is equal."""
    arrays: dict[str, NDArray[np.generic]] = {"block": np.array(trace.block)}
    arrays |= dict(zip(FIELDS, trace.columns, strict=True))
    arrays |= {name: column for name, column in (("step", trace.step), ("site", trace.site)) if column is not None}
    if trace.sites:
        arrays |= {f"site_{field}": np.array([getattr(site, field) for site in trace.sites]) for field in SITE_FIELDS}
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, version=(1, 0), allow_pickle=False)


def _optional(
    archive: zipfile.ZipFile, field: str, name: str, most: int = MAX_ACCESSES, *, texts: str = ""
) -> NDArray[np.generic] | None:
    return _array(archive, field, name, most, texts=texts) if f"{field}.npy" in archive.namelist() else None


def _array(
    archive: zipfile.ZipFile, field: str, name: str, most: int = MAX_ACCESSES, *, texts: str = ""
) -> NDArray[np.generic]:
    """One array of integers, or short texts; its header is looked at before any room is made for it."""
    if f"{field}.npy" not in archive.namelist():
        raise _wrong(name, f"array '{field}' is missing")
    member = archive.getinfo(f"{field}.npy")
    if member.flag_bits & _ENCRYPTED:
        raise _wrong(name, f"array '{field}' is encrypted")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _wrong(name, f"array '{field}' is compressed by another method than deflate")
    with _refusing(name, *_BROKEN_MEMBER), archive.open(member) as stream:
        if npy.read_magic(stream) != (1, 0):
            raise _wrong(name, f"array '{field}' is not in version 1.0 of the format")
        shape, _, dtype = npy.read_array_header_1_0(stream)
        if len(shape) != 1 or dtype.kind not in "iub" + texts or dtype.itemsize > _LONGEST:
            raise _wrong(name, f"array '{field}' is not a row of {'short texts or ' if texts else ''}integers")
        if shape[0] > most:
            raise Reporter().fail("ACC805", name=name, what=f"{shape[0]} elements in '{field}'", limit=most)
        array = np.empty(shape, dtype)
        if not _fills(stream, array.view(np.uint8).data):
            raise _wrong(name, f"array '{field}' does not have the {shape[0]} elements it announces")
    characters = (
        array.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder)) if dtype.kind == "U" and array.nbytes else ()
    )
    if np.max(characters, initial=0) > sys.maxunicode:
        raise _wrong(name, f"array '{field}' has characters that do not exist")
    return array


@contextmanager
def _refusing(name: str, *errors: type[Exception]) -> Iterator[None]:
    """What the libraries raise for a file that is damaged, as a diagnostic."""
    try:
        yield
    except errors as error:
        raise _wrong(name, str(error) or type(error).__name__) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise _wrong(name, "its directory points in front of the file") from error


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


def _check_more(field: str, column: NDArray[np.generic], count: int, largest: int, *, name: str) -> None:
    """Check a column that may be missing: whole numbers from 0 on, as many as there are accesses."""
    if len(column) != count:
        raise _wrong(name, f"its arrays have different lengths: {', '.join(map(str, sorted({len(column), count})))}")
    for extreme in (column.min(), column.max()) if count else ():
        if not 0 <= int(extreme) <= largest:
            raise _wrong(name, f"{field} is {extreme}, not 0 to {largest}")


def _sites(given: dict[str, list[Any]], name: str) -> tuple[Site, ...]:
    """What the archive tells of sites; arrays that are missing leave their defaults."""
    if len({len(values) for values in given.values()}) > 1:
        raise _wrong(name, "its arrays about sites have different lengths")
    sites = []
    for values in zip(*given.values(), strict=True):
        known = dict(zip(given, values, strict=True))
        for field, value in known.items():
            if not (type(value) is int and value >= 0 if field == "line" else _is_text(value)):
                raise _wrong(name, f"array 'site_{field}' has {value!r} in it")
        site = Site(**known)
        if site.policy not in POLICIES:
            raise _wrong(name, f"'{site.policy}' is none of the policies {', '.join(POLICIES)}")
        sites.append(site)
    return tuple(sites)


def _is_text(value: object) -> bool:
    """Whether a value is text that can be shown."""
    return isinstance(value, str) and value.isprintable()


def _as_words(column: NDArray[np.generic] | None) -> NDArray[np.uint32] | None:
    return None if column is None else column.astype(np.uint32, copy=False)


def _wrong(name: str, reason: str) -> CompileError:
    return Reporter().fail("ACC806", name=name, reason=reason)
