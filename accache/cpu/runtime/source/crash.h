// Says which CUDA thread touched an address that does not exist, before the process dies of it.
#pragma once

namespace accache_cpu {

// Says the same of an access that the kernel has been compiled to look up, and ends the process as that fault would.
[[noreturn]] void illegal_access(const void *address);

// Installs the handler, and a signal stack for the calling thread; cheap when done before.
void catch_crashes();

}  // namespace accache_cpu
