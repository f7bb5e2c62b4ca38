"""Every message accache can print, once, under its code.

Codes: 1xx reading C, 2xx directives, 3xx loops and kernels, 4xx the cache directive,
5xx output, 6xx tools on this machine, 7xx findings of run --check, 8xx memory traces, 9xx PTX, 96x on bypassing,
977 to 979 on suggestions.
docs/diagnostics.md explains each one.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Message(Struct, frozen=True):
    """A message template; ``text`` and ``hint`` hold str.format placeholders."""

    severity: Literal["error", "warning", "note"]
    text: str
    hint: str = ""


_SPLIT = "use --split"

MESSAGES: dict[str, Message] = {
    # 1xx: reading C
    "ACC101": Message("error", "cannot read '{name}': {reason}"),
    "ACC102": Message("error", "'{name}' is {language}; accache reads C", "translate the C parts of the program"),
    "ACC103": Message("error", "the preprocessor failed: {reason}", "{hint}"),
    "ACC104": Message("error", "{reason}", "{hint}"),
    "ACC105": Message(
        "warning",
        "this directive stands in a file included from the command line and is not translated",
        "include the file with #include",
    ),
    "ACC106": Message("error", "this file nests expressions or statements too deeply"),
    "ACC107": Message("error", "the name {name} has a line end in it", "give the file a name of one line"),
    # 2xx: directives
    "ACC201": Message("error", "unknown directive 'acc {name}'", "{hint}"),
    "ACC202": Message("error", "clause '{clause}' is not allowed on 'acc {directive}'", "{hint}"),
    "ACC203": Message("error", "expected {expected} before {found}", "{hint}"),
    "ACC207": Message("error", "no statement follows here", "the directive applies to the statement after it"),
    "ACC208": Message(
        "error",
        "cannot tell where this statement ends: '{name}' hides a part of it in a macro",
        "write the statement out, or put braces around it",
    ),
    "ACC209": Message(
        "error",
        "this statement starts and ends in different #if groups",
        "repeat the whole statement in each group",
    ),
    "ACC210": Message(
        "error",
        "'acc {text}' comes from inside of a macro, in a line that cannot be written out",
        "write the directive with #pragma, or in a macro of its own",
    ),
    "ACC211": Message(
        "error",
        "this directive stands outside of any function",
        "move it into a function, in front of the loop it is for",
    ),
    "ACC212": Message("error", "unknown clause '{clause}' on 'acc {directive}'", "{hint}"),
    "ACC213": Message("error", "'{name}' needs at least one {item} in its parentheses"),
    "ACC214": Message("error", "clause '{clause}' appears twice on 'acc {directive}'", "keep one of them"),
    "ACC215": Message("error", "clause '{clause}' takes no argument"),
    "ACC216": Message("error", "'{word}' is not a {role}", "{hint}"),
    "ACC217": Message("error", "'acc {directive}' needs at least one of the clauses {clauses}"),
    "ACC218": Message("error", "clauses '{first}' and '{second}' contradict each other", "keep one of them"),
    "ACC219": Message("error", "this '{bracket}' has no partner", "{hint}"),
    "ACC220": Message("error", "'{clause}' takes {expected}, not {count}"),
    "ACC204": Message("error", "'{text}' is not an expression", "{hint}"),
    "ACC205": Message("error", "the argument of '{clause}' must be a positive integer constant"),
    "ACC206": Message("error", "'acc {name}' must stand right before a for loop", "{hint}"),
    "ACC221": Message(
        "error", "'{clause}' cannot differ between devices", "write it in front of the first device_type"
    ),
    "ACC222": Message(
        "error",
        "{name}: the profiling interface of OpenACC is not supported",
        "put what uses it between #ifndef _OPENACC and #endif, or use CUDA's profilers",
    ),
    "ACC223": Message(
        "error",
        "the loop cannot be {levels} here: what is around it leaves {left}",
        "gang loops stand around worker loops, and these around vector loops",
    ),
    "ACC224": Message(
        "warning",
        "OpenACC reduces nothing by '-'; parts are added up, as by '+'",
        "write + where the loop subtracts, too",
    ),
    "ACC225": Message(
        "error", "'{name}(' has the parentheses of Fortran; in C, brackets hold a section", "write {name}[first:length]"
    ),
    "ACC250": Message(
        "error",
        "'{name}' is private in this loop and used outside of it, where the host may run the construct",
        "give the loop a variable of its own",
    ),
    "ACC251": Message(
        "error",
        "'{name}' is called in a clause of a compute construct",
        "call it before, and give its value a name",
    ),
    "ACC252": Message(
        "error",
        "'{name}' is named by another data clause of this construct in another way: kernels have one address for it",
        "write one clause, with a section that holds all that the kernels use",
    ),
    "ACC253": Message(
        "warning",
        "'{clause}({name})' maps the pointer '{name}' alone, not what it leads to",
        "for that write {name}[0:n]",
    ),
    "ACC254": Message(
        "warning",
        "'{clause}({name})' maps as much of '{name}' as its parameter is declared with",
        "write {name}[0:n]; other compilers map the pointer alone",
    ),
    "ACC255": Message(
        "warning",
        "'#pragma {written}' is no directive of OpenACC, and nothing is done about it",
        "write '#pragma acc {meant}'",
    ),
    "ACC256": Message(
        "note",
        "accache reads OpenACC, and leaves {which} to your C compiler",
        "the nearest of OpenACC is '#pragma acc {instead}'",
    ),
    "ACC257": Message("warning", "{clause} is not positive, and is chosen for you"),
    "ACC260": Message("error", "'acc {name}' does not fit this statement: {reason}"),
    "ACC261": Message("error", "there can be no copy of '{name}': {reason}"),
    "ACC262": Message("error", "'{name}' cannot be reduced: {reason}"),
    "ACC241": Message("error", "{feature} is not supported yet"),
    "ACC242": Message("error", "'acc {name}' inside of a compute construct", "{hint}"),
    "ACC243": Message(
        "error",
        "'acc {name}' stands outside of every compute construct",
        "{hint}",
    ),
    "ACC244": Message("error", "'{keyword}' leaves the {construct} construct", "{hint}"),
    "ACC245": Message("error", "'{name}' is not contiguous in memory", "name whole rows, or a part of one row"),
    "ACC246": Message("error", "'{name}' needs a length, which its declaration does not tell", "write {before}[0:n]"),
    "ACC247": Message("error", "'{clause}' needs the name of {what}, not '{name}'"),
    "ACC248": Message("error", "'{name}' needs a data clause because of default(none)"),
    "ACC249": Message("error", "'acc {name}' is the body of an if, else or loop", "put braces around it"),
    # 3xx: loops and kernels
    "ACC301": Message("error", "{construct} is not supported in a compute construct"),
    "ACC302": Message("error", "'{name}' is not declared", "{hint}"),
    "ACC303": Message("error", "there is no member '{name}'"),
    "ACC304": Message("error", "a call through a pointer is not supported in a compute construct"),
    "ACC305": Message(
        "error",
        "'{name}' belongs to no single kernel of this kernels construct: {reason}",
        "declare it in front of the construct",
    ),
    "ACC306": Message("error", "the loop cannot be parallel: {reason}", "{hint}"),
    "ACC307": Message(
        "warning",
        "the loop over '{variable}' runs sequentially: {reason}",
        "name what it adds up in a reduction clause; say 'independent' if no iteration needs what another computes",
    ),
    "ACC308": Message(
        "error",
        "{clause} needs {count} loops nested in each other with nothing between them",
        "move what stands between them into the innermost loop, or leave {word} out",
    ),
    "ACC309": Message("warning", "the loop cannot be {levels} here: an outer loop is already"),
    "ACC310": Message("warning", "{threads} threads a block are more than the {limit} a GPU has"),
    "ACC311": Message("warning", "the {level} size is not a constant between 1 and 1024 and is chosen for you"),
    "ACC313": Message("error", "a parallel loop or a cache region cannot stand in this statement"),
    "ACC314": Message("error", "the array '{name}' needs a length known at the launch, and initial values in braces"),
    "ACC312": Message(
        "error",
        "'{name}' is assigned by a parallel loop over threads and used outside of it",
        "name it in a reduction or private clause of the loop, or declare it inside",
    ),
    "ACC320": Message(
        "error",
        "threads must wait for each other here, but not all of them may arrive: {reason}",
        "make condition and bounds the same for all threads of a gang, or move the inner loop out of the condition",
    ),
    "ACC321": Message(
        "warning",
        "the loop updates the reduction variable '{name}' without a reduction clause; one is added",
        "write reduction({operator}:{name}) on the loop",
    ),
    "ACC322": Message(
        "warning",
        "'{name}' is firstprivate in this construct: what is accumulated in it is lost behind it",
        "name it in a reduction clause, or in a copy clause and make the access atomic",
    ),
    "ACC323": Message(
        "error",
        "the length of '{name}' was fixed at its declaration, and the function may change '{changed}'",
        "keep the length in a variable that stays as it is",
    ),
    "ACC325": Message(
        "warning",
        "each of several gangs reduces '{name}' for itself; the host gets the value that one of them has",
        "name it in a reduction clause of a loop over gangs, or write num_gangs(1)",
    ),
    "ACC326": Message("note", "the loop only combines '{name}', as if it said reduction({operator}:{name})"),
    "ACC327": Message("note", "each block updates a copy of '{name}[0:{count}]' of its own, and then the array once"),
    "ACC328": Message(
        "warning",
        "the loop only combines '{name}': it is reduced, as if the loop said reduction({operator}:{name})",
        "say so: other compilers may lose what is accumulated",
    ),
    "ACC330": Message(
        "warning",
        "each gang has a copy of '{name}', and the host never sees what is done to it",
        "name it in a copy clause",
    ),
    "ACC331": Message(
        "warning",
        "{used} of '{name}' {are} used, and '{clause}' maps {there}",
        "name all that the construct uses",
    ),
    "ACC332": Message(
        "warning",
        "'{name}' is read here before anything has written it on the device, and '{clause}' copies nothing to it",
        "name it in {better} instead, or write it first",
    ),
    "ACC333": Message(
        "warning",
        "'{name}' is private, and is read here before it has a value",
        "name it in firstprivate instead, or give it a value first",
    ),
    "ACC334": Message(
        "warning",
        "other gangs may have {how} this element of '{name}' in line {line}, and gangs do not wait for each other",
        "end the compute construct in between: kernels run one after the other",
    ),
    "ACC315": Message(
        "warning",
        "collapse(force:{count}) leaves the loops nested: the innermost one cannot take in what stands between them",
        "move the statement into the innermost loop, or out of the loops",
    ),
    "ACC317": Message("error", "the static variable '{name}' in a compute construct"),
    "ACC318": Message(
        "error",
        "'{name}' cannot be called in a compute construct",
        "{hint}",
    ),
    "ACC319": Message("error", "{type} is not supported in a compute construct: kernels have no such type"),
    "ACC324": Message(
        "error",
        "kernels do not know how {type} lies in memory: an attribute or a pragma changes it",
        "use a type without it in the construct",
    ),
    # 34x: routines
    "ACC340": Message(
        "error",
        "this directive stands before no function and names none",
        "put it right before a declaration or definition",
    ),
    "ACC341": Message(
        "error",
        "'{name}' calls itself, and is a {level} routine: only seq routines can do that",
        "take its loops out of it, or write a loop in the place of the call",
    ),
    "ACC342": Message(
        "error",
        "the routine '{name}' uses the variable '{variable}' of the file, which the device does not have",
        "put '#pragma acc declare create({variable})' behind its declaration, or pass it as an argument",
    ),
    "ACC343": Message("error", "'{name}' cannot be a routine: {reason}"),
    "ACC344": Message("error", "the directives for '{name}' give it different levels: {levels}", "keep one of them"),
    "ACC345": Message("error", "'{name}' is a {level} routine and cannot be called {where}"),
    "ACC346": Message("error", "a {loop} loop cannot stand in a {level} routine", "give the routine that level"),
    "ACC347": Message(
        "note", "'{name}' is taken as a {level} routine because of its loops", "say '#pragma acc routine {level}'"
    ),
    "ACC348": Message(
        "error",
        "all threads call the {level} routine '{name}' together, so this call must be a statement of its own: {reason}",
        "assign what it returns to a variable first",
    ),
    "ACC349": Message(
        "error",
        "routines take {bytes} bytes of shared memory here, for arrays and reductions; they can have {limit}",
        "make the arrays smaller, or reduce in fewer routines",
    ),
    "ACC350": Message(
        "error",
        "the address of '{name}', which a loop counts with or combines, is taken where a gang needs one variable",
        "copy it to a variable of its own",
    ),
    "ACC351": Message("note", "one worker runs this loop: all threads call the vector routine '{name}' in it together"),
    "ACC352": Message("warning", "{workers} workers are more than the {limit} that the routines called here can have"),
    "ACC353": Message(
        "warning",
        "every iteration of the loop writes this part of '{name}' and reads it, so threads overwrite each other's",
        "name it in a private or reduction clause, or make the access atomic",
    ),
    "ACC354": Message(
        "error",
        "kernels write '{name}' for '{keyword}', a keyword of C++, and the program has that name, too",
        "call it something else: accache_ begins the names that accache makes",
    ),
    "ACC355": Message(
        "error",
        "the value of printf is used here, and in kernels it is not the number of characters printed",
        "call printf as a statement of its own",
    ),
    "ACC356": Message(
        "error",
        "'{name}' cannot end the program from a compute construct",
        "set a flag that the host looks at behind it; abort() and assert() end it with an error",
    ),
    "ACC357": Message("error", "kernels cannot print this: {reason}"),
    "ACC358": Message(
        "error",
        "the host uses '{name}' here, a routine whose nohost clause leaves it no host version",
        "take nohost out, or use it in compute constructs and nohost routines only",
    ),
    "ACC365": Message(
        "error",
        "the function '{name}' is used as a value here, and kernels have no addresses of the program's functions",
        "call it by its name, with a switch where several may be meant",
    ),
    "ACC366": Message(
        "warning",
        "each worker has 32 lanes here: workers take ways of their own, and only the lanes of a warp can wait there",
        "make condition and bounds the same for all threads of a gang, or name vector_length(32)",
    ),
    # 4xx: the cache directive
    "ACC401": Message("error", "'{array}' is written in a region that caches it readonly", "take 'readonly:' out"),
    "ACC402": Message("warning", "'{name}' is not cached: {reason}", "{hint}"),
    "ACC403": Message("note", "'{name}' needs no cache: {reason}"),
    "ACC404": Message("note", "'{name}' is the gang's own: {reason}"),
    "ACC405": Message("note", "'{name}' needs no cache: {reason}"),
    "ACC406": Message("note", "'{name}' is not cached: {reason}"),
    "ACC407": Message("warning", "'{name}' is not a gang's own array, so method scratch does not apply"),
    "ACC408": Message("warning", "method {method} cannot serve '{name}': {reason}"),
    "ACC409": Message("warning", "'{name}' is cached by {method}: {reason}"),
    "ACC410": Message(
        "warning", "the loop over '{variable}' is not known to fill blocks of {threads}, so its width is not fixed"
    ),
    "ACC411": Message(
        "warning",
        "this cache directive stands in front of the compute construct and has no effect",
        "move it into the loop it is for",
    ),
    "ACC412": Message(
        "warning", "the second number of '{name}' is a length, not an end", "write {meant} after the colon"
    ),
    "ACC413": Message(
        "warning",
        "the second number of '{name}' is a length; the bounds look inclusive",
        "write {meant} after the colon",
    ),
    "ACC414": Message("warning", "'{name}' is not cached: {reason}"),
    "ACC415": Message("warning", "'{name}' is not cached: {reason}", "write [lower:length] in every dimension"),
    "ACC416": Message("warning", "'{name}' is not cached: {reason}", "cache a part of it, or use a smaller block"),
    "ACC417": Message("warning", "'{name}' is not cached: {reason}", "{hint}"),
    "ACC418": Message("warning", "'{name}' is not cached: {reason}"),
    "ACC419": Message("warning", "'{name}' is not cached: {reason}", "--method {method} caches it all the same"),
    "ACC420": Message(
        "warning",
        "so that '{name}' fits, a block has {threads} threads, not {usual}: {reason}",
        "vector_length({usual}) keeps the block, and caches less",
    ),
    "ACC421": Message(
        "warning",
        "'{name}' is written through: {reason}",
        "let each round run to the region's end, or leave out --write back",
    ),
    "ACC422": Message("note", "'{name}' stays in registers: {reason}", "--coarsen off gives every iteration a thread"),
    "ACC423": Message("warning", "'{name}' does not hold the reference at line {line}, as far as is known"),
    "ACC425": Message("error", "the {part} of '{name}' is no integer"),
    "ACC426": Message(
        "error",
        "the length of '{name}' is {length}: a subarray has one element at least",
        "write how many behind the colon",
    ),
    "ACC427": Message("error", "'{name}' is no subarray: {what}"),
    "ACC428": Message("error", "'{name}' needs a length, which its declaration does not tell", "write [lower:length]"),
    "ACC429": Message("error", "'{name}' leaves the array, whose dimension has {extent} elements"),
    "ACC430": Message(
        "error",
        "--tune measure: {what} was measured, '{name}' does not have it",
        "accache run --target cuda --tune measure FILE -- ARGUMENTS measures on a machine with a GPU; commit the file",
    ),
    "ACC431": Message(
        "error", "'{name}' does not hold what --tune measure keeps: {reason}", "take it away, and measure again"
    ),
    "ACC432": Message(
        "warning",
        "kernel '{kernel}' was measured to be quickest as '{form}', which it cannot be any more: the estimate decides",
        "measure again",
    ),
    # 6xx: tools on this machine
    "ACC601": Message(
        "error", "{tool} is not installed; {purpose} needs it", "accache doctor shows what this machine has"
    ),
    "ACC602": Message("error", "the C compiler rejects the program: {reason}", "{hint}"),
    "ACC603": Message(
        "error",
        "'{flag}' gives C another meaning in host code than in kernels",
        "compile files that have directives without it",
    ),
    "ACC604": Message(
        "note", "this is the assembly of the host's part of '{name}'", "accache translate shows its kernels"
    ),
    "ACC605": Message("error", "signal {number} ended the program: {name}", "{hint}"),
    "ACC606": Message(
        "error",
        "nvcc's steps cannot be told from each other with {name} among its words",
        "use a name without quotation marks and line ends",
    ),
    "ACC607": Message(
        "note",
        "this run computes exactly what a GPU approximates under --fast-math",
        "it does not tell how far a GPU's results lie from these: compare them within a bound of your own",
    ),
    "ACC608": Message(
        "error",
        "there is no GPU to measure on",
        "measure where there is one, and commit the file that --tune measure leaves; --tune model needs no GPU",
    ),
    "ACC609": Message(
        "error", "kernel '{kernel}' was not launched: nothing was measured of it", "give the program other arguments"
    ),
    "ACC610": Message("error", "the program that is measured does not run to its end: {reason}"),
    # 7xx: findings of run --check and --compare
    "ACC701": Message("error", "{finding}"),
    "ACC702": Message("error", "{place} is {own}, and {sequential} in the sequential program{others}{writer}"),
    "ACC703": Message(
        "error", "the host gets {own} from the device, and in the sequential program {sequential}{where}"
    ),
    "ACC704": Message("error", "the program ends with {own}, and the sequential one with {sequential}"),
    "ACC705": Message(
        "note",
        "only the threads {threads} ran, and the program ended behind their launch",
        "what other threads write was missing: of what is found, believe what a run of all threads finds, too",
    ),
    # 94x: kernels on the PTX machine against the same ones on a CPU
    "ACC940": Message("error", "'{name}' does not hold the launches of a run: {reason}"),
    "ACC941": Message(
        "error",
        "launch {number}, kernel '{kernel}': {array} differs in {elements} elements, first at byte {offset}: "
        "{cpu} on the CPU, {ptx} in PTX",
        "run --check looks for races, values nobody wrote and shifts by too many bits",
    ),
    "ACC942": Message("error", "the PTX has no kernel '{name}', which the program launches"),
    "ACC943": Message(
        "note", "kernel '{kernel}': floating-point numbers may differ by {single} or, in double, {double}: {reason}"
    ),
    "ACC944": Message("note", "{count} launches were compared; what the program launched after them was not"),
    "ACC945": Message("warning", "no launch was compared: {reason}"),
    "ACC946": Message(
        "note",
        "kernel '{kernel}': what it leaves in {array} depends on the order of its threads, on the CPU too",
    ),
    "ACC947": Message("error", "launch {number}, kernel '{kernel}': it fails, in PTX alone: {reason}"),
    # 95x: CUDA C++
    "ACC948": Message(
        "error", "the run on a CPU does not know this assembly: '{text}'", "--target cuda runs the program on a GPU"
    ),
    "ACC949": Message(
        "error", "the run on a CPU cannot read what nvcc reads: {reason}", "leave it out there: #ifndef ACCACHE_CPU"
    ),
    "ACC950": Message(
        "error", "the run on a CPU lacks {what}: '{name}'", "accache run --target cuda runs the program on a GPU"
    ),
    # 8xx: memory traces
    "ACC801": Message("error", "a trace begins with 'blocksize: x y z', not with {found}"),
    "ACC802": Message("error", "this is not an access: {found}", "four numbers: thread, 0 or 1, address, bytes"),
    "ACC803": Message("error", "{reason}"),
    "ACC804": Message("error", "the trace ends in the middle of a line", "it was cut off; trace, or copy it, again"),
    "ACC805": Message(
        "error",
        "'{name}' is too large: {what}; there may be {limit}",
        "trace fewer blocks: one multiprocessor is modelled",
    ),
    "ACC806": Message("error", "'{name}' is no trace: {reason}"),
    "ACC807": Message("error", "the trace '{name}' has no loads"),
    "ACC808": Message(
        "note",
        "numba is not installed; the same counts take many times longer",
        "pip install '.[model]' in a checkout of accache",
    ),
    "ACC809": Message(
        "error", "the trace's steps of thread {thread} go back", "a warp's memory instructions are numbered as executed"
    ),
    "ACC810": Message(
        "error",
        "the trace '{name}' does not tell which {what} an access belongs to",
        "only binary traces do, by the arrays 'site' and 'site_...'",
    ),
    "ACC811": Message(
        "error", "{option} needs {library}, not installed here", "pip install '.[{extra}]' in a checkout of accache"
    ),
    "ACC812": Message("error", "no Dask scheduler answers at '{address}': {reason}", "dask scheduler starts one"),
    "ACC813": Message(
        "error", "the cluster at '{address}' failed: {reason}", "its workers need accache, of the same version"
    ),
    "ACC814": Message(
        "error", "the trace '{name}' has no load '{load}'", "--by load, array or line shows the names that it has"
    ),
    "ACC815": Message("error", "these tiles are not possible: {reason}"),
    "ACC816": Message("error", "'{name}' has no {kernel} with cache directives"),
    # 9xx: PTX
    "ACC901": Message("error", "PTX has no such character here: {found}"),
    "ACC902": Message("error", "expected {expected} before {found}"),
    "ACC903": Message("error", "the text ends inside of {what}: expected {expected}", "it was cut off; make it again"),
    "ACC904": Message("error", "PTX has no instruction '{name}'"),
    "ACC905": Message("error", "'{opcode}' has no modifier '.{name}'"),
    "ACC906": Message("error", "'{opcode}' takes {takes} operands, not {count}"),
    "ACC907": Message("error", "{count} registers are more than {limit}"),
    "ACC908": Message("error", "braces and parentheses are nested more than {limit} deep"),
    "ACC910": Message("error", "the PTX has no kernel '{name}'", "it has {known}"),
    "ACC911": Message("error", "the machine cannot execute '{name}': {reason}"),
    "ACC912": Message("error", "the launch of '{name}' is not possible: {reason}"),
    "ACC920": Message("error", "'{name}' failed in thread {thread} of block {block}: {reason}{source}"),
    # 50x to 52x: C that is not C++
    "ACC501": Message("error", "C++ needs '{text}' here, but a macro hides the place", _SPLIT),
    "ACC502": Message("error", "this included file is not C++: it needs '{text}' here", _SPLIT),
    "ACC503": Message("error", "'{name}' is a keyword of C++, and other files may use this name", _SPLIT),
    "ACC504": Message(
        "error",
        "'{name}', used in a compute construct, is a name of CUDA's and not only a variable's; it must change",
        _SPLIT,
    ),
    "ACC505": Message("error", "array parameter '{name}' has variable inner lengths, which C++ lacks", _SPLIT),
    "ACC506": Message("error", "C++ lacks {what}", _SPLIT),
    "ACC507": Message("error", "the address of this compound literal is taken; in C++ it is a temporary", _SPLIT),
    "ACC508": Message("error", "C++ lacks '{name}'", _SPLIT),
    "ACC509": Message(
        "error", "'{name}' is defined in the old style, with its parameters' types after the parentheses", _SPLIT
    ),
    "ACC510": Message("error", "this jumps past the initialisation of '{name}', which C++ forbids", _SPLIT),
    "ACC511": Message("error", "C++ gives another size to {what}", _SPLIT),
    "ACC512": Message("error", "C++ lacks {name} of C", _SPLIT),
    "ACC513": Message("error", "'{name}' is declared inside '{record}'; in C++ it is not visible here", _SPLIT),
    "ACC514": Message(
        "error", "this string does not fit into {size} characters with its terminating zero, which C++ demands", _SPLIT
    ),
    "ACC515": Message("error", "C++ does not convert '{source}' to '{target}'", _SPLIT),
    "ACC516": Message("error", "'{name}' is declared without a type", _SPLIT),
    "ACC517": Message("error", "'{name}' is called without a declaration", "include {header}, or use --split"),
    "ACC518": Message("error", "'{name}' is defined twice; C++ has no tentative definitions", _SPLIT),
    "ACC519": Message("error", "'{name}' has no members; C++ gives it another size", _SPLIT),
    "ACC520": Message("error", "C++ forbids the definition of a type in {place}", _SPLIT),
    "ACC521": Message("error", "const '{name}' has no initialiser, which C++ demands", _SPLIT),
    "ACC522": Message("error", "'{name}' is declared with '()', which takes no arguments in C++", _SPLIT),
    "ACC523": Message("error", "'{name}' names {what}; C++ reads one of them otherwise", _SPLIT),
    "ACC524": Message("error", "C++ lacks '{op}' of {type}", _SPLIT),
    "ACC525": Message("error", "'{name}' is declared inside a function, which gives it C++ linkage", _SPLIT),
    "ACC526": Message("error", "'{name}' is a name of CUDA, and other files may use this one", _SPLIT),
    "ACC527": Message("error", "<{name}> is another header in C++", _SPLIT),
    "ACC528": Message("error", "C++ needs the definition of 'enum {name}' before this", _SPLIT),
    "ACC529": Message(
        "warning",
        "'{name}' is called without a declaration: the .cu includes {header}, the program should",
        "include {header}",
    ),
    # 960 to 976: bypassing
    "ACC960": Message(
        "error",
        "the exact solver takes up to {limit} loads, and there are {count}",
        "--solver ilp proves how good its result is; --solver heuristic is fast",
    ),
    "ACC961": Message(
        "error", "--solver ilp needs scipy, which is not installed", "pip install '.[ilp]' in a checkout of accache"
    ),
    "ACC962": Message(
        "error", "nvcc makes no PTX of this program", "name a file with kernels, and compile it without -dlto"
    ),
    "ACC963": Message("error", "{written} has no loads of mode {mode}", "{hint}"),
    "ACC964": Message("error", "'{name}' needs a trace of a launch", "--trace FILE"),
    "ACC965": Message("error", "'{name}' has {kernels}", "{hint}"),
    "ACC966": Message(
        "error",
        "no load of the trace is one of the kernel '{kernel}'",
        "its sites are numbers of instructions, or lines of the source that -lineinfo keeps",
    ),
    "ACC967": Message("warning", "of the trace's loads {count} are in no place of '{kernel}' that loads from memory"),
    "ACC968": Message("error", "'{name}' is {language}; bypassing is decided for CUDA, C, PTX and traces"),
    "ACC969": Message("warning", "the PTX for {target} lacks the load at {place}, which bypasses elsewhere"),
    "ACC970": Message(
        "error", "'{name}' is no measurement of Nsight Compute: {reason}", "ncu --csv --page raw --print-units base"
    ),
    "ACC971": Message("error", "no launch fits on {gpu}: {reason}", "--shared-per-block"),
    "ACC972": Message("error", "'{name}' launches {what} in this run", "--args passes arguments to the program"),
    "ACC973": Message("warning", "'{name}' ended with the status {status}; what it did before that is decided on"),
    "ACC974": Message("error", "the launch of '{kernel}' loads nothing from global memory"),
    "ACC975": Message(
        "error",
        "a block of '{kernel}' makes {count} accesses; a trace has at most {limit}",
        "--args may make the program's task smaller",
    ),
    "ACC976": Message(
        "warning",
        "the load {place} stays as it is: CUDA C has no expression for it alone",
        "-o with another name than .cu: PTX, and what nvcc makes of it, can say it of every load",
    ),
    # 977 to 982: suggestions
    "ACC977": Message("error", "'{name}' is {language}; accache suggest takes CUDA (.cu) and C with OpenACC (.c)"),
    "ACC978": Message("warning", "the kernel '{kernel}' is left out: {reason}"),
    "ACC979": Message(
        "error",
        "'{name}' ended with the status {status} before {what}",
        "--args passes arguments to the program; accache preload --block runs nothing",
    ),
    "ACC980": Message(
        "error",
        "cache({name}) belongs into a header, which --apply does not write",
        "apply it to the header's own code, or leave it to --auto-cache",
    ),
    "ACC981": Message(
        "error",
        "cache({name}) belongs to a loop whose words a macro holds",
        "write the loop out, or leave it to --auto-cache",
    ),
    "ACC982": Message("error", "cannot write '{name}': {reason}"),
    # 983 to 985: kernels rewritten
    "ACC983": Message("error", "'{name}' is no CUDA; accache preload takes .cu and .cuh"),
    "ACC984": Message(
        "warning",
        "the kernel '{kernel}' cannot be rewritten: {reason}",
        "its text stays as it is; what accache suggest tells of it holds all the same",
    ),
    "ACC985": Message(
        "warning",
        "launches of the kernel '{kernel}' have different blocks: {blocks}; what follows is for {first} threads",
        "launches with other blocks run the kernel as it is; accache preload --block chooses the blocks",
    ),
    # 986 and 987: kernels whose threads get lines of their own
    "ACC986": Message("warning", "the threads of kernel '{kernel}' get no lines of their own: {reason}"),
    "ACC987": Message("warning", "'{name}' has no line in kernel '{kernel}': {reason}"),
    # 988 and 989: decisions as notes, and without a trace
    "ACC988": Message(
        "warning",
        "nvcc is not installed, so no launch is traced; what follows is proved of the text alone",
        "accache doctor shows what this machine has",
    ),
    "ACC989": Message("note", "'{array}' in kernel '{kernel}': {decision}"),
    # 990 to 993: what neither suggestions nor copies are for
    "ACC990": Message(
        "warning",
        "the kernel '{kernel}' uses volatile data, which is not copied",
        "threads may wait for each other by it, so none of the kernel's loops is cut into chunks either",
    ),
    "ACC991": Message(
        "error",
        "nvcc is not installed, so no launch is traced, which {option} needs",
        "without {option}, accache suggest tells what the text alone proves",
    ),
    "ACC992": Message(
        "warning",
        "launches of the kernel '{kernel}' from here run it as it is: {reason}",
        "a launch written as kernel<<<...>>>(...) behind the kernel uses them",
    ),
    "ACC993": Message(
        "note",
        "nvcc makes no code for {own}, the architecture of '{gpu}'; registers are counted for {taken}",
        "-- -arch=sm_90 counts them for another architecture",
    ),
    # 994: what --parameter names
    "ACC994": Message(
        "warning",
        "no kernel has a pointer parameter '{name}', which --parameter asks lines for",
        "--parameter takes names of parameters as kernels declare them",
    ),
    # 995: directives that are there
    "ACC995": Message(
        "note",
        "cache({name}) is worse than cache({by}): a warp takes an estimated {now} with it, {then} with that alone",
        "accache suggest --apply writes that where a kernel has no cache directive",
    ),
    # 996: launches that a CPU cannot make whole
    "ACC996": Message(
        "warning",
        "textures and surfaces hold nothing in this run, so what comes from them is taken for zeros",
        "kernels that read them are left out; what others read lies where it does, whatever its value",
    ),
}
