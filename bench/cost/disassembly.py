"""The SASS that ptxas makes of a PTX text, each instruction with the line of PTX that it was made from."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SECTION = re.compile(r"^\s*\.section\s+\.text\.(?P<name>[^,\s]+)")
_LABEL = re.compile(r"^(?P<name>[.$\w]+):")
_LINE = re.compile(r'^\s*//## File "\.nv_debug_ptx_txt", line (?P<line>\d+)')
_CODE = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>[^;]+);")
_OPCODE = re.compile(r"^(?:@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9]*)")
_TARGET = re.compile(r"`\((?P<name>[.$\w]+)\)")
_ENDS = ("BRA", "EXIT", "RET", "BRX", "CALL")


@dataclass(frozen=True)
class Sass:
    """One machine instruction of a kernel: the line of PTX it belongs to (0: none), its opcode, and its text."""

    kernel: str
    line: int
    opcode: str
    text: str


def disassemble(cubin: Path, tool: Path) -> tuple[Sass, ...]:
    """The instructions of the fast paths in a cubin that was compiled with ``-lineinfo``."""
    done = subprocess.run([tool, "-gp", "-c", str(cubin)], check=True, capture_output=True, text=True)
    return tuple(fast_path(done.stdout))


def fast_path(text: str) -> Iterator[Sass]:
    """The instructions of nvdisasm's text, but for blocks that call a slow path, these paths, and padding."""
    kernel, line, is_slow, name = "", 0, False, ""
    block: list[Sass] = []
    for row in text.splitlines():
        if section := _SECTION.match(row):
            yield from _kept(block, name)
            kernel, line, block, is_slow, name = section["name"], 0, [], False, ""
        elif label := _LABEL.match(row):
            yield from _kept(block, name)
            block, name = [], label["name"]
            is_slow = is_slow or name.startswith("$__internal")
        elif place := _LINE.match(row):
            line = int(place["line"])
        elif (code := _CODE.match(row)) and not is_slow:
            opcode = _OPCODE.match(code["text"].strip())
            block.append(Sass(kernel, line, opcode["name"] if opcode else "", code["text"].strip()))
            if block[-1].opcode in _ENDS and block[-1].opcode != "CALL":
                yield from _kept(block, name)
                block, name = [], ""
    yield from _kept(block, name)


def loops(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The loops of nvdisasm's text, each with its kernel and the opcodes from its label to the branch back."""
    kernel, opcodes = "", list[str]()
    places: dict[str, int] = {}
    for row in text.splitlines():
        if section := _SECTION.match(row):
            kernel, opcodes, places = section["name"], [], {}
        elif label := _LABEL.match(row):
            places[label["name"]] = len(opcodes)
        elif code := _CODE.match(row):
            opcode = _OPCODE.match(code["text"].strip())
            opcodes.append(opcode["name"] if opcode else "")
            target = _TARGET.search(code["text"])
            if opcodes[-1] == "BRA" and target and target["name"] in places:
                yield kernel, tuple(opcodes[places[target["name"]] :])


def _kept(block: list[Sass], label: str) -> list[Sass]:
    """A basic block without padding; nothing of one that calls a slow path, nor of the endless loop behind the code."""
    if any(sass.opcode == "CALL" and "$__internal" in sass.text for sass in block):
        return []
    if label and len(block) == 1 and block[0].text.endswith(f"`({label})"):
        return []
    return [sass for sass in block if sass.opcode != "NOP"]
