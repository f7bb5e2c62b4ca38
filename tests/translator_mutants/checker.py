"""Bugs in the run-time library of ``run --check``, which is C++: each takes half a minute, as it is compiled anew."""

from __future__ import annotations

from translator_mutants.mutant import Mutant, bugs

_CHECK = "cpu/runtime/source/check"
_KERNELS = "tests/cpu/behaviour/test_checker.py"

SLOW: tuple[list[Mutant], ...] = (
    bugs(
        f"{_CHECK}/order.cpp",
        _KERNELS,
        ("    me.for_block.learn(state.me);\n", "", "test_clean[a compare-and-swap hands on]"),
        (
            "if (whole_device) me.for_device = me.for_block;",
            "me.for_device = me.for_block;",
            "test_finds[a fence for the block alone]",
        ),
        (
            "if (variable.block != this_block()) variable.for_block = {}, variable.block = this_block();",
            "variable.block = this_block();",
            "test_finds[a fence for the block alone]",
        ),
        ("    variables.erase(address);\n", "", "test_finds[a store in the place of a released flag]"),
        (
            "    share_fences(thread, with);\n",
            "",
            "test_correct_twin[a barrier behind fences that not all threads have made]",
        ),
        (
            "std::min_element(std::begin(met.lanes)",
            "std::max_element(std::begin(met.lanes)",
            "test_finds[a fence of a lane that has met others than the writer]",
        ),
        (
            "lanes.fences = fences;",
            "",
            "test_clean[fences before a warp's barrier, and before the block's]",
        ),
    ),
    bugs(
        f"{_CHECK}/order.cpp",
        _KERNELS,
        (
            "        if (!happened_before(reader.stamp)) return reader;\n",
            "",
            "test_finds[one of three blocks reads behind its fence]",
        ),
    ),
    bugs(
        f"{_CHECK}/copies.cpp",
        _KERNELS,
        (
            "if (is_word) use(origins[0], 4, pc);",
            "if (is_word) ;",
            "test_finds[use of what a fetch copied and a later block writes]",
        ),
        ("else use(origins[0], 1, pc);", "", "test_finds[use of characters that a fetch copied]"),
    ),
    bugs(
        f"{_CHECK}/locals.cpp",
        _KERNELS,
        (
            "lose_value(const_cast<const void *>(start), bytes);",
            ";",
            "test_finds[the old value of an exchange in memory]",
        ),
        ("    if (!brought.bytes) return;\n", "    return;\n", "test_finds[value of a lane that has none]"),
    ),
    bugs(
        f"{_CHECK}/warps.cpp",
        _KERNELS,
        ("    if (whole) {\n", "    if (true) {\n", "test_finds[two groups of a warp]"),
        (
            "all[lane] = static_cast<uint16_t>(now);",
            "all[lane] = static_cast<uint16_t>(before);",
            "test_clean[groups of a warp read and write in turns]",
        ),
    ),
    bugs(
        f"{_CHECK}/atomic_hooks.cpp",
        _KERNELS,
        (
            "            acquire_at_fence(plain(p));                            \\\n",
            "            acquire(plain(p));                                     \\\n",
            "test_finds[a relaxed load of a released flag]",
        ),
        ("if (done) release(plain(p));", "(void)done;", "test_clean[a compare-and-swap hands on]"),
    ),
    bugs(
        f"{_CHECK}/events.cpp",
        _KERNELS,
        (
            "    state.phase_start = ++state.phase << phase_shift;\n}\nuint64_t phase_now()",
            "}\nuint64_t phase_now()",
            "test_correct_twin[missing barrier]",
        ),
        (
            "set_bits(state.device.exists, state.device.offset(start), bytes, true);",
            "set_bits(state.device.exists, state.device.offset(start), bytes + 4, true);",
            "test_finds[read beyond the end]",
        ),
        (
            "        if (is_of_kernel(variable, launched.name, launched.function))\n",
            "",
            "test_the_shared_memory_of_another_kernel_is_out_of_bounds",
        ),
    ),
    bugs(
        f"{_CHECK}/queues.cpp",
        "tests/planted/test_user.py",
        (
            "if (!finished || !behind_finished) kept",
            "if (!finished) kept",
            "test_the_examples_of_the_document_are_found",
        ),
    ),
    bugs(
        f"{_CHECK}/races.cpp",
        _KERNELS,
        (" && readers_happened_before(cell)", "", "test_finds[one of many readers reads behind its fence]"),
    ),
    bugs(
        f"{_CHECK}/races.h",
        _KERNELS,
        (
            "return warp_phase_of(access) != last_warp_phase;",
            "return true;",
            "test_clean[a warp that meets very often]",
        ),
    ),
)
