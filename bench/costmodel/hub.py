"""Run times of tuned kernels as benchmark_hub (github.com/AutoTuningAssociation/benchmark_hub) publishes them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

GPUS = ("a100", "a4000", "a6000")


@dataclass(frozen=True)
class Timed:
    """A configuration of a kernel: the values of its parameters by their names, and the milliseconds that it took."""

    values: Mapping[str, int]
    milliseconds: float


class _Cache(msgspec.Struct):
    """What is read of a file of Kernel Tuner's."""

    tune_params_keys: list[str]
    cache: dict[str, dict[str, object]]


def timed(hub: Path, kernel: str, gpu: str) -> tuple[Timed, ...]:
    """The configurations of a kernel that ran on a GPU, in the file's order; those that failed have no time.

    :raises OSError: there is no such file under ``hub``, the user's copy.
    :raises msgspec.MsgspecError: the file is not of Kernel Tuner's form.
    """
    path = hub / "cachefiles" / f"{kernel}_milo" / f"{gpu.upper()}.json.gz"
    with gzip.open(path) as file:
        found = msgspec.json.decode(file.read(), type=_Cache)
    return tuple(
        Timed({name: msgspec.convert(entry[name], int) for name in found.tune_params_keys}, time)
        for entry in found.cache.values()
        if isinstance(time := entry["time"], float)
    )
