// Functions of the mathematics library, fast ones too, conversions, half precision of none; results go to memory.
#include <cmath>
#include <vector>

#include "check.h"

template <typename Real> struct Functions {
    static __device__ Real all(Real x) {
        return sin(x) * cos(x) + exp(-x) + log(x + 1) + sqrt(x) + pow(x, Real(1.5)) + tanh(x) + fabs(x - 1) + fmax(x, Real(2));
    }
};

template <typename Real> __global__ void evaluate(const Real *in, Real *out, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) out[i] = Functions<Real>::all(in[i]);
}

__global__ void fast(const float *in, float *out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = __expf(-in[i]) + __fdividef(1.0f, in[i] + 1) + rsqrtf(in[i] + 1) + __sinf(in[i]) + __logf(in[i] + 2);
}

__global__ void convert(const double *in, long long *out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const float single = __double2float_rn(in[i]);
    out[i] = __double2ll_rn(in[i]) + __float2int_rd(single) + __float2uint_rz(fabsf(single)) + __double2int_ru(in[i]) +
             (long long)__int2float_rn(i) + __double2hiint(in[i]) + (__double_as_longlong(in[i]) & 0xff) +
             static_cast<long long>(__hiloint2double(0x40590000, 0)) + llrint(in[i]) + lroundf(single);
}

int main() {
    const int n = 64;
    double host[n], results[n];
    float singles[n], single_results[n];
    for (int i = 0; i < n; ++i) singles[i] = float(host[i] = i / 16.0);
    double *in, *out;
    float *single_in, *single_out;
    long long *integers, host_integers[n];
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&single_in, sizeof singles));
    CHECK(cudaMalloc(&single_out, sizeof singles));
    CHECK(cudaMalloc(&integers, sizeof host_integers));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(single_in, singles, sizeof singles, cudaMemcpyHostToDevice));
    evaluate<<<2, 32>>>(in, out, n);
    evaluate<float><<<1, 64>>>(single_in, single_out, n);
    CHECK(cudaMemcpy(results, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(single_results, single_out, sizeof singles, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) {
        double x = host[i];
        double sum = sin(x) * cos(x) + exp(-x) + log(x + 1) + sqrt(x) + pow(x, 1.5) + tanh(x) + fabs(x - 1) + fmax(x, 2);
        right = right && fabs(sum - results[i]) < 1e-12 && fabs(sum - single_results[i]) < 1e-5;
    }
    fast<<<1, n>>>(single_in, single_out, n);
    CHECK(cudaMemcpy(single_results, single_out, sizeof singles, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        double x = host[i], sum = exp(-x) + 1 / (x + 1) + 1 / sqrt(x + 1) + sin(x) + log(x + 2);
        right = right && fabs(sum - single_results[i]) < 1e-5;
    }
    convert<<<1, n>>>(in, integers, n);
    CHECK(cudaMemcpy(host_integers, integers, sizeof host_integers, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        const double x = host[i];
        long long bits;
        memcpy(&bits, &x, sizeof bits);
        long long sum = llrint(x) + (int)floor(x) + (unsigned)x + (int)ceil(x) + i + (int)(bits >> 32) + (bits & 0xff) + 100 +
                        llrint(x) + lround(x);
        right = right && host_integers[i] == sum;
    }
    return verdict(right);
}
