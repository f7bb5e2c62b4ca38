"""A program with many versions of its kernels, of which an environment variable chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from golden.emissions import split_device
from mutate.trial import CHOICE, STUB, dispatcher

from accache.base.options import Options
from accache.cpu.build import Program
from accache.driver import Translation, translate
from accache.workflows.building import build_translation
from planted.emitted import Fault

HERE = Path(__file__).resolve().parent
OPTIONS = {
    "stencil": Options(tune="off", coarsen="off"),
    "matrix": Options(tune="off", coarsen="off"),
    "coarse": Options(coarsen="4x2", wide="on"),
    "sparse": Options(tune="off", coarsen="off", method="rbc", write="back"),
}
"""The programs whose kernels get faults, and how they are translated."""


def translation_of(program: str) -> Translation:
    """A program translated."""
    return translate(str(HERE / f"{program}.c"), OPTIONS[program])


def build_versions(translation: Translation, options: Options, faults: Sequence[Fault], folder: Path) -> Program:
    """A checked program with the kernels as they are, version 0, and with each fault in turn."""
    before, kernels, behind = split_device(translation.device)
    texts = [kernels, *(fault.apply(kernels) for fault in faults)]
    local = (STUB.sub(r"static \1", text) for text in texts)
    spaces = [f"namespace version_{number} {{\n{text}\n}}\n" for number, text in enumerate(local)]
    stubs = [dispatcher(*match.groups(), len(texts)) for match in STUB.finditer(kernels)]
    assert translation.sequentially is not None
    whole = translation_with(translation, "\n".join([before, *spaces, *stubs, behind]))
    sequential = translation.sequentially().host
    return build_translation(whole, options, folder, check=True, sequential=sequential).program


def translation_with(translation: Translation, device: str) -> Translation:
    """A translation with another device text."""
    return Translation(
        translation.host, device, translation.joining, translation.explained, translation.diagnostics, translation.path
    )


__all__ = ["CHOICE", "OPTIONS", "build_versions", "translation_of"]
