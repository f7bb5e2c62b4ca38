/* Enumerations without negative values are unsigned in C, and promote to int in C++. */
#include <stdio.h>
#include <stdlib.h>

enum colour { red, green, blue };
enum sign { minus = -1, zero, plus };
typedef enum { small, large = 1LL << 40 } width;
typedef enum { off, on } state;
struct pixel {
    enum colour colour;
    state state;
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    enum colour *colours = malloc(n * sizeof *colours), one = green;
    enum sign *signs = malloc(n * sizeof *signs);
    struct pixel *pixels = malloc(n * sizeof *pixels);
    width *widths = malloc(n * sizeof *widths), widest = large;
    long long *compared = malloc(n * sizeof *compared);
    int *divided = malloc(n * sizeof *divided);
    for (int i = 0; i < n; ++i) {
        colours[i] = i % 3;
        signs[i] = i % 3 - 1;
        pixels[i].colour = i % 2;
        pixels[i].state = i % 5 == 0;
        widths[i] = i % 2 ? large : small;
        divided[i] = i - n / 2;
    }
#pragma acc parallel loop copyin(colours[0:n], signs[0:n], pixels[0:n], widths[0:n]) \
    copyout(compared[0:n]) copy(divided[0:n])
    for (int i = 0; i < n; ++i) {
        enum colour own = colours[i];
        width wide = widths[i];
        int bits = own - 1 < 0;
        bits = 2 * bits + (colours[i] > -1);
        bits = 2 * bits + (signs[i] - 1 < 0);
        bits = 2 * bits + (colours[i] / -1 == 0);
        bits = 2 * bits + (pixels[i].colour - blue < 0);
        bits = 2 * bits + (pixels[i].state - on < 0);
        bits = 2 * bits + (~own < 0);
        bits = 2 * bits + ((i % 2 ? own : -1) < 0);
        bits = 2 * bits + (own == green);
        bits = 2 * bits + (signs[i] < colours[i]);
        bits = 2 * bits + ((colours[i] & 3) - 2 < 0);
        bits = 2 * bits + (one - 2 < 0);
        bits = 2 * bits + (own << 1 < -1);
        bits = 2 * bits + (-1 < one >> 1);
        bits = 2 * bits + (widest > widths[i]);
        bits = 2 * bits + (wide - 1 < 0);
        compared[i] = bits * (long long)sizeof(width) + widest - wide;
        divided[i] /= own + 1;
        divided[i] /= one;
        divided[i] %= pixels[i].colour + 1;
        own /= -1;
        own += 2;
        divided[i] += own;
        switch (colours[i]) {
        case red:
            divided[i] += 3;
            break;
        case green:;
        default:;
        }
    }
    for (int i = 0; i < n; ++i)
        printf("%lld %d\n", compared[i], divided[i]);
    free(colours), free(signs), free(pixels), free(widths), free(compared), free(divided);
    return 0;
}
