/* printf and its kin in kernels: one thread prints what all compute together, in the order of C. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 70

static void say(int row)
{
    printf("row %d of a seq routine\n", row);
}

#pragma acc routine vector
void add(int row, int *a)
{
    printf("row %d of a vector routine\n", row);
#pragma acc loop vector
    for (int j = 0; j < WIDTH; ++j)
        a[j] += row;
    puts("100% done");
}

void together(int *a, int rows)
{
#pragma acc parallel num_gangs(1) vector_length(32) copy(a[0:WIDTH])
    {
        printf("%zu bytes, %s %5.2f|%-4d|%c %% %lu %llx\n", sizeof(int), "text", 2.5f, rows, 'c', 7ul, 255ull);
        for (int row = 0; row < rows; ++row) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[j] += j == row;
            say(row);
            add(row, a);
            fprintf(stdout, "a[%d] is %d\n", row % WIDTH, a[row % WIDTH]);
            if (a[0] > 3) {
                fputs("large", stdout);
                putchar('\n');
            }
            row == 2 ? (void)printf("two\n") : (void)0;
            assert(a[row % WIDTH] >= 0 && "holds");
        }
    }
}

void workers(void)
{
    int order[4] = {0};
#pragma acc parallel num_gangs(1) num_workers(4) vector_length(32) copy(order)
    {
#pragma acc loop worker
        for (int w = 0; w < 4; ++w) {
            int sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int j = 0; j < WIDTH; ++j)
                sum += j * w;
            order[w] = sum;
        }
        for (int w = 0; w < 4; ++w)
            printf("worker's %d\n", order[w]);
    }
}

void in_order(const char *name, int *a, int n)
{
#pragma acc serial copyin(name[0:4])
    printf("%s %.2s\n", name, name + 1);
#pragma acc kernels copy(a[0:WIDTH])
    for (int i = 0; i < n; ++i) {
        a[i % WIDTH] = 2 * i;
        if (i % 50 == 0)
            printf("%d: %i\n", i, a[i % WIDTH]);
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 3, a[WIDTH];
    for (int j = 0; j < WIDTH; ++j)
        a[j] = j;
    together(a, rows);
    workers();
    in_order("abc", a, rows * 20);
    printf("%d\n", a[rows % WIDTH]);
    return 0;
}
