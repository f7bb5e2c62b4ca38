"""Host code that uses a routine with ``nohost``, which leaves it no host version (OpenACC 3.3, section 2.15.1).

The definition stays in the host's text, for constructs that an ``if`` clause may leave to the host: these are compute
constructs all the same, where such a routine may be called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.base.text import Location


def refuse_host_uses(
    tree: Any,
    names: Collection[str],
    built: Mapping[int, object],
    location: Callable[[Any], Location],
    *,
    reporter: Reporter,
) -> None:
    """Report where a file uses functions of these names outside of its compute constructs and of these functions.

    ``built`` has the compute constructs by the addresses of their pragmas, as numbers.
    """
    if not names:
        return
    for item in tree.ext:
        own = item.decl.name if isinstance(item, c_ast.FuncDef) else ""
        if own in names:
            continue
        hidden = {node.name for node in _below(item) if isinstance(node, c_ast.Decl) and not _is_function(node)}
        for node in _host_nodes(item, built):
            if isinstance(node, c_ast.ID) and node.name in names and node.name not in hidden:
                reporter.report("ACC358", location(node), name=node.name)


def _host_nodes(node: Any, built: Mapping[int, object]) -> Iterator[Any]:
    """The nodes below one that the host executes; the names of members are left out, which mean no function."""
    yield node
    if isinstance(node, c_ast.StructRef):
        children = [node.name]
    elif isinstance(node, c_ast.NamedInitializer):
        children = [node.expr]
    else:
        children = _without_constructs([child for _, child in node.children()], built)
    for child in children:
        yield from _host_nodes(child, built)


def _without_constructs(nodes: Sequence[Any], built: Mapping[int, object]) -> list[Any]:
    """The statements of a block, without those of compute constructs."""
    found, is_construct = [], False
    for node in nodes:
        if isinstance(node, c_ast.Pragma):
            is_construct = is_construct or isinstance(built.get(id(node)), int)
        elif is_construct:
            is_construct = False
        else:
            found.append(node)
    return found


def _below(node: Any) -> Iterator[Any]:
    yield node
    for _, child in node.children():
        yield from _below(child)


def _is_function(node: c_ast.Decl) -> bool:
    return isinstance(node.type, c_ast.FuncDecl)
