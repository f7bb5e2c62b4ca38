"""accache: OpenACC C with the cache directive in, readable and verified CUDA C out.

The names in ``__all__`` are the library, which docs/api.md describes. They are imported when they are first asked
for: the command line, and a compiler's call whose result is kept, do without them.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes a while to import
if TYPE_CHECKING:
    from accache.base.diagnostics import Change as Change
    from accache.base.diagnostics import CompileError as CompileError
    from accache.base.diagnostics import Diagnostic as Diagnostic
    from accache.base.diagnostics import Error as Error
    from accache.base.diagnostics import FixIt as FixIt
    from accache.base.diagnostics import Severity as Severity
    from accache.base.options import OptionError as OptionError
    from accache.base.text import Location as Location
    from accache.cpu.findings import Counters as Counters
    from accache.cpu.findings import Finding as Finding
    from accache.cpu.findings import KernelCounters as KernelCounters
    from accache.cpu.findings import Party as Party
    from accache.library.messages import render as render
    from accache.library.modelling import Model as Model
    from accache.library.modelling import model as model
    from accache.library.modelling import sweep as sweep
    from accache.library.running import Run as Run
    from accache.library.running import run as run
    from accache.library.schemas import schema as schema
    from accache.library.suggesting import Suggestions as Suggestions
    from accache.library.suggesting import suggest as suggest
    from accache.library.translating import Translation as Translation
    from accache.library.translating import explain as explain
    from accache.library.translating import translate as translate
    from accache.report.text import Report as Report

__version__ = "0.1.0"

_MODULES = {
    "Change": "accache.base.diagnostics",
    "CompileError": "accache.base.diagnostics",
    "Counters": "accache.cpu.findings",
    "Diagnostic": "accache.base.diagnostics",
    "Error": "accache.base.diagnostics",
    "FixIt": "accache.base.diagnostics",
    "Finding": "accache.cpu.findings",
    "KernelCounters": "accache.cpu.findings",
    "Location": "accache.base.text",
    "Model": "accache.library.modelling",
    "OptionError": "accache.base.options",
    "Party": "accache.cpu.findings",
    "Report": "accache.report.text",
    "Run": "accache.library.running",
    "Severity": "accache.base.diagnostics",
    "Suggestions": "accache.library.suggesting",
    "Translation": "accache.library.translating",
    "explain": "accache.library.translating",
    "model": "accache.library.modelling",
    "render": "accache.library.messages",
    "run": "accache.library.running",
    "schema": "accache.library.schemas",
    "suggest": "accache.library.suggesting",
    "sweep": "accache.library.modelling",
    "translate": "accache.library.translating",
}
__all__ = ["__version__", *_MODULES]


if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'accache' has no attribute '{name}'")
        value: object = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
