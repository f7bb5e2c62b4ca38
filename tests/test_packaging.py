"""What is shipped: an sdist, a wheel made from it, and that wheel at work far from the sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections import Counter
from configparser import ConfigParser
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

import accache
from accache.base import resources
from accache.cpu.kept import runtime_objects

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = {
    "templates": "accache/templates",
    "accache/cpu/runtime": "accache/cpu/runtime",
    "accache/library/schemas": "accache/library/schemas",
}


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def copy_of_the_tree(to: Path) -> Path:
    """The sources without what was built in them, so that old build output cannot slip in."""
    skip = shutil.ignore_patterns(".*", "*.egg-info", "build", "dist", "__pycache__", "*.o")
    shutil.copytree(ROOT, to, ignore=skip)
    return to


def test_setup_cfg_lists_every_package() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg")
    folders = {path.parent for path in (ROOT / "accache").rglob("*.py")}
    packages = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert set(config["options"]["packages"].split()) == packages | {"accache.samples", "accache.templates"}


def test_what_is_depended_on_runs_on_every_python_that_is_promised() -> None:
    """Else pip finds no version of it there, and installs nothing; seen where the oldest possible one is here."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg")
    promised = config["options"]["python_requires"].removeprefix(">=").strip()
    for line in config["options"]["install_requires"].split("\n"):
        name, _, oldest = line.partition(" >= ")
        if name and version(name) == oldest:
            needed = metadata(name)["Requires-Python"]
            assert SpecifierSet(needed or "").contains(promised), (line, needed)


def test_every_python_folder_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "accache").rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_test_files_in_folders_that_are_no_packages_have_names_of_their_own() -> None:
    """Else pytest cannot import one of them, and leaves it out."""
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if not (path.parent / "__init__.py").exists()]
    names = Counter(path.name for path in files)
    assert [name for name, number in names.items() if number > 1] == []


def test_resources_are_found_in_a_checkout() -> None:
    assert resources.templates() == ROOT / "templates"
    assert (resources.headers() / "openacc.h").is_file()
    assert resources.cpu_runtime().parent.name == "cpu"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist and the wheel that was made from the sdist."""
    folder = tmp_path_factory.mktemp("build")
    tree = copy_of_the_tree(folder / "tree")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", tree]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.mark.xdist_group("packaging")
def test_the_sdist_holds_what_its_tests_need(archives: Path) -> None:
    with tarfile.open(next(archives.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for folder in ("templates", "samples", "tests"):
        assert {path.relative_to(ROOT).as_posix() for path in files(ROOT / folder)} <= names
    assert {"LICENSE", "README.md", "Makefile", "setup.cfg", "pyproject.toml"} <= names


@pytest.mark.xdist_group("packaging")
def test_the_wheel_holds_every_resource(archives: Path) -> None:
    with zipfile.ZipFile(next(archives.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    installed = {name.partition(".data/data/")[2] for name in names}
    assert {
        "share/man/man1/accache-run.1",
        "share/bash-completion/completions/accache",
        "share/cmake/Accache/AccacheConfig.cmake",
    } <= installed
    for source, target in SHIPPED.items():
        folder = ROOT / source
        assert {f"{target}/{path.relative_to(folder).as_posix()}" for path in files(folder)} <= names
    samples = {f"accache/samples/{path.name}" for path in (ROOT / "samples").glob("*.c")}
    assert {name for name in names if name.startswith("accache/samples/")} == samples
    assert not {name for name in names if name.startswith(("tests", "samples", "templates"))}


FINDS = """cmake_minimum_required(VERSION 3.21)
project(finds C)
find_package(Accache REQUIRED)
message(STATUS "found ${Accache_DIR}")
"""


@pytest.mark.xdist_group("packaging")
def test_the_wheel_works_far_from_the_sources(archives: Path, tmp_path: Path) -> None:
    environment, elsewhere = tmp_path / "venv", tmp_path / "elsewhere"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    wheel = next(archives.glob("*.whl"))
    install = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", wheel]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "install", *install], check=True
    )
    # the libraries accache needs come from this environment; a plain path entry brings no editable installs along
    site = next(environment.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"])

    elsewhere.mkdir()
    made = runtime_objects(check=False)  # what is made of the wheel's own headers is not for the user's cache
    cache = tmp_path / "cache"
    shutil.copytree(made, cache / "cpu" / made.name)
    shutil.copy(ROOT / "samples" / "stencil.c", elsewhere)

    def run(*command: str) -> str:
        done = subprocess.run(
            [tool if (tool := environment / "bin" / command[0]).exists() else command[0], *command[1:]],
            cwd=elsewhere,
            env={"PATH": f"{environment / 'bin'}:/usr/local/bin:/usr/bin:/bin", "ACCACHE_CACHE_DIR": str(cache)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("accache", "--version") == f"accache {accache.__version__}\n"
    located = run("python", "-c", "from accache.base import resources as r; print(r.templates(), r.headers())")
    assert located.split() == [str(site / "accache" / "templates"), str(site / "accache" / "templates" / "runtime")]
    listed = run("python", "-c", "from accache.base import resources as r; print(*r.samples().iterdir())")
    assert f"{site}/accache/samples/gemm.c" in listed.split()
    if shutil.which("cmake"):
        (elsewhere / "CMakeLists.txt").write_text(FINDS)
        assert f"found {environment}/share/cmake/Accache" in run("cmake", "-B", "build")
    if shutil.which("man"):
        assert run("man", "-w", "accache-cc").strip() == str(environment / "share" / "man" / "man1" / "accache-cc.1")
    if (ROOT / "accache" / "driver.py").exists():
        assert "checksum 9bde43bf19548aff" in run("accache", "run", "stencil.c")
        run("accache-cc", "-O1", "stencil.c", "-lm", "-o", "stencil")
        assert "checksum 9bde43bf19548aff" in run(str(elsewhere / "stencil"))
