"""Random CUDA kernels with and without copies: both have to leave the same bytes in memory, under the checker.

    python tests/preload/random_copies.py --kernels 5000 --folder build/preload

A program has some kernels, and launches each twice: as preload makes it launch them, and as it stands. A folder holds
what was done: the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from commands import accache

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload

KERNELS = 25
"""How many kernels a program has."""
BLOCKS = ((16, 16, 1), (32, 8, 1), (64, 1, 1), (8, 4, 4), (33, 3, 1))
TYPES = ("float", "double", "int", "short", "unsigned char", "long long")
HOST = """
template <class T> struct Arrays {
    T *a, *b, *c, *plain;
    int bytes;
    Arrays(int size, int count) : bytes(count * sizeof(T))
    {
        static T start[MOST];
        for (int i = 0; i < MOST; ++i)
            start[i] = i * 7 % 23 - 5;
        T **all[] = {&a, &b, &c, &plain};
        for (int i = 0; i < 4; ++i) {
            int length = (i < 2 ? size : count) * sizeof(T);
            cudaMalloc(all[i], length);
            cudaMemcpy(*all[i], start, length, cudaMemcpyHostToDevice);
        }
    }
    void tell(const char *name)
    {
        static unsigned char left[MOST * sizeof(T)], usual[MOST * sizeof(T)];
        cudaMemcpy(left, c, bytes, cudaMemcpyDeviceToHost);
        cudaMemcpy(usual, plain, bytes, cudaMemcpyDeviceToHost);
        int differs = 0;
        for (int i = 0; i < bytes; ++i)
            differs += left[i] != usual[i];
        printf("%s %d\\n", name, differs);
        cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(plain);
    }
};
#define AS_IT_STANDS(kernel, grid, block, v, ...) kernel<<<grid, block>>>(v.a, v.b, v.plain, __VA_ARGS__)
"""
TOLD = '    printf("%d launches with copies\\n", used);\n'
CHOICE = "    if (accache_holds)\n"
COUNTED = "    used += accache_holds;\n" + CHOICE
FOUND_NOTHING = f"--check, {2 * KERNELS} launches of "


def kernel(name: str, element: str, dice: random.Random) -> str:
    """One kernel; every thread writes to one place of its own, and reads what lies in the arrays."""
    body = _Body(dice, element)
    return (
        f"__global__ void {name}(const {element} *a, const {element} *b, {element} *c, int n, int m, int size)\n{{\n"
        + "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        + "    int own = ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.z + threadIdx.z) * blockDim.y * blockDim.x\n"
        + "            + threadIdx.y * blockDim.x + threadIdx.x;\n"
        + f"    {element} sum = 0;\n"
        + body.text()
        + "    c[own] = sum;\n}\n"
    )


class _Body:
    def __init__(self, dice: random.Random, element: str) -> None:
        self.dice, self.element = dice, element
        self.count = 0

    def text(self) -> str:
        """Statements of a kernel."""
        guards = ("", "", "    if (x >= n || y >= m)\n        return;\n", "    if (x + y > n + 3) { return; }\n")
        found = self.dice.choice(guards)
        if self.dice.random() < 0.3:
            found += f"    const {self.element} first = {self.load(())};\n    sum += first;\n"
        return found + "".join(self.statement((), 1) for _ in range(self.dice.randint(1, 3)))

    def statement(self, loops: tuple[str, ...], depth: int) -> str:
        """A loop, a condition, or a sum."""
        pad = "    " * depth
        roll = self.dice.random()
        if depth > 3 or roll < 0.25:
            return f"{pad}sum += {self.load(loops)};\n"
        if roll < 0.75:
            self.count += 1
            name = f"k{self.count}"
            first = self.dice.choice(("0", "0", "1", "2", "-1", *loops))
            limit = self.dice.choice(("n", "m", "n", "n - 1", "3", "5", "20", "x % 7"))
            step = self.dice.choice((f"++{name}", f"{name}++", f"{name} += 2", f"{name} += 3"))
            kind = self.dice.choice(("int", "int", "int", "unsigned", "long", "short"))
            kind = "int" if first != "0" or "x" in limit else kind
            less = self.dice.choice(("<", "<", "<="))
            inner = (*loops, name)
            parts = "".join(self.statement(inner, depth + 1) for _ in range(self.dice.randint(1, 2)))
            if self.dice.random() < 0.1:
                parts = (
                    f"{pad}    if ((x + {name}) % 3 == 1)\n{pad}        {self.dice.choice(('continue', 'break'))};\n"
                    + parts
                )
            return f"{pad}for ({kind} {name} = {first}; {name} {less} {limit}; {step}) {{\n{parts}{pad}}}\n"
        condition = self.dice.choice(("x < n", "y < m && x < n", "(x ^ y) % 3", "threadIdx.x > 3", "n > 4"))
        other = f" else {{\n{self.statement(loops, depth + 1)}{pad}}}" if self.dice.random() < 0.4 else ""
        return f"{pad}if ({condition}) {{\n{self.statement(loops, depth + 1)}{pad}}}{other}\n"

    def load(self, loops: tuple[str, ...]) -> str:
        """A load where the array has such an element, else 1."""
        index = self.index(loops)
        array = self.dice.choice("ab")
        if self.dice.random() < 0.3:
            other = index.replace(" + 1", " + 2")
            return f"{self.guarded(array, index)} + {self.guarded(array, other)}"
        return self.guarded(array, index)

    @staticmethod
    def guarded(array: str, index: str) -> str:
        """The element of an index, if there is one."""
        return f"((long)({index}) >= 0 && (long)({index}) < size ? {array}[{index}] : 1)"

    def index(self, loops: tuple[str, ...]) -> str:
        """An index of one, two or three dimensions."""
        parts = [self.part(loops) for _ in range(3)]
        pitch = self.dice.choice(("n", "m", "96", "n", "(n + 1)"))
        forms = (
            parts[0],
            f"{parts[0]} * {pitch} + {parts[1]}",
            f"{parts[0]} * {pitch} + {parts[1]}",
            f"({parts[0]} * m + {parts[1]}) * n + {parts[2]}",
            f"(size_t)({parts[0]}) * {pitch} + {parts[1]}",
        )
        return self.dice.choice(forms)

    def part(self, loops: tuple[str, ...]) -> str:
        """What an index has along one dimension."""
        names = ["x", "y", "x", "y", "threadIdx.x", "(int)threadIdx.y", "blockIdx.x", *loops, *loops, *loops]
        name = self.dice.choice(names)
        shapes = (name, name, f"({name} + 1)", f"({name} - 1)", f"(2 * {name})", f"(n - 1 - {name})", "0", "n / 2")
        found = self.dice.choice(shapes)
        return f"({found} + {self.dice.choice(names)})" if self.dice.random() < 0.2 else found


def program(seed: int) -> tuple[str, tuple[int, int, int]]:
    """A program with kernels, and the block of their launches."""
    dice = random.Random(seed)
    block = dice.choice(BLOCKS)
    texts, calls, most = [], [], 0
    for number in range(KERNELS):
        name, element = f"k{number}_", dice.choice(TYPES)
        texts.append(kernel(name, element, dice))
        n, m, size = dice.choice((1, 7, 16, 40)), dice.choice((3, 16, 33)), dice.choice((5, 64, 700, 3000))
        gx, gy = dice.randint(1, 3), dice.randint(1, 2)
        count = gx * gy * block[0] * block[1] * block[2]
        most = max(most, size, count)
        shape = f"dim3({gx}, {gy}), dim3({', '.join(map(str, block))})"
        calls.append(
            f"    {{\n        Arrays<{element}> v({size}, {count});\n"
            f"        {name}<<<{shape}>>>(v.a, v.b, v.c, {n}, {m}, {size});\n"
            f"        AS_IT_STANDS({name}, {shape}, v, {n}, {m}, {size});\n"
            f'        v.tell("{name}");\n    }}\n'
        )
    head = 'extern "C" int printf(const char *, ...);\n' + f"enum {{ MOST = {most} }};\nstatic int used;\n"
    text = head + "\n".join(texts) + HOST + "int main()\n{\n" + "".join(calls) + TOLD + "    return 0;\n}\n"
    return text, block


@dataclass(frozen=True)
class Outcome:
    """What was seen of a program: how many of its kernels got copies, and what is wrong, '' if nothing is."""

    seed: int
    copies: int
    wrong: str


def compare(seed: int, folder: Path) -> Outcome:
    """Rewrite a program, run it under the checker, and compare what its kernels leave with and without copies."""
    text, block = program(seed)
    path = folder / "program.cu"
    path.write_text(text)
    found = preload(Invocation(str(path)), KEPLER, 1.0, block, reporter=Reporter())
    copies = sum(bool(plan.tiles) for plan in found.plans)
    assert found.text.count(CHOICE) == copies
    path.write_text(found.text.replace(CHOICE, COUNTED))
    return Outcome(seed, copies, wrong(accache("run", "--check", "--seed", seed, path), copies))


def wrong(done: subprocess.CompletedProcess[str], copies: int) -> str:
    """What is wrong with a run; both versions of each kernel have to have run, and to have been compared."""
    if done.returncode or FOUND_NOTHING not in done.stderr:
        return f"status {done.returncode}: {done.stderr}"
    usual = [*(f"k{number}_ 0" for number in range(KERNELS)), f"{copies} launches with copies"]
    lines = done.stdout.splitlines()
    return "" if lines == usual else "\n".join(line for line in lines if line not in usual) or "lines are missing"


def main() -> int:
    """Compare programs until there were so many kernels."""
    parser = argparse.ArgumentParser(description="random kernels with and without copies")
    parser.add_argument("--kernels", type=int, default=KERNELS)
    parser.add_argument("--seed", type=int, default=0, help="that of the first program")
    parser.add_argument("--folder", type=Path, required=True, help="where notes are kept")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    notes = given.folder / "notes.jsonl"
    lines = notes.read_text().splitlines() if notes.exists() else []
    outcomes = {one.seed: one for one in (Outcome(**json.loads(line)) for line in lines)}
    wanted = range(given.seed, given.seed + -(-given.kernels // KERNELS))
    for seed in wanted:
        if seed not in outcomes:
            with tempfile.TemporaryDirectory() as folder:
                outcomes[seed] = compare(seed, Path(folder))
            with notes.open("a") as stream:
                stream.write(json.dumps(asdict(outcomes[seed])) + "\n")
            print(f"\r{KERNELS * (seed + 1 - given.seed)} kernels", end="", file=sys.stderr, flush=True)
    seen = [outcomes[seed] for seed in wanted]
    differ = [one for one in seen if one.wrong]
    for one in differ:
        print(f"seed {one.seed}: {one.wrong}")
    copies = sum(one.copies for one in seen)
    print(f"{KERNELS * len(seen)} kernels, {copies} with copies, {len(differ)} programs that differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
