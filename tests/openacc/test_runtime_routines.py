"""Programs that call the routines of openacc.h: as a pair, as one file, with C files that have no directive."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from accache.base.options import Options
from accache.base.resources import headers
from accache.cpu import build as cpu
from accache.cpu.toolchain import INCLUDE
from accache.driver import translate

PROGRAM = Path(__file__).parent / "programs" / "runtime_routines.c"
FOLDER = Path(__file__).parent / "programs"


def built(text: str, folder: Path, joined: bool) -> Path:
    """The executable of a program, from the pair or from the joined file."""
    source = folder / "main.c"
    source.write_text(text)
    made = translate(str(source), Options(preprocessor=(f"-I{FOLDER}",)))
    assert made.joined is not None, made.refusals
    flags = ("-std=gnu11", f"-I{FOLDER}")
    if joined:
        return cpu.build(made.joined, None, folder, device_flags=[f"-I{FOLDER}"]).executable
    return cpu.build(made.device, made.host, folder, host_flags=flags).executable


@pytest.mark.parametrize("joined", [False, True])
def test_both_forms_carry_header_and_routines(joined: bool, tmp_path: Path) -> None:
    program = built(PROGRAM.read_text(), tmp_path, joined)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) > 8
    assert [line for line in lines if not line.endswith(" ok")] == []


ALONE = """
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    int a[4] = {1, 2, 3, 4}, b = 0;
    void *d = acc_copyin(a, sizeof a);
    acc_memcpy_from_device(&b, (char *)d + 8, sizeof b);
    printf("%d", b);
    return 0;
}
"""


@pytest.mark.parametrize("joined", [False, True])
def test_a_program_without_directives_may_call_them(joined: bool, tmp_path: Path) -> None:
    assert subprocess.run([built(ALONE, tmp_path, joined)], check=True, capture_output=True, text=True).stdout == "3"


OWN = """
#include <stdio.h>
static int acc_init(int n) { return n + 1; }
int acc_wait(int n) { return n + 2; }
int main(void)
{
    int a[4] = {0};
#pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        a[i] = i;
    printf("%d %d", acc_init(a[3]), acc_wait(a[3]));
    return 0;
}
"""


@pytest.mark.parametrize("joined", [False, True])
def test_without_the_header_the_names_are_the_users(joined: bool, tmp_path: Path) -> None:
    assert subprocess.run([built(OWN, tmp_path, joined)], check=True, capture_output=True, text=True).stdout == "4 5"


def test_a_plain_c_file_shares_the_present_table(tmp_path: Path) -> None:
    (tmp_path / "plain.c").write_text(
        "#include <openacc.h>\nvoid *where(int *a) { acc_copyin(a, 16); return acc_deviceptr(a); }\n"
    )
    main = tmp_path / "main.c"
    main.write_text(
        """#include <stdio.h>
        void *where(int *a);
        int main(void)
        {
            int a[4] = {1, 2, 3, 4}, same = where(a) != 0;
        #pragma acc parallel loop present(a[0:4])
            for (int i = 0; i < 4; i++)
                a[i] += 10;
        #pragma acc exit data copyout(a[0:4])
            printf("%d %d", same, a[3]);
            return 0;
        }"""
    )
    runtime, plain = tmp_path / "runtime.o", tmp_path / "plain.o"
    flags = ["-std=c++17", "-x", "c++", "-DACCACHE_CPU", f"-I{headers()}", f"-I{INCLUDE}", "-fno-pie"]
    subprocess.run(["g++", *flags, "-c", headers() / "accache_runtime.cu", "-o", runtime], check=True)
    subprocess.run(["gcc", "-fno-pie", "-c", tmp_path / "plain.c", "-o", plain], check=True)  # its own openacc.h
    made = translate(str(main), Options())
    program = cpu.build(made.device, made.host, tmp_path, objects=[plain, runtime]).executable
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout == "1 14"


def test_no_kernel_runs_on_the_host(workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "host.c"
    source.write_text(
        """#include <openacc.h>
        int main(void)
        {
            int a[4] = {0};
            acc_set_device_type(acc_device_host);
        #pragma acc parallel loop copy(a)
            for (int i = 0; i < 4; i++)
                a[i] = i;
            return 0;
        }"""
    )
    result = workshop.run(source, Options(), check=False)
    assert result.returncode == 1
    assert "the host was chosen as the device, and main_L6_kernel is compiled for GPUs only" in result.stderr
