#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__constant__ float coef[16] = {1.f, 2.f, 3.f};
__constant__ double dtable[4] = {1.5, -2.25, 1e300, 0};
__device__ int counter = 7;
__device__ unsigned long long wide[3];
__device__ const char message[] = "a \"text\"\n";
__device__ float *pointer;
__device__ int numbers[4] = {1, -2, 3, 4};
__device__ int *to_number = &numbers[2];
__managed__ int managed = 3;
struct Pair { int a; double b; char c[3]; };
__device__ Pair pair = {1, 2.5, {'x', 'y', 0}};
template <typename T> struct Op { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T, int N, typename F> __device__ T reduce(T v, F f) {
  for (int o = N / 2; o; o >>= 1) v = f(v, __shfl_down_sync(0xffffffffu, v, o));
  return v;
}
template <typename T> __global__ void sum(const T *in, T *out, int n) {
  __shared__ T part[32];
  T v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = reduce<T, 32>(v, Op<T>());
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) { v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0; v = reduce<T, 32>(v, Op<T>()); if (!threadIdx.x) atomicAdd(out, v); }
}
template __global__ void sum<float>(const float *, float *, int);
template __global__ void sum<double>(const double *, double *, int);
template __global__ void sum<int>(const int *, int *, int);
__global__ void trig(float *a, double *b, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  a[i] = sinf(a[i]) + cosf(a[i]) * tanf(a[i]) + powf(a[i], 2.3f) + expf(a[i]) + logf(a[i]) + erff(a[i]) + rsqrtf(a[i]) + cbrtf(a[i]) + fmodf(a[i], 3.f);
  b[i] = sin(b[i]) + pow(b[i], 1.7) + exp(b[i]) + log(b[i]) + tanh(b[i]) + lgamma(b[i]) + sqrt(b[i]) + 1.0 / b[i] + fmod(b[i], 2.5);
}
__global__ void half_kernel(__half *h, __half2 *h2, __nv_bfloat16 *bf, float *f, int n) {
  int i = threadIdx.x;
  h[i] = __hfma(h[i], h[i], __float2half(f[i]));
  h2[i] = __hadd2(h2[i], __hmul2(h2[i], h2[i]));
  bf[i] = __hadd(bf[i], __float2bfloat16(f[i]));
  f[i] = __half2float(h[i]) + (h[i] > h[i + 1] ? 1 : 0) + __half2float(hexp(h[i])) + __bfloat162float(bf[i]);
  h[i] = __hmax(h[i], h[i+2]); 
}
__global__ void warps(unsigned *a, unsigned *b) {
  unsigned v = a[threadIdx.x];
  unsigned m = __match_any_sync(0xffffffffu, v);
  int p; unsigned all = __match_all_sync(0xffffffffu, v, &p);
  b[threadIdx.x] = m + all + p + __ballot_sync(0xffffffffu, v > 3) + __all_sync(0xffffffffu, v) + __any_sync(0xffffffffu, v == 2) + __activemask() + __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, m, 0x1234) + __funnelshift_l(v, m, 3) + __shfl_xor_sync(0xffffffffu, v, 3) + __shfl_up_sync(0xffffffffu, v, 2, 8) + __dp4a((int)v, (int)m, 3) + __vadd2(v, m) + __sad(v, m, all) + __mulhi((int)v, (int)m) + __umul24(v, m);
}
__global__ void atomics(int *a, float *f, double *d, unsigned long long *l, __half2 *h) {
  atomicAdd(a, 1); atomicMax(a + 1, threadIdx.x); atomicExch(a + 2, 3); atomicCAS(a + 3, 1, 2); atomicAnd(a+4, 3); atomicInc((unsigned*)a + 5, 7);
  atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicAdd(l, 1ull); l[1] = atomicAdd(l + 2, 5); a[7] = atomicCAS(a + 8, 3, 4);
  atomicAdd(h, __float2half2_rn(1.f)); atomicAdd_block(a + 9, 1); atomicAdd_system(a + 10, 1); __threadfence(); __threadfence_block(); __threadfence_system();
}
__global__ void prints(int n, float x) { printf("thread %d of %d: %f %s\n", threadIdx.x, n, x, "ok"); if (n > 5) asm volatile("trap;"); }
__global__ void carries(unsigned long long *a, unsigned __int128 *b) {
  unsigned __int128 x = b[0] * b[1] + b[2]; b[3] = x; b[4] = x / 7; 
  a[0] = __umul64hi(a[1], a[2]);
}
__global__ void copies(float *g, float *o) {
  __shared__ float s[256];
  __pipeline_memcpy_async(&s[threadIdx.x * 4], &g[threadIdx.x * 4], 16);
  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
}
__device__ __noinline__ float called(float x, int n) { return n > 0 ? called(x * 2, n - 1) + 1 : x; }
__device__ __noinline__ void writes(Pair *p, Pair q) { p->a = q.a + 1; p->b = q.b; p->c[1] = q.c[0]; }
typedef float (*Fn)(float);
__device__ float f1(float x) { return x + 1; }
__device__ float f2(float x) { return x * 2; }
__device__ Fn table[2] = {f1, f2};
__global__ void calls(float *a, Pair *p, Fn fn) {
  a[0] = called(a[0], 5); writes(p, p[1]); a[1] = table[threadIdx.x & 1](a[1]); a[2] = coef[threadIdx.x] + counter + (float)dtable[1] + message[threadIdx.x] + *to_number + managed + pair.c[1];
  int local[40]; for (int i = 0; i < 40; i++) local[i] = p[i].a; a[3] = local[p->a];
}
__global__ void switches(int *a, int n) {
  switch (a[threadIdx.x]) { case 0: a[0] += 5; break; case 1: a[1] *= 3; break; case 2: a[2] -= 8; break; case 3: a[3] /= n; break; case 4: a[4] %= n; break; case 5: a[5] = n * 7; break; case 6: a[6] = a[7]; break; default: a[8] = 0; }
}
__global__ void groups(int *a) {
  cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<16>(b);
  int v = a[b.thread_rank()]; for (int o = 8; o; o /= 2) v += t.shfl_down(v, o); t.sync(); b.sync(); if (t.thread_rank() == 0) a[t.meta_group_rank()] = v;
  a[100] = __syncthreads_count(v) + __syncthreads_or(v) + __syncthreads_and(v); __syncwarp(); __syncwarp(0xff);
}
extern __shared__ double dynamic[];
__global__ __launch_bounds__(128, 4) void dyn(double *a, const double *__restrict__ b) { dynamic[threadIdx.x] = b[threadIdx.x]; __syncthreads(); a[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + __ldcg(b) + __ldcs(b + 1) + __ldlu(b + 2) + __ldcv(b + 3); __stcs(a, 1.0); __stwt(a + 1, 2.0); }
__global__ void conv(int *i, unsigned *u, long long *l, float *f, double *d, short *s, unsigned char *c) {
  i[0] = (int)f[0]; u[1] = (unsigned)d[0]; l[0] = (long long)f[1]; f[2] = (float)d[1]; f[3] = (float)l[1]; d[2] = u[2]; s[0] = (short)i[3]; c[0] = (unsigned char)u[4]; i[5] = __float2int_rn(f[5]); i[6] = __float2int_ru(f[6]); f[7] = __int2float_rz(i[7]); d[8] = __fma_rz((double)f[8], 2.0, 3.0); f[9] = __saturatef(f[9]); f[10] = floorf(f[10]) + ceilf(f[11]) + truncf(f[12]) + rintf(f[13]) + roundf(f[14]); f[15] = __fdividef(f[15], f[16]) + __fadd_rd(f[1], f[2]) + __frcp_ru(f[3]) + __fsqrt_rz(f[4]) + __expf(f[5]) + __sinf(f[6]) + __logf(f[7]) + f[8] / f[9]; d[9] = d[10] / d[11] + __ddiv_ru(d[1], d[2]); f[17] = __int_as_float(i[9]); f[18]=fabsf(f[19]); f[20] = fminf(f[21], fmaxf(f[22], f[23])); f[24] = copysignf(f[25], f[26]); l[5] = l[6] / l[7] + l[8] % l[9]; u[9] = u[10] / u[11]; f[30] = i[30] < 0 ? -f[31] : f[32]; s[5] = s[6] * s[7] + (s[8] >> 3); c[4] = c[5] ^ c[6];
  float4 v = *(float4 *)(f + 64); *(float4 *)(f + 68) = make_float4(v.w, v.z, v.y, v.x); double2 w = *(double2 *)(d + 64); d[70] = w.x + w.y; uchar4 q = *(uchar4*)(c + 64); *(short2*)(s+64) = make_short2(q.x, q.y);
}
__global__ void grid_const(const __grid_constant__ Pair p, int *o) { o[0] = p.a + clock() ; o[1] = (int)clock64(); unsigned id; asm("mov.u32 %0, %%smid;" : "=r"(id)); o[2] = id; if (threadIdx.x == 3) __trap(); o[3] = isnan(p.b) + isinf((float)p.b) + (p.b != p.b); __nanosleep(10); o[4] = __isGlobal(o); extern __device__ int never; }
int main() {}
