"""Bugs in how CUDA kernels are read as C, and in what their second versions and launches take for granted."""

from __future__ import annotations

from translator_mutants.mutant import Mutant, bugs

_OTHERWISE = "tests/preload/behaviour/test_other_readings.py"
_ALIKE = "test_what_all_compilers_answer_alike_is_read"
_ANSWERS = "test_what_compilers_answer_in_different_ways_decides_nothing"
_BY_NAMES = "test_nor_do_they_by_another_name_or_in_another_place"
_IN_C = "test_what_c_reads_otherwise_is_told"
_ELSEWHERE = "test_what_cplusplus_finds_elsewhere_is_told"
_AGAIN = "test_headers_that_are_empty_again_are_read"
_STAY = "test_macros_from_outside_stay_what_they_were"
_NO_LINES = "test_a_text_that_asks_for_no_macro_gets_no_lines_for_them"
_COUNTS = "test_the_last_option_for_a_macro_counts"
_CHANGES = "test_what_a_function_changes_is_seen_or_told"
_WRITES = "test_what_nobody_knows_may_write"

_COMMON = "tests/preload/behaviour/test_common_forms.py"
_MACROS = "test_what_a_macro_may_make_something_else_of_stays"
_CONSTANT = "test_bounds_in_constant_memory_are_those_of_all_threads"
_FORMS = "test_kernels_in_common_forms_get_their_copies"
_LEAVING = "test_threads_that_leave_in_other_ways_keep_loops_whole"
_OWN = "test_a_reference_in_an_element_of_another_array_is_its_own"
_SAME = "test_copies_in_common_forms_make_no_difference"

