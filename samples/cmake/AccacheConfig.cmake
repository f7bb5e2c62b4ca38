# For projects that keep their C compiler: accache for some targets only.
#
#     find_package(Accache REQUIRED)     found where accache is installed, if its bin folder is in PATH
#     add_executable(solver main.c solver.c)
#     accache_target(solver [TARGET cpu|cuda] [ARCH sm_90] [OPTIONS --accache-method=rbc ...])
#
# The target's C files are compiled and the target is linked by accache-cc, which calls the project's own C compiler for
# the host's part. A target that links a static library with kernels needs accache_target too. CMake 3.21 or later.

find_program(ACCACHE_CC accache-cc REQUIRED DOC "The compiler driver of accache")

function(accache_target name)
    cmake_parse_arguments(PARSE_ARGV 1 use "" "TARGET;ARCH" "OPTIONS")
    if(use_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "accache_target(${name}): unknown arguments ${use_UNPARSED_ARGUMENTS}")
    endif()
    set(launcher ${ACCACHE_CC} --accache-launch)
    if(use_TARGET)
        list(APPEND launcher --target=${use_TARGET})
    endif()
    if(use_ARCH)
        list(APPEND launcher -arch=${use_ARCH})
    endif()
    list(APPEND launcher ${use_OPTIONS})
    set_target_properties(${name} PROPERTIES
        C_COMPILER_LAUNCHER "${launcher}" C_LINKER_LAUNCHER "${launcher}" CXX_LINKER_LAUNCHER "${launcher}")
endfunction()
