"""The forms of kernels that a measurement chose: whether there is one for each kernel, and whether it still exists."""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.tuning import tuning_path
from accache.caching.cached import CachedKernel


def check_choices(cached: CachedKernel, options: Options, path: str, reporter: Reporter) -> None:
    """Report a kernel of several forms that was not measured, and one whose measured form there is no more."""
    if options.tune != "measure" or len(cached.candidates) < 2:
        return
    kernel = cached.kernel
    chosen = dict(options.choices).get(kernel.name)
    if chosen is None:
        reporter.report("ACC430", kernel.region.location, what=f"not kernel '{kernel.name}'", name=tuning_path(path))
    elif all(item.name != chosen for item in cached.candidates):
        reporter.report("ACC432", kernel.region.location, kernel=kernel.name, form=chosen)
