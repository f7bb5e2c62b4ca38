// PTX in asm statements, against the same in C++.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "check.h"

__device__ __forceinline__ unsigned lane() { unsigned r; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ unsigned warp() { unsigned r; asm("mov.u32 %0, %warpid;" : "=r"(r)); return r; }
#define BFE(r, a, s, n) \
  asm("bfe.u32 %0, %1, %2, %3;" \
      : "=r"(r) : "r"(a), "r"(s), "r"(n))
__global__ void k(const unsigned *in, unsigned *out, const float *f, float *g, long long *w) {
  unsigned i = threadIdx.x, a = in[i], r; int s;
  unsigned t = 0; unsigned *o = out + i * 32;
  o[t++] = lane() + 100 * warp();
  BFE(r, a, i % 40, i % 35); o[t++] = r;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(s) : "r"((int)a), "r"(i % 40), "r"(i % 35)); o[t++] = s;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(i), "r"(0x1234)); o[t++] = r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(~a), "r"(i * 0x1357)); o[t++] = r;
  asm("add.s32 %0, %1, %2;\n\tmul.lo.u32 %0, %0, 7;" : "=r"(r) : "r"(a), "r"(i)); o[t++] = r;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(a)); o[t++] = r;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(w[i]) : "r"((int)a), "r"(-(int)i));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(a), "r"(i)); o[t++] = r;
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }" : "=r"(r) : "r"((int)a), "r"((int)i * 1000)); o[t++] = r;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(i), "r"(i)); o[t++] = r;
  asm("shr.s32 %0, %1, %2;" : "=r"(s) : "r"((int)a), "r"(i)); o[t++] = s;
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(i + 20)); o[t++] = r;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(i), "r"(i % 32), "r"(i % 9)); o[t++] = r;
  asm("popc.b32 %0, %1;" : "=r"(r) : "r"(a)); o[t++] = r;
  asm("clz.b32 %0, %1;" : "=r"(r) : "r"(a >> i)); o[t++] = r;
  asm("brev.b32 %0, %1;" : "=r"(r) : "r"(a)); o[t++] = r;
  asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(5)); o[t++] = r;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(in + (i + 1) % 32)); o[t++] = r;
  asm("ld.global.nc.u32 %0, [%1+4];" : "=r"(r) : "l"(in + i / 2)); o[t++] = r;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(i), "r"(3)); o[t++] = r;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); o[t++] = r;
  asm("add.u32 %0, %0, %1;" : "+r"(r) : "r"(i)); o[t++] = r;
  asm volatile("membar.gl;" ::: "memory");
  asm volatile("bar.sync 0;");
  if (i & 1) asm("mov.b32 %0, %1;" : "=r"(r) : "f"(f[i])); else r = 9;
  o[t++] = r;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(g[i]) : "f"(f[i]), "f"(f[i]), "f"(0.1f));
  asm volatile("st.global.wb.u32 [%0], %1;" :: "l"(o + t), "r"(a ^ 77) : "memory");
  asm("{\n .reg .u32 t1;\n and.b32 t1, %1, 255; // low\n add.u32 %0, t1, 1;\n}" : "=r"(r) : "r"(a)); o[t + 1] = r;
}
int main() {
  unsigned h[32], out[1024] = {}; float f[32], g[32]; long long w[32];
  for (int i = 0; i < 32; ++i) h[i] = i * 2654435761u ^ i << 7, f[i] = i * 0.3f - 2;
  unsigned *a, *b; float *c, *d; long long *e; cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof out); cudaMalloc(&c, sizeof f); cudaMalloc(&d, sizeof f); cudaMalloc(&e, sizeof w);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof out); cudaMemcpy(c, f, sizeof f, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(a, b, c, d, e); cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemcpy(g, d, sizeof g, cudaMemcpyDeviceToHost); cudaMemcpy(w, e, sizeof w, cudaMemcpyDeviceToHost);
  bool right = true;
  auto same = [&](int i, int row, unsigned expected) {
    if (out[i * 32 + row] == expected) return;
    std::fprintf(stderr, "thread %d, row %d: %u, not %u\n", i, row, out[i * 32 + row], expected);
    right = false;
  };
  for (int i = 0; i < 32; ++i) {
    const unsigned a = h[i];
    const uint64_t both = (uint64_t)i << 32 | a;
    const int length = i % 35;
    same(i, 0, i);
    same(i, 1, (unsigned)((uint64_t)a >> i % 40 & ((1ull << length) - 1)));
    same(i, 3, a ^ i ^ 0x1234);
    same(i, 5, (a + i) * 7);
    same(i, 6, (uint64_t)a * a >> 32);
    same(i, 7, a * a + i);
    same(i, 8, (int)a < i * 1000 ? a : i * 1000);
    same(i, 9, both << (i & 31) >> 32);
    same(i, 10, (int)a >> i);
    same(i, 11, i + 20 < 32 ? a << (i + 20) : 0);
    same(i, 13, __builtin_popcount(a));
    same(i, 14, a >> i ? __builtin_clz(a >> i) : 32);
    same(i, 16, (int)a < 5 ? a : 5);
    same(i, 17, h[(i + 1) % 32]);
    same(i, 18, h[i / 2 + 1]);
    same(i, 19, (a > (unsigned)i ? a - i : i - a) + 3);
    same(i, 20, (1u << i) - 1);
    same(i, 21, (1u << i) - 1 + i);
    unsigned bits;
    std::memcpy(&bits, &f[i], 4);
    same(i, 22, i & 1 ? bits : 9);
    same(i, 23, a ^ 77);
    same(i, 24, (a & 255) + 1);
    right = right && w[i] == (int64_t)(int)a * -i && g[i] == std::fmaf(f[i], f[i], 0.1f);
  }
  return verdict(right);
}
