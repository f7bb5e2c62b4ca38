"""Makes host C compile as C++ with the same meaning: casts, spellings, renames and linkage; the rest is refused.

nvcc reads a .cu as C++. Everything here was tried with ``nvcc -c`` and ``g++ -std=c++17``: what both
accept with the same meaning is left alone, what needs a few characters gets them, what has no C++ form
is an error that names the construct.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.base.diagnostics import Reporter
from accache.base.text import Edit, Location, Span
from accache.cplusplus.blocks import refuse_hidden_calls, with_blocks
from accache.cplusplus.initialisers import Initialisers
from accache.cplusplus.names import RESPELLED, choose_renames, edit_names
from accache.cplusplus.output import Edits
from accache.cplusplus.typeof import check_deduced_types
from accache.cplusplus.walk import Walker
from accache.frontend.source.alignment import Unit
from accache.frontend.source.preprocess import Preprocessed


class HostEdits(Struct, frozen=True):
    """The edits on a C file that make it C++, and the new names that they give: what else is put there follows.

    ``words`` are C's in headers of the program, with what C++ has in their place; ``forgotten`` are the functions of
    the C library that nothing declares, with the place of their first calls.
    """

    edits: tuple[Edit, ...]
    renames: Mapping[str, str]
    words: Mapping[str, str]
    forgotten: Mapping[str, Location]


def cplusplus_edits(unit: Unit, preprocessed: Preprocessed, skip: tuple[Span, ...], reporter: Reporter) -> HostEdits:
    """The edits on the raw C file of a unit that make it C++17 with the same meaning.

    ``skip`` are raw spans that are replaced anyway: nothing is edited or refused there. Function
    bodies that pycparser cannot read are left alone. What has no C++ form is reported (ACC501 to
    ACC528).
    """
    tree, problems = unit.tree
    unit, blocks = with_blocks(unit, tree, preprocessed)
    edits = Edits(unit.source, unit, skip, reporter)
    for index, reason in problems:
        if "missing type in declaration" in reason:
            edits.refuse("ACC516", index, name=unit.tokens[index])
    renames = choose_renames(unit, preprocessed, tree, edits)
    edit_names(unit, preprocessed, renames, edits)
    check_deduced_types(unit, tree, edits)
    refuse_hidden_calls(unit, preprocessed, edits)
    if tree is not None:
        Walker(unit, edits, Initialisers(edits, renames), blocks).file(tree)
    return HostEdits(edits.sorted(), renames, {word: RESPELLED[word] for word in sorted(edits.words)}, edits.forgotten)
