// Linked directly before the kernels: its thread-local variable is the lower end of their shared variables, which
// lets the scheduler find and poison them. (The linker keeps thread-local zero data in link order.)
extern "C" {
extern __thread char accache_cpu_shared_begin[];
}
__thread __attribute__((used, aligned(64))) char accache_cpu_shared_begin[1024];
