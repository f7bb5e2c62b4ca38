/* One function for each mistake; the argument chooses. What a translator that makes it would do stands above each. */
#include <stdio.h>
#include <stdlib.h>

static int a[4000], b[4000], c[1024], w[8000];

/* Shared memory keeps its owner over the rounds of a loop: thread i uses cell t + k of the block's tile in round k. */
static void moving_tile(int m)
{
#pragma acc parallel loop copy(w) copyout(b[0:512]) vector_length(256)
    for (int i = 0; i < 512; i++) {
        int s = 0;
        for (int k = 1; k < 4; k++) {
#pragma acc cache(w[k*2000 + i : 4])
            w[k*2000 + i + k] = i*k + m;
            for (int r = 0; r < (i & 31); r++)
                s += r ^ k;
            s += w[k*2000 + i + k];
        }
        b[i] = s;
    }
}

/* A fetch that is clipped one element too late: the last subarray reaches past the array, which no reference reads. */
static void one_past(int m)
{
    static int short_one[1026];
    for (int j = 0; j < 1026; j++)
        short_one[j] = j*j + m;
#pragma acc parallel loop copyin(short_one) copyout(c) vector_length(256)
    for (int i = 0; i < 1024; i++) {
#pragma acc cache(short_one[i:4])
        c[i] = short_one[i] + 2*short_one[i + 1] + 3*short_one[i + 2];
    }
}

#pragma acc routine seq
static void move(int **p, int *to) { *p = to; }

/* A pointer that is changed through its address keeps its origin: it leads to w, of which a tile is kept. */
static void moved_pointer(int m)
{
#pragma acc parallel loop copy(b[0:1024], w[0:1024]) copyout(c) vector_length(128)
    for (int i = 0; i < 1024; i++) {
        int *p = &b[i];
        move(&p, &w[i]);
#pragma acc cache(w[i:1])
        {
            w[i] = w[i] + 1;
            *p += m;
            c[i] = w[i];
        }
    }
}

/* Cells of another round count as own: lane j has cell j + i of the gang's array in round i of a block that runs several. */
static void moving_cells(int m)
{
#pragma acc parallel copyin(a) copy(b) vector_length(64) num_gangs(2)
#pragma acc loop gang
    for (int i = 0; i < 40; i++) {
        int tmp[200];
#pragma acc loop vector
        for (int j = 0; j < 64; j++)
            tmp[j + i] = a[i*64 + j]*m;
#pragma acc loop vector
        for (int j = 0; j < 64; j++)
            b[i*64 + j] = tmp[j + i] + j;
    }
}

/* What is pending at a continue is forgotten: a round that continues early leaves tmp written, and the next one reads it. */
static void early_continue(int m)
{
#pragma acc parallel loop gang copyin(a) copy(b) vector_length(64)
    for (int i = 0; i < 40; i++) {
        int tmp[64], x[64], y[64], z[64];
#pragma acc loop vector
        for (int j = 0; j < 64; j++) {
            tmp[j] = a[i*64 + j];
            y[j] = 0;
        }
        for (int k = 0; k < 6; k++) {
#pragma acc loop vector
            for (int j = 0; j < 64; j++)
                x[j] = tmp[63 - j] + k;
#pragma acc loop vector
            for (int j = 0; j < 64; j++)
                tmp[j] = x[j]*m + 1;
            if ((k + i) & 1)
                continue;
#pragma acc loop vector
            for (int j = 0; j < 64; j++)
                z[j] = x[j] + k;
#pragma acc loop vector
            for (int j = 0; j < 64; j++)
                y[j] += z[63 - j];
        }
#pragma acc loop vector
        for (int j = 0; j < 64; j++)
            b[i*64 + j] = y[j] + tmp[j];
    }
}

int main(int argc, char **argv)
{
    static void (*const all[])(int) = {moving_tile, one_past, moved_pointer, moving_cells, early_continue};
    for (int j = 0; j < 4000; j++)
        a[j] = j, b[j] = 2*j;
    for (int j = 0; j < 8000; j++)
        w[j] = 3*j;
    all[argc > 1 ? atoi(argv[1]) : 0](3);
    unsigned hash = 0;
    for (int j = 0; j < 8000; j++)
        hash = hash*31 + (unsigned)(w[j] ^ a[j % 4000] ^ b[j % 4000] ^ c[j % 1024]);
    printf("%08x\n", hash);
    return 0;
}