QUICK: tuple[list[Mutant], ...] = (
    bugs(
        "cuda/conditions",
        _OTHERWISE,
        ("if is_inside and _INCLUDE.match(", "if False and _INCLUDE.match(", _IN_C),
        (
            "reaching = [*spans, *(span for span, header in file.headers if _has(header, ids))]",
            "reaching = [*spans]",
            _BY_NAMES,
        ),
        (
            "        reaching += [span for span, name in _definitions(file) if name in used]\n        for group",
            "        for group",
            _ANSWERS,
        ),
        ("if word and any(_meet(span, group.span) for span in reaching):", "if word:", _ALIKE),
        ("for word in sorted((used & _PLACES) | names_itself):", "for word in sorted(names_itself):", _IN_C),
        ("for word in sorted((used & _PLACES) | names_itself):", "for word in sorted(used & _PLACES):", _IN_C),
        (
            "names_itself = used_words(cuda, kept[:1]) & FUNCTION_NAMES",
            "names_itself = used & FUNCTION_NAMES",
            "test_a_function_that_a_kernel_calls_keeps_its_name",
        ),
        ("for word in sorted(used & _REPLACED &", "for word in sorted(set() & _REPLACED &", _ELSEWHERE),
        ("for word in sorted(used & _TAKEN):", "for word in ():", _IN_C),
        ("for place in left_out) and any(_has_macros(header)):", "for place in left_out) and False:", _ELSEWHERE),
        ("for place in left_out) and any(_has_macros(header)):", "for place in left_out):", _AGAIN),
        ("if named is None:", "if False:", _ELSEWHERE),
        ("if any(any(_has_macros(part)) and not _is_guarded(part) for", "if any(any(_has_macros(part)) for", _AGAIN),
        ("if any(any(_has_macros(part)) and not _is_guarded(part) for", "if any(not _is_guarded(part) for", _AGAIN),
        ("if any(any(_has_macros(part)) and not _is_guarded(part) for", "if any(False for", _ELSEWHERE),
        ("if _ONCE.search(header.source.text):", "if False:", _AGAIN),
        ('words[1] == ["define", words[0][-1]]', 'words[1][0] == "define"', _ELSEWHERE),
        ('in (["ifndef"], ["if"])', 'in (["ifndef"],)', _AGAIN),
        ('if group.words & {"__CUDACC__", "__NVCC__"}]', "if False]", _AGAIN),
        (
            "empty = {name for name, text in macros(cuda) if text.rstrip().endswith(name)}",
            "empty = set[str]()",
            _NO_LINES,
        ),
        (
            "        reaching += [span for span, name in _definitions(file) if name in used]\n        near",
            "        near",
            _STAY,
        ),
        (
            "near = (group for group in _groups(file) if any(",
            "near = (group for group in _groups(file) if True or any(",
            _STAY,
        ),
        ("sorted(_with_those_behind(asked | used, values))", "sorted((asked | used) & values.keys())", _COUNTS),
        (
            "sorted(_with_those_behind(asked | used, values))",
            "sorted(_with_those_behind(asked, values))",
            "test_macros_that_no_condition_asks_for_stay_as_well",
        ),
        ("absent = asked - values.keys() - empty", "absent = asked - empty", _STAY),
        ("for name in sorted(absent) if not _OWN.match(name)", "for name in sorted(absent)", _NO_LINES),
        ("values.pop(found[2], None)", "pass", _COUNTS),
        ("'1' if found[4] is None", "'0' if found[4] is None", _STAY),
        (
            "return one.start < other.end and other.start < one.end",
            "return one.start < other.start < one.end",
            _ANSWERS,
        ),
        ("if word in self.tainted:", "if False:", _BY_NAMES),
        ("return word not in self.defined and word", "return word", _ALIKE),
        ("and word not in _PLATFORM and", "and", _ALIKE),
        ("if any(map(own, _words(text) - {name}))", "if False", _BY_NAMES),
        ("if any(map(own, group.words)):", "if False:", _BY_NAMES),
        ('| set(_GIVEN.findall(" ".join(given))))', ")", _ALIKE),
        ('if opened and found[1] not in ("else", "endif"):', 'if found[1] in ("if", "ifdef", "ifndef"):', _ANSWERS),
        (
            "for span, header in file.headers:\n        if place.start <= span.start < place.end:",
            "for span, header in file.headers:\n        if False:",
            _BY_NAMES,
        ),
        ('HASH}(?:define|undef){BLANK}(\\w+)")\n_SYSTEM', 'HASH}(?:define){BLANK}(\\w+)")\n_SYSTEM', _BY_NAMES),
        ('_WORD.findall(_COMMENT.sub(" ", text))', "_WORD.findall(text)", _ALIKE),
        ("    _expect_included_once(cuda, kept)\n    groups", "    groups", _ELSEWHERE),
    ),
    bugs(
        "cuda/view",
        _OTHERWISE,
        ("        refuse_unread(cuda, kernel, text, unit)\n        _refuse", "        _refuse", _IN_C),
        ("        _refuse_sizes(cuda, kernel, text, unit)\n", "", _IN_C),
        ("    _refuse_left_out(cuda, kernel, unit)\n    bodies", "    bodies", _CHANGES),
        (
            "            _refuse_left_out(cuda, kernel, unit)\n",
            "            pass\n",
            "test_a_type_that_is_no_c_is_named",
        ),
        ("name = min(called & (declared | defined)", "name = min(called & (declared - defined)", _WRITES),
        ("name = min(called & (declared | defined)", "name = min(called & (defined - declared)", _WRITES),
        ("    _refuse_sizes_of_records(cuda, kernel, text, bodies)\n", "", _IN_C),
        ("    _refuse_constants(cuda, kernel, text, bodies)\n", "", _ELSEWHERE),
        ("    _refuse_unknown_calls(cuda, kernel, bodies, {", "    print({", _WRITES),
        ('item.kind in ("device", "type")}', 'item.kind == "device"}', _CHANGES),
        ('item.kind in ("device", "type")}', 'item.kind == "type"}', _CHANGES),
    ),
    bugs(
        "cuda/view_text",
        _OTHERWISE,
        ("if writing_operators(cuda):", "if False:", _WRITES),
        ("if operates_on_enumerations(cuda, kept):", "if False:", _ELSEWHERE),
        ("    expect_same_text(cuda, kept, given)\n", "", _ANSWERS),
        ("    expect_one_scope(cuda, kept)\n", "", _IN_C),
        ("    expect_calls_in_text(cuda, kept)\n", "", _CHANGES),
        ("return replace(made, outside=outside_names(cuda, kept, given))", "return made", _STAY),
    ),
    bugs(
        "cuda/text",
        _OTHERWISE,
        ("return read if len(words) == 1 else", "return read if words else", _WRITES),
    ),
    bugs(
        "cuda/blanks",
        _OTHERWISE,
        ("{'|'.join(OF_FUNCTIONS)}", "__host_", "test_a_macro_may_hold_the_words_of_a_device_function"),
    ),
    bugs(
        "cuda/needed",
        _OTHERWISE,
        ("waiting += [named[word]] if word in named else []", "pass", _BY_NAMES),
        (
            "waiting = {word for name in waiting for word in definitions.get(name, ())} - found",
            "waiting = set()",
            _BY_NAMES,
        ),
        ("set(_WORD.findall(text)[2:])", "set(_WORD.findall(text)[4:])", _CHANGES),
    ),
    bugs(
        "cuda/instances",
        _OTHERWISE,
        ("self.expect_known(item, site, first, end, known=known)", "pass", _CHANGES),
        ("word = min(local | (names &", "word = min((names &", _CHANGES),
        (
            "made[name] = enclosed(value, values[name]) if name in values else value",
            "made[name] = value",
            "test_a_value_of_a_template_is_one_operand",
        ),
    ),
    bugs(
        "cuda/overloads",
        _OTHERWISE,
        ("(_may_write(file, item) or _has_variables(cuda, file, item))", "False", _WRITES),
        ("is_conversion = not item.is_template and not", "is_conversion = True or not", _ELSEWHERE),
    ),
    bugs(
        "cuda/launch_sites",
        "tests/cuda/test_launch_sites.py",
        (
            "used & (FUNCTION_NAMES | _bound_names(cuda, site))",
            "used & FUNCTION_NAMES",
            "test_a_lambda_captures_no_structured_binding",
        ),
    ),
    bugs(
        "preload/obstacles",
        "tests/preload/test_obstacles.py",
        (
            'zip("xyz", block, strict=True) if extent > 1)',
            'zip("xyz", block, strict=True) if extent > 2)',
            "test_threads_that_blocks_do_not_have_miss_no_barrier",
        ),
    ),
    bugs(
        "preload/references",
        "tests/preload/test_obstacles.py",
        (
            'if may_share(parameter.type, ctype)), "")',
            'if False), "")',
            "test_variables_of_the_file_are_other_memory_if_types_say_so",
        ),
        (
            "                elif root is None:\n                    unknown = True\n",
            "",
            "test_variables_of_the_file_are_other_memory_if_types_say_so",
        ),
    ),
    bugs(
        "preload/regions",
        "tests/preload/test_obstacles.py",
        ("if alike and arrays.written:", "if False:", "test_a_kernel_of_one_dimension_races_in_blocks_of_two"),
    ),
    bugs(
        "preload/regions",
        "tests/preload/behaviour/test_preload.py",
        ("    if BARRIER in called:", "    if False:", "test_what_stands_against_a_copy"),
    ),
    bugs(
        "preload/regions",
        "tests/preload/behaviour/test_chunked_texts.py",
        ("if place == 0 else ()\n", "\n", "test_who_returns_does_not_come_back"),
        (" or not _is_condition_in_text(item[0], view):", ":", "test_a_condition_that_a_macro_holds_stays"),
        (
            "return is_wide_unsigned(counted) and not is_near",
            "return False",
            "test_chunks_are_not_counted_past_64_bits",
        ),
        ("start = (first + FAR) % (2 * FAR) - FAR", "start = first", "test_a_copy_at_the_entry_counts_as_an_int_does"),
        (
            "(loop.variable, values) if values[-1] < FAR else None",
            "(loop.variable, values)",
            "test_a_loop_that_passes_the_end_of_int_has_no_copy_at_the_entry",
        ),
    ),
    bugs(
        "preload/uniform",
        "tests/preload/behaviour/test_chunked_texts.py",
        (
            "{item.name for item in view.parameters} - assigned_variables(view.body)",
            "{item.name for item in view.parameters}",
            "test_members_of_a_structure_that_is_handed_over_are_the_same_for_all",
        ),
        ("not used_variables(value) <= names", "False", "test_an_index_may_have_what_a_block_computes_alike"),
        ("not is_harmless(value)", "False", "test_an_index_may_have_what_a_block_computes_alike"),
        (
            "if isinstance(node, IntLiteral) and node.spelling.isidentifier():",
            "if False:",
            "test_an_index_may_have_what_a_block_computes_alike",
        ),
    ),
    bugs(
        "preload/plan",
        "tests/preload/behaviour/test_chunked_texts.py",
        (
            "shadowed(self.arrays.names(_names(box)), self.view)",
            "shadowed(_names(box), self.view)",
            "test_an_index_may_have_what_a_block_computes_alike",
        ),
    ),
    bugs(
        "preload/plan",
        "tests/preload/behaviour/test_preload.py",
        (
            "return view.item.is_template or any(",
            "return view.item.is_template or False and any(",
            "test_copies_have_room_for_structures_that_are_aligned",
        ),
    ),
    bugs(
        "workflows/preload/program",
        _OTHERWISE,
        (
            "            _expect_same_macros(cuda, item)\n",
            "",
            "test_macros_that_a_kernel_changes_have_other_values_behind_it",
        ),
        (
            "if span.start < cuda.tokens[item.body].start:",
            "if False:",
            "test_a_head_with_lines_of_the_preprocessor_stays",
        ),
    ),
    bugs(
        "preload/references",
        "tests/preload/behaviour/test_chunked_texts.py",
        ("    if _has_constants(element):", "    if False:", "test_elements_that_cannot_be_assigned_are_told"),
    ),
    bugs(
        "emit/preload/chunks",
        "tests/preload/behaviour/test_chunked_texts.py",
        (
            "is_kept = any(node is counted.first for node in walk(start))",
            "is_kept = True",
            "test_a_loop_begins_where_its_variable_does",
        ),
        ('if "auto" in kind.split():', "if False:", "test_a_variable_of_a_loop_may_be_declared_in_any_form"),
        (
            "and (is_signed or isinstance(counted.limit, Cast))",
            "and False",
            "test_a_loop_ends_where_its_variable_does",
        ),
        (
            ' and before.text != "."',
            "",
            "test_members_of_a_structure_that_is_handed_over_are_the_same_for_all",
        ),
        (
            "is_enclosed = self.tokens[first].text in",
            "is_enclosed = False and self.tokens[first].text in",
            "test_what_only_active_threads_may_compute",
        ),
        ('in ("=", "(", "{")\n\n', 'in ("=",)\n\n', "test_what_only_active_threads_may_compute"),
        (" or self.tokens[stmt.first].text in _NAMING:", ":", "test_what_only_active_threads_may_compute"),
        (
            'if self.tokens[stmt.first + 1].text == "constexpr":',
            "if False:",
            "test_conditions_that_the_compiler_decides_stay",
        ),
    ),
    bugs(
        "emit/preload/version",
        "tests/preload/behaviour/test_chunked_texts.py",
        (
            "for array in arrays for other in written]",
            "for array in arrays for other in written[1:]]",
            "test_a_launch_asks_for_what_copies_take_for_granted",
        ),
        ("for name in arrays],", "for name in arrays[1:]],", "test_a_launch_asks_for_what_copies_take_for_granted"),
    ),
    bugs(
        "preload/macro_uses",
        _COMMON,
        ("if len(bodies) != 1 or", "if not bodies or", _MACROS),
        ("or closing(body, 1) != len(body) - 1:", "or False:", _MACROS),
        ("return body[0].text == array if given is None else", "return given is None or", _OWN),
    ),
    bugs(
        "preload/references",
        _COMMON,
        ("            elif again is None:\n", "            else:\n", "test_kernels_in_common_forms_get_their_copies"),
    ),
    bugs(
        "preload/uniform",
        _COMMON,
        ("if item.name not in assigned} | view.constants", "if item.name not in assigned}", _CONSTANT),
        ("- assigned_variables(view.body)) | view.constants", "- assigned_variables(view.body))", _FORMS),
    ),
    bugs(
        "preload/regions",
        _COMMON,
        (" and not any(any(leaving_jumps(each)) for each in done[:-1])", "", _LEAVING),
        ('"*", "(", "{"', '"*", "("', "test_a_table_of_the_file_is_no_macro"),
    ),
    bugs(
        "cuda/view",
        _COMMON,
        ("and scope[: len(around)] == around:", "and True:", "test_constants_of_other_namespaces_are_not_named"),
        ('if "__constant__" in words and', 'if "memory" and', _CONSTANT),
    ),
    bugs(
        "cuda/word_edits",
        _COMMON,
        (
            "self.reference, self.fetch, self.overloaded, self.instance, self.reader",
            "self.reference, self.fetch, self.overloaded, self.instance",
            _FORMS,
        ),
    ),
    bugs(
        "emit/preload/chunks",
        _COMMON,
        ('f"); if ({leaving})"', '"); if (true)"', _SAME),
        (
            "        if line is None:\n",
            "        if True:\n",
            "test_what_comes_in_front_of_a_loop_stands_in_front_of_its_pragma",
        ),
    ),
    bugs(
        "emit/preload/copies",
        _COMMON,
        ('== ["__ldg", "(", "&"]:', '== ["__ldg"]:', "test_a_copy_is_not_read_as_global_memory"),
    ),
)
