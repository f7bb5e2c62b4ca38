// The counters of every kernel that ran.
#pragma once

#include <map>
#include <string>

#include "state.h"

namespace accache_cpu::check {

std::map<std::string, KernelCounters> &kernel_counters();

}  // namespace accache_cpu::check
