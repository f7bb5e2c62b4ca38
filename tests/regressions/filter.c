/* Neither rows nor coefficients are aligned: the latter begin at the second element of an array on the device. */
#include <stdio.h>

#define H 300
#define W 515

static float in[H * W], out[H * W];

static void filter(const float *restrict weight, const float *restrict in, float *restrict out, int h, int w)
{
#pragma acc parallel loop collapse(2) copyin(weight[0:25], in[0:h*w]) copy(out[0:h*w])
    for (int y = 2; y < h - 2; ++y)
        for (int x = 2; x < w - 2; ++x) {
            float sum = 0;
#pragma acc cache(in[y-2:5][x-2:5])
            for (int dy = -2; dy <= 2; ++dy)
                for (int dx = -2; dx <= 2; ++dx)
                    sum += weight[(dy + 2) * 5 + dx + 2] * in[(y + dy) * w + x + dx];
            out[y * w + x] = sum;
        }
}

int main(void)
{
    float table[26];
    double sum = 0;
    for (int i = 0; i < 26; ++i)
        table[i] = (float)(i % 7);
    for (int i = 0; i < H * W; ++i)
        in[i] = (float)(i % 11);
#pragma acc data copyin(table)
    filter(table + 1, in, out, H, W);
    for (int i = 0; i < H * W; ++i)
        sum += out[i] * (1 + i % 5);
    printf("%.9g\n", sum);
    return 0;
}
