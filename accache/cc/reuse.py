"""Give back the result of a call of the compiler driver that was made before, if nothing it depends on has changed.

This is what ccache calls the direct mode: the files that the preprocessor read last time are compared by their
contents, and nothing is preprocessed. Making an object again costs a compiler's time, and importing accache alone
costs more than the comparison: so this module, which comes first, needs only the standard library's quickest modules.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_ROOTS = (_PACKAGE, os.path.join(os.path.dirname(_PACKAGE), "templates"))
_TOOLS = ("cc", "gcc", "g++", "ld", "objcopy", "readelf", "as", "nvcc")
_NOT_ALONE = re.compile(  # what reads or writes more than the source, its headers, the object and its dependencies
    r"@.*|-|-E|-S|-M|-MM|-MG|-fsyntax-only|-x.*|-v|-###|-Wp,.*|-save-temps.*|-dump.*|-aux-info|-wrapper|-time.*|--coverage"
    r"|-f(profile|test-coverage|dump|plugin|lto|callgraph-info|stack-usage|opt-info|save-opt).*|-gsplit-dwarf|-ftime-.*"
    r"|--accache-(keep|no-cache|launch)|--(?!accache-|target|check|param|std=).*"  # long names of gcc's options
    r"|-specs=.*|-B.*|-iprefix.*|-iwithprefix.*|-isysroot.*|-imultilib.*|-iplugindir.*"
)
_COMPILERS = ("ACCACHE_CC", "CC")
_ENVIRONMENT = re.compile(
    r"PATH|CC|CPATH|C_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|SOURCE_DATE_EPOCH|LANG|LANGUAGE|TERM|NO_COLOR|FORCE_COLOR"
    r"|(LC|GCC|ACCACHE|NVCC|CUDA)_.*"
)
_CHANGING = re.compile(rb"__DATE__|__TIME__|__TIMESTAMP__|__has_include|#\s*embed|\.incbin")
_MARKER = re.compile(rb'# (?<![^\n]# )\d+ "((?:[^"\\]|\\.)*)"')  # a search for its first characters is quick
_INPUT = "/dev/stdin"  # by which the front end hands a file to the preprocessor
_SEARCHED = ("-iquote", "-isystem", "-idirafter", "-I")
_SYSTEM = ("/usr/include/", "/usr/lib/")
_LOCAL = "/usr/local/include"  # gcc searches it before the system's folders
_TICK = 10_000_000  # nanoseconds: the clock of file systems may be so late
_MANY = 4000  # paths that are looked at for headers that would be found first
_LIMIT = 16 << 20  # bytes of the entries of one folder, of sixteen
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_File = tuple[str, os.stat_result]


def reused(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether the results of the same call were written from what is kept, and its messages repeated."""
    if not is_alone(words, environment):
        return False
    place = _place(words, environment)
    kept = _read(place)
    if kept is None:
        return False
    record, outputs = kept
    if any(_digest(path) != digest for path, digest in record["inputs"]) or any(map(os.path.lexists, record["absent"])):
        return False
    if any(os.path.lexists(path) and not os.path.isfile(path) for path in record["outputs"]):
        return False
    try:
        for path, data in zip(record["outputs"], outputs, strict=True):
            _write(path, data)
    except OSError:  # the compiler's way tells of it
        return False
    _note_use(place)
    sys.stderr.write(record["messages"])
    return True


def keep(
    words: Sequence[str],
    environment: Mapping[str, str],
    preprocessed: bytes,
    outputs: Sequence[str],
    *,
    messages: str,
    began: int,
) -> None:
    """Keep what a call has written, with the files that it read: those in the markers of the preprocessor's output.

    What changed since it ``began`` (in nanoseconds since 1970) may have been read before, and is not kept.
    """
    named = frozenset(_MARKER.findall(preprocessed))
    names = {os.fsdecode(name) for name in named}
    inputs = sorted(name for name in names if not (name.startswith("<") and name.endswith(">")) and name != _INPUT)
    sources = {name: _content(name) for name in inputs}
    if not is_alone(words, environment) or b"\\" in b"".join(named) or None in sources.values():
        return
    if any(_CHANGING.search(text or b"") for name, text in sources.items() if not name.startswith(_SYSTEM)):
        return
    if any(os.stat(name).st_ctime_ns > began - _TICK for name in inputs):
        return
    absent = _earlier(inputs, words, environment)
    data = [_content(path) for path in outputs]
    if absent is None or None in data:
        return
    record = {
        "inputs": [(name, _hash(text or b"")) for name, text in sources.items()],
        "absent": absent,
        "outputs": list(outputs),
        "sizes": [len(part or b"") for part in data],
        "messages": messages,
    }
    head = json.dumps(record).encode("utf-8", "surrogateescape")
    payload = b"".join((len(head).to_bytes(8, "little"), head, *(part or b"" for part in data)))
    write_kept(_place(words, environment), lambda: hashlib.sha256(payload).digest() + payload)


