"""Bugs in what is printed, in how programs run on a CPU, and in the cache model."""

from __future__ import annotations

from translator_mutants.mutant import Mutant, bugs

QUICK: tuple[list[Mutant], ...] = (
    bugs(
        "emit/conversions",
        "tests/emit/test_conversions.py",
        ("to.size < source.size and not _is_literal(value)", "to.size < source.size", "test_what_narrows"),
        ("return known is None or abs(known) > EXACT_FLOATS", "return known is None", "test_what_narrows"),
        ("return not (holds(to, known) or widens(source, to))", "return not widens(source, to)", "test_what_narrows"),
        ("return not (holds(to, known) or widens(source, to))", "return not holds(to, known)", "test_what_narrows"),
        ("return to.is_integer or (", "return (", "test_what_narrows"),
    ),
    bugs(
        "cpu/launches",
        "tests/cpu/test_launches.py",
        (
            'kept = [token.text for token in tokens[first:position] if token.text != "static"]',
            "kept = [token.text for token in tokens[first:position]]",
            "test_shared_comes_first",
        ),
    ),
    bugs(
        "cpu/locals",
        "tests/cpu/test_locals.py",
        ("return not _is_filled(tokens, declared, first, end)", "return False", "test_declarations"),
        (' or closed != ["}"] * len(lengths)', "", "test_declarations"),
        ("return always and is_set", "return is_set", "test_declarations"),
        ("if not _JUMPS.isdisjoint(body) or any(", "if any(", "test_declarations"),
        ("if counts or referred or assigned or before", "if referred or assigned or before", "test_declarations"),
        ("if any(_is_target(tokens, index) for index in range(first, end)):", "if False:", "test_declarations"),
        ('        elif text == "}" and scopes:\n            scopes.pop()\n', "", "test_declarations"),
    ),
    bugs(
        "cpu/definitions",
        "tests/cpu/test_locals.py",
        ('elif text == "(" and COPY_ROUTINE.search(before.text):', "elif False:", "test_not_announced"),
    ),
    bugs(
        "cpu/definitions",
        "tests/cpu/test_definitions.py",
        (
            'sum(all(token.text != "=" for token in tokens[first:last]) for first, last in parts)',
            "sum(1 for _ in parts)",
            "test_template_arguments_that_say_which_function_a_kernel_is",
        ),
        ("if kernel.name in needed or has_default:", "if has_default:", "test_calls_choose_the_function_of_a_launch"),
        ("if name not in several}", "}", "test_declarations_and_shared_names_have_no_parameters"),
    ),
)

# Their tests have a cache model compiled, or programs.
SLOW: tuple[list[Mutant], ...] = (
    bugs(
        "l1/traffic",
        "tests/l1/test_traffic.py",
        (
            "policies[site] = POLICIES.index(self.sites[site].policy)",
            "policies[site] = 0",
            "test_a_load_that_may_be_cached_keeps_its_own_policy",
        ),
        ("sites = groups[pair[0]] | groups[pair[1]]", "sites = groups[pair[0]]", "test_by_hand"),
        ("hit_both.diagonal().copy()", "hit_both[0].copy()", "test_by_hand"),
        ("POLICIES.index(bypassed), np.int8)", "0, np.int8)", "test_by_hand"),
    ),
    bugs(
        "l1/hierarchy",
        "tests/l1/test_hierarchy.py",
        (
            "victim = min(lines, key=lambda line: lines[line].priority)",
            "victim = next(iter(lines))",
            "test_priorities_choose_who_goes",
        ),
        ("there = lines.pop(line, None)", "there = lines.get(line)", "test_a_load_that_keeps_nothing_does_not_renew"),
        ("if policy != CG else None", "if True else None", "test_only_cg_does_not_look_into_l1"),
        ("if policy in (CG, NO_ALLOCATE):", "if policy == CG:", "test_what_a_load_between_does_to_others"),
        ("if missing and self.how.fills_lines:", "if False:", "test_a_miss_fetches_the_sectors_asked_for_or_the_line"),
        (
            "placed.dirty |= mask if store else 0",
            "placed.dirty |= mask",
            "test_l2_serves_what_l1_lost_and_writes_what_it_evicts",
        ),
        ("        self.written += dirty.bit_count()\n", "", "test_l2_serves_what_l1_lost_and_writes_what_it_evicts"),
        (
            "{EVICT_FIRST: ONLY_FIRST, EVICT_LAST: LAST}",
            "{EVICT_FIRST: ONLY_FIRST}",
            "test_a_line_to_evict_last_stays_while_others_come",
        ),
        (
            'there = self.l1.find(index, line)\n        if self.how.writes == "evict" and there:',
            "there = self.l1.find(index, line)\n        if False:",
            "test_only_allocation_keeps_what_was_stored",
        ),
    ),
    bugs(
        "l1/requests",
        "tests/l1/test_model.py",
        (
            "1 if widest <= 4 else 2 if widest <= 8 else 4",
            "1 if widest <= 8 else 2",
            "test_warps_halves_and_quarters_are_served_together",
        ),
        ("if shape.splits_wide else 1", "if True else 1", "test_since_volta_all_lanes_are_served_together"),
        (
            "+ int(accesses.bytes[at]) - 1) >> shape.sector_bits",
            ") >> shape.sector_bits",
            "test_what_holds_for_every_trace",
        ),
        ("if _key(accesses, at[thread]) == key]", "]", "test_lanes_at_different_sites_are_not_served_together"),
        ("wanted = (lane // lanes, line)", "wanted = (0, line)", "test_warps_halves_and_quarters_are_served_together"),
    ),
    bugs(
        "l1/carving",
        "tests/l1/test_carving.py",
        (
            "for array, row in rows.items() if array not in tiled)",
            "for array, row in rows.items())",
            "test_what_others_lose_by_the_carve_out",
        ),
        (
            "- self.fetched - self.others_then - self.stored_then",
            "- self.fetched - self.stored_then",
            "test_what_others_lose_by_the_carve_out",
        ),
        (
            "after = _by_array(left, then, name, tools)",
            "after = _by_array(left, gpu, name, tools)",
            "test_what_others_lose_by_the_carve_out",
        ),
        ("+ tiled.lines_shared - tiled.reused", "- tiled.reused", "test_lines_are_judged_together"),
    ),
    bugs(
        "cpu/launches",
        "tests/cpu/test_thread_loops.py",
        (
            'call, target = "launch_blocks" if plain in by_block else "launch", kernel',
            'call, target = "launch", kernel',
            "test_loops_give_what_fibers_give",
        ),
    ),
    [
        Mutant(
            "l1/traffic",
            'stores=gpu.writes != "around"',
            "stores=True",
            "",
            "stores that go around L1 leave it as it is, and only loads are counted: without them it is quicker",
        ),
    ],
)
