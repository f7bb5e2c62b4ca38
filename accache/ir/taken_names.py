"""Names that the headers take which nvcc reads before every .cu: CUDA's, and those of the C library."""

from __future__ import annotations

import re

_CUDA = """
MAJOR_VERSION MINOR_VERSION PATCH_LEVEL all any ballot blockDim blockIdx clock clock64 cospi cospif cyl_bessel_i0
cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f dadd daylight dim3 div dmul double2int double2ll double2uint double2ull
drem dsub erfcinv erfcinvf erfcx erfcxf erfinv erfinvf exp10 fdivide fdividef ffs float2double gamma gridDim index
int2double j0 j1 jn libraryPropertyType ll2double llmax llmin max min norm norm3d norm3df norm4d norm4df normcdf
normcdff normcdfinv normcdfinvf normf nullptr_t random rcbrt rcbrtf rhypot rhypotf rindex rnorm rnorm3d rnorm3df
rnorm4d rnorm4df rnormf rsqrt rsqrtf scalb select signgam significand sincos sincospi sincospif sinpi sinpif
syncthreads_and syncthreads_count syncthreads_or threadIdx time timezone uint2double ull2double ullmax ullmin umax
umin warpSize y0 y1 yn
"""
_CUDA_NAMES = frozenset(_CUDA.split())
_CUDA_TYPES = r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4](?:_(?:16|32)a)?"
_CUDA_TYPE_PATTERN = _CUDA_TYPES + r"|dim3|libraryPropertyType|nullptr_t"
_CUDA_PATTERN = re.compile(
    rf"(?:make_)?{_CUDA_TYPES}"
    r"|(?:rnorm|norm|rhypot|rsqrt|rcbrt|\w*pi|cyl_bessel_i[01]|erfc?(?:inv|x)|normcdf(?:inv)?|norm[34]d|rnorm[34]d)f"
    r"|atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor|CAS)(?:_block|_system)?"
    r"|(?:tex|surf)(?:1D|2D|3D|Cubemap)\w*"
)
_LIBRARY = """
a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asctime asctime_r asin
asinh at_quick_exit atan atan2 atanh atexit atof atoi atol basename bcmp bcopy bsearch bzero calloc canonicalize
canonicalize_file_name cbrt ceil clearenv clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep
clock_settime copysign cos cosh ctime ctime_r daddl ddivl dfmal difftime dmull drand48 drand48_r dremf dreml dsqrtl
dsubl dysize ecvt ecvt_r erand48 erand48_r erf erfc exit exp exp2 explicit_bzero expm1 fabs fadd fcvt fcvt_r fdim fdiv
ffma ffsl finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag
fminimum_mag_num fminimum_num fminmag fmod fmul fpclassify frexp fromfp fromfpx fsqrt fsub gammaf gammal gcvt getdate
getdate_r getenv getloadavg getpayload getpt getsubopt gmtime gmtime_r grantpt hypot ilogb initstate initstate_r
isalnum isalnum_l isalpha isalpha_l isascii isblank isblank_l iscanonical iscntrl iscntrl_l isctype isdigit isdigit_l
iseqsig isfinite isgraph isgraph_l isgreater isgreaterequal isinf isless islessequal islessgreater islower islower_l
isnan isnormal isprint isprint_l ispunct ispunct_l issignaling isspace isspace_l isunordered isupper isupper_l
isxdigit isxdigit_l iszero jrand48 jrand48_r l64a labs lcong48 lcong48_r ldexp ldiv lgamma lgamma_r lgammaf_r
lgammal_r llabs lldiv llogb llrint llround localtime localtime_r log log10 log1p log2 logb lrand48 lrand48_r lrint
lround mblen mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset mkdtemp
mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime modf mrand48 mrand48_r
nan nanosleep nearbyint nextafter nextdown nexttoward nextup nrand48 nrand48_r on_exit posix_memalign posix_openpt pow
pselect ptsname ptsname_r putenv qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quick_exit rand rand_r random_r
rawmemchr realloc reallocarray realpath remainder remquo rint round roundeven rpmatch scalbf scalbl scalbln scalbn
secure_getenv seed48 seed48_r setenv setpayload setpayloadsig setstate setstate_r sigabbrev_np sigdescr_np signbit
significandf significandl sin sinh sqrt srand srand48 srand48_r srandom srandom_r stpcpy stpncpy strcasecmp
strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l
strerror_r strerrordesc_np strerrorname_np strfrom strfromd strfry strftime strftime_l strlen strncasecmp
strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strptime strptime_l strrchr strsep strsignal strspn
strstr strto strtod strtod_l strtof_l strtok strtok_r strtol_l strtold strtold_l strtoll_l strtoq strtoul strtoul_l
strtoull_l strtouq strverscmp strxfrm strxfrm_l system tan tanh tgamma timegm timelocal timer_create timer_delete
timer_getoverrun timer_gettime timer_settime timespec_get timespec_getres toascii tolower tolower_l totalorder
totalordermag toupper toupper_l trunc tzname tzset ufromfp ufromfpx unlockpt unsetenv valloc wcstombs wctomb
"""
_LIBRARY_NAMES = frozenset(_LIBRARY.split())
_SUFFIX = re.compile(r"(?:[fl]|f32x?|f64x?)$")


def is_cuda_name(name: str) -> bool:
    """Whether CUDA declares a name."""
    return name in _CUDA_NAMES or _CUDA_PATTERN.fullmatch(name) is not None


def is_cuda_type(name: str) -> bool:
    """Whether CUDA declares a type of a name; in C++ the tag of a structure may be the name of a function as well."""
    return re.fullmatch(_CUDA_TYPE_PATTERN, name) is not None


def is_library_name(name: str) -> bool:
    """Whether the C library declares a name where nvcc reads it; mathematical functions have suffixes."""
    return name in _LIBRARY_NAMES or _SUFFIX.sub("", name) in _LIBRARY_NAMES
