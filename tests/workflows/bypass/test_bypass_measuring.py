"""What is read of Nsight Compute's tables."""

from __future__ import annotations

import pytest
from nsight_tables import COMMON, long, wide

from accache.base.diagnostics import CompileError
from accache.workflows.bypass.measuring import BYTES, METRICS, SECTOR_HITS, SECTORS, Measurement, read_measurement


def test_a_metric_a_column() -> None:
    text = wide(("kernel(const float *, int)", "1,048,576", "32768", "12,000"), ("other(int)", "1", "2", "3"))
    assert read_measurement(text, "x.csv", "kernel") == Measurement(1048576, 32768, 12000)


def test_launches_are_summed() -> None:
    text = wide(("kernel", "10", "20", "5"), ("kernel", "1", "2", "0"))
    assert read_measurement(text, "x.csv", "_Z6kernelPKfi") == Measurement(11, 22, 5)


def test_a_metric_a_row_with_larger_units() -> None:
    text = long(
        (BYTES, "Mbyte", "1.5"), (SECTORS, "sector", "46,875"), (SECTOR_HITS, "Ksector", "2"), ("other", "%", "4")
    )
    assert read_measurement(text, "x.csv", "kernel") == Measurement(1500000, 46875, 2000)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line starts with"),
        ("==ERROR== The user does not have permission to access NVIDIA GPU Performance Counters\n", "no line starts"),
        (wide(("other", "1", "2", "3")), f"it has no {METRICS[0]} of the kernel 'kernel'"),
        (wide(("kernel", "n/a", "2", "3")), "'n/a' is no number"),
        (
            wide(("kernel", "1", "2", "3"), units=("%", "sector", "sector")),
            "'1' is no number of bytes, sectors or requests",
        ),
        (wide(("kernel", "1", "2", "3")).rpartition(",")[0], "row 2 of its table has 13 cells, not 14"),
        (long((BYTES, "byte", "1"), (SECTORS, "sector", "2")), f"it has no {SECTOR_HITS}"),
        (long((BYTES, "byte", "1")).replace("Metric Unit", "Unit"), "it has no column 'Metric Unit'"),
        (wide(("kernel", "1", "2", "3")).replace("Kernel Name", "Name"), "it has no column 'Kernel Name'"),
        ('"ID"\n', "it has no column 'Kernel Name'"),
        (f"{COMMON}\n", f"it has no {METRICS[0]}"),
    ],
)
def test_what_is_no_measurement(text: str, reason: str) -> None:
    with pytest.raises(CompileError) as raised:
        read_measurement(text, "x.csv", "kernel")
    assert str(raised.value).startswith("error: 'x.csv' is no measurement of Nsight Compute: ")
    assert reason in str(raised.value)
    assert raised.value.diagnostics[0].code == "ACC970"
