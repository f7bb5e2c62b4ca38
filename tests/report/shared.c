/* Everything that takes shared memory. */
double sums(const double *a, const float *b, int n)
{
    double sum = 0, most = 0;
#pragma acc parallel loop independent copyin(a[0:n+2], b[0:n+4]) reduction(+: sum) reduction(max: most)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3], b[i:5])
        sum += a[i] + b[i] * b[i+4];
        most = a[i+2] > most ? a[i+2] : most;
    }
    return sum + most;
}

void gangs(const int *a, int *b, int n)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:64*n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        int total = 0;
        short row[64];
#pragma acc cache(row)
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            row[j] = (short)a[64*i + j];
#pragma acc loop vector reduction(+: total)
        for (int j = 0; j < 64; ++j)
            total += row[63 - j];
        b[i] = total;
    }
}

void scattered(const float *a, float *b, const int *where, int n)
{
#pragma acc parallel loop independent copyin(a[0:n], where[0:n]) copy(b[0:n+2])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:3])
        b[i + where[i] % 2] += a[i] * b[i];
    }
}

int main(void)
{
    return 0;
}
