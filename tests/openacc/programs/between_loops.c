/* What stands between gang, worker and vector loops: control flow, private variables, results of inner loops. */
#include "show.h"

#define WIDTH 70

/* A gang goes on until its row has settled: the condition is memory that its vector loops write. */
void until_settled(int *restrict a, int *restrict rounds, int rows)
{
#pragma acc parallel loop gang vector_length(32) copy(a[0:rows*WIDTH], rounds[0:rows])
    for (int row = 0; row < rows; ++row) {
        rounds[row] = 0;
        while (a[row * WIDTH] > 10 && rounds[row] < 50) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[row * WIDTH + j] -= a[row * WIDTH + j] / 3 + 1;
            rounds[row] += 1;
        }
    }
}

/* Conditions of all kinds that read what the statement itself changes. */
void conditions_on_memory(int *restrict a, int *restrict b, int rows)
{
#pragma acc parallel loop gang vector_length(32) copy(a[0:rows*WIDTH], b[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        if (a[row * WIDTH] % 2) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[row * WIDTH + j] += 1;
        } else {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[row * WIDTH + j] *= 2;
        }
        int round = 0;
        do {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                b[row * WIDTH + j] += a[row * WIDTH + (j + 1) % WIDTH] & 7;
            ++round;
        } while (round < b[row * WIDTH + 3] % 5);
        for (int s = 0; s < a[row * WIDTH] % 4; ++s) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[row * WIDTH + j] += b[row * WIDTH + WIDTH - 1 - j] & 3;
        }
        switch ((unsigned)a[row * WIDTH] % 3) {
        case 0:
            a[row * WIDTH + 5] = 1;
            break;
        default:
            a[row * WIDTH] += 2;
        }
    }
}

void reduction_decides(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copy(out[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int sum = 0, largest = -1;
#pragma acc loop vector reduction(+:sum) reduction(max:largest)
        for (int j = 0; j < WIDTH; ++j) {
            sum += a[row * WIDTH + j];
            if (a[row * WIDTH + j] > largest)
                largest = a[row * WIDTH + j];
        }
        int limit = sum / WIDTH;
        if (limit > 400) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                out[row * WIDTH + j] = largest - a[row * WIDTH + j];
        } else {
            for (int j = 0; j < 3; ++j)
                out[row * WIDTH + j] = limit;
        }
    }
}

void reductions_in_a_sequential_loop(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copyout(out[0:rows])
    for (int row = 0; row < rows; ++row) {
        int total = row;
        for (int part = 0; part < 4 && total <= 1000000; ++part) {
            int sum = 1;
#pragma acc loop vector reduction(+:sum)
            for (int j = part; j < WIDTH; j += 4)
                sum += a[row * WIDTH + j];
            total = total * 3 + sum;
        }
        out[row] = total;
    }
}

void bounds_of_the_gang(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copy(out[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int first = a[row * WIDTH] % 20, last = WIDTH - a[row * WIDTH + 1] % 20;
#pragma acc loop vector
        for (int j = first; j < last; ++j) {
            int mine = a[row * WIDTH + j];
            mine = mine * 2 + first;
            out[row * WIDTH + j] = mine - last;
        }
    }
}

void private_to_each_level(const int *restrict a, int *restrict out, int rows)
{
    int gangs_own, workers_own, vectors_own;
#pragma acc parallel loop gang num_workers(4) vector_length(32) private(gangs_own) \
        copyin(a[0:rows*WIDTH*2]) copyout(out[0:rows*WIDTH*2])
    for (int row = 0; row < rows; ++row) {
        gangs_own = row * 3;
#pragma acc loop worker private(workers_own)
        for (int i = 0; i < 2; ++i) {
            workers_own = gangs_own + i;
#pragma acc loop vector private(vectors_own)
            for (int j = 0; j < WIDTH; ++j) {
                vectors_own = a[(row * 2 + i) * WIDTH + j] + workers_own;
                out[(row * 2 + i) * WIDTH + j] = vectors_own * 2 - gangs_own;
            }
        }
    }
}

void arrays_of_each_level(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:rows*WIDTH]) copyout(out[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int line[WIDTH];
#pragma acc loop worker vector
        for (int j = 0; j < WIDTH; ++j)
            line[j] = a[row * WIDTH + j];
        line[3] += 1;
#pragma acc loop worker vector
        for (int j = 0; j < WIDTH; ++j) {
            int own[3];
            for (int k = 0; k < 3; ++k)
                own[k] = line[(j + k) % WIDTH];
            out[row * WIDTH + j] = own[0] * own[2] - own[1];
        }
    }
}

void two_gang_loops(int *restrict a, int *restrict b, int n)
{
#pragma acc parallel num_gangs(5) vector_length(64) copy(a[0:n], b[0:n])
    {
        int base = n / 3;
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            a[i] = a[i] * 2 + base;
#pragma acc loop gang
        for (int i = 0; i < n / 10; ++i) {
#pragma acc loop vector
            for (int j = 0; j < 10; ++j)
                b[i * 10 + j] -= base + i;
        }
    }
}

void side_effects_happen_once(int *restrict counts, int *restrict out, int rows)
{
#pragma acc parallel loop gang vector_length(128) copy(counts[0:rows]) copyout(out[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        counts[row]++;
        counts[row] += counts[row];
        int seen = counts[row];
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            out[row * WIDTH + j] = seen * 2 + j;
        counts[row] -= seen / 2;
    }
}

#pragma acc routine vector
static int counted(int *count)
{
    return (*count)++;
}

