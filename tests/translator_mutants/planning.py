"""Bugs in the plans of tiles, and in barriers."""

from __future__ import annotations

from translator_mutants.mutant import Mutant, bugs

QUICK: tuple[list[Mutant], ...] = (
    bugs(
        "lowering/barriers",
        "tests/lowering/test_barriers.py",
        (
            "if _conflicts_around(step, _left(placed), _entry_of(placed), memory):",
            "if False:",
            "test_barriers",
        ),
        ("            placed.append(_barrier(step.location))\n", "", "test_barriers"),
        (
            "frozenset(name for name, (_, offset) in kept if another not in offset.names)",
            "frozenset(name for name, _ in kept)",
            "test_barriers",
        ),
        (
            "replace(touch, accesses=touch.accesses.within(memory.shared)) for touch in (before, after)",
            "replace(touch, accesses=NOTHING) for touch in (before, after)",
            "test_barriers",
        ),
        ("if _conflicts_around(step, early, _entry_of(placed), memory):", "if False:", "test_barriers"),
        (
            "meet(before.writes, after.reads) or meet(before.writes, after.writes)",
            "meet(before.writes, after.reads)",
            "test_barriers",
        ),
        ("or meet(before.reads, after.writes)", "", "test_barriers"),
        ("and not (a == b and a in own)", "", "test_none_for_cells_that_a_thread_keeps_to_itself"),
        (
            "    return bool(classes & {kind for name, kind in after.updates if name == second})",
            "    return True",
            "test_barriers",
        ),
        ("result = (*pending, step.head)\n", "result = pending\n", "test_barriers"),
        (
            "return (step.head, *(item for body in step.inner for item in _entry_of(body)))",
            "return tuple(item for body in step.inner for item in _entry_of(body))",
            "test_barriers",
        ),
    ),
    bugs(
        "lowering/barriers",
        "tests/lowering/test_placed_barriers.py",
        (
            'touches += _left_early(body, ("continue", "break")) if self.is_loop else ()',
            "touches += ()",
            "test_what_is_open_at_a_jump_is_open_behind_the_loop",
        ),
        (
            "return (*result, *(item for item in step.left_inside if item not in result))",
            "return result",
            "test_what_happens_inside_is_open_behind",
        ),
        (
            "        if step.inner and not step.is_loop:\n            for body",
            "        if False:\n            for body",
            "test_what_is_open_at_a_jump_is_open_behind_the_loop",
        ),
        ("a == b or ANYWHERE in (a, b) or", "a == b or", "test_accesses_meet_if_one_writes"),
        ("(a == b and a in own)", "(a in own)", "test_who_keeps_to_cells_of_an_array_may_meet_others_in_an_alias"),
        (
            "if _conflicts_around(step, early, (), memory):",
            "if False:",
            "test_a_round_that_ends_early_must_not_decide_about_the_next",
        ),
        (
            "if after.owner and after.owner == before.owner == step.round_owner:",
            "if after.owner:",
            "test_threads_may_have_the_same_work_in_each_round",
        ),
        (
            "if after.owner and after.owner == before.owner == step.round_leader:",
            "if after.owner == before.owner == step.round_leader:",
            "test_one_arm_of_a_condition_is_no_round",
        ),
        (
            "if isinstance(before.stmt, Fetch) or _conflicts(",
            "if _conflicts(",
            "test_a_barrier_stands_right_behind_its_cause_and_any_fetch",
        ),
        (
            "        if step.is_loop:\n            early",
            "        if True:\n            early",
            "test_one_arm_of_a_condition_is_no_round",
        ),
        ("reason or step.divergent", "step.divergent", "test_the_outermost_reason_is_told"),
        (
            "(step.synchronises and not is_told)) and reason",
            "step.synchronises) and reason",
            "test_a_reduction_is_told_alone",
        ),
    ),
    bugs(
        "lowering/thread_ownership",
        "tests/lowering/test_thread_ownership.py",
        (
            "found[name] = pattern if found.setdefault(name, pattern) == pattern else None",
            "found[name] = pattern",
            "test_they_wait_where_a_tile_has_elements_of_others",
        ),
        (
            "first + loop.loop.step * Polynomial",
            "first + Polynomial",
            "test_threads_wait_where_they_take_elements_of_others",
        ),
        ("if rest or not offset.names <= still:", "if rest:", "test_they_wait_where_the_base_changes_in_between"),
        (
            "total = total * extent + index",
            "total = total + index",
            "test_threads_wait_where_they_take_elements_of_others",
        ),
        (
            "wrapped = offset.constant_term % (scale * self.threads)",
            "wrapped = offset.constant_term % scale",
            "test_threads_wait_where_they_take_elements_of_others",
        ),
        (
            "            found |= dict.fromkeys(_copied(node))\n",
            "",
            "test_they_wait_where_a_tile_has_elements_of_others",
        ),
    ),
    bugs(
        "caching/sizing/extents",
        "tests/caching/sizing/test_extents.py",
        ("self.end - 1 - high", "self.end - high", "test_what_is_proved"),
        ("end - bound.lower - length)", "end - bound.lower - length + 1)", "test_what_is_proved"),
        ("if names <= survey.stable(()) - memory_variables(region) else None", "", "test_what_is_proved"),
        ("names <= survey.stable(()) - memory_variables(region)", "names <= survey.stable(())", "test_what_is_proved"),
        ("return (*section, False) if section", "return (*section, True) if section", "test_what_is_proved"),
        ("return (first, first + length) if length", "return (first, length) if length", "test_what_is_proved"),
        ("if item.subarray.variable == array]", "]", "test_what_is_proved"),
    ),
    bugs(
        "caching/sizing/sharing",
        "tests/caching/sizing/test_sharing.py",
        ("unknown = lower.names - stable - set(loops)", "unknown = lower.names - stable", "test_what_a_block_shares"),
        ("elif len(names) > 1:", "elif len(names) > 2:", "test_what_a_block_shares"),
        (
            "            if dimension.axis in used:\n                reason = reason or",
            "            if False:\n                reason = reason or",
            "test_what_a_block_shares",
        ),
        ("if sigma < 0:", "if sigma > 0:", "test_what_a_block_shares"),
        ("start = start + sigma * (Polynomial", "start = start + (Polynomial", "test_what_a_block_shares"),
        (
            'lower, length, loop.block, variable, rate, loop.loop.step, shared.extent, start), ""',
            'lower, length, loop.block, variable, rate, 1, shared.extent, start), ""',
            "test_what_a_block_shares",
        ),
        (
            "shared_range(lower, variable, loop.loop.step, length, loop.threads)",
            "shared_range(lower, variable, 1, length, loop.threads)",
            "test_what_a_block_shares",
        ),
    ),
    bugs(
        "caching/writes",
        "tests/caching/test_writes.py",
        ('return "flag" if all(use.guard for use in writes) else "owner", ""', 'return "owner", ""', "test_writes"),
        (
            "if not request.effect.fills([(dimension.lower, dimension.length) for dimension in request.dimensions]):",
            "if False:",
            "test_writes",
        ),
        ("if {dimension.axis for dimension in following} != request.axes:", "if False:", "test_writes"),
        ("if distance != dimension.length:", "if distance < dimension.length:", "test_writes"),
        ("if distance != dimension.length:", "if distance > dimension.length:", "test_writes"),
        ("len(set(indices)) != 1 or first_unproved", "first_unproved", "test_writes"),
        ("return axes == request.axes", "return True", "test_writes"),
        ('and not sure and any(use.guard == "if" for use in writes)', "and not sure", "test_writes"),
        ("and not sure and any(", "and any(", "test_writes"),
        ("if request.left_at:", "if False:", "test_writes"),
        ("not request.is_read and write_policy", "write_policy", "test_writes"),
    ),
    bugs(
        "caching/sizing/bounds",
        "tests/caching/test_choice.py",
        ("inclusive = any(index == length for index in self.indices)", "inclusive = False", "test_choice"),
        ("<= self.stable:", "<= self.stable | polynomial.names:", "test_choice"),
        ("changed = sorted(lower.names & self.changing)", "changed: list[str] = []", "test_choice"),
    ),
    bugs(
        "caching/sizing/padding",
        "tests/caching/sizing/test_padding.py",
        ("return 1 if padded < plain else 0", "return 1 if padded <= plain else 0", "test_padding"),
        ("return 1 if padded < plain else 0", "return 0", "test_padding"),
        ("distance % BANK_BYTES == 0 else 1", "True else 1", "test_padding"),
        ("prod(extents[depth + 1 :])", "prod(extents[depth:])", "test_padding"),
    ),
    bugs(
        "caching/rewrite_references",
        "tests/caching/test_rewrite_references.py",
        ("relative = index - dimension.start", "relative = index - dimension.lower", "test_references"),
        ("or (only and node not in only):", ":", "test_references"),
        ("base.name != tile.array or len(subscripts) != rank", "len(subscripts) != rank", "test_references"),
    ),
    bugs(
        "caching/choice",
        "tests/caching/test_choice.py",
        ("reasons[-1] if reasons else _in_range(request)", "_in_range(request)", "test_choice"),
    ),
)
