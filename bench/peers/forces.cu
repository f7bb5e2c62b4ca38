/* The peer of bench/kernels/forces.c: as that of samples/nbody.c, with its formula. */
#include "peer.h"
#define CHUNK 128

static __device__ void pull(float4 body, float x, float y, float z, float &ax, float &ay, float &az)
{
    const float dx = body.x - x, dy = body.y - y, dz = body.z - z;
    const float r = dx * dx + dy * dy + dz * dz + 0.01f;
    const float s = body.w / (r * sqrtf(r));
    ax += s * dx;
    ay += s * dy;
    az += s * dz;
}

static __global__ void __launch_bounds__(CHUNK)
    attract(int n, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
            const float *__restrict__ m, float *__restrict__ fx, float *__restrict__ fy, float *__restrict__ fz)
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
        fx[first] = ax1;
        fy[first] = ay1;
        fz[first] = az1;
    }
    if (second < n) {
        fx[second] = ax2;
        fy[second] = ay2;
        fz[second] = az2;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, x, 4 * n);
    ALLOCATE(float, f, 3 * n);
    FILL(x, 4 * n);
    float *bodies = on_device(x, 4 * n), *forces = on_device<float>(NULL, 3 * n);
    attract<<<blocks_of(n, 2 * CHUNK), CHUNK>>>(n, bodies, bodies + n, bodies + 2 * n, bodies + 3 * n, forces, forces + n,
                                                forces + 2 * n);
    to_host(f, forces, 3 * n);
    REPORT(f, 3 * n, (long)n * n);
    return 0;
}
