"""Random CUDA kernels, with and without candidates for copies; a program prints what each of them leaves in memory.

``python tests/preload/random_kernels.py 5000`` rewrites so many kernels and compares what both programs print.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload

KERNELS = 25
"""How many kernels a program has."""
BLOCKS = ((16, 16, 1), (32, 8, 1), (64, 1, 1), (8, 4, 4), (33, 3, 1))
TYPES = ("float", "double", "int", "short", "unsigned char", "long long")
HOST = """
template <class T> static void run(void (*)(const T *, const T *, T *, int, int, int), const char *) {}
static unsigned hash_of(const unsigned char *bytes, size_t count)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}
"""


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
    texts, calls = [], []
    for number in range(KERNELS):
        element = dice.choice(TYPES)
        texts.append(kernel(f"k{number}_", element, dice))
        n, m, size = dice.choice((1, 7, 16, 40)), dice.choice((3, 16, 33)), dice.choice((5, 64, 700, 3000))
        gx, gy = dice.randint(1, 3), dice.randint(1, 2)
        count = gx * gy * block[0] * block[1] * block[2]
        shape = ", ".join(map(str, block))
        calls.append(
            f"    {{\n        {element} *a, *b, *c;\n"
            f"        static {element} host[{max(size, count)}];\n"
            f"        for (int i = 0; i < {max(size, count)}; ++i)\n            host[i] = i * 7 % 23 - 5;\n"
            f"        cudaMalloc(&a, {size} * sizeof *a);\n        cudaMalloc(&b, {size} * sizeof *b);\n"
            f"        cudaMalloc(&c, {count} * sizeof *c);\n"
            f"        cudaMemcpy(a, host, {size} * sizeof *a, cudaMemcpyHostToDevice);\n"
            f"        cudaMemcpy(b, host, {size} * sizeof *b, cudaMemcpyHostToDevice);\n"
            f"        cudaMemcpy(c, host, {count} * sizeof *c, cudaMemcpyHostToDevice);\n"
            f"        k{number}_<<<dim3({gx}, {gy}), dim3({shape})>>>(a, b, c, {n}, {m}, {size});\n"
            f"        cudaMemcpy(host, c, {count} * sizeof *c, cudaMemcpyDeviceToHost);\n"
            f'        printf("k{number}_ %08x\\n", hash_of((unsigned char *)host, {count} * sizeof *c));\n'
            f"        cudaFree(a), cudaFree(b), cudaFree(c);\n    }}\n"
        )
    text = "#include <cstdio>\n" + "\n".join(texts) + HOST + "int main()\n{\n" + "".join(calls) + "    return 0;\n}\n"
    return text, block


def compare(seed: int, folder: Path, *flags: str) -> tuple[int, str]:
    """How many kernels of a program got copies, and what is wrong, '' if nothing is."""
    text, block = program(seed)
    plain, other = folder / "plain.cu", folder / "other.cu"
    plain.write_text(text)
    found = preload(Invocation(str(plain)), KEPLER, 1.0, block, reporter=Reporter())
    other.write_text(found.text)
    copies = sum(bool(plan.tiles) for plan in found.plans)
    if not copies:
        return 0, ""
    outputs = []
    for path, words in ((plain, ()), (other, ("--seed", str(seed), *flags))):
        command = [sys.executable, "-m", "accache", "run", *words, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return copies, done.stderr
        outputs.append(done.stdout.splitlines())
    wrong = [line for line, usual in zip(outputs[1], outputs[0], strict=True) if line != usual]
    return copies, "\n".join(wrong)


def main() -> int:
    """Compare programs until there were so many kernels."""
    wanted = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    copies = wrong = 0
    for number in range(-(-wanted // KERNELS)):
        with tempfile.TemporaryDirectory() as folder:
            some, found = compare(first + number, Path(folder), *sys.argv[3:])
        copies += some
        print(f"\r{KERNELS * (number + 1)} kernels", end="", file=sys.stderr, flush=True)
        if found:
            wrong += 1
            print(f"seed {first + number}: {found}", flush=True)
    print(file=sys.stderr)
    print(f"{wanted} kernels, {copies} with copies, {wrong} programs that differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
