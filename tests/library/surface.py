"""The surface of the library as text: names, arguments, fields. As a program, it writes the file that is compared."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Iterator
from pathlib import Path

import msgspec

import accache
from accache.library.inputs import RunOptions, TranslationOptions
from accache.library.modelling import ModelOptions

FILE = Path(__file__).with_suffix(".txt")
_OPTIONS = (TranslationOptions, RunOptions, ModelOptions)


def surface() -> str:
    """A paragraph for each name, in their order."""
    names = {name: getattr(accache, name) for name in accache.__all__ if name != "__version__"}
    parts = [_described(name, value) for name, value in names.items()]
    parts += [f"{each.__name__}\n" + "".join(f"    {field}\n" for field in each.__annotations__) for each in _OPTIONS]
    return "\n".join(parts)


def _described(name: str, value: object) -> str:
    if inspect.isfunction(value):
        return f"{name}{inspect.signature(value)}\n"
    assert isinstance(value, type)
    return f"{name}\n" + "".join(f"    {member}\n" for member in _members(value))


def _members(found: type) -> Iterator[str]:
    """Fields, properties and methods that have no underscore, also those that it inherits from accache."""
    if issubclass(found, enum.Enum):
        yield from (item.name for item in found)
    if issubclass(found, msgspec.Struct):
        yield from (field for field in found.__struct_fields__ if not field.startswith("_"))
    if dataclasses.is_dataclass(found):
        yield from (field.name for field in dataclasses.fields(found))
    own = {
        key: item for each in found.__mro__ if each.__module__.startswith("accache") for key, item in vars(each).items()
    }
    for key, item in sorted(own.items()):
        if not key.startswith("_") and inspect.isfunction(item):
            yield f"{key}{inspect.signature(item)}"
        elif not key.startswith("_") and isinstance(item, property):
            yield key


if __name__ == "__main__":
    FILE.write_text(surface())
