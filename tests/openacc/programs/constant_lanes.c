/* Loops of constant lengths over the lanes of a block: none, one, several whole rounds, and some more. */
#include <stdio.h>

#define GANGS 3

int main(void)
{
    static int a[GANGS][7][200], total[GANGS];
#pragma acc parallel num_gangs(GANGS) vector_length(32) copy(a, total)
    {
#pragma acc loop gang
        for (int g = 0; g < GANGS; ++g) {
#pragma acc loop vector
            for (int i = 0; i < 32; ++i)
                a[g][0][i] = i + g;
#pragma acc loop vector
            for (int i = -5; i < 15; ++i)
                a[g][1][i + 5] = i * g;
#pragma acc loop vector
            for (int i = 128; i > 0; --i)
                a[g][2][i] = a[g][0][i % 32] + i;
#pragma acc loop vector
            for (int i = 3; i <= 191; i += 3) {
                if (i % 2)
                    continue;
                a[g][3][i] = i;
            }
#pragma acc loop vector
            for (int i = 1; i < 33; ++i) {
                if (i % 5 == g)
                    continue;
                a[g][4][i] = 7 * i;
            }
#pragma acc loop vector
            for (int i = 0; i < 70; ++i)
                a[g][5][i] = a[g][2][i] - a[g][1][i % 20];
#pragma acc loop vector
            for (unsigned char i = 0; i < 96; ++i)
                a[g][6][i] = i + a[g][5][i % 70];
            int sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (long i = 0; i < 192; ++i)
                sum += a[g][6][i] + a[g][3][i];
            total[g] = sum;
        }
    }
    for (int g = 0; g < GANGS; ++g) {
        printf("%d:", total[g]);
        for (int row = 0; row < 7; ++row) {
            unsigned hash = 0;
            for (int i = 0; i < 200; ++i)
                hash = hash * 31 + (unsigned)a[g][row][i];
            printf(" %u", hash);
        }
        printf("\n");
    }
    return 0;
}
