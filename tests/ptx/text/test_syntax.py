"""PTX to trees and back: the text of what compilers write, single forms, and replaced instructions."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from printer import print_module, spell

from accache.base.text import SourceFile
from accache.ptx.text.lexer import tokens
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Address, Immediate, Instruction, Module, Name, Predicate, Sum, Variable, walk

FOLDER = Path(__file__).parents[1]
ROOT = FOLDER.parents[1]
HEAD = ".version 9.0\n.target sm_90, debug\n.address_size 64\n"
FORMS = (FOLDER / "forms.ptx").read_text()


def module(text: str) -> Module:
    return parse(SourceFile("a.ptx", text))


def body(text: str) -> tuple[Instruction, ...]:
    return module(HEAD + ".entry f()\n{\n" + text + "\n}\n").functions["f"].instructions


def bypassing(load: Instruction) -> Instruction:
    return replace(load, modifiers=(*load.modifiers[:-1], "L1::no_allocate", load.modifiers[-1]))


def words(text: str) -> str:
    """A text without blanks and comments; a negative offset is written with and without a plus."""
    joined = "".join(token.text for token in tokens(SourceFile("a.ptx", text)))
    return re.sub(r"\+?-", "-", joined)


def assert_nothing_is_lost(text: str) -> None:
    tree = module(text)
    assert print_module(tree) == text
    assert words(spell(tree)) == words(text)


def test_forms_of_the_language() -> None:
    assert_nothing_is_lost(FORMS)
    assert_nothing_is_lost(FORMS.replace("\n", "\r\n"))


def test_what_nvcc_writes(language_text: str) -> None:
    assert_nothing_is_lost(language_text)


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_what_nvcc_writes_for_debuggers(tmp_path: Path) -> None:
    source = ROOT / "samples" / "cuda" / "gemm.cu"
    subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-G", source, "-o", tmp_path / "a.ptx"], check=True)
    assert_nothing_is_lost((tmp_path / "a.ptx").read_text())


def test_an_instruction() -> None:
    (found,) = body("@!%p1 ld.global.nc.L1::no_allocate.v2.f32 {%f1, %f2}, [%rd1+-8];")
    assert (found.opcode, found.modifiers) == ("ld", ("global", "nc", "L1::no_allocate", "v2", "f32"))
    assert found.predicate == Predicate("%p1", is_negated=True)
    assert found.operands[1] == Address(Name("%rd1"), Immediate("-8"))


@pytest.mark.parametrize(
    ("text", "value", "is_float"),
    [
        ("12", 12, False),
        ("-12", -12, False),
        ("0x1F", 31, False),
        ("-0x1F", -31, False),
        ("017", 15, False),
        ("0b101", 5, False),
        ("7U", 7, False),
        ("0xFU", 15, False),
        ("0f3F800000", 0x3F800000, True),
        ("0d3FF0000000000000", 0x3FF0000000000000, True),
        ("0", 0, False),
    ],
)
def test_numbers(text: str, value: int, is_float: bool) -> None:
    found = Immediate(text)
    assert (found.value, found.is_float) == (value, is_float)


def test_places_in_cuda_source() -> None:
    tree = module(
        HEAD
        + ".entry f()\n{\nret;\n.loc 1 5 3\nadd.s32 %a, %b, 1;\nL:\nret;\n"
        + ".loc 2 7 1, function_name $x+4, inlined_at 1 6 2\nret;\n}\n"
        + '.entry g()\n{\nret;\n}\n.file 1 "a.cu"\n.file 2 "b.h"\n'
    )
    lines = [tree.source_location(part) for part in tree.functions["f"].instructions]
    assert [str(line) for line in lines] == ["None", "a.cu:5:3", "a.cu:5:3", "b.h:7:1"]
    inlined = tree.functions["f"].instructions[3].line
    assert inlined is not None
    assert (inlined.inlined_at, inlined.function) == ((1, 6, 2), Sum(Name("$x"), Immediate("4")))
    assert tree.source_location(tree.functions["g"].instructions[0]) is None
    assert str(tree.location(tree.functions["f"].instructions[1].span)) == "a.ptx:8:1"


def test_a_definition_counts_before_its_declaration() -> None:
    tree = module(HEAD + ".func g;\n.func g()\n{\nret;\n}\n.extern .func h\n;\n.func g;\n.entry k()\n{\nret;\n}\n")
    assert tree.functions["g"].body is not None
    assert tree.functions["h"].body is None
    assert [kernel.name for kernel in tree.kernels] == ["k"]
    assert (tree.version, tree.target) == ((9, 0), ("sm_90", "debug"))


def test_several_variables_of_one_declaration() -> None:
    tree = module(HEAD + ".global .align 8 .u32 a[2], b = 3;\n")
    assert [(part.name, part.dimensions, part.alignment) for part in tree.variables] == [("a", (2,), 8), ("b", (), 8)]
    assert tree.variables[1].value == Immediate("3")


def test_a_replaced_instruction_changes_nothing_else() -> None:
    tree = module(FORMS)
    loads = [part for kernel in tree.kernels for part in kernel.instructions if part.opcode == "ld"]
    changed = [(load, bypassing(load)) for load in loads]
    text = print_module(tree, changed)
    again = module(text)
    assert len(loads) > 3
    assert [load.modifiers[-2] for kernel in again.kernels for load in kernel.instructions if load.opcode == "ld"] == [
        "L1::no_allocate"
    ] * len(loads)
    outside = [FORMS[: loads[0].span.start], FORMS[loads[-1].span.end :]]
    assert text.startswith(outside[0])
    assert text.endswith(outside[1])
    assert text.count("\n") == FORMS.count("\n")


def test_blocks_are_walked_in_the_order_of_the_text() -> None:
    tree = module(HEAD + ".entry f()\n{\n.reg .b32 a;\n{\n.param .b32 p;\nret;\n}\nexit;\n}\n")
    function = tree.functions["f"]
    assert function.body is not None
    assert [type(part).__name__ for part in walk(function.body)] == [
        "Registers", "Block", "Variable", "Instruction", "Instruction",
    ]  # fmt: skip
    assert any(isinstance(part, Variable) for part in walk(function.body))
