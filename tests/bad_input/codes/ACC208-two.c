#define FILL(a, n) for (int i = 0; i < n; ++i) a[i] = i; done = 1

int f(int n, int *a)
{
    int done = 0;
#pragma acc parallel loop copy(a[0:n])
    FILL(a, n);
//  ^~~~~~~~~~ ACC208
    return done;
}
