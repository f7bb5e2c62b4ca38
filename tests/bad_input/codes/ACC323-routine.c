// a routine's own length
#pragma acc routine seq
static float last(int m, float (*a)[m], int i)
//           ^~~~ ACC323
{
    while (m > 7)
        m--;
    return a[i][m - 1];
}

void g(int n, int m, float (*a)[m], float *b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] = last(m, a, i);
}