void changes_in_conditions_and_results(int *restrict counts, int *restrict out, int rows)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copy(counts[0:rows*3], out[0:rows*3*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int last = 0;
        if (counts[row * 3]++ % 2 || (last = counts[row * 3 + 1]--) > 500) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                out[row * 3 * WIDTH + j] = last;
        }
#pragma acc loop worker
        for (int w = 0; w < 3; ++w) {
            const int before = counts[row * 3 + w]++;
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                out[(row * 3 + w) * WIDTH + j] += before;
        }
        out[row * 3 * WIDTH] += counted(&counts[row * 3 + 2]);
    }
}

/* Rounds of loops of all kinds end early: where threads wait for each other, all of them go on. */
void rounds_that_end_early(int *restrict a, int *restrict b, int rows)
{
#pragma acc parallel loop gang vector_length(32) copy(a[0:rows*WIDTH], b[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int sum = 0;
        if (a[row * WIDTH] % 5 == 0)
            continue;
        for (int round = 0; round < 3; ++round) {
            int part = 0;
#pragma acc loop vector reduction(+: part)
            for (int j = 0; j < WIDTH; ++j) {
                if (a[row * WIDTH + j] % 3 == round)
                    continue;
                part += a[row * WIDTH + WIDTH - 1 - j] % 11 + round;
            }
            sum += part;
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j) {
                if (b[row * WIDTH + j] % 3 == round)
                    continue;
                a[row * WIDTH + j] ^= part;
            }
        }
        if (sum % 2)
            continue;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            b[row * WIDTH + j] += sum;
    }
}

/* Few gangs with many rounds each; what a round leaves in shared memory, the next one overwrites. */
void rounds_that_end_behind_shared_memory(int *restrict a, int *restrict b, const int *restrict c, int rows)
{
#pragma acc parallel loop gang num_gangs(2) vector_length(64) copy(a[0:rows*WIDTH], b[0:rows*WIDTH]) \
    copyin(c[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int s[WIDTH];
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            s[j] = c[row * WIDTH + j] + row;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            a[row * WIDTH + j] += s[WIDTH - 1 - j];
        if (c[row * WIDTH] % 2)
            continue;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            b[row * WIDTH + j] += c[(j + 5) % WIDTH];
    }
#pragma acc parallel loop gang num_gangs(2) vector_length(64) copy(a[0:rows*WIDTH], b[0:rows*WIDTH]) \
    copyin(c[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int s[WIDTH], t[WIDTH];
        if (c[row * WIDTH] % 3 < 2) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                s[j] = c[row * WIDTH + j] ^ row;
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                a[row * WIDTH + j] -= s[WIDTH - 1 - j];
            if (c[row * WIDTH] % 2)
                continue;
        }
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            t[j] = c[row * WIDTH + j] * 2;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            b[row * WIDTH + j] += t[WIDTH - 1 - j];
    }
}

/* What a round that ends early leaves is read behind the loop. */
void reads_behind_rounds_that_end_early(int *restrict a, const int *restrict c, int rows)
{
#pragma acc parallel loop gang num_gangs(2) num_workers(2) vector_length(32) copy(a[0:rows*WIDTH]) \
    copyin(c[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        int s[4 * WIDTH];
#pragma acc loop worker
        for (int round = 0; round < 4; ++round) {
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                s[round * WIDTH + j] = c[row * WIDTH + j] + round;
            if (c[row * WIDTH] % 2)
                continue;
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                s[round * WIDTH + j] ^= c[(j + round) % WIDTH];
        }
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            a[row * WIDTH + j] += s[WIDTH - 1 - j] - s[4 * WIDTH - 1 - j];
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 40), size = n * WIDTH * 2;
    int *a = new_ints(size, 1), *b = new_ints(size, 2), *rows = new_ints(n, 3);
    reduction_decides(a, b, n);
    SHOW("reduction_decides", b, size);
    reductions_in_a_sequential_loop(a, rows, n);
    SHOW("reductions_in_a_sequential_loop", rows, n);
    bounds_of_the_gang(a, b, n);
    SHOW("bounds_of_the_gang", b, size);
    private_to_each_level(a, b, n);
    SHOW("private_to_each_level", b, size);
    arrays_of_each_level(a, b, n);
    SHOW("arrays_of_each_level", b, size);
    two_gang_loops(a, b, size);
    SHOW("two_gang_loops a", a, size);
    SHOW("two_gang_loops b", b, size);
    side_effects_happen_once(rows, b, n);
    SHOW("side_effects_happen_once", b, size);
    SHOW("counts", rows, n);
    conditions_on_memory(a, b, n);
    SHOW("conditions_on_memory a", a, size);
    SHOW("conditions_on_memory b", b, size);
    until_settled(a, rows, n);
    SHOW("until_settled", a, size);
    SHOW("rounds", rows, n);
    changes_in_conditions_and_results(a, b, n / 2);
    SHOW("changed counts", a, size);
    SHOW("changes_in_conditions_and_results", b, size);
    rounds_that_end_early(a, b, n);
    SHOW("rounds_that_end_early a", a, size);
    SHOW("rounds_that_end_early b", b, size);
    int *c = new_ints(size, 4);
    rounds_that_end_behind_shared_memory(a, b, c, n);
    SHOW("rounds_that_end_behind_shared_memory a", a, size);
    SHOW("rounds_that_end_behind_shared_memory b", b, size);
    reads_behind_rounds_that_end_early(a, c, n);
    SHOW("reads_behind_rounds_that_end_early", a, size);
    return 0;
}
