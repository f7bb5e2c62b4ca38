"""PTX and SASS as people read them: the lines of some kernels, each with the line of source it was made from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from accache.ptx.text.names import kernel_name

_ENTRY = re.compile(r"^(?:\.visible )?\.entry (?P<name>[\w$]+)")
_FILE = re.compile(r'^\s*\.file\s+(?P<number>\d+) "(?P<name>[^"]*)"', re.M)
_PLACE = re.compile(r"^\s*\.loc\s+(?P<file>\d+) (?P<line>\d+) \d+(?:.*inlined_at (?P<outer>\d+) (?P<outer_line>\d+))?")
_SECTION = re.compile(r"^\s*\.section\s+(?:\.text\.)?(?P<name>[^,\s]+)")
_SASS_PLACE = re.compile(r'^\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)')
_SASS_CODE = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>[^;]+;)")
_SASS_LABEL = re.compile(r"^(?P<name>\.L_x_\d+):")


class CodeLine(Struct, frozen=True):
    """A line of PTX or SASS, and the line of the program it was made from; 0 for none."""

    text: str
    source: int


def ptx_lines(text: str, source: str, kernels: Collection[str]) -> Iterator[CodeLine]:
    """The entries of the named kernels in a PTX text; what was inlined belongs to the line that it was inlined at."""
    files = {found["number"]: found["name"] for found in _FILE.finditer(text)}
    is_inside, line = False, 0
    for row in text.splitlines():
        if entry := _ENTRY.match(row):
            is_inside, line = kernel_name(entry["name"]) in kernels, 0
        if not is_inside:
            continue
        if place := _PLACE.match(row):
            number, at = (place["outer"], place["outer_line"]) if place["outer"] else (place["file"], place["line"])
            line = int(at) if _is_file(files.get(number, ""), source) else 0
        elif row.strip():
            is_code = row.startswith("\t") and not row.lstrip().startswith(".")
            yield CodeLine(row.expandtabs(4).rstrip(), line if is_code else 0)
        if row == "}":
            is_inside = False


def sass_lines(text: str, source: str, kernels: Sequence[str]) -> Iterator[CodeLine]:
    """The instructions and labels of the named kernels, in this order, in what nvdisasm prints."""
    found: dict[str, list[CodeLine]] = {name: [] for name in kernels}
    name, line = "", 0
    for row in text.splitlines():
        if section := _SECTION.match(row):
            name, line = kernel_name(section["name"]), 0
            if name in found:
                found[name].append(CodeLine(f"{section['name']}:", 0))
        elif name not in found:
            continue
        elif place := _SASS_PLACE.match(row):
            line = int(place["line"]) if _is_file(place["file"], source) else 0
        elif label := _SASS_LABEL.match(row):
            found[name].append(CodeLine(f"{label['name']}:", 0))
        elif code := _SASS_CODE.match(row):
            found[name].append(CodeLine(f"    {code['text'].rstrip()}", line))
    for lines in found.values():
        yield from lines


def _is_file(found: str, source: str) -> bool:
    return Path(found).name == Path(source).name
