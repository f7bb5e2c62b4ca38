"""The headers that declare functions of the C library, for those who forgot one."""

from __future__ import annotations

_DECLARED = {
    "<assert.h>": "assert",
    "<ctype.h>": "isalnum isalpha isdigit isspace isupper islower tolower toupper",
    "<math.h>": "acos asin atan atan2 cbrt ceil cos cosh exp exp2 fabs floor fma fmax fmin fmod hypot log log10 log2 "
    "pow round sin sinh sqrt tan tanh trunc "
    "ceilf cosf expf fabsf floorf fmaf fmaxf fminf fmodf logf powf roundf sinf sqrtf tanf tanhf",
    "<stdio.h>": "fclose fflush fgets fopen fprintf fputs fread fscanf fwrite getchar perror printf putchar puts scanf "
    "snprintf sprintf sscanf",
    "<stdlib.h>": "abort abs atof atoi atol calloc exit free getenv labs malloc qsort rand realloc srand strtod strtol",
    "<string.h>": "memcmp memcpy memmove memset strcat strchr strcmp strcpy strdup strlen strncmp strncpy strstr",
    "<sys/time.h>": "gettimeofday",
    "<time.h>": "clock clock_gettime time",
    "<unistd.h>": "getopt sleep usleep",
}
_PREFIXES = {"acc_": "<openacc.h>", "omp_": "<omp.h>"}
_HEADERS = {name: header for header, names in _DECLARED.items() for name in names.split()}


def is_of_c_library(function: str) -> bool:
    """Whether a function is one of the C library's, of which the header is known.

    >>> is_of_c_library("memset"), is_of_c_library("acc_malloc")
    (True, False)
    """
    return function in _HEADERS


def header_of(function: str) -> str:
    """The header that declares a function, as an #include names it; ``its header`` if it is none of the C library's.

    >>> header_of("memset"), header_of("acc_malloc"), header_of("helper")
    ('<string.h>', '<openacc.h>', 'its header')
    """
    by_prefix = (header for prefix, header in _PREFIXES.items() if function.startswith(prefix))
    return _HEADERS.get(function) or next(by_prefix, "its header")
