"""The headers that declare functions of the C library, for those who forgot one."""

from __future__ import annotations

_DECLARED = {
    "<assert.h>": "assert",
    "<ctype.h>": "isalnum isalpha isdigit isprint ispunct isspace isupper islower tolower toupper",
    "<math.h>": "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim "
    "floor fma fmax fmin fmod frexp hypot ldexp lgamma log log10 log1p log2 lrint lround modf nearbyint pow remainder "
    "rint round sin sinh sqrt tan tanh tgamma trunc "
    "acosf asinf atan2f atanf ceilf cosf coshf expf fabsf floorf fmaf fmaxf fminf fmodf log10f log2f logf powf roundf "
    "sinf sinhf sqrtf tanf tanhf truncf",
    "<stdio.h>": "fclose feof fflush fgetc fgets fopen fprintf fputc fputs fread fscanf fseek ftell fwrite getc "
    "getchar getline perror printf putc putchar puts remove rewind scanf setbuf setvbuf snprintf sprintf "
    "sscanf vfprintf vprintf vsnprintf",
    "<stdlib.h>": "abort abs atexit atof atoi atol atoll calloc drand48 exit free getenv labs llabs lrand48 malloc "
    "posix_memalign qsort rand random realloc setenv srand srand48 srandom strtod strtof strtol strtoll strtoul system",
    "<string.h>": "memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strcspn strdup strerror strlen "
    "strncat strncmp strncpy strrchr strspn strstr strtok",
    "<strings.h>": "bzero strcasecmp strncasecmp",
    "<sys/time.h>": "gettimeofday",
    "<time.h>": "clock clock_gettime ctime difftime localtime mktime nanosleep strftime time",
    "<unistd.h>": "access close getcwd gethostname getopt getpid read sleep sysconf unlink usleep write",
}
_PREFIXES = {
    "acc_": "<openacc.h>", "omp_": "<omp.h>", "cuda": "<cuda_runtime_api.h>", "cublas": "<cublas_v2.h>",
    "MPI_": "<mpi.h>",
}  # fmt: skip
_HEADERS = {name: header for header, names in _DECLARED.items() for name in names.split()}


def is_of_c_library(function: str) -> bool:
    """Whether a function is one of the C library's, of which the header is known.

    >>> is_of_c_library("memset"), is_of_c_library("acc_malloc")
    (True, False)
    """
    return function in _HEADERS


def header_of(function: str) -> str:
    """The header that declares a function, as an #include names it; ``its header`` if it is none of the C library's.

    >>> header_of("memset"), header_of("acc_malloc"), header_of("cudaFree"), header_of("helper")
    ('<string.h>', '<openacc.h>', '<cuda_runtime_api.h>', 'its header')
    """
    by_prefix = (header for prefix, header in _PREFIXES.items() if function.startswith(prefix))
    return _HEADERS.get(function) or next(by_prefix, "its header")
