"""Whether the planner's estimates put the forms of a kernel in the order that counting does: ``--ranks``.

Of each kernel those forms are counted that can differ most: the one that is emitted, the one without tiles and with one
iteration a thread, the best with tiles, and the first, the middle and the last of those with several iterations.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from scipy.stats import spearmanr

from accache.driver import translate
from accache.report.records import CandidateReport
from cost.chips import Chip
from cost.clocks import limits
from cost.launches import Variant, options_of
from cost.measure import Counts, measure_variant
from cost.programs import Program

MOST = 6
PLAIN = "plain"
LEAST_CORRELATION = 0.9
MOST_LOSS = 1.03
"""The part of the clocks of the form without tiles that the one that is emitted may take."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program, and the forms of it that the planner tried, the quickest first."""

    program: Program
    name: str
    candidates: tuple[CandidateReport, ...]


@dataclass(frozen=True)
class Ranked:
    """The clocks of a kernel's forms: those estimated of a warp's iteration, and those counted of its launches.

    Forms are left out that launches of this size do not take.
    """

    kernel: Kernel
    estimated: Mapping[str, float]
    counted: Mapping[str, float]

    @property
    def correlation(self) -> float | None:
        """Spearman's rank correlation of clocks to two digits; None where forms are too few or all the same."""
        estimated = [_to_two_digits(self.estimated[name]) for name in self.counted]
        counted = [_to_two_digits(clocks) for clocks in self.counted.values()]
        if len(set(estimated)) < 2 or len(set(counted)) < 2:
            return None
        return float(spearmanr(estimated, counted)[0])

    @property
    def loss(self) -> float | None:
        """The clocks of the emitted form for one of the form without tiles; None where one of them was not launched."""
        emitted = next(form.name for form in self.kernel.candidates if form.chosen)
        known = {emitted, PLAIN} <= set(self.counted)
        return self.counted[emitted] / self.counted[PLAIN] if known and self.counted[PLAIN] else None

    def __str__(self) -> str:
        correlation, loss = (f"{number:.2f}" if number is not None else "-" for number in (self.correlation, self.loss))
        parts = [f"{self.kernel.program.name:<20}{self.kernel.name:<28}{correlation:>6}{loss:>7}"]
        for name, clocks in sorted(self.counted.items(), key=lambda pair: pair[1]):
            parts.append(f"{'':<20}  {clocks:>12.0f}{self.estimated[name]:>11.2f}  {name}")
        return "\n".join(parts)


def _to_two_digits(clocks: float) -> float:
    return float(f"{clocks:.2g}")


HEAD = f"{'program':<20}{'kernel':<28}{'rank':>6}{'/plain':>7}\n{'':<20}  {'counted':>12}{'estimated':>11}  form"


def kernels_of(program: Program) -> tuple[Kernel, ...]:
    """The kernels of a program of which the planner tried several forms."""
    report = translate(str(program.path), options_of(program)).report
    return tuple(Kernel(program, item.name, item.candidates) for item in report.kernels if len(item.candidates) > 1)


def chosen_forms(forms: Sequence[CandidateReport]) -> tuple[CandidateReport, ...]:
    """The forms to count, of those that launches can take; ``forms`` are the quickest first."""
    several = [form for form in forms if form.iterations and "blocks" not in form.refused]
    picked = [
        *(form for form in forms if form.chosen),
        *(form for form in forms if form.name == PLAIN),
        *[form for form in forms if form.subarrays][:1],
        *several[:1],
        *several[len(several) // 2 :][:1],
        *several[-1:],
    ]
    return tuple({form.name: form for form in picked}.values())[:MOST]


def clocks_of(kernel: Kernel, form: str, chip: Chip, weights: Mapping[str, float]) -> float | None:
    """The clocks of a kernel's launches in one form; None where a launch takes another form at this size."""
    options = replace(options_of(kernel.program), choices=((kernel.name, form),))
    translation = translate(str(kernel.program.path), options)
    path, arguments = kernel.program.path, kernel.program.arguments
    chosen = Variant(path, translation.device, translation.host, arguments, options)
    with tempfile.TemporaryDirectory(prefix="accache-cost-") as folder:
        launches = measure_variant(chosen, Path(folder)).launches
    own = list(_of_kernel(launches, kernel.name))
    mangled = f"{len(kernel.name)}{kernel.name}"
    if not own or any(mangled not in launch.kernel for launch in own):
        return None
    return sum(max(limits(launch, chip, weights).values()) for launch in own)


def _of_kernel(launches: Sequence[Counts], name: str) -> Iterator[Counts]:
    """The launches of a kernel in all its forms, whose names in C++ begin with its own."""
    pattern = re.compile(rf"\d{re.escape(name)}(?!_\d)")
    return (launch for launch in launches if pattern.search(launch.kernel))


def ranked(kernel: Kernel, chip: Chip, weights: Mapping[str, float]) -> Ranked:
    """Count a kernel's forms."""
    forms = chosen_forms(kernel.candidates)
    counted = {form.name: clocks_of(kernel, form.name, chip, weights) for form in forms}
    launched = {name: clocks for name, clocks in counted.items() if clocks is not None}
    return Ranked(kernel, {form.name: form.clocks for form in forms}, launched)


def summary(found: Sequence[Ranked]) -> Iterator[str]:
    """What all kernels together say, and those that miss what is asked for."""
    known = [each.correlation for each in found if each.correlation is not None]
    losses = [each.loss for each in found if each.loss is not None]
    if known:
        low = sum(each < LEAST_CORRELATION for each in known)
        mean = sum(known) / len(known)
        yield f"rank correlation: {mean:.2f} in the mean of {len(known)} kernels, below {LEAST_CORRELATION} in {low}"
    if losses:
        above = [each for each in losses if each > MOST_LOSS]
        yield f"emitted / plain: at most {max(losses):.2f}, above {MOST_LOSS} in {len(above)} of {len(losses)} kernels"
