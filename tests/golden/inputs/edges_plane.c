/* Rectangles that reach past all four edges of the plane; the plane may be larger than what the loops visit. */
#include "show.h"

void edges_plane(const float *a, float *b, int n, int m, int height, int width)
{
#pragma acc parallel loop independent copyin(a[0:height*width]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < m; ++j) {
#pragma acc cache(a[i-1:3][j-1:3])
            {
                float sum = a[i*width + j];
                if (i > 0)
                    sum += 2 * a[(i-1)*width + j];
                if (i < height - 1 && j < width - 1)
                    sum += 3 * a[(i+1)*width + j + 1];
                b[i*m + j] = sum;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20), m = argument(argc, argv, 2, 20);
    int height = n + argument(argc, argv, 3, 0), width = m + argument(argc, argv, 3, 0);
    float *a = filled((long)height * width), *b = filled((long)n * m);
    edges_plane(a, b, n, m, height, width);
    show("b", b, (long)n * m);
    return 0;
}
