// Launches of a run, written to a file with the memory they found and left; accache/ptx/capture_file.py reads it.
#pragma once

#include <cstddef>

namespace accache_cpu {

struct Launch;

namespace capture {

// Writes a launch that the environment asks for, and memory as far as it has changed; whether it did so.
bool begin_launch(const Launch &launch);
// Writes what the launch has changed.
void end_launch();
void labelled(const void *device, size_t bytes, const char *name, size_t element_bytes);

}  // namespace capture
}  // namespace accache_cpu
