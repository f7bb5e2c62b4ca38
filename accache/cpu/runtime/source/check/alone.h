// A launch of which only some threads run, to show a finding again: `accache run --threads`, or a trial of it.
#pragma once

#include <string>

#include "../scheduler.h"

namespace accache_cpu::check {

// Whether findings of this launch are told: of all launches if all threads run.
bool is_told(const Launch &launch);
bool runs_some_threads_only();

}  // namespace accache_cpu::check
