// Launches of a run, written to a file with the memory they found and left; accache/ptx/capture_file.py reads it.
#pragma once

#include <cstddef>

namespace accache_cpu {

struct Launch;

namespace capture {

// Writes a launch that the environment asks for, and memory as far as it has changed; whether it did so.
bool begin_launch(const Launch &launch);
// Writes what the launch has changed; whether its threads shall run again in another order.
bool end_launch();
// Gives memory back what the launch has found; then writes what comes out otherwise, and takes it back.
void begin_other_order();
void end_other_order();
void labelled(const void *device, size_t bytes, const char *name, size_t element_bytes);

}  // namespace capture
}  // namespace accache_cpu
