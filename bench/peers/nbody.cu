/* The peer of samples/nbody.c: bodies in shared memory as four floats side by side, two bodies a thread. */
#include "peer.h"
#define CHUNK 128
#define SOFTENING 0.01f
#define TIME_STEP 0.001f

static __device__ void pull(float4 body, float x, float y, float z, float &ax, float &ay, float &az)
{
    const float dx = body.x - x, dy = body.y - y, dz = body.z - z;
    const float inverse = 1 / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING))));
    const float force = body.w * inverse * inverse * inverse;
    ax = fmaf(force, dx, ax);
    ay = fmaf(force, dy, ay);
    az = fmaf(force, dz, az);
}

static __global__ void __launch_bounds__(CHUNK)
    accelerate(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
               const float *__restrict__ m, float *__restrict__ u, float *__restrict__ v, float *__restrict__ w, int n)
{
    __shared__ float4 bodies[CHUNK];
    const int first = 2 * CHUNK * blockIdx.x + threadIdx.x, second = first + CHUNK;
    const int one = min(first, n - 1), two = min(second, n - 1);
    const float x1 = x[one], y1 = y[one], z1 = z[one], x2 = x[two], y2 = y[two], z2 = z[two];
    float ax1 = 0, ay1 = 0, az1 = 0, ax2 = 0, ay2 = 0, az2 = 0;
    for (int t = 0; t < n; t += CHUNK) {
        const int j = t + threadIdx.x;
        bodies[threadIdx.x] = j < n ? make_float4(x[j], y[j], z[j], m[j]) : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < CHUNK; ++k) {
            const float4 body = bodies[k];
            pull(body, x1, y1, z1, ax1, ay1, az1);
            pull(body, x2, y2, z2, ax2, ay2, az2);
        }
        __syncthreads();
    }
    if (first < n) {
        u[first] = fmaf(ax1, TIME_STEP, u[first]);
        v[first] = fmaf(ay1, TIME_STEP, v[first]);
        w[first] = fmaf(az1, TIME_STEP, w[first]);
    }
    if (second < n) {
        u[second] = fmaf(ax2, TIME_STEP, u[second]);
        v[second] = fmaf(ay2, TIME_STEP, v[second]);
        w[second] = fmaf(az2, TIME_STEP, w[second]);
    }
}

static __global__ void __launch_bounds__(256) move(float *__restrict__ x, float *__restrict__ y, float *__restrict__ z,
                                                   const float *__restrict__ u, const float *__restrict__ v,
                                                   const float *__restrict__ w, int n)
{
    const int i = 256 * blockIdx.x + threadIdx.x;
    if (i < n) {
        x[i] = fmaf(u[i], TIME_STEP, x[i]);
        y[i] = fmaf(v[i], TIME_STEP, y[i]);
        z[i] = fmaf(w[i], TIME_STEP, z[i]);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 600), steps = argc > 2 ? atoi(argv[2]) : 2;
    unsigned seed = 1;
    ALLOCATE(float, host, 7 * n);
    for (int i = 0; i < 7 * n; ++i)
        host[i] = uniform(&seed);
    float *x = on_device(host, 7 * n), *y = x + n, *z = y + n, *u = z + n, *v = u + n, *w = v + n, *m = w + n;
    for (int step = 0; step < steps; ++step) {
        accelerate<<<blocks_of(n, 2 * CHUNK), CHUNK>>>(x, y, z, m, u, v, w, n);
        move<<<blocks_of(n, 256), 256>>>(x, y, z, u, v, w, n);
    }
    to_host(host, x, 7 * n);
    return report_mean(host, 7 * n);
}
