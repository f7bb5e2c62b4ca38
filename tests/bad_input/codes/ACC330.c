int f(const int *a, int n)
{
    int sum = 0;
#pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        sum += a[i];
//      ^~~ ACC330
    }
    return sum;
}
