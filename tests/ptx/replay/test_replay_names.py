"""Kernels and variables of a g++ program are found in nvcc's PTX under nvcc's names for them."""

from __future__ import annotations

import pytest

from accache.ptx.replay.names import common_name, matching, matching_kernel

PTX = (
    *("_Z5plainPf", "_Z4statPf", "cee", "_Z4tmplIfLi3EEvPT_", "_Z5stmplIfEvPT_", "_ZN2ns5innerEP6float4m"),
    "_Z10withhiddenIN40_GLOBAL__N__a7a1e2a2_8_names_cu_acc5a52f6hiddenEEvPT_",
    "_ZN2ns40_GLOBAL__N__a7a1e2a2_8_names_cu_acc5a52f4anonEP6float4",
    *("sv", "_ZN2ns2nvE", "_ZN38_INTERNAL_a7a1e2a2_8_names_cu_acc5a52f2ns3snvE"),
)


@pytest.mark.parametrize(
    ("linked", "expected"),
    [
        ("_Z5plainPf", "_Z5plainPf"),
        ("cee", "cee"),
        ("_ZL4statPf", "_Z4statPf"),
        ("_Z4tmplIfLi3EEvPT_", "_Z4tmplIfLi3EEvPT_"),
        ("_ZL5stmplIfEvPT_", "_Z5stmplIfEvPT_"),
        ("_Z10withhiddenIN12_GLOBAL__N_16hiddenEEvPT_", PTX[6]),
        ("_ZN2ns12_GLOBAL__N_14anonEP6float4", PTX[7]),
        ("_ZL2sv", "sv"),
        ("_ZN2ns2nvE", "_ZN2ns2nvE"),
        ("_ZN2nsL3snvE", PTX[10]),
        ("_Z5plainPd", None),
        ("plain", None),
        ("", None),
    ],
)
def test_finds_a_name(linked: str, expected: str | None) -> None:
    assert matching(linked, PTX) == expected


def test_takes_none_of_two() -> None:
    assert matching("_ZL1kPf", ("_Z1kPf", "_ZL1kPf")) == "_ZL1kPf"
    assert (
        matching(
            "_ZN12_GLOBAL__N_11kEv", ("_ZN26_GLOBAL__N__00000000_1_a_b1kEv", "_ZN26_GLOBAL__N__00000001_1_a_b1kEv")
        )
        is None
    )


def test_numbers_in_template_arguments_stay() -> None:
    assert common_name("_Z1kILi3ELb1EEvPf") == "_Z1kILi3ELb1EEvPf"
    assert common_name("_Z1kILi3EEvPf") != common_name("_Z1kILi4EEvPf")


def test_lambdas_have_names_of_each_compiler() -> None:
    linked = "_Z3mapIZ4mainEUliE_EvT_i"
    made = "_Z3mapI11__nv_dl_tagEvT_i"
    assert matching_kernel(linked, (made, "_Z4mapsIiEvT_i", "_Z3mapPf")) == made
    assert matching_kernel(linked, (made, "_Z3mapIfEvT_i")) is None
    assert matching_kernel("_ZN2ns3mapIZ4mainEUliE_EEvT_i", (made, "_ZN2ns3mapI1xEEvT_i")) == "_ZN2ns3mapI1xEEvT_i"
    assert matching_kernel("_Z3mapPd", ("_Z3mapPf",)) is None


def test_a_static_kernel_in_a_block_of_c_linkage_is_mangled_by_nvcc() -> None:
    """g++ gives it the name that it has in the text: "the PTX has no kernel"."""
    assert matching_kernel("second", ("first", "_Z6secondPKfPfi", "_Z7second2Pf")) == "_Z6secondPKfPfi"
    assert matching_kernel("second", ("_Z6secondPf", "_Z6secondPd")) is None
    assert matching_kernel("second", ("_ZN1a6secondEPf", "_Z6secondIfEvPT_", "_Z6thirdPf")) is None
