"""What each step does in the reference machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accache.ptx.machine import program as ir
from accache.ptx.machine.failures import ASSERTED, BAD_CALL, OUT_OF_BOUNDS, TOO_DEEP, TRAPPED, Failed, Failure
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.memory import DeviceMemory
from accache.ptx.machine.program import (
    CONST,
    MEETINGS,
    SHARED,
    WINDOW,
    WINDOWS,
    Action,
    Call,
    Place,
    Program,
    Register,
    Routine,
    Source,
)
from accache.ptx.machine.to_c import local_bytes
from accache.ptx.reference.interpreted_barriers import Barriers, Waiting
from accache.ptx.reference.interpreted_memory import BlockMemory, Reached, Unreachable
from accache.ptx.reference.interpreted_values import evaluate, exchange, read
from accache.ptx.reference.interpreted_warp import (
    LANES,
    U32,
    Lanes,
    Mask,
    Warp,
    as_bits,
    bits_of_mask,
    move,
    numbers,
    source_lane,
)
from accache.ptx.reference.printing import formatted
from accache.ptx.rules.operation import NAMES
from accache.ptx.rules.types import TYPES, Type, bits_type

_MAX_DEPTH = 512


class Runner:
    """Executes steps for some lanes of a warp. While it does, ``warp``, ``frame`` and ``routine`` are theirs."""

    def __init__(self, program: Program, launch: Launch, params: bytes, memory: DeviceMemory) -> None:
        self.program, self.launch, self.params, self.memory = program, launch, params, memory
        self.local_bytes = local_bytes(program)
        self.steps = program.steps
        self.routines = [routine for routine in program.routines for _ in routine.steps]
        self.entries = dict(program.entries)
        self.instructions = 0
        self.arrivals = np.zeros(len(self.steps), np.uint64)
        self.output: list[bytes] = []
        self.accesses: list[tuple[int, int, int, int, NDArray[np.uint64]]] = []
        self.tracing = self.tracing_shared = False
        self.heap_next = memory.heap.address if memory.heap else 0
        self.block, self.barriers = 0, Barriers()

    def start(self, block: int, space: BlockMemory) -> None:
        """Begin with a block."""
        self.block, self.space, self.barriers = block, space, Barriers()

    def meets_anywhere(self, pc: int) -> bool:
        """Whether a step is a barrier of a warp, to which lanes may come at different places."""
        return isinstance(self.steps[pc].action, ir.WarpBarrier)

    def step(self, warp: Warp, lanes: Mask) -> None:
        """Execute one step of lanes that have the same pc."""
        pc = int(warp.pc[lanes][0])
        step = self.steps[pc]
        self.warp, self.pc, self.routine = warp, pc, self.routines[pc]
        self.frame = warp.frame(int(warp.depth[lanes][0]), self.routine)
        taking = lanes.copy()
        if step.guard is not None:
            taking &= (self.frame.registers[step.guard.register.number] != 0) != step.guard.is_negated
        if isinstance(step.action, MEETINGS) and self._must_wait(step.action, lanes, taking):
            return
        self.instructions += int(lanes.sum())
        self.arrivals[pc] += 1
        warp.pc[lanes] = pc + 1
        if taking.any():
            self._do(step.action, taking)

    def _must_wait(self, action: Action, lanes: Mask, taking: Mask) -> bool:
        """Whether lanes that a mask names are still to come: then those that are here wait."""
        members = getattr(action, "members", None)
        if members is None or not taking.any():
            return False
        named = int(np.bitwise_or.reduce(self.value(members, U32)[taking]))
        missing = named & bits_of_mask(self.warp.alive) & ~bits_of_mask(taking)
        self.warp.parked[lanes] = False
        if missing:
            self.warp.parked[taking] = True
            self.warp.pc[lanes & ~taking] += 1
        return bool(missing)

    def value(self, source: Source, type_: Type) -> Lanes:
        """A value of every lane."""
        return read(self, source, type_)

    def write(self, target: Register | None, type_: Type, values: Lanes, lanes: Mask) -> None:
        """Registers of some lanes get values of a type."""
        if target is not None:
            bits = as_bits(np.broadcast_to(values, (32,)), type_, target.type)
            np.copyto(self.frame.registers[target.number], bits, where=lanes)

    def fail(self, kind: int, lane: int, address: int = 0, size: int = 0) -> Failed:
        """The launch fails at this step."""
        return Failed(Failure(kind, self.pc, self.block, self.warp.number * 32 + lane, address, size))

    # ---- memory

    def _addresses(self, place: Place) -> NDArray[np.uint64]:
        narrow = isinstance(place.base, Register) and place.base.type.bits == 32
        type_ = TYPES["u32" if narrow else "u64"]
        base = self.value(place.base, type_)
        total: Lanes = base + np.array(place.offset & ((1 << type_.bits) - 1), type_.numpy)
        return total.astype(np.uint64)

    def _reached(
        self, place: Place, size: int, lanes: Mask, *, writes: bool, alignment: int | None = None
    ) -> list[Reached]:
        """The bytes that every lane accesses, at multiples of their number unless another ``alignment`` is given."""
        if place.space == "argument" or (place.space == "param" and writes):
            area = self.frame.arguments
            members = np.flatnonzero(lanes)
            return [Reached(area.reshape(-1), members, members * area.shape[1] + place.offset)]
        addresses = self._addresses(place)
        try:
            found = self.space.reach(
                place.space, addresses, size, self.warp.number, lanes=lanes, writes=writes, alignment=alignment or size
            )
        except Unreachable as wrong:
            raise self.fail(wrong.kind, wrong.lane, wrong.address, size) from wrong
        self._record(place.space, addresses, lanes)
        return found

    def _record(self, space: str, addresses: NDArray[np.uint64], lanes: Mask) -> None:
        """Keep an access for the trace, if it is one of those to keep."""
        if space not in ("global", "generic", "shared"):
            return
        whole = addresses + np.uint64(WINDOWS["shared"] if space == "shared" else 0)
        windows = whole >> np.uint64(WINDOW)
        wanted = lanes & ((windows < CONST) | ((windows == SHARED) & self.tracing_shared))
        if self.tracing and wanted.any():
            self.accesses.append((self.pc, bits_of_mask(wanted), self.block, self.warp.number, whole))

    @singledispatchmethod
    def _do(self, action: Action, lanes: Mask) -> None:
        raise TypeError(f"no step: {action!r}")

    @_do.register
    def _(self, action: ir.Nothing, lanes: Mask) -> None:
        pass

    @_do.register
    def _(self, action: ir.Compute, lanes: Mask) -> None:
        operation, carry = action.operation, self.routine.carry
        values: dict[str, Any] = {
            name: self.value(source, type_)
            for name, type_, source in zip(NAMES, operation.operands, action.operands, strict=False)
        }
        values["k"] = self.value(carry, TYPES["u8"])
        with np.errstate(all="ignore"):
            results = [evaluate(text, values) for text in operation.expressions]
            new_carry = evaluate(operation.carry, values) if operation.carry else None
        for target, type_, result in zip(action.results, operation.results, results, strict=True):
            self.write(target, type_, result, lanes)
        if new_carry is not None:
            self.write(carry, TYPES["u8"], new_carry, lanes)

    @_do.register
    def _(self, action: ir.Pack, lanes: Mask) -> None:
        whole = bits_type(action.part.bytes * len(action.parts))
        total = np.zeros(32, whole.numpy)
        for number, part in enumerate(action.parts):
            shift = np.array(number * action.part.bits, whole.numpy)
            total |= self.value(part, action.part).astype(whole.numpy) << shift
        self.write(action.result, whole, total, lanes)

    @_do.register
    def _(self, action: ir.Unpack, lanes: Mask) -> None:
        whole = bits_type(action.part.bytes * len(action.results))
        value = self.value(action.value, whole)
        for number, result in enumerate(action.results):
            shift = np.array(number * action.part.bits, whole.numpy)
            self.write(result, action.part, (value >> shift).astype(action.part.numpy), lanes)

    @_do.register
    def _(self, action: ir.Load, lanes: Mask) -> None:
        size, count = action.type.bytes, len(action.results)
        held = action.type if action.type.kind == "s" else bits_type(size)
        values = np.zeros((count, 32), held.numpy)
        used = action.used
        for reached in self._reached(action.place, size * used, lanes, writes=False, alignment=size * count):
            values[:used, reached.lanes] = reached.read(size * used).view(held.numpy).T
        for result, row in zip(action.results, values, strict=True):
            self.write(result, held, row, lanes)

    @_do.register
    def _(self, action: ir.Store, lanes: Mask) -> None:
        size = action.type.bytes
        held = bits_type(size)
        values = np.stack([self.value(value, held) for value in action.values], axis=1)
        for reached in self._reached(action.place, size * len(action.values), lanes, writes=True):
            reached.write(np.ascontiguousarray(values[reached.lanes]).view(np.uint8))

    @_do.register
    def _(self, action: ir.Atomic, lanes: Mask) -> None:
        held = bits_type(action.type.bytes)
        operands = [self.value(operand, held) for operand in action.operands]
        old = np.zeros(32, held.numpy)
        for reached in self._reached(action.place, held.bytes, lanes, writes=True):
            for lane, offset in zip(reached.lanes.tolist(), reached.offsets.tolist(), strict=True):
                cell = reached.area[offset : offset + held.bytes]
                before = np.frombuffer(cell.tobytes(), held.numpy)
                old[lane] = before[0]
                own = (operand[lane : lane + 1] for operand in operands)
                after = exchange(action.change, action.type, before, *own)
                cell[:] = np.frombuffer(after.astype(held.numpy).tobytes(), np.uint8)
        self.write(action.result, held, old, lanes)

    @_do.register
    def _(self, action: ir.Copy, lanes: Mask) -> None:
        rows = np.zeros((LANES, action.bytes), np.uint8)
        for reached in self._reached(action.source, action.bytes, lanes, writes=False):
            rows[reached.lanes] = reached.read(action.bytes)
        rows[np.arange(action.bytes) >= self.value(action.available, U32)[:, None]] = 0
        for reached in self._reached(action.target, action.bytes, lanes, writes=True):
            reached.write(rows[reached.lanes])

    # ---- where lanes go

    @_do.register
    def _(self, action: ir.Branch, lanes: Mask) -> None:
        self.warp.pc[lanes] = self.routine.first_pc + action.target

    @_do.register
    def _(self, action: ir.Choose, lanes: Mask) -> None:
        index = self.value(action.index, U32)
        for lane in numbers(lanes):
            if index[lane] >= len(action.targets):
                raise self.fail(BAD_CALL, lane, int(index[lane]))
            self.warp.pc[lane] = self.routine.first_pc + action.targets[int(index[lane])]

    @_do.register
    def _(self, action: Call, lanes: Mask) -> None:
        for lane in numbers(lanes):
            number: int | None
            if isinstance(action.target, int):
                number = action.target
            else:
                address = int(self.value(action.target, TYPES["u64"])[lane])
                number = self.entries.get(address)
                if number is None:
                    raise self.fail(BAD_CALL, lane, address)
            self._enter(lane, action, self.program.routines[number])

    def _enter(self, lane: int, call: Call, callee: Routine) -> None:
        warp, depth = self.warp, int(self.warp.depth[lane])
        room = warp.base[lane] + self.routine.frame_bytes + callee.frame_bytes
        if depth + 1 >= _MAX_DEPTH or room > self.local_bytes:
            raise self.fail(TOO_DEEP, lane)
        if len(call.arguments) != len(callee.parameters):
            raise self.fail(BAD_CALL, lane)
        move(self.frame, call.arguments, warp.frame(depth + 1, callee), callee.parameters, lane=lane)
        warp.back[depth, lane] = self.pc
        warp.depth[lane] = depth + 1
        warp.base[lane] += self.routine.frame_bytes
        warp.pc[lane] = callee.first_pc

    @_do.register
    def _(self, action: ir.Return, lanes: Mask) -> None:
        warp = self.warp
        for lane in numbers(lanes):
            depth = int(warp.depth[lane])
            if depth == 0:
                warp.alive[lane] = False
                continue
            pc = warp.back[depth - 1, lane]
            caller, call = self.routines[pc], self.steps[pc].action
            assert isinstance(call, Call)
            move(self.frame, self.routine.results, warp.frame(depth - 1, caller), call.results, lane=lane)
            warp.depth[lane] = depth - 1
            warp.base[lane] -= caller.frame_bytes
            warp.pc[lane] = pc + 1

    @_do.register
    def _(self, action: ir.Exit, lanes: Mask) -> None:
        self.warp.alive[lanes] = False

    @_do.register
    def _(self, action: ir.Trap, lanes: Mask) -> None:
        raise self.fail(TRAPPED, int(lanes.argmax()))

    @_do.register
    def _(self, action: ir.External, lanes: Mask) -> None:
        if action.name == "__assertfail":
            raise self.fail(ASSERTED, int(lanes.argmax()))
        for lane in numbers(lanes):
            area = self.frame.arguments[lane]
            words = [int.from_bytes(area[at : at + size].tobytes(), "little") for at, size in action.arguments]
            result = _EXTERNALS[action.name](self, lane, words)
            for at, size in action.results:
                area[at : at + size] = np.frombuffer(result.to_bytes(8, "little")[:size], np.uint8)

    def print_lane(self, lane: int, words: list[int]) -> int:
        """Printf."""
        try:
            text, count = formatted(self.space, self.warp.number, lane, words[0], arguments=words[1])
        except Unreachable as wrong:
            raise self.fail(OUT_OF_BOUNDS, lane, words[0], 1) from wrong
        self.output.append(text)
        return count

    def take_memory(self, lane: int, words: list[int]) -> int:
        """malloc: memory is never used twice, so free has nothing to do."""
        assert self.memory.heap is not None
        found, self.heap_next = self.heap_next, self.heap_next + (words[0] + 15 & ~15)
        return found if self.heap_next <= self.memory.heap.end else 0

    # ---- lanes and threads meet

    @_do.register
    def _(self, action: ir.Barrier, lanes: Mask) -> None:
        number = self.value(action.number, U32)
        threads = self.value(action.threads, U32) if action.threads is not None else np.zeros(32, np.uint32)
        votes = self.value(action.predicate, TYPES["u8"]) if action.predicate is not None else np.zeros(32, np.uint8)
        for lane in numbers(lanes):
            key = int(number[lane]) & 15
            result = self.barriers.results.pop((self.warp, lane), None)
            if not action.waits:
                self.barriers.pass_by(key)
            elif not action.reduction:
                self.barriers.arrive(key, self.warp, lane, Waiting(int(threads[lane])))
            elif result is None:
                self.warp.pc[lane] = self.pc  # to come here again for the result
                self.barriers.arrive(key, self.warp, lane, Waiting(int(threads[lane]), bool(votes[lane])))
            else:
                self._vote(action, result, lane)

    def _vote(self, action: ir.Barrier, result: tuple[int, int], lane: int) -> None:
        count, came = result
        found = {"popc": count, "and": int(count == came), "or": int(count > 0)}[action.reduction]
        only = np.arange(32) == lane
        self.write(action.result, U32 if action.reduction == "popc" else TYPES["u8"], np.array(found), only)

    @_do.register
    def _(self, action: ir.WarpBarrier, lanes: Mask) -> None:
        pass

    @_do.register
    def _(self, action: ir.ActiveMask, lanes: Mask) -> None:
        self.write(action.result, U32, np.array(bits_of_mask(lanes)), lanes)

    @_do.register
    def _(self, action: ir.Shuffle, lanes: Mask) -> None:
        values, distance, clamp = (self.value(part, U32) for part in (action.value, action.lane, action.clamp))
        found, valid = values.copy(), np.zeros(32, np.uint8)
        for lane in numbers(lanes):
            source, is_valid = source_lane(action.mode, lane, int(distance[lane]), int(clamp[lane]))
            found[lane], valid[lane] = values[source], is_valid
        self.write(action.result, U32, found, lanes)
        self.write(action.valid, TYPES["u8"], valid, lanes)

    @_do.register
    def _(self, action: ir.Vote, lanes: Mask) -> None:
        votes = (self.value(action.predicate, TYPES["u8"]) != 0) & lanes
        everyone = bool((votes == lanes).all())
        found = {"all": everyone, "any": votes.any(), "uni": everyone or not votes.any(), "ballot": bits_of_mask(votes)}
        type_ = U32 if action.mode == "ballot" else TYPES["u8"]
        self.write(action.result, type_, np.array(int(found[action.mode])), lanes)

    @_do.register
    def _(self, action: ir.Match, lanes: Mask) -> None:
        values = self.value(action.value, bits_type(action.type.bytes))
        for lane in numbers(lanes):
            same = lanes & (values == values[lane])
            agree = bool((same == lanes).all())
            found = bits_of_mask(same) if action.mode == "any" or agree else 0
            only = np.arange(32) == lane
            self.write(action.result, U32, np.array(found), only)
            self.write(action.agrees, TYPES["u8"], np.array(int(agree)), only)

    @_do.register
    def _(self, action: ir.Reduce, lanes: Mask) -> None:
        values = self.value(action.value, U32)[lanes]
        total = values[:1]
        for number in range(1, len(values)):
            total = exchange(action.change, action.type, total, values[number : number + 1])
        self.write(action.result, U32, total[0], lanes)


_EXTERNALS: dict[str, Callable[[Runner, int, list[int]], int]] = {
    "vprintf": Runner.print_lane,
    "malloc": Runner.take_memory,
    "free": lambda runner, lane, words: 0,
}
