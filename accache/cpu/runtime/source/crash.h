// Says which CUDA thread touched an address that does not exist, before the process dies of it.
#pragma once

namespace accache_cpu {

// Installs the handler, and a signal stack for the calling thread; cheap when done before.
void catch_crashes();

}  // namespace accache_cpu