def is_alone(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a call makes one object file of one C file, and nothing else that matters."""
    files = [word for word in words if word.endswith(".c") and not word.startswith("-")]
    if len(files) != 1 or "-c" not in words or environment.get("ACCACHE_NO_CACHE", "0") not in ("", "0"):
        return False
    try:
        os.getcwd()
    except OSError:  # it is gone
        return False
    unusual = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")
    if any(name in environment for name in unusual) or any(map(_NOT_ALONE.fullmatch, words)):
        return False
    quoted = any(mark in environment.get(name, "") for name in _COMPILERS for mark in "'\"\\")
    return not quoted and not any(_CHANGING.search(os.fsencode(word)) for word in words)  # such as -DWHEN=__TIME__


def _place(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """The file that keeps a call: its name tells the call, where and by whom it is made, and the tools' states."""
    digest = hashlib.sha256()
    shown = sorted((name, value) for name, value in environment.items() if _ENVIRONMENT.fullmatch(name))
    parts = [os.getcwd(), str(os.isatty(2)), *words, "", *(f"{name}={value}" for name, value in shown)]
    for part in (*parts, "", *map(_state, _found(_tools(environment))), own_state()):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    name = digest.hexdigest()
    return os.path.join(kept_folder(environment), "calls", name[0], name[1:])


def kept_folder(environment: Mapping[str, str]) -> str:
    """The folder of ``store.cache_folder``, without the modules that that needs."""
    named, base = environment.get("ACCACHE_CACHE_DIR"), environment.get("XDG_CACHE_HOME")
    return named or os.path.join(base or os.path.expanduser("~/.cache"), "accache")


def _tools(environment: Mapping[str, str]) -> Iterator[str]:
    """The programs that a call may run, as far as they are found; a compiler's command may have launchers in front."""
    named = [word for name in _COMPILERS for word in environment.get(name, "").split()]
    for tool in dict.fromkeys((*_TOOLS, *named)):
        for directory in [""] if "/" in tool else environment.get("PATH", "").split(os.pathsep):
            path = os.path.join(directory, tool)
            if os.path.isfile(path):
                yield os.path.realpath(path)
                break


@cache
def own_state() -> str:
    """A name for this very accache: its files, their sizes and times."""
    return _hash("\0".join(map(_state, _own_files())).encode("utf-8", "surrogateescape"))


def exact_state() -> str:
    """A name for accache as this call found it: also by the times of its files' last changes of any kind."""
    return _exact(_own_files())


def present_state() -> str:
    """The same as it is by now."""
    return _exact(_own_files.__wrapped__())


def _exact(files: Iterable[_File]) -> str:
    texts = (f"{_state(file)} {file[1].st_ctime_ns}" for file in files)
    found = _hash("\0".join(texts).encode("utf-8", "surrogateescape"))
    return f"{found} {sys.hexversion:x} {sys.flags.optimize}"


@cache
def _own_files() -> tuple[_File, ...]:
    """The files of accache, each once, whatever links lead there."""
    pending, seen, found = list(_ROOTS), set(), list[str]()
    while pending:
        place = pending.pop()
        try:
            folder, entries = os.stat(place), sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        if (folder.st_dev, folder.st_ino) not in seen:
            seen.add((folder.st_dev, folder.st_ino))
            pending += [entry.path for entry in entries if entry.is_dir() and entry.name != "__pycache__"]
            found += [entry.path for entry in entries if not entry.is_dir()]
    return tuple(_found(found))


def _state(file: _File) -> str:
    path, found = file
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _found(paths: Iterable[str]) -> Iterator[_File]:
    """What is known of files, but for those that have just gone, and links that lead nowhere, as editors make them."""
    for path in paths:
        try:
            yield path, os.stat(path)
        except OSError:
            continue


def _earlier(inputs: Sequence[str], words: Sequence[str], environment: Mapping[str, str]) -> list[str] | None:
    """Files that are not there, and would be included in the place of those that are; None if they are too many."""
    own = (os.path.dirname(name) for name in inputs if not name.startswith(_SYSTEM))
    directories = dict.fromkeys(("", *_searched(words, environment), *own, _LOCAL))  # -include looks here first
    found: set[str] = set()
    for name in inputs:
        parts = name.split("/")
        tails = {"/".join(parts[-count:]) for count in range(1, min(len(parts), 4))}
        tails |= {name[len(place) + 1 :] for place in directories if place and name.startswith(place + "/")}
        found |= {os.path.join(place, tail) for place in directories for tail in tails}
    missing = sorted(path for path in found if not os.path.lexists(path))
    return missing if len(found) <= _MANY else None


def _searched(words: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """The directories that a call searches before those of the system."""
    for index, word in enumerate(words):
        option = next((option for option in _SEARCHED if word.startswith(option)), None)
        if option is not None:
            value = word[len(option) :] or "".join(words[index + 1 : index + 2])
            yield value.rstrip("/") or "/"
    for name in ("CPATH", "C_INCLUDE_PATH"):
        yield from filter(None, environment.get(name, "").split(os.pathsep))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(path: str) -> str:
    data = _content(path)
    return "" if data is None else _hash(data)


def _read(path: str) -> tuple[dict[str, Any], list[bytes]] | None:
    """What was kept in a file; None if nothing was, if it is damaged, or if somebody else may have written it."""
    try:
        with os.fdopen(open_kept(path), "rb") as stream:
            data = stream.read()
    except OSError:
        return None
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        return None
    end = 40 + int.from_bytes(data[32:40], "little")
    record = json.loads(data[40:end].decode("utf-8", "surrogateescape"))
    outputs = []
    for size in record["sizes"]:
        outputs.append(data[end : end + size])
        end += size
    return record, outputs


def open_kept(path: str) -> int:
    """A descriptor of what was kept in a file; OSError if nothing was, or if somebody else may have written it."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if _is_own(os.fstat(handle)) and all(map(_is_own_folder, _folders(path))):
        return handle
    os.close(handle)
    raise PermissionError(path)


def _is_own(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & _WRITABLE


def _is_own_folder(path: str) -> bool:
    return _is_own(os.stat(path))


def _folders(path: str) -> tuple[str, str, str]:
    """The folders of an entry, from the user's own cache on."""
    shard = os.path.dirname(path)
    calls = os.path.dirname(shard)
    return os.path.dirname(calls), calls, shard


def _note_use(path: str) -> None:
    """Let an entry be the newest; in a cache that cannot be written, or where it has just gone, it is not."""
    try:
        os.utime(path)
    except OSError:
        return


def _write(path: str, data: bytes) -> None:
    """Put a result in its place, at once."""
    path = os.path.realpath(path)
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666
    _replace(path, data, mode)


def _replace(path: str, data: bytes, mode: int) -> None:
    """Write a file beside another one, and let it take its place; nothing is left of it where that fails."""
    name = f"{path}.{os.getpid()}"
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_kept(path: str, made: Callable[[], bytes], limit: int = _LIMIT) -> None:
    """Keep what is ``made`` in a file that only the user can write; other folders keep nothing, and nothing is made."""
    folders = _folders(path)
    try:
        os.makedirs(os.path.dirname(folders[0]) or ".", exist_ok=True)
        for folder in folders:
            if not os.path.isdir(folder):
                os.mkdir(folder, 0o700)
        if all(map(_is_own_folder, folders)) and os.access(folders[-1], os.W_OK):
            _replace(path, made(), 0o600)
            _drop_oldest(folders[-1], limit)
    except OSError:
        return


def _drop_oldest(folder: str, limit: int) -> None:
    """Bring a folder of entries back below its limit; what was not used for longest goes first."""
    entries = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(folder))
    total = sum(size for _, size, _ in entries)
    for _, size, path in entries[:-1]:
        if total <= limit:
            break
        os.unlink(path)
        total -= size
