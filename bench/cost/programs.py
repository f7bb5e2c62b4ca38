"""What is measured: the samples, the kernels of bench/kernels, and their hand-written peers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "bench" / "kernels"
PEERS = ROOT / "bench" / "peers"


@dataclass(frozen=True)
class Program:
    """A program in C with OpenACC, how it is called, and the work that it does.

    ``units`` is how many units of work (such as ``a tap``) its launches do together; 0 if the program prints that
    itself. ``flags`` are those of the C compiler.
    """

    name: str
    path: Path
    arguments: tuple[str, ...] = ()
    units: int = 0
    unit: str = "element"
    flags: tuple[str, ...] = ()

    @property
    def peer(self) -> Path | None:
        """The hand-written CUDA C++ that does the same work, if there is one; it is called in the same way."""
        path = PEERS / f"{self.name}.cu"
        return path if path.exists() else None

    @property
    def is_sample(self) -> bool:
        """Whether this is one of the samples."""
        return self.path.parent.name == "samples"


def _sample(name: str, arguments: tuple[int, ...], units: int, unit: str, *, radius: int | None = None) -> Program:
    called, flags = (name, ()) if radius is None else (f"{name}{radius}", (f"-DRADIUS={radius}",))
    return Program(called, ROOT / "samples" / f"{name}.c", tuple(map(str, arguments)), units, unit, flags)


SAMPLES = (
    _sample("stencil", (65538, 1), 65536, "output"),
    _sample("stencil", (65596, 1), 65536 * 61, "tap", radius=30),
    _sample("jacobi", (514, 514, 1), 512 * 512, "point"),
    _sample("gemm", (512,), 512**3, "product"),
    _sample("nbody", (1024, 1), 1024 * 1024, "interaction"),
    _sample("strided", (65536,), 65536, "output"),
    _sample("lookup", (32768,), 32768, "output"),
    _sample("transpose", (256, 256), 256 * 256, "element"),
    _sample("histogram", (65536,), 65536, "item"),
    _sample("write_dense", (8194, 16), 8192 * 16, "round"),
    _sample("write_sparse", (8194, 128), 8192 * 128, "round"),
)


def all_programs() -> tuple[Program, ...]:
    """The samples, then the kernels by name."""
    return (*SAMPLES, *(Program(path.stem, path) for path in sorted(KERNELS.glob("*.c"))))
