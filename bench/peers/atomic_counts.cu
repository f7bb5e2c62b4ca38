/* The peer of bench/kernels/atomic_counts.c: that of counts.c, with 256 bins. */
#define BINS 256
#include "counts.cu"
