"""Files in the formats of Nsight Compute, made by hand after its documentation."""

from __future__ import annotations

from accache.workflows.bypass.measuring import BYTES, SECTOR_HITS, SECTORS

COMMON = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name",'
    '"Context","Stream","Block Size","Grid Size","Device","CC"'
)
PLACE = '"77","prog","127.0.0.1","{kernel}","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0"'
HEAD = '==PROF== Connected to process 77 (/tmp/prog)\n==PROF== Profiling "kernel" - 0: 0%....100% - 1 pass\nit runs\n'


def wide(*launches: tuple[str, str, str, str], units: tuple[str, str, str] = ("byte", "sector", "sector")) -> str:
    """One row a launch: the kernel, bytes, sectors, hits."""
    columns = ",".join(f'"{metric}"' for metric in (BYTES, SECTORS, SECTOR_HITS))
    lines = [f"{COMMON},{columns}", '"","","","","","","","","","","",' + ",".join(f'"{unit}"' for unit in units)]
    for number, (kernel, *values) in enumerate(launches):
        lines.append(f'"{number}",{PLACE.format(kernel=kernel)},' + ",".join(f'"{value}"' for value in values))
    return HEAD + "\n".join(lines) + "\n"


def long(*metrics: tuple[str, str, str]) -> str:
    """One row a metric of one launch: its name, unit and value."""
    lines = [f'{COMMON},"Section Name","Metric Name","Metric Unit","Metric Value"']
    for metric, unit, value in metrics:
        lines.append(
            f'"0",{PLACE.format(kernel="kernel(const float *, int)")},'
            f'"Command line profiler metrics","{metric}","{unit}","{value}"'
        )
    return HEAD + "\n".join(lines) + "\n"
