"""Have a run write its launches to a file, and the blocks of all of them to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from accache.cpu.build import Program
from accache.cpu.launches import device_names
from accache.cpu.symbols import captured_symbols

Block = tuple[int, int, int]


def prepare_capture(
    program: Program,
    device_text: str,
    directory: Path,
    launches: int,
    *,
    kernel: str = "",
    is_unordered: Callable[[str], bool] = lambda symbol: False,
) -> tuple[Path, Mapping[str, str]]:
    """The file that a run will write (not before its first launch), and the environment that makes it do so.

    ``program`` was built to capture, from ``device_text``. The first ``launches`` launches are written, of ``kernel``
    alone if that is a name, with or without its namespace and template arguments. Kernels whose symbols
    ``is_unordered`` says yes to run a second time, in another order of threads, for the file alone.
    """
    folder = directory / "captured"
    folder.mkdir()
    symbols = captured_symbols(program.executable, device_names(device_text))
    functions = (line.split()[3] for line in symbols.splitlines() if line.startswith("function "))
    unordered = "".join(f"unordered {name}\n" for name in functions if is_unordered(name))
    (folder / "symbols").write_text(symbols + unordered)
    environment = {
        "ACCACHE_CPU_CAPTURE": str(folder),
        "ACCACHE_CPU_CAPTURE_LAUNCHES": str(launches),
        "ACCACHE_CPU_CAPTURE_KERNEL": kernel,
    }
    return folder / "launches", environment


def launched_blocks(file: Path) -> dict[str, tuple[Block, ...]]:
    """The different blocks with which a run launched each kernel, the first launch's first, by plain names.

    ``file`` is the one of its launches. Launches that were not written, or did not end, count, too.
    """
    blocks = file.with_name("blocks")
    found: dict[str, list[Block]] = {}
    for line in blocks.read_text().splitlines() if blocks.exists() else ():
        x, y, z, name = line.split(" ", 3)
        found.setdefault(name, []).append((int(x), int(y), int(z)))
    return {name: tuple(each) for name, each in found.items()}
