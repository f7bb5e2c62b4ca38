/* Sections of inner dimensions whose lengths only the run knows: they must be the array's own. */
#include "show.h"

enum { WIDTH = 24 };
static int table[40][WIDTH], other[40][WIDTH];
struct frame {
    int cell[8][WIDTH];
};

static void in_a_region(int n, int m)
{
#pragma acc data copy(table[0:n][0:m]) copyin(other[1:n - 1][:m])
#pragma acc parallel loop present(table[0:n][0:m])
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < m; ++j)
            table[i][j] += other[i][j];
}

static void in_a_construct(int n, unsigned m, struct frame frame)
{
#pragma acc parallel loop copy(table[0:n][0:m], frame.cell[0:8][0:m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < (int)m; ++j)
            table[i][j] += frame.cell[i % 8][j];
}

static long long of_variable_length(int n, int m)
{
    int rows = n, width = m, names[n + 1][m][2];
    long long sum = 0, same = m;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            names[i][j][0] = names[i][j][1] = i + j;
#pragma acc enter data copyin(names[0:rows][0:width])
#pragma acc parallel loop reduction(+:sum) present(names[0:n][0:same][0:2])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            sum += names[i][j][1];
#pragma acc exit data delete(names[0:rows][0:width])
    return sum;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 40), m = argc > 2 ? atoi(argv[2]) : WIDTH;
    struct frame frame = { { { 1, 2 }, { 3 } } };
    for (int i = 0; i < 40 * WIDTH; ++i) {
        table[0][i] = i;
        other[0][i] = noise(i, 3) % 1000;
    }
    in_a_region(n, m);
    in_a_construct(n, m, frame);
    SHOW("table", table[0], 40 * WIDTH);
    printf("sum %lld\n", of_variable_length(n, m));
    return 0;
}
