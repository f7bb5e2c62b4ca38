/* An edge-preserving filter of bytes: neighbours count by how near their shade is, which a table of 256 weights tells. */
#include "problem.h"
#define R 2

static void shade(int rows, int columns, const unsigned char *restrict image, const float *restrict weight,
                  unsigned char *restrict out)
{
#pragma acc parallel loop gang copyin(image[0:rows*columns], weight[0:256]) copy(out[0:rows*columns])
    for (int i = R; i < rows - R; ++i)
#pragma acc loop vector
        for (int j = R; j < columns - R; ++j) {
#pragma acc cache(weight[0:256])
            const int centre = image[i * columns + j];
            float sum = 0, weights = 0;
            for (int r = -R; r <= R; ++r)
                for (int c = -R; c <= R; ++c) {
                    const int shade = image[(i + r) * columns + j + c];
                    const float w = weight[shade > centre ? shade - centre : centre - shade];
                    sum += w * shade;
                    weights += w;
                }
            out[i * columns + j] = (unsigned char)(sum / weights);
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 260);
    ALLOCATE(unsigned char, image, n * n);
    ALLOCATE(unsigned char, out, n * n);
    float weight[256];
    for (int i = 0; i < n * n; ++i) {
        image[i] = (unsigned char)(255 * input(i));
        out[i] = image[i];
    }
    for (int i = 0; i < 256; ++i)
        weight[i] = 1 / (1 + 0.01f * (float)(i * i));
    shade(n, n, image, weight, out);
    REPORT(out, n * n, (long)(n - 2 * R) * (n - 2 * R));
    return 0;
}
