"""Variables of the file that routines use on the device: the pointers to their copies, and who sets these."""

from __future__ import annotations

import re
from pathlib import PurePath

from accache.base.text import SourceFile
from accache.emit import templates
from accache.emit.expressions import ExpressionPrinter
from accache.emit.sections import quoted
from accache.ir.openacc.routines import Resident
from accache.ir.types import Array, resolve

_NO_NAME = re.compile(r"\W")


def print_resident(item: Resident, source: SourceFile) -> str:
    """The pointer on the device, and the function that sets it."""
    declared = ExpressionPrinter({}).declare(item.pointer, item.symbol)
    place = _place(item, source)
    return templates.render(
        "cuda/resident.cu.jinja", name=item.variable, symbol=item.symbol, declared=declared, place=place
    )


def place_prototype(item: Resident, source: SourceFile) -> str:
    """The declaration of that function for host code."""
    return f"int {_place(item, source)}(const void *address, void *queue);"


def placing(item: Resident, source: SourceFile) -> str:
    """The statement that tells the run-time library of the variable, when the program starts."""
    plain = resolve(item.type)
    size = "1" if isinstance(plain, Array) and plain.length is None else f"sizeof {item.variable}"
    where = f"{quoted(item.location.file)}, {item.location.line}"
    values = f"(const void *)&{item.variable}, {size}, {quoted(item.variable)}, {int(item.is_pointer)}"
    return f"accache_resident({values}, {_place(item, source)}, {where});"


def _place(item: Resident, source: SourceFile) -> str:
    """The name of that function: the file's is in it, since each file has such a pointer."""
    return f"place_{item.symbol}_of_{_NO_NAME.sub('_', PurePath(source.title).stem)}"
